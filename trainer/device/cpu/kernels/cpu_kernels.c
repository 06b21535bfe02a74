/* Which of the compiled kernels go with a set of instructions. */
#include <config.h>

#include "trainer/device/cpu/kernels/cpu_kernels.h"

/* The fastest first. */
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
