/* make predict-validate: errors of the model. Each series of a file of
 * published figures is cut off after some counts, the next counts are predicted
 * from the rest, and the errors are printed next to those of other laws. */
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

static void
predict_cut(const struct series_set *set, const struct known_part *cut,
    const struct result_case *target, enum task_kind kind)
{
	struct forecast_request request = { .n_targets = 1,
		.model = kind == TASK_TRANSFER ? FORECAST_TRANSFER
					       : FORECAST_DOUBLING,
		.compare = 1,
		.pool = kind == TASK_POOLED,
		.levels = { 0.8, 0.95 },
		.n_levels = 2 };
	struct series_set part = *set;
	struct series *series = xcalloc(set->n, sizeof *series);
	struct series *own = &series[cut->series];
	struct series_point *points;
	struct scaling_target t;
	struct forecast_set f;
	const struct forecast_case *c;

	memcpy(series, set->items, set->n * sizeof *series);
	points = xcalloc(own->n_points, sizeof *points);
	own->n_points = 0;
	for (size_t i = 0; i < set->items[cut->series].n_points; i++) {
		const struct series_point *p =
		    &set->items[cut->series].points[i];

		if (cut->in_node ? p->c->nodes == 1 && p->c->gpus <= cut->last
				 : p->c->nodes <= cut->last)
			points[own->n_points++] = *p;
	}
	own->points = points;
	part.items = series;
	scaling_target_set(&t, target->nodes, target->gpus_per_node);
	request.targets = &t;
	/* Predict this series alone, unless others are used for it. */
	if (kind != TASK_POOLED && kind != TASK_TRANSFER) {
		part.items = own;
		part.n = 1;
	}
	if (forecast_make(&part, &request, &f, NULL) == 0) {
		const struct forecast *of =
		    &f.items[part.n == 1 ? 0 : cut->series];

		c = forecast_first(of);
		if (c != NULL)
			add_errors(kind, of, c, target->median_speed);
		else
			errors[kind].refused++;
		forecast_release(&f);
	}
	free(points);
	free(series);
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

int
main(int argc, char **argv)
{
	const struct series_how how = { .need_gpus = 1 };
	struct result_set files = RESULT_SET_INIT;
	struct error e = ERROR_INIT;
	struct series_set set;

	if (result_set_read(
		&files, argv + 1, (size_t)(argc > 1 ? argc - 1 : 0), &e) != 0)
		return error_report("predict_validate", &e);
	if (series_collect(&files, &how, &set, &e) != 0) {
		result_set_release(&files);
		return error_report("predict_validate", &e);
	}
	for (size_t i = 0; i < set.n; i++)
		series_tasks(&set, i);
	print_table();
	for (int i = 0; i < N_TASKS; i++)
		for (int k = 0; k < N_METHODS; k++)
			free(errors[i].items[k]);
	series_release(&set);
	result_set_release(&files);
	return 0;
}
