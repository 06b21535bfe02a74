/* The history of results: one row per case and run, with date, host, commit and
 * rule, and its file, a SQLite database.
 *
 *	struct history_file f;
 *	if (history_file_open("speed.db", HISTORY_WRITE, &f, &e) != 0)
 *		return -1;
 *	rc = history_file_add(&f, &rows, "r.json", &counts, &e);
 *	history_file_close(&f);
 *
 * Without SQLite the functions of the file are missing. Strings are NULL,
 * numbers RESULT_UNKNOWN or NAN where unknown, as in results.
 */
#ifndef REPORT_HISTORY_HISTORY_FILE_H
#define REPORT_HISTORY_HISTORY_FILE_H

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
	/* A file keeps the options of the rule; of the case the configuration
	 * and the labels; of the run name, path, values, flags, device
	 * and version. */
	struct result_rule rule;
	struct result_case c;
	struct result_run run;
	const char *file;     /* the result's, when it was added */
	const char *labels;   /* c.labels as {"KEY": "VALUE", ...} */
	const char *log_hash; /* of its log */
	const char *flags;    /* run.flags as {"flags": [...]}; NULL: none */
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

/* Make the rows of all runs of a result. The key of a row is a hash of
 * identity, log (its hash, else path and number) and run, so that a log
 * extracted again has the same key.
 *
 * metadata  of all of them
 *
 * The rows borrow the strings of both. */
void history_rows_of(const struct result *r,
    const struct history_metadata *metadata, struct history *out);

/* --- the file ------------------------------------------------------------- */

enum history_mode {
	HISTORY_READ, /* the file must exist */
	HISTORY_WRITE /* the file is created if necessary */
};

enum {
	HISTORY_VERSION = 4, /* of the tables; see history_file.c */
	HISTORY_MAX_ROWS = 5000000,
	HISTORY_WAIT_MS = 60000 /* longest wait for another writer, ms */
};

struct sqlite3;

struct history_file {
	struct sqlite3 *db;
	char *path;
	int upgraded_from; /* version before an upgrade, or 0 */
};

/* Result of an addition. */
struct history_counts {
	size_t added, there; /* rows */
	/* Metadata of the first row that was stored already, in the arena of
	 * the rows; date NULL: none was. */
	struct history_metadata known;
};

/* Open a history. Tables of an older version are upgraded in place, in one
 * transaction.
 *
 * Returns 0; -1 with ERROR_SYSTEM if the file cannot be opened or SQLite is not
 * there, ERROR_INPUT if it is damaged, not a database, or of another program or
 * a later version, ERROR_EMPTY for reading a file without tables. */
int history_file_open(const char *path, enum history_mode mode,
    struct history_file *f, struct error *e);

/* Close. A closed history is ignored. */
void history_file_close(struct history_file *f);

/* Check that the history holds no runs of another protocol than the rows.
 *
 * file  name of the result file for the message
 *
 * Returns 0; -1 with ERROR_INPUT for others. */
int history_file_check_protocol(struct history_file *f,
    const struct history *rows, const char *file, struct error *e);

/* Add all rows, or none if it fails or the process is killed. A row that is
 * stored already is skipped; ERROR_INPUT if its value or metadata differ.
 *
 * file  name of the result file in the history
 *
 * Returns 0 or -1. */
int history_file_add(struct history_file *f, struct history *rows,
    const char *file, struct history_counts *counts, struct error *e);

/* Begin and commit a transaction. history_file_close without a commit rolls it
 * back. Waits for another writer, up to HISTORY_WAIT_MS. */
int history_file_begin(struct history_file *f, struct error *e);
int history_file_commit(struct history_file *f, struct error *e);

/* Remove the rows with the same keys.
 *
 * removed  number of removed rows */
int history_file_remove(struct history_file *f, const struct history *rows,
    size_t *removed, struct error *e);

/* Read all rows, by date and order of addition.
 *
 * host  only rows of this host; NULL: all
 * out   set on success only */
int history_file_read(struct history_file *f, const char *host,
    struct history *out, struct error *e);

#endif
