/* Metrics of runs next to their speed (MFU, memory, power, ...) as columns of a
 * table.
 *
 *	struct metric_list l = METRIC_LIST_INIT;
 *	metric_list_add(&l, c);
 *	metric_list_columns(&l, &t, TABLE_DECIMAL);
 *	metric_list_release(&l);
 */
#ifndef REPORT_PARTS_METRICS_H
#define REPORT_PARTS_METRICS_H

#include "common/result/result.h"
#include "common/table/table.h"

/* Most metrics in one table. */
enum { METRICS_MAX = 256 };

/* Distinct metrics in order of first appearance. */
struct metric_list {
	const struct result_metric **items;
	size_t n, alloc;
	int more; /* 1: there were more than METRICS_MAX */
};

#define METRIC_LIST_INIT \
	{ \
		NULL, 0, 0, 0 \
	}

/* Add the metrics of a case's runs that are new. They are borrowed. */
void metric_list_add(struct metric_list *l, const struct result_case *c);

/* Add a column per metric, with its name and unit. */
void metric_list_columns(
    const struct metric_list *l, struct table *t, enum table_align align);

/* Free the list. */
void metric_list_release(struct metric_list *l);

/* Median of a metric over the runs of a case that have it; NAN: none. */
double metric_median(const struct result_case *c, const char *name);

#endif
