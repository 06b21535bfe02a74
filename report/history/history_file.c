/* The rows of a history, and the history on disk.
 *
 * One file with a rollback journal, not write-ahead: it works on network file
 * systems and in read-only folders, and can be copied while nothing writes. A
 * writer holds the lock from BEGIN IMMEDIATE, so that two writers never
 * deadlock; the journal of a killed one is rolled back when the file is opened
 * again. */
#include <config.h>

#include "report/history/history.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/files/files.h"
#include "common/json/json.h"
#include "common/result/record_fields.h"
#include "common/sha256.h"
#include "common/text.h"

enum { MAX_TEXT = 1 << 20 }; /* bytes of a value; longer ones are damage */

/* --- rows ----------------------------------------------------------------- */

/* The columns and the members of struct history_row that they store: first
 * those of the table of results, then those of the table of runs. */
static const struct history_column {
	const char *name;
	enum { TEXT, COUNT, NUMBER } kind;
	size_t at;
} columns[] = {
#define COLUMN(name, kind, member) \
	{ \
		name, kind, offsetof(struct history_row, member) \
	}
	COLUMN("file", TEXT, file),
	COLUMN("date", TEXT, metadata.date),
	COLUMN("date_from", TEXT, metadata.date_from),
	COLUMN("host", TEXT, metadata.host),
	COLUMN("\"commit\"", TEXT, metadata.commit),
	/* Keys in files are hashes of these columns in this order. */
	COLUMN("rule", TEXT, rule.rule),
	COLUMN("skip_iterations", COUNT, rule.skip_iterations),
	COLUMN("warmup_batches", COUNT, rule.warmup_batches),
	COLUMN("train_batches", COUNT, rule.train_batches),
	COLUMN("from_iteration", COUNT, rule.from_iteration),
	COLUMN("epoch", TEXT, rule.epoch),
	COLUMN("aggregate", TEXT, rule.aggregate),
	COLUMN("metric", TEXT, rule.metric),
	COLUMN("scaling", TEXT, rule.scaling),
	COLUMN("protocol", TEXT, rule.protocol),
	COLUMN("framework", TEXT, c.framework),
	COLUMN("model", TEXT, c.model),
	COLUMN("precision", TEXT, c.precision),
	COLUMN("batch_size_per_device", COUNT, c.batch_size_per_device),
	COLUMN("unit", TEXT, c.unit),
	COLUMN("nodes", COUNT, c.nodes),
	COLUMN("gpus_per_node", COUNT, c.gpus_per_node),
	COLUMN("gpus", COUNT, c.gpus),
	COLUMN("\"case\"", TEXT, c.name),
	/* The other columns of a run. */
	COLUMN("key", TEXT, key),
	COLUMN("rule", TEXT, c.rule),
	COLUMN("run", TEXT, run.run),
	COLUMN("path", TEXT, run.path),
	COLUMN("log_hash", TEXT, log_hash),
	COLUMN("value", NUMBER, run.value),
	COLUMN("samples_per_s", NUMBER, run.samples_per_s),
	COLUMN("device", TEXT, run.device),
	COLUMN("framework_version", TEXT, run.framework_version),
	COLUMN("flags", TEXT, flags),
	COLUMN("score", TEXT, c.score),
	COLUMN("result", COUNT, result),
	COLUMN("labels", TEXT, labels),
#undef COLUMN
};
enum {
	FIRST_OF_IDENTITY = 5, /* rule */
	PROTOCOL = 14,         /* not in the identity if it is the default */
	FIRST_OF_RUN = 15,     /* framework */
	END_OF_IDENTITY = 24,  /* after case */
	N_COLUMNS = sizeof columns / sizeof columns[0]
};

struct history_row *
history_add_row(struct history *h)
{
	struct result empty;
	struct history_row *row;

	h->rows = vec_grow(h->rows, h->n, &h->alloc, sizeof *h->rows);
	row = &h->rows[h->n++];
	memset(row, 0, sizeof *row);
	result_init(&empty);
	row->rule = empty.rule;
	result_case_init(&row->c);
	result_run_init(&row->run);
	return row;
}

void
history_release(struct history *h)
{
	free(h->rows);
	arena_release(&h->arena);
	*h = (struct history)HISTORY_INIT;
}

/* Append the labels of a case as a JSON object. */
static void
add_labels(struct strbuf *sb, const struct result_case *c)
{
	struct json_writer j = JSON_TO_STRBUF(sb);

	json_write_begin_object(&j, NULL);
	for (size_t i = 0; i < c->n_labels; i++)
		json_write_string(&j, c->labels[i].key, c->labels[i].value);
	json_write_end(&j);
	json_write_finish(&j);
}

const char *
history_identity(struct arena *a, const struct history_row *row)
{
	struct history_row own = *row;
	struct strbuf sb = STRBUF_INIT(MAX_TEXT);
	struct json_writer j = JSON_TO_STRBUF(&sb);

	if (own.c.rule != NULL)
		own.rule.rule = own.c.rule;
	/* JSON separates the parts unambiguously. */
	json_write_begin_array(&j, NULL);
	for (size_t i = FIRST_OF_IDENTITY; i < END_OF_IDENTITY; i++) {
		const void *member = (const char *)&own + columns[i].at;

		if (i == PROTOCOL && own.rule.protocol == NULL)
			continue;
		if (columns[i].kind == TEXT)
			json_write_string(
			    &j, NULL, *(const char *const *)member);
		else
			json_write_long(&j, NULL, *(const long *)member);
	}
	json_write_end(&j);
	json_write_finish(&j);
	add_labels(&sb, &own.c);
	return strbuf_finish(&sb, a);
}

static int
compare_labels(const void *a, const void *b)
{
	return strcmp(((const struct result_pair *)a)->key,
	    ((const struct result_pair *)b)->key);
}

void
history_rows_of(const struct result *r, const struct history_metadata *metadata,
    struct history *out)
{
	for (size_t i = 0; i < r->n_cases; i++) {
		struct result_case c = r->cases[i];
		struct result_pair *labels =
		    arena_calloc(&out->arena, c.n_labels, sizeof *labels);

		/* Sort the labels by key. */
		for (size_t k = 0; k < c.n_labels; k++)
			labels[k] = c.labels[k];
		if (c.n_labels > 0)
			qsort(
			    labels, c.n_labels, sizeof *labels, compare_labels);
		c.labels = labels;
		for (size_t k = 0; k < c.n_runs; k++) {
			struct history_row *row = history_add_row(out);
			char hash[SHA256_BASE64_SIZE], value[JSON_DOUBLE_SIZE];
			struct strbuf sb = STRBUF_INIT(MAX_TEXT);
			struct json_writer json = JSON_TO_STRBUF(&sb);

			row->metadata = *metadata;
			row->rule = r->rule;
			if (text_same(row->rule.protocol, DEFAULT_PROTOCOL))
				row->rule.protocol = NULL;
			row->c = c;
			row->run = c.runs[k];
			row->flags = run_flags_json(&row->run, &out->arena);
			for (size_t j = r->n_inputs; j-- > 0;)
				if (text_same(r->inputs[j].path, row->run.path))
					row->log_hash = r->inputs[j].hash;
			/* The key of a row is a hash of identity, run and log
			 * (the log's hash, else path and value). */
			strbuf_addstr(&sb, history_identity(&out->arena, row));
			json_write_begin_array(&json, NULL);
			json_write_string(&json, NULL, row->run.run);
			json_write_string(&json, NULL, row->log_hash);
			if (row->log_hash == NULL) {
				json_write_string(&json, NULL, row->run.path);
				json_write_string(&json, NULL,
				    json_double(value, row->run.value));
			}
			json_write_end(&json);
			json_write_finish(&json);
			sha256_base64(sb.buf, sb.len, hash);
			strbuf_release(&sb);
			row->key = arena_strdup(&out->arena, hash);
		}
	}
}

#ifdef HAVE_SQLITE
#include <sqlite3.h>

enum { APPLICATION_ID = 0x646c7368 }; /* "dlsh", at byte 68 of the file */

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
	"CREATE INDEX run_of_result ON run(result);"
	"PRAGMA application_id = 0x646c7368; PRAGMA user_version = 1",

	"ALTER TABLE result ADD COLUMN date_from TEXT;"
	"ALTER TABLE run ADD COLUMN device TEXT;"
	"ALTER TABLE run ADD COLUMN framework_version TEXT;"
	"PRAGMA user_version = 2",

	"ALTER TABLE run ADD COLUMN flags TEXT;"
	"PRAGMA user_version = 3",

	"ALTER TABLE result ADD COLUMN protocol TEXT;"
	"ALTER TABLE run ADD COLUMN score TEXT;"
	"PRAGMA user_version = 4",
};

/* Set e to SQLite's message about the last call. */
static int
history_file_fail(const struct history_file *f, int code, struct error *e)
{
	const char *what =
	    f->db != NULL ? sqlite3_errmsg(f->db) : sqlite3_errstr(code);
	const int system = f->db != NULL ? sqlite3_system_errno(f->db) : 0;

	code &= 0xff;
	if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
		return error_set(e, ERROR_SYSTEM,
		    "%s: another process has been writing to it for %d s",
		    f->path, HISTORY_WAIT_MS / 1000);
	if (code == SQLITE_NOTADB)
		return error_set(e, ERROR_INPUT,
		    "%s: not a history: not a SQLite database", f->path);
	if (code == SQLITE_FULL || code == SQLITE_IOERR ||
	    code == SQLITE_CANTOPEN || code == SQLITE_PERM ||
	    code == SQLITE_READONLY || code == SQLITE_NOMEM)
		return error_set(e, ERROR_SYSTEM, "%s: %s%s%s", f->path, what,
		    system != 0 ? ": " : "",
		    system != 0 ? strerror(system) : "");
	return error_set(
	    e, ERROR_INPUT, "%s: damaged history: %s", f->path, what);
}

/* Run statements without results. */
static int
execute_sql(struct history_file *f, const char *sql, struct error *e)
{
	const int code = sqlite3_exec(f->db, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? 0 : history_file_fail(f, code, e);
}

/* Prepare a statement. NULL on error; SQLite and step_statement accept NULL. */
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
	const int code = s != NULL ? sqlite3_step(s) : SQLITE_DONE;

	if (code == SQLITE_ROW)
		return 1;
	if (code != SQLITE_DONE)
		history_file_fail(f, code, e);
	return s != NULL && code == SQLITE_DONE ? 0 : -1;
}

static void
bind_text(sqlite3_stmt *s, int at, const char *text)
{
	if (text != NULL)
		sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT);
}

/* --- opening -------------------------------------------------------------- */

/* Check that the database is whole and a history, and find the version of its
 * tables; 0: there are none yet. */
static int
find_version(struct history_file *f, long *version, struct error *e)
{
	/* One statement, since another process may create the tables. */
	sqlite3_stmt *s = prepare_statement(f,
	    "SELECT (SELECT application_id FROM pragma_application_id), "
	    "(SELECT user_version FROM pragma_user_version), count(*), "
	    "total(type = 'table' AND name IN ('result', 'run')), "
	    "(SELECT quick_check FROM pragma_quick_check LIMIT 1) "
	    "FROM sqlite_master",
	    e);
	int rc = step_statement(f, s, e) == 1 ? 0 : -1;

	if (rc == 0) {
		const long id = (long)sqlite3_column_int64(s, 0);
		const int n = sqlite3_column_int(s, 2);
		const int n_own = sqlite3_column_int(s, 3);
		const char *check = (const char *)sqlite3_column_text(s, 4);

		*version = (long)sqlite3_column_int64(s, 1);
		if (id != APPLICATION_ID && (id != 0 || *version != 0 || n > 0))
			rc = error_set(e, ERROR_INPUT,
			    "%s: not a history: a SQLite database of something "
			    "else",
			    f->path);
		else if (*version > HISTORY_VERSION)
			rc = error_set(e, ERROR_INPUT,
			    "%s: a history of version %ld, made by a later "
			    "report_results; this one knows up to %d",
			    f->path, *version, HISTORY_VERSION);
		else if (*version < 0 || (id != 0 && *version == 0) ||
		    !text_same(check, "ok") || (*version > 0 && n_own != 2))
			rc = error_set(e, ERROR_INPUT,
			    "%s: damaged history: version %ld, %d tables, "
			    "check: %s",
			    f->path, *version, n_own,
			    check != NULL ? check : "no answer");
	}
	sqlite3_finalize(s);
	return rc;
}

/* Check the database, begin a transaction for writing, and upgrade older
 * tables. */
static int
prepare_tables(struct history_file *f, enum history_mode mode, struct error *e)
{
	long version;

	if (find_version(f, &version, e) != 0)
		return -1;
	if (mode == HISTORY_READ && version == 0)
		return error_set(
		    e, ERROR_EMPTY, "%s: nothing was added yet", f->path);
	if (mode == HISTORY_READ && version == HISTORY_VERSION)
		return 0;
	/* Another process may be upgrading them, too. */
	if (execute_sql(f, "BEGIN IMMEDIATE", e) != 0 ||
	    find_version(f, &version, e) != 0)
		return -1;
	for (; version < HISTORY_VERSION; version++)
		if (execute_sql(f, upgrades[version], e) != 0)
			return -1;
	return mode == HISTORY_READ ? history_file_commit(f, e) : 0;
}

/* Check that SQLite would take the name as a file, and can make it. */
static int
check_path(const char *path, enum history_mode mode, struct error *e)
{
	struct stat st;
	char *folder;

	if (path[0] == '\0' || path[0] == ':' || strcmp(path, "-") == 0)
		return error_set(
		    e, ERROR_USAGE, "--history: '%s' is no file", path);
	if (stat(path, &st) == 0)
		return S_ISREG(st.st_mode)
		    ? 0
		    : error_set(e, ERROR_INPUT, "%s: not a regular file", path);
	if (mode == HISTORY_READ || errno != ENOENT)
		return error_errno(e, errno, "cannot open '%s'", path);
	folder = path_folder(path);
	if (access(folder, W_OK | X_OK) != 0)
		error_errno(e, errno, "cannot write '%s'", path);
	free(folder);
	return e->code == ERROR_NONE ? 0 : -1;
}

int
history_file_open(const char *path, enum history_mode mode,
    struct history_file *f, struct error *e)
{
	int code;

	*f = (struct history_file){ .path = path };
	if (check_path(path, mode, e) != 0)
		return -1;
	code = sqlite3_open_v2(path, &f->db,
	    SQLITE_OPEN_READWRITE |
		(mode == HISTORY_WRITE ? SQLITE_OPEN_CREATE : 0),
	    NULL);
	if (code != SQLITE_OK) {
		history_file_fail(f, code, e);
		history_file_close(f);
		return -1;
	}
	sqlite3_extended_result_codes(f->db, 1);
	sqlite3_busy_timeout(f->db, HISTORY_WAIT_MS);
	/* The file is untrusted: forbid its triggers and views, limit sizes. */
	sqlite3_limit(f->db, SQLITE_LIMIT_LENGTH, MAX_TEXT);
	sqlite3_limit(f->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_db_config(f->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(f->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW
	sqlite3_db_config(f->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
#endif
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
	sqlite3_db_config(f->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
#endif
	if (prepare_tables(f, mode, e) == 0)
		return 0;
	history_file_close(f);
	return -1;
}

void
history_file_close(struct history_file *f)
{
	sqlite3_close(f->db); /* rolls back uncommitted changes */
	*f = (struct history_file){ .db = NULL };
}

int
history_file_commit(struct history_file *f, struct error *e)
{
	return execute_sql(f, "COMMIT", e);
}

/* --- adding --------------------------------------------------------------- */

static void
add_names(struct strbuf *sb, const char *table, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		strbuf_printf(sb, ", %s%s", table, columns[i].name);
}

/* Prepare an insertion of the SQL text value and of columns [first, end); the
 * parameter of column i is i + 1. */
static sqlite3_stmt *
prepare_insert(struct history_file *f, const char *into, const char *value,
    const char *conflict, size_t first, size_t end, struct error *e)
{
	sqlite3_stmt *s;
	struct strbuf sb = STRBUF_INIT(MAX_TEXT);

	strbuf_printf(&sb, "INSERT INTO %s", into);
	add_names(&sb, "", first, end);
	strbuf_printf(&sb, ") VALUES(%s", value);
	for (size_t i = first; i < end; i++)
		strbuf_printf(&sb, ", ?%zu", i + 1);
	strbuf_printf(&sb, ") %s", conflict);
	s = prepare_statement(f, sb.buf, e);
	strbuf_release(&sb);
	return s;
}

static int
insert_row(struct history_file *f, sqlite3_stmt *s,
    const struct history_row *row, struct error *e)
{
	sqlite3_reset(s);
	sqlite3_clear_bindings(s);
	/* A column of the other table has no parameter, and is ignored. */
	for (int i = 0; i < N_COLUMNS; i++) {
		const void *member = (const char *)row + columns[i].at;

		if (columns[i].kind == TEXT)
			bind_text(s, i + 1, *(const char *const *)member);
		else if (columns[i].kind == COUNT &&
		    *(const long *)member != RESULT_UNKNOWN)
			sqlite3_bind_int64(s, i + 1, *(const long *)member);
		else if (columns[i].kind == NUMBER &&
		    !isnan(*(const double *)member))
			sqlite3_bind_double(s, i + 1, *(const double *)member);
	}
	return step_statement(f, s, e);
}

int
history_file_add(struct history_file *f, struct history *rows, const char *file,
    size_t *added, struct error *e)
{
	/* A stored row with another number, commit or host. */
	sqlite3_stmt *other = prepare_statement(f,
	    "SELECT 1 FROM run JOIN result ON result.id = run.result "
	    "WHERE run.key = ?1 AND (NOT abs(value - ?2) <= 1e-12 * value OR "
	    "\"commit\" <> ?3 OR host <> ?4)",
	    e);
	sqlite3_stmt *add_result = prepare_insert(f, "result(added",
	    "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')", "", 0, FIRST_OF_RUN, e);
	sqlite3_stmt *add_run = prepare_insert(f, "run(id", "NULL",
	    "ON CONFLICT(key) DO NOTHING", FIRST_OF_RUN, N_COLUMNS, e);
	long result = 0;
	int rc =
	    other != NULL && add_result != NULL && add_run != NULL ? 0 : -1;

	*added = 0;
	for (size_t i = 0; rc == 0 && i < rows->n; i++) {
		struct history_row row = rows->rows[i];
		struct strbuf labels = STRBUF_INIT(MAX_TEXT);

		row.file = file;
		if (i == 0) {
			rc = insert_row(f, add_result, &row, e);
			result = (long)sqlite3_last_insert_rowid(f->db);
		}
		sqlite3_reset(other);
		sqlite3_clear_bindings(other);
		bind_text(other, 1, row.key);
		sqlite3_bind_double(other, 2, row.run.value);
		bind_text(other, 3, row.metadata.commit);
		bind_text(other, 4, row.metadata.host);
		if (rc == 0 && (rc = step_statement(f, other, e)) == 1)
			rc = error_set(e, ERROR_INPUT,
			    "%s: run '%s' is already stored with another "
			    "number, commit or host",
			    file, row.run.path);
		add_labels(&labels, &row.c);
		row.labels = labels.buf;
		row.result = result;
		if (rc == 0)
			rc = insert_row(f, add_run, &row, e);
		*added += rc == 0 ? (size_t)sqlite3_changes(f->db) : 0;
		strbuf_release(&labels);
	}
	sqlite3_finalize(add_run);
	sqlite3_finalize(add_result);
	sqlite3_finalize(other);
	return rc == 0 && *added == 0
	    ? execute_sql(f,
		  "DELETE FROM result WHERE id NOT IN (SELECT result FROM run)",
		  e)
	    : rc;
}

/* --- reading -------------------------------------------------------------- */

static int
read_row(struct history_file *f, sqlite3_stmt *s, struct history *out,
    struct error *e)
{
	struct history_row *row;
	struct json_doc doc;
	int rc;

	row = history_add_row(out);
	for (int i = 0; i < N_COLUMNS; i++) {
		void *member = (char *)row + columns[i].at;

		const int type = sqlite3_column_type(s, i + 1);
		const double x = columns[i].kind == NUMBER
		    ? sqlite3_column_double(s, i + 1)
		    : NAN;

		/* A NUL ends a text; numbers not above 0 become unknown. */
		if (columns[i].kind == TEXT)
			*(const char **)member = arena_strdup(&out->arena,
			    (const char *)sqlite3_column_text(s, i + 1));
		else if (columns[i].kind == NUMBER)
			*(double *)member =
			    (type == SQLITE_FLOAT || type == SQLITE_INTEGER) &&
				isfinite(x) && x > 0
			    ? x
			    : NAN;
		else if (type == SQLITE_INTEGER &&
		    sqlite3_column_int64(s, i + 1) >= 0)
			*(long *)member = (long)sqlite3_column_int64(s, i + 1);
	}
	if (row->metadata.date == NULL || row->c.name == NULL ||
	    isnan(row->run.value))
		return error_set(e, ERROR_INPUT,
		    "%s: damaged history: a run of result %ld has no date, no "
		    "case or no number above 0",
		    f->path, row->result);
	if (row->labels == NULL ||
	    json_doc_parse(
		f->path, row->labels, strlen(row->labels), &doc, e) != 0)
		return error_set(e, ERROR_INPUT,
		    "%s: damaged history: labels of a run are no JSON",
		    f->path);
	rc = json_read_is_object(&doc.top, e) != 0
	    ? -1
	    : pairs_read(
		  &doc.top, &row->c.labels, &row->c.n_labels, &out->arena, e);
	json_doc_release(&doc);
	if (rc == 0 && row->flags != NULL &&
	    run_flags_parse(&row->run, f->path, row->flags, &out->arena, e) !=
		0)
		rc = error_prefix(e, "damaged history");
	return rc;
}

int
history_file_read(struct history_file *f, const char *host, struct history *out,
    struct error *e)
{
	struct history h = HISTORY_INIT;
	struct strbuf sb = STRBUF_INIT(MAX_TEXT);
	sqlite3_stmt *s;
	int rc;

	strbuf_addstr(&sb, "SELECT run.id");
	add_names(&sb, "result.", 0, FIRST_OF_RUN);
	add_names(&sb, "run.", FIRST_OF_RUN, N_COLUMNS);
	strbuf_addstr(&sb,
	    " FROM run LEFT JOIN result ON result.id = run.result "
	    "WHERE ?1 IS NULL OR host = ?1 OR result.id IS NULL "
	    "ORDER BY date, result.id, run.id");
	s = prepare_statement(f, sb.buf, e);
	strbuf_release(&sb);
	bind_text(s, 1, host);
	while ((rc = step_statement(f, s, e)) == 1 &&
	    (rc = read_row(f, s, &h, e)) == 0)
		;
	sqlite3_finalize(s);
	if (rc == 0)
		*out = h;
	else
		history_release(&h);
	return rc;
}

#endif
