/* The forecast of each series of a set: its measured cases, what is predicted
 * of the others, and what is refused.
 *
 *	struct forecast_set f;
 *	if (forecast_make(&set, &request, &f, &e) != 0) ...
 *	for (size_t i = 0; i < f.n; i++)
 *		show(&f.items[i]);
 *	forecast_release(&f);
 */
#ifndef PREDICT_FORECAST_FORECAST_H
#define PREDICT_FORECAST_FORECAST_H

#include "common/error.h"
#include "predict/forecast/forecast_set.h"

/* Predict all targets in all series of a set, which must outlive the result.
 *
 * Returns 0, also where everything is refused; -1 as scaling_series_init. */
int forecast_make(struct series_set *set,
    const struct forecast_request *request, struct forecast_set *out,
    struct error *e);

#endif
