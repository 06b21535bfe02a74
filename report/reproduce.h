/* A published figure against own runs: does it hold here, and which settings
 * differ? */
#ifndef REPORT_REPRODUCE_H
#define REPORT_REPRODUCE_H

#include "common/error.h"
#include "common/series/result_set.h"
#include "common/table/table.h"
#include "common/texts/messages.h"

/* Known files of published figures: *.figures of the installed folder
 * "published" and of the user's (user_folder), in the order of their names.
 *
 * n  set to their number
 *
 * Returns their paths, in a. NULL with ERROR_SYSTEM if the installed ones are
 * missing. */
char **reproduce_known_files(struct arena *a, size_t *n, struct error *e);

/* Compare the published case and the own one that agree in most settings, and
 * whose unit is the same.
 *
 * text         a figure with its settings, "resnet50 fp16 b256 1xH200 7950", or
 *              NULL
 * n_published  number of published files at the start of the set, 0 with text;
 *              of several only cases of the runs' models count
 * set          those files, and those of own runs. If the figure is in %, the
 *              runs' values become their MFU
 * t            filled: the settings that differ, by their usual effect, then
 *              those that one side does not state; notes: the verdict, the
 *              others, the place of the figure
 *
 * Returns 0; -1 with ERROR_USAGE for a text without a figure, ERROR_EMPTY if no
 * own case has the unit. */
int reproduce_compare(const char *text, size_t n_published,
    struct result_set *set, enum language lang, struct table *t,
    struct error *e);

#endif
