/* Charts drawn on the terminal with characters, without other programs. */
#ifndef PLOTS_TERMINAL_CHART_H
#define PLOTS_TERMINAL_CHART_H

#include "common/strbuf.h"
#include "plots/charts/chart.h"

/* Columns along the x axis, and labels that fit along the y axis, for struct
 * chart_how.
 *
 * columns, lines  size of the terminal, from terminal_size */
int terminal_chart_room(int columns);
int terminal_chart_max_ticks(int lines);

/* Limit of small charts, drawn one after the other, without --facet-by. */
enum { TERMINAL_CHART_MAX_FACETS = 6 };

/* Append the chart to sb: title, note, axes, a line and a letter per series,
 * whiskers for known intervals, a dotted ideal line, the legend.
 *
 * colour  1: with the terminal's colours */
void terminal_chart_draw(struct chart_data *d, int columns, int lines,
    int colour, struct strbuf *sb);

#endif
