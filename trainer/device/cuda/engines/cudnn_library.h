/* cuDNN, loaded at run time before the first graph, so that the program starts
 * without it.
 */
#ifndef TRAINER_DEVICE_CUDA_ENGINES_CUDNN_LIBRARY_H
#define TRAINER_DEVICE_CUDA_ENGINES_CUDNN_LIBRARY_H

#include <cudnn.h>

#include "common/error.h"

/* cuDNN's functions, set by cudnn_library_open(). */
extern struct cudnn_calls {
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
} cudnn;

/* Load the library.
 *
 * ERROR_SYSTEM: it cannot be loaded or is incompatible. */
int cudnn_library_open(struct error *e);

#endif
