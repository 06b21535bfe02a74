/* The file of a history: a SQLite database.  Only history_file.c knows SQL.
 *
 *	struct history_file f;
 *	if (history_file_open("speed.db", HISTORY_WRITE, &f, &e) != 0)
 *		return -1;
 *	rc = history_file_add(&f, &rows, "r.json", &counts, &e);
 *	history_file_close(&f);
 *
 * It is there only where configure found SQLite.
 */
#ifndef REPORT_HISTORY_HISTORY_FILE_H
#define REPORT_HISTORY_HISTORY_FILE_H

#include "common/error.h"
#include "report/history/history.h"

enum history_mode {
	HISTORY_READ, /* the file is there */
	HISTORY_WRITE /* it is made if it is not */
};

enum {
	HISTORY_VERSION = 2, /* of the tables; see history_file.c */
	HISTORY_MAX_ROWS = 5000000,
	HISTORY_WAIT_MS = 60000 /* for another writer */
};

struct sqlite3;

struct history_file {
	struct sqlite3 *db;
	char *path;
	int upgraded_from; /* version that it had, or 0 */
};

/* What became of the rows of an add. */
struct history_counts {
	size_t added, there; /* rows */
	/* Of the first row that was there already; in the arena of the rows.
	 * date NULL: there was none. */
	struct history_metadata known;
};

/* Open a history.  Tables of an older version are brought to this one in place,
 * in one transaction.
 *
 * Returns 0; -1 with ERROR_SYSTEM if the file cannot be opened or SQLite is not
 * there, ERROR_INPUT if it is damaged, no database, one of another program or
 * of a later version, ERROR_EMPTY to read a file without tables. */
int history_file_open(const char *path, enum history_mode mode,
    struct history_file *f, struct error *e);

/* Close; harmless on one that is closed. */
void history_file_close(struct history_file *f);

/* Add rows, all or, where it fails or the process is killed, none.  A row whose
 * key is there with the same number is not added again; one with another number
 * is ERROR_INPUT, and so is metadata that contradicts.
 *
 * file  that the rows are from, as the history names it
 *
 * Returns 0 or -1. */
int history_file_add(struct history_file *f, struct history *rows,
    const char *file, struct history_counts *counts, struct error *e);

/* Begin and end what is added together: until history_file_commit others see
 * nothing of it, and history_file_close without it gives it up.  Waits for
 * another writer, up to HISTORY_WAIT_MS. */
int history_file_begin(struct history_file *f, struct error *e);
int history_file_commit(struct history_file *f, struct error *e);

/* Take out the rows that have the keys of these.
 *
 * removed  how many were there */
int history_file_remove(struct history_file *f, const struct history *rows,
    size_t *removed, struct error *e);

/* All rows, by date and the order in which they came.
 *
 * host  only those of it; NULL: all
 * out   set on success only */
int history_file_read(struct history_file *f, const char *host,
    struct history *out, struct error *e);

#endif
