/* Files of reference values: tables as they stand in papers and READMEs, a
 * few lines before them that state what they are of, the cells kept as
 * written.  The format: doc/published.md.
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
 * name  stands for the file in messages
 * s     result, texts, lines, origins are set: one case a cell, in the order
 *       of the file; speedup and efficiency are computed within each column
 *       over its baseline
 *
 * Returns 0; -1 with ERROR_INPUT and "b.figures:12:7: ...", with
 * ERROR_LIMIT, or with ERROR_EMPTY if there is no figure at all. */
int reference_values_parse(const char *name, const char *text, size_t len,
    struct result_file *s, struct error *e);

/* Read the tables of a document, Markdown, CSV or LaTeX, or of DLPerf's JSON;
 * what headings above them state about batch and precision holds for them,
 * several tables are distinguished by a label "table".  Other tables and cells
 * that are no speed are passed over, with a remark where they could have been
 * meant.
 *
 * As reference_values_parse; ERROR_EMPTY names the columns that a table
 * needs. */
int reference_values_parse_document(const char *name, const char *text,
    size_t len, struct result_file *s, struct error *e);

/* True if the first character is a brace: text for result_parse. */
int reference_values_looks_like_json(const char *text, size_t len);

/* True if the first line that is no comment begins with a key of reference
 * values and a colon.  Logs do not. */
int reference_values_begins_with_key(const char *text, size_t len);

#endif
