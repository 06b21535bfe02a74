/* Tables of cpu_kernels.h for fp32 and bf16, compiled for each instruction set:
 * KERNELS_LEVEL is 0 for any CPU, 1 for AVX2, 2 for AVX-512. Level 0 also
 * selects the table. */
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
#define VECTOR_LANES 8 /* block size of oneDNN */
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

#if KERNELS_LEVEL == 0

/* fastest first */
static const struct {
	enum isa isa;
	const struct cpu_kernels *fp32, *bf16;
} tables[] = {
#ifdef HAVE_X86_FLAGS
	{ ISA_AVX512, &cpu_kernels_fp32_avx512, &cpu_kernels_bf16_avx512 },
	{ ISA_AVX2, &cpu_kernels_fp32_avx2, &cpu_kernels_bf16_avx2 },
#endif
	{ ISA_PLAIN, &cpu_kernels_fp32_plain, &cpu_kernels_bf16_plain },
};

const struct cpu_kernels *
cpu_kernels_find(enum dtype t, enum isa isa)
{
	int i = 0;

	while (tables[i].isa > isa)
		i++;
	return t == DTYPE_BF16 ? tables[i].bf16 : tables[i].fp32;
}

#endif
