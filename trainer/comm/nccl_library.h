/* Loads NCCL's library when GPUs first allreduce, so that the program starts
 * without it. nccl_library.c defines each function of NCCL that is used and
 * forwards it to the library.
 */
#ifndef TRAINER_COMM_NCCL_LIBRARY_H
#define TRAINER_COMM_NCCL_LIBRARY_H

#include "common/error.h"

/* Call it before any function of nccl.h.
 *
 * ERROR_SYSTEM: it cannot be loaded. */
int nccl_library_open(struct error *e);

#endif
