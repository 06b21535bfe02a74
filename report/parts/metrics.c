#include <config.h>

#include "report/parts/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/result.h"
#include "common/stats/stats.h"

static void
add_metric(struct metric_list *l, const struct result_metric *m)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->items[i]->name, m->name) == 0)
			return;
	l->more = l->n == METRICS_MAX;
	if (l->more)
		return;
	l->items = vec_grow(l->items, l->n, &l->alloc, sizeof *l->items);
	l->items[l->n++] = m;
}

void
metric_list_add(struct metric_list *l, const struct result_case *c)
{
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i].n_metrics && !l->more; k++)
			add_metric(l, &c->runs[i].metrics[k]);
}

void
metric_list_columns(
    const struct metric_list *l, struct table *t, enum table_align align)
{
	for (size_t k = 0; k < l->n; k++) {
		const char *unit = l->items[k]->unit;

		table_column(t, l->items[k]->name,
		    unit != NULL && unit[0] != '\0' ? unit : NULL, align);
	}
}

void
metric_list_release(struct metric_list *l)
{
	free(l->items);
	*l = (struct metric_list)METRIC_LIST_INIT;
}

double
metric_median(const struct result_case *c, const char *name)
{
	double *values = xcalloc(c->n_runs + 1, sizeof *values);
	double median = NAN;
	size_t n = 0;

	for (size_t i = 0; i < c->n_runs; i++) {
		const struct result_metric *m =
		    run_metric_of(&c->runs[i], name);

		if (m != NULL && isfinite(m->value))
			values[n++] = m->value;
	}
	if (n > 0)
		median = stats_median(values, n);
	free(values);
	return median;
}
