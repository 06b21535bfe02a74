# DLS_WITH_LIB(NAME, TITLE, HEADER, LIB, SYMBOL, [FALLBACK-PREFIX], [NEEDS],
#              [MODULE], [VERSION], [VERSION-HEADER])
# -------------------------------------------------------------------------
# --with-NAME[=DIR]: look for an optional C library.
#
# Without the option: use it when found ("guess").  With --with-NAME or
# --with-NAME=DIR: it must be found, or configure stops.  With --without-NAME:
# do not look.  If NEEDS is given, that feature must be there first.  If MODULE
# is given, pkg-config is asked for it first, except for a DIR; what it says is
# tried as well.  VERSION is the version in macros of HEADER or of
# VERSION-HEADER, as [X_MAJOR.X_MINOR], for a library that pkg-config does not
# know.
#
# Sets: AM_CONDITIONAL HAVE_<NAME>, AC_DEFINE HAVE_<NAME>, AC_SUBST
# <NAME>_CPPFLAGS, <NAME>_LDFLAGS, <NAME>_LIBS, shell NAME_status for the summary.
# CPPFLAGS, LDFLAGS and LIBS are left as the user gave them.
AC_DEFUN([DLS_WITH_LIB], [dnl
m4_pushdef([DLS_UP], m4_toupper([$1]))dnl
AC_ARG_WITH([$1],
  [AS_HELP_STRING([--with-$1@<:@=DIR@:>@], [use $2, in DIR if given @<:@default=if found@:>@])],
  [], [with_$1=guess])
have_$1=no DLS_UP[]_CPPFLAGS= DLS_UP[]_LDFLAGS= DLS_UP[]_LIBS=
AS_IF([test "x$with_$1" = xno], [$1_status="no (--without-$1)"],
  m4_ifval([$7], [[test "x$have_$7" != xyes], [$1_status="no (needs $7)"],])
  [dls_dir= dls_version=
   AS_CASE([$with_$1], [yes|guess], [dls_dir="m4_default([$6], [])"], [dls_dir=$with_$1])
   DLS_UP[]_LIBS=-l$4
   AS_IF([test -n "$dls_dir"],
     [DLS_UP[]_CPPFLAGS="-I$dls_dir/include"
      AS_IF([test -d "$dls_dir/lib64"], [dls_lib=$dls_dir/lib64], [dls_lib=$dls_dir/lib])
      DLS_UP[]_LDFLAGS="-L$dls_lib -Wl,-rpath,$dls_lib"])
   m4_ifval([$8], [DLS_PKG_CONFIG([$8], DLS_UP)])
   dls_CPPFLAGS=$CPPFLAGS dls_LDFLAGS=$LDFLAGS dls_LIBS=$LIBS
   CPPFLAGS="$CPPFLAGS m4_ifval([$7], [$]m4_toupper([$7])[_CPPFLAGS ])$DLS_UP[]_CPPFLAGS"
   LDFLAGS="$LDFLAGS $DLS_UP[]_LDFLAGS"
   # A folder that was named is the only place looked in.
   AS_CASE([$with_$1],
     [/*], [AS_IF([test -f "$with_$1/include/$3"], [dls_why=],
       [dls_why="no $with_$1/include/$3"])],
     [dls_why=])
   AS_IF([test -z "$dls_why"], [AC_CHECK_HEADER([$3],
     [AC_CHECK_LIB([$4], [$5], [have_$1=yes], [dls_why="no $5 in -l$4"],
       [$DLS_UP[]_LIBS])],
     [dls_why="no $3"])])
   m4_ifval([$9], [AS_IF([test -z "$dls_version"],
     [DLS_HEADER_VERSION(m4_default([$10], [$3]), [$9])])])
   CPPFLAGS=$dls_CPPFLAGS LDFLAGS=$dls_LDFLAGS LIBS=$dls_LIBS
   AS_IF([test $have_$1 = yes],
     [$1_status="yes${dls_version:+ ($dls_version)}${dls_dir:+ ($dls_dir)}"
      AC_DEFINE([HAVE_]DLS_UP, [1], [Define to 1 if $2 is used.])],
     [AS_IF([test "x$with_$1" = xguess], [$1_status="no ($dls_why)"],
        [AC_MSG_ERROR([--with-$1 was given but $2 is not usable: $dls_why])])
      DLS_UP[]_CPPFLAGS= DLS_UP[]_LDFLAGS= DLS_UP[]_LIBS=])])
AS_IF([test "x$have_$1" != xyes && test "x$with_$1" != xno && test "x$with_$1" != xguess],
  [AC_MSG_ERROR([--with-$1 was given but $2 is not usable: $$1_status])])
AM_CONDITIONAL([HAVE_]DLS_UP, [test $have_$1 = yes])
AC_SUBST(DLS_UP[_CPPFLAGS])AC_SUBST(DLS_UP[_LDFLAGS])AC_SUBST(DLS_UP[_LIBS])
m4_popdef([DLS_UP])])

# DLS_PKG_CONFIG(MODULE, PREFIX): what pkg-config says of MODULE, unless a
# folder was named in dls_dir; sets PREFIX_CPPFLAGS, PREFIX_LIBS, dls_version.
AC_DEFUN([DLS_PKG_CONFIG], [
AS_IF([test -z "$dls_dir" && test -n "$PKG_CONFIG" &&
    $PKG_CONFIG --exists $1 2>/dev/null],
  [$2_CPPFLAGS=`$PKG_CONFIG --cflags $1`
   $2_LIBS=`$PKG_CONFIG --libs $1`
   dls_version=`$PKG_CONFIG --modversion $1`])])

# DLS_HEADER_VERSION(HEADER, VERSION): the macros of VERSION as HEADER has them,
# into dls_version; empty where one is missing.
AC_DEFUN([DLS_HEADER_VERSION], [
cat >conftest.c <<_DLSEOF
#include <$1>
dls_version $2
_DLSEOF
dls_version=`$CC -E -P $CPPFLAGS conftest.c 2>&AS_MESSAGE_LOG_FD |
  sed -n 's/^dls_version//p' | tr -d ' "'`
AS_CASE([$dls_version], [*@<:@!0-9.@:>@*], [dls_version=])
rm -f conftest.c])

# DLS_VERSION_OF(MODULE): what the summary says of a library that is needed.
# Whoever gave its flags by hand may have no pkg-config.
AC_DEFUN([DLS_VERSION_OF], [`$PKG_CONFIG --modversion $1 2>/dev/null ||
  echo "as given"`])
