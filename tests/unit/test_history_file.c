/* The history on disk: rows are stored once and read back unchanged, files of
 * version 1 are upgraded, and damaged, hostile or other files are refused. */
#include <config.h>

#include "report/history/history.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

#ifdef HAVE_SQLITE
#include <sqlite3.h>

static const char path[] = "tests/history_file.db";

static void
remove_files(void)
{
	unlink(path);
	unlink("tests/history_file.db-journal");
}

/* --- rows ----------------------------------------------------------------- */

static const char *default_host; /* host of the rows that add_row() makes */

/* Add a row with a key made of n; all strings are static. */
static void
add_row(struct history *h, long n, double value)
{
	static char names[400][24];
	static struct result_pair labels[] = { { "fusion", "64 \"MiB\"" },
		{ "link", NULL } };
	struct history_row *row = history_add_row(h);

	CHECK(n < 400);
	snprintf(names[n], sizeof names[n], "key %ld", n);
	row->metadata = (struct history_metadata){ "2026-11-13T08:00:00Z",
		"--date", default_host, "3f2a1b0" };
	row->key = row->run.run = row->run.path = names[n];
	row->run.value = value;
	row->run.device = "V100";
	row->c.name = "1n8g";
	row->c.model = "resnet50";
	row->c.gpus = 8;
	row->c.unit = "samples/s";
	row->c.labels = labels;
	row->c.n_labels = 2;
	row->rule.rule = "window";
	row->rule.skip_iterations = 5;
}

static size_t
add(long first, long end)
{
	struct history rows = HISTORY_INIT;
	size_t added;
	struct error e = ERROR_INIT;
	struct history_file f;

	for (long i = first; i < end; i++)
		add_row(&rows, i, 100 + (double)i);
	CHECK_STR(history_file_open(path, HISTORY_WRITE, &f, &e) == 0
		? ""
		: e.message,
	    "");
	CHECK_INT(history_file_add(&f, &rows, "r.json", &added, &e), 0);
	CHECK_INT(history_file_commit(&f, &e), 0);
	history_file_close(&f);
	history_release(&rows);
	return added;
}

static size_t
read_all(struct history *h)
{
	struct error e = ERROR_INIT;
	struct history_file f;

	CHECK_INT(history_file_open(path, HISTORY_READ, &f, &e), 0);
	CHECK_INT(history_file_read(&f, NULL, h, &e), 0);
	history_file_close(&f);
	return h->n;
}

static size_t
count_rows(void)
{
	struct history h = HISTORY_INIT;
	const size_t n = read_all(&h);

	history_release(&h);
	return n;
}

static void
test_round_trip(void)
{
	struct history h = HISTORY_INIT;
	const struct history_row *row;

	remove_files();
	CHECK_INT(add(0, 3), 3);
	CHECK_INT(read_all(&h), 3);
	row = &h.rows[1];
	CHECK_STR(row->metadata.date, "2026-11-13T08:00:00Z");
	CHECK_STR(row->metadata.date_from, "--date");
	CHECK_STR(row->metadata.commit, "3f2a1b0");
	CHECK(row->metadata.host == NULL);
	CHECK_STR(row->key, "key 1");
	CHECK_STR(row->run.path, "key 1");
	CHECK_NEAR(row->run.value, 101, 0);
	CHECK(isnan(row->run.samples_per_s));
	CHECK_STR(row->run.device, "V100");
	CHECK_STR(row->c.name, "1n8g");
	CHECK_STR(row->c.model, "resnet50");
	CHECK(row->c.framework == NULL);
	CHECK_INT(row->c.gpus, 8);
	CHECK_INT(row->c.nodes, RESULT_UNKNOWN);
	CHECK_INT(row->c.n_labels, 2);
	CHECK_STR(row->c.labels[0].value, "64 \"MiB\"");
	CHECK(row->c.labels[1].value == NULL);
	CHECK_STR(row->rule.rule, "window");
	CHECK_INT(row->rule.skip_iterations, 5);
	CHECK_INT(row->rule.train_batches, RESULT_UNKNOWN);
	history_release(&h);
}

/* Add a row with all values known.
 *
 * first  value of the first integer; the others have the next ones */
static void
add_full_row(struct history *h, long first)
{
	static struct result_pair label = { "fusion", "64" };
	struct history_row *row = history_add_row(h);
	struct result_rule *rule = &row->rule;
	struct result_case *c = &row->c;

	row->metadata = (struct history_metadata){ "2026-11-13T08:00:00Z",
		"machine.txt", "a host", "a commit" };
	rule->rule = "a rule";
	rule->skip_iterations = first;
	rule->warmup_batches = first + 1;
	rule->train_batches = first + 2;
	rule->from_iteration = first + 3;
	rule->epoch = "an epoch";
	rule->aggregate = "an aggregate";
	rule->metric = "a metric";
	rule->scaling = "a scaling";
	c->name = "a case";
	c->framework = "a framework";
	c->model = "a model";
	c->precision = "a precision";
	c->batch_size_per_device = first + 4;
	c->nodes = first + 5;
	c->gpus_per_node = first + 6;
	c->gpus = first + 7;
	c->labels = &label;
	c->n_labels = 1;
	c->unit = "a unit";
	c->rule = "its rule";
	row->run.run = "a run";
	row->run.path = "a path";
	row->run.value = 0.25;
	row->run.samples_per_s = 0.75;
	row->run.device = "a device";
	row->run.framework_version = "a version";
	row->log_hash = "a hash";
	row->key = "a key";
}

static void
check_full_row(const struct history_row *row, long first)
{
	const struct result_rule *rule = &row->rule;
	const struct result_case *c = &row->c;

	CHECK_STR(row->metadata.date, "2026-11-13T08:00:00Z");
	CHECK_STR(row->metadata.date_from, "machine.txt");
	CHECK_STR(row->metadata.host, "a host");
	CHECK_STR(row->metadata.commit, "a commit");
	CHECK_STR(rule->rule, "a rule");
	CHECK_INT(rule->skip_iterations, first);
	CHECK_INT(rule->warmup_batches, first + 1);
	CHECK_INT(rule->train_batches, first + 2);
	CHECK_INT(rule->from_iteration, first + 3);
	CHECK_STR(rule->epoch, "an epoch");
	CHECK_STR(rule->aggregate, "an aggregate");
	CHECK_STR(rule->metric, "a metric");
	CHECK_STR(rule->scaling, "a scaling");
	CHECK_STR(c->name, "a case");
	CHECK_STR(c->framework, "a framework");
	CHECK_STR(c->model, "a model");
	CHECK_STR(c->precision, "a precision");
	CHECK_INT(c->batch_size_per_device, first + 4);
	CHECK_INT(c->nodes, first + 5);
	CHECK_INT(c->gpus_per_node, first + 6);
	CHECK_INT(c->gpus, first + 7);
	CHECK_INT(c->n_labels, 1);
	CHECK_STR(c->labels[0].key, "fusion");
	CHECK_STR(c->labels[0].value, "64");
	CHECK_STR(c->unit, "a unit");
	CHECK_STR(c->rule, "its rule");
	CHECK_STR(row->run.run, "a run");
	CHECK_STR(row->run.path, "a path");
	CHECK_NEAR(row->run.value, 0.25, 0);
	CHECK_NEAR(row->run.samples_per_s, 0.75, 0);
	CHECK_STR(row->run.device, "a device");
	CHECK_STR(row->run.framework_version, "a version");
	CHECK_STR(row->log_hash, "a hash");
	CHECK_STR(row->key, "a key");
	CHECK_INT(row->result, 1);
}

/* Open, add and close. */
static size_t
add_history(struct history *rows)
{
	size_t added;
	struct error e = ERROR_INIT;
	struct history_file f;

	CHECK_INT(history_file_open(path, HISTORY_WRITE, &f, &e), 0);
	CHECK_STR(history_file_add(&f, rows, "r.json", &added, &e) == 0
		? ""
		: e.message,
	    "");
	CHECK_INT(history_file_commit(&f, &e), 0);
	history_file_close(&f);
	return added;
}

/* Each value is read back into its member, also a count of 0; the file name and
 * the time of the addition are stored. */
static void
test_every_column(void)
{
	for (long first = 0; first <= 100; first += 100) {
		struct history rows = HISTORY_INIT, h = HISTORY_INIT;
		sqlite3_stmt *s;
		sqlite3 *db;

		remove_files();
		add_full_row(&rows, first);
		CHECK_INT(add_history(&rows), 1);
		CHECK_INT(read_all(&h), 1);
		check_full_row(&h.rows[0], first);
		history_release(&h);
		history_release(&rows);
		CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
		CHECK_INT(sqlite3_prepare_v2(db,
			      "SELECT file, added LIKE "
			      "'____-__-__T__:__:__Z' FROM result",
			      -1, &s, NULL),
		    SQLITE_OK);
		CHECK_INT(sqlite3_step(s), SQLITE_ROW);
		CHECK_STR((const char *)sqlite3_column_text(s, 0), "r.json");
		CHECK_INT(sqlite3_column_int(s, 1), 1);
		sqlite3_finalize(s);
		sqlite3_close(db);
	}
}

/* Tables are created once; a name of one letter is valid, "-" is not. */
static void
test_new_file(void)
{
	static const char name[] = "h";
	struct error e = ERROR_INIT;
	struct history_file f;

	unlink(name);
	for (int again = 0; again < 2; again++) {
		CHECK_INT(history_file_open(name, HISTORY_WRITE, &f, &e), 0);
		history_file_close(&f);
	}
	unlink(name);
	CHECK_INT(history_file_open("-", HISTORY_WRITE, &f, &e), -1);
	CHECK_INT(e.code, ERROR_USAGE);
}

/* A missing commit or host is no contradiction, nor is a difference in the last
 * digits of a value. */
static void
test_no_contradiction(void)
{
	static const struct {
		double value, again;
		int refused;
	} values[] = { { 1000, 1000 + 1e-10, 0 }, { 1000, 1000 - 1e-10, 0 },
		{ 0.001, 0.001 + 1e-13, 1 }, { 0.001, 0.001 - 1e-13, 1 } };
	size_t added;

	for (int what = 0; what < 5; what++) {
		struct history rows = HISTORY_INIT;

		remove_files();
		default_host = "n1";
		add_row(&rows, 0, 100);
		add_row(&rows, 1, 101);
		rows.rows[0].metadata.commit = what == 1 ? NULL : "c";
		rows.rows[0].metadata.host = what == 2 ? NULL : "n1";
		add_history(&rows);
		rows.rows[0].metadata.commit = what == 3 ? NULL : "c";
		rows.rows[0].metadata.host = what == 4 ? NULL : "n1";
		rows.rows[1].metadata.commit = NULL;
		CHECK_INT(add_history(&rows), 0);
		default_host = NULL;
		history_release(&rows);
	}
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		struct history rows = HISTORY_INIT;
		struct error e = ERROR_INIT;
		struct history_file f;

		remove_files();
		add_row(&rows, 0, values[i].value);
		add_history(&rows);
		rows.rows[0].run.value = values[i].again;
		CHECK_INT(history_file_open(path, HISTORY_WRITE, &f, &e), 0);
		CHECK_INT(history_file_add(&f, &rows, "r.json", &added, &e),
		    values[i].refused ? -1 : 0);
		history_file_close(&f);
		history_release(&rows);
	}
}

/* Number of rows in the table result. */
static int
count_results(void)
{
	sqlite3_stmt *s;
	sqlite3 *db;
	int n;

	CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
	CHECK_INT(
	    sqlite3_prepare_v2(db, "SELECT count(*) FROM result", -1, &s, NULL),
	    SQLITE_OK);
	CHECK_INT(sqlite3_step(s), SQLITE_ROW);
	n = sqlite3_column_int(s, 0);
	sqlite3_finalize(s);
	sqlite3_close(db);
	return n;
}

static void
test_twice(void)
{
	remove_files();
	add(0, 3);
	CHECK_INT(add(0, 3), 0);
	CHECK_INT(add(1, 5), 2);
	CHECK_INT(count_rows(), 5);
	/* A result without new rows is not stored. */
	CHECK_INT(count_results(), 2);
}

/* A different number, commit or host under the same key is refused, and the
 * whole addition is undone. */
static void
test_contradictions(void)
{
	for (int what = 0; what < 3; what++) {
		struct history rows = HISTORY_INIT;
		size_t added;
		struct error e = ERROR_INIT;
		struct history_file f;

		remove_files();
		default_host = "n1";
		add(0, 3);
		add_row(&rows, 7, 1);
		add_row(&rows, 1, what == 0 ? 101.001 : 101);
		if (what == 1)
			rows.rows[1].metadata.commit = "another";
		else if (what == 2)
			rows.rows[1].metadata.host = "another";
		default_host = NULL;
		CHECK_INT(history_file_open(path, HISTORY_WRITE, &f, &e), 0);
		CHECK_INT(
		    history_file_add(&f, &rows, "r.json", &added, &e), -1);
		CHECK_INT(e.code, ERROR_INPUT);
		CHECK(strstr(e.message, "another number, commit or host") !=
		    NULL);
		history_file_close(&f);
		history_release(&rows);
		CHECK_INT(count_rows(), 3);
	}
}

/* --- other files ---------------------------------------------------------- */

/* Create a database at path with these statements. */
static void
make_database(const char *sql)
{
	sqlite3 *db;

	remove_files();
	CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
	CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	CHECK_INT(sqlite3_close(db), SQLITE_OK);
}

static void
write_bytes(const char *bytes, size_t n)
{
	FILE *out = fopen(path, "wb");

	CHECK(out != NULL);
	fwrite(bytes, 1, n, out);
	fclose(out);
}

/* Opening fails with this code and a message that names the file. */
static void
check_refused(enum history_mode mode, enum error_code code, const char *what)
{
	struct error e = ERROR_INIT;
	struct history_file f;

	if (history_file_open(path, mode, &f, &e) == 0) {
		history_file_close(&f);
		CHECK(!"it was opened");
	}
	CHECK_INT(e.code, code);
	CHECK(strstr(e.message, path) != NULL);
	CHECK(strstr(e.message, what) != NULL);
}

/* The tables of version 1 with two rows. */
static const char version_1[] =
    "CREATE TABLE result(id INTEGER PRIMARY KEY, file TEXT NOT NULL, "
    "added TEXT NOT NULL, date TEXT NOT NULL, host TEXT, \"commit\" TEXT, "
    "rule TEXT, skip_iterations INTEGER, warmup_batches INTEGER, "
    "train_batches INTEGER, from_iteration INTEGER, epoch TEXT, "
    "aggregate TEXT, metric TEXT, scaling TEXT);"
    "CREATE TABLE run(id INTEGER PRIMARY KEY, result INTEGER NOT NULL "
    "REFERENCES result(id), key TEXT NOT NULL UNIQUE, \"case\" TEXT, "
    "framework TEXT, model TEXT, precision TEXT, batch_size_per_device "
    "INTEGER, nodes INTEGER, gpus_per_node INTEGER, gpus INTEGER, "
    "labels TEXT NOT NULL, unit TEXT, rule TEXT, run TEXT, "
    "path TEXT NOT NULL, log_hash TEXT, value REAL NOT NULL, "
    "samples_per_s REAL);"
    "CREATE INDEX run_of_result ON run(result);"
    "INSERT INTO result(id, file, added, date, \"commit\", rule) VALUES("
    "1, 'old.json', '2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z', 'c0', "
    "'window');"
    "INSERT INTO run(result, key, \"case\", labels, path, value, unit) VALUES("
    "1, 'key 0', '1n8g', '{}', 'a.log', 100, 'samples/s'), "
    "(1, 'old', '1n8g', '{\"a\": \"b\"}', 'b.log', 99.5, 'samples/s');"
    "PRAGMA application_id = 1684829032; PRAGMA user_version = 1";

static void
test_version_1(void)
{
	struct history h = HISTORY_INIT;
	struct error e = ERROR_INIT;
	struct history_file f;

	make_database(version_1);
	CHECK_INT(history_file_open(path, HISTORY_READ, &f, &e), 0);
	CHECK_INT(history_file_read(&f, NULL, &h, &e), 0);
	history_file_close(&f);
	CHECK_INT(h.n, 2);
	CHECK_STR(h.rows[0].key, "key 0");
	CHECK_NEAR(h.rows[1].run.value, 99.5, 0);
	CHECK_STR(h.rows[1].c.labels[0].value, "b");
	CHECK_STR(h.rows[0].metadata.commit, "c0");
	CHECK(h.rows[0].metadata.date_from == NULL);
	CHECK(h.rows[0].run.device == NULL);
	history_release(&h);
	/* The file can be opened again, and new rows can be added. */
	CHECK_INT(history_file_open(path, HISTORY_READ, &f, &e), 0);
	history_file_close(&f);
	CHECK_INT(add(2, 5), 3);
	CHECK_INT(read_all(&h), 5);
	CHECK_STR(h.rows[4].run.device, "V100");
	history_release(&h);
}

static void
test_not_ours(void)
{
	struct error e = ERROR_INIT;
	struct history_file f;

	make_database("CREATE TABLE photo(id INTEGER)");
	check_refused(
	    HISTORY_WRITE, ERROR_INPUT, "a SQLite database of something else");
	make_database("PRAGMA application_id = 252006675");
	check_refused(HISTORY_WRITE, ERROR_INPUT, "of something else");
	make_database("PRAGMA user_version = 7");
	check_refused(HISTORY_WRITE, ERROR_INPUT, "of something else");
	make_database("PRAGMA application_id = 1684829032; "
		      "PRAGMA user_version = 5");
	check_refused(HISTORY_READ, ERROR_INPUT,
	    "of version 5, made by a later report_results; this one knows up "
	    "to 4");
	make_database("PRAGMA application_id = 1684829032");
	check_refused(HISTORY_READ, ERROR_INPUT, "damaged history: version 0");
	make_database("PRAGMA application_id = 1684829032; "
		      "PRAGMA user_version = -1");
	check_refused(HISTORY_READ, ERROR_INPUT, "version -1");
	write_bytes("{\"schema\": \"dlscale-result/1\"}", 30);
	check_refused(HISTORY_WRITE, ERROR_INPUT, "not a SQLite database");
	remove_files();
	check_refused(HISTORY_READ, ERROR_SYSTEM, "cannot open");
	/* A killed writer may leave an empty file. */
	write_bytes("", 0);
	check_refused(HISTORY_READ, ERROR_EMPTY, "nothing was added yet");
	CHECK_INT(add(0, 1), 1);
	CHECK_INT(history_file_open("tests", HISTORY_READ, &f, &e), -1);
	CHECK(strstr(e.message, "not a regular file") != NULL);
	CHECK_INT(history_file_open("", HISTORY_WRITE, &f, &e), -1);
	CHECK_INT(e.code, ERROR_USAGE);
	/* The message includes the system's error. */
	CHECK_INT(history_file_open("none/h.db", HISTORY_WRITE, &f, &e), -1);
	CHECK_INT(e.code, ERROR_SYSTEM);
	CHECK_STR(
	    e.message, "cannot write 'none/h.db': No such file or directory");
}

/* The right application id and version, but wrong tables. */
static void
test_wrong_tables(void)
{
	static const char *const wrong[] = {
		/* A table is missing, lacks columns or is a view. */
		"CREATE TABLE run(id INTEGER)",
		"CREATE TABLE run(id INTEGER); CREATE TABLE result(id INTEGER)",
		"CREATE VIEW run AS SELECT 1; CREATE VIEW result AS SELECT 2",
	};

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct history h = HISTORY_INIT;
		struct error e = ERROR_INIT;
		struct history_file f;
		char sql[400];
		int rc;

		snprintf(sql, sizeof sql,
		    "%s; PRAGMA application_id = 1684829032; "
		    "PRAGMA user_version = 3",
		    wrong[i]);
		make_database(sql);
		rc = history_file_open(path, HISTORY_READ, &f, &e);
		if (rc == 0) {
			rc = history_file_read(&f, NULL, &h, &e);
			history_file_close(&f);
		}
		CHECK_INT(rc, -1);
		CHECK_INT(e.code, ERROR_INPUT);
		CHECK(strstr(e.message, "damaged history") != NULL);
	}
}

/* Recreate the history with two rows, then run an SQL statement on it. */
static void
add_and_run(const char *sql)
{
	sqlite3 *db;

	remove_files();
	add(0, 2);
	CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
	CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

/* Values that history_file_add() never writes. */
static void
test_wrong_values(void)
{
	static const char *const wrong[] = {
		"UPDATE run SET value = 'fast'",
		"UPDATE run SET value = -1",
		"UPDATE run SET value = 9e999",
		"UPDATE run SET \"case\" = NULL",
		"UPDATE run SET labels = '{\"a\"'",
		"UPDATE run SET labels = '[1]'",
		"UPDATE run SET labels = '{\"a\": {}}'",
		"UPDATE run SET path = zeroblob(2000000)",
	};

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct history h = HISTORY_INIT;
		struct error e = ERROR_INIT;
		struct history_file f;

		add_and_run(wrong[i]);
		if (history_file_open(path, HISTORY_READ, &f, &e) == 0) {
			if (history_file_read(&f, NULL, &h, &e) == 0)
				printf("# %s\n", wrong[i]);
			CHECK_INT(h.n, 0);
			history_file_close(&f);
		}
		CHECK_INT(e.code, ERROR_INPUT);
		CHECK(strstr(e.message, path) != NULL);
	}
}

/* Nothing is added to tables that lack a column. */
static void
test_missing_column(void)
{
	static const char *const wrong[] = {
		"ALTER TABLE run DROP COLUMN score",
		"ALTER TABLE result DROP COLUMN protocol",
	};

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct history rows = HISTORY_INIT;
		size_t added;
		struct error e = ERROR_INIT;
		struct history_file f;

		add_and_run(wrong[i]);
		add_row(&rows, 7, 1);
		CHECK_INT(history_file_open(path, HISTORY_WRITE, &f, &e), 0);
		CHECK_INT(
		    history_file_add(&f, &rows, "r.json", &added, &e), -1);
		CHECK_INT(e.code, ERROR_INPUT);
		CHECK(strstr(e.message, "damaged history") != NULL);
		history_file_close(&f);
		history_release(&rows);
	}
}

/* Triggers in the file do not run. */
static void
test_trigger(void)
{
	add_and_run("CREATE TRIGGER bad AFTER INSERT ON run BEGIN "
		    "DELETE FROM run; END");
	add(2, 3);
	CHECK_INT(count_rows(), 3);
}

static uint64_t seed = 1;

static uint64_t
random_bits(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (seed * 2685821657736338717u) >> 32;
}

/* A file with random damage is read whole or refused with a message. */
static void
test_damage(void)
{
	static char good[1 << 16], bad[1 << 16];
	size_t n, refused = 0;
	FILE *in;

	remove_files();
	add(0, 60);
	in = fopen(path, "rb");
	CHECK(in != NULL);
	n = fread(good, 1, sizeof good, in);
	fclose(in);
	CHECK(n > 8192 && n < sizeof good);
	for (int trial = 0; trial < 400; trial++) {
		struct history h = HISTORY_INIT;
		struct error e = ERROR_INIT;
		struct history_file f;
		size_t len = n;
		int rc;

		memcpy(bad, good, n);
		for (uint64_t k = 1 + random_bits() % 8; k > 0; k--)
			bad[random_bits() % (trial % 2 ? 200 : n)] =
			    (char)random_bits();
		if (trial % 5 == 0)
			len = random_bits() % n;
		remove_files();
		write_bytes(bad, len);
		rc = history_file_open(
		    path, trial % 3 ? HISTORY_READ : HISTORY_WRITE, &f, &e);
		if (rc == 0) {
			rc = history_file_read(&f, NULL, &h, &e);
			history_file_close(&f);
			/* Undetected damage loses no row. */
			if (rc == 0)
				CHECK_INT(h.n, 60);
			history_release(&h);
		}
		if (rc == 0)
			continue;
		refused++;
		CHECK(e.code != ERROR_NONE);
		CHECK(strstr(e.message, path) != NULL);
	}
	CHECK(refused > 100);
}

/* Several processes write at once, each its own rows and 20 common ones. The
 * file does not exist at first. */
static void
write_at_once(void)
{
	enum { WRITERS = 6, OWN = 20 };
	pid_t children[WRITERS];

	remove_files();
	for (int i = 0; i < WRITERS; i++) {
		fflush(stdout);
		children[i] = fork();
		CHECK(children[i] >= 0);
		if (children[i] > 0)
			continue;
		for (long k = 0; k < OWN; k++) {
			add(20 + i * OWN + k, 21 + i * OWN + k);
			add(k, k + 1);
		}
		_exit(0);
	}
	for (int i = 0; i < WRITERS; i++) {
		int status;

		CHECK_INT(waitpid(children[i], &status, 0), children[i]);
		CHECK_INT(status, 0);
	}
	CHECK_INT(count_rows(), 20 + WRITERS * OWN);
	remove_files();
}

static void
test_writers(void)
{
	for (int trial = 0; trial < 5; trial++)
		write_at_once();
}
#else
static void
test_sqlite(void)
{
	SKIP("built without SQLite");
}
#endif

static const struct tap_test tests[] = {
#ifdef HAVE_SQLITE
	TEST(test_round_trip),
	TEST(test_every_column),
	TEST(test_new_file),
	TEST(test_no_contradiction),
	TEST(test_twice),
	TEST(test_contradictions),
	TEST(test_version_1),
	TEST(test_not_ours),
	TEST(test_wrong_tables),
	TEST(test_wrong_values),
	TEST(test_missing_column),
	TEST(test_trigger),
	TEST(test_damage),
	TEST(test_writers),
#else
	TEST(test_sqlite),
#endif
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
