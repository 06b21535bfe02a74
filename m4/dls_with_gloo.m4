# DLS_WITH_GLOO
# -------------
# --with-gloo[=DIR]: the Gloo collectives, a C++ library; needs a C++ compiler
# only when it is used.  Three states as in DLS_WITH_LIB.  AC_PROG_CXX comes
# before; it names a compiler even where there is none, so it is tried.
AC_DEFUN([DLS_WITH_GLOO], [
AC_ARG_WITH([gloo],
  [AS_HELP_STRING([--with-gloo@<:@=DIR@:>@],
     [use Gloo, in DIR if given @<:@default=if found@:>@])],
  [], [with_gloo=guess])
have_gloo=no GLOO_CPPFLAGS= GLOO_LDFLAGS= GLOO_LIBS=
AS_IF([test "x$with_gloo" = xno], [gloo_status="no (--without-gloo)"], [
  dls_dir=
  AS_CASE([$with_gloo], [yes|guess], [], [dls_dir=$with_gloo])
  AS_IF([test -n "$dls_dir"],
    [GLOO_CPPFLAGS="-I$dls_dir/include"
     GLOO_LDFLAGS="-L$dls_dir/lib -Wl,-rpath,$dls_dir/lib"])
  dls_why="no C++ compiler"
  AS_IF([$CXX --version >&AS_MESSAGE_LOG_FD 2>&1], [
    AC_MSG_CHECKING([whether Gloo programs link])
    cat >conftest.cc <<_DLSEOF
#include <gloo/context.h>
#include <gloo/transport/tcp/device.h>
int main() { gloo::transport::tcp::attr a; return a.hostname.size() > 0; }
_DLSEOF
    AS_IF([$CXX -std=c++17 $CPPFLAGS $GLOO_CPPFLAGS -o conftest$EXEEXT conftest.cc $LDFLAGS $GLOO_LDFLAGS -lgloo -pthread >&AS_MESSAGE_LOG_FD 2>&1],
      [have_gloo=yes], [dls_why="no usable gloo/context.h or -lgloo"])
    AC_MSG_RESULT([$have_gloo])
    rm -f conftest.cc conftest$EXEEXT])
  AS_IF([test $have_gloo = yes],
    [GLOO_LIBS="-lgloo -lstdc++"
     dls_CPPFLAGS=$CPPFLAGS CPPFLAGS="$CPPFLAGS $GLOO_CPPFLAGS"
     DLS_HEADER_VERSION([gloo/config.h],
       [GLOO_VERSION_MAJOR.GLOO_VERSION_MINOR.GLOO_VERSION_PATCH])
     CPPFLAGS=$dls_CPPFLAGS
     gloo_status="yes${dls_version:+ ($dls_version)}${dls_dir:+ ($dls_dir)}"
     AC_DEFINE([HAVE_GLOO], [1], [Define to 1 if Gloo is used.])],
    [gloo_status="no ($dls_why)" GLOO_CPPFLAGS= GLOO_LDFLAGS=
     AS_IF([test "x$with_gloo" != xguess],
       [AC_MSG_ERROR([--with-gloo was given but Gloo is not usable: $dls_why])])])])
AM_CONDITIONAL([HAVE_GLOO], [test $have_gloo = yes])
AC_SUBST([GLOO_CPPFLAGS])AC_SUBST([GLOO_LDFLAGS])AC_SUBST([GLOO_LIBS])])
