/* Progress bars.  Internal to extract/. */
#ifndef EXTRACT_LOG_PROGRESS_BAR_H
#define EXTRACT_LOG_PROGRESS_BAR_H

#include "extract/log/sample_store.h"

/* Bars of evaluation look like those of training: the samples of those with as
 * many iterations as the one that took longest.  Free with
 * sample_store_release. */
struct sample_store progress_bar_longest(const struct sample_store *all);

#endif
