/* Operands that are logs: programs that read results extract them first, by
 * running extract_logs, and read the result from memory.
 *
 *	log_operands_extract(operands, &n, OPERANDS_APART, options, &e);
 *	confine_calls(&e);
 *	result_set_read(&set, operands, n, &e);
 */
#ifndef COMMON_SERIES_LOG_OPERANDS_H
#define COMMON_SERIES_LOG_OPERANDS_H

#include <stddef.h>

#include "common/error.h"
#include "common/program/options.h"
#include "common/strbuf.h"

/* True if the file name is that of a document with tables: Markdown, CSV, TSV
 * or LaTeX. */
int operand_is_document(const char *path);

/* True if the text begins with an object or an array. */
int operand_text_is_json(const char *text, size_t len);

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

#endif
