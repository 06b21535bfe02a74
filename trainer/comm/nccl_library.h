/* NCCL's library, which is loaded when GPUs are to allreduce: the program
 * starts without it. nccl_library.c has functions of NCCL's own names, which go
 * on to those of the library; another that is called needs one there.
 */
#ifndef TRAINER_COMM_NCCL_LIBRARY_H
#define TRAINER_COMM_NCCL_LIBRARY_H

#include "common/error.h"

/* To be called before any function of nccl.h.
 *
 * ERROR_SYSTEM: it cannot be loaded. */
int nccl_library_open(struct error *e);

#endif
