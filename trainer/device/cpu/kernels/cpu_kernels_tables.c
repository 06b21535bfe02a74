/* The tables of cpu_kernels.h for fp32 and bf16, compiled for each set of
 * instructions: KERNELS_LEVEL is 0 for any CPU, 1 for AVX2, 2 for AVX-512. */
#include <config.h>

#include "trainer/device/cpu/kernels/cpu_kernels.h"

#if KERNELS_LEVEL == 2
#define KERNELS_ISA "AVX-512"
#define KERNELS_FOR(name) name##_avx512
#elif KERNELS_LEVEL == 1
#define KERNELS_ISA "AVX2"
#define KERNELS_FOR(name) name##_avx2
#else
#define KERNELS_ISA "plain"
#define KERNELS_FOR(name) name##_plain
#endif
#if KERNELS_LEVEL < 2 && defined HAVE_X86_FLAGS
#define VECTOR_LANES 8 /* oneDNN's block there */
#endif
#include "trainer/device/cpu/kernels/cpu_vector.h"

#define KERNELS_BF16 0
#define KERNELS(name) KERNELS_FOR(name##_fp32)
#include "trainer/device/cpu/kernels/cpu_kernels_template.h"

#undef KERNELS_BF16
#undef KERNELS
#define KERNELS_BF16 1
#define KERNELS(name) KERNELS_FOR(name##_bf16)
#include "trainer/device/cpu/kernels/cpu_kernels_template.h"
