/* What an SVG says to those who cannot see it: a title and a description in
 * place of gnuplot's own, which name its program and its columns.
 *
 *	char *description = svg_text_describe(&data);
 *	svg_text_set(&picture, data.title, description);
 */
#ifndef PLOTS_SVG_TEXT_H
#define PLOTS_SVG_TEXT_H

#include "common/strbuf.h"
#include "plots/charts/chart.h"

/* The axes, the series with the first and the last number of each, and the
 * note, in the chart's language.  The caller frees it. */
char *svg_text_describe(const struct chart_data *d);

/* The chart's title and what is drawn: "resnet50: speedup (×)".  The caller
 * frees it. */
char *svg_text_title(const struct chart_data *d);

/* Replace the title and the description of a picture, and remove the titles of
 * its parts, which browsers show as tool tips.
 *
 * picture      SVG as gnuplot wrote it
 * title, description  any text; it is escaped */
void svg_text_set(
    struct strbuf *picture, const char *title, const char *description);

#endif
