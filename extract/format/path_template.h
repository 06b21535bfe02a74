/* --path: what the names of one tree show, as one line with words in braces.
 *
 *	path_template_add(&l, "{model}-n{nodes}-bs{batch}-r{run}.log", &e);
 */
#ifndef EXTRACT_FORMAT_PATH_TEMPLATE_H
#define EXTRACT_FORMAT_PATH_TEMPLATE_H

#include "common/error.h"
#include "extract/format/path_layout.h"

/* How the layout is called that a template becomes. */
#define PATH_TEMPLATE_NAME "--path"

/* Ask this template before all layouts of the set, and before the templates
 * that are added after it.
 *
 * template  {FIELD} captures a field of layouts, digits for a count, else any
 *           text up to the next part of the template; {batch} is the batch size
 *           per device, {label_NAME} a label of one's own.  '*' is any text
 *           without '/'.  It stands for the end of a path, from the start of a
 *           part on; what compressed files end in is not to be named.
 *
 * Returns 0, or -1 with ERROR_USAGE, where a word is none or stands twice. */
int path_template_add(
    struct path_layout_set *set, const char *template, struct error *e);

/* True if a template of the set fits the path; 0 without templates. */
int path_template_fits(const struct path_layout_match *m);

#endif
