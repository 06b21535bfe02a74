/* Refusals to predict, with messages that say what to measure.
 */
#ifndef PREDICT_FORECAST_REFUSAL_H
#define PREDICT_FORECAST_REFUSAL_H

#include "common/arena.h"
#include "predict/forecast/scaling_series.h"

enum refusal_code {
	REFUSAL_NONE,
	REFUSAL_MEASURED,      /* nothing to predict */
	REFUSAL_METRIC,        /* no speed */
	REFUSAL_BATCH,         /* batches differ in a series */
	REFUSAL_NODES,         /* the target has no node count but its series
				  has */
	REFUSAL_GPUS_PER_NODE, /* no such row */
	REFUSAL_ONE_NODE_COUNT,
	REFUSAL_TOO_FEW,
	REFUSAL_CASE_TWICE,
	REFUSAL_SUPERLINEAR, /* efficiency rises with the count */
	REFUSAL_TOO_FAR,
	REFUSAL_TRANSFER /* --model=transfer without another batch size */
};

/* Words of the codes in JSON: "one-node-count". */
extern const char *const refusal_words[];

/* A refusal; the message lives in the arena it was made with. */
struct refusal {
	enum refusal_code code; /* REFUSAL_NONE: none */
	const char *message;    /* NULL: none */
};

/* Check whether a target can be predicted from a row, in the order of the
 * codes, except REFUSAL_BATCH and REFUSAL_TRANSFER, which need other series.
 *
 * force lifts one-node-count, and superlinear by dropping the points before the
 * last rise from the row lifted set to 1 if force lifted a refusal */
struct refusal refusal_check(const struct scaling_series *s,
    struct scaling_row *row, const struct scaling_target *target, int force,
    int *lifted, struct arena *a);

/* Check the points of a row only, for siblings and back-tests: counts, case
 * twice, superlinear. */
struct refusal refusal_of_row(const struct scaling_row *row, struct arena *a);

#endif
