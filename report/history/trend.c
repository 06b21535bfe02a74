/* Trends: rows of a history grouped by case, and their change points. */
#include <config.h>

#include "report/history/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/hash_index.h"
#include "common/result/case_text.h"
#include "common/result/work_rate.h"
#include "common/stats/change_points.h"
#include "common/stats/rank_test.h"
#include "common/stats/stats.h"
#include "report/parts/panel.h"

enum {
	COMMIT_SHOWN = 12,
	HOST_POINTS = 5 /* fewest points for each host, on average */
};

/* Highest level used, since the normal quantile is inaccurate closer to 1. */
static const double almost_sure = 1 - 1e-12;

/* A row and its sort keys. */
struct sorted_row {
	const struct history_row *row;
	const char *identity;
	size_t moment; /* number of its date, commit and host */
};

/* --- rows of one case ----------------------------------------------------- */

/* Order by case, by date, then by addition, so hosts may alternate. */
static int
compare_rows(const void *pa, const void *pb)
{
	const struct sorted_row *a = pa, *b = pb;
	int d = strcmp(a->identity, b->identity);

	if (d == 0)
		d = (a->moment > b->moment) - (a->moment < b->moment);
	return d != 0 ? d : (a->row > b->row) - (a->row < b->row);
}

/* --- points and changes --------------------------------------------------- */

/* Make the points of a trend from its sorted rows. */
static void
fill_points(struct arena *a, struct trend *t, const struct sorted_row *rows,
    size_t n, double confidence)
{
	struct result_run *runs = arena_calloc(a, n, sizeof *runs);
	const struct result_case *c = &rows[0].row->c;
	struct result_pair *labels = c->labels;
	size_t n_labels = c->n_labels;

	if (rows[0].row->run.device != NULL) {
		labels = arena_longer(a, labels, n_labels, sizeof *labels);
		labels[n_labels++] =
		    (struct result_pair){ "device", rows[0].row->run.device };
	}
	t->is_time = work_kind_is_time(work_kind_of(c->unit));
	t->points = arena_calloc(a, n, sizeof *t->points);
	for (size_t i = 0, end; i < n; i = end) {
		struct trend_point *p = &t->points[t->n_points++];

		p->row = rows[i].row;
		p->moment = rows[i].moment;
		p->c = p->row->c;
		p->c.labels = labels;
		p->c.n_labels = n_labels;
		p->c.runs = runs + i;
		for (end = i; end < n && rows[end].moment == p->moment; end++)
			runs[end] = rows[end].row->run;
		p->c.n_runs = end - i;
		case_summarise(&p->c, confidence);
		if (!case_is_doubtful(&p->c, 0))
			p->c.n_runs = 0;
	}
}

/* Correlation of the points within levels. The changes with p <= most, and
 * `other`, separate the levels.
 *
 * logs  of the points from t->skipped on
 * at    [t->n_changes] is overwritten */
static double
correlation_inside(const struct trend *t, const double *logs, double most,
    const struct trend_change *other, size_t *at)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_changes; i++)
		if (t->changes[i].p <= most || &t->changes[i] == other)
			at[n++] = t->changes[i].at - t->skipped;
	return change_points_correlation(logs, t->n_points - t->skipped, at, n);
}

/* Number the hosts of the points from t->skipped on if they take turns: a host
 * returns after another, and there are at least HOST_POINTS points per host on
 * average. Only then can differences of hosts be told from changes of the
 * program. Returns the number of hosts, else 0. */
static size_t
number_hosts(const struct trend *t, size_t *group)
{
	const size_t n = t->n_points - t->skipped;
	const struct trend_point *points = t->points + t->skipped;
	size_t hosts = 0, turns = 0;

	for (size_t i = 0; i < n; i++) {
		const char *host = points[i].row->metadata.host;
		size_t same = 0;

		if (host == NULL || hosts * HOST_POINTS > n)
			return 0;
		while (same < i &&
		    strcmp(points[same].row->metadata.host, host) != 0)
			same++;
		group[i] = same < i ? group[same] : hosts++;
		turns += i == 0 || group[i] != group[i - 1];
	}
	return turns > hosts && hosts * HOST_POINTS <= n ? hosts : 0;
}

/* Set ratio and interval of a change. Correlated noise lowers the level of an
 * interval, so one that has a higher level for independent points is used. */
static void
fill_ratio(struct trend_change *c, const double *speeds, double correlation,
    double confidence)
{
	const double *new = speeds + c->at, *old = speeds + c->before;
	const size_t n_new = c->end - c->at, n_old = c->at - c->before;
	/* The correlation may be higher by its standard error. */
	const double r = fmin(CHANGE_POINTS_MOST_CORRELATION,
	    correlation +
		sqrt(
		    (1 - correlation * correlation) / (double)(n_new + n_old)));
	/* A correlation raises the variance of the mean of many numbers. */
	const double wider = correlation > 0 ? sqrt((1 + r) / (1 - r)) : 1;
	struct interval in = { NAN, NAN, NAN, 0, NAN };
	double asked = confidence;

	if (wider > 1)
		asked = fmin(almost_sure,
		    erf(normal_quantile((1 + confidence) / 2) * wider /
			sqrt(2)));
	if (rank_test_ratio(new, n_new, old, n_old, asked, &in) != 0)
		in.level = NAN;
	if (wider > 1)
		in.level =
		    erf(normal_quantile((1 + fmin(almost_sure, in.level)) / 2) /
			wider / sqrt(2));
	c->ratio = in.middle;
	c->low = in.low;
	c->high = in.high;
	c->level = in.level;
}

static void
fill_changes(struct arena *a, struct trend *t, double confidence)
{
	const size_t all = t->n_points, room = all + 1;
	double *speeds = arena_calloc(a, all, sizeof *speeds);
	double *logs = arena_calloc(a, all, sizeof *logs), *of = logs;
	double *p = arena_calloc(a, room, sizeof *p);
	double *distance = arena_calloc(a, room, sizeof *distance);
	size_t *at = arena_calloc(a, room, sizeof *at);
	size_t *group = arena_calloc(a, room, sizeof *group);
	struct change_series series;

	t->skipped = all > CHANGE_POINTS_MAX ? all - CHANGE_POINTS_MAX : 0;
	of += t->skipped;
	for (size_t i = 0; i < all; i++) {
		const double median = t->points[i].c.median_speed;

		speeds[i] = t->is_time ? 1 / median : median;
		logs[i] = log(speeds[i]);
	}
	t->n_changes = change_points_find(of, all - t->skipped, at);
	t->n_hosts = number_hosts(t, group);
	series = (struct change_series){ of, all - t->skipped,
		t->n_hosts > 0 ? group : NULL, t->n_hosts };
	t->n_changes = change_points_prove(
	    &series, 1 - confidence, at, p, t->n_changes, distance);
	for (size_t i = 0; i < series.n && t->n_hosts > 0; i++) {
		of[i] -= distance[group[i]];
		speeds[t->skipped + i] = exp(of[i]);
	}
	at[t->n_changes] = series.n;
	t->changes = arena_calloc(a, t->n_changes, sizeof *t->changes);
	for (size_t i = 0; i < t->n_changes; i++) {
		struct trend_change *c = &t->changes[i];

		c->at = t->skipped + at[i];
		c->before = i > 0 ? t->changes[i - 1].at : t->skipped;
		c->end = t->skipped + at[i + 1];
		c->p = p[i];
		t->points[c->at].change = c;
	}
	for (size_t k = 0, begin = t->skipped; k <= t->n_changes; k++) {
		const size_t end = k < t->n_changes ? t->changes[k].at : all;
		double level;

		for (size_t i = begin; i < end; i++)
			p[i - begin] = t->points[i].c.median_speed;
		level = stats_median(p, end - begin);
		for (; begin < end; begin++)
			t->own[begin].level = level;
	}
	t->correlation = correlation_inside(t, of, 1 - confidence, NULL, at);
	for (size_t i = 0; i < t->n_changes; i++)
		fill_ratio(&t->changes[i], speeds,
		    correlation_inside(
			t, of, 1 - confidence, &t->changes[i], at),
		    confidence);
}

/* Decide which changes are proven. All are one family for Holm's correction,
 * since more cases give more chances of a false alarm. */
static void
judge_changes(struct trend_set *set)
{
	size_t n = 0, k = 0;
	double *p;

	for (size_t i = 0; i < set->n; i++)
		n += set->items[i].n_changes;
	p = arena_calloc(&set->arena, n + 1, sizeof *p);
	for (size_t i = 0; i < set->n; i++)
		for (size_t j = 0; j < set->items[i].n_changes; j++)
			p[k++] = set->items[i].changes[j].p;
	p_adjust(p, n, 1, p);
	k = 0;
	for (size_t i = 0; i < set->n; i++)
		for (size_t j = 0; j < set->items[i].n_changes; j++) {
			struct trend_change *c = &set->items[i].changes[j];

			c->p_holm = p[k++];
			c->proven = c->p_holm <= 1 - set->confidence &&
			    c->level >= set->confidence - 1e-12 &&
			    (c->low > 1 || c->high < 1);
		}
}

/* --- trends of a history -------------------------------------------------- */

const char *
trend_point_name(struct arena *a, const struct history_row *row)
{
	const char *commit = row->metadata.commit, *date = row->metadata.date;

	return commit != NULL
	    ? arena_strndup(a, commit, strnlen(commit, COMMIT_SHOWN))
	    : arena_strndup(a, date, strcspn(date, "T"));
}

/* Choose trends with series_collect, in the order of its series, and make
 * set->points. Each trend is passed as a result file with its last point. */
static int
choose_trends(struct trend_set *set, const struct trend *all, size_t n,
    size_t n_moments, const struct opt_list *select, struct error *e)
{
	const struct series_how how = { .select = select, .allow_mixed = 1 };
	struct arena *a = &set->arena;
	struct result_case *cases = arena_calloc(a, n, sizeof *cases);
	struct result_file *sources =
	    arena_calloc(a, n_moments, sizeof *sources);
	struct series_set *out = &set->points;

	set->files =
	    (struct result_set){ .items = xcalloc(n, sizeof *sources), .n = n };
	for (size_t i = 0; i < n; i++) {
		struct result_file *file = &set->files.items[i];

		result_init(&file->result);
		file->path = file->name = arena_printf(a, "trend %zu", i + 1);
		file->result.rule = all[i].points[0].row->rule;
		file->result.cases = &cases[i];
		file->result.n_cases = 1;
		cases[i] = all[i].points[all[i].n_points - 1].c;
		cases[i].n_runs = 0;
	}
	if (series_collect(&set->files, &how, &set->series, e) != 0)
		return -1;
	set->items = arena_calloc(a, n, sizeof *set->items);
	out->items = arena_calloc(a, n, sizeof *out->items);
	out->n_keys = set->series.n_keys;
	memcpy(out->keys, set->series.keys, sizeof out->keys);
	for (struct panel_point x = { NULL };
	     panel_next_of_set(&set->series, &x);) {
		struct trend *t = &set->items[set->n++];
		struct series *s = &out->items[out->n++];

		*t = all[x.p->source - set->files.items];
		t->s = x.s;
		t->c = x.c;
		memcpy(s->values, x.s->values, sizeof s->values);
		s->points = arena_calloc(a, t->n_points, sizeof *s->points);
		s->n_points = t->n_points;
		t->own = s->points;
		for (size_t k = 0; k < t->n_points; k++) {
			const struct trend_point *p = &t->points[k];
			struct result_file *source = &sources[p->moment];

			if (source->name == NULL) {
				result_init(&source->result);
				source->result.rule = p->row->rule;
				source->result.rule.confidence =
				    set->confidence;
				source->path = source->name =
				    trend_point_name(a, p->row);
			}
			s->points[k] =
			    (struct series_point){ source, k, .c = &p->c };
		}
	}
	series_set_find_differing(out);
	return 0;
}

int
trend_collect(const struct history *h, const struct opt_list *select,
    double confidence, struct trend_set *out, struct error *e)
{
	struct hash_index by_moment = HASH_INDEX_INIT;
	struct arena *a = &out->arena;
	struct sorted_row *rows;
	const char **moments;
	struct trend *all;
	size_t n = 0, n_moments = 0;

	*out = (struct trend_set){ .confidence = confidence };
	rows = arena_calloc(a, h->n, sizeof *rows);
	moments = arena_calloc(a, h->n, sizeof *moments);
	all = arena_calloc(a, h->n, sizeof *all);
	/* Moments are numbered by their first rows. */
	for (size_t i = 0; i < h->n; i++) {
		const struct history_row *row = &h->rows[i];
		size_t first;

		moments[i] = arena_join(a,
		    arena_join(a, row->metadata.date, "\n", row->metadata.host),
		    "\n\n", row->metadata.commit);
		first = hash_index_first(&by_moment, moments, i);
		rows[i] = (struct sorted_row){ row,
			arena_join(
			    a, history_identity(a, row), "\n", row->run.device),
			first < i ? rows[first].moment : n_moments++ };
	}
	hash_index_release(&by_moment);
	qsort(rows, h->n, sizeof *rows, compare_rows);
	for (size_t i = 0, end; i < h->n; i = end) {
		end = i + 1;
		while (end < h->n &&
		    strcmp(rows[end].identity, rows[i].identity) == 0)
			end++;
		fill_points(a, &all[n++], rows + i, end - i, confidence);
	}
	if (choose_trends(out, all, n, n_moments, select, e) != 0) {
		trend_release(out);
		return -1;
	}
	for (size_t i = 0; i < out->n; i++)
		fill_changes(a, &out->items[i], confidence);
	judge_changes(out);
	return 0;
}

void
trend_release(struct trend_set *set)
{
	series_release(&set->points);
	series_release(&set->series);
	result_set_release(&set->files);
	arena_release(&set->arena);
	*set = (struct trend_set){ .n = 0 };
}
