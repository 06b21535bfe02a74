#include <config.h>

#include "common/series/quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/stats/stats.h"

#define ROW(quantity, head, of, member, is_rate, shown) \
	[QUANTITY_##quantity] = { head, #member, \
		offsetof(struct result_run, of.member), is_rate, \
		MESSAGE_##shown }

const struct quantity_row quantity_rows[N_QUANTITIES] = {
	ROW(REAL, "real", times, real_s, 0, REAL),
	ROW(USER, "user", times, user_s, 0, USER),
	ROW(SYS, "sys", times, sys_s, 0, SYS),
	ROW(STEP, "step", phases, step_s, 0, MEAN_STEP),
	ROW(DATA, "data", phases, data_s, 0, PHASE_DATA),
	ROW(TO_DEVICE, "to device", phases, to_device_s, 0, PHASE_TO_DEVICE),
	ROW(FORWARD, "forward", phases, forward_s, 0, PHASE_FORWARD),
	ROW(LOSS, "loss", phases, loss_s, 0, PHASE_LOSS),
	ROW(BACKWARD, "backward", phases, backward_s, 0, PHASE_BACKWARD),
	ROW(UPDATE, "update", phases, update_s, 0, PHASE_UPDATE),
	ROW(BUSY, "allreduce", phases, busy_s, 0, PHASE_ALLREDUCE),
	ROW(EXPOSED, "exposed", phases, exposed_s, 0, PHASE_EXPOSED),
	ROW(RECEIVED, "receiving", network, received_gb_per_s, 1, RECEIVING),
	ROW(SENT, "sending", network, sent_gb_per_s, 1, SENDING),
};

enum quantity
quantity_find(const char *head, size_t len)
{
	int q = 0;

	while (q < N_QUANTITIES &&
	    (strlen(quantity_rows[q].head) != len ||
		strncasecmp(quantity_rows[q].head, head, len) != 0))
		q++;
	return (enum quantity)q;
}

double
quantity_of_case(const struct result_case *c, enum quantity q)
{
	double *x = xcalloc(c->n_runs + 1, sizeof *x), median;

	for (size_t i = 0; i < c->n_runs; i++)
		memcpy(&x[i],
		    (const char *)&c->runs[i] + quantity_rows[q].offset,
		    sizeof *x);
	median = stats_median_known(x, c->n_runs);
	free(x);
	return median;
}

char *
quantity_bit_rate(char buf[QUANTITY_TEXT_SIZE], double gb_per_s)
{
	const double bits = 8e9 * gb_per_s;

	if (bits >= 1e9)
		snprintf(buf, QUANTITY_TEXT_SIZE, "%.2fGb/s", bits / 1e9);
	else if (bits >= 1e6)
		snprintf(buf, QUANTITY_TEXT_SIZE, "%.1fMb/s", bits / 1e6);
	else
		snprintf(buf, QUANTITY_TEXT_SIZE, "%.1fKb/s", bits / 1e3);
	return buf;
}

char *
quantity_clock(char buf[QUANTITY_TEXT_SIZE], double seconds)
{
	/* Round first, so that 59.9996 s is 1m0.000s. */
	const double ms = floor(1e3 * seconds + 0.5);
	const double minutes = floor(ms / 60e3);

	snprintf(buf, QUANTITY_TEXT_SIZE, "%.0fm%.3fs", minutes,
	    (ms - 60e3 * minutes) / 1e3);
	return buf;
}
