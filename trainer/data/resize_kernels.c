/* Which of the compiled kernels this CPU can run.  resize.c asks. */
#include <config.h>

#include "trainer/data/resize_kernels.h"

#include "trainer/data/resize_kernels_list.h"
#include "trainer/base/isa.h"

/* The fastest first. */
static const struct {
	int (*runs)(void);
	const struct resize_kernels *kernels;
} tables[] = {
#ifdef HAVE_X86_FLAGS
	{ isa_runs_avx512, &resize_kernels_avx512 },
	{ isa_runs_avx2, &resize_kernels_avx2 },
#endif
	{ isa_runs_plain, &resize_kernels_plain },
};

const struct resize_kernels *
resize_kernels_at(int i)
{
	for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++)
		if (tables[k].runs() && i-- == 0)
			return tables[k].kernels;
	return NULL;
}
