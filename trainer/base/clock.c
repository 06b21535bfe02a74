/* The clock of the training loop, real or fake. Everything that measures asks
 * it; it knows no phases. */
#include <config.h>

#include "trainer/base/clock.h"

#include "common/process.h"

void
clock_init(struct clock *c, int fake)
{
	c->fake = fake;
	c->looks = 0;
}

double
clock_now(struct clock *c)
{
	return c->fake ? (double)c->looks++ * 1e-3 : seconds_now();
}
