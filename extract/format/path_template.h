/* --path: a template with fields in braces for the paths of one tree.
 *
 *	path_template_add(&l, "{model}-n{nodes}-bs{batch}-r{run}.log", &e);
 */
#ifndef EXTRACT_FORMAT_PATH_TEMPLATE_H
#define EXTRACT_FORMAT_PATH_TEMPLATE_H

#include "common/error.h"
#include "extract/format/path_layout.h"

/* Name of the layout of a template. */
#define PATH_TEMPLATE_NAME "--path"

/* Add a template before all layouts of the set and after the templates added
 * earlier.
 *
 * template  {FIELD} captures a field of layouts: digits for a count, else any
 *           text up to the next part of the template. {batch} is the batch size
 *           per device, {label_NAME} a free label.  '*' matches any text
 *           without '/'.  The template matches the end of a path, starting at a
 *           part; it omits suffixes of compressed files.
 *
 * Returns 0, or -1 with ERROR_USAGE if a field is unknown or repeated. */
int path_template_add(
    struct path_layout_set *set, const char *template, struct error *e);

/* True if a template of the set matches the path. */
int path_template_fits(const struct path_layout_match *m);

#endif
