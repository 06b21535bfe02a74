# DLS_WITH_MPI
# -----------
# --with-mpi[=DIR], MPICC, MPIRUN.  Asks the wrapper for flags instead of
# making it CC, so that only what uses MPI is built with it.
AC_DEFUN([DLS_WITH_MPI], [
AC_ARG_VAR([MPICC], [MPI C compiler wrapper, asked for its flags])
AC_ARG_VAR([MPIRUN], [MPI launcher, used by make check])
AC_ARG_WITH([mpi],
  [AS_HELP_STRING([--with-mpi@<:@=DIR@:>@], [use MPI, in DIR if given @<:@default=if found@:>@])],
  [], [with_mpi=guess])
have_mpi=no MPI_CPPFLAGS= MPI_LIBS=
AS_IF([test "x$with_mpi" = xno], [mpi_status="no (--without-mpi)"], [
  AS_CASE([$with_mpi], [yes|guess], [dls_path=$PATH], [dls_path=$with_mpi/bin])
  AC_PATH_PROGS([MPICC], [mpicc], [], [$dls_path])
  AC_PATH_PROGS([MPIRUN], [mpirun mpiexec], [], [$dls_path])
  dls_why="no mpicc"
  AS_IF([test -n "$MPICC"], [
    AS_IF([MPI_CPPFLAGS=`$MPICC --showme:compile 2>/dev/null`],
      [MPI_LIBS=`$MPICC --showme:link`],                          # Open MPI
      [MPI_CPPFLAGS=`$MPICC -compile_info | sed 's/^@<:@^ @:>@* //'`
       MPI_LIBS=`$MPICC -link_info | sed 's/^@<:@^ @:>@* //'`])   # MPICH family
    dls_CPPFLAGS=$CPPFLAGS dls_LIBS=$LIBS
    CPPFLAGS="$CPPFLAGS $MPI_CPPFLAGS" LIBS="$MPI_LIBS $LIBS"
    AC_MSG_CHECKING([whether MPI programs link])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[MPI_Init(0, 0);]])],
      [have_mpi=yes], [dls_why="no link with the flags of $MPICC"])
    AC_MSG_RESULT([$have_mpi])
    CPPFLAGS=$dls_CPPFLAGS LIBS=$dls_LIBS])
  AS_IF([test $have_mpi = yes],
    [mpi_version=`$MPICC --showme:version 2>/dev/null |
       sed -n 's/^.*: \(.*@<:@0-9@:>@\) (.*/\1/p'`
     mpi_status="yes (${mpi_version:+$mpi_version, }$MPICC, launcher ${MPIRUN:-none})"
     AC_DEFINE([HAVE_MPI], [1], [Define to 1 if MPI is used.])],
    [mpi_status="no ($dls_why)" MPI_CPPFLAGS= MPI_LIBS=
     AS_IF([test "x$with_mpi" != xguess],
       [AC_MSG_ERROR([--with-mpi was given but MPI is not usable: $dls_why])])])])
AM_CONDITIONAL([HAVE_MPI], [test $have_mpi = yes])
AC_SUBST([MPI_CPPFLAGS])AC_SUBST([MPI_LIBS])])
