/* Scaling laws fitted to speeds, and their table: one row per law and
 * series. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "common/defaults.h"
#include "common/result/work_rate.h"
#include "common/stats/stats.h"
#include "common/texts/remark.h"
#include "common/units/units.h"
#include "report/parts/columns.h"
#include "report/parts/panel.h"
#include "report/tables/report.h"

/* --- fits ----------------------------------------------------------------- */

enum { MAX_PARAMETERS = 3, MAX_STEPS = 200, MAX_HALVINGS = 40 };
static const double pi = 3.14159265358979323846;

/* Minimum number of distinct n for a fit: number of parameters plus 2. */
static const struct {
	const char *name;
	int min_sizes;
} scaling_laws[N_SCALING_FITS] = {
	[SCALING_AMDAHL] = { "Amdahl", 4 },
	[SCALING_GUSTAFSON] = { "Gustafson", 4 },
	[SCALING_USL] = { "USL", 5 },
};

typedef double matrix[MAX_PARAMETERS][MAX_PARAMETERS];

/* Law, points and free parameters. The parameters are ln l, s and k. */
struct fit_problem {
	enum scaling_fit_law law;
	const double *n, *speed;
	size_t count;
	int is_free[MAX_PARAMETERS];
};

/* Return the sum of squared residuals of ln X, and set the normal equations
 * a d = b; the rows of held parameters are those of the unit matrix. */
static double
sum_squares(const struct fit_problem *f, const double *p, matrix a, double *b)
{
	double sum = 0;

	for (int j = 0; j < MAX_PARAMETERS; j++) {
		b[j] = 0;
		for (int k = 0; k < MAX_PARAMETERS; k++)
			a[j][k] = j == k && !f->is_free[j];
	}
	for (size_t i = 0; i < f->count; i++) {
		const double n = f->n[i];
		const int linear = f->law == SCALING_GUSTAFSON;
		/* X / l is d or n / d. */
		const double d = linear
		    ? n - p[1] * (n - 1)
		    : 1 + p[1] * (n - 1) + p[2] * n * (n - 1);
		const double shape = linear ? d : n / d;
		const double off = log(f->speed[i]) - p[0] - log(shape);
		/* Derivatives of ln X. */
		const double by[MAX_PARAMETERS] = { 1, -(n - 1) / d,
			-n * (n - 1) / d };

		if (!(shape > 0))
			return INFINITY;
		sum += off * off;
		for (int j = 0; j < MAX_PARAMETERS; j++) {
			b[j] += f->is_free[j] ? by[j] * off : 0;
			for (int k = 0; k < MAX_PARAMETERS; k++)
				a[j][k] += f->is_free[j] && f->is_free[k]
				    ? by[j] * by[k]
				    : 0;
		}
	}
	return sum;
}

/* Invert a symmetric 3 by 3 matrix by Cramer's rule. Returns -1 if it is
 * singular. */
static int
invert_matrix(matrix a, matrix out)
{
	double det = 0;

	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++) {
			const int r = (i + 1) % 3, s = (i + 2) % 3;
			const int u = (j + 1) % 3, v = (j + 2) % 3;

			out[j][i] = a[r][u] * a[s][v] - a[r][v] * a[s][u];
		}
	for (int j = 0; j < 3; j++)
		det += a[0][j] * out[j][0];
	for (int i = 0; i < 9; i++)
		out[i / 3][i % 3] /= det;
	return isnormal(det) ? 0 : -1;
}

/* Fit by Gauss-Newton, starting with l of the smallest n and s and k near 0.
 * Each step is halved until the sum of squares does not grow. Returns that sum;
 * NAN if it does not converge. */
static double
fit_parameters(const struct fit_problem *f, double *p)
{
	matrix a, inverse;
	double b[MAX_PARAMETERS];
	size_t least = 0;

	for (size_t i = 1; i < f->count; i++)
		if (f->n[i] < f->n[least])
			least = i;
	p[0] = log(f->speed[least] / f->n[least]);
	p[1] = f->is_free[1] ? 0.01 : 0;
	p[2] = f->is_free[2] ? 1e-5 : 0;
	for (int step = 0; step < MAX_STEPS; step++) {
		const double sum = sum_squares(f, p, a, b);
		double slope[MAX_PARAMETERS], next[MAX_PARAMETERS];
		double share = 1, largest = 0, better;
		int halvings = 0;

		if (!isfinite(sum) || invert_matrix(a, inverse) != 0)
			return NAN;
		memcpy(slope, b, sizeof slope);
		do {
			for (int i = 0; i < MAX_PARAMETERS; i++) {
				next[i] = p[i];
				for (int k = 0; k < MAX_PARAMETERS; k++)
					next[i] +=
					    share * inverse[i][k] * slope[k];
			}
			share /= 2;
			better = sum_squares(f, next, a, b);
		} while (!(better <= sum) && halvings++ < MAX_HALVINGS);
		if (!(better <= sum))
			return sum; /* no step improves the fit */
		for (int i = 0; i < MAX_PARAMETERS; i++) {
			largest = fmax(largest,
			    fabs(next[i] - p[i]) / (1e-9 + fabs(next[i])));
			p[i] = next[i];
		}
		if (largest < 1e-12)
			return better;
	}
	return NAN;
}

static double
reach_of(enum scaling_fit_law law, double s, double k)
{
	const double share = DEFAULT_LAW_EFFICIENCY / 100.0;
	const double more = s + 1 / share - 1;

	if (law == SCALING_GUSTAFSON)
		return share > 1 - s ? s / (share - (1 - s)) : INFINITY;
	/* The positive root of k n^2 + (s - k) n = s + 1 / share - 1. */
	return 2 * more / (s - k + sqrt((s - k) * (s - k) + 4 * k * more));
}

int
scaling_fit(enum scaling_fit_law law, const double *n, const double *speed,
    size_t count, struct scaling_fit *out)
{
	struct fit_problem f = { law, n, speed, count,
		{ 1, 1, law == SCALING_USL } };
	double p[MAX_PARAMETERS], b[MAX_PARAMETERS], sum, variance;
	matrix a, inverse;
	int free, freedom, rc;

	*out = (struct scaling_fit){ .sizes = 0 };
	for (size_t i = 0, same; i < count; i++) {
		for (same = 0; same < i && fabs(n[same] - n[i]) > 1e-12;)
			same++;
		out->sizes += same == i;
	}
	if (out->sizes < scaling_laws[law].min_sizes ||
	    !(stats_min(n, count) > 0) || !(stats_min(speed, count) > 0))
		return -1;
	sum = fit_parameters(&f, p);
	/* Hold negative parameters at 0, k first. */
	for (int i = 2; i > 0;) {
		if (!f.is_free[i] || (isfinite(sum) && p[i] >= 0)) {
			i--;
			continue;
		}
		f.is_free[i] = 0;
		sum = fit_parameters(&f, p);
		i = 2;
	}
	if (!isfinite(sum))
		return -1;
	free = f.is_free[0] + f.is_free[1] + f.is_free[2];
	freedom = (int)count - free;
	variance = sum / freedom;
	out->residual = sqrt(variance);
	/* Like R's AIC of nls, which counts the variance as a parameter. */
	out->aic = (double)count * (log(2 * pi * sum / (double)count) + 1) +
	    2 * (free + 1);
	sum_squares(&f, p, a, b);
	rc = invert_matrix(a, inverse);
	for (int i = 0; i < MAX_PARAMETERS; i++) {
		struct scaling_parameter *to = &out->of[i];

		to->x = i == 0 ? exp(p[0]) : p[i];
		to->error = rc == 0 && f.is_free[i]
		    ? sqrt(variance * inverse[i][i])
		    : NAN;
		if (i == 0)
			to->error *= to->x; /* from that of ln l */
		/* Like R's confint.default with the residual df. */
		to->half = to->error *
		    student_quantile((1 + DEFAULT_CONFIDENCE) / 2, freedom);
	}
	out->peak = p[2] > 0 && p[1] < 1 ? sqrt((1 - p[1]) / p[2]) : INFINITY;
	out->reach = reach_of(law, p[1], p[2]);
	return 0;
}

/* --- the table ------------------------------------------------------------ */

/* Find the cases of a series with a median, and their work per second relative
 * to the case with the fewest devices. Returns their number.
 *
 * gpus, speed, p  [s->n_points] */
static size_t
find_points(
    const struct series *s, double *gpus, double *speed, struct panel_point *p)
{
	const struct series_point *base = &s->points[0];
	const int strong = result_rule_is_strong(&base->source->result.rule);
	size_t n = 0;

	for (size_t i = 0; i < s->n_points; i++) {
		const struct result_case *c = s->points[i].c;
		struct work_scale scale;

		if (!(c->median_speed > 0) || !isfinite(c->median_speed) ||
		    !work_scale_of(c, base->c, strong, &scale))
			continue;
		gpus[n] = (double)c->gpus;
		speed[n] = work_rate(scale.kind, c->median_speed, scale.own);
		p[n++] =
		    (struct panel_point){ .s = s, .p = &s->points[i], .c = c };
	}
	return n;
}

static void
add_columns(struct table *t, const struct report_how *how)
{
	static const char *const flat_heads[] = { "law", "speed_of_one",
		"speed_of_one_error", "speed_of_one_low", "speed_of_one_high",
		"serial", "serial_error", "serial_low", "serial_high",
		"coherence", "coherence_error", "coherence_low",
		"coherence_high", "residual", "aic", "peak_gpus", "efficiency",
		"gpus_of_efficiency", "confidence", NULL };
	static const enum message heads[] = { MESSAGE_LAW, MESSAGE_SPEED_OF_ONE,
		MESSAGE_SERIAL, MESSAGE_STANDARD_ERROR, MESSAGE_MEDIAN_INTERVAL,
		MESSAGE_COHERENCE, MESSAGE_STANDARD_ERROR,
		MESSAGE_MEDIAN_INTERVAL, MESSAGE_AIC, MESSAGE_PEAK };

	if (how->flat) {
		flat_columns(t, flat_heads);
		return;
	}
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		table_column(t, message(heads[i], how->lang), NULL,
		    i == 0                                    ? TABLE_LEFT
			: heads[i] == MESSAGE_MEDIAN_INTERVAL ? TABLE_INTERVAL
							      : TABLE_DECIMAL);
	table_column(t,
	    arena_printf(&t->arena, "%.3g %% %s",
		(double)DEFAULT_LAW_EFFICIENCY,
		message(MESSAGE_UP_TO, how->lang)),
	    NULL, TABLE_DECIMAL);
}

/* Empty if the law does not have the number, "-" if it is infinite. */
static void
put_number(struct table *t, double x, int digits)
{
	char buf[UNITS_TEXT_SIZE];

	table_cell(t,
	    isfinite(x)    ? number_format(buf, x, digits)
		: isnan(x) ? ""
			   : "-");
}

static void
add_row(struct table *t, const struct report_how *how, enum scaling_fit_law law,
    const struct scaling_fit *f)
{
	/* Parameters with standard errors and intervals, as in flat tables; no
	 * interval for one that is fixed at 0. */
	double x[18] = { [12] = f->residual,
		f->aic,
		law == SCALING_USL ? f->peak : NAN,
		DEFAULT_LAW_EFFICIENCY / 100.0,
		f->reach,
		DEFAULT_CONFIDENCE };
	char buf[UNITS_TEXT_SIZE], other[UNITS_TEXT_SIZE];

	for (int i = 0; i < MAX_PARAMETERS; i++) {
		const struct scaling_parameter *p = &f->of[i];

		x[4 * i] = i == 2 && law != SCALING_USL ? NAN : p->x;
		x[4 * i + 1] = p->error;
		x[4 * i + 2] = x[4 * i] - p->half;
		x[4 * i + 3] = x[4 * i] + p->half;
	}
	table_cell(t, scaling_laws[law].name);
	if (how->flat) {
		flat_numbers(t, x, sizeof x / sizeof x[0]);
		return;
	}
	table_cellf(t, "%s ± %s", number_format(buf, x[0], 5),
	    number_format(other, x[1], 2));
	for (const double *p = x + 4; p < x + 12; p += 4) {
		put_number(t, p[0], 3);
		put_number(t, p[1], 2);
		table_cell(t,
		    isfinite(p[2]) ? arena_printf(&t->arena, "[%s, %s]",
					 number_format(buf, p[2], 3),
					 number_format(other, p[3], 3))
				   : "");
	}
	put_number(t, f->aic, 4);
	put_number(t, x[14], 3);
	put_number(t, x[16], 3);
}

static void
add_series(struct series_set *set, const struct series *s, uint64_t keys,
    const struct report_how *how, struct table *t)
{
	struct arena *a = &set->arena;
	double *gpus = arena_calloc(a, s->n_points, sizeof *gpus);
	double *speed = arena_calloc(a, s->n_points, sizeof *speed);
	struct panel_point *p = arena_calloc(a, s->n_points, sizeof *p);
	const size_t n = find_points(s, gpus, speed, p);
	char buf[UNITS_TEXT_SIZE];
	const char *list = "";

	for (int law = 0; law < N_SCALING_FITS; law++) {
		struct scaling_fit f;

		if (scaling_fit(
			(enum scaling_fit_law)law, gpus, speed, n, &f) != 0) {
			const int needed = scaling_laws[law].min_sizes;
			const struct remark_arg name =
			    remark_name(scaling_laws[law].name);
			const struct remark why = f.sizes < needed
			    ? REMARK(REMARK_LAW_SIZES, name,
				  remark_number(needed), remark_number(f.sizes))
			    : REMARK(REMARK_LAW_UNFIT, name);

			table_note(
			    t, "%s", remark_text(&why, how->lang, &t->arena));
			continue;
		}
		table_row(t);
		if (how->flat)
			keys_cells(t, set, s, keys);
		add_row(t, how, (enum scaling_fit_law)law, &f);
		if (how->flat)
			measured_columns_fill(t, p, n);
	}
	/* "Karp-Flatt serial fraction: 1n2g 0.149, 1n8g 0.14" */
	for (size_t i = 0; i < n && !how->flat; i++) {
		const double times = gpus[i] / gpus[0];
		const double speedup = speed[i] / speed[0];
		/* Karp and Flatt 1990, CACM 33(5). */
		const double share =
		    (1 / speedup - 1 / times) / (1 - 1 / times);

		if (isfinite(share))
			list = arena_join(a, list, ", ",
			    arena_printf(a, "%s %s",
				series_case_name(a, p[i].c, how->lang),
				number_format(buf, share, 3)));
	}
	if (list[0] != '\0')
		table_note(
		    t, "%s: %s", message(MESSAGE_KARP_FLATT, how->lang), list);
}

void
law_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list)
{
	const uint64_t keys = keys_known(set, UINT64_MAX);
	struct table *t = how->flat ? report_tables_add(list) : NULL;

	if (how->flat) {
		keys_columns(t, set, keys);
		add_columns(t, how);
		measured_columns_add(t);
	}
	for (size_t i = 0; i < set->n; i++) {
		const struct series *s = &set->items[i];
		const struct panel p = { .keys = UINT64_MAX, .s = &s, .n = 1 };

		if (!how->flat) {
			t = report_tables_add(list);
			table_title(
			    t, "%s", panel_title(set, &p, 0, how->lang));
			add_columns(t, how);
		}
		add_series(set, s, keys, how, t);
		if (how->flat)
			continue;
		table_note(t, "%s", message(MESSAGE_LAW_FIT, how->lang));
		notes_measured(set, t, &p, NOTES_SPEEDS, how);
	}
}
