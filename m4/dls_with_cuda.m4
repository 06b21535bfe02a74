# DLS_WITH_CUDA
# ------------
# --with-cuda[=DIR], --with-cuda-arch=LIST, --disable-static-cudart, NVCC,
# NVCCFLAGS.
# CUDA is used when nvcc is found AND compiles a kernel AND libcudart links:
# libcudart_static, if it is there, so that programs start on any machine.
# No GPU is needed to build: nothing is run.
AC_DEFUN([DLS_WITH_CUDA], [
AC_ARG_VAR([NVCC], [CUDA compiler])
AC_ARG_VAR([NVCCFLAGS], [CUDA compiler flags])
AC_ARG_WITH([cuda],
  [AS_HELP_STRING([--with-cuda@<:@=DIR@:>@], [build the CUDA trainer, toolkit in DIR @<:@default=if found@:>@])],
  [], [with_cuda=guess])
AC_ARG_WITH([cuda-arch],
  [AS_HELP_STRING([--with-cuda-arch=LIST], [GPU architectures, comma separated @<:@default=80,90@:>@])],
  [], [with_cuda_arch=80,90])
AC_ARG_ENABLE([static-cudart],
  [AS_HELP_STRING([--disable-static-cudart], [link CUDA's shared runtime, without which the trainer then does not start])],
  [], [enable_static_cudart=guess])
have_cuda=no CUDA_CPPFLAGS= CUDA_LDFLAGS= CUDA_LIBS= CUDA_GENCODE= cuda_prefix=
AS_IF([test "x$with_cuda" = xno], [cuda_status="no (--without-cuda)"], [
  AS_CASE([$with_cuda], [yes|guess], [], [cuda_prefix=$with_cuda])
  # A DIR given by the user is the only place looked in.
  AS_IF([test -n "$cuda_prefix"], [dls_path=$cuda_prefix/bin], [dls_path=$PATH:/usr/local/cuda/bin])
  AC_PATH_PROG([NVCC], [nvcc], [], [$dls_path])
  dls_why=
  AS_IF([test -z "$NVCC"], [dls_why="no nvcc in $dls_path"], [
    AS_IF([test -z "$cuda_prefix"], [cuda_prefix=`AS_DIRNAME(["$NVCC"])`; cuda_prefix=`AS_DIRNAME(["$cuda_prefix"])`])
    CUDA_CPPFLAGS="-I$cuda_prefix/include"
    AS_IF([test -d "$cuda_prefix/lib64"], [dls_lib=$cuda_prefix/lib64], [dls_lib=$cuda_prefix/lib])
    CUDA_LDFLAGS="-L$dls_lib -Wl,-rpath,$dls_lib"
    for dls_a in `AS_ECHO(["$with_cuda_arch"]) | tr , ' '`; do
      CUDA_GENCODE="$CUDA_GENCODE -gencode arch=compute_$dls_a,code=sm_$dls_a"
    done
    CUDA_GENCODE="$CUDA_GENCODE -gencode arch=compute_$dls_a,code=compute_$dls_a"
    AC_MSG_CHECKING([whether $NVCC compiles a kernel])
    cat >conftest.cu <<_DLSEOF
#include <cuda_runtime.h>
__global__ void kernel(void) {}
_DLSEOF
    AS_IF([$NVCC $CUDA_CPPFLAGS $CUDA_GENCODE $NVCCFLAGS -c -o conftest.o conftest.cu >&AS_MESSAGE_LOG_FD 2>&1],
      [AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no]); dls_why="$NVCC does not compile a kernel, see config.log"])
    rm -f conftest.cu conftest.o])
  AS_IF([test -z "$dls_why"], [
    dls_CPPFLAGS=$CPPFLAGS dls_LDFLAGS=$LDFLAGS dls_LIBS=$LIBS
    CPPFLAGS="$CPPFLAGS $CUDA_CPPFLAGS" LDFLAGS="$LDFLAGS $CUDA_LDFLAGS"
    AC_CHECK_HEADER([cuda_runtime_api.h],
      [AS_IF([test "x$enable_static_cudart" != xno],
         [AC_CHECK_LIB([cudart_static], [cudaGetDeviceCount], [have_cuda=yes enable_static_cudart=yes],
            [dls_why="no libcudart_static"], [-ldl -lrt -lpthread])])
       AS_IF([test $have_cuda = no && test "x$enable_static_cudart" != xyes],
         [AC_CHECK_LIB([cudart], [cudaGetDeviceCount], [have_cuda=yes enable_static_cudart=no dls_why=],
            [dls_why="no libcudart"])])],
      [dls_why="no cuda_runtime_api.h"])
    CPPFLAGS=$dls_CPPFLAGS LDFLAGS=$dls_LDFLAGS LIBS=$dls_LIBS])
  AS_IF([test $have_cuda = yes],
    [AS_IF([test "x$enable_static_cudart" = xyes],
       [CUDA_LIBS="-lcudart_static -ldl -lrt -lpthread"], [CUDA_LIBS=-lcudart])
     cuda_version=`$NVCC --version | sed -n 's/.*release \(@<:@0-9.@:>@*\).*/\1/p'`
     cuda_status="yes ($cuda_version, $cuda_prefix, sm_$with_cuda_arch)"
     AC_DEFINE([HAVE_CUDA], [1], [Define to 1 if CUDA is used.])],
    [cuda_status="no ($dls_why)"
     AS_IF([test "x$with_cuda" != xguess],
       [AC_MSG_ERROR([--with-cuda was given but CUDA is not usable: $dls_why])])])])
AM_CONDITIONAL([HAVE_CUDA], [test $have_cuda = yes])
AC_SUBST([CUDA_CPPFLAGS])AC_SUBST([CUDA_LDFLAGS])AC_SUBST([CUDA_LIBS])AC_SUBST([CUDA_GENCODE])])
