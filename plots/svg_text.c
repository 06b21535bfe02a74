/* Title and description of an SVG.  draw.c calls it with what gnuplot wrote; it
 * knows no files. */
#include <config.h>

#include "plots/svg_text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/units/units.h"
#include "common/utf8.h"

enum { MAX_DESCRIBED = 12 /* series whose numbers are named */ };

/* --- what it says --------------------------------------------------------- */

/* What stands at a place of the x axis, as its tick names it. */
static void
add_place(struct strbuf *sb, const struct chart_data *d, double x)
{
	char number[UNITS_TEXT_SIZE];

	for (size_t i = 0; i < d->x.n; i++)
		if (fabs(d->x.ticks[i].at - x) <= 1e-9 * fabs(x) &&
		    d->x.ticks[i].label[0] != '\0') {
			strbuf_addstr(sb, d->x.ticks[i].label);
			return;
		}
	strbuf_addstr(sb, number_format(number, x, 4));
}

static void
add_point(
    struct strbuf *sb, const struct chart_data *d, const struct chart_point *p)
{
	char number[UNITS_TEXT_SIZE];

	add_place(sb, d, p->x);
	strbuf_printf(
	    sb, ": %s", number_format(number, p->y[d->chart->quantity].at, 4));
}

/* Its name, its first and its last number. */
static void
add_series(
    struct strbuf *sb, const struct chart_data *d, const struct chart_series *s)
{
	const struct chart_point *first = NULL, *last = NULL;

	for (size_t i = 0; i < s->n_points; i++)
		if (isfinite(s->points[i].y[d->chart->quantity].at)) {
			first = first != NULL ? first : &s->points[i];
			last = &s->points[i];
		}
	if (d->n_facets > 0)
		strbuf_printf(sb, "%s, ", d->facets[s->facet]);
	strbuf_printf(sb, "%s (", s->name);
	if (first != NULL)
		add_point(sb, d, first);
	if (last != first) {
		strbuf_addstr(sb, " \xe2\x80\xa6 ");
		add_point(sb, d, last);
	}
	strbuf_addstr(sb, "). ");
}

/* Names, numbers and verdicts of a chart with names down the side. */
static void
add_rows(struct strbuf *sb, const struct chart_data *d)
{
	for (size_t i = 0; i < d->n_rows; i++)
		strbuf_printf(sb, "%s: %s%s%s. ", d->rows[i].name,
		    d->rows[i].number, d->rows[i].verdict[0] != '\0' ? " " : "",
		    d->rows[i].verdict);
}

char *
svg_text_describe(const struct chart_data *d)
{
	const size_t n =
	    d->n_series < MAX_DESCRIBED ? d->n_series : MAX_DESCRIBED;
	struct strbuf sb;

	strbuf_init(&sb, 1 << 16);
	strbuf_printf(&sb, "x: %s; y: %s. ",
	    d->chart->sideways ? d->y_title : d->x_title,
	    d->chart->sideways ? d->x_title : d->y_title);
	add_rows(&sb, d);
	for (size_t i = 0; d->n_rows == 0 && i < n; i++)
		add_series(&sb, d, &d->series[i]);
	if (d->n_rows == 0 && n < d->n_series)
		strbuf_printf(&sb, "+%zu. ", d->n_series - n);
	strbuf_addstr(&sb, d->note);
	return strbuf_detach(&sb);
}

char *
svg_text_title(const struct chart_data *d)
{
	struct strbuf sb;

	strbuf_init(&sb, 1 << 16);
	strbuf_printf(&sb, "%s%s%s", d->title, d->title[0] != '\0' ? ": " : "",
	    d->y_title);
	return strbuf_detach(&sb);
}

/* --- where it stands ------------------------------------------------------ */

static void
add_escaped(struct strbuf *sb, const char *text)
{
	while (*text != '\0') {
		uint32_t cp;
		const size_t len = utf8_decode(text, strlen(text), &cp);

		if (cp == UTF8_INVALID)
			strbuf_addstr(sb, "\xef\xbf\xbd");
		else if (utf8_is_control(cp) || cp == 0xfffe || cp == 0xffff)
			strbuf_addch(sb, ' ');
		else if (cp == '&')
			strbuf_addstr(sb, "&amp;");
		else if (cp == '<')
			strbuf_addstr(sb, "&lt;");
		else if (cp == '>')
			strbuf_addstr(sb, "&gt;");
		else
			strbuf_add(sb, text, len);
		text += len;
	}
}

/* The next element of that name: its start, and its end past the closing tag.
 * Returns NULL if there is none. */
static const char *
find_element(
    const char *text, const char *open, const char *close, const char **end)
{
	const char *at = strstr(text, open);
	const char *last = at != NULL ? strstr(at, close) : NULL;

	if (last == NULL)
		return NULL;
	*end = last + strlen(close);
	return at;
}

void
svg_text_set(struct strbuf *picture, const char *title, const char *description)
{
	struct strbuf out;
	const char *rest = picture->buf, *at, *end;
	int n = 0;

	strbuf_init(&out, SIZE_MAX / 4);
	while ((at = find_element(rest, "<title>", "</title>", &end)) != NULL) {
		strbuf_add(&out, rest, (size_t)(at - rest));
		rest = end;
		if (n++ > 0)
			continue;
		strbuf_addstr(&out, "<title>");
		add_escaped(&out, title);
		strbuf_addstr(&out, "</title>\n<desc>");
		add_escaped(&out, description);
		strbuf_addstr(&out, "</desc>");
		if (find_element(rest, "<desc>", "</desc>", &end) != NULL)
			rest = end;
	}
	strbuf_addstr(&out, rest);
	strbuf_release(picture);
	*picture = out;
}
