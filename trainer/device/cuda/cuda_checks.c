/* Checks whether a GPU is suitable for a run. Does not use CUDA, so that tests
 * need no GPU. */
#include <config.h>

#include "trainer/device/cuda/cuda_checks.h"

enum { MIB = 1 << 20 };

int
checks_memory(int batch, const struct gpu_needs *n, double available,
    double total, struct error *e)
{
	const double need = n->fixed + batch * n->per_image;
	const double most =
	    n->per_image > 0 ? (available - n->fixed) / n->per_image : 0;

	if (need <= available)
		return 0;
	if (most < 1)
		return error_set(e, ERROR_LIMIT,
		    "not enough memory on the GPU: %d images per step take "
		    "%.0f MiB, but %.0f of its %.0f MiB are free; not even one "
		    "image fits",
		    batch, need / MIB, available / MIB, total / MIB);
	return error_set(e, ERROR_LIMIT,
	    "not enough memory on the GPU: %d images per step take %.0f MiB, "
	    "but %.0f of its %.0f MiB are free; --batch-size=%d fits",
	    batch, need / MIB, available / MIB, total / MIB, (int)most);
}

int
checks_allocation(const char *what, double bytes, double available,
    double total, struct error *e)
{
	return error_set(e, ERROR_SYSTEM,
	    "not enough memory on the GPU for %s: %.0f bytes are needed, %.0f "
	    "of its %.0f are free; a smaller batch needs less",
	    what, bytes, available, total);
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
