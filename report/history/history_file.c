/* The history on disk.
 *
 * One file with a rollback journal, not write-ahead: it works on network file
 * systems, on folders that may only be read, and can be copied while nothing
 * writes. A writer holds the lock from BEGIN IMMEDIATE on, so two never wait
 * for each other; the journal of a killed one is rolled back when the file is
 * opened again. */
#include <config.h>

#include "report/history/history_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/alloc.h"
#include "common/json/json_read.h"

#ifdef HAVE_SQLITE
#include <sqlite3.h>

enum {
	APPLICATION_ID = 0x646c7368, /* "dlsh", at byte 68 of the file */
	MAX_TEXT = 1 << 20 /* bytes of a value; longer ones are damage */
};

/* SQL that upgrades the tables of each version to the next. */
static const char *const upgrades[HISTORY_VERSION] = {
	"CREATE TABLE result("
	"id INTEGER PRIMARY KEY, file TEXT NOT NULL, added TEXT NOT NULL, "
	"date TEXT NOT NULL, host TEXT, \"commit\" TEXT, rule TEXT, "
	"skip_iterations INTEGER, warmup_batches INTEGER, "
	"train_batches INTEGER, from_iteration INTEGER, epoch TEXT, "
	"aggregate TEXT, metric TEXT, scaling TEXT);"
	"CREATE TABLE run("
	"id INTEGER PRIMARY KEY, "
	"result INTEGER NOT NULL REFERENCES result(id), "
	"key TEXT NOT NULL UNIQUE, \"case\" TEXT, framework TEXT, model TEXT, "
	"precision TEXT, batch_size_per_device INTEGER, nodes INTEGER, "
	"gpus_per_node INTEGER, gpus INTEGER, labels TEXT NOT NULL, "
	"unit TEXT, rule TEXT, run TEXT, path TEXT NOT NULL, log_hash TEXT, "
	"value REAL NOT NULL, samples_per_s REAL);"
	"CREATE INDEX run_of_result ON run(result);",

	"ALTER TABLE result ADD COLUMN date_from TEXT;"
	"ALTER TABLE run ADD COLUMN device TEXT;"
	"ALTER TABLE run ADD COLUMN framework_version TEXT;",
};

/* --- errors --------------------------------------------------------------- */

/* Set e to SQLite's message about the last call. */
static int
history_file_fail(const struct history_file *f, int code, struct error *e)
{
	const char *what =
	    f->db != NULL ? sqlite3_errmsg(f->db) : sqlite3_errstr(code);

	switch (code & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return error_set(e, ERROR_SYSTEM,
		    "%s: another process has been writing to it for %d s",
		    f->path, HISTORY_WAIT_MS / 1000);
	case SQLITE_NOTADB:
		return error_set(e, ERROR_INPUT,
		    "%s: not a history: no SQLite database", f->path);
	case SQLITE_READONLY:
		return error_set(
		    e, ERROR_SYSTEM, "%s: may not be written", f->path);
	case SQLITE_NOMEM:
		return error_set(e, ERROR_SCARCE, "%s: out of memory", f->path);
	case SQLITE_FULL:
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return error_set(e, ERROR_SYSTEM, "%s: %s%s%s", f->path, what,
		    f->db != NULL && sqlite3_system_errno(f->db) != 0 ? ": "
								      : "",
		    f->db != NULL && sqlite3_system_errno(f->db) != 0
			? strerror(sqlite3_system_errno(f->db))
			: "");
	}
	return error_set(
	    e, ERROR_INPUT, "%s: damaged history: %s", f->path, what);
}

static int
execute_sql(struct history_file *f, const char *sql, struct error *e)
{
	const int code = sqlite3_exec(f->db, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? 0 : history_file_fail(f, code, e);
}

static sqlite3_stmt *
prepare_statement(struct history_file *f, const char *sql, struct error *e)
{
	sqlite3_stmt *s = NULL;
	const int code = sqlite3_prepare_v2(f->db, sql, -1, &s, NULL);

	if (code != SQLITE_OK)
		history_file_fail(f, code, e);
	return s;
}

/* Step a statement. Returns 1 for a row, 0 at the end, -1 on error. */
static int
step_statement(struct history_file *f, sqlite3_stmt *s, struct error *e)
{
	const int code = sqlite3_step(s);

	if (code == SQLITE_ROW)
		return 1;
	return code == SQLITE_DONE ? 0 : history_file_fail(f, code, e);
}

/* --- values --------------------------------------------------------------- */

static void
bind_text(sqlite3_stmt *s, int at, const char *text)
{
	if (text != NULL)
		sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT);
}

static void
bind_long(sqlite3_stmt *s, int at, long x)
{
	if (x != RESULT_UNKNOWN)
		sqlite3_bind_int64(s, at, x);
}

static void
bind_double(sqlite3_stmt *s, int at, double x)
{
	if (!isnan(x))
		sqlite3_bind_double(s, at, x);
}

static const char *
read_text(struct arena *a, sqlite3_stmt *s, int column)
{
	/* Text of a column, cut at an embedded NUL. */
	return arena_strdup(a, (const char *)sqlite3_column_text(s, column));
}

static long
read_count(sqlite3_stmt *s, int column)
{
	const sqlite3_int64 x = sqlite3_column_int64(s, column);

	return sqlite3_column_type(s, column) != SQLITE_INTEGER || x < 0
	    ? RESULT_UNKNOWN
	    : (long)x;
}

/* A number above 0, or NAN. */
static double
read_number(sqlite3_stmt *s, int column)
{
	const int type = sqlite3_column_type(s, column);
	const double x = sqlite3_column_double(s, column);

	return (type == SQLITE_FLOAT || type == SQLITE_INTEGER) &&
		isfinite(x) && x > 0
	    ? x
	    : NAN;
}

/* --- opening -------------------------------------------------------------- */

/* The integer that a statement returns. */
static int
ask_number(struct history_file *f, const char *sql, long *out, struct error *e)
{
	sqlite3_stmt *s = prepare_statement(f, sql, e);
	int rc;

	if (s == NULL)
		return -1;
	rc = step_statement(f, s, e);
	*out = rc == 1 ? (long)sqlite3_column_int64(s, 0) : 0;
	sqlite3_finalize(s);
	return rc < 0 ? -1 : 0;
}

/* Check the integrity of the database. */
static int
check_pages(struct history_file *f, struct error *e)
{
	sqlite3_stmt *s = prepare_statement(f, "PRAGMA quick_check(1)", e);
	int rc;

	if (s == NULL)
		return -1;
	rc = step_statement(f, s, e);
	if (rc == 1) {
		const char *text = (const char *)sqlite3_column_text(s, 0);

		rc = text != NULL && strcmp(text, "ok") == 0
		    ? 0
		    : error_set(e, ERROR_INPUT, "%s: damaged history: %s",
			  f->path, text != NULL ? text : "no answer");
	}
	sqlite3_finalize(s);
	return rc;
}

/* Check that the tables exist with all columns, and are not views. */
static int
check_tables(struct history_file *f, struct error *e)
{
	long n;

	if (ask_number(f,
		"SELECT count(*) FROM sqlite_master WHERE type = 'table' AND "
		"name IN ('result', 'run')",
		&n, e) != 0)
		return -1;
	return n == 2
	    ? 0
	    : error_set(e, ERROR_INPUT,
		  "%s: damaged history: its tables are not there", f->path);
}

/* Version of the tables; 0: there are none yet. */
static int
find_version(struct history_file *f, long *version, struct error *e)
{
	long id, n;

	if (ask_number(f, "PRAGMA application_id", &id, e) != 0 ||
	    ask_number(f, "PRAGMA user_version", version, e) != 0 ||
	    ask_number(f, "SELECT count(*) FROM sqlite_master", &n, e) != 0)
		return -1;
	if (id != APPLICATION_ID && (id != 0 || *version != 0 || n != 0))
		return error_set(e, ERROR_INPUT,
		    "%s: not a history: a SQLite database of something else",
		    f->path);
	if (*version > HISTORY_VERSION)
		return error_set(e, ERROR_INPUT,
		    "%s: a history of version %ld, made by a later "
		    "report_results; this one knows up to %d",
		    f->path, *version, HISTORY_VERSION);
	if (*version < 0 || (id == APPLICATION_ID && *version == 0))
		return error_set(e, ERROR_INPUT,
		    "%s: damaged history: version %ld", f->path, *version);
	return 0;
}

/* Upgrade the tables to this version; another process may be doing so, too. */
static int
upgrade_schema(struct history_file *f, struct error *e)
{
	long version;
	char *sql;
	int rc;

	if (history_file_begin(f, e) != 0)
		return -1;
	rc = find_version(f, &version, e);
	f->upgraded_from =
	    rc == 0 && version < HISTORY_VERSION ? (int)version : 0;
	for (long v = version; rc == 0 && v < HISTORY_VERSION; v++)
		rc = execute_sql(f, upgrades[v], e);
	sql = xasprintf("PRAGMA application_id = %d; PRAGMA user_version = %d",
	    APPLICATION_ID, HISTORY_VERSION);
	if (rc == 0)
		rc = execute_sql(f, sql, e);
	free(sql);
	return rc == 0 ? history_file_commit(f, e) : -1;
}

/* The file is untrusted: forbid its triggers and views, limit sizes. */
static void
guard_database(sqlite3 *db)
{
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, MAX_TEXT);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
#endif
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
#endif
}

/* find_version in a transaction, since another process may create the tables
 * between its queries. */
static int
find_version_at_once(struct history_file *f, long *version, struct error *e)
{
	int rc;

	if (execute_sql(f, "BEGIN", e) != 0)
		return -1;
	rc = find_version(f, version, e);
	/* Nothing was written, so the result of the rollback does not
	 * matter. */
	sqlite3_exec(f->db, "ROLLBACK", NULL, NULL, NULL);
	return rc;
}

static int
prepare_tables(struct history_file *f, enum history_mode mode, struct error *e)
{
	long version;

	if (find_version_at_once(f, &version, e) != 0)
		return -1;
	if (mode == HISTORY_READ && version == 0)
		return error_set(
		    e, ERROR_EMPTY, "%s: nothing was added yet", f->path);
	if (check_pages(f, e) != 0)
		return -1;
	if (version == HISTORY_VERSION)
		return check_tables(f, e);
	if (sqlite3_db_readonly(f->db, "main") == 1)
		return error_set(e, ERROR_SYSTEM,
		    "%s: of version %ld, and may not be written to become "
		    "version %d",
		    f->path, version, HISTORY_VERSION);
	return upgrade_schema(f, e) == 0 ? check_tables(f, e) : -1;
}

/* Names that SQLite would not take as a file. */
static int
check_path(const char *path, enum history_mode mode, struct error *e)
{
	struct stat st;

	if (path[0] == '\0' || strcmp(path, "-") == 0)
		return error_set(
		    e, ERROR_USAGE, "--history: '%s' is no file", path);
	if (stat(path, &st) == 0)
		return S_ISREG(st.st_mode)
		    ? 0
		    : error_set(e, ERROR_INPUT, "%s: not a regular file", path);
	if (mode == HISTORY_WRITE && errno == ENOENT)
		return 0;
	return error_errno(e, errno, "cannot open '%s'", path);
}

int
history_file_open(const char *path, enum history_mode mode,
    struct history_file *f, struct error *e)
{
	char *name;
	int code;

	*f = (struct history_file){ .db = NULL };
	if (check_path(path, mode, e) != 0)
		return -1;
	f->path = xstrdup(path);
	/* ":memory:" is an ordinary file name here. */
	name = xasprintf("%s%s", path[0] == ':' ? "./" : "", path);
	code = sqlite3_open_v2(name, &f->db,
	    SQLITE_OPEN_READWRITE |
		(mode == HISTORY_WRITE ? SQLITE_OPEN_CREATE : 0),
	    NULL);
	free(name);
	if (code != SQLITE_OK) {
		history_file_fail(f, code, e);
		history_file_close(f);
		return -1;
	}
	sqlite3_extended_result_codes(f->db, 1);
	sqlite3_busy_timeout(f->db, HISTORY_WAIT_MS);
	guard_database(f->db);
	if (prepare_tables(f, mode, e) == 0)
		return 0;
	history_file_close(f);
	return -1;
}

void
history_file_close(struct history_file *f)
{
	sqlite3_close(f->db); /* rolls back uncommitted changes */
	free(f->path);
	*f = (struct history_file){ .db = NULL };
}

int
history_file_begin(struct history_file *f, struct error *e)
{
	return execute_sql(f, "BEGIN IMMEDIATE", e);
}

int
history_file_commit(struct history_file *f, struct error *e)
{
	return execute_sql(f, "COMMIT", e);
}

/* --- adding --------------------------------------------------------------- */

/* A column of a table and the member of struct history_row that it stores. */
struct history_column {
	const char *name;
	enum { TEXT, COUNT, NUMBER } kind;
	size_t at;
};

#define AT(member) offsetof(struct history_row, member)

static const struct history_column result_columns[] = {
	{ "date", TEXT, AT(metadata.date) },
	{ "date_from", TEXT, AT(metadata.date_from) },
	{ "host", TEXT, AT(metadata.host) },
	{ "\"commit\"", TEXT, AT(metadata.commit) },
	{ "rule", TEXT, AT(rule.rule) },
	{ "skip_iterations", COUNT, AT(rule.skip_iterations) },
	{ "warmup_batches", COUNT, AT(rule.warmup_batches) },
	{ "train_batches", COUNT, AT(rule.train_batches) },
	{ "from_iteration", COUNT, AT(rule.from_iteration) },
	{ "epoch", TEXT, AT(rule.epoch) },
	{ "aggregate", TEXT, AT(rule.aggregate) },
	{ "metric", TEXT, AT(rule.metric) },
	{ "scaling", TEXT, AT(rule.scaling) },
};
enum { N_RESULT = sizeof result_columns / sizeof result_columns[0] };

static const struct history_column run_columns[] = {
	{ "key", TEXT, AT(key) },
	{ "\"case\"", TEXT, AT(c.name) },
	{ "framework", TEXT, AT(c.framework) },
	{ "model", TEXT, AT(c.model) },
	{ "precision", TEXT, AT(c.precision) },
	{ "batch_size_per_device", COUNT, AT(c.batch_size_per_device) },
	{ "nodes", COUNT, AT(c.nodes) },
	{ "gpus_per_node", COUNT, AT(c.gpus_per_node) },
	{ "gpus", COUNT, AT(c.gpus) },
	{ "unit", TEXT, AT(c.unit) },
	{ "rule", TEXT, AT(c.rule) },
	{ "run", TEXT, AT(run.run) },
	{ "path", TEXT, AT(run.path) },
	{ "log_hash", TEXT, AT(log_hash) },
	{ "value", NUMBER, AT(run.value) },
	{ "samples_per_s", NUMBER, AT(run.samples_per_s) },
	{ "device", TEXT, AT(run.device) },
	{ "framework_version", TEXT, AT(run.framework_version) },
};
enum { N_RUN = sizeof run_columns / sizeof run_columns[0] };

static const char find_key[] =
    "SELECT run.value, result.date, result.date_from, result.host, "
    "result.\"commit\", run.unit FROM run JOIN result ON result.id = "
    "run.result WHERE run.key = ?1";

/* Prepare the insertion of a row: two named columns, then those of the list. */
static sqlite3_stmt *
prepare_insert(struct history_file *f, const char *table, const char *two,
    const struct history_column *columns, size_t n, struct error *e)
{
	sqlite3_stmt *s;
	struct strbuf sb;

	strbuf_init(&sb, MAX_TEXT);
	strbuf_printf(&sb, "INSERT INTO %s(%s", table, two);
	for (size_t i = 0; i < n; i++)
		strbuf_printf(&sb, ", %s", columns[i].name);
	strbuf_addstr(&sb, ") VALUES(?, ?");
	for (size_t i = 0; i < n; i++)
		strbuf_addstr(&sb, ", ?");
	strbuf_addch(&sb, ')');
	s = prepare_statement(f, sb.buf, e);
	strbuf_release(&sb);
	return s;
}

/* Bind a row's columns to the parameters from the third on. */
static void
bind_columns(sqlite3_stmt *s, const struct history_column *columns, size_t n,
    const struct history_row *row)
{
	for (size_t i = 0; i < n; i++) {
		const void *member = (const char *)row + columns[i].at;
		const int at = (int)i + 3;

		if (columns[i].kind == TEXT)
			bind_text(s, at, *(const char *const *)member);
		else if (columns[i].kind == COUNT)
			bind_long(s, at, *(const long *)member);
		else
			bind_double(s, at, *(const double *)member);
	}
}

static int
add_result(struct history_file *f, const struct history_row *row,
    const char *file, struct error *e)
{
	sqlite3_stmt *s = prepare_insert(
	    f, "result", "file, added", result_columns, N_RESULT, e);
	const time_t now = time(NULL);
	char stamp[32] = "";
	struct tm tm;
	int rc;

	if (s == NULL)
		return -1;
	if (gmtime_r(&now, &tm) != NULL)
		strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &tm);
	bind_text(s, 1, file);
	bind_text(s, 2, stamp);
	bind_columns(s, result_columns, N_RESULT, row);
	rc = step_statement(f, s, e);
	sqlite3_finalize(s);
	return rc;
}

static int
add_run(struct history_file *f, sqlite3_stmt *s, sqlite3_int64 result,
    const struct history_row *row, struct error *e)
{
	struct strbuf labels;
	int rc;

	sqlite3_reset(s);
	sqlite3_clear_bindings(s);
	strbuf_init(&labels, MAX_TEXT);
	history_labels_write(&row->c, &labels);
	sqlite3_bind_int64(s, 1, result);
	bind_text(s, 2, labels.buf);
	bind_columns(s, run_columns, N_RUN, row);
	rc = step_statement(f, s, e);
	strbuf_release(&labels);
	return rc;
}

static int
text_contradicts(const char *asked, const char *known)
{
	return asked != NULL && known != NULL && strcmp(asked, known) != 0;
}

/* Check that the stored row with the same key does not contradict this one. */
static int
check_known(const struct history_row *row, const char *file, double value,
    const struct history_metadata *known, struct error *e)
{
	const struct history_metadata *asked = &row->metadata;

	if (!(fabs(value - row->run.value) <= 1e-12 * value))
		return error_set(e, ERROR_INPUT,
		    "%s: run '%s' is there already, with %.17g instead of "
		    "%.17g; remove the old result first",
		    file, row->run.path, value, row->run.value);
	if (text_contradicts(asked->commit, known->commit) ||
	    text_contradicts(asked->host, known->host))
		return error_set(e, ERROR_INPUT,
		    "%s: run '%s' is there already, of commit '%s' on host "
		    "'%s'; remove it first to change that",
		    file, row->run.path,
		    known->commit != NULL ? known->commit : "unknown",
		    known->host != NULL ? known->host : "unknown");
	return 0;
}

/* Look for the row's key. Returns 1 if it is stored, 0 if not, -1 on error. */
static int
find_row(struct history_file *f, sqlite3_stmt *s, struct history *rows,
    const struct history_row *row, const char *file,
    struct history_counts *counts, struct error *e)
{
	struct history_metadata known;
	int rc;

	sqlite3_reset(s);
	bind_text(s, 1, row->key);
	rc = step_statement(f, s, e);
	if (rc != 1)
		return rc;
	known.date = read_text(&rows->arena, s, 1);
	known.date_from = read_text(&rows->arena, s, 2);
	known.host = read_text(&rows->arena, s, 3);
	known.commit = read_text(&rows->arena, s, 4);
	if (check_known(row, file, read_number(s, 0), &known, e) != 0)
		return -1;
	if (counts->known.date == NULL)
		counts->known = known;
	return 1;
}

/* Insert the rows that are not stored yet, under one row of the table
 * result. */
static int
add_rows(struct history_file *f, sqlite3_stmt *find, sqlite3_stmt *insert,
    struct history *rows, const char *file, struct history_counts *counts,
    struct error *e)
{
	sqlite3_int64 result = 0;

	for (size_t i = 0; i < rows->n; i++) {
		const struct history_row *row = &rows->rows[i];
		const int there = find_row(f, find, rows, row, file, counts, e);

		if (there < 0)
			return -1;
		if (there) {
			counts->there++;
			continue;
		}
		if (counts->added == 0) {
			if (add_result(f, row, file, e) != 0)
				return -1;
			result = sqlite3_last_insert_rowid(f->db);
		}
		if (add_run(f, insert, result, row, e) != 0)
			return -1;
		counts->added++;
	}
	return 0;
}

int
history_file_add(struct history_file *f, struct history *rows, const char *file,
    struct history_counts *counts, struct error *e)
{
	sqlite3_stmt *find = prepare_statement(f, find_key, e), *insert = NULL;
	int rc = -1;

	*counts = (struct history_counts){ 0, 0, { NULL, NULL, NULL, NULL } };
	if (find != NULL)
		insert = prepare_insert(
		    f, "run", "result, labels", run_columns, N_RUN, e);
	if (insert != NULL)
		rc = add_rows(f, find, insert, rows, file, counts, e);
	sqlite3_finalize(insert);
	sqlite3_finalize(find);
	return rc;
}

int
history_file_remove(struct history_file *f, const struct history *rows,
    size_t *removed, struct error *e)
{
	sqlite3_stmt *s =
	    prepare_statement(f, "DELETE FROM run WHERE key = ?1", e);
	int rc = s != NULL ? 0 : -1;

	*removed = 0;
	for (size_t i = 0; rc == 0 && i < rows->n; i++) {
		sqlite3_reset(s);
		bind_text(s, 1, rows->rows[i].key);
		rc = step_statement(f, s, e);
		*removed += rc == 0 ? (size_t)sqlite3_changes(f->db) : 0;
	}
	sqlite3_finalize(s);
	if (rc == 0)
		rc = execute_sql(f,
		    "DELETE FROM result WHERE id NOT IN "
		    "(SELECT result FROM run)",
		    e);
	return rc;
}

/* --- reading -------------------------------------------------------------- */

/* Prepare to read all rows: result number, labels, columns. */
static sqlite3_stmt *
prepare_select(struct history_file *f, struct error *e)
{
	sqlite3_stmt *s;
	struct strbuf sb;

	strbuf_init(&sb, MAX_TEXT);
	strbuf_addstr(&sb, "SELECT run.result, run.labels");
	for (size_t i = 0; i < N_RESULT; i++)
		strbuf_printf(&sb, ", result.%s", result_columns[i].name);
	for (size_t i = 0; i < N_RUN; i++)
		strbuf_printf(&sb, ", run.%s", run_columns[i].name);
	strbuf_addstr(&sb,
	    " FROM run LEFT JOIN result ON result.id = run.result "
	    "WHERE ?1 IS NULL OR host = ?1 OR result.id IS NULL "
	    "ORDER BY date, result.id, run.id");
	s = prepare_statement(f, sb.buf, e);
	strbuf_release(&sb);
	return s;
}

/* A member of the labels, for json_read_each. */
struct label_list {
	struct arena *arena;
	struct result_pair *labels;
	size_t n;
};

static int
read_label(
    const struct json_value *obj, const char *key, void *user, struct error *e)
{
	struct label_list *list = user;
	struct result_pair *label = &list->labels[list->n++];

	label->key = arena_strdup(list->arena, key);
	return json_read_string(obj, key, list->arena, &label->value, e);
}

static int
read_labels(struct history_file *f, const char *text, struct arena *a,
    struct result_case *c, struct error *e)
{
	struct label_list list = { a, NULL, 0 };
	struct json_doc doc;
	int rc;

	if (text == NULL ||
	    json_doc_parse(f->path, text, strlen(text), &doc, e) != 0)
		return error_set(e, ERROR_INPUT,
		    "%s: damaged history: labels of a run are no JSON",
		    f->path);
	list.labels =
	    arena_calloc(a, json_read_n_members(&doc.top), sizeof *list.labels);
	rc = json_read_is_object(&doc.top, e) != 0
	    ? -1
	    : json_read_each(&doc.top, read_label, &list, e);
	json_doc_release(&doc);
	c->labels = list.labels;
	c->n_labels = list.n;
	return rc;
}

/* Read the columns of a row, from number at of the statement on. */
static void
read_columns(struct arena *a, sqlite3_stmt *s, int at,
    const struct history_column *columns, size_t n, struct history_row *row)
{
	for (size_t i = 0; i < n; i++, at++) {
		void *member = (char *)row + columns[i].at;

		if (columns[i].kind == TEXT)
			*(const char **)member = read_text(a, s, at);
		else if (columns[i].kind == COUNT)
			*(long *)member = read_count(s, at);
		else
			*(double *)member = read_number(s, at);
	}
}

static int
read_row(struct history_file *f, sqlite3_stmt *s, struct history *out,
    struct error *e)
{
	struct history_row *row;

	if (out->n == HISTORY_MAX_ROWS)
		return error_set(e, ERROR_LIMIT, "%s: more than %d runs",
		    f->path, HISTORY_MAX_ROWS);
	row = history_add_row(out);
	row->result = (long)sqlite3_column_int64(s, 0);
	read_columns(&out->arena, s, 2, result_columns, N_RESULT, row);
	read_columns(&out->arena, s, 2 + N_RESULT, run_columns, N_RUN, row);
	if (row->metadata.date == NULL || row->c.name == NULL ||
	    isnan(row->run.value))
		return error_set(e, ERROR_INPUT,
		    "%s: damaged history: a run of result %ld has no date, no "
		    "case or no number above 0",
		    f->path, row->result);
	return read_labels(f, (const char *)sqlite3_column_text(s, 1),
	    &out->arena, &row->c, e);
}

int
history_file_read(struct history_file *f, const char *host, struct history *out,
    struct error *e)
{
	struct history h = HISTORY_INIT;
	sqlite3_stmt *s = prepare_select(f, e);
	int rc = -1;

	if (s != NULL) {
		bind_text(s, 1, host);
		while ((rc = step_statement(f, s, e)) == 1)
			if (read_row(f, s, &h, e) != 0) {
				rc = -1;
				break;
			}
	}
	sqlite3_finalize(s);
	if (rc == 0)
		*out = h;
	else
		history_release(&h);
	return rc;
}

#endif
