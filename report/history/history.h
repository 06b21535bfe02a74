/* The history of results: one row per case and run, with date, host, commit and
 * rule.
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

/* When, where and with which commit something was measured. */
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
	const char *key;      /* identity, log and run: see history_rows_of */
	long result;          /* number of the result it was added with */
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

/* Append a row whose members are all unknown. */
struct history_row *history_add_row(struct history *h);

/* Free all; h is empty. */
void history_release(struct history *h);

/* Identity of a row's case as text: rule with its options, metric,
 * configuration, labels, unit, but not the device. Lives in a. */
const char *history_identity(struct arena *a, const struct history_row *row);

/* Append the labels of a case as a JSON object, in their order. */
void history_labels_write(const struct result_case *c, struct strbuf *sb);

/* Make the rows of all runs of a result. The key of a row is a hash of
 * identity, log (its hash, else path and number) and run, so that a log
 * extracted again has the same key.
 *
 * metadata  of all of them
 *
 * The rows borrow the strings of both. */
void history_rows_of(const struct result *r,
    const struct history_metadata *metadata, struct history *out);

#endif
