/* A cuDNN that cannot be used: with -Dold its version is too old, with -Dlone
 * it has no cuBLASLt, with -Dpoor it has no other function. */
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

/* These are looked up but never called. */
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
