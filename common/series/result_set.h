/* Inputs of report_results and plot_results: result JSON, reference values
 * converted to a result, and logs, which extract_logs extracts first.
 *
 * A reference value has no runs, interval or count. Its cell is kept as
 * written, to preserve "383.760" and "OOM".
 *
 *	struct result_set l = RESULT_SET_INIT;
 *	log_operands_extract(operands, &n, OPERANDS_APART, options, &e);
 *	confine_calls(&e);
 *	if (result_set_read(&l, operands, n, &e) != 0) ...
 *	for (size_t i = 0; i < l.n; i++)
 *		printf("%s: %zu cases\n", l.items[i].name,
 *		    l.items[i].result.n_cases);
 *	result_set_release(&l);
 */
#ifndef COMMON_SERIES_RESULT_SET_H
#define COMMON_SERIES_RESULT_SET_H

#include <stddef.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/program/options.h"
#include "common/result/result.h"

/* The cells of a published case. */
struct published_value {
	const char *text; /* of its speed, as published */
	long line;
	const char **written; /* [N_QUANTITIES] other cells as written, or
	                         NULL */
};

struct result_file {
	const char *path;               /* without the label; "stdin" for - */
	const char *label;              /* label of label=path, or NULL */
	const char *name;               /* label, or base name without suffix */
	struct result result;           /* its arena owns all strings here */
	struct published_value *values; /* [n_cases]; NULL: a measured result */
	const char **origins;           /* sources of the published values */
	size_t n_origins;
	const char **remarks; /* on ambiguous or contradictory published values,
	                         for stderr */
	size_t n_remarks;
	const char *united; /* "images/s, samples/s": units in the set that
	                       were renamed to samples/s; NULL: none */
};

struct result_set {
	struct result_file *items;
	size_t n, alloc;
};

#define RESULT_SET_INIT ((struct result_set){ NULL, 0, 0 })

enum { RESULT_FILE_MAX_BYTES = 256 << 20 };

/* Add operands to l, each "path", "label=path" or "-" for stdin. If their units
 * name samples differently (images, sequences, examples per second), all become
 * "samples/s".
 *
 * Returns 0; -1 with ERROR_USAGE without operands, ERROR_SYSTEM if a file
 * cannot be read, ERROR_LIMIT if it is larger than RESULT_FILE_MAX_BYTES, else
 * as result_parse and reference_values_parse. */
int result_set_read(
    struct result_set *l, char *const *operands, size_t n, struct error *e);

/* Add a remark. Its text must live in s->result.arena. */
void result_file_remark(struct result_file *s, const char *text);

/* Make the metric of --metric the value of all results, with its unit, medians
 * and intervals, and without speedups. Runs without it or with a value <= 0 are
 * dropped, as are cases without runs; a remark of the file counts them. A
 * result measured by this metric is unchanged.
 *
 * name  one of run_metric_choices; NULL: do nothing
 *
 * Returns 0; -1 with ERROR_EMPTY if a file has no run left; ERROR_INPUT if it
 * has another metric than the throughput, or published values, which have no
 * runs. */
int result_set_choose_metric(
    struct result_set *l, const char *name, struct error *e);

/* Print all remarks to stderr, each as "program: file:line: ...". */
void result_set_print_remarks(const struct result_set *l, const char *program);

/* As outfile_spare, for the files of the set. output may be NULL. */
int result_set_spare(
    const struct result_set *l, const char *output, struct error *e);

/* Free all files; the set is empty afterwards. */
void result_set_release(struct result_set *l);

/* --- operands that are logs ----------------------------------------------- */

/* Which operands are logs, and which of them make one result. */
enum log_operands {
	OPERANDS_APART,    /* each log file is a result of its own */
	OPERANDS_TOGETHER, /* log files without a label are runs of one result:
			      only the first of them stays an operand */
	OPERANDS_FOLDERS   /* only folders are logs */
};

/* Run extract_logs on the operands that are folders, logs or compressed logs,
 * and keep the results until the process ends. Everything else (results,
 * predictions, reference values, documents, "-", missing files) is left alone.
 * Call it before confine_calls, which forbids starting programs.
 *
 * operands  [*n]
 * options   values of OPERANDS_EXTRACT_OPTION: options of extract_logs,
 *           separated by spaces
 *
 * Warnings of extract_logs go to stderr.  Returns 0; -1 with ERROR_USAGE,
 * ERROR_INPUT or ERROR_EMPTY, as extract_logs ended, ERROR_LIMIT if a result is
 * larger than RESULT_FILE_MAX_BYTES, or ERROR_SYSTEM if extract_logs
 * cannot be run. */
int log_operands_extract(char **operands, size_t *n, enum log_operands which,
    const struct opt_list *options, struct error *e);

/* The result of a log operand as JSON, or NULL if it is not one.
 *
 * path  without the label */
const struct strbuf *log_operand_result(const char *path);

/* Row of the option table.
 *
 * list   struct opt_list
 * where  modes of the program, 0: all */
#define OPERANDS_EXTRACT_OPTION(list, where) \
	{ \
		OPT_LIST, 0, "extract", "OPTIONS", \
		    .help = "options of extract_logs for operands that are " \
			    "logs, such as --extract='--rule=all --nodes=2'", \
		    .to = &(list), .modes = (where) \
	}

/* Name of a result file: "resnet50" for "result/resnet50_result.json". Free
 * with free(). */
char *result_file_name(const char *path);

/* --- reference values ----------------------------------------------------- */

/* Reference value files: tables of papers and READMEs after header lines that
 * state model, batch and so on. Cells are kept as written. Format:
 * doc/published.md.
 *
 *	model: ResNet50 V1.5
 *	batch: 160
 *
 *	| nodes | GPUs | OneFlow | TensorFlow |
 *	| ----- | ---- | ------- | ---------- |
 *	| 1     | 1    | 383.760 | OOM        | */

enum { REFERENCE_VALUES_MAX_CASES = 1000000 };

/* Read reference values from memory.
 *
 * name         file name for messages
 * is_document  0: a file of reference values; 1: a document in Markdown, CSV or
 *              LaTeX, or DLPerf's JSON. Headings above its tables may state
 *              batch and precision; several tables are distinguished by a label
 *              "table". Other tables and cells are skipped, with a remark if
 *              they may hold speeds
 * s            result, values and origins are set: one case per cell, in file
 *              order; speedups are left to series_collect
 *
 * Returns 0; -1 with ERROR_INPUT and "b.figures:12:7: ...", with ERROR_LIMIT,
 * or with ERROR_EMPTY if there is no value. */
int reference_values_parse(const char *name, const char *text, size_t len,
    int is_document, struct result_file *s, struct error *e);

/* True if the text looks like reference values: a line begins like a table row,
 * or the first line that is not a comment begins with a header key and a colon.
 * Logs have neither. */
int reference_values_are(const char *text, size_t len);

#endif
