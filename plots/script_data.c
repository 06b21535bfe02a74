/* The numbers of a chart as blocks of gnuplot's data: points with their
 * intervals, ideal lines, runs, predictions. */
#include <config.h>

#include "plots/script.h"

#include <math.h>
#include <string.h>

#include "common/json/json_write.h"
#include "plots/charts/chart.h"

void
script_add_place(struct strbuf *out, double x)
{
	if (isfinite(x))
		strbuf_printf(out, "%.12g", x);
	else
		strbuf_addstr(out, "NaN");
}

static void
add_number(struct strbuf *out, double x)
{
	char buf[JSON_DOUBLE_SIZE];

	strbuf_printf(out, " %s", isfinite(x) ? json_double(buf, x) : "NaN");
}

/* A case's name inside of a data block, where a backslash begins an escape: no
 * quotes, no line ends, and no backslash but what the format needs. */
static void
add_word(struct strbuf *out, const struct picture_format *f, const char *name)
{
	struct strbuf clean, quoted;

	strbuf_init(&clean, 1 << 16);
	strbuf_init(&quoted, 1 << 16);
	for (; *name != '\0'; name++)
		strbuf_addch(&clean,
		    strchr("\"'\\$`\n\r", *name) != NULL ||
			    (unsigned char)*name < ' '
			? '_'
			: *name);
	f->quote(&quoted, clean.buf);
	strbuf_addstr(out, " \"");
	/* Without the quotes around it. */
	for (size_t i = 1; i + 1 < quoted.len; i++) {
		strbuf_addch(out, quoted.buf[i]);
		if (quoted.buf[i] == '\\')
			strbuf_addch(out, '\\');
	}
	strbuf_addch(out, '"');
	strbuf_release(&clean);
	strbuf_release(&quoted);
}

/* at, low and high.  Nothing at or below 0 can stand on a logarithmic axis. */
static void
add_interval(struct strbuf *out, const struct chart_data *d,
    const struct chart_number *y)
{
	add_number(out, y->at > 0 || d->y.base == 0 ? y->at : NAN);
	add_number(out, y->low);
	add_number(out, y->high);
}

/* A line of $data or $bands.
 *
 * spread  that of the point's series, or NULL */
static void
write_point(struct strbuf *out, const struct picture_format *f,
    const struct chart_data *d, const struct chart_point *p,
    const struct chart_number *spread)
{
	struct chart_number second = p->y[CHART_SPEEDUP];
	struct chart_number third = p->y[CHART_EFFICIENCY];

	if (!d->chart->over_gpus) {
		second.at = p->trend;
		third.at = p->starts_level ? p->trend : NAN;
	}
	if (spread != NULL && isfinite(spread->at))
		second = *spread;
	if (d->chart->is_ratio)
		third.at = p->is_open ? 2 : 1;
	script_add_place(out, p->x);
	add_interval(out, d, &p->y[CHART_VALUE]);
	add_interval(out, d, &second);
	add_interval(out, d, &third);
	add_word(out, f, p->aside || d->chart->labelled ? p->name : "");
	strbuf_addch(out, '\n');
}

void
script_write_data(struct strbuf *out, const struct picture_format *f,
    const struct chart_data *d)
{
	strbuf_printf(
	    out, "N = %zu\narray NAME[%zu]\n", d->n_series, d->n_series);
	for (size_t i = 0; i < d->n_series; i++) {
		strbuf_printf(out, "NAME[%zu] = ", i + 1);
		f->quote(out, d->series[i].name);
		strbuf_addch(out, '\n');
	}
	strbuf_addstr(out, "$data << EOD\n");
	strbuf_addstr(out,
	    d->chart->over_gpus
		? "# GPUs, median low high, speedup low high, efficiency low "
		  "high (%), name\n"
		: "# x, value low high, nothing, name\n");
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *s = &d->series[i];

		strbuf_addstr(out, i > 0 ? "\n\n" : "");
		for (size_t k = 0; k < s->n_points; k++) {
			/* One empty line breaks the line that joins points. */
			if (s->points[k].aside)
				strbuf_addch(out, '\n');
			write_point(out, f, d, &s->points[k],
			    k == 0 ? &s->spread : NULL);
		}
	}
	strbuf_addstr(out, "EOD\n\n");
}

void
script_write_ideal(struct strbuf *out, const struct chart_data *d)
{
	int n = 0;

	strbuf_printf(out, "array IDEAL_OF[%zu]\n", d->n_series);
	for (size_t i = 0; i < d->n_series; i++)
		if (script_has_own_ideal(d, i))
			strbuf_printf(out, "IDEAL_OF[%d] = %zu\n", ++n, i + 1);
	if (n == 0) /* gnuplot looks at the first even where it draws none */
		strbuf_addstr(out, "IDEAL_OF[1] = 1\n");
	strbuf_printf(out, "N_IDEAL = %d\n", n);
	n = 0;
	strbuf_addstr(
	    out, "$ideal << EOD\n# GPUs, value, speedup, efficiency (%)\n");
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *s = &d->series[i];
		/* Two ends make a line but where an axis bends it. */
		const int n_places = d->x.base > 0 ? 2 : 65;

		if (!script_has_own_ideal(d, i))
			continue;
		strbuf_addstr(out, n++ > 0 ? "\n\n" : "");
		for (int k = 0; k < n_places; k++) {
			const double share = (double)k / (n_places - 1);
			const double x = k == n_places - 1
			    ? d->x.high
			    : d->x.low + share * (d->x.high - d->x.low);

			if (!(x > 0))
				continue;
			script_add_place(out, x);
			for (int q = 0; q < CHART_N_QUANTITIES; q++) {
				strbuf_addch(out, ' ');
				script_add_place(out,
				    chart_ideal(s, (enum chart_quantity)q, x));
			}
			strbuf_addch(out, '\n');
		}
	}
	if (n == 0)
		strbuf_addstr(out, "NaN NaN NaN NaN\n");
	strbuf_addstr(out, "EOD\n\n");
}

/* Of the width of the plot. */
#define RUN_SHIFT 0.012

void
script_write_runs(struct strbuf *out, const struct chart_data *d)
{
	const double span =
	    d->x.base > 0 ? log(d->x.high / d->x.low) : d->x.high - d->x.low;

	/* Left of the marks and whiskers, which would cover them. */
	strbuf_printf(out, "run_place(x) = x %c %.6g\n",
	    d->x.base > 0 ? '*' : '-',
	    d->x.base > 0 ? exp(-RUN_SHIFT * span) : RUN_SHIFT * span);
	strbuf_addstr(
	    out, "$runs << EOD\n# GPUs, value, speedup, efficiency (%)\n");
	for (size_t i = 0; i < d->n_series; i++) {
		const struct chart_series *s = &d->series[i];
		size_t n = 0;

		strbuf_addstr(out, i > 0 ? "\n\n" : "");
		for (size_t k = 0; k < s->n_points; k++)
			for (size_t r = 0; r < s->points[k].n_runs; r++) {
				const struct chart_point *p = &s->points[k];

				script_add_place(out, p->x);
				for (int q = 0; q < CHART_N_QUANTITIES; q++)
					add_number(out,
					    chart_run_value(s, p,
						(enum chart_quantity)q, r));
				strbuf_addch(out, '\n');
				n++;
			}
		if (n == 0)
			strbuf_addstr(out, "NaN NaN NaN NaN\n");
	}
	strbuf_addstr(out, "EOD\n\n");
}

void
script_write_bands(struct strbuf *out, const struct picture_format *f,
    const struct chart_data *d)
{
	strbuf_printf(out,
	    "N_BANDS = %zu\narray BAND_OF[%zu]\nBAND_OF[1] = 1\n", d->n_bands,
	    d->n_bands + 1);
	for (size_t i = 0; i < d->n_bands; i++)
		strbuf_printf(
		    out, "BAND_OF[%zu] = %d\n", i + 1, d->bands[i].series + 1);
	strbuf_addstr(out,
	    "$bands << EOD\n# GPUs, median low high, speedup low high, "
	    "efficiency low high (%)\n");
	for (size_t i = 0; i < d->n_bands; i++) {
		strbuf_addstr(out, i > 0 ? "\n\n" : "");
		for (size_t k = 0; k < d->bands[i].n_points; k++)
			write_point(out, f, d, &d->bands[i].points[k], NULL);
	}
	if (d->n_bands == 0)
		strbuf_addstr(out, "NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN\n");
	strbuf_addstr(out, "EOD\n\n");
}
