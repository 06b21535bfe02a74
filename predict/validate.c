/* make predict-validate: errors of the model. Each series of a file of
 * published figures is cut off after some counts, the next counts are predicted
 * from the rest, and the errors are printed next to those of other laws;
 * with --coverage, the share of measured speeds inside the intervals. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/series/result_set.h"
#include "common/series/series.h"
#include "common/stats/stats.h"
#include "predict/forecast/forecast.h"

/* Kinds of tasks, in the order of the table. */
enum task_kind {
	TASK_TWO_TWICE,
	TASK_POOLED,
	TASK_TRANSFER,
	TASK_MORE_TWICE,
	TASK_FOUR_TIMES,
	TASK_NODE_TWICE,
	N_TASKS
};

static const char *const task_names[N_TASKS] = {
	[TASK_TWO_TWICE] = "two node counts -> twice",
	[TASK_POOLED] = "the same, pooled",
	[TASK_TRANSFER] = "the same, another batch known",
	[TASK_MORE_TWICE] = "three or more -> twice",
	[TASK_FOUR_TIMES] = "-> four times",
	[TASK_NODE_TWICE] = "inside a node -> twice",
};

enum { OURS = N_SCALING_LAWS, N_METHODS };

/* Errors of all tasks of a kind, one row per method. */
struct task_errors {
	double *items[N_METHODS]; /* |predicted / measured - 1| */
	size_t n, alloc[N_METHODS];
	size_t inside, wide; /* measured values inside the intervals of both
				levels */
	size_t refused;
};

static struct task_errors errors[N_TASKS];

static void
add_errors(enum task_kind kind, const struct forecast *f,
    const struct forecast_case *c, double measured)
{
	struct task_errors *t = &errors[kind];
	const double gpus = (double)c->shape.gpus;
	const double real = gpus / measured; /* device time */

	for (int i = 0; i < N_METHODS; i++) {
		double x =
		    i == OURS ? scaling_speed(&f->s, c->t, gpus) : c->laws[i];

		t->items[i] = vec_grow(
		    t->items[i], t->n, &t->alloc[i], sizeof *t->items[i]);
		t->items[i][t->n] = fabs(x / measured - 1);
	}
	t->n++;
	t->inside += real >= c->t_low[0] && real <= c->t_high[0];
	t->wide += real >= c->t_low[1] && real <= c->t_high[1];
}

/* --- tasks ---------------------------------------------------------------- */

/* The part of a series that is kept: one axis up to a count. */
struct known_part {
	size_t series;
	int in_node;
	long last; /* nodes, or GPUs of one node */
};

/* A forecast of one case from the known part of its series. */
struct cut_forecast {
	struct forecast_request request;
	struct scaling_target target;
	struct series *series; /* [n] of the set, one of them cut */
	struct series_point *points;
	struct series_set part;
	struct forecast_set f;
	const struct forecast *of;
	const struct forecast_case *c; /* NULL: refused */
};

static int
is_known(const struct known_part *cut, const struct result_case *c)
{
	if (cut->in_node)
		return c->gpus <= cut->last &&
		    (c->nodes == 1 || c->nodes == RESULT_UNKNOWN);
	return c->nodes <= cut->last;
}

/* Predict the target from the known part, alone or with the other series.
 * The model and the pooling are those of the request. */
static void
cut_forecast_init(struct cut_forecast *cf, const struct series_set *set,
    const struct known_part *cut, const struct result_case *target, int alone)
{
	struct series *own;

	cf->series = xcalloc(set->n, sizeof *cf->series);
	memcpy(cf->series, set->items, set->n * sizeof *cf->series);
	own = &cf->series[cut->series];
	cf->points = xcalloc(own->n_points, sizeof *cf->points);
	own->n_points = 0;
	for (size_t i = 0; i < set->items[cut->series].n_points; i++) {
		const struct series_point *p =
		    &set->items[cut->series].points[i];

		if (is_known(cut, p->c))
			cf->points[own->n_points++] = *p;
	}
	own->points = cf->points;
	cf->part = *set;
	cf->part.items = alone ? own : cf->series;
	cf->part.n = alone ? 1 : set->n;
	scaling_target_set(&cf->target, target->nodes,
	    target->nodes == RESULT_UNKNOWN ? target->gpus
					    : target->gpus_per_node);
	cf->request.targets = &cf->target;
	cf->request.n_targets = 1;
	cf->request.levels[0] = 0.8;
	cf->request.levels[1] = 0.95;
	cf->request.n_levels = 2;
	cf->c = NULL;
	if (forecast_make(&cf->part, &cf->request, &cf->f, NULL) != 0)
		return;
	cf->of = &cf->f.items[alone ? 0 : cut->series];
	cf->c = forecast_first(cf->of);
}

static void
cut_forecast_release(struct cut_forecast *cf)
{
	forecast_release(&cf->f);
	free(cf->points);
	free(cf->series);
}

static void
predict_cut(const struct series_set *set, const struct known_part *cut,
    const struct result_case *target, enum task_kind kind)
{
	struct cut_forecast cf = { .request = { .model = kind == TASK_TRANSFER
					   ? FORECAST_TRANSFER
					   : FORECAST_DOUBLING,
				       .compare = 1,
				       .pool = kind == TASK_POOLED } };

	cut_forecast_init(&cf, set, cut, target,
	    kind != TASK_POOLED && kind != TASK_TRANSFER);
	if (cf.c != NULL)
		add_errors(kind, cf.of, cf.c, target->median_speed);
	else
		errors[kind].refused++;
	cut_forecast_release(&cf);
}

/* The case of a series at so many nodes and GPUs, or NULL. */
static const struct result_case *
find_case(const struct series *s, long nodes, long gpus_per_node)
{
	for (size_t i = 0; i < s->n_points; i++) {
		const struct result_case *c = s->points[i].c;

		if (c->nodes == nodes && c->gpus_per_node == gpus_per_node &&
		    isfinite(c->median_speed))
			return c;
	}
	return NULL;
}

/* All tasks of a row that predict a count: from counts up to a half and up to a
 * quarter of it. */
static void
row_tasks(const struct series_set *set, size_t i, const struct result_case *c)
{
	const struct series *s = &set->items[i];
	const struct known_part half = { i, 0, c->nodes / 2 };
	const struct known_part quarter = { i, 0, c->nodes / 4 };
	long counts = 0;

	for (long n = 1; n <= half.last; n *= 2)
		counts += find_case(s, n, c->gpus_per_node) != NULL;
	if (counts == 2) {
		predict_cut(set, &half, c, TASK_TWO_TWICE);
		predict_cut(set, &half, c, TASK_POOLED);
		predict_cut(set, &half, c, TASK_TRANSFER);
	} else if (counts > 2) {
		predict_cut(set, &half, c, TASK_MORE_TWICE);
	}
	if (counts > 2)
		predict_cut(set, &quarter, c, TASK_FOUR_TIMES);
}

static void
series_tasks(const struct series_set *set, size_t i)
{
	const struct series *s = &set->items[i];

	for (size_t k = 0; k < s->n_points; k++) {
		const struct result_case *c = s->points[k].c;
		const struct known_part half = { i, 1, c->gpus / 2 };

		if (!isfinite(c->median_speed))
			continue;
		if (c->nodes > 2)
			row_tasks(set, i, c);
		else if (c->nodes == 1 && c->gpus > 2 &&
		    find_case(s, 1, c->gpus / 2) != NULL)
			predict_cut(set, &half, c, TASK_NODE_TWICE);
	}
}

/* --- coverage by series --------------------------------------------------- */

/* Kinds of predictions: how far the target lies beyond the largest known
 * count, those after a rise, and all. */
enum reach {
	REACH_TWICE,
	REACH_FOUR,
	REACH_EIGHT,
	REACH_RISING,
	REACH_ALL,
	N_REACHES
};

static const char *const reach_names[N_REACHES] = { "up to 2 times",
	"up to 4 times", "more", "rising", "all" };

/* Counts of one axis: its tasks, and whole series as shares. */
struct coverage {
	size_t tasks, refused, series;
	double inside, wide; /* sums over series of the shares of their tasks
				inside the 80 % and the 95 % interval */
	double above, below; /* the same of measured speeds outside the 80 %
				interval */
};

/* Of node counts, of GPUs of one node, and of both. */
enum { AXES = 3 };
static struct coverage coverages[AXES][N_REACHES];
static const char *const axis_names[AXES] = { "nodes", "GPUs", "both" };

/* True if a prediction so many times beyond the known counts is of that
 * kind. */
static int
is_of_reach(enum reach r, double times, const struct forecast_case *c)
{
	if (r == REACH_RISING)
		return c != NULL && (c->warnings & 1U << WARNING_RISING) != 0;
	return r == REACH_ALL ||
	    (times > exp2(r + 0.01) && times <= exp2(r + 1.01)) ||
	    (r == REACH_TWICE && times < 2);
}

/* The cases of a series on one axis, by count.
 *
 * gpus_per_node  of a row; RESULT_UNKNOWN: the cases of one node, or all cases
 *                of a series whose nodes are unknown */
static size_t
axis_cases(const struct series *s, long gpus_per_node,
    const struct result_case **cases)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_points; i++) {
		const struct result_case *c = s->points[i].c;
		size_t at = n;

		if (!isfinite(c->median_speed) ||
		    (gpus_per_node == RESULT_UNKNOWN
			    ? c->nodes != 1 && c->nodes != RESULT_UNKNOWN
			    : c->gpus_per_node != gpus_per_node ||
				c->nodes == RESULT_UNKNOWN))
			continue;
		for (; at > 0 && cases[at - 1]->gpus > c->gpus; at--)
			cases[at] = cases[at - 1];
		cases[at] = c;
		n++;
	}
	return n;
}

/* Add a series, whose numbers are counts of tasks. */
static void
add_coverage(struct coverage *all, const struct coverage *own)
{
	const double tasks = (double)own->tasks;

	all->refused += own->refused;
	if (own->tasks == 0)
		return;
	all->tasks += own->tasks;
	all->series++;
	all->above += own->above / tasks;
	all->below += own->below / tasks;
	all->inside += 1 - (own->above + own->below) / tasks;
	all->wide += own->wide / tasks;
}

/* Predict each case of an axis from each of its beginnings of at least two
 * counts, and add the shares of this series. */
static void
cover_axis(const struct series_set *set, size_t i, int in_node,
    const struct result_case *const *cases, size_t n)
{
	struct coverage own[N_REACHES] = { { 0 } };

	for (size_t k = 1; k + 1 < n; k++) {
		const struct known_part cut = { i, in_node,
			in_node ? cases[k]->gpus : cases[k]->nodes };

		for (size_t j = k + 1; j < n; j++) {
			const double times =
			    (double)cases[j]->gpus / (double)cases[k]->gpus;
			struct cut_forecast cf = {
				.request = { .model = FORECAST_DOUBLING }
			};
			const double t =
			    (double)cases[j]->gpus / cases[j]->median_speed;

			if (times > exp2(K_FARTHEST))
				break;
			cut_forecast_init(&cf, set, &cut, cases[j], 1);
			for (int r = 0; r < N_REACHES; r++) {
				struct coverage *o = &own[r];

				if (!is_of_reach(r, times, cf.c))
					continue;
				if (cf.c == NULL) {
					o->refused++;
					continue;
				}
				o->tasks++;
				o->below += t > cf.c->t_high[0];
				o->above += t < cf.c->t_low[0];
				o->wide +=
				    t >= cf.c->t_low[1] && t <= cf.c->t_high[1];
			}
			cut_forecast_release(&cf);
		}
	}
	for (int r = 0; r < N_REACHES; r++) {
		add_coverage(&coverages[in_node][r], &own[r]);
		add_coverage(&coverages[AXES - 1][r], &own[r]);
	}
}

static void
cover_series(const struct series_set *set, size_t i)
{
	const struct series *s = &set->items[i];
	const struct result_case **cases =
	    xcalloc(s->n_points + 1, sizeof *cases);

	cover_axis(set, i, 1, cases, axis_cases(s, RESULT_UNKNOWN, cases));
	for (size_t k = 0; k < s->n_points; k++) {
		const long g = s->points[k].c->gpus_per_node;
		int seen = g == RESULT_UNKNOWN;

		for (size_t j = 0; j < k; j++)
			seen |= s->points[j].c->gpus_per_node == g;
		if (!seen)
			cover_axis(set, i, 0, cases, axis_cases(s, g, cases));
	}
	free(cases);
}

static void
print_coverage(void)
{
	printf("| axis  | target        | series | tasks | refused |"
	       " in 80 %% | in 95 %% |  slower |  faster |\n"
	       "|-------|---------------|--------|-------|---------|"
	       "---------|---------|---------|---------|\n");
	for (int axis = 0; axis < AXES; axis++)
		for (int r = 0; r < N_REACHES; r++) {
			const struct coverage *c = &coverages[axis][r];
			const double n = (double)c->series;

			if (c->series == 0)
				continue;
			printf("| %-5s | %-13s | %6zu | %5zu | %7zu |"
			       " %5.1f %% | %5.1f %% | %5.1f %% | %5.1f %% |\n",
			    axis_names[axis], reach_names[r], c->series,
			    c->tasks, c->refused, 100 * c->inside / n,
			    100 * c->wide / n, 100 * c->below / n,
			    100 * c->above / n);
		}
}

/* --- the table ------------------------------------------------------------ */

static void
print_table(void)
{
	static const int shown[] = { OURS, LAW_LINEAR, LAW_POWER, LAW_AMDAHL,
		LAW_USL };

	printf("|error| in per cent: median / 90 %% / largest; share inside "
	       "of the 80 %% and 95 %% intervals\n\n"
	       "| %-30s | tasks |             this |           linear |"
	       "            power |           Amdahl |              USL |"
	       " inside    | refused |\n"
	       "|%.32s|-------|%.18s|%.18s|%.18s|%.18s|%.18s|-----------|"
	       "---------|\n",
	    "from -> to", "--------------------------------",
	    "------------------", "------------------", "------------------",
	    "------------------", "------------------");
	for (int i = 0; i < N_TASKS; i++) {
		const struct task_errors *t = &errors[i];

		if (t->n == 0)
			continue;
		printf("| %-30s | %5zu |", task_names[i], t->n);
		for (size_t k = 0; k < sizeof shown / sizeof shown[0]; k++) {
			const double *x = t->items[shown[k]];
			char buf[64];

			snprintf(buf, sizeof buf, "%.1f / %.1f / %.0f",
			    100 * stats_median(x, t->n),
			    100 * stats_quantile(x, t->n, 0.9),
			    100 * stats_max(x, t->n));
			printf(" %16s |", buf);
		}
		printf(" %3.0f, %3.0f %% | %7zu |\n",
		    100 * (double)t->inside / (double)t->n,
		    100 * (double)t->wide / (double)t->n, t->refused);
	}
}

/* usage: predict_validate [--coverage] FILE... */
int
main(int argc, char **argv)
{
	const int coverage = argc > 1 && strcmp(argv[1], "--coverage") == 0;
	const int first = 1 + coverage;
	const struct series_how how = { .need_gpus = 1 };
	struct result_set files = RESULT_SET_INIT;
	struct error e = ERROR_INIT;
	struct series_set set;

	if (result_set_read(&files, argv + first,
		(size_t)(argc > first ? argc - first : 0), &e) != 0)
		return error_report("predict_validate", &e);
	if (series_collect(&files, &how, &set, &e) != 0) {
		result_set_release(&files);
		return error_report("predict_validate", &e);
	}
	for (size_t i = 0; i < set.n; i++)
		if (coverage)
			cover_series(&set, i);
		else
			series_tasks(&set, i);
	if (coverage)
		print_coverage();
	else
		print_table();
	for (int i = 0; i < N_TASKS; i++)
		for (int k = 0; k < N_METHODS; k++)
			free(errors[i].items[k]);
	series_release(&set);
	result_set_release(&files);
	return 0;
}
