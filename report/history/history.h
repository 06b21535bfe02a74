/* The history of results: a row a case and run, with date, host, commit and
 * rule, as history_file.c keeps it and trend.c reads it.
 *
 * Strings are NULL, numbers RESULT_UNKNOWN or NAN where unknown, as in results.
 */
#ifndef REPORT_HISTORY_HISTORY_H
#define REPORT_HISTORY_HISTORY_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/result/result.h"
#include "common/strbuf.h"

/* When, where and of which state of the code something was measured. */
struct history_metadata {
	const char *date;      /* "2026-11-13T08:00:00Z"; never NULL */
	const char *date_from; /* "--date", "machine.txt" or "file", or NULL */
	const char *host, *commit;
};

struct history_row {
	struct history_metadata metadata;
	/* A file keeps the options of the rule; of the case the configuration,
	 * labels by their keys; of the run name, path, values, device and
	 * version. */
	struct result_rule rule;
	struct result_case c;
	struct result_run run;
	const char *log_hash; /* of its log */
	const char *key;      /* of which there is only one: see
	                            history_rows_of */
	long result;          /* number of the result that brought it */
};

struct history {
	struct arena arena; /* owns all strings */
	struct history_row *rows;
	size_t n, alloc;
};

#define HISTORY_INIT \
	{ \
		ARENA_INIT, NULL, 0, 0 \
	}

/* One more row, all unknown. */
struct history_row *history_add_row(struct history *h);

/* Free all; h is empty. */
void history_release(struct history *h);

/* A text that two rows share where they are of one case: rule with its
 * options, metric, configuration, labels, unit.  The device is not in it.
 * Lives in a. */
const char *history_identity(struct arena *a, const struct history_row *row);

/* Add the labels of a case as a JSON object, keys as they stand. */
void history_labels_write(const struct result_case *c, struct strbuf *sb);

/* The rows of all runs of a result.  Their key is a hash of identity, log and
 * run: of the log its own hash, or its path and the number where that is not
 * known.  So a log that was extracted again has the same key.
 *
 * metadata  of all of them
 *
 * The rows borrow the strings of both. */
void history_rows_of(const struct result *r,
    const struct history_metadata *metadata, struct history *out);

#endif
