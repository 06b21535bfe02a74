/* How long threads of this process had a core, and how long they waited for one
 * that other threads had, as Linux counts it (/proc/PID/task/TID/schedstat).
 *
 *	core_wait_read(CORE_WAIT_TASKS, &before);
 *	...
 *	core_wait_read(CORE_WAIT_TASKS, &after);
 *	share = core_wait_share(&before, &after, cores);
 */
#ifndef TRAINER_BASE_CORE_WAIT_H
#define TRAINER_BASE_CORE_WAIT_H

#define CORE_WAIT_TASKS "/proc/self/task"

struct core_wait {
	double ran_s, waited_s; /* of all threads that there are */
	double at_s;            /* of the monotonic clock, when it was read */
};

/* Read both; 0 where the kernel does not state them.
 *
 * tasks  CORE_WAIT_TASKS */
void core_wait_read(const char *tasks, struct core_wait *w);

/* Of the time in which threads could have run, the part in which they did: 0 <
 * share <= 1; 1 where nothing is known.  Threads that wait for each other have
 * the cores, and so count as if they ran.
 *
 * cores  as many as the threads may use at once; > 0 */
double core_wait_share(const struct core_wait *before,
    const struct core_wait *after, double cores);

#endif
