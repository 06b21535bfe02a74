/* Which GPU a process of a run computes on: --gpus=0,2 gives the processes of
 * each machine these GPUs, in their order; without it process k has GPU k.
 */
#ifndef TRAINER_RUN_OPTIONS_GPU_CHOICE_H
#define TRAINER_RUN_OPTIONS_GPU_CHOICE_H

#include "common/error.h"

enum { GPU_CHOICE_MAX = 64 }; /* on a machine; larger than any has */

/* Read a list of GPU numbers, "0,2".
 *
 * list  [GPU_CHOICE_MAX] set on success
 *
 * Returns how many; -1, ERROR_USAGE: no such list. */
int gpu_choice_parse(const char *text, int *list, struct error *e);

/* The GPU of a process.
 *
 * text         of --gpus, or NULL
 * rank, size   of the processes on this machine
 * each_own     0: processes may share a GPU; 1: they may not, and owner names
 *              who wants it so, for the message
 * gpu          set on success
 *
 * ERROR_USAGE, the same on all processes of the machine: no such list, its
 * length is not size, or a GPU twice. */
int gpu_choice_choose(const char *text, int rank, int size, int each_own,
    const char *owner, int *gpu, struct error *e);

#endif
