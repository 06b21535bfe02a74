/* The table of collectives by size: medians over the runs of a case. */
#ifndef EXTRACT_SHOW_COLLECTIVES_H
#define EXTRACT_SHOW_COLLECTIVES_H

#include <stdio.h>

#include "common/result/result.h"
#include "common/table/table.h"

/* Write it after a blank line; nothing where no run has collectives. */
void show_collectives(const struct result *r, const struct table_format *format,
    enum table_colour colour, FILE *f);

#endif
