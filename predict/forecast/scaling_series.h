/* A series for prediction: the device time per sample of each measured case,
 * and conversions of such times to speeds and steps.
 *
 *	t = N / X for rates of work, the value itself for step times (N times
 *	it under strong scaling), 1 / X for iterations/s (N / X)
 *
 * Cases whose speed is not known (a published "OOM") are excluded.
 */
#ifndef PREDICT_FORECAST_SCALING_SERIES_H
#define PREDICT_FORECAST_SCALING_SERIES_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/result/case_flags.h"
#include "common/series/series.h"
#include "predict/models/doubling.h"

/* Kind of a case's speed. */
enum speed_kind {
	SPEED_RATE,      /* work per second of all devices */
	SPEED_STEP_TIME, /* seconds a step */
	SPEED_STEP_RATE  /* steps per second */
};

struct scaling_case {
	const struct series_point *point;
	const char *name;
	long nodes, gpus_per_node, gpus; /* the first two may be unknown */
	double speed;                    /* X, in the unit of the series */
	double t;      /* device time of a sample, up to a factor of the
	                  series */
	double s;      /* its relative standard error, 0 below two runs */
	double cv;     /* of the runs, NAN below two */
	double step_s; /* of the series' scale; NAN: unknown */
	const struct case_flag *doubts; /* [n_doubts] flags that put the speed
	                                   in doubt */
	size_t n_doubts;
};

struct scaling_series {
	const struct series *series;
	enum speed_kind kind;
	int strong;       /* the global batch is the same in all cases */
	int flat;         /* nodes unknown: all cases are one column */
	const char *unit; /* never NULL */
	enum remark_code not_predicted; /* reason, for a metric that is not a
					   speed; or REMARK_NONE */
	const char *device;             /* of all runs that name one, or NULL */
	double batch;   /* per device under weak scaling; NAN: unknown */
	double samples; /* of a step on all devices over devices, weak; of all
	                   of them, strong; NAN: unknown */
	double step_scale; /* step_s over t (weak), over t / N (strong) */
	double sigma;      /* of one rank's compute time, relative, from the
	                      audit of the one-GPU runs; NAN: unknown */
	struct scaling_case *cases; /* by GPUs, then nodes */
	size_t n;
	const struct scaling_case *baseline; /* NULL without cases */
};

/* Initialise from a series of a set, from which it borrows.
 *
 * baseline  name of a case, or NULL: 1n1g, else the fewest GPUs
 * a         arena of the cases
 *
 * Returns 0; -1 with ERROR_INPUT for a speed that is not above 0 and finite,
 * different devices, or ERROR_USAGE for a baseline that is no case. */
int scaling_series_init(struct scaling_series *s, const struct series *series,
    const char *baseline, struct arena *a, struct error *e);

/* The measured case of that shape, or NULL.
 *
 * nodes  RESULT_UNKNOWN in a flat series: gpus decides */
const struct scaling_case *scaling_series_find(
    const struct scaling_series *s, long nodes, long gpus_per_node, long gpus);

/* The measured case of one node with so many GPUs, or NULL. */
const struct scaling_case *scaling_series_node(
    const struct scaling_series *s, long gpus);

/* Convert a device time to a speed in the series' unit. Its own inverse, except
 * for step times under strong scaling. */
double scaling_speed(const struct scaling_series *s, double t, double gpus);

/* The seconds of a step; NAN: unknown. */
double scaling_step(const struct scaling_series *s, double t, double gpus);

/* Work per second over the baseline's, and that over the ratio of GPUs. */
double scaling_speedup(const struct scaling_series *s, double t, double gpus);
double scaling_efficiency(const struct scaling_series *s, double t);

/* Samples a second of all devices; NAN: unknown. */
double scaling_samples(const struct scaling_series *s, double t, double gpus);

/* --- targets and rows ----------------------------------------------------- */

/* The cases on one axis: a row (nodes, at so many GPUs a node) or the column
 * (GPUs of one node; all cases of a flat series).  They are never mixed,
 * because they measure different links. */
struct scaling_row {
	enum doubling_axis axis;
	long gpus_per_node; /* of a row */
	int flat;           /* the column of a series of unknown nodes */
	struct scaling_point *points;      /* [n] by m */
	const struct scaling_case **cases; /* [n] that they are of */
	size_t n;
};

/* A case to be predicted. */
struct scaling_target {
	char name[48];
	long nodes, gpus_per_node; /* RESULT_UNKNOWN: "32g" */
	long gpus;
};

/* Parse "4n8g" or "32g".
 *
 * Returns 0, or -1 if it is no case. */
int scaling_target_parse(const char *text, struct scaling_target *target);

/* The target of that shape. */
void scaling_target_set(
    struct scaling_target *target, long nodes, long gpus_per_node);

/* Give a target without nodes those that follow if all cases but 1n1g have one
 * number of GPUs a node. */
void scaling_target_complete(
    struct scaling_target *target, const struct scaling_series *s);

/* The cases of one axis, in a.
 *
 * without  one that is excluded, or NULL */
struct scaling_row scaling_row_of(const struct scaling_series *s,
    enum doubling_axis axis, long gpus_per_node,
    const struct scaling_case *without, struct arena *a);

/* The axis on which a target is predicted: row g for several nodes; for one
 * node the column, or row g if the column has fewer than two counts. */
struct scaling_row scaling_row_for(const struct scaling_series *s,
    const struct scaling_target *target, struct arena *a);

/* The count of a target on the axis of a row. */
double scaling_row_count(
    const struct scaling_row *row, const struct scaling_target *target);

/* Check whether a target can be predicted from a row.
 *
 * force   1: REMARK_ONE_NODE_COUNT is no refusal, nor REMARK_EFFICIENCY_RISES:
 *         the points before the last rise are dropped from the row
 * lifted  set to 1 if force lifted a refusal
 *
 * Returns why it is refused, or REMARK_NONE; its texts live in a. */
struct remark refusal_check(const struct scaling_series *s,
    struct scaling_row *row, const struct scaling_target *target, int force,
    int *lifted, struct arena *a);

/* Check the points of a row only, for siblings and back-tests: counts, equal
 * ones, rising efficiency. */
struct remark refusal_of_row(const struct scaling_row *row);

#endif
