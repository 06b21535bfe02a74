#include <config.h>

#include "trainer/device/cpu/kernels/cpu_kernels.h"

#include <stdlib.h>
#include <string.h>

#include "trainer/device/cpu/kernels/cpu_kernels_list.h"
#include "trainer/base/isa.h"

/* The fastest first. */
static const struct {
	int (*runs)(void);
	const struct cpu_kernels *fp32, *bf16;
} tables[] = {
#ifdef HAVE_X86_FLAGS
	{ isa_runs_avx512, &cpu_kernels_fp32_avx512, &cpu_kernels_bf16_avx512 },
	{ isa_runs_avx2, &cpu_kernels_fp32_avx2, &cpu_kernels_bf16_avx2 },
#endif
	{ isa_runs_plain, &cpu_kernels_fp32_plain, &cpu_kernels_bf16_plain },
};

const struct cpu_kernels *
cpu_kernels_at(enum dtype t, int i)
{
	for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++)
		if (tables[k].runs() && i-- == 0)
			return t == DTYPE_BF16 ? tables[k].bf16
					       : tables[k].fp32;
	return NULL;
}

/* DLSCALE_KERNELS in the environment: the table of that name, if the CPU
 * can run it (tests). */
const struct cpu_kernels *
cpu_kernels_find(enum dtype t)
{
	const char *name = getenv("DLSCALE_KERNELS");
	const struct cpu_kernels *k;

	for (int i = 0; name != NULL && (k = cpu_kernels_at(t, i)) != NULL; i++)
		if (strcmp(k->isa, name) == 0)
			return k;
	return cpu_kernels_at(t, 0);
}
