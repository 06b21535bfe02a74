/* Modes of extract_logs beside extracting: questions about formats, watching
 * runs, proposing a format; and its tables. */
#ifndef EXTRACT_MODES_H
#define EXTRACT_MODES_H

#include <stddef.h>
#include <stdio.h>

#include "common/error.h"
#include "common/result/result.h"
#include "common/table/table.h"
#include "common/texts/remark.h"
#include "extract/format/format.h"
#include "extract/job/extraction.h"
#include "extract/job/settings.h"

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
int explain_show(
    const struct format_set *set, const char *name, FILE *out, struct error *e);

/* --check-formats: run all samples.  Prints one line per mistake to err and
 * "N formats, M prefixes, K layouts, S samples: ok" to out.
 *
 * Returns the number of files with mistakes. */
int explain_check(const struct format_set *set, FILE *out, FILE *err);

/* --explain-paths: print a row per file of the operands [n]: the metadata
 * stated by --map and the file's name, without reading any log.
 *
 * Returns 0, or -1 if an operand cannot be read. */
int explain_paths(struct extraction *x, const char *const *operands, size_t n,
    struct error *e);

/* --follow: examine the operands every settings->interval seconds until SIGINT,
 * SIGTERM or settings->timeout. Print changes to standard output (a redrawn
 * table on a terminal, else a line per change), and write the result whenever
 * its runs change. Files are compared by name, size and time, which also works
 * on network file systems.
 *
 * x         loaded
 * operands  [n] operands of extract_logs
 * path      path of the result
 *
 * Returns 0; -1 with ERROR_EMPTY if no run entered the result, or with another
 * error. */
int follow(struct extraction *x, const char *const *operands, size_t n,
    const char *path, struct error *e);

/* --suggest: write a proposed format for the log to out.
 *
 * Lines of one shape (equal except for numbers) are grouped. The meaning of
 * each number follows from its name, its unit and its changes from line to
 * line. The proposal contains the evidence as comments, and lines of the log as
 * samples.
 *
 * set  formats; their launcher prefixes are skipped in lines
 *
 * Returns 0; -1 with ERROR_EMPTY if no shape has a counter and a time or rate,
 * or with another error if the log cannot be read. */
int suggest_format(
    const struct format_set *set, const char *path, FILE *out, struct error *e);

/* Print the table "runs" or "metrics"; any other name prints the cases, with
 * collectives and excluded logs below (CSV: only the cases). CSV has all
 * columns and unrounded numbers. Errors of f are reported by stdout_finish. */
void tables_write(const struct result *r, const char *name,
    const struct table_format *format, enum language lang,
    enum table_colour colour, FILE *f);

#endif
