#include <config.h>

#include "common/series/metric_choice.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/stats/rank_test.h"
#include "common/stats/stats.h"
#include "common/strbuf.h"

/* Recompute the statistics of a case from the new values of its runs, and drop
 * its speedup. */
static void
restate_case(struct result_case *c, double confidence)
{
	double *v = xcalloc(c->n_runs, sizeof *v);
	struct interval in = { NAN, NAN, NAN, 0 };

	for (size_t i = 0; i < c->n_runs; i++)
		v[i] = c->runs[i].value;
	c->n = (long)c->n_runs;
	c->median_speed = stats_median(v, c->n_runs);
	c->average_speed = stats_mean(v, c->n_runs);
	c->harmonic_speed = stats_harmonic_mean(v, c->n_runs);
	c->olympic_speed = stats_olympic_mean(v, c->n_runs);
	if (rank_test_median(v, c->n_runs, confidence, &in, NULL) != 0)
		in.low = in.high = in.level = NAN;
	c->median_low = in.low;
	c->median_high = in.high;
	c->median_level = in.level;
	free(v);
	result_case_clear_speedup(c);
}

/* Keep the runs that have the metric. Returns the number of others. */
static size_t
restate_runs(struct result_case *c, const struct run_metric *metric)
{
	const size_t all = c->n_runs;

	c->n_runs = 0;
	c->unit = metric->unit;
	for (size_t i = 0; i < all; i++) {
		struct result_run run = c->runs[i];
		const struct result_metric *m =
		    run_metric_of(&run, metric->name);

		if (m == NULL || !(m->value > 0))
			continue;
		run.value = m->value;
		run.samples_per_s = NAN;
		run.rounding = (struct result_rounding){ NAN, NAN };
		/* The half width from the steps is that of the old value. */
		run.audit.half_width = NAN;
		c->runs[c->n_runs++] = run;
	}
	return all - c->n_runs;
}

/* True if a run of the result has the metric and it is above least. */
static int
has_metric(const struct result *r, const char *name, double least)
{
	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t k = 0; k < r->cases[i].n_runs; k++) {
			const struct result_metric *m =
			    run_metric_of(&r->cases[i].runs[k], name);

			if (m != NULL && m->value > least)
				return 1;
		}
	return 0;
}

/* Report that no run has the metric, and which metrics they have. Returns
 * -1. */
static int
no_run_has(const struct result_file *s, const struct run_metric *metric,
    struct error *e)
{
	struct strbuf sb;

	strbuf_init(&sb, 1024);
	for (const struct run_metric *m = run_metrics; m->name != NULL; m++)
		if (has_metric(&s->result, m->name, -INFINITY))
			strbuf_printf(
			    &sb, "%s%s", sb.len > 0 ? ", " : "", m->name);
	error_set(e, ERROR_EMPTY,
	    "%s: --metric=%s: not stated by any run; "
	    "%s%s",
	    s->path, metric->name, sb.len > 0 ? "there are " : "nor any other",
	    sb.buf);
	strbuf_release(&sb);
	return -1;
}

static int
choose_of_file(
    struct result_file *s, const struct run_metric *metric, struct error *e)
{
	struct result *r = &s->result;
	size_t dropped = 0, kept = 0;

	if (s->texts != NULL)
		return error_set(e, ERROR_INPUT,
		    "%s: --metric=%s: published values have no runs", s->path,
		    metric->name);
	if (!has_metric(r, metric->name, 0))
		return no_run_has(s, metric, e);
	for (size_t i = 0; i < r->n_cases; i++) {
		struct result_case *c = &r->cases[i];

		dropped += restate_runs(c, metric);
		if (c->n_runs == 0)
			continue;
		restate_case(c, r->rule.confidence);
		r->cases[kept++] = *c;
	}
	r->n_cases = kept;
	r->rule.metric = metric->name;
	if (dropped > 0)
		result_file_remark(s,
		    arena_printf(&r->arena,
			"%s: %zu run%s without %s %s left out", s->path,
			dropped, dropped == 1 ? "" : "s", metric->name,
			dropped == 1 ? "is" : "are"));
	return 0;
}

int
metric_choice_apply(struct result_set *l, const char *name, struct error *e)
{
	const struct run_metric *metric = run_metric_find(name);

	for (size_t i = 0; name != NULL && i < l->n; i++) {
		struct result_file *s = &l->items[i];
		const char *measured = s->result.rule.metric;
		int is_speed;

		if (measured == NULL)
			measured = "throughput";
		is_speed = strcmp(measured, "throughput") == 0;
		if (strcmp(measured, name) == 0)
			continue;
		if (metric == NULL || (!is_speed && s->texts == NULL))
			return error_set(e, ERROR_INPUT,
			    "%s: holds the metric %s, not %s; measure the logs "
			    "again with extract_logs --metric=%s",
			    s->path, measured, name, name);
		if (choose_of_file(s, metric, e) != 0)
			return -1;
	}
	return 0;
}

enum message
metric_choice_title(const struct run_metric *metric)
{
	/* Messages are in the order of run_metrics. */
	const int row = (int)(metric - run_metrics);

	assert(row >= 0 && row <= MESSAGE_FINAL_VAL_TOP1 - MESSAGE_MFU);
	return (enum message)(MESSAGE_MFU + row);
}

const struct run_metric *
metric_choice_of(const struct result *r)
{
	return run_metric_find(r->rule.metric);
}

int
metric_choice_need_speeds(
    const struct series_set *set, const char *what, struct error *e)
{
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct result_file *f =
			    set->items[i].points[k].source;
			const struct run_metric *m =
			    metric_choice_of(&f->result);

			if (m != NULL)
				return error_set(e, ERROR_INPUT,
				    "%s: holds the metric %s, but %s needs "
				    "speeds",
				    f->path, m->name, what);
		}
	return 0;
}
