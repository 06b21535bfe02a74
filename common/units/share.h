/* Shares as options state them, "2%" or "0.02". */
#ifndef COMMON_UNITS_SHARE_H
#define COMMON_UNITS_SHARE_H

#include "common/error.h"

/* Read a share of the option --NAME.
 *
 * Returns 0; -1 with ERROR_USAGE where the text is no number with % from 0 to
 * 100, nor one from 0 to below 1. */
int share_parse(
    const char *option, const char *text, double *out, struct error *e);

#endif
