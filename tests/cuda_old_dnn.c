/* A cuDNN that cannot be used: with -Dold too old a version, with -Dlone one
 * whose cuBLASLt is nowhere, with -Dpoor one that has no other function. */
#include <config.h>

#include <stddef.h>

size_t cudnnGetVersion(void);

size_t
cudnnGetVersion(void)
{
#ifdef old
	return 90100;
#else
	return 92000;
#endif
}

#ifndef poor
size_t cudnnGetCudartVersion(void);

size_t
cudnnGetCudartVersion(void)
{
	return 99020;
}

/* They are looked for, and never called. */
#define THERE(name) \
	void name(void); \
	void name(void) \
	{ \
	}
THERE(cudnnGetErrorString)
THERE(cudnnGetLastErrorString)
THERE(cudnnCreate)
THERE(cudnnDestroy)
THERE(cudnnSetStream)
THERE(cudnnBackendCreateDescriptor)
THERE(cudnnBackendDestroyDescriptor)
THERE(cudnnBackendSetAttribute)
THERE(cudnnBackendGetAttribute)
THERE(cudnnBackendFinalize)
THERE(cudnnBackendExecute)
#endif
