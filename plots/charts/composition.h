/* What distinguishes series of one chart: colours, dashes, or charts of their
 * own side by side. */
#ifndef PLOTS_CHARTS_COMPOSITION_H
#define PLOTS_CHARTS_COMPOSITION_H

#include "plots/charts/chart.h"

enum { COMPOSITION_MAX_FACETS = 12 };

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
