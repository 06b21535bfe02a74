/* Load cuDNN at run time and check its version. */
#include <config.h>

#include "trainer/device/cuda/engines/cudnn_library.h"

#include <stdio.h>

#include "trainer/base/shared_library.h"

enum { CUDNN_MIN = 90800 /* first with described GPUs and fused gradients */ };

struct cudnn_calls cudnn;

static const struct shared_library_call calls[] = {
	{ "cudnnGetVersion", &cudnn.version },
	{ "cudnnGetCudartVersion", &cudnn.cudart_version },
	{ "cudnnGetErrorString", &cudnn.error_string },
	{ "cudnnGetLastErrorString", &cudnn.last_error_string },
	{ "cudnnCreate", &cudnn.create },
	{ "cudnnDestroy", &cudnn.destroy },
	{ "cudnnSetStream", &cudnn.set_stream },
	{ "cudnnBackendCreateDescriptor", &cudnn.create_descriptor },
	{ "cudnnBackendDestroyDescriptor", &cudnn.destroy_descriptor },
	{ "cudnnBackendSetAttribute", &cudnn.set_attribute },
	{ "cudnnBackendGetAttribute", &cudnn.get_attribute },
	{ "cudnnBackendFinalize", &cudnn.finalize },
	{ "cudnnBackendExecute", &cudnn.execute },
};

static int
check_version(struct error *e)
{
	const size_t version = cudnn.version();

	if (version < CUDNN_MIN)
		return error_set(e, ERROR_SYSTEM, "cuDNN %zu is older than %d",
		    version, (int)CUDNN_MIN);
	if (version / 10000 != CUDNN_VERSION / 10000)
		return error_set(e, ERROR_SYSTEM,
		    "cuDNN %zu differs in major version from %d, with which "
		    "this program was compiled",
		    version, CUDNN_VERSION);
	return 0;
}

/* Check that cuBLASLt can be loaded: cuDNN loads it on first use and aborts the
 * process if it is missing. */
static int
find_cublas(struct error *e)
{
	char name[40];

	snprintf(name, sizeof name, "libcublasLt.so.%zu",
	    cudnn.cudart_version() / 1000);
	return shared_library_open(name, NULL, 0, e) == 0
	    ? 0
	    : error_prefix(e, "cuDNN needs cuBLASLt");
}

int
cudnn_library_open(struct error *e)
{
	char name[32];

	snprintf(name, sizeof name, "libcudnn.so.%d", CUDNN_MAJOR);
	if (shared_library_open(
		name, calls, sizeof calls / sizeof calls[0], e) != 0)
		return -1;
	return check_version(e) != 0 ? -1 : find_cublas(e);
}
