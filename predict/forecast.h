/* Forecasts: the device time per sample of each measured case, rows of them,
 * and for each series its measured and predicted cases and refusals; questions
 * about them (answers.c) and outputs.
 *
 *	t = N / X for rates of work, the value itself for step times (N times
 *	it under strong scaling), 1 / X for iterations/s (N / X)
 */
#ifndef PREDICT_FORECAST_H
#define PREDICT_FORECAST_H

#include <stddef.h>
#include <stdio.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/result/case_text.h"
#include "common/result/work_rate.h"
#include "common/series/series.h"
#include "common/table/table.h"
#include "predict/models.h"

/* A case, measured or to be predicted. */
struct scaling_shape {
	const char *name;
	long nodes, gpus_per_node; /* RESULT_UNKNOWN: "32g" */
	long gpus;
};

struct scaling_case {
	const struct series_point *point;
	struct scaling_shape shape;
	double speed;  /* X, in the unit of the series */
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
	enum work_kind kind;
	int strong;       /* the global batch is the same in all cases */
	int flat;         /* nodes unknown: all cases are one column */
	const char *unit; /* never NULL */
	enum remark_code not_predicted; /* why the values are not training
					   speeds, or REMARK_NONE */
	const char *device;             /* of all runs that name one, or NULL */
	double batch;      /* per device under weak scaling; NAN: unknown */
	double samples;    /* of a step, per device (weak scaling) or in total
	                   (strong); NAN: unknown */
	double step_scale; /* step_s over t (weak), over t / N (strong) */
	double sigma;      /* of one rank's compute time, relative, from the
	                      audit of the one-GPU runs; NAN: unknown */
	struct scaling_case *cases; /* with a known speed; by GPUs, then
				       nodes */
	size_t n;
	const struct scaling_case *baseline; /* NULL without cases */
};

/* The measured case of a shape, or NULL. A flat series compares only gpus. */
const struct scaling_case *scaling_series_find(
    const struct scaling_series *s, long nodes, long gpus_per_node, long gpus);

/* Convert a device time to a speed in the series' unit. Its own inverse, except
 * for step times under strong scaling. */
double scaling_speed(const struct scaling_series *s, double t, double gpus);

/* The seconds of a step; NAN: unknown. */
double scaling_step(const struct scaling_series *s, double t, double gpus);

/* Initialise from a series of a set, from which it borrows; errors as
 * forecast_make. */
int scaling_series_init(struct scaling_series *s, const struct series *series,
    const char *baseline, struct arena *a, struct error *e);

/* Make a shape, with its name in a. gpus is the number per node, or the total
 * if nodes is RESULT_UNKNOWN. */
struct scaling_shape scaling_shape_make(long nodes, long gpus, struct arena *a);

/* Parse "4n8g" or "32g"; its name lives in a. Returns 0, or -1 if the text is
 * not a case. */
int scaling_shape_parse(
    const char *text, struct scaling_shape *target, struct arena *a);

/* --- forecasts ------------------------------------------------------------ */

enum {
	FORECAST_MAX_LEVELS = 8,
	/* The median, and both ends of each level and of 80 %. */
	FORECAST_ENDS = 2 * FORECAST_MAX_LEVELS + 3
};

enum forecast_model {
	FORECAST_AUTO, /* transfer where it is possible, else doubling */
	FORECAST_DOUBLING,
	FORECAST_TRANSFER
};

/* A request for forecasts; numbers that are not given are NAN. */
struct forecast_request {
	const struct scaling_shape *targets; /* [n_targets]; none: the next
	                                        two doublings of each row */
	size_t n_targets;
	enum forecast_model model;
	int compare; /* 1: also fit other laws */
	int no_pool; /* 1: growth is not pooled over sibling series */
	int force;
	double levels[FORECAST_MAX_LEVELS + 1]; /* [n_levels], and 80 %; the
	                                           first is shown in tables */
	size_t n_levels;                        /* >= 1 */
	const char *baseline;                   /* NULL: by rule */
	struct network_model network;
	int by_network; /* 1: predict over the network from one node */
	const struct what_if *what_ifs; /* [n_what_ifs] */
	size_t n_what_ifs;
	double until, want; /* efficiencies, as shares */
	int diagnose;
	double samples;   /* to train on */
	double price;     /* of a GPU-hour */
	double bandwidth; /* of the measured link, bit/s */
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
	struct scaling_shape shape;
	enum forecast_how how;
	const struct scaling_case *measured; /* NULL: predicted */
	int forced;
	/* Device time: median, then low and high end of each level, of 80 %
	 * last; the same as speeds. */
	double t[FORECAST_ENDS], speed[FORECAST_ENDS];
	double speedup, efficiency, step_s;
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
	struct scaling_shape shape;
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

/* The cases on one axis: a row (nodes, with equal GPUs per node) or the column
 * (GPUs of one node; all cases of a flat series).  They are never mixed,
 * because they measure different links. */
struct forecast_row {
	enum doubling_axis axis;
	long gpus_per_node;           /* RESULT_UNKNOWN: of the column */
	struct scaling_point *points; /* [n] by m */
	size_t n;
	int lifted;                   /* --force lifted a refusal */
	struct remark refusal;        /* of its points */
	int teaches;                  /* 1: has three counts, is not refused */
	double evidence[GROWTH_RHOS]; /* set if the row teaches */
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
	struct forecast_row column; /* of one node; not of a flat series */
	double gradient_bytes;      /* of a step; NAN: unknown */
	int gradients_by_model;     /* 1: four bytes per parameter, by model */
};

struct forecast_set {
	const struct forecast_request *request; /* borrowed */
	struct forecast *items;                 /* in the order of the series */
	size_t n;
	struct arena arena; /* of all; released by the caller */
};

/* The usable row with the most GPUs per node, for questions about other counts;
 * the column of a flat series. NULL if no row is usable. */
const struct forecast_row *forecast_main_row(const struct forecast *f);

/* The back-test of the row with the largest case; NULL if no row has three
 * counts. */
const struct forecast_backtest *forecast_best_backtest(
    const struct forecast *f);

/* The first case that was predicted, or NULL. */
const struct forecast_case *forecast_first(const struct forecast *f);

/* Predict all targets in all series of a set; set and request must outlive the
 * result.
 *
 * Returns 0, also if everything is refused; -1 with ERROR_INPUT for a speed
 * that is not finite and above 0, or for different devices, or with ERROR_USAGE
 * for a baseline that is not a case. */
int forecast_make(struct series_set *set,
    const struct forecast_request *request, struct forecast_set *out,
    struct error *e);

/* --- questions ------------------------------------------------------------ */

/* Parts of a diagnosis, as shares of T(n, g); NAN if not measured. */
enum diagnosis_part {
	DIAGNOSIS_LOSS,          /* 1 - efficiency */
	DIAGNOSIS_WITHIN_NODES,  /* (T(1, g) - T(1, 1)) / T */
	DIAGNOSIS_BETWEEN_NODES, /* (T(n, g) - T(1, g)) / T */
	DIAGNOSIS_COMMUNICATION, /* exposed communication, from the phases */
	DIAGNOSIS_INPUT,         /* waiting for data, from the phases */
	DIAGNOSIS_STRAGGLER,     /* min(loss, sigma e(N) T_base / T) */
	DIAGNOSIS_OTHER,         /* loss less the three parts above */
	N_DIAGNOSIS_PARTS
};

struct diagnosis_part_row {
	const char *key;   /* in JSON */
	enum message head; /* in tables */
};

extern const struct diagnosis_part_row diagnosis_parts[N_DIAGNOSIS_PARTS];

/* Compute the parts of a measured case, from its runs. Negative ones are
 * gains. */
void diagnosis_make(const struct scaling_series *s,
    const struct scaling_case *c, double parts[N_DIAGNOSIS_PARTS]);

/* Time and cost of a training; all NAN if samples per second are unknown. */
struct cost_answer {
	double seconds[3]; /* of the median, low and high end of t's interval */
	double gpu_hours;
	double cost; /* NAN without a price */
};

/* Time and cost of training on a number of samples, at a price of a
 * GPU-hour. */
struct cost_answer cost_make(const struct scaling_series *s,
    const struct forecast_case *c, double samples, double price);

struct bandwidth_answer {
	const struct forecast_case *of;
	double bit_per_s; /* NAN: no rate reaches the target */
	double low, high; /* range over the unknown overlap; equal if it is
			     known */
	double best;      /* efficiency without any network */
};

/* Find the link rate at which the largest measured case of several nodes
 * reaches the efficiency that is wanted. Returns 0; -1 with a message that says
 * what is missing. */
int bandwidth_find(const struct forecast *f, const struct forecast_request *ask,
    struct bandwidth_answer *out, struct error *e);

struct until_answer {
	long gpus_per_node; /* RESULT_UNKNOWN: counts are GPUs, not nodes */
	/* First count with an efficiency below the target: by the median, then
	 * the earliest and latest by the interval's ends; 0: none. */
	long first[3];
	long limit; /* largest count searched */
};

/* Search the counts of the main row from 1 to 8 times the largest one for a
 * target efficiency; measured counts use their measured efficiency. Returns 0;
 * -1 if no row is usable for a prediction. */
int until_find(const struct forecast *f, double target, double level,
    struct until_answer *out);

/* Changes that act together: bandwidth=25Gbit/s or =x10, compression=fp16,
 * buckets=161:4, compute=x1.5, batch=64, precision=fp16. */
struct what_if {
	const char *text;   /* as given; borrowed */
	double bit_per_s;   /* rate of the new link; NAN: unchanged */
	double cost;        /* factor of the communication time */
	double fewer;       /* messages per step; 0: unchanged */
	double compute;     /* factor of the devices' speed */
	double batch;       /* NAN: unchanged */
	char precision[16]; /* "": unchanged */
};

/* Read one --what-if. Returns 0; -1 with ERROR_USAGE. */
int what_if_parse(const char *text, struct what_if *w, struct error *e);

struct what_if_answer {
	struct step_range step; /* after the change */
	double before_s;        /* step before the change */
	double gamma;           /* NAN: unknown, both ends were computed */
	/* Communication time before the change, as measured, and the time that
	 * the link needs for the bytes and headers; NAN: unknown. */
	double busy_s, link_s;
	/* 1: the answer is a bound, because communication took much longer than
	 * the link needs for its bytes, and the surplus need not scale with the
	 * link. */
	int bound;
};

/* Compute the step time after the change, for a case c of several nodes in a
 * forecast f of the set. Returns 0; -1 with a sentence on what is missing. */
int what_if_answer(const struct forecast_set *set, const struct forecast *f,
    const struct forecast_case *c, const struct what_if *w,
    struct what_if_answer *out, struct error *e);

/* --- outputs -------------------------------------------------------------- */

/* Write all tables to f, each series with its headline as title. */
void show_tables(struct series_set *set, const struct forecast_set *forecasts,
    enum language lang, const struct table_format *format,
    enum table_colour colour, FILE *f);

/* Write the forecasts as JSON (dlscale-prediction/1). Errors of f are left to
 * outfile_commit. */
void show_json(
    struct series_set *set, const struct forecast_set *forecasts, FILE *f);

/* Number of colours in the chart. */
enum { CHART_SVG_MAX_SERIES = 7 };

/* Write the SVG of --chart (chart_svg.c): speed over GPUs on logarithmic axes,
 * measured cases as points, predicted ones as a line with their 80 % band, each
 * series in a colour with a dashed ideal line. Equal forecasts give equal
 * bytes. Errors of out are left to outfile_commit. */
void chart_svg_write(
    struct series_set *set, const struct forecast_set *f, FILE *out);

#endif
