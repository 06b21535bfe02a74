/* Kinds of charts, and the data of one chart.
 *
 * A kind of chart is a template in plots/templates, which reads the data that
 * plots/draw.h describes, and a row of charts[] in charts.c.
 */
#ifndef PLOTS_CHARTS_CHART_H
#define PLOTS_CHARTS_CHART_H

#include <stddef.h>
#include <stdint.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/result/work_rate.h"
#include "common/series/series.h"
#include "common/texts/remark.h"
#include "plots/style/axis.h"

/* Quantities of a point, in the order of the columns of $data. */
enum chart_quantity {
	CHART_VALUE,      /* median, in the case's unit */
	CHART_SPEEDUP,    /* relative to the baseline, no unit */
	CHART_EFFICIENCY, /* per cent */
	CHART_OTHER       /* the chart's enum chart_other */
};
enum { CHART_N_QUANTITIES = CHART_OTHER + 1 };

/* Meaning of CHART_OTHER: rate per GPU, seconds per step, or cost of a million
 * samples (or tokens, ...). */
enum chart_other { OTHER_PER_GPU, OTHER_STEP_TIME, OTHER_COST };

/* FROM_ZERO: bars, whose lengths must be comparable. */
enum chart_scale { CHART_RATIO, CHART_AMOUNT, CHART_PERCENT, CHART_FROM_ZERO };

/* How a series is drawn, and its sample in a legend. LINE: line with marks;
 * STROKE: line without marks. Other series do not join their points. */
enum legend_sample {
	LEGEND_LINE,
	LEGEND_STROKE,
	LEGEND_POINT,
	LEGEND_BOX,
	LEGEND_IDEAL
};

struct chart_data;
struct comparison_how;
struct predictions;

/* --- steps ---------------------------------------------------------------- */

/* A line of the records that extract_logs --records writes, one per measured
 * step. */
struct step_sample {
	long line; /* line of the log, from 1 */
	double epoch, iteration, iteration_from, rank; /* NAN: unknown */

	long position;     /* last step of the line; 0: the log's first */
	long from;         /* first step that the line covers */
	long epoch_start;  /* position of the first step of its epoch */
	double value;      /* in the run's unit; NAN: unknown, as in logs of
	                      time stamps or of means since the start */
	double seconds;    /* elapsed so far; NAN if a value is unknown or the
	                      unit is not s */
	double loss, top1; /* NAN if the log has none */
};

/* Steps of the first rank of a log, in the log's order. */
struct step_run {
	const char *path, *unit;
	struct step_sample *samples;
	size_t n;
};

struct step_records {
	struct arena arena;
	struct step_run *runs;
	size_t n;
};

/* Read a file of records.
 *
 * path  "-": stdin
 *
 * Returns 0; -1 with ERROR_SYSTEM if it cannot be read, ERROR_INPUT with file
 * and line if a line is not a record, ERROR_EMPTY if there are no records. On
 * failure the arena is released. */
int step_records_read(
    const char *path, struct step_records *out, struct error *e);

/* Find a run by path, or NULL. */
const struct step_run *step_records_find(
    const struct step_records *r, const char *path);

/* --- kinds ---------------------------------------------------------------- */

/* Add the chart's series; none if the set has no data for it. May set
 * d->failed and *d->e. */
typedef void chart_filler(struct chart_data *d);

/* Field that a chart of steps draws. */
enum step_field { STEP_VALUE, STEP_LOSS, STEP_TOP1 };

struct chart {
	const char *name;     /* for --chart */
	const char *sentence; /* for --list-charts */
	enum message title;   /* title of the y axis */
	enum message x_title;
	chart_filler *fill;
	enum chart_scale scale;
	const char *template; /* file without suffix; NULL: as name */
	const char *beside;   /* chart of a second quantity, drawn beside this
	                         one in wide pictures; or NULL */
	enum chart_quantity quantity;
	enum chart_other other;
	const char *unit;       /* of y; NULL: the cases' unit */
	const char *x_unit;     /* or NULL */
	enum step_field step_y; /* for charts of steps: field of y */
	int over_seconds;       /* the same: x is 0: steps, 1: seconds */
	const char *wants;      /* data missing if nothing is drawn; NULL: over
	                      GPUs */
	enum legend_sample sample;
	enum message note; /* explains the marks; 0: none */
	int linear_to;     /* axes are linear by default if x ends here or
	                       before; 0: logarithmic */
	int over_gpus;     /* 1: x is the number of GPUs; has speedups, ideal
	                       lines, predictions */
	int keyed;         /* 1: each series is a series of the set or part of
	                       one, so keys can colour it */
	int full_names;    /* 1: names contain all differing keys */
	int labelled;      /* 1: points are labelled with their names */
	int is_stack;      /* 1: sideways, with boxes end to end */
	int of_steps;      /* 1: drawn from step records */
	int sideways;      /* 1: names of d->rows at the side, values along
	                       x */
	int has_names;     /* 1: d->x_names along x */
	int shows_link;    /* 1: values are bandwidths limited by a link, over
	                       sizes of messages */
	int is_grid;       /* 1: sideways, with the names of d->x_names along x
	                       and a number in each cell */
	int is_ratio;      /* 1: ratios of two results, relative to 1; points
	                       without a proven change, or flagged, are open */
	int is_history;    /* 1: each series is a case over time; a single one
	                       is named in the title */
	uint64_t over;     /* bits of the series keys on the x axis */
};

/* All kinds, in the order of --list-charts; the last name is NULL. */
extern const struct chart charts[];

/* True if a doubt about a baseline also applies to the points. */
static inline int
chart_is_of_speedup(const struct chart *chart)
{
	return chart->quantity == CHART_SPEEDUP ||
	    chart->quantity == CHART_EFFICIENCY;
}

/* Find a kind of chart by name, or NULL. */
const struct chart *chart_find(const char *name);

/* Number with its interval; unknown ends are NAN. */
struct chart_number {
	double at, low, high;
};

struct chart_point {
	double x; /* GPUs, or the position on the chart's x axis */
	/* at NAN: unknown. Charts not over GPUs set CHART_VALUE only. */
	struct chart_number y[CHART_N_QUANTITIES];
	double level[CHART_N_QUANTITIES]; /* of the intervals */
	const char *name;                 /* the case's */
	const struct result_run *runs;    /* [n_runs] or NULL: not shown */
	size_t n_runs;
	double trend;     /* running median, median of the point's level, or
	                     number of a grid's cell; NAN: none */
	int starts_level; /* 1: starts a level other than the first */
	int is_open;      /* 1: a case in doubt; in a comparison, also no
	                     proven change */
	int change; /* in a comparison 1: proven to be faster, -1 slower, 2: the
	               mean of all */
	int aside;  /* 1: labelled, not on the line: over GPUs, another case of
	              the series has as many GPUs and fewer nodes */
};

/* Marks along the x axis for a run: the measured window and the step at which
 * the run had settled; NAN where unknown. */
struct chart_mark {
	double from, to, settled;
};

enum { CHART_ROW_TEXTS = 3 };

/* Row of a chart with names down the side. */
struct chart_row {
	const char *name;
	/* Alternatives for the text at the right: number, interval and verdict;
	 * the same without the interval; the number. texts[0] NULL: made from
	 * y, in the unit of the axis. */
	const char *texts[CHART_ROW_TEXTS];
	struct chart_number y;
};

struct chart_series {
	const struct series *source; /* of the cases; NULL: several series */
	/* Style numbers from 0. Series with the same value of a key share a
	 * colour, mark or dash. dash -1: as the colour. */
	int colour, mark, dash;
	int facet;                  /* index of its small chart */
	const char *name;           /* in the legend */
	const char *part;           /* part of source, appended; NULL: all */
	struct chart_mark mark_at;  /* for charts of steps */
	struct chart_point *points; /* sorted by x; points aside come last */
	size_t n_points;
	const char *base_name; /* name of the baseline case, or NULL */
	double base_gpus;      /* NAN: unknown */
	double base_value;     /* baseline's median, NAN: unknown */
	double base_other;     /* its CHART_OTHER, likewise */
	int base_flag;         /* 1: chosen automatically, not 1n1g */
	enum work_kind kind;   /* kind of its values */
	int is_strong;         /* 1: the GPUs share the work of a step */
	int flat;              /* 1: the ideal is constant, as for the step time
	                          under weak scaling */
	int band_of;           /* of a band: index of its series */
};

/* A case of the set, with the text that names its series. */
struct chart_case {
	const struct series *s;
	const struct series_point *p;
	const struct result_case *c;
	const char *name;
	/* Set by fill functions. The note lists the cases that are not drawn,
	 * except in charts of steps and histories. */
	int is_drawn;
	int is_flagged;  /* 1: even if the case itself is not in doubt */
	const char *why; /* reason for not drawing; NULL: by its numbers */
};

/* Start of the y axis. */
enum chart_start { START_AUTO, START_DATA, START_ZERO };

struct chart_how {
	enum language lang;
	enum chart_start y_from;
	const double *x_range, *y_range; /* [2] ends, NAN: chosen; or NULL */
	const char *title;   /* instead of the shared keys; or NULL */
	int room;            /* characters along the x axis */
	int max_ticks;       /* labels along the y axis */
	int max_facets;      /* limit for dividing many series into small
	                        charts; 0: only by facet_by */
	size_t most;         /* rows, small charts or series that are drawn; 0:
	                        all */
	int lettered;        /* 1: names of series are letters, which the note
	                        explains */
	int linear;          /* 1: linear amounts, counts; 0: logarithmic */
	int logarithmic;     /* logarithmic axes for per cent too */
	int common_baseline; /* speedups over the first baseline */
	const struct step_records *records; /* for charts of steps, or NULL */
	const struct predictions *predictions;   /* over GPUs, or NULL */
	const struct comparison_how *comparison; /* of two results, or NULL */
	double link_gb_per_s; /* bandwidth of the link; 0, NAN: unknown */
	double price;         /* of a GPU-hour; 0: unknown */
	/* Keys of series, or NULL; for charts over GPUs. */
	const char *colour_by, *dash_by, *facet_by;
};

struct chart_data {
	struct arena arena; /* of all that is not the set's */
	struct chart_how how;
	enum language lang;
	const struct chart *chart;
	struct series_set *set;
	struct error *e; /* of a fill function that failed */
	int failed;
	struct chart_case *cases; /* [n_cases] all cases of the set */
	size_t n_cases;
	/* [n_series + n_bands] series that have something to draw, then bands,
	 * in charts over GPUs: a prediction of a series is a line in a band of
	 * prediction intervals. A band that continues measured points starts at
	 * a measured point with an interval of zero width. */
	struct chart_series *series;
	size_t n_series, n_bands;
	const char *title;  /* by default the keys that all series share */
	const char *remark; /* explanation of the numbers, set by some fill
	                       functions; or NULL */
	const char *note;   /* remark, baseline, error bars, cases not drawn */
	int one_shape;      /* 1: all cases have the same nodes and GPUs ... */
	const char *shape;  /* ... named in the title; "": by series */
	size_t n_all;       /* rows, small charts or series before some were
	                       left out; 0: none was */
	const char *x_title, *y_title, *ideal_title;
	double limit;            /* bandwidth of the link, 0: no line */
	const char *limit_title; /* its name */
	int n_colours;
	const char **facets; /* [n_facets] titles; NULL: one chart */
	size_t n_facets;
	/* For charts of steps. */
	const char *y_unit;              /* unit of the steps, or NULL */
	int is_time;                     /* 1: less is better */
	const struct run_metric *metric; /* instead of speed, or NULL */
	int linear;           /* 1: linear amounts, counts; 0: logarithmic */
	int is_relative;      /* 1: relative to the first level, no unit */
	int has_intervals;    /* 1: some points have error bars */
	const char **x_names; /* [n_x_names] of the places 1, 2, ... on an axis:
	                         cases, ranges of sizes, numbers of GPUs */
	size_t n_x_names;
	struct chart_row *rows; /* [n_rows], at most a case each and a mean, for
	                           charts with names down the side, the first
	                           at y = 1 */
	size_t n_rows;
	/* For comparisons. */
	double delta; /* equivalent: 1 / (1 + delta) to 1 + delta */
	int has_mean; /* 1: the last row is the mean of the others */
	/* Chart beside this one, its axis and title; NULL: none. */
	const struct chart *second;
	struct axis second_y;
	const char *second_y_title;
	const struct chart_series *shared_base; /* series whose baseline all
	                                           share; NULL: own baselines */
	struct axis x, y;
};

enum {
	CHART_MAX_SERIES = 48,
	CHART_MAX_FACETS = 12,
	CHART_MAX_RUNS_SHOWN = 10
};

/* Check that the chart supports all options of how. Returns 0, or -1 with
 * ERROR_USAGE that names the first unsupported one.
 *
 * set  with the keys that options name */
int chart_honours(const struct chart *chart, const struct series_set *set,
    const struct chart_how *how, struct error *e);

/* Compute the data of a chart from a set. The result borrows from the set.
 *
 * Returns 0; -1 with ERROR_EMPTY if no case can be drawn, ERROR_INPUT if the
 * numbers do not fit one axis, ERROR_USAGE for an unknown key. */
int chart_collect(const struct chart *chart, struct series_set *set,
    const struct chart_how *how, struct chart_data *out, struct error *e);

/* Compute d->x for a width in characters: small charts are narrower, names at
 * the side take at most two fifths. Returns 0, or -1 with ERROR_USAGE for a
 * range that the axis cannot show. */
int chart_set_room(struct chart_data *d, int room, struct error *e);

/* Quantity of one run of a point, computed as the point's y is from the median;
 * NAN if unknown. */
double chart_run_value(const struct chart_data *d, const struct chart_series *s,
    const struct chart_point *p, enum chart_quantity quantity, size_t run);

/* True if the set, with the records and the price of how, has data for the
 * chart; charts over GPUs need two numbers of GPUs. */
int chart_is_possible(const struct chart *chart, struct series_set *set,
    const struct chart_how *how);

/* Number of rows, else of small charts, else of series. */
size_t chart_n_parts(const struct chart_data *d);

/* Free all memory and leave d empty. */
void chart_release(struct chart_data *d);

/* Value of a series' ideal line at a number of GPUs, NAN if it has none. */
double chart_ideal(const struct chart_data *d, const struct chart_series *s,
    enum chart_quantity quantity, double gpus);

/* True if the chart's quantity of the point is finite and above 0. */
int chart_point_is_drawn(
    const struct chart *chart, const struct chart_point *p);

/* --- texts ---------------------------------------------------------------- */

/* Set d's title, note and axis titles. If baselines differ, append their names
 * to the series' names. */
void chart_texts_set(struct chart_data *d);

/* Unit of the chart's y axis before a smaller one was chosen. */
const char *chart_unit(const struct chart_data *d, const struct chart *chart);

/* Title of the chart's y axis, of d or of the chart beside it. */
const char *chart_y_title(
    struct chart_data *d, const struct chart *chart, const struct axis *y);

/* Factor from a unit (s or GB/s) to the next smaller one that suits values from
 * low to high, 0.142 s = 142 ms; 1 for other units.
 *
 * name  set to the name of that unit */
double chart_fitting_unit(
    const char *unit, double low, double high, const char **name);

/* The leading parts of the note that fit on a line of this many columns.
 * Captions and descriptions contain the whole note. */
const char *chart_note_line(struct chart_data *d, size_t columns);

/* Text alternative in the chart's language: axes, series with their first and
 * last values, and the note. */
const char *chart_describe(struct chart_data *d);

/* --- for the files of kinds ----------------------------------------------- */

/* Fillers: charts over GPUs; collectives' bandwidths and shares by size; ratios
 * of two results; cases by name, by value, by batch size, by parts of a step;
 * single steps; history; efficiencies by series and GPUs. */
chart_filler chart_fill_gpus, chart_fill_bandwidth, chart_fill_sizes,
    chart_fill_ratios, chart_fill_bars, chart_fill_dots, chart_fill_batch,
    chart_fill_phases, chart_fill_steps, chart_fill_history, chart_fill_grid;

/* Add an empty series with space for n points to d. The pointer is valid until
 * the next call.
 *
 * name  must live as long as d */
struct chart_series *chart_series_add(
    struct chart_data *d, const char *name, size_t n);

/* Name of a case: its series with its nodes and GPUs, "resnet50 2n8g"; only the
 * series if all cases have the same nodes and GPUs. */
const char *chart_case_name(
    struct chart_data *d, const struct chart_case *c, const char *separator);

/* Median, 5th and 95th percentile of n values, which are reordered. */
struct chart_number chart_percentiles(double *v, size_t n);

/* A number without an interval. */
struct chart_number chart_number_of(double at);

/* Add a point to s, which has space for it: y becomes CHART_VALUE, the other
 * quantities and all confidence levels are unknown.
 *
 * y     unknown ends are NAN
 * name  must live as long as the chart */
struct chart_point *chart_point_add(
    struct chart_series *s, double x, struct chart_number y, const char *name);

/* Add a case to s: its median with the interval, and its runs unless they are
 * too many to show. */
struct chart_point *chart_case_add(struct chart_series *s, double x,
    const struct result_case *c, const char *name);

/* Join two parts of the note, either of which may be empty or NULL. */
const char *chart_note_join(
    struct chart_data *d, const char *note, const char *part);

/* Part of the note: a message with "3" and "of 12"; NULL if n is 0. */
const char *chart_note_share(
    struct chart_data *d, enum message what, size_t n, size_t of);

/* Replace the x of all points by their ranks 1, 2, ... in ascending order, and
 * allocate d->x_names. Returns the replaced values, [d->n_x_names]. */
const double *chart_number_x(struct chart_data *d);

/* Charts over GPUs: make all speedups relative to the first baseline. Returns
 * 0; -1 with ERROR_EMPTY if no series has a baseline, ERROR_INPUT if units
 * differ. */
int chart_share_baseline(struct chart_data *d, struct error *e);

/* Add the bands of the predictions of the drawn series, in charts over GPUs.
 * Returns 0; -1 with ERROR_INPUT if no prediction fits. */
int chart_bands_make(
    struct chart_data *d, const struct predictions *p, struct error *e);

#endif
