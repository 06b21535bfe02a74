/* The clock of the training loop, and time by phase. */
#include <config.h>

#include "trainer/run/meters/phases.h"

#include <string.h>

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

void
phases_start(struct phases *p, struct clock *clock)
{
	memset(p, 0, sizeof *p);
	p->clock = clock;
	p->last = clock_now(clock);
}

double
phases_end(struct phases *p, enum phase k)
{
	const double now = clock_now(p->clock);
	const double seconds = now - p->last;

	p->seconds[k] += seconds;
	p->last = now;
	return seconds;
}

double
phases_total(const struct phases *p)
{
	double sum = 0;

	for (int i = 0; i < N_PHASES; i++)
		sum += p->seconds[i];
	return sum;
}

static void
print_phase(const char *name, double seconds, long n, struct strbuf *sb)
{
	strbuf_printf(sb, " %s_ms=%.3f", name, 1e3 * seconds / (double)n);
}

void
phases_show(const struct phases *p, long n, struct strbuf *sb)
{
	const double *s = p->seconds;

	print_phase("step", phases_total(p), n, sb);
	print_phase("data", s[PHASE_DATA], n, sb);
	print_phase("to_device", s[PHASE_TO_DEVICE], n, sb);
	print_phase("forward", s[PHASE_FORWARD], n, sb);
	print_phase("loss", s[PHASE_LOSS], n, sb);
	print_phase("backward", s[PHASE_BACKWARD], n, sb);
	print_phase("update", s[PHASE_ALLREDUCE] + s[PHASE_STEP], n, sb);
	print_phase("other", s[PHASE_OTHER], n, sb);
	print_phase("update_allreduce", s[PHASE_ALLREDUCE], n, sb);
	print_phase("update_step", s[PHASE_STEP], n, sb);
}
