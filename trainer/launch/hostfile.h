/* The hosts of a hostfile of mpirun's: the first word of each line, but for
 * comments, which # begins.
 */
#ifndef TRAINER_LAUNCH_HOSTFILE_H
#define TRAINER_LAUNCH_HOSTFILE_H

#include <stddef.h>

/* The first host, where rank 0 is: "gpu1 slots=8" and "gpu1:8" (MPICH's) are
 * gpu1.  A name of this machine's loopback, which would be another machine on
 * each, becomes the machine's own name.
 *
 * host  [size] gets it, on success only
 *
 * Returns 0, or -1: the file cannot be read, names none, or one too long. */
int hostfile_first(const char *path, char *host, size_t size);

#endif
