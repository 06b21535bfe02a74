/* The time as the training loop sees it: the machine's monotonic clock, or one
 * that goes on by a millisecond at each look (--clock=fake), so that a log is
 * the same bytes twice.
 *
 *	struct clock c;
 *	clock_init(&c, 0);
 *	const double start = clock_now(&c);
 */
#ifndef TRAINER_BASE_CLOCK_H
#define TRAINER_BASE_CLOCK_H

struct clock {
	int fake;
	long looks; /* how often the fake one was read */
};

/* A clock; fake is 0 or 1. */
void clock_init(struct clock *c, int fake);

/* Seconds since some moment; never goes back.  The fake clock belongs to one
 * thread. */
double clock_now(struct clock *c);

#endif
