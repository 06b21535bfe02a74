/* The cases on one axis: a row (nodes, at so many GPUs a node) or the column
 * (GPUs of one node; all cases of a flat series).  They are never mixed,
 * because they measure different links.
 */
#ifndef PREDICT_FORECAST_SCALING_ROW_H
#define PREDICT_FORECAST_SCALING_ROW_H

#include "predict/forecast/scaling_series.h"
#include "predict/models/doubling.h"

struct scaling_row {
	enum doubling_axis axis;
	long gpus_per_node; /* of a row */
	int flat;           /* the column of a series of unknown nodes */
	struct scaling_point *points;      /* [n] by m */
	const struct scaling_case **cases; /* [n] that they are of */
	size_t n;
};

/* What is to be predicted. */
struct scaling_target {
	char name[48];
	long nodes, gpus_per_node; /* RESULT_UNKNOWN: "32g" */
	long gpus;
};

/* Read "4n8g" or "32g".
 *
 * Returns 0, or -1 if it is no case. */
int scaling_target_parse(
    const char *text, size_t len, struct scaling_target *target);

/* The target of that shape. */
void scaling_target_set(
    struct scaling_target *target, long nodes, long gpus_per_node);

/* The cases of one axis.
 *
 * without  one that is excluded, or NULL */
void scaling_row_init(struct scaling_row *row, const struct scaling_series *s,
    enum doubling_axis axis, long gpus_per_node,
    const struct scaling_case *without);

/* The axis that a target is predicted on, and its cases: row g for several
 * nodes, the column for one, or row g where the column has fewer than two
 * counts. */
void scaling_row_for(struct scaling_row *row, const struct scaling_series *s,
    const struct scaling_target *target);

/* The count of a target on the axis of a row. */
double scaling_row_count(
    const struct scaling_row *row, const struct scaling_target *target);

/* Free all. */
void scaling_row_release(struct scaling_row *row);

#endif
