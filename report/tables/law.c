/* The table of scaling laws: one row per law and series. */
#include <config.h>

#include <math.h>

#include "common/defaults.h"
#include "common/result/work_rate.h"
#include "common/stats/scaling_fit.h"
#include "common/texts/remark.h"
#include "common/units/units.h"
#include "report/parts/columns.h"
#include "report/parts/panel.h"
#include "report/tables/report.h"

/* Find the cases of a series with a median, and their work per second relative
 * to the case with the fewest devices. Returns their number.
 *
 * gpus, speed, p  [s->n_points] */
static size_t
find_points(const struct series *s, double *gpus, double *speed,
    const struct series_point **p)
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
		p[n++] = &s->points[i];
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

/* Empty if the law lacks the number, "-" if it has no limit. */
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
add_row(
    struct table *t, const struct report_how *how, const struct scaling_fit *f)
{
	const int is_usl = f->law == SCALING_USL;
	/* Parameters with standard errors and intervals, as in flat tables; no
	 * interval for one that is fixed at 0. */
	double x[18] = { f->speed_of_one, f->speed_of_one_error, 0, 0,
		f->serial, f->serial_error, 0, 0, is_usl ? f->coherence : NAN,
		f->coherence_error, 0, 0, f->residual, f->aic,
		is_usl ? f->peak : NAN, DEFAULT_LAW_EFFICIENCY / 100.0,
		scaling_fit_reach(f, DEFAULT_LAW_EFFICIENCY / 100.0),
		DEFAULT_CONFIDENCE };
	char buf[UNITS_TEXT_SIZE], other[UNITS_TEXT_SIZE];

	for (double *p = x; p < x + 12; p += 4) {
		const double half =
		    scaling_fit_half_width(f, p[1], DEFAULT_CONFIDENCE);

		p[2] = p[0] - half;
		p[3] = p[0] + half;
	}
	table_cell(t, scaling_laws[f->law].name);
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
	const struct series_point **p = arena_calloc(a, s->n_points, sizeof *p);
	const size_t n = find_points(s, gpus, speed, p);
	struct measured_case *cases = arena_calloc(a, n + 1, sizeof *cases);
	char buf[UNITS_TEXT_SIZE];
	const char *list = "";

	for (size_t i = 0; i < n; i++)
		cases[i] = keys_measured(s, p[i]);
	for (int law = 0; law < N_SCALING_FITS; law++) {
		struct scaling_fit f;

		if (scaling_fit(
			(enum scaling_fit_law)law, gpus, speed, n, &f) != 0) {
			const int needed = scaling_laws[f.law].min_sizes;
			const struct remark_arg name =
			    remark_name(scaling_laws[f.law].name);
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
		add_row(t, how, &f);
		if (how->flat)
			measured_columns_fill(t, cases, n);
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
				series_case_name(a, p[i]->c, how->lang),
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
