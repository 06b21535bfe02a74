/* Reference value files: tables of papers and READMEs after header lines that
 * state model, batch and so on. Cells are kept as written. Format:
 * doc/published.md.
 *
 *	model: ResNet50 V1.5
 *	batch: 160
 *
 *	| nodes | GPUs | OneFlow | TensorFlow |
 *	| ----- | ---- | ------- | ---------- |
 *	| 1     | 1    | 383.760 | OOM        |
 */
#ifndef COMMON_SERIES_REFERENCE_VALUES_H
#define COMMON_SERIES_REFERENCE_VALUES_H

#include <stddef.h>

#include "common/error.h"
#include "common/series/result_set.h"

enum {
	REFERENCE_VALUES_MAX_BYTES = 16 << 20,
	REFERENCE_VALUES_MAX_COLUMNS = 256,
	REFERENCE_VALUES_MAX_CASES = 1000000
};

/* Read reference values from memory.
 *
 * name  file name for messages
 * s     result, texts, lines and origins are set: one case per cell, in file
 *       order; speedup and efficiency are over the baseline of each column
 *
 * Returns 0; -1 with ERROR_INPUT and "b.figures:12:7: ...", with ERROR_LIMIT,
 * or with ERROR_EMPTY if there is no value. */
int reference_values_parse(const char *name, const char *text, size_t len,
    struct result_file *s, struct error *e);

/* Read the tables of a document in Markdown, CSV or LaTeX, or DLPerf's JSON.
 * Headings above a table may state batch and precision; several tables are
 * distinguished by a label "table". Other tables and cells are skipped, with a
 * remark if they may hold speeds.
 *
 * Returns as reference_values_parse; ERROR_EMPTY names the required columns. */
int reference_values_parse_document(const char *name, const char *text,
    size_t len, struct result_file *s, struct error *e);

/* True if the text is meant as reference values: a line begins like a table
 * row, or the first that is not a comment with a header key and a colon. Logs
 * have neither. */
int reference_values_are(const char *text, size_t len);

#endif
