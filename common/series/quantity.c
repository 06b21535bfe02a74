#include <config.h>

#include "common/series/quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/stats/stats.h"

#define AT(member) offsetof(struct result_run, member)

const struct quantity_row quantity_rows[N_QUANTITIES] = {
	[QUANTITY_REAL] = { "real", "real_s", AT(times.real_s), 0,
	    MESSAGE_REAL },
	[QUANTITY_USER] = { "user", "user_s", AT(times.user_s), 0,
	    MESSAGE_USER },
	[QUANTITY_SYS] = { "sys", "sys_s", AT(times.sys_s), 0, MESSAGE_SYS },
	[QUANTITY_STEP] = { "step", "step_s", AT(phases.step_s), 0,
	    MESSAGE_MEAN_STEP },
	[QUANTITY_DATA] = { "data", "data_s", AT(phases.data_s), 0,
	    MESSAGE_PHASE_DATA },
	[QUANTITY_TO_DEVICE] = { "to device", "to_device_s",
	    AT(phases.to_device_s), 0, MESSAGE_PHASE_TO_DEVICE },
	[QUANTITY_FORWARD] = { "forward", "forward_s", AT(phases.forward_s), 0,
	    MESSAGE_PHASE_FORWARD },
	[QUANTITY_LOSS] = { "loss", "loss_s", AT(phases.loss_s), 0,
	    MESSAGE_PHASE_LOSS },
	[QUANTITY_BACKWARD] = { "backward", "backward_s", AT(phases.backward_s),
	    0, MESSAGE_PHASE_BACKWARD },
	[QUANTITY_UPDATE] = { "update", "update_s", AT(phases.update_s), 0,
	    MESSAGE_PHASE_UPDATE },
	[QUANTITY_BUSY] = { "allreduce", "busy_s", AT(phases.busy_s), 0,
	    MESSAGE_PHASE_ALLREDUCE },
	[QUANTITY_EXPOSED] = { "exposed", "exposed_s", AT(phases.exposed_s), 0,
	    MESSAGE_PHASE_EXPOSED },
	[QUANTITY_RECEIVED] = { "receiving", "received_gb_per_s",
	    AT(network.received_gb_per_s), 1, MESSAGE_RECEIVING },
	[QUANTITY_SENT] = { "sending", "sent_gb_per_s",
	    AT(network.sent_gb_per_s), 1, MESSAGE_SENDING },
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
