/* The file of a history: a SQLite database.
 *
 *	struct history_file f;
 *	if (history_file_open("speed.db", HISTORY_WRITE, &f, &e) != 0)
 *		return -1;
 *	rc = history_file_add(&f, &rows, "r.json", &counts, &e);
 *	history_file_close(&f);
 *
 * Without SQLite all functions return errors.
 */
#ifndef REPORT_HISTORY_HISTORY_FILE_H
#define REPORT_HISTORY_HISTORY_FILE_H

#include "common/error.h"
#include "report/history/history.h"

enum history_mode {
	HISTORY_READ, /* the file must exist */
	HISTORY_WRITE /* the file is created if necessary */
};

enum {
	HISTORY_VERSION = 2, /* of the tables; see history_file.c */
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
