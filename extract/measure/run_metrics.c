#include <config.h>

#include "extract/measure/measure_run.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <stdlib.h>

#include "common/program/options.h"
#include "common/alloc.h"
#include "common/stats/stats.h"
#include "common/units/units.h"

enum { MAX_METRICS = 16 };

/* Time stamps without a year are set in 1972, see stamp_parse. */
#define FIRST_DATED_S (10 * 365.25 * DAY_S)
#define DAY_S 86400.0
#define MINUTE_S 60.0

/* Share of the measured time that a power record must cover. */
#define MIN_COVERED 0.9

/* Operations per token and parameter: 2 forward, 4 backward (Kaplan et al.,
 * 2020). */
#define FLOP_PER_PARAMETER 6

/* Operations per token, layer, unit of width and token of the sequence: two
 * products of 2 operations forward, twice that backward (Chowdhery et al.,
 * "PaLM", 2022, appendix B). */
#define FLOP_OF_ATTENTION 12

/* Convention for the FLOP of each MFU. */
#define CONVENTION "; backward twice forward, recomputation not counted"

/* State passed between the functions below. */
struct metrics {
	const struct run_metrics_source *from;
	struct arena *arena;
	struct result_run *run;
};

static void
metrics_add(
    struct metrics *m, const char *name, double value, const char *source)
{
	const struct run_metric *known = run_metric_find(name);

	assert(known != NULL && m->run->n_metrics < MAX_METRICS);
	/* Omit NAN and values that result_parse would refuse. */
	if (fabs(value) <= RESULT_NUMBER_MAX)
		m->run->metrics[m->run->n_metrics++] =
		    (struct result_metric){ name, value, known->unit, source };
}

static const struct log_tail_value *
find_tail(const struct metrics *m, const char *key)
{
	const struct log *log = m->from->log;

	for (size_t i = 0; i < log->n_tail; i++)
		if (strcmp(log->tail[i].key, key) == 0)
			return &log->tail[i];
	return NULL;
}

enum tail { TAIL_MEAN, TAIL_MAX, TAIL_LAST };

/* Add the mean, the maximum or the last of the values on the last lines. A mean
 * or maximum of 0 is omitted: the program does not know the device (MFU) or
 * does not measure its memory. */
static void
add_printed(
    struct metrics *m, const char *key, const char *name, enum tail which)
{
	const struct log_tail_value *v = find_tail(m, key);

	if (v == NULL || (which != TAIL_LAST && !(v->max > 0)))
		return;
	if (which == TAIL_LAST)
		metrics_add(m, name, v->last,
		    arena_printf(
			m->arena, "log line %lld", (long long)v->last_line));
	else
		metrics_add(m, name,
		    which == TAIL_MAX ? v->max : v->sum / (double)v->n,
		    arena_printf(m->arena, "printed on log lines %lld-%lld",
			(long long)v->first_line, (long long)v->last_line));
}

/* Return an option, else a number of the log, else that of the model's card, or
 * NAN if all are unknown; set its origin. */
static double
stated_number(const struct metrics *m, double option, const char *option_name,
    const char *key, double card, const char **origin)
{
	const double logged = metadata_log_number(m->from->log, key);

	*origin = option > 0 ? option_name
	    : logged > 0     ? "of the log"
			     : "of the model's card";
	return option > 0 ? option : logged > 0 ? logged : card;
}

/* Operations to train on one token: 6 for each parameter (Kaplan et al.) and
 * 12 x layers x width x sequence length for attention, whose causal mask is not
 * taken off (Chowdhery et al., "PaLM", 2022, appendix B).
 *
 * Returns NAN, and leaves source unchanged, if the parameters are unknown. */
static double
flop_per_token(const struct metrics *m, const char **source)
{
	const struct rule *rule = m->from->rule;
	const struct language_model *card =
	    language_model_find(m->from->metadata->model);
	const double length = (double)m->from->metadata->sequence_length;
	const char *of_n, *of_layers, *of_width;
	const double n = stated_number(m, rule->parameters, "--parameters",
	    "parameters", card != NULL ? card->parameters : NAN, &of_n);
	const double layers = stated_number(m, rule->layers, "--layers",
	    "layers", card != NULL ? card->layers : NAN, &of_layers);
	const double width =
	    stated_number(m, rule->hidden_size, "--hidden-size", "hidden_size",
		card != NULL ? card->width : NAN, &of_width);

	if (isnan(n))
		return NAN;
	if (isnan(layers * width) || !(length > 0)) {
		*source = arena_printf(m->arena,
		    "6 N FLOP a token, N = %.0f %s; attention not counted "
		    "(%s unknown)",
		    n, of_n,
		    length > 0 ? "layers or hidden size" : "sequence length");
		return FLOP_PER_PARAMETER * n;
	}
	*source = arena_printf(m->arena,
	    "6 N + 12 L d s FLOP a token, N = %.0f %s, L = %.0f %s, d = %.0f "
	    "%s, s = %.0f; causal mask not taken off",
	    n, of_n, layers, of_layers, width, of_width, length);
	return FLOP_PER_PARAMETER * n +
	    FLOP_OF_ATTENTION * layers * width * length;
}

/* Operations per second of all devices, and their source: an option, tokens and
 * parameters, or the table of image networks. */
static double
total_flops(const struct metrics *m, const char **source)
{
	const struct run_metrics_source *from = m->from;
	const double size = metadata_log_number(from->log, "image_size");
	const double token = flop_per_token(m, source);
	double flop;
	int side = 0;

	if (from->rule->flop_per_sample > 0) {
		*source = "--flop-per-sample";
		return from->rule->flop_per_sample * from->samples_per_s;
	}
	if (isfinite(token * from->tokens_per_s))
		return token * from->tokens_per_s;
	/* Unknown if the log states another image size than the table. */
	flop = model_flop_per_image(from->metadata->model, &side);
	if (isnan(flop) || size < side || size > side)
		return NAN;
	*source = arena_printf(m->arena,
	    "6 x multiply-adds of torchvision's table, %d x %d%s", side, side,
	    isnan(size) ? " (assumed)" : "");
	return flop * from->samples_per_s;
}

/* Time of a log line in seconds since 1970, from its parsed stamp, else from
 * its text; NAN without date and time. */
static double
time_of_line(const struct metrics *m, long line)
{
	const double at = log_stamp_at(m->from->log, line);

	if (at >= FIRST_DATED_S)
		return at;
	return m->from->power->log_time(m->from->power->log, line);
}

/* True if a record does not cover the run. MLPerf's, in its own folder, must
 * cover the run's end. Others are outside if they end a day before the start in
 * the log, or start a day after its end, as time zones differ by less. */
static int
is_outside(const struct metrics *m, double end)
{
	const struct power_log *p = m->from->power;
	const struct result_session *session = &m->run->session;
	const char *started = session->started, *ended = session->ended;
	double from, to;

	if (p->of_nodes)
		return end < p->rows[0].at ||
		    end > p->rows[p->n - 1].at + MINUTE_S;
	if (started == NULL ||
	    stamp_parse(started, strlen(started), &from) != STAMP_DATE)
		return 0;
	if (ended == NULL ||
	    stamp_parse(ended, strlen(ended), &to) != STAMP_DATE)
		to = INFINITY;
	/* A record without times has NAN. */
	return p->rows[p->n - 1].at < from - DAY_S ||
	    p->rows[0].at > to + DAY_S;
}

/* Mean power per device recorded by a monitor, during the measured window if
 * log and record have times. Returns 0; -1 with the record's problem set. */
static int
recorded_power(struct metrics *m, double *watts, const char **source)
{
	struct power_log *p = m->from->power;
	const long gpus = m->from->metadata->gpus;
	const double from = time_of_line(m, m->run->first_line);
	const double to = time_of_line(m, m->run->last_line);
	/* NAN if either is unknown. */
	const double times = from + to + p->rows[0].at;
	const int by_time = !isnan(times) && !p->of_nodes;
	struct power_mean mean;

	if (p->of_nodes && gpus <= 0)
		p->problem = arena_printf(m->arena,
		    "%s: not used: it states the power of nodes, and the "
		    "number of devices is unknown",
		    p->name);
	else if (gpus > 0 && p->devices > gpus)
		p->problem = arena_printf(m->arena,
		    "%s: records %ld devices, but the run has %ld; record only "
		    "those of the run",
		    p->name, p->devices, gpus);
	else if (!by_time && !p->whole)
		p->problem = arena_printf(m->arena,
		    "%s: not used: %s states no times, so its log among those "
		    "of the folder is unknown; give it the name of the log",
		    p->name, isnan(p->rows[0].at) ? "it" : "the log");
	else if ((!by_time && is_outside(m, to)) ||
	    power_log_mean(
		p, by_time ? from : NAN, by_time ? to : NAN, &mean) != 0 ||
	    mean.covered < MIN_COVERED)
		p->problem = arena_printf(m->arena,
		    "%s: does not cover the time in which the run was measured "
		    "(another clock or time zone?)",
		    p->name);
	if (p->problem != NULL)
		return -1;
	*watts = mean.watts;
	if (p->of_nodes)
		*watts = (mean.watts * (double)p->devices + p->switches_w) /
		    (double)gpus;
	*source = arena_printf(m->arena, "%s lines %lld-%lld%s, %s", p->name,
	    (long long)mean.first_line, (long long)mean.last_line,
	    p->devices > 0 ? arena_printf(m->arena, ", of %ld %s", p->devices,
				 p->of_nodes ? "nodes" : "devices")
			   : "",
	    by_time
		? arena_printf(m->arena, "while log lines %ld-%ld were printed",
		      m->run->first_line, m->run->last_line)
		: "start and end of the run included");
	return 0;
}

void
run_metrics_keep(const struct run_metrics_source *from, struct arena *a,
    struct result_run *run)
{
	struct metrics m = { .from = from, .arena = a, .run = run };
	const struct metadata *f = from->metadata;
	const struct result_phases *p = &run->phases;
	const struct log_tail_value *v;
	const int given = from->rule->peak_tflops > 0;
	const char *source = NULL, *name = "--peak-tflops";
	const double tflops = total_flops(&m, &source) / (double)f->gpus / 1e12;
	const double peak = given
	    ? from->rule->peak_tflops
	    : device_peak_tflops(f->device, f->precision, &name);
	double watts = NAN;

	run->metrics = arena_calloc(a, MAX_METRICS, sizeof *run->metrics);
	add_printed(&m, "mfu", "mfu_printed", TAIL_MEAN);
	add_printed(&m, "hfu", "hfu_printed", TAIL_MEAN);
	add_printed(
	    &m, "tflops_per_device", "tflops_per_device_printed", TAIL_MEAN);
	/* The operations of a device, and the model FLOP utilization (MFU;
	 * Chowdhery et al., "PaLM", 2022, appendix B). */
	if (isfinite(tflops) && f->gpus >= 1) {
		metrics_add(&m, "tflops_per_device", tflops, source);
		if (isfinite(peak))
			metrics_add(&m, "mfu", 100 * tflops / peak,
			    arena_printf(a, "%s%s, of %g TFLOP/s (%s%s%s)",
				source,
				from->rule->flop_per_sample > 0 ? ""
								: CONVENTION,
				peak, name, given ? "" : ", ",
				given ? "" : f->precision));
	}
	add_printed(&m, "memory_gib", "peak_memory", TAIL_MAX);
	/* Power printed by the log takes precedence over a record next to
	 * it. */
	v = find_tail(&m, "power_w");
	if (v != NULL) {
		watts = v->sum / (double)v->n;
		add_printed(&m, "power_w", "power_per_device", TAIL_MEAN);
	} else if (from->power != NULL &&
	    recorded_power(&m, &watts, &source) == 0) {
		metrics_add(&m, "power_per_device", watts, source);
	}
	/* Without power it is NAN, and omitted. */
	if (f->gpus > 0 && isfinite(from->samples_per_s))
		metrics_add(&m, "energy_per_sample",
		    watts * (double)f->gpus / from->samples_per_s,
		    "power_per_device x devices / throughput");
	v = find_tail(&m, "data_s");
	/* The share of a step spent waiting for data. */
	if (isfinite(p->data_s) && p->step_s > 0)
		metrics_add(
		    &m, "data_share", 100 * p->data_s / p->step_s, "phases");
	else if (v != NULL && run->step_s > 0)
		metrics_add(&m, "data_share",
		    100 * v->sum / (double)v->n / run->step_s,
		    arena_printf(a, "data time on log lines %lld-%lld / step_s",
			(long long)v->first_line, (long long)v->last_line));
	add_printed(&m, "loss", "final_loss", TAIL_LAST);
	add_printed(&m, "top1", "final_top1", TAIL_LAST);
	add_printed(&m, "val_loss", "final_val_loss", TAIL_LAST);
	add_printed(&m, "val_top1", "final_val_top1", TAIL_LAST);
}

int
run_metrics_promote(const struct rule *rule, struct arena *a,
    struct result_run *run, const char **unit, struct exclusion *x)
{
	const struct run_metric *metric = rule->figure;
	const struct result_metric *m;
	const char *list = NULL; /* of the run's metrics */

	if (metric == NULL)
		return 0;
	m = run_metric_of(run, metric->name);
	for (size_t i = 0; i < run->n_metrics && m == NULL; i++)
		list = arena_printf(a, "%s%s%s", i > 0 ? list : "",
		    i > 0 ? ", " : "", run->metrics[i].name);
	if (m == NULL)
		return exclude(x,
		    REMARK(REMARK_NO_METRIC, remark_name(metric->name),
			remark_name(list),
			remark_name(strcmp(metric->name, "mfu") == 0
				? "--peak-tflops=N and the model, "
				  "--flop-per-sample=N or --parameters=N give "
				  "it"
				: NULL)));
	if (!(m->value > 0) || m->value > RESULT_NUMBER_MAX)
		return exclude(x,
		    REMARK(REMARK_BAD_METRIC, remark_name(metric->name),
			remark_number(m->value)));
	run->value = m->value;
	run->samples_per_s = NAN;
	run->rounding = (struct result_rounding){ NAN, NAN };
	run->audit.half_width = NAN; /* known of the throughput only */
	*unit = metric->unit;
	return 0;
}

/* --- Phases, times, network, buckets --------------------------------------*/

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

/* The median; NAN if a value is NAN, or if it is before the step's start. */
static double
median_from_start(double *x, size_t n)
{
	const double median = stats_median(x, n);

	return median >= 0 ? median : NAN;
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
	const size_t n = log->n_buckets;
	struct log_bucket *all;
	double *x;

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
	if (n == 0 || log->split_buckets)
		return;
	all = xcalloc(n, sizeof *all);
	x = xcalloc(4 * n, sizeof *x);
	memcpy(all, log->buckets, n * sizeof *all);
	qsort(all, n, sizeof *all, compare_buckets);
	run->buckets = arena_calloc(a, n, sizeof *run->buckets);
	for (size_t i = 0, j; i < n; i = j) {
		size_t k = 0;

		for (j = i; j < n && all[j].bucket == all[i].bucket; j++, k++) {
			x[k] = all[j].bytes;
			x[n + k] = all[j].ready_s;
			x[2 * n + k] = all[j].start_s;
			x[3 * n + k] = all[j].duration_s;
		}
		run->buckets[run->n_buckets++] =
		    (struct result_bucket){ median_from_start(x, k),
			    median_from_start(x + n, k),
			    median_from_start(x + 2 * n, k),
			    median_from_start(x + 3 * n, k) };
	}
	free(all);
	free(x);
	qsort(
	    run->buckets, run->n_buckets, sizeof *run->buckets, compare_starts);
}
