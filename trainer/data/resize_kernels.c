#include <config.h>

#include "trainer/data/resize_kernels.h"

#include "trainer/data/resize_kernels_list.h"

#ifdef HAVE_X86_FLAGS
static int
runs_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static int
runs_avx512(void)
{
	return __builtin_cpu_supports("avx512f") &&
	    __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl");
}
#endif

static int
runs_plain(void)
{
	return 1;
}

/* The fastest first. */
static const struct {
	int (*runs)(void);
	const struct resize_kernels *kernels;
} tables[] = {
#ifdef HAVE_X86_FLAGS
	{ runs_avx512, &resize_kernels_avx512 },
	{ runs_avx2, &resize_kernels_avx2 },
#endif
	{ runs_plain, &resize_kernels_plain },
};

const struct resize_kernels *
resize_kernels_at(int i)
{
	for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++)
		if (tables[k].runs() && i-- == 0)
			return tables[k].kernels;
	return NULL;
}
