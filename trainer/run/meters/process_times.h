/* What time(1) would print of this process.
 */
#ifndef TRAINER_RUN_METERS_PROCESS_TIMES_H
#define TRAINER_RUN_METERS_PROCESS_TIMES_H

struct process_times {
	double real_s;        /* since the process began, to a hundredth; 0: the
	                  system does not report it */
	double user_s, sys_s; /* of all its threads */
};

/* Until now. */
struct process_times process_times_read(void);

#endif
