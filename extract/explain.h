/* Options about formats: list, show and check them, and explain why a line
 * matches or not.
 */
#ifndef EXTRACT_EXPLAIN_H
#define EXTRACT_EXPLAIN_H

#include <stdio.h>

#include "common/table/table.h"
#include "extract/format/format.h"
#include "extract/format/path_layout.h"
#include "extract/job/extraction.h"

/* --explain FILE: print the chosen format, the runner-up and the reason; then
 * each line with its pattern and captures, or the column up to which the
 * nearest pattern matches. Lines without any near pattern are only counted.
 *
 * forced  --log-format, or NULL
 *
 * Returns 0; -1 if the file cannot be read. */
int explain_file(const struct format_set *set, const char *path,
    const struct format *forced, FILE *out, struct error *e);

/* --list-formats: print a table of names, meanings of their numbers and
 * descriptions, grouped by framework.
 *
 * word  only formats whose name, description, URL or framework contains it,
 *       ignoring case; "": all
 * as    table format
 *
 * Returns 0; -1 with ERROR_EMPTY if there is none. */
int explain_list(const struct format_set *set, const char *word,
    const struct table_format *as, FILE *out, struct error *e);

/* --list-fields: print a table of the fields that patterns may capture: type of
 * value, internal unit, and the patterns that allow them.
 *
 * as  table format */
void explain_fields(const struct table_format *as, FILE *out);

/* --show-format NAME: print the file's path as a comment line, and its text.
 * Returns 0; -1 with ERROR_USAGE if there is no such format or layout. */
int explain_show(const struct format_set *set,
    const struct path_layout_set *layouts, const char *name, FILE *out,
    struct error *e);

/* --check-formats: run all samples.  Prints one line per mistake to err and
 * "N formats, M prefixes, K layouts, S samples: ok" to out.
 *
 * Returns the number of files with mistakes. */
int explain_check(const struct format_set *set,
    const struct path_layout_set *layouts, FILE *out, FILE *err);

/* --explain-paths: print a row per file of x, found by extraction_find: the
 * metadata stated by --map and the file's name, without reading any log. */
void explain_paths(const struct extraction *x, FILE *out);

#endif
