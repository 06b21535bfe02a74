/* Charts of cases with other x axes than the number of GPUs: medians side by
 * side, batch size sweeps, parts of a step's time, collectives (bins of
 * common/result/result.h), ratios of two results, and histories of many. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/result/case_text.h"
#include "common/result/result.h"
#include "common/series/result_comparison.h"
#include "common/series/series.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "common/units/units.h"
#include "plots/charts/chart.h"

/* Mark as drawn the cases with a median and, in a chart over batch sizes, a
 * batch size. Returns them, sorted.
 *
 * n  set to their number */
static struct chart_case **
drawn_cases(struct chart_data *d, int (*order)(const void *, const void *),
    int over_batch, size_t *n)
{
	struct chart_case **all =
	    arena_calloc(&d->arena, d->n_cases + 1, sizeof *all);

	*n = 0;
	for (size_t i = 0; i < d->n_cases; i++) {
		struct chart_case *c = &d->cases[i];

		c->is_drawn = c->c->median_speed > 0 &&
		    (!over_batch || c->c->batch_size_per_device > 0);
		if (c->is_drawn)
			all[(*n)++] = c;
	}
	qsort(all, *n, sizeof *all, order);
	return all;
}

/* --- bars ------------------------------------------------------------------*/

/* Order cases by GPUs, nodes, and name. */
static int
compare_cases(const void *a, const void *b)
{
	const struct result_case *x = (*(struct chart_case *const *)a)->c,
				 *y = (*(struct chart_case *const *)b)->c;

	if (x->gpus != y->gpus)
		return x->gpus < y->gpus ? -1 : 1;
	if (x->nodes != y->nodes)
		return x->nodes < y->nodes ? -1 : 1;
	return strcmp(x->name, y->name);
}

void
chart_fill_bars(struct chart_data *d)
{
	size_t n;
	struct chart_case **all = drawn_cases(d, compare_cases, 0, &n);
	struct chart_series *out = NULL;

	/* One place per case name in all series, sorted by GPUs. */
	d->x_names = arena_calloc(&d->arena, n + 1, sizeof *d->x_names);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || strcmp(all[i - 1]->c->name, all[i]->c->name) != 0)
			d->x_names[d->n_x_names++] = all[i]->c->name;
	for (size_t i = 0; i < d->n_cases; i++) {
		const struct chart_case *c = &d->cases[i];
		size_t at = 0;

		if (!c->is_drawn)
			continue;
		if (out == NULL || out->source != c->s) {
			out = chart_series_add(d, c->name, c->s->n_points);
			out->source = c->s;
		}
		while (strcmp(d->x_names[at], c->c->name) != 0)
			at++;
		chart_case_add(out, (double)(at + 1), c->c, c->c->name);
	}
}

/* --- dots ------------------------------------------------------------------*/

/* Order cases from the best to the worst. */
static int
compare_speeds(const void *a, const void *b)
{
	const struct result_case *x = (*(struct chart_case *const *)a)->c,
				 *y = (*(struct chart_case *const *)b)->c;
	const int order = (x->median_speed < y->median_speed) -
	    (x->median_speed > y->median_speed);

	return work_kind_is_time(work_kind_of(x->unit)) ? -order : order;
}

void
chart_fill_dots(struct chart_data *d)
{
	size_t n;
	struct chart_case **all = drawn_cases(d, compare_speeds, 0, &n);
	struct chart_series *s;

	if (n == 0)
		return;
	s = chart_series_add(d, message(case_headline(all[0]->c), d->lang), n);
	s->source = all[0]->s;
	for (size_t i = 0; i < n; i++) {
		const struct result_case *c = all[i]->c;
		struct chart_point *p = chart_case_add(s, (double)i + 1, c, "");

		p->aside = 1;
		p->is_open = case_is_doubtful(c, 0);
		d->rows[d->n_rows++] =
		    (struct chart_row){ chart_case_name(d, all[i], " "),
			    .y = p->y[CHART_VALUE] };
	}
}

/* --- batch sizes -----------------------------------------------------------*/

static int
compare_batches(const void *a, const void *b)
{
	const struct chart_case *x = *(struct chart_case *const *)a,
				*y = *(struct chart_case *const *)b;
	const long k = x->c->batch_size_per_device,
		   l = y->c->batch_size_per_device;

	if (k != l)
		return k < l ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Add a line for each text that names a case without its batch size, in the
 * order of their first cases. */
void
chart_fill_batch(struct chart_data *d)
{
	const uint64_t mask = d->set->differing & ~d->chart->over;
	size_t n;
	struct chart_case **all = drawn_cases(d, compare_batches, 1, &n);
	const char **lines = arena_calloc(&d->arena, d->n_cases, sizeof *lines);

	for (size_t i = 0; i < d->n_cases; i++)
		if (d->cases[i].is_drawn)
			lines[i] = arena_join(&d->arena,
			    series_name_part(
				d->set, d->cases[i].s, mask, d->lang),
			    ", ", d->cases[i].c->name);
	for (size_t i = 0; i < d->n_cases; i++) {
		const struct chart_case *c = &d->cases[i];
		struct chart_series *s;
		size_t k = 0;

		while (k < i && !text_same(lines[k], lines[i]))
			k++;
		if (lines[i] == NULL || k < i)
			continue;
		s = chart_series_add(d, lines[i], n);
		s->source = c->s;
		s->part = c->c->name;
		for (k = 0; k < n; k++) {
			const struct result_case *own = all[k]->c;

			if (strcmp(lines[all[k] - d->cases], lines[i]) != 0)
				continue;
			if (s->n_points == 0)
				s->source = all[k]->s;
			chart_case_add(s, (double)own->batch_size_per_device,
			    own, own->name);
		}
		/* A single batch size is not a sweep. */
		d->n_series -= !(s->points[0].x < s->points[s->n_points - 1].x);
	}
}

/* --- phases ----------------------------------------------------------------*/

/* Parts of a step, from the bottom to the top of a bar. */
enum part { PART_DATA, PART_COMPUTE, PART_OVERLAPPED, PART_EXPOSED, N_PARTS };

static const enum message part_names[N_PARTS] = { MESSAGE_DATA_WAIT,
	MESSAGE_COMPUTE, MESSAGE_OVERLAPPED, MESSAGE_EXPOSED };

/* Medians of the parts of the mean step over a case's runs, in milliseconds.
 * Returns the number of runs that have them. */
static size_t
case_parts(const struct result_case *c, double parts[N_PARTS], struct arena *a)
{
	double *v[N_PARTS];
	size_t n = 0;

	for (int part = 0; part < N_PARTS; part++)
		v[part] = arena_calloc(a, c->n_runs + 1, sizeof **v);
	for (size_t i = 0; i < c->n_runs; i++) {
		const struct result_phases *p = &c->runs[i].phases;
		const double exposed = isnan(p->exposed_s) ? 0 : p->exposed_s;
		const double busy = isnan(p->busy_s) ? exposed : p->busy_s;

		if (!(p->step_s > 0) ||
		    (isnan(p->exposed_s) && isnan(p->busy_s)))
			continue;
		v[PART_DATA][n] = isnan(p->data_s) ? 0 : 1e3 * p->data_s;
		v[PART_EXPOSED][n] = 1e3 * exposed;
		v[PART_OVERLAPPED][n] = 1e3 * fmax(busy - exposed, 0);
		v[PART_COMPUTE][n] = fmax(1e3 * p->step_s - v[PART_DATA][n] -
			v[PART_EXPOSED][n] - v[PART_OVERLAPPED][n],
		    0);
		n++;
	}
	for (int part = 0; n > 0 && part < N_PARTS; part++)
		parts[part] = stats_median_reorder(v[part], n);
	return n;
}

/* Add the parts that any case has, one row per case: each point reaches from
 * the end of the previous part to its own and is labelled "142 ms, 34 %". */
void
chart_fill_phases(struct chart_data *d)
{
	double(*parts)[N_PARTS] =
	    arena_calloc(&d->arena, d->n_cases + 1, sizeof *parts);
	double *sums = arena_calloc(&d->arena, d->n_cases + 1, sizeof *sums);
	double *ends = arena_calloc(&d->arena, d->n_cases + 1, sizeof *ends);
	char text[UNITS_TEXT_SIZE];
	const char *sum;

	for (size_t i = 0; i < d->n_cases; i++) {
		struct chart_case *c = &d->cases[i];
		const size_t row = d->n_rows;

		c->is_drawn = case_parts(c->c, parts[row], &d->arena) > 0;
		if (!c->is_drawn)
			continue;
		for (int part = 0; part < N_PARTS; part++)
			sums[row] += parts[row][part];
		sum = arena_printf(
		    &d->arena, "%s ms", number_format(text, sums[row], 3));
		d->rows[d->n_rows++] =
		    (struct chart_row){ chart_case_name(d, c, " "),
			    { sum, sum, sum }, .y = { sums[row], NAN, NAN } };
	}
	/* Leave out a part that is below half a per cent in every case. */
	for (int part = 0; part < N_PARTS; part++) {
		const double least = 0.005;
		int is_seen = 0;
		struct chart_series *s = chart_series_add(
		    d, message(part_names[part], d->lang), d->n_rows);

		for (size_t i = 0; i < d->n_rows; i++) {
			const double own = parts[i][part], from = ends[i];

			ends[i] += own;
			is_seen |= own >= least * sums[i];
			chart_point_add(s, (double)i + 1,
			    (struct chart_number){ ends[i], from, ends[i] },
			    arena_printf(&d->arena, "%s ms, %.0f %%",
				number_format(text, own, 3),
				100 * own / sums[i]));
		}
		d->n_series -= !is_seen;
	}
}

/* --- bandwidth against size ----------------------------------------------- */

/* A value of one run. */
struct spot {
	const char *what; /* collective and kind */
	double bytes, bus;
};

static int
compare_spots(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	const int d = strcmp(x->what, y->what);

	return d != 0 ? d : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* Values of all runs, sorted, in the arena. Collectives in size bins are used
 * only for a case without other values. */
static struct spot *
make_spots(struct arena *a, const struct result_case *c, size_t *n)
{
	struct spot *all = NULL;
	int exact = 0;

	*n = 0;
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i].n_collectives; k++) {
			const struct result_collective *x =
			    &c->runs[i].collectives[k];
			const int by_size = collective_is_by_size(x);

			if (!exact && !by_size) {
				exact = 1;
				*n = 0;
			}
			if (!(x->bus_gb_per_s > 0) || !(x->bytes >= 1) ||
			    (exact && by_size))
				continue;
			all = arena_grow(a, all, *n, sizeof *all);
			all[(*n)++] =
			    (struct spot){ arena_join(a, x->collective, " ",
					       x->kind != NULL ? x->kind : ""),
				    x->bytes, x->bus_gb_per_s };
		}
	if (*n > 0)
		qsort(all, *n, sizeof *all, compare_spots);
	return all;
}

/* Add the lines of each case, one for each kind: medians of values of nearly
 * equal sizes, with their 5th and 95th percentile. */
void
chart_fill_bandwidth(struct chart_data *d)
{
	/* Largest ratios of sizes in one point: of neighbours, of all. */
	const double next = 1.2, most = 1.9;

	for (struct chart_case *c = d->cases; c < d->cases + d->n_cases; c++) {
		const char *name = chart_case_name(d, c, ", ");
		size_t n, end;
		struct spot *all = make_spots(&d->arena, c->c, &n);
		double *v = arena_calloc(&d->arena, n, sizeof *v);
		struct chart_series *s = NULL;

		c->is_drawn = n > 0;
		for (size_t i = 0; i < n; i = end) {
			const char *what = all[i].what;

			if (i == 0 || strcmp(all[i - 1].what, what) != 0)
				s = chart_series_add(d,
				    arena_join(&d->arena, name, ", ", what),
				    n - i);
			v[0] = all[i].bus;
			for (end = i + 1;
			     end < n && strcmp(what, all[end].what) == 0 &&
			     all[end].bytes < next * all[end - 1].bytes &&
			     all[end].bytes < most * all[i].bytes;
			     end++)
				v[end - i] = all[end].bus;
			if (end > i + 1)
				d->remark =
				    message(MESSAGE_NOTE_SIZES_BAND, d->lang);
			chart_point_add(s, all[(i + end - 1) / 2].bytes,
			    chart_percentiles(v, end - i), "");
		}
	}
}

/* --- time by size ----------------------------------------------------------*/

void
chart_fill_sizes(struct chart_data *d)
{
	const double *used;

	for (size_t i = 0; i < d->n_cases; i++) {
		struct chart_case *c = &d->cases[i];
		struct collective_bin bins[SIZE_BINS];
		size_t n_runs;
		const size_t n = collective_groups_by_size(c->c, bins, &n_runs);
		struct chart_series *s;

		c->is_drawn = n > 0;
		if (n == 0)
			continue;
		s = chart_series_add(d, chart_case_name(d, c, ", "), n);
		for (size_t j = 0; j < n; j++)
			chart_point_add(s, bins[j].bin,
			    chart_number_of(100 * bins[j].share),
			    arena_printf(&d->arena, "%.4g", bins[j].count));
	}
	/* Number the used bins, and name them by their upper ends. */
	used = chart_number_x(d);
	for (size_t i = 0; i < d->n_x_names; i++) {
		char label[SIZE_LABEL_SIZE];
		char *end;

		size_bin_label((int)used[i], " ", label);
		end = strrchr(label, ' ');
		d->x_names[i] = end == NULL
		    ? arena_strdup(&d->arena, label)
		    : arena_strndup(&d->arena, end + 1, strlen(end) - 2);
	}
}

/* --- ratios --------------------------------------------------------------- */

/* Add a row with "1.056 [1.025, 1.090] faster", and its point. */
static struct chart_point *
add_row(struct chart_data *d, struct chart_series *s, const char *name,
    struct chart_number y, int decimals, const char *verdict)
{
	const char *at = arena_printf(&d->arena, "%.*f", decimals, y.at);
	const char *interval = isnan(y.low)
	    ? at
	    : arena_printf(&d->arena, "%s [%.*f, %.*f]", at, decimals, y.low,
		  decimals, y.high);
	struct chart_point *p =
	    chart_point_add(s, (double)s->n_points + 1, y, "");

	p->aside = 1;
	d->rows[d->n_rows++] = (struct chart_row){ name,
		{ arena_join(&d->arena, interval, " ", verdict),
		    arena_join(&d->arena, at, " ", verdict), at },
		y };
	return p;
}

/* The case of a point of the set. */
static struct chart_case *
case_of(struct chart_data *d, const struct series_point *p)
{
	struct chart_case *c = d->cases;

	while (c->p != p)
		c++;
	return c;
}

/* Add the ratios, and their mean below the cases. All have as many decimals as
 * the most precise one takes. */
static void
add_ratios(struct chart_data *d, const struct comparison *c)
{
	struct chart_series *s =
	    chart_series_add(d, message(MESSAGE_RATIO, d->lang), c->n + 1);
	const char *comma = message(MESSAGE_COMMA, d->lang);
	int decimals = 2;

	for (size_t i = 0; i < c->n; i++) {
		const struct comparison_row *row = &c->rows[i];
		char text[UNITS_TEXT_SIZE];
		const char *dot = strchr(comparison_ratio_text(text, row->ratio,
					     row->low, row->high),
		    '.');

		if (dot != NULL && (int)strlen(dot + 1) > decimals)
			decimals = (int)strlen(dot + 1);
	}
	for (size_t i = 0; i < c->n; i++) {
		const struct comparison_row *row = &c->rows[i];
		const int both = row->before != NULL && row->after != NULL;
		struct chart_case *own =
		    case_of(d, row->after != NULL ? row->after : row->before);
		const char *verdict;
		struct chart_point *p;

		own->is_drawn = isfinite(row->ratio);
		own->why = both
		    ? message(MESSAGE_NO_FIGURE, d->lang)
		    : text_fill(&d->arena, message(MESSAGE_ONLY_IN, d->lang),
			  c->files[row->after != NULL]->name);
		if (!own->is_drawn)
			continue;
		own->is_flagged = case_is_doubtful(row->before->c, 0) ||
		    case_is_doubtful(row->after->c, 0);
		verdict = comparison_verdict_text(row, d->lang);
		if (own->is_flagged) /* "slower, flagged" */
			verdict = arena_join(&d->arena, verdict, comma,
			    message(MESSAGE_FLAGGED, d->lang));
		p = add_row(d, s, chart_case_name(d, own, " "),
		    (struct chart_number){ row->ratio, row->low, row->high },
		    decimals, verdict);
		p->level[CHART_VALUE] = row->level;
		p->change = (row->verdict == COMPARISON_FASTER) -
		    (row->verdict == COMPARISON_SLOWER);
		p->is_open = own->is_flagged || p->change == 0;
	}
	d->n_series = s->n_points > 0;
	d->has_mean = c->n_both >= 2 && !isnan(c->mean);
	if (d->has_mean)
		add_row(d, s, message(MESSAGE_GEOMETRIC_MEAN, d->lang),
		    (struct chart_number){ c->mean, c->mean_low, c->mean_high },
		    decimals, "")
		    ->change = 2;
}

void
chart_fill_ratios(struct chart_data *d)
{
	static const struct comparison_how usual = {
		.confidence = NAN, .detect = NAN, .allow_mixed = 1
	};
	const struct comparison_how *how =
	    d->how.comparison != NULL ? d->how.comparison : &usual;
	const uint64_t sides = SERIES_BIT(SERIES_SOURCE) |
	    SERIES_BIT(SERIES_RULE) | SERIES_BIT(SERIES_KIND);
	struct comparison c;

	if (!(d->set->differing & SERIES_BIT(SERIES_SOURCE)))
		return;
	d->failed = comparison_init(d->set, how, &c, d->e) != 0;
	if (d->failed)
		return;
	for (size_t i = 0; i < d->n_cases; i++)
		d->cases[i].name = series_name_part(
		    d->set, d->cases[i].s, d->set->differing & ~sides, d->lang);
	d->delta = how->delta;
	add_ratios(d, &c);
	d->remark = chart_note_join(d,
	    text_fill(&d->arena, message(MESSAGE_NOTE_RATIO, d->lang),
		c.files[1]->name, c.files[0]->name),
	    comparison_impossible(&c, d->lang, &d->arena));
}

/* --- history -------------------------------------------------------------- */

/* True if the set is a history: each series holds one case over time, and its
 * last point has a level. Points are sorted by date and named for the date or
 * commit of their files, which are in one array, sorted by date. */
static int
is_history(const struct series_set *set)
{
	int several = 0;

	for (size_t i = 0; i < set->n; i++) {
		const struct series *s = &set->items[i];

		if (!(s->points[s->n_points - 1].level > 0))
			return 0;
		several |= s->n_points > 1;
	}
	return several;
}

void
chart_fill_history(struct chart_data *d)
{
	const struct result_file *first;
	const struct chart_case *c = d->cases, *end;
	size_t n_flagged = 0;

	if (!is_history(d->set))
		return;
	first = series_next_source(d->set, NULL);
	for (size_t i = 0; i < d->n_cases; i++)
		if ((size_t)(c[i].p->source - first) >= d->n_x_names)
			d->n_x_names = (size_t)(c[i].p->source - first) + 1;
	d->x_names = arena_calloc(&d->arena, d->n_x_names, sizeof *d->x_names);
	for (size_t i = 0; i < d->n_x_names; i++)
		d->x_names[i] = "";
	while (c < d->cases + d->n_cases) {
		struct chart_series *s = chart_series_add(
		    d, chart_case_name(d, c, " "), c->s->n_points);

		for (end = c + c->s->n_points; c < end; c++) {
			const size_t place = (size_t)(c->p->source - first);
			struct chart_point *p = chart_case_add(
			    s, (double)place + 1, c->c, c->p->source->name);

			d->x_names[place] = p->name;
			p->n_runs = 0;
			p->is_open = case_is_doubtful(c->c, 0);
			n_flagged += (size_t)p->is_open;
			p->trend = c->p->level > 0 ? c->p->level : NAN;
			p->starts_level = s->n_points > 1 &&
			    fabs(c->p->level - c[-1].p->level) > 0;
		}
	}
	d->remark = chart_note_share(
	    d, MESSAGE_NOTE_POINTS_FLAGGED, n_flagged, d->n_cases);
	if (d->n_series < 2 || d->n_series > CHART_MAX_FACETS)
		return;
	/* Each series gets a small chart of its values relative to its first
	 * level. On one axis, series of very different values would hide
	 * changes of a few per cent. */
	d->is_relative = 1;
	d->n_facets = d->n_series;
	d->facets = arena_calloc(&d->arena, d->n_facets, sizeof *d->facets);
	for (size_t i = 0; i < d->n_series; i++) {
		struct chart_series *s = &d->series[i];
		const double level = s->points[0].trend;
		const double base =
		    isfinite(level) ? level : s->points[0].y[CHART_VALUE].at;

		d->facets[i] = s->name;
		s->facet = (int)i;
		s->name = message(MESSAGE_MEDIAN, d->lang);
		for (size_t k = 0; k < s->n_points; k++) {
			struct chart_number *y = &s->points[k].y[CHART_VALUE];

			*y = (struct chart_number){ y->at / base, y->low / base,
				y->high / base };
			s->points[k].trend /= base;
		}
	}
}
