# DLS_WITH_GNUPLOT
# ----------------
# gnuplot is needed at run time only: plot_results looks for it in PATH then.
# Here it is reported, and the tests know whether it is there.
AC_DEFUN([DLS_WITH_GNUPLOT], [
AC_ARG_VAR([GNUPLOT], [gnuplot, used by make check])
AC_PATH_PROG([GNUPLOT], [gnuplot])
AS_IF([test -n "$GNUPLOT"],
  [gnuplot_version=`$GNUPLOT --version 2>/dev/null |
     sed -n 's/^gnuplot \(.*\) patchlevel /\1./p'`
   gnuplot_status="yes (${gnuplot_version:+$gnuplot_version, }$GNUPLOT, used at run time)"],
  [gnuplot_status="no (no gnuplot in PATH; charts need it at run time)"])])
