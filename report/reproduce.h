/* A published figure against own runs: does it hold here, and which settings
 * differ? */
#ifndef REPORT_REPRODUCE_H
#define REPORT_REPRODUCE_H

#include "common/error.h"
#include "common/series/result_set.h"
#include "common/table/table.h"
#include "common/texts/messages.h"

/* Compare the published case and the own one that agree in most settings, and
 * whose unit is the same.
 *
 * text  a figure with its settings, "resnet50 fp16 b256 1xH200 7950"; NULL: the
 *       first file of the set
 * set   the published file, unless text is given, and those of own runs. If the
 *       figure is in %, the runs' values become their MFU
 * t     filled: the settings that differ, by their usual effect, then those
 *       that one side does not state; notes: the verdict and the others
 *
 * Returns 0; -1 with ERROR_USAGE for a text without a figure, ERROR_EMPTY if no
 * own case has the unit. */
int reproduce_compare(const char *text, struct result_set *set,
    enum language lang, struct table *t, struct error *e);

#endif
