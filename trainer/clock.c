#include <config.h>

#include "trainer/clock.h"

#include <time.h>

void
clock_init(struct clock *c, int fake)
{
	c->fake = fake;
	c->looks = 0;
}

double
clock_now(struct clock *c)
{
	struct timespec t;

	if (c->fake)
		return (double)c->looks++ * 1e-3;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
