# Checking aids: sanitizers, warnings, fuzzing, threads.

# DLS_ENABLE_SANITIZE: --enable-sanitize[=LIST], sets SANITIZE_FLAGS
AC_DEFUN([DLS_ENABLE_SANITIZE], [
AC_ARG_ENABLE([sanitize],
  [AS_HELP_STRING([--enable-sanitize@<:@=LIST@:>@],
     [build with -fsanitize=LIST @<:@LIST=address,undefined@:>@])],
  [], [enable_sanitize=no])
SANITIZE_FLAGS=
AS_CASE([$enable_sanitize], [no], [],
  [AS_IF([test $enable_sanitize = yes], [enable_sanitize=address,undefined])
   SANITIZE_FLAGS="-fsanitize=$enable_sanitize -fno-sanitize-recover=all -fno-omit-frame-pointer"])
AC_SUBST([SANITIZE_FLAGS])
AM_CONDITIONAL([SANITIZE], [test $enable_sanitize != no])])

# DLS_CFLAG(FLAG): add FLAG to DLS_CFLAGS if the compiler takes it.
AC_DEFUN([DLS_CFLAG], [
dls_CFLAGS=$CFLAGS
CFLAGS="-Werror $1"
AC_MSG_CHECKING([whether $CC takes $1])
AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
  [AC_MSG_RESULT([yes]); DLS_CFLAGS="$DLS_CFLAGS $1"], [AC_MSG_RESULT([no])])
CFLAGS=$dls_CFLAGS])

# DLS_WARNINGS: collect the warning flags this compiler knows; --enable-werror
AC_DEFUN([DLS_WARNINGS], [
AC_ARG_ENABLE([werror],
  [AS_HELP_STRING([--enable-werror], [warnings are errors])],
  [], [enable_werror=no])
DLS_CFLAGS=
DLS_CFLAG([-Wall])
DLS_CFLAG([-Wextra])
DLS_CFLAG([-Wshadow])
DLS_CFLAG([-Wstrict-prototypes])
DLS_CFLAG([-Wmissing-prototypes])
DLS_CFLAG([-Wvla])
DLS_CFLAG([-Wformat=2])
DLS_CFLAG([-Wpointer-arith])
DLS_CFLAG([-Wcast-qual])
DLS_CFLAG([-Wwrite-strings])
DLS_CFLAG([-Wundef])
# Messages are cut at their stated size on purpose.
DLS_CFLAG([-Wno-format-truncation])
# Those of them that any C++ compiler knows.
DLS_CXXFLAGS="-Wall -Wextra -Wshadow -Wcast-qual"
AS_IF([test $enable_werror = yes],
  [DLS_CFLAGS="$DLS_CFLAGS -Werror" DLS_CXXFLAGS="$DLS_CXXFLAGS -Werror"])
AC_SUBST([DLS_CFLAGS])
AC_SUBST([DLS_CXXFLAGS])])

# DLS_ENABLE_FUZZ: --enable-fuzz makes the fuzz targets libFuzzer programs.
AC_DEFUN([DLS_ENABLE_FUZZ], [
AC_ARG_ENABLE([fuzz],
  [AS_HELP_STRING([--enable-fuzz], [build libFuzzer programs (needs CC=clang)])],
  [], [enable_fuzz=no])
AS_IF([test $enable_fuzz = yes], [
  dls_CFLAGS=$CFLAGS
  CFLAGS="$CFLAGS -fsanitize=fuzzer"
  AC_MSG_CHECKING([whether $CC links libFuzzer programs])
  AC_LINK_IFELSE([AC_LANG_SOURCE([[
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{ (void)data; (void)len; return 0; }]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([--enable-fuzz needs a compiler with libFuzzer, as CC=clang])])
  CFLAGS=$dls_CFLAGS
  DLS_FUZZ_FLAGS=-fsanitize=fuzzer-no-link])
AC_SUBST([DLS_FUZZ_FLAGS])
AM_CONDITIONAL([ENABLE_FUZZ], [test $enable_fuzz = yes])])

# DLS_THREADS: POSIX threads, sets THREAD_FLAGS
AC_DEFUN([DLS_THREADS], [
THREAD_FLAGS=-pthread
dls_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS $THREAD_FLAGS"
AC_MSG_CHECKING([whether POSIX threads link])
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <pthread.h>]],
  [[pthread_mutex_t m; return pthread_mutex_init(&m, 0);]])],
  [AC_MSG_RESULT([yes])],
  [AC_MSG_RESULT([no]); AC_MSG_ERROR([POSIX threads are needed])])
CFLAGS=$dls_CFLAGS
AC_SUBST([THREAD_FLAGS])])

# DLS_X86_FLAGS: flags that let a file use AVX2, AVX-512 and AMX, if the
# compiler has them; whether the processor does is asked at run time.
AC_DEFUN([DLS_X86_FLAGS], [
AVX2_FLAGS="-mavx2 -mfma"
AVX512_FLAGS="-mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma"
dls_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS $AVX512_FLAGS"
AC_MSG_CHECKING([whether $CC makes AVX-512 code])
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <immintrin.h>]],
  [[__m512 v = _mm512_setzero_ps();
    return __builtin_cpu_supports("avx512f") &&
      _mm512_reduce_add_ps(v) > 0;]])],
  [have_x86_flags=yes
   AC_DEFINE([HAVE_X86_FLAGS], [1],
     [Define to 1 if AVX2 and AVX-512 code can be made.])],
  [have_x86_flags=no])
AC_MSG_RESULT([$have_x86_flags])
CFLAGS=$dls_CFLAGS
AMX_FLAGS="$AVX512_FLAGS -mavx512bf16 -mamx-tile -mamx-bf16"
CFLAGS="$CFLAGS $AMX_FLAGS"
AC_MSG_CHECKING([whether $CC makes AMX code])
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <immintrin.h>
#include <sys/syscall.h>]],
  [[_tile_zero(0); _tile_dpbf16ps(0, 1, 2); _tile_release();
    return (int)SYS_arch_prctl +
      ((__m512i)_mm512_cvtne2ps_pbh(_mm512_setzero_ps(),
        _mm512_setzero_ps()))@<:@0@:>@ != 0;]])],
  [have_amx_flags=yes
   AC_DEFINE([HAVE_AMX_FLAGS], [1], [Define to 1 if AMX code can be made.])],
  [have_amx_flags=no])
AC_MSG_RESULT([$have_amx_flags])
CFLAGS=$dls_CFLAGS
AM_CONDITIONAL([HAVE_AMX_FLAGS], [test $have_amx_flags = yes])
AC_SUBST([AMX_FLAGS])
AM_CONDITIONAL([HAVE_X86_FLAGS], [test $have_x86_flags = yes])
AC_SUBST([AVX2_FLAGS])
AC_SUBST([AVX512_FLAGS])])
