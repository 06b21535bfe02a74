/* Progress bars.  Internal to extract/. */
#ifndef EXTRACT_BARS_H
#define EXTRACT_BARS_H

#include "extract/samples.h"

/* Bars of evaluation look like those of training: the samples of those with as
 * many iterations as the one that took longest.  Free with samples_release. */
struct samples bars_longest(const struct samples *all);

#endif
