/* Stubs of cuDNN's functions that call the library loaded at run time, and the
 * check of its version. */
#include <config.h>

#include "trainer/device/cuda/engines/cudnn_library.h"

#include <cudnn.h>
#include <stdio.h>

#include "trainer/base/shared_library.h"

enum { CUDNN_MIN = 90800 /* graphs that are described, fused gradients */ };

/* The library's functions. */
static struct {
	__typeof__(cudnnGetVersion) *version;
	__typeof__(cudnnGetCudartVersion) *cudart_version;
	__typeof__(cudnnGetErrorString) *error_string;
	__typeof__(cudnnGetLastErrorString) *last_error_string;
	__typeof__(cudnnCreate) *create;
	__typeof__(cudnnDestroy) *destroy;
	__typeof__(cudnnSetStream) *set_stream;
	__typeof__(cudnnBackendCreateDescriptor) *create_descriptor;
	__typeof__(cudnnBackendDestroyDescriptor) *destroy_descriptor;
	__typeof__(cudnnBackendSetAttribute) *set_attribute;
	__typeof__(cudnnBackendGetAttribute) *get_attribute;
	__typeof__(cudnnBackendFinalize) *finalize;
	__typeof__(cudnnBackendExecute) *execute;
} loaded;

static const struct shared_library_call calls[] = {
	{ "cudnnGetVersion", &loaded.version },
	{ "cudnnGetCudartVersion", &loaded.cudart_version },
	{ "cudnnGetErrorString", &loaded.error_string },
	{ "cudnnGetLastErrorString", &loaded.last_error_string },
	{ "cudnnCreate", &loaded.create },
	{ "cudnnDestroy", &loaded.destroy },
	{ "cudnnSetStream", &loaded.set_stream },
	{ "cudnnBackendCreateDescriptor", &loaded.create_descriptor },
	{ "cudnnBackendDestroyDescriptor", &loaded.destroy_descriptor },
	{ "cudnnBackendSetAttribute", &loaded.set_attribute },
	{ "cudnnBackendGetAttribute", &loaded.get_attribute },
	{ "cudnnBackendFinalize", &loaded.finalize },
	{ "cudnnBackendExecute", &loaded.execute },
};

static int
check_version(struct error *e)
{
	const size_t version = cudnnGetVersion();

	if (version < CUDNN_MIN)
		return error_set(e, ERROR_SYSTEM, "cuDNN %zu is older than %d",
		    version, (int)CUDNN_MIN);
	if (version / 10000 != CUDNN_VERSION / 10000)
		return error_set(e, ERROR_SYSTEM,
		    "cuDNN %zu is another major version than the %d that this "
		    "program was compiled with",
		    version, CUDNN_VERSION);
	return 0;
}

/* cuDNN loads cuBLASLt when it first needs it, and aborts the process if that
 * is missing: fail with a message first. */
static int
find_cublas(struct error *e)
{
	char name[40];

	snprintf(name, sizeof name, "libcublasLt.so.%zu",
	    loaded.cudart_version() / 1000);
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

size_t
cudnnGetVersion(void)
{
	return loaded.version();
}

const char *
cudnnGetErrorString(cudnnStatus_t status)
{
	return loaded.error_string(status);
}

void
cudnnGetLastErrorString(char *message, size_t max_size)
{
	loaded.last_error_string(message, max_size);
}

cudnnStatus_t
cudnnCreate(cudnnHandle_t *handle)
{
	return loaded.create(handle);
}

cudnnStatus_t
cudnnDestroy(cudnnHandle_t handle)
{
	return loaded.destroy(handle);
}

cudnnStatus_t
cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream)
{
	return loaded.set_stream(handle, stream);
}

cudnnStatus_t
cudnnBackendCreateDescriptor(
    cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t *descriptor)
{
	return loaded.create_descriptor(type, descriptor);
}

cudnnStatus_t
cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor)
{
	return loaded.destroy_descriptor(descriptor);
}

cudnnStatus_t
cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
    cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
    int64_t n, const void *elements)
{
	return loaded.set_attribute(descriptor, name, type, n, elements);
}

cudnnStatus_t
cudnnBackendGetAttribute(cudnnBackendDescriptor_t const descriptor,
    cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
    int64_t wanted, int64_t *n, void *elements)
{
	return loaded.get_attribute(
	    descriptor, name, type, wanted, n, elements);
}

cudnnStatus_t
cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor)
{
	return loaded.finalize(descriptor);
}

cudnnStatus_t
cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
    cudnnBackendDescriptor_t pack)
{
	return loaded.execute(handle, plan, pack);
}
