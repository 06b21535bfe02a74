/* cuDNN's library, which is loaded when a graph is to be made: the program
 * starts without it.  cudnn_library.c has functions of cuDNN's own names, which
 * go on to those of the library; another that is called needs one there.
 */
#ifndef TRAINER_DEVICE_CUDA_ENGINES_CUDNN_LIBRARY_H
#define TRAINER_DEVICE_CUDA_ENGINES_CUDNN_LIBRARY_H

#include "common/error.h"

/* To be called before any function of cudnn.h.
 *
 * ERROR_SYSTEM: it cannot be loaded, or is one that this program cannot work
 * with. */
int cudnn_library_open(struct error *e);

#endif
