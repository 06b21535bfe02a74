/* A CUDA and a cuDNN without a GPU behind them, to be preloaded: enough for the
 * trainer to find a GPU, take memory on it, and be told of a fault.
 *
 *	CUDA_FAULT=cudaMalloc:2 LD_PRELOAD=tests/cuda_faults.so train_imagenet
 *
 * lets that function return the error of that number, always.  CUDA_FREE is how
 * many MiB the GPU has free, 1000 if not set. */
#include <config.h>

#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN __attribute__((visibility("default")))

/* The error that this function is to return. */
static cudaError_t
fault(const char *name)
{
	const char *wanted = getenv("CUDA_FAULT");
	const size_t n = strlen(name);

	if (wanted == NULL || strncmp(wanted, name, n) != 0 || wanted[n] != ':')
		return cudaSuccess;
	return (cudaError_t)strtol(wanted + n + 1, NULL, 10);
}

SHOWN cudaError_t
cudaDriverGetVersion(int *version)
{
	const cudaError_t rc = fault("cudaDriverGetVersion");

	*version = rc == cudaSuccess ? 13000 : 0;
	return rc;
}

SHOWN cudaError_t
cudaGetDeviceCount(int *n)
{
	*n = 1;
	return fault("cudaGetDeviceCount");
}

SHOWN cudaError_t
cudaSetDevice(int device)
{
	(void)device;
	return fault("cudaSetDevice");
}

SHOWN cudaError_t
cudaGetDevice(int *device)
{
	*device = 0;
	return fault("cudaGetDevice");
}

SHOWN cudaError_t
cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
	const char *capability = getenv("CUDA_CAPABILITY");

	(void)device;
	memset(p, 0, sizeof *p);
	strcpy(p->name, "Pretended GPU");
	p->major = capability != NULL ? atoi(capability) : 9;
	p->multiProcessorCount = 1;
	return fault("cudaGetDeviceProperties");
}

SHOWN cudaError_t
cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *function)
{
	(void)function;
	memset(a, 0, sizeof *a);
	return fault("cudaFuncGetAttributes");
}

SHOWN cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags)
{
	(void)flags;
	*s = NULL;
	return fault("cudaStreamCreateWithFlags");
}

SHOWN cudaError_t
cudaMemGetInfo(size_t *left, size_t *all)
{
	const char *mib = getenv("CUDA_FREE");

	*left = (size_t)(mib != NULL ? atol(mib) : 1000) << 20;
	*all = (size_t)1024 << 20;
	return fault("cudaMemGetInfo");
}

SHOWN cudaError_t
cudaMalloc(void **p, size_t n)
{
	*p = NULL;
	if (fault("cudaMalloc") == cudaSuccess)
		*p = malloc(n);
	return fault("cudaMalloc");
}

SHOWN cudaError_t
cudaFree(void *p)
{
	free(p);
	return cudaSuccess;
}

SHOWN cudaError_t
cudaFreeHost(void *p)
{
	free(p);
	return cudaSuccess;
}

SHOWN cudaError_t
cudaMemsetAsync(void *p, int value, size_t n, cudaStream_t s)
{
	(void)s;
	memset(p, value, n);
	return fault("cudaMemsetAsync");
}

SHOWN cudaError_t
cudaGetLastError(void)
{
	return cudaSuccess;
}

SHOWN cudaError_t
cudaPeekAtLastError(void)
{
	return cudaSuccess;
}

SHOWN cudnnStatus_t
cudnnCreate(cudnnHandle_t *h)
{
	const cudnnStatus_t rc = (cudnnStatus_t)fault("cudnnCreate");

	*h = rc == CUDNN_STATUS_SUCCESS ? malloc(1) : NULL;
	return rc;
}

SHOWN cudnnStatus_t
cudnnDestroy(cudnnHandle_t h)
{
	free(h);
	return CUDNN_STATUS_SUCCESS;
}

SHOWN cudnnStatus_t
cudnnSetStream(cudnnHandle_t h, cudaStream_t s)
{
	(void)h;
	(void)s;
	return CUDNN_STATUS_SUCCESS;
}
