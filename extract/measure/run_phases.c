#include <config.h>

#include "extract/measure/run_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "common/units/units.h"

static const double gb_per_mbit = 1e6 / 8 / 1e9;

/* The median of the values of a key over the epochs, in the unit of the log;
 * times with units are in seconds. NAN if there are none. */
static double
median_metadata(const struct log *log, const char *key)
{
	double *x = xcalloc(log->n_metadata, sizeof *x), median;
	size_t n = 0;

	for (size_t i = 0; i < log->n_metadata; i++) {
		const char *value = log->metadata[i].value;

		if (strcmp(log->metadata[i].key, key) == 0 &&
		    duration_parse(value, strlen(value), &x[n]) == UNITS_OK &&
		    x[n] >= 0)
			n++;
	}
	median = n > 0 ? stats_median(x, n) : NAN;
	free(x);
	return median;
}

/* --- buckets -------------------------------------------------------------- */

static int
compare_buckets(const void *pa, const void *pb)
{
	const struct log_bucket *a = pa, *b = pb;

	return (a->bucket > b->bucket) - (a->bucket < b->bucket);
}

static int
compare_starts(const void *pa, const void *pb)
{
	const struct result_bucket *a = pa, *b = pb;

	return (a->start_s > b->start_s) - (a->start_s < b->start_s);
}

/* The median of one member over n buckets; NAN if one lacks it or the median is
 * negative, before the step. */
static double
median_member(const struct log_bucket *b, size_t n, size_t offset)
{
	double *x = xcalloc(n, sizeof *x), median;

	for (size_t i = 0; i < n; i++)
		memcpy(&x[i], (const char *)&b[i] + offset, sizeof *x);
	median = stats_median(x, n);
	free(x);
	return median >= 0 ? median : NAN;
}

static void
keep_buckets(const struct log *log, struct arena *a, struct result_run *run)
{
	struct log_bucket *all;

	if (log->n_buckets == 0 || log->split_buckets)
		return;
	all = xcalloc(log->n_buckets, sizeof *all);
	memcpy(all, log->buckets, log->n_buckets * sizeof *all);
	qsort(all, log->n_buckets, sizeof *all, compare_buckets);
	run->buckets = arena_calloc(a, log->n_buckets, sizeof *run->buckets);
	for (size_t i = 0, j; i < log->n_buckets; i = j) {
		const struct log_bucket *b = &all[i];

		for (j = i; j < log->n_buckets && all[j].bucket == b->bucket;)
			j++;
		run->buckets[run->n_buckets++] = (struct result_bucket){
			median_member(
			    b, j - i, offsetof(struct log_bucket, bytes)),
			median_member(
			    b, j - i, offsetof(struct log_bucket, ready_s)),
			median_member(
			    b, j - i, offsetof(struct log_bucket, start_s)),
			median_member(
			    b, j - i, offsetof(struct log_bucket, duration_s))
		};
	}
	free(all);
	qsort(
	    run->buckets, run->n_buckets, sizeof *run->buckets, compare_starts);
}

/* A phase in seconds, by the device's clock if the log has it, since the host
 * only queues work. */
static double
phase_s(const struct log *log, const char *device, const char *host)
{
	const double own = median_metadata(log, device);

	return (isnan(own) ? median_metadata(log, host) : own) / 1e3;
}

void
run_phases_keep(const struct log *log, struct arena *a, struct result_run *run)
{
	const double step = median_metadata(log, "phase_step_ms") / 1e3;

	run->phases = (struct result_phases){ step > 0 ? step : NAN,
		median_metadata(log, "phase_data_ms") / 1e3,
		median_metadata(log, "phase_busy_ms") / 1e3,
		median_metadata(log, "phase_exposed_ms") / 1e3,
		median_metadata(log, "phase_bytes"),
		median_metadata(log, "phase_allreduces"),
		phase_s(log, "device_to_device_ms", "phase_to_device_ms"),
		phase_s(log, "device_forward_ms", "phase_forward_ms"),
		phase_s(log, "device_loss_ms", "phase_loss_ms"),
		phase_s(log, "device_backward_ms", "phase_backward_ms"),
		phase_s(log, "device_update_ms", "phase_update_ms") };
	run->times = (struct result_times){ median_metadata(log, "real_time"),
		median_metadata(log, "user_time"),
		median_metadata(log, "sys_time") };
	run->network = (struct result_network){
		median_metadata(log, "received_mbit_per_s") * gb_per_mbit,
		median_metadata(log, "sent_mbit_per_s") * gb_per_mbit
	};
	keep_buckets(log, a, run);
}
