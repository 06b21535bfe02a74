/* A cuDNN that cannot be used: with -Dold too old a version, with -Dpoor one
 * that has no other function. */
#include <config.h>

#include <stddef.h>

size_t cudnnGetVersion(void);

size_t
cudnnGetVersion(void)
{
	return 90100;
}

#ifdef old
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
