#include <config.h>

#include "common/series/sessions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/result_check.h"
#include "common/result/work_rate.h"
#include "common/stats/rank_test.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "common/units/units.h"

/* --- which runs ----------------------------------------------------------- */

/* Start of a run in seconds since 1970, by the log's clock; NAN if unknown. */
static double
start_of(const struct result_run *run)
{
	const char *text = run->session.started;
	double seconds;

	return text != NULL &&
		stamp_parse(text, strlen(text), &seconds) == STAMP_DATE
	    ? seconds
	    : NAN;
}

/* A run with its start. */
struct started_run {
	struct result_run *run;
	double start;
	size_t index;
};

/* Unknown starts last, else by time; equal ones in their order. */
static int
compare_starts(const void *pa, const void *pb)
{
	const struct started_run *a = pa, *b = pb;
	const double x = isnan(a->start) ? INFINITY : a->start;
	const double y = isnan(b->start) ? INFINITY : b->start;

	return x > y || (!(x < y) && a->index > b->index) ? 1 : -1;
}

struct session {
	const char *host, *job;
	double start; /* of its first run, or NAN */
};

void
sessions_find(struct result_set *files)
{
	struct started_run *runs = NULL;
	struct session *all = NULL;
	size_t n = 0, alloc = 0, n_all = 0, alloc_all = 0;

	for (size_t i = 0; i < files->n; i++)
		for (size_t k = 0; k < files->items[i].result.n_cases; k++) {
			struct result_case *c =
			    &files->items[i].result.cases[k];

			for (size_t j = 0; j < c->n_runs; j++) {
				runs = vec_grow(runs, n, &alloc, sizeof *runs);
				runs[n] = (struct started_run){ &c->runs[j],
					start_of(&c->runs[j]), n };
				n++;
			}
		}
	if (n > 0)
		qsort(runs, n, sizeof *runs, compare_starts);
	for (size_t i = 0; i < n; i++) {
		struct result_session *own = &runs[i].run->session;
		size_t at = n_all;

		own->number = 0;
		if (isnan(runs[i].start) && own->job == NULL)
			continue;
		/* A run belongs to the last session of the same job, or that
		 * began within the hour; hosts do not contradict. */
		for (; at > 0; at--) {
			const struct session *s = &all[at - 1];

			if ((own->host == NULL || s->host == NULL ||
				strcmp(own->host, s->host) == 0) &&
			    ((own->job != NULL &&
				 text_same(own->job, s->job)) ||
				runs[i].start - s->start <= SESSION_SECONDS))
				break;
		}
		if (at == 0) {
			all = vec_grow(all, n_all, &alloc_all, sizeof *all);
			all[n_all++] = (struct session){ own->host, own->job,
				runs[i].start };
			at = n_all;
		}
		if (all[at - 1].host == NULL)
			all[at - 1].host = own->host;
		own->number = (long)at;
	}
	free(all);
	free(runs);
}

/* --- order ---------------------------------------------------------------- */

/* What the runs of a case have in common. */
struct run_times {
	int known;        /* 1: the session of each is known */
	int hosts;        /* 1: so is the host of each */
	int timed;        /* 1: so is the start, all with or all without zone */
	int zone;         /* 1: with */
	double from, end; /* first and last start */
};

static struct run_times
times_of(const struct result_case *c)
{
	struct run_times t = { c->n_runs > 0, 1, 1, 0, INFINITY, -INFINITY };

	for (size_t i = 0; i < c->n_runs; i++) {
		const struct result_session *s = &c->runs[i].session;
		const double start = start_of(&c->runs[i]);
		const int zone =
		    s->started != NULL && stamp_has_zone(s->started);

		t.known &= s->number > 0;
		t.hosts &= s->host != NULL;
		t.timed &= !isnan(start) && (i == 0 || zone == t.zone);
		t.zone = zone;
		t.from = fmin(t.from, start);
		t.end = fmax(t.end, start);
	}
	return t;
}

/* True if a run of one has the host (or session) of a run of the other. */
static int
any_shared(
    const struct result_case *a, const struct result_case *b, int of_hosts)
{
	for (size_t i = 0; i < a->n_runs; i++)
		for (size_t k = 0; k < b->n_runs; k++) {
			const struct result_session *x = &a->runs[i].session;
			const struct result_session *y = &b->runs[k].session;

			if (of_hosts ? text_same(x->host, y->host)
				     : x->number == y->number)
				return 1;
		}
	return 0;
}

int
sessions_order(const struct result_case *a, const struct result_case *b,
    const char *first, const char *second, struct remark *out)
{
	const struct run_times x = times_of(a), y = times_of(b);

	if (x.hosts && y.hosts && a->n_runs > 0 && b->n_runs > 0 &&
	    !any_shared(a, b, 1)) {
		*out = REMARK(REMARK_DIFFERENT_HOSTS, remark_name(first),
		    remark_name(second));
		return 1;
	}
	if (!x.known || !y.known || !x.timed || !y.timed || x.zone != y.zone ||
	    any_shared(a, b, 0) || (x.end >= y.from && y.end >= x.from))
		return 0;
	*out = REMARK(REMARK_RUNS_IN_BLOCKS,
	    remark_name(x.end < y.from ? first : second),
	    remark_name(x.end < y.from ? second : first));
	return 1;
}

/* --- as units ------------------------------------------------------------- */

/* The run that stands for a session: the first, with the median of the value
 * and of its bounds, and all flags.
 *
 * session  with the runs of the session alone */
static struct result_run
combine_runs(const struct result_case *session, struct arena *a)
{
	const size_t n = session->n_runs;
	struct result_run out = session->runs[0];
	struct rounded_runs r;

	out.flags = NULL;
	out.n_flags = 0;
	work_rates_of_runs(session, WORK_RATE, 1, &r);
	out.run = arena_printf(a, "%ld", out.session.number);
	out.value = stats_median(r.value, n);
	if (rounded_runs_are(&r))
		out.rounding = (struct result_rounding){ stats_median(r.low, n),
			stats_median(r.high, n) };
	for (size_t i = 0; i < n; i++) {
		const struct result_run *run = &session->runs[i];

		r.value[i] = run->samples_per_s;
		for (size_t k = 0; k < run->n_flags; k++)
			result_run_flag(&out, &run->flags[k], a);
	}
	out.samples_per_s = stats_median(r.value, n);
	rounded_runs_release(&r);
	return out;
}

static int
compare_numbers(const void *pa, const void *pb)
{
	const struct result_run *const *a = pa, *const *b = pb;
	const long x = (*a)->session.number, y = (*b)->session.number;

	return x != y ? (x > y) - (x < y) : (*a > *b) - (*a < *b);
}

/* Replace the runs of a case, each of a known session. */
static void
replace_runs(struct result_case *c, struct arena *a)
{
	const struct result_run **order = xcalloc(c->n_runs, sizeof *order);
	struct result_run *runs = arena_calloc(a, c->n_runs, sizeof *runs);
	struct result_case session = { .n_runs = 0 };
	const size_t n = c->n_runs;

	for (size_t i = 0; i < n; i++)
		order[i] = &c->runs[i];
	qsort(order, n, sizeof *order, compare_numbers);
	for (size_t i = 0; i < n; i++)
		runs[i] = *order[i];
	free(order);
	c->runs = runs;
	c->n_runs = 0;
	for (size_t i = 0; i < n; i += session.n_runs) {
		session.runs = &runs[i];
		for (session.n_runs = 1; i + session.n_runs < n &&
		     runs[i + session.n_runs].session.number ==
			 runs[i].session.number;)
			session.n_runs++;
		runs[c->n_runs++] = combine_runs(&session, a);
	}
}

int
sessions_replace_runs(
    struct result_set *files, double confidence, struct error *e)
{
	for (size_t i = 0; i < files->n; i++) {
		struct result_file *file = &files->items[i];
		struct result *r = &file->result;
		const double level =
		    isnan(confidence) ? r->rule.confidence : confidence;
		struct baseline_index x;

		for (size_t k = 0; k < r->n_cases; k++) {
			struct result_case *c = &r->cases[k];

			for (size_t j = 0; j < c->n_runs; j++)
				if (c->runs[j].session.number == 0)
					return error_set(e, ERROR_INPUT,
					    "%s: %s: --sessions: the log of "
					    "run %s (%s) states neither when "
					    "it began nor its job",
					    file->path, c->name, c->runs[j].run,
					    c->runs[j].path);
			if (c->n_runs == 0)
				continue; /* published */
			replace_runs(c, &r->arena);
			case_summarise(c, level);
		}
		/* The speedups of the medians. */
		baseline_index_init(&x, r);
		for (size_t k = 0; k < r->n_cases; k++) {
			struct result_case *c = &r->cases[k];
			const struct result_case *base =
			    baseline_index_find(&x, c);

			if (base == NULL || base == c || !isfinite(c->speedup))
				continue;
			c->speedup_low = c->speedup_high = c->speedup_level =
			    NAN;
			case_speedup_over(
			    c, base, result_rule_is_strong(&r->rule), level);
		}
		baseline_index_release(&x);
	}
	return 0;
}
