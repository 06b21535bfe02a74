/* The history on disk.  history_command.c opens it; what the rows mean is not
 * its business.
 *
 * One file with a rollback journal, not write-ahead: it works on network file
 * systems, on folders that may only be read, and can be copied while nothing
 * writes.  A writer holds the lock from BEGIN IMMEDIATE on, so two never wait
 * for each other; a killed one's journal is rolled back by whoever opens the
 * file next. */
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
	MAX_TEXT = 1 << 20 /* bytes of a value; logs' names are less */
};

/* How the tables of each version come of those of the one before. */
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

/* Fill e with what SQLite states about the last call. */
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

/* One step.  Returns 1 for a row, 0 for the end, -1. */
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
	/* Cut at a NUL, if someone put one there. */
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

/* The one whole number that a statement gives. */
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

/* Does SQLite find all pages and rows in order? */
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

/* Are there the tables, with all columns?  A view may have their name. */
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

/* The version of the tables; 0: there are none yet. */
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

/* Bring the tables to this version; another process may do so at the same
 * time. */
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

/* The file may be anyone's: no code of it is run, no value is huge. */
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

/* find_version over one state of the file: its questions are several, and
 * another process may make the tables between two of them. */
static int
find_version_at_once(struct history_file *f, long *version, struct error *e)
{
	int rc;

	if (execute_sql(f, "BEGIN", e) != 0)
		return -1;
	rc = find_version(f, version, e);
	/* Nothing was written, so how it ends is no matter. */
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

/* What SQLite would take for something else than a file. */
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
	/* ":memory:" is a file's name like any other. */
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
	sqlite3_close(f->db); /* rolls back what was not committed */
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

static const char insert_result[] =
    "INSERT INTO result(file, added, date, host, \"commit\", rule, "
    "skip_iterations, warmup_batches, train_batches, from_iteration, epoch, "
    "aggregate, metric, scaling, date_from) "
    "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";

static const char insert_run[] =
    "INSERT INTO run(result, key, \"case\", framework, model, precision, "
    "batch_size_per_device, nodes, gpus_per_node, gpus, labels, unit, rule, "
    "run, path, log_hash, value, samples_per_s, device, framework_version) "
    "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "
    "?16, ?17, ?18, ?19, ?20)";

static const char find_key[] =
    "SELECT run.value, result.date, result.date_from, result.host, "
    "result.\"commit\", run.unit FROM run JOIN result ON result.id = "
    "run.result WHERE run.key = ?1";

static int
add_result(struct history_file *f, const struct history_row *row,
    const char *file, struct error *e)
{
	sqlite3_stmt *s = prepare_statement(f, insert_result, e);
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
	bind_text(s, 3, row->metadata.date);
	bind_text(s, 4, row->metadata.host);
	bind_text(s, 5, row->metadata.commit);
	bind_text(s, 6, row->rule.rule);
	bind_long(s, 7, row->rule.skip_iterations);
	bind_long(s, 8, row->rule.warmup_batches);
	bind_long(s, 9, row->rule.train_batches);
	bind_long(s, 10, row->rule.from_iteration);
	bind_text(s, 11, row->rule.epoch);
	bind_text(s, 12, row->rule.aggregate);
	bind_text(s, 13, row->rule.metric);
	bind_text(s, 14, row->rule.scaling);
	bind_text(s, 15, row->metadata.date_from);
	rc = step_statement(f, s, e);
	sqlite3_finalize(s);
	return rc;
}

static int
add_run(struct history_file *f, sqlite3_stmt *s, sqlite3_int64 result,
    const struct history_row *row, struct error *e)
{
	const struct result_case *c = &row->c;
	struct strbuf labels;
	int rc;

	sqlite3_reset(s);
	sqlite3_clear_bindings(s);
	strbuf_init(&labels, MAX_TEXT);
	history_labels_write(c, &labels);
	sqlite3_bind_int64(s, 1, result);
	bind_text(s, 2, row->key);
	bind_text(s, 3, c->name);
	bind_text(s, 4, c->framework);
	bind_text(s, 5, c->model);
	bind_text(s, 6, c->precision);
	bind_long(s, 7, c->batch_size_per_device);
	bind_long(s, 8, c->nodes);
	bind_long(s, 9, c->gpus_per_node);
	bind_long(s, 10, c->gpus);
	bind_text(s, 11, labels.buf);
	bind_text(s, 12, c->unit);
	bind_text(s, 13, c->rule);
	bind_text(s, 14, row->run.run);
	bind_text(s, 15, row->run.path);
	bind_text(s, 16, row->log_hash);
	bind_double(s, 17, row->run.value);
	bind_double(s, 18, row->run.samples_per_s);
	bind_text(s, 19, row->run.device);
	bind_text(s, 20, row->run.framework_version);
	rc = step_statement(f, s, e);
	strbuf_release(&labels);
	return rc;
}

static int
text_contradicts(const char *asked, const char *known)
{
	return asked != NULL && known != NULL && strcmp(asked, known) != 0;
}

/* The row's key is there: is it the same run, as far as both state? */
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

/* Is the row there?  1, 0 or -1. */
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

/* Each row that is not there, below one row of result. */
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
		insert = prepare_statement(f, insert_run, e);
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

static const char select_rows[] =
    "SELECT run.result, date, date_from, host, \"commit\", result.rule, "
    "skip_iterations, warmup_batches, train_batches, from_iteration, epoch, "
    "aggregate, metric, scaling, \"case\", framework, model, precision, "
    "batch_size_per_device, nodes, gpus_per_node, gpus, labels, unit, "
    "run.rule, run, path, log_hash, value, samples_per_s, device, "
    "framework_version, key "
    "FROM run LEFT JOIN result ON result.id = run.result "
    "WHERE ?1 IS NULL OR host = ?1 OR result.id IS NULL "
    "ORDER BY date, result.id, run.id";

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

static void
read_result_columns(struct arena *a, sqlite3_stmt *s, struct history_row *row)
{
	row->result = (long)sqlite3_column_int64(s, 0);
	row->metadata.date = read_text(a, s, 1);
	row->metadata.date_from = read_text(a, s, 2);
	row->metadata.host = read_text(a, s, 3);
	row->metadata.commit = read_text(a, s, 4);
	row->rule.rule = read_text(a, s, 5);
	row->rule.skip_iterations = read_count(s, 6);
	row->rule.warmup_batches = read_count(s, 7);
	row->rule.train_batches = read_count(s, 8);
	row->rule.from_iteration = read_count(s, 9);
	row->rule.epoch = read_text(a, s, 10);
	row->rule.aggregate = read_text(a, s, 11);
	row->rule.metric = read_text(a, s, 12);
	row->rule.scaling = read_text(a, s, 13);
}

static void
read_run_columns(struct arena *a, sqlite3_stmt *s, struct history_row *row)
{
	row->c.name = read_text(a, s, 14);
	row->c.framework = read_text(a, s, 15);
	row->c.model = read_text(a, s, 16);
	row->c.precision = read_text(a, s, 17);
	row->c.batch_size_per_device = read_count(s, 18);
	row->c.nodes = read_count(s, 19);
	row->c.gpus_per_node = read_count(s, 20);
	row->c.gpus = read_count(s, 21);
	row->c.unit = read_text(a, s, 23);
	row->c.rule = read_text(a, s, 24);
	row->run.run = read_text(a, s, 25);
	row->run.path = read_text(a, s, 26);
	row->log_hash = read_text(a, s, 27);
	row->run.value = read_number(s, 28);
	row->run.samples_per_s = read_number(s, 29);
	row->run.device = read_text(a, s, 30);
	row->run.framework_version = read_text(a, s, 31);
	row->key = read_text(a, s, 32);
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
	read_result_columns(&out->arena, s, row);
	read_run_columns(&out->arena, s, row);
	if (row->metadata.date == NULL || row->c.name == NULL ||
	    isnan(row->run.value))
		return error_set(e, ERROR_INPUT,
		    "%s: damaged history: a run of result %ld has no date, no "
		    "case or no number above 0",
		    f->path, row->result);
	return read_labels(f, (const char *)sqlite3_column_text(s, 22),
	    &out->arena, &row->c, e);
}

int
history_file_read(struct history_file *f, const char *host, struct history *out,
    struct error *e)
{
	struct history h = HISTORY_INIT;
	sqlite3_stmt *s = prepare_statement(f, select_rows, e);
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

#else /* !HAVE_SQLITE */

static int
no_sqlite(struct error *e)
{
	return error_set(e, ERROR_SYSTEM,
	    "--history: built without SQLite; configure --with-sqlite and "
	    "build again");
}

int
history_file_open(const char *path, enum history_mode mode,
    struct history_file *f, struct error *e)
{
	(void)path;
	(void)mode;
	*f = (struct history_file){ .db = NULL };
	return no_sqlite(e);
}

void
history_file_close(struct history_file *f)
{
	(void)f;
}

int
history_file_begin(struct history_file *f, struct error *e)
{
	(void)f;
	return no_sqlite(e);
}

int
history_file_commit(struct history_file *f, struct error *e)
{
	(void)f;
	return no_sqlite(e);
}

int
history_file_add(struct history_file *f, struct history *rows, const char *file,
    struct history_counts *counts, struct error *e)
{
	(void)f;
	(void)rows;
	(void)file;
	(void)counts;
	return no_sqlite(e);
}

int
history_file_remove(struct history_file *f, const struct history *rows,
    size_t *removed, struct error *e)
{
	(void)f;
	(void)rows;
	(void)removed;
	return no_sqlite(e);
}

int
history_file_read(struct history_file *f, const char *host, struct history *out,
    struct error *e)
{
	(void)f;
	(void)host;
	(void)out;
	return no_sqlite(e);
}
#endif
