/* What Linux states of this process and its machine: the memory and the cores
 * that the process may use, the time that its threads waited for a core, and
 * the boot of the machine.
 *
 * Control groups (version 1 or 2), which containers, Slurm and run_on_nodes
 * make, limit both: a limit of the process's group or of any above it holds. */
#ifndef TRAINER_BASE_HOST_STATE_H
#define TRAINER_BASE_HOST_STATE_H

#include "common/strbuf.h"

/* The process's control groups, and where all are mounted: the arguments groups
 * and root of the functions below. */
#define CONTROL_GROUPS_FILE "/proc/self/cgroup"
#define CONTROL_GROUPS_ROOT "/sys/fs/cgroup"

/* The least quota of time of the process's groups, in cores; 0: there is none,
 * or it cannot be read. */
double core_quota(const char *groups, const char *root);

/* Bytes that this process can still have: the least of
 *
 * - what the machine has available ("MemAvailable", proc(5)), and what the
 *   memory limits of its control groups leave, both divided by the processes
 *   that share it;
 * - what its own limits of address space and data leave (ulimit -v, -d).
 *
 * sharers  processes that will take as much, this one included, >= 1
 *
 * Returns 0 if nothing is known. */
double free_memory_bytes(int sharers, const char *groups, const char *root);

/* Add the name of this boot of the machine, which no other boot and no other
 * machine has, and which containers share; nothing where it cannot be read. */
void boot_id_add(struct strbuf *sb);

#define CORE_WAIT_TASKS "/proc/self/task"

struct core_wait {
	double ran_s, waited_s; /* of all threads that exist */
	double at_s;            /* of the monotonic clock, when it was read */
};

/* Read how long the threads had a core and how long they waited for one that
 * other threads had (/proc/PID/task/TID/schedstat); 0 where the kernel does not
 * state it.
 *
 * tasks  CORE_WAIT_TASKS */
void core_wait_read(const char *tasks, struct core_wait *w);

/* The part of the time in which the threads could have run in which they did:
 * 0 < share <= 1; 1 where nothing is known.  Threads that wait for each other
 * count as if they ran, since they have the cores.
 *
 * cores  that the threads may use at once; > 0 */
double core_wait_share(const struct core_wait *before,
    const struct core_wait *after, double cores);

/* What time(1) would print of this process so far. */
struct process_times {
	double real_s;        /* since the process began, to a hundredth; 0: the
	                         system does not report it */
	double user_s, sys_s; /* of all its threads */
};
struct process_times process_times_read(void);

#endif
