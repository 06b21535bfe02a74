/* State of this process and its machine from /proc: the memory and cores that
 * the process may use, the time that its threads waited for a core, and the
 * boot ID.
 *
 * Control groups (version 1 or 2), which containers, Slurm and run_on_nodes
 * make, limit both: the limits of the process's group and of all groups above
 * it apply. */
#ifndef TRAINER_BASE_HOST_STATE_H
#define TRAINER_BASE_HOST_STATE_H

#include "common/alloc.h"

/* The file that lists the process's control groups and the folder where all are
 * mounted: arguments groups and root of the functions below. */
#define CONTROL_GROUPS_FILE "/proc/self/cgroup"
#define CONTROL_GROUPS_ROOT "/sys/fs/cgroup"

/* The lowest CPU quota of the process's groups, in cores; 0: no quota, or it
 * cannot be read. */
double core_quota(const char *groups, const char *root);

/* Bytes that this process can still allocate: the minimum of
 *
 * - the machine's available memory ("MemAvailable", proc(5)) and the memory
 *   that the limits of its control groups leave, both divided by the number of
 *   processes that share it;
 * - the memory that its own limits of address space and data leave
 *   (ulimit -v, -d).
 *
 * sharers  processes that will allocate as much, including this one; >= 1
 *
 * Returns 0 if nothing is known. */
double free_memory_bytes(int sharers, const char *groups, const char *root);

/* Add the boot ID, which is unique to this boot of this machine and shared by
 * its containers. Adds nothing if it cannot be read. */
void boot_id_add(struct strbuf *sb);

#define CORE_WAIT_TASKS "/proc/self/task"

struct core_wait {
	double ran_s, waited_s; /* sums over all existing threads */
	double at_s;            /* monotonic clock at the reading */
};

/* Read how long the threads ran and how long they waited for a core
 * (/proc/PID/task/TID/schedstat); 0 if the kernel does not report it.
 *
 * tasks  CORE_WAIT_TASKS */
void core_wait_read(const char *tasks, struct core_wait *w);

/* The share of the runnable time in which the threads ran: 0 < share <= 1; 1 if
 * unknown. Waiting for each other counts as running, since the threads have the
 * cores.
 *
 * cores  number that the threads may use at once; > 0 */
double core_wait_share(const struct core_wait *before,
    const struct core_wait *after, double cores);

/* Times of this process so far, as time(1) prints them. */
struct process_times {
	double real_s;        /* age, to 0.01 s; 0: not known */
	double user_s, sys_s; /* summed over threads */
};
struct process_times process_times_read(void);

#endif
