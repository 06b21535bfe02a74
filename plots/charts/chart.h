/* What is drawn: the kinds of charts, and the numbers of one picture.
 *
 * A kind of chart is a template plots/templates/NAME.gp, which gets the data
 * that script.h describes, and a row of charts[] in charts.c.
 */
#ifndef PLOTS_CHARTS_CHART_H
#define PLOTS_CHARTS_CHART_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/result/work_rate.h"
#include "common/series/series.h"
#include "common/texts/messages.h"
#include "plots/style/axis.h"
#include "plots/style/legend.h"

/* Quantities of a point; columns of $data are made of them in this order. */
enum chart_quantity {
	CHART_VALUE,     /* the median, in the case's unit */
	CHART_SPEEDUP,   /* over the baseline, no unit */
	CHART_EFFICIENCY /* per cent */
};
enum { CHART_N_QUANTITIES = CHART_EFFICIENCY + 1 };

/* FROM_ZERO: lengths of bars mean something. */
enum chart_scale { CHART_RATIO, CHART_AMOUNT, CHART_PERCENT, CHART_FROM_ZERO };

struct chart_data;
struct comparison_how;
struct predictions;
struct step_records;

/* Makes the series; returns 0 or -1, without series where the set has nothing
 * of the kind.
 *
 * names  [set->n] of the series */
typedef int chart_filler(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e);

/* What a chart of steps draws of each. */
enum step_field { STEP_VALUE, STEP_LOSS, STEP_TOP1 };

struct chart {
	const char *name;     /* of --chart and of its template */
	const char *sentence; /* for --list-charts */
	enum message title;   /* of the y axis */
	enum message x_title;
	chart_filler *fill;
	enum chart_scale scale;
	enum chart_quantity quantity;
	const char *unit;       /* of y; NULL: that of the cases */
	const char *x_unit;     /* or NULL */
	enum step_field step_y; /* of charts of steps, over their number, ... */
	int over_seconds;       /* ... 1: over time */
	void (*fill_x)(struct chart_data *d, int room); /* NULL: whole numbers
	                                                   above 0 */
	/* True if something is drawn of the case.  NULL: no note names the
	 * cases of which nothing is.  Charts over GPUs draw those with a
	 * number of GPUs and a value. */
	int (*draws)(const struct result_case *c);
	const char *wants; /* what a set lacks of which nothing is drawn; NULL
	                      of charts over GPUs */
	enum legend_sample sample;
	enum message note; /* explains the marks; 0: none */
	int over_gpus;     /* 1: x is the number of GPUs: speedups, ideal
	                       lines, predictions */
	int keyed;         /* 1: its series are the set's, or parts of one each,
	                       so that their keys can colour them */
	int full_names;    /* 1: a series is named by all in which it differs */
	int labelled;      /* 1: each point's name is shown */
	int is_stack;      /* 1: boxes stand on those of the series before */
	int of_steps;      /* 1: drawn from records of single steps */
	int sideways;      /* 1: x, names, goes down the side, values along */
	int shows_link;    /* 1: values are bandwidths, which a link limits */
	int is_ratio;      /* 1: of two results; values are over 1, and a point
	                       is open where nothing is proven */
	int names_in_title; /* 1: the title has the name of a single series */
	uint64_t over;      /* bits of the series' keys that x stands for */
};

/* All kinds, in the order of --list-charts; the last one has the name NULL. */
extern const struct chart charts[];

struct chart_how;

/* Check that all options of how have a meaning for the chart.  Returns 0, or -1
 * with ERROR_USAGE that names the first one that has none.
 *
 * set  whose keys the options name */
int chart_honours(const struct chart *chart, const struct series_set *set,
    const struct chart_how *how, struct error *e);

/* The row of that name, or NULL. */
const struct chart *chart_find(const char *name);

/* A number and its interval; ends are NAN where unknown. */
struct chart_number {
	double at, low, high;
};

struct chart_point {
	double x; /* GPUs, or what the chart is over */
	/* at NAN: unknown.  Charts that are not over GPUs have a value only. */
	struct chart_number y[CHART_N_QUANTITIES];
	double level[CHART_N_QUANTITIES]; /* of the intervals */
	const char *name;                 /* the case's */
	const struct result_run *runs;    /* [n_runs], to be shown, or NULL */
	size_t n_runs;
	double trend;     /* the running median, or that of the point's level;
	                    NAN: none */
	int starts_level; /* 1: the first of a level, but the chart's first */
	int is_open;      /* 1: of a comparison: nothing is proven */
	int aside; /* 1: on no line; of charts over GPUs, another case of the
	              series has as many GPUs and fewer nodes: named */
};

/* What is marked along the x axis for a run: the window that was measured, and
 * where it had settled; NAN where unknown. */
struct chart_mark {
	double from, to, settled;
};

/* A line of a chart with names down the side. */
struct chart_row {
	const char *name;
	const char *number, *verdict; /* at the right; "": nothing */
};

struct chart_series {
	const struct series *source; /* whose cases it shows; NULL: of several
	                                series, or of a part of one */
	/* How it looks, each from 0: colours, marks and dashes are shared by
	 * series with the same value of a key.  dash -1: as the colour. */
	int colour, mark, dash;
	const void *group; /* those of a group are repetitions; NULL: none is */
	int facet;         /* the small chart that it is in */
	const char *name;  /* in the legend */
	const char *part;  /* what it is of its source, at the end of its name;
	                      NULL: all of it */
	struct chart_mark mark_at;  /* of charts of steps */
	struct chart_number spread; /* of a run's steps: their median, 5th and
	                               95th percentile; at NAN: not shown */
	struct chart_point *points; /* by x; those aside come last */
	size_t n_points;
	const char *base_name; /* of the baseline case, or NULL */
	double base_gpus;      /* NAN: unknown */
	double base_value;     /* its median, NAN: unknown */
	int base_flag;         /* not asked for, and not 1n1g */
	enum work_kind kind;   /* of its values */
	int flat;              /* 1: ideally more GPUs change nothing, as a step
	             of weak scaling takes as long on all of them */
};

/* What is predicted for a series: a line between the ends of its intervals.
 * Where it leaves what was measured it starts at a measured point, whose ends
 * are the point itself. */
struct chart_band {
	int series;                 /* from 0: whose colour and facet it has */
	struct chart_point *points; /* [n_points] by x */
	size_t n_points;
};

struct chart_data {
	struct arena arena;
	enum language lang;
	const struct chart *chart;
	struct chart_series *series; /* those with something to draw */
	size_t n_series, alloc_series;
	const char *title;  /* what is the same in all series */
	const char *remark; /* what its numbers are, of charts whose fill
	                       has something to state; or NULL */
	const char *note;   /* that, baseline, bars, what is not drawn */
	const char *x_title, *y_title, *ideal_title;
	double limit;            /* what a link can carry, 0: no line */
	const char *limit_title; /* its name */
	int n_colours;
	const char **facets; /* [n_facets] their titles; NULL: one chart */
	size_t n_facets;
	struct chart_band *bands; /* [n_bands] of charts over GPUs */
	size_t n_bands;
	/* Of charts of steps. */
	const struct step_records *records; /* or NULL */
	const char *y_unit;                 /* of the steps, or NULL */
	size_t n_runs_left_out;             /* too many for one chart */
	int is_time;                        /* less is better */
	const struct run_metric *metric;    /* in place of the speed, or NULL */
	int is_relative;        /* 1: values are over a first one, no unit */
	struct chart_row *rows; /* [n_rows] of charts with names down the side,
	                           the first at y = 1 */
	size_t n_rows;
	/* Of comparisons. */
	const struct comparison_how *comparison; /* or NULL: as usual */
	double delta; /* equivalent within 1 / (1 + delta) to 1 + delta */
	struct chart_number mean; /* of all ratios, in the last row; at 0:
	                             there is none */
	const struct chart_series *shared_base; /* whose baseline all stand
	                                           on, or NULL: each its own */
	struct axis x, y;
};

enum {
	CHART_MAX_SERIES = 48,
	CHART_MAX_FACETS = 12,
	CHART_MAX_RUNS_SHOWN = 10
};

struct chart_how {
	enum language lang;
	const char *title;   /* instead of what is the same; or NULL */
	int room;            /* characters along the x axis */
	int max_ticks;       /* labels that fit along the y axis */
	int max_facets;      /* small charts that many series may make; 0: none
	                        but those of facet_by */
	int linear;          /* axes of amounts and counts; 0: logarithmic */
	int logarithmic;     /* axes of per cent too */
	int common_baseline; /* all speedups are over the first baseline */
	const struct step_records *records; /* for charts of steps, or NULL */
	const struct predictions *predictions;   /* for those over GPUs, or
	                                          NULL */
	const struct comparison_how *comparison; /* of two results, or NULL */
	double link_gb_per_s; /* the link's, for bandwidths; 0, NAN: unknown */
	/* Keys of series, or NULL: of charts over GPUs. */
	const char *colour_by, *dash_by, *facet_by;
};

/* The numbers of a picture from a set whose GPU counts are all known.  The
 * result borrows from the set.
 *
 * Returns 0; -1 with ERROR_EMPTY if no case has such a number, ERROR_LIMIT for
 * more than CHART_MAX_SERIES series, ERROR_INPUT where numbers do not stand on
 * one axis, ERROR_USAGE for a key that there is not. */
int chart_collect(const struct chart *chart, struct series_set *set,
    const struct chart_how *how, struct chart_data *out, struct error *e);

/* Make d->x again for another room: small charts are narrower. */
void chart_set_room(struct chart_data *d, int room, int linear);

/* The quantity of one run of a point, as y of the point is that of its median;
 * NAN if unknown. */
double chart_run_value(const struct chart_series *s,
    const struct chart_point *p, enum chart_quantity quantity, size_t run);

/* True if the set has what the chart shows; for charts over GPUs at two numbers
 * of GPUs.
 *
 * records  of its runs' steps, or NULL */
int chart_is_possible(const struct chart *chart, struct series_set *set,
    const struct step_records *records);

/* Free all; d is empty. */
void chart_release(struct chart_data *d);

/* The value at x GPUs of the ideal line of a series, NAN if it has none. */
double chart_ideal(
    const struct chart_series *s, enum chart_quantity quantity, double gpus);

/* "resnet50: speedup (×)": the title and what is drawn.  Free with free(). */
char *chart_long_title(const struct chart_data *d);

/* The axes, the series with the first and the last number of each, and the
 * note, in the chart's language, for those who do not see it.  Free with
 * free(). */
char *chart_describe(const struct chart_data *d);

/* --- for the rows of charts[] --------------------------------------------- */

/* Over GPUs; of collectives, over their size and by it; of two results; of
 * cases by name, over the batch size, and the parts of their steps; of single
 * steps; over time. */
chart_filler chart_fill_gpus, chart_fill_bandwidth, chart_fill_sizes,
    chart_fill_ratios, chart_fill_bars, chart_fill_batch, chart_fill_phases,
    chart_fill_steps, chart_fill_history;

/* Whether something is drawn of the case. */
int chart_draws_bandwidth(const struct result_case *c);
int chart_draws_sizes(const struct result_case *c);
int chart_draws_bars(const struct result_case *c);
int chart_draws_batch(const struct result_case *c);
int chart_draws_phases(const struct result_case *c);

/* Make d->x of sizes of messages; of bins of sizes, closed up; of steps or
 * seconds, from 0 on. */
void chart_bandwidth_x(struct chart_data *d, int room);
void chart_sizes_x(struct chart_data *d, int room);
void chart_steps_x(struct chart_data *d, int room);

/* --- for the files of kinds ----------------------------------------------- */

/* One more series of d, empty, with room for n points; valid until the next.
 *
 * name  lives as long as d */
struct chart_series *chart_series_add(
    struct chart_data *d, const char *name, size_t n);

/* One more point of s, which has room for it: y as CHART_VALUE, all else
 * unknown.
 *
 * y      its ends are NAN where unknown
 * level  of that interval, NAN: unknown
 * name   lives as long as the chart */
struct chart_point *chart_point_add(struct chart_series *s, double x,
    const struct chart_number *y, double level, const char *name);

/* One more point of s: a case's median with its interval, and its runs where
 * they are few enough to show. */
struct chart_point *chart_case_add(struct chart_series *s, double x,
    const struct result_case *c, const char *name);

/* A number without an interval. */
struct chart_number chart_number_of(double at);

/* "resnet50, 2n8g": what and a part of it, which a separator joins unless what
 * is empty. */
const char *chart_join(struct chart_data *d, const char *what,
    const char *separator, const char *part);

/* The places of all points along x, each once, from the first to the last.
 * Free with free().
 *
 * n  set to how many there are, at least 1 */
double *chart_places(const struct chart_data *d, size_t *n);

/* Make d->x of d->rows, names that take a third of the room at most.
 *
 * n_rows  1 .. AXIS_MAX_TICKS */
void chart_rows_x(struct chart_data *d, int room);

/* Make d->x of the names of the points, which stand at 1, 2, ... */
void chart_names_x(struct chart_data *d, int room);

/* Make d->x of the points' places, which are whole numbers above 0: numbers of
 * GPUs, batch sizes.
 *
 * linear  1: from 0 on; 0: logarithmic */
void chart_counts_x(struct chart_data *d, int room, int linear);

/* True if the point has what the chart draws, a finite number above 0. */
int chart_point_is_drawn(
    const struct chart *chart, const struct chart_point *p);

/* True if the point of a set has what the chart draws; of a chart that does not
 * state what it draws all have. */
int chart_draws(const struct chart *chart, const struct series_point *p);

/* Charts over GPUs: let all series stand on the first baseline.  Returns 0; -1
 * with ERROR_EMPTY if none has one, ERROR_INPUT where units differ. */
int chart_share_baseline(struct chart_data *d, struct error *e);

/* Set d->bands to the prediction intervals of the series that are drawn, in
 * charts over GPUs.  Returns 0; -1 with ERROR_INPUT if no prediction fits. */
int chart_bands_make(struct chart_data *d, const struct series_set *set,
    const struct predictions *p, struct error *e);

/* Set d's title, note and titles of axes; where baselines differ, their names
 * are added to those of the series.
 *
 * names  [set->n] of the set's series
 * title  instead of what is the same in all series; or NULL */
void chart_texts_set(struct chart_data *d, struct series_set *set,
    const char *const *names, const char *title);

/* Set colour, mark, dash and facet of all series of d, and put those of a facet
 * next to each other.
 *
 * set  whose series d->series[].source are
 * how  its colour_by, dash_by and facet_by name keys of the set; where none is
 *      given, many series are divided into small charts by the key that makes
 *      the fewest of few series each, lines even into one chart each; where
 *      none does, they share colours by the first key that sorts them into few
 *      groups
 *
 * Returns 0; -1 with ERROR_USAGE for a key that there is not. */
int composition_set(struct chart_data *d, struct series_set *set,
    const struct chart_how *how, struct error *e);

/* The styles of series without keys: each has a colour and a mark of its own;
 * where several groups of repetitions are drawn as lines or down the side,
 * each group has a colour, and its lines different dashes. */
void chart_styles_set(struct chart_data *d);

/* True if it can be divided into small charts: its series are those of the set
 * or parts of one, and it has no names down the side. */
int composition_may_divide(const struct chart *chart);

#endif
