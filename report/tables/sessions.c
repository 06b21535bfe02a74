/* Sessions: which runs were made together, whether the order of two cases' runs
 * casts doubt on their comparison, and sessions as units instead of runs. */
#include <config.h>

#include "report/tables/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/work_rate.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "common/units/units.h"

/* Order the sessions of two runs by start, then by number. */
static int
compare_starts(const void *pa, const void *pb)
{
	const struct result_session *a = *(struct result_session *const *)pa;
	const struct result_session *b = *(struct result_session *const *)pb;
	const int order = double_order(&a->start, &b->start);

	return order != 0 ? order
			  : (a->number > b->number) - (a->number < b->number);
}

struct session {
	const char *host, *job;
	double start; /* of its first run */
};

void
sessions_find(struct result_set *files)
{
	struct result_session **runs = NULL;
	struct session *all = NULL;
	size_t n = 0, alloc = 0, n_all = 0, alloc_all = 0;

	for (size_t i = 0; i < files->n; i++)
		for (size_t k = 0; k < files->items[i].result.n_cases; k++) {
			struct result_case *c =
			    &files->items[i].result.cases[k];

			for (size_t j = 0; j < c->n_runs; j++, n++) {
				struct result_session *own =
				    &c->runs[j].session;
				const char *text = own->started;

				if (text == NULL ||
				    stamp_parse(text, strlen(text),
					&own->start) != STAMP_DATE)
					own->start = INFINITY;
				own->number = (long)n;
				runs = vec_grow(runs, n, &alloc, sizeof *runs);
				runs[n] = own;
			}
		}
	if (n > 0)
		qsort(runs, n, sizeof *runs, compare_starts);
	for (size_t i = 0; i < n; i++) {
		struct result_session *own = runs[i];
		size_t at = n_all;

		own->number = 0;
		if (isinf(own->start) && own->job == NULL)
			continue;
		/* A run belongs to the last session with the same job, or that
		 * began at most SESSION_SECONDS earlier, on no other host. */
		for (; at > 0; at--) {
			const struct session *s = &all[at - 1];

			if ((own->host == NULL || s->host == NULL ||
				strcmp(own->host, s->host) == 0) &&
			    ((own->job != NULL &&
				 text_same(own->job, s->job)) ||
				own->start - s->start <= SESSION_SECONDS))
				break;
		}
		if (at == 0) {
			all = vec_grow(all, n_all, &alloc_all, sizeof *all);
			all[n_all++] =
			    (struct session){ own->host, own->job, own->start };
			at = n_all;
		}
		if (all[at - 1].host == NULL)
			all[at - 1].host = own->host;
		own->number = (long)at;
	}
	free(all);
	free(runs);
}

/* Set host (session) to 1 if a run of a and one of b have the same one. */
static void
find_shared(const struct result_case *a, const struct result_case *b, int *host,
    int *session)
{
	for (size_t i = 0; i < a->n_runs && !(*host && *session); i++)
		for (size_t k = 0; k < b->n_runs; k++) {
			const struct result_session *x = &a->runs[i].session;
			const struct result_session *y = &b->runs[k].session;

			*host |= text_same(x->host, y->host);
			*session |= x->number == y->number;
		}
}

struct remark
sessions_order(const struct result_case *a, const struct result_case *b,
    const char *first, const char *second)
{
	const struct result_case *const cases[] = { a, b };
	double from[2] = { INFINITY, INFINITY };
	double end[2] = { -INFINITY, -INFINITY };
	int known = a->n_runs > 0 && b->n_runs > 0, hosts = known;
	int zone = -1, shared_host = 0, shared_session = 0;

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < cases[side]->n_runs; i++) {
			const struct result_session *s =
			    &cases[side]->runs[i].session;
			const int zoned =
			    s->started != NULL && stamp_has_zone(s->started);

			/* Either all starts have a zone or none has. */
			known &= s->number > 0 && isfinite(s->start) &&
			    (zone < 0 || zoned == zone);
			zone = zoned;
			hosts &= s->host != NULL;
			from[side] = fmin(from[side], s->start);
			end[side] = fmax(end[side], s->start);
		}
	if (hosts || known)
		find_shared(a, b, &shared_host, &shared_session);
	if (hosts && !shared_host)
		return REMARK(REMARK_DIFFERENT_HOSTS, remark_name(first),
		    remark_name(second));
	if (known && !shared_session && end[0] < from[1])
		return REMARK(REMARK_RUNS_IN_BLOCKS, remark_name(first),
		    remark_name(second));
	if (known && !shared_session && end[1] < from[0])
		return REMARK(REMARK_RUNS_IN_BLOCKS, remark_name(second),
		    remark_name(first));
	return remark_plain(REMARK_NONE);
}

/* --- sessions as units ---------------------------------------------------- */

/* Lowest session number of the case's runs above `after`; 0: none. */
static long
next_session(const struct result_case *c, long after)
{
	long next = 0;

	for (size_t i = 0; i < c->n_runs; i++) {
		const long own = c->runs[i].session.number;

		if (own > after && (next == 0 || own < next))
			next = own;
	}
	return next;
}

/* Replace a case's runs, all in known sessions, by the first of each session,
 * with the medians of the session's values and bounds, and all its flags. */
static void
replace_runs(struct result_case *c, struct arena *a)
{
	struct result_run *runs = arena_calloc(a, c->n_runs, sizeof *runs);
	struct rounded_runs all, own;
	size_t n = 0;

	work_rates_of_runs(c, WORK_RATE, 1, a, &all);
	work_rates_of_runs(c, WORK_RATE, 1, a, &own);
	for (long s = 0; (s = next_session(c, s)) > 0; n++) {
		struct result_run *out = &runs[n];

		own.n = 0;
		for (size_t i = 0; i < c->n_runs; i++) {
			const struct result_run *run = &c->runs[i];

			if (run->session.number != s)
				continue;
			if (own.n == 0) {
				*out = *run;
				out->flags = NULL;
				out->n_flags = 0;
			}
			for (size_t k = 0; k < run->n_flags; k++)
				result_run_flag(out, &run->flags[k], a);
			own.value[own.n] = all.value[i];
			own.low[own.n] = all.low[i];
			own.high[own.n++] = all.high[i];
		}
		out->run = arena_printf(a, "%ld", s);
		out->value = stats_median(own.value, own.n);
		out->rounding =
		    (struct result_rounding){ stats_median(own.low, own.n),
			    stats_median(own.high, own.n) };
		if (!isnan(out->samples_per_s))
			out->samples_per_s = out->value;
	}
	c->runs = runs;
	c->n_runs = n;
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
		if (file->values == NULL)
			result_speedups(r, level);
	}
	return 0;
}
