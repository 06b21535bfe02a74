/* Further questions: what limits a case, time and cost, the bandwidth for an
 * efficiency, the number of nodes until an efficiency, and the effect of a
 * change; and the outputs: tables, one flat table (CSV), JSON, a chart.
 *
 *	bandwidth=25Gbit/s  bandwidth=x10  compression=fp16  buckets=161:4
 *	compute=x1.5  batch=64  precision=fp16
 *
 * Changes joined by commas act together. */
#ifndef PREDICT_ANSWERS_H
#define PREDICT_ANSWERS_H

#include <stdio.h>

#include "common/table/table.h"
#include "predict/forecast.h"

/* Shares of T(n, g) that a diagnosis has; NAN where it was not measured. */
enum diagnosis_part {
	DIAGNOSIS_LOSS,          /* 1 - efficiency */
	DIAGNOSIS_WITHIN_NODES,  /* (T(1, g) - T(1, 1)) / T */
	DIAGNOSIS_BETWEEN_NODES, /* (T(n, g) - T(1, g)) / T */
	DIAGNOSIS_COMMUNICATION, /* exposed communication, from the phases */
	DIAGNOSIS_INPUT,         /* waiting for data, from the phases */
	DIAGNOSIS_STRAGGLER,     /* min(loss, sigma e(N) T_base / T) */
	DIAGNOSIS_OTHER,         /* loss without the three before it */
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

/* Time and cost of a training; all NAN where samples per second are unknown. */
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
	/* First count below by the median, earliest and latest by the
	 * interval's ends; 0: none. */
	long first[3];
	long limit; /* largest count searched */
};

/* Search the counts of the main row from 1 to 8 times the largest one for a
 * target efficiency; measured counts use their measured efficiency. Returns 0;
 * -1 where no row can be predicted from. */
int until_find(const struct forecast *f, double target, double level,
    struct until_answer *out);

struct what_if {
	const char *text;   /* as given; borrowed */
	double bit_per_s;   /* rate of the new link; NAN: unchanged */
	double cost;        /* factor of the communication time */
	double fewer;       /* messages a step; 0: unchanged */
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
	/* Communication time before the change: measured, and as the link needs
	 * for the bytes, headers included; NAN: unknown. */
	double busy_s, link_s;
	/* 1: the answer is a bound, because communication took much longer than
	 * the link needs for its bytes, and the surplus need not scale with the
	 * link. */
	int bound;
};

/* Step time after the change of a case c of several nodes, of a forecast f of
 * the set. Returns 0; -1 with a sentence that states what is missing. */
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
