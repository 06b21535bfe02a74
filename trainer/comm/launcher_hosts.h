/* On which machine a rank was to run, from what the launcher states of the
 * others: for naming the host of a rank that never came. */
#ifndef TRAINER_COMM_LAUNCHER_HOSTS_H
#define TRAINER_COMM_LAUNCHER_HOSTS_H

#include <stddef.h>

#include "trainer/comm/launcher_env.h"

/* Host number k, from 0, of a list as Slurm writes it: names separated by
 * commas, with numbers and ranges of them in brackets
 * ("gpu[01-03,7],login", also several brackets in a name).
 *
 * host  [size] gets it; cut if it does not fit
 *
 * Returns 0, or -1: the list is shorter, or none. */
int host_list_nth(const char *list, long k, char *host, size_t size);

/* The host of a rank by the launcher's nodes and tasks on each ("2(x3),1"), if
 * ranks are dealt out in blocks.
 *
 * host  [size] gets it; cut if it does not fit
 *
 * Returns 0, or -1: the launcher does not state it. */
int launcher_host_of_rank(
    const struct launcher *l, long rank, char *host, size_t size);

#endif
