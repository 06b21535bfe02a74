/* --table=metrics: what logs state next to the throughput. */
#ifndef EXTRACT_SHOW_METRICS_H
#define EXTRACT_SHOW_METRICS_H

#include <stdio.h>

#include "common/result/result.h"
#include "common/table/table.h"

/* A row for each case: the median over its runs of each figure that they have,
 * with notes of where the figures are from. */
void show_metrics(const struct result *r, const struct table_format *format,
    enum table_colour colour, FILE *f);

#endif
