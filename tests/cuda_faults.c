/* Fake CUDA and cuDNN that need no GPU, linked into the trainer in place of the
 * real ones: enough to find a GPU, allocate memory on it and have a fault
 * reported.
 *
 *	CUDA_FAULT=cudaMalloc:2 tests/train_cuda_faults --device=cuda --dummy
 *
 * makes the function always return the error with that number. CUDA_FREE is the
 * free memory of the GPU in MiB; the default is 1000. */
#include <config.h>

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trainer/device/cuda/engines/cudnn_graph.h"

/* The error that CUDA_FAULT requests for a function. */
static cudaError_t
fault(const char *name)
{
	const char *wanted = getenv("CUDA_FAULT");
	const size_t n = strlen(name);

	if (wanted == NULL || strncmp(wanted, name, n) != 0 || wanted[n] != ':')
		return cudaSuccess;
	return (cudaError_t)strtol(wanted + n + 1, NULL, 10);
}

cudaError_t
cudaDriverGetVersion(int *version)
{
	const cudaError_t rc = fault("cudaDriverGetVersion");

	*version = rc == cudaSuccess ? 13000 : 0;
	return rc;
}

cudaError_t
cudaGetDeviceCount(int *n)
{
	*n = 1;
	return fault("cudaGetDeviceCount");
}

cudaError_t
cudaSetDevice(int device)
{
	(void)device;
	return fault("cudaSetDevice");
}

cudaError_t
cudaGetDevice(int *device)
{
	*device = 0;
	return fault("cudaGetDevice");
}

static cudnnStatus_t
faulty_create(cudnnHandle_t *h)
{
	const cudnnStatus_t rc = (cudnnStatus_t)fault("cudnnCreate");

	*h = rc == CUDNN_STATUS_SUCCESS ? malloc(1) : NULL;
	return rc;
}

static cudnnStatus_t
faulty_destroy(cudnnHandle_t h)
{
	free(h);
	return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t
faulty_set_stream(cudnnHandle_t h, cudaStream_t s)
{
	(void)h;
	(void)s;
	return CUDNN_STATUS_SUCCESS;
}

/* Replace functions of cuDNN as well, which is loaded by now. */
cudaError_t
cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
	const char *capability = getenv("CUDA_CAPABILITY");

	(void)device;
	memset(p, 0, sizeof *p);
	snprintf(p->name, sizeof p->name, "Pretended GPU");
	p->major = capability != NULL ? (int)strtol(capability, NULL, 10) : 9;
	p->multiProcessorCount = 1;
	cudnn.create = faulty_create;
	cudnn.destroy = faulty_destroy;
	cudnn.set_stream = faulty_set_stream;
	return fault("cudaGetDeviceProperties");
}

cudaError_t
cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *function)
{
	(void)function;
	memset(a, 0, sizeof *a);
	return fault("cudaFuncGetAttributes");
}

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags)
{
	(void)flags;
	*s = NULL;
	return fault("cudaStreamCreateWithFlags");
}

cudaError_t
cudaMemGetInfo(size_t *left, size_t *all)
{
	const char *mib = getenv("CUDA_FREE");

	*left = (size_t)(mib != NULL ? strtol(mib, NULL, 10) : 1000) << 20;
	*all = (size_t)1024 << 20;
	return fault("cudaMemGetInfo");
}

cudaError_t
cudaMalloc(void **p, size_t n)
{
	*p = NULL;
	if (fault("cudaMalloc") == cudaSuccess)
		*p = malloc(n);
	return fault("cudaMalloc");
}

cudaError_t
cudaFree(void *p)
{
	free(p);
	return cudaSuccess;
}

cudaError_t
cudaFreeHost(void *p)
{
	free(p);
	return cudaSuccess;
}

cudaError_t
cudaMemsetAsync(void *p, int value, size_t n, cudaStream_t s)
{
	(void)s;
	memset(p, value, n);
	return fault("cudaMemsetAsync");
}

cudaError_t
cudaGetLastError(void)
{
	return cudaSuccess;
}

cudaError_t
cudaPeekAtLastError(void)
{
	return cudaSuccess;
}
