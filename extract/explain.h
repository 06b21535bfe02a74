/* Options about formats: list, show and check them, and explain why a line
 * matched or not.
 */
#ifndef EXTRACT_EXPLAIN_H
#define EXTRACT_EXPLAIN_H

#include <stdio.h>

#include "common/table/table.h"
#include "extract/format/format.h"
#include "extract/format/path_layout.h"
#include "extract/job/extraction.h"

/* --explain FILE: the chosen format, the runner-up and why; then each line
 * with the pattern that matched and what it captured, or up to which column
 * the nearest pattern matched.  Long runs of unmatched lines without any
 * nearness are shortened.
 *
 * forced  --log-format, or NULL
 *
 * Returns 0; -1 if the file cannot be read. */
int explain_file(const struct format_set *set, const char *path,
    const struct format *forced, FILE *out, struct error *e);

/* --list-formats: a table of names, what their numbers mean, descriptions, a
 * group for each framework.
 *
 * word  only formats whose name, description, address or framework holds it, in
 *       large or small letters; "": all
 * as    the form of the table
 *
 * Returns 0; -1 with ERROR_EMPTY where there is none. */
int explain_list(const struct format_set *set, const char *word,
    const struct table_format *as, FILE *out, struct error *e);

/* --list-fields: a table of the fields that patterns may name: what values they
 * take, the unit that these are kept in, the patterns where they may stand.
 *
 * as  the form of the table */
void explain_fields(const struct table_format *as, FILE *out);

/* --show-format NAME: the file's path as a comment line and its text.
 * Returns 0; -1 with ERROR_USAGE if there is no such format or layout. */
int explain_show(const struct format_set *set,
    const struct path_layout_set *layouts, const char *name, FILE *out,
    struct error *e);

/* --check-formats: run all samples.  Prints one line per mistake to err and
 * "N formats, M prefixes, K layouts, S samples: ok" to out.
 *
 * Returns how many files have a mistake. */
int explain_check(const struct format_set *set,
    const struct path_layout_set *layouts, FILE *out, FILE *err);

/* --explain-paths: a row for each file of x, which extraction_find has found:
 * what --map and its name state, before any log is read. */
void explain_paths(const struct extraction *x, FILE *out);

#endif
