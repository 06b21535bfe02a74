/* A chart on the terminal, made of characters without any other program. */
#ifndef PLOTS_TERMINAL_CHART_H
#define PLOTS_TERMINAL_CHART_H

#include "common/strbuf.h"
#include "plots/charts/chart.h"

/* Columns that the x axis of such a chart has, and labels that fit along its y
 * axis: what chart_collect wants to know.
 *
 * columns, lines  of the terminal, as terminal_size gives them */
int terminal_chart_room(int columns);
int terminal_chart_max_ticks(int lines);

/* Charts one after the other that are made without being asked for. */
enum { TERMINAL_CHART_MAX_FACETS = 6 };

/* Add the chart to sb: title, note, axes, a line and a letter a series,
 * whiskers where intervals are known, the ideal line dotted, the legend.
 *
 * colour  1: with the terminal's colours */
void terminal_chart_draw(const struct chart_data *d, int columns, int lines,
    int colour, struct strbuf *sb);

#endif
