/* Forecasts: the request, and for each series its rows, measured and predicted
 * cases, and refusals. */
#ifndef PREDICT_FORECAST_FORECAST_H
#define PREDICT_FORECAST_FORECAST_H

#include <stddef.h>

#include "common/arena.h"
#include "common/series/series.h"
#include "predict/forecast/scaling_series.h"
#include "predict/models/laws.h"
#include "predict/models/network_model.h"

enum {
	FORECAST_MAX_LEVELS = 8,
	FORECAST_STANDARD =
	    FORECAST_MAX_LEVELS, /* index of the 80 % interval */
	FORECAST_MAX_TARGETS = 1000
};

enum forecast_model {
	FORECAST_AUTO, /* transfer where it is possible, else doubling */
	FORECAST_DOUBLING,
	FORECAST_TRANSFER
};

/* Request of a forecast. */
struct forecast_request {
	const struct scaling_target *targets; /* [n_targets]; none: the next
	                                         two doublings of each row */
	size_t n_targets;
	enum forecast_model model;
	int compare; /* 1: also fit other laws */
	int no_pool; /* 1: growth is not pooled over sibling series */
	int force;
	double levels[FORECAST_MAX_LEVELS];  /* the first is shown in tables */
	size_t n_levels;                     /* >= 1 */
	const char *baseline;                /* NULL: by rule */
	const struct network_model *network; /* NULL: nothing is known */
};

/* Source of a case's speed. */
enum forecast_how {
	FORECAST_MEASURED,
	FORECAST_BY_DOUBLING,
	FORECAST_BY_TRANSFER,
	FORECAST_BY_LINK
};

enum forecast_warning {
	WARNING_TWO_COUNTS, /* growth is from published series */
	WARNING_SATURATED,
	WARNING_FAR,      /* more than one doubling ahead */
	WARNING_BEYOND,   /* more than K_BEYOND doublings ahead */
	WARNING_RISING,   /* the last doubling cost more than the one before */
	WARNING_WIDE,     /* 80 % interval above the factor */
	WARNING_SPREAD,   /* of the runs of a case */
	WARNING_BACKTEST, /* missed its interval */
	WARNING_ASSUMED,  /* buckets were assumed */
	WARNING_FLAGGED,  /* a measured case that it rests on is in doubt */
	N_FORECAST_WARNINGS
};

/* The words in JSON ("two-counts") and the texts in tables by enum
 * forecast_warning and enum forecast_how; none for WARNING_FLAGGED, whose flags
 * have sentences of their own. */
struct forecast_word {
	const char *word;
	enum message text;
};
extern const struct forecast_word forecast_warnings[N_FORECAST_WARNINGS];
extern const struct forecast_word forecast_hows[];

struct forecast_case {
	struct scaling_target shape;
	enum forecast_how how;
	const struct scaling_case *measured; /* NULL: predicted */
	int forced;
	double t; /* device time, median */
	double t_low[FORECAST_STANDARD + 1], t_high[FORECAST_STANDARD + 1];
	double doublings;     /* beyond the largest measured count */
	double growth;        /* rho; NAN: not by doubling */
	size_t n_counts;      /* of the row */
	size_t pooled;        /* number of pooled siblings */
	const char *anchor;   /* of a transfer: its case, or NULL */
	double sibling_batch; /* of a transfer: the other batch size */
	const struct scaling_case **rests; /* [n_rests] measured cases that it
	                                      is computed from */
	size_t n_rests;
	unsigned warnings;           /* bits by enum forecast_warning */
	double laws[N_SCALING_LAWS]; /* speeds; NAN: not requested */
};

struct forecast_refused {
	struct scaling_target shape;
	struct remark why; /* REMARK_IS_MEASURED, ... */
};

/* Prediction of the largest case of a row from the others. */
struct forecast_backtest {
	const struct scaling_case *of; /* NULL: no row has three counts */
	double predicted;              /* speed */
	double error;                  /* predicted / measured - 1, of speed */
	int inside;                    /* 1: measured value within the first
					  interval */
};

/* A row of a series, and values computed once for all its targets. */
struct forecast_row {
	struct scaling_row row;
	struct remark refusal;        /* of its points */
	int teaches;                  /* three counts, not refused */
	double evidence[GROWTH_RHOS]; /* of a row that teaches */
	double prior[GROWTH_RHOS];    /* of rho, siblings included */
	size_t pooled;                /* number of pooled siblings */
	struct forecast_backtest backtest;
};

struct forecast {
	struct scaling_series s;
	struct forecast_case *cases; /* measured and predicted, by GPUs */
	struct forecast_refused *refused;
	struct forecast_row *rows; /* by GPUs a node; the column of a flat
				      series */
	size_t n_cases, n_refused, n_rows;
	double gradient_bytes;  /* of a step; NAN: unknown, or no network */
	int gradients_by_model; /* 1: as four for each of its parameters */
};

struct forecast_set {
	const struct forecast_request *request; /* borrowed */
	struct forecast *items;                 /* in the order of the series */
	size_t n;
	struct arena arena; /* of all */
};

/* Free all. */
void forecast_release(struct forecast_set *f);

/* True if no case was predicted. */
int forecast_is_empty(const struct forecast_set *set);

/* The usable row with the most GPUs per node, for questions about other counts;
 * the column of a flat series.
 *
 * Returns NULL if no row is usable. */
const struct forecast_row *forecast_main_row(const struct forecast *f);

/* The back-test of the row whose largest case is the largest; NULL where no row
 * has three counts. */
const struct forecast_backtest *forecast_best_backtest(
    const struct forecast *f);

/* The first case that was predicted, or NULL. */
const struct forecast_case *forecast_first(const struct forecast *f);

/* Predict all targets in all series of a set; set and request must outlive the
 * result.
 *
 * Returns 0, also where everything is refused; -1 as scaling_series_init. */
int forecast_make(struct series_set *set,
    const struct forecast_request *request, struct forecast_set *out,
    struct error *e);

#endif
