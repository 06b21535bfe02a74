/* What the files forecast*.c share.  No other file includes it. */
#ifndef PREDICT_FORECAST_FORECAST_PARTS_H
#define PREDICT_FORECAST_FORECAST_PARTS_H

#include "predict/forecast/forecast_set.h"
#include "predict/models/mixture.h"

/* What one call works with. */
struct forecast_job {
	struct forecast_set *set;
	const struct series_set *series;
	const struct forecast_request *request;
};

/* A case without numbers at a shape: all that is not known is NAN. */
struct forecast_case forecast_case_init(
    const struct scaling_target *shape, enum forecast_how how);

/* Set median and intervals at all levels that are asked for, and the warning
 * that they are wide.
 *
 * x      of ln t
 * scale  by which times become device times */
void forecast_case_set_times(const struct forecast_job *job,
    const struct mixture *x, double scale, struct forecast_case *c);

/* Add a copy of a case to a forecast, with the laws of others if asked for,
 * which are set in c. */
void forecast_add_case(const struct forecast_job *job, struct forecast *f,
    struct forecast_case *c);

/* WARNING_SPREAD as a bit if the case's runs spread, else 0. */
unsigned forecast_spread_warning(const struct scaling_case *c);

/* A case as measured; with 0 as its spread. */
struct forecast_case forecast_measured(
    const struct forecast_job *job, const struct scaling_case *m);

/* Add the case at a target by the doubling model.
 *
 * row   what it is predicted from
 * kept  the row of the series that row is, whole; NULL: a column, or forced */
void forecast_by_doubling(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target, const struct scaling_row *row,
    struct forecast_row *kept, int forced);

/* Predict the largest case of a row from the others: r->backtest.  A row of
 * less than three counts has none. */
void forecast_set_backtest(
    const struct forecast_job *job, struct forecast *f, struct forecast_row *r);

/* Add a case of more GPUs a node than any row has: the column's step with
 * them, and what the largest row loses to the network.  Both ends act
 * together, so the interval is no narrower than the truth.
 *
 * Returns what refuses it; nothing is added then. */
struct refusal forecast_wider(const struct forecast_job *job,
    struct forecast *f, const struct scaling_target *target);

/* The same configuration at another batch size? */
int forecast_differs_in_batch(
    const struct forecast *a, const struct forecast *b);

/* Add the case at a target from the nearest other batch size.
 *
 * Returns 1, or 0 if no series has what it takes. */
int forecast_by_transfer(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target);

/* Add the case at a target over the network that the request describes, from
 * the case of one node.  The range is that of the overlap, none to all.
 *
 * Returns 1, or 0 if the network or the case of one node are unknown. */
int forecast_by_link(const struct forecast_job *job, struct forecast *f,
    const struct scaling_target *target);

#endif
