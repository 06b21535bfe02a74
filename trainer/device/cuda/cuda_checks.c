/* Checks whether a GPU can do a run. Without CUDA, so that tests need no
 * GPU. */
#include <config.h>

#include "trainer/device/cuda/cuda_checks.h"

#include "common/units/units.h"

int
checks_memory(int batch, const struct gpu_needs *n, double available,
    double total, struct error *e)
{
	const double need = n->fixed + batch * n->per_image;
	const double most =
	    n->per_image > 0 ? (available - n->fixed) / n->per_image : 0;
	char words[3][UNITS_TEXT_SIZE];

	if (need <= available)
		return 0;
	bytes_format(words[0], need);
	bytes_format(words[1], available);
	bytes_format(words[2], total);
	if (most < 1)
		return error_set(e, ERROR_LIMIT,
		    "not enough memory on the GPU: %d images per step take %s "
		    "(%.0f bytes), but %s (%.0f bytes) of its %s are free; not "
		    "even one image fits",
		    batch, words[0], need, words[1], available, words[2]);
	return error_set(e, ERROR_LIMIT,
	    "not enough memory on the GPU: %d images per step take %s (%.0f "
	    "bytes), but %s (%.0f bytes) of its %s are free; --batch-size=%d "
	    "fits",
	    batch, words[0], need, words[1], available, words[2], (int)most);
}

int
checks_allocation(const char *what, double bytes, double available,
    double total, struct error *e)
{
	char need[UNITS_TEXT_SIZE], have[UNITS_TEXT_SIZE], all[UNITS_TEXT_SIZE];

	return error_set(e, ERROR_SYSTEM,
	    "not enough memory on the GPU for %s: %s (%.0f bytes) are needed, "
	    "%s (%.0f bytes) of its %s are free; a smaller batch needs less",
	    what, bytes_format(need, bytes), bytes,
	    bytes_format(have, available), available, bytes_format(all, total));
}

int
checks_precision(
    enum dtype t, int capability, const char *name, struct error *e)
{
	/* CUDA C++ programming guide, "Compute Capabilities". */
	static const int least[] = {
		[DTYPE_FP16] = 53, [DTYPE_BF16] = 80, [DTYPE_TF32] = 80
	};
	const int n = (int)(sizeof least / sizeof least[0]);
	const int need = (int)t < n ? least[t] : 0;

	if (capability >= need)
		return 0;
	return error_set(e, ERROR_USAGE,
	    "GPU '%s' (compute capability %d.%d) does not compute in %s, which "
	    "takes %d.%d",
	    name, capability / 10, capability % 10, dtype_name(t), need / 10,
	    need % 10);
}
