/* Loads NCCL's library when GPUs are to allreduce, so that the program starts
 * without it. nccl_library.c defines a function for each function of NCCL that
 * is used, which calls that of the library.
 */
#ifndef TRAINER_COMM_NCCL_LIBRARY_H
#define TRAINER_COMM_NCCL_LIBRARY_H

#include "common/error.h"

/* To be called before any function of nccl.h.
 *
 * ERROR_SYSTEM: it cannot be loaded. */
int nccl_library_open(struct error *e);

#endif
