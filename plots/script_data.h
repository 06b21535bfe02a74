/* Blocks of gnuplot's data; script.h states their columns. */
#ifndef PLOTS_SCRIPT_DATA_H
#define PLOTS_SCRIPT_DATA_H

#include "common/strbuf.h"
#include "plots/charts/chart.h"
#include "plots/style/picture_format.h"

/* Add a number of the picture, not of the data: digits that only rounding made
 * are not printed. */
void script_add_place(struct strbuf *out, double x);

/* Add the names of the series and their points. */
void script_write_data(struct strbuf *out, const struct picture_format *f,
    const struct chart_data *d);

/* Add the ideal lines, each once. */
void script_write_ideal(struct strbuf *out, const struct chart_data *d);

/* Add the runs of all points, each a dot; a series without any still has its
 * block. */
void script_write_runs(struct strbuf *out, const struct chart_data *d);

/* Add the predictions; without any there still is a block that gnuplot can look
 * at. */
void script_write_bands(struct strbuf *out, const struct picture_format *f,
    const struct chart_data *d);

#endif
