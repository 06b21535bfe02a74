/* Read tables of Nsight Systems exports as events of a profile. SQLite needs a
 * path, since it reads the file in random order.
 *
 * The file is untrusted: query only real tables, never views, which could
 * contain endless queries. */
#include <config.h>

#include "extract/input/profiles/profile_steps.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int
nsight_file_is(const char *data, size_t len)
{
	return len >= 16 && memcmp(data, "SQLite format 3", 16) == 0;
}

int
nsight_report_refuse(const char *path, struct error *e)
{
	static const struct {
		const char *suffix, *what;
	} reports[] = {
		{ ".nsys-rep",
		    "a report of Nsight Systems; convert it with nsys export "
		    "--type sqlite" },
		{ ".qdrep",
		    "a report of Nsight Systems; convert it with nsys export "
		    "--type sqlite" },
		{ ".qdstrm",
		    "a raw recording of Nsight Systems; import it into a "
		    "report, then convert that with nsys export --type "
		    "sqlite" },
		{ ".ncu-rep",
		    "a report of Nsight Compute, which covers kernels, not "
		    "steps; profile steps with nsys and convert the report "
		    "with nsys export --type sqlite" },
	};
	const size_t len = strlen(path);

	for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++) {
		const size_t n = strlen(reports[i].suffix);

		if (len > n &&
		    strcasecmp(path + len - n, reports[i].suffix) == 0)
			return error_set(e, ERROR_INPUT, "%s", reports[i].what);
	}
	return 0;
}

int
nsight_step_name(const char *name, long *number)
{
	/* Names used by programs and libraries, best first. */
	static const char *const words[] = { "profilerstep", "trainstep",
		"trainingstep", "globalstep", "step", "trainiteration",
		"trainingiteration", "iteration", "iter", "trainbatch",
		"trainingbatch", "plprofileruntrainingbatch", "batch" };
	const char *end = name + strlen(name), *digits;
	char letters[32];
	size_t n = 0;

	for (digits = end; digits > name && isdigit((unsigned char)digits[-1]);)
		digits--;
	*number =
	    end > digits && end - digits < 10 ? strtol(digits, NULL, 10) : -1;
	for (const char *p = name; p < digits; p++) {
		if (isdigit((unsigned char)*p) || n + 1 == sizeof letters)
			return 0;
		if (isalpha((unsigned char)*p))
			letters[n++] = (char)tolower((unsigned char)*p);
	}
	letters[n] = '\0';
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcmp(words[i], letters) == 0)
			return (int)i + 1;
	return 0;
}

#ifdef HAVE_SQLITE
#include <math.h>
#include <sqlite3.h>
#include <stdint.h>

#include "common/alloc.h"

enum {
	MAX_RANGES = 1 << 20, /* ranges with words for steps */
	MAX_CELL = 1 << 20    /* bytes of a value and of a query */
};

/* An NVTX range whose name has a word for a step. Times in ns. */
struct nsight_range {
	int64_t start, end, thread;
	int word;
	long number;
	double device_start; /* start of its first kernel, ns; INFINITY: none */
};

struct nsight_file {
	sqlite3 *db;
	struct error *e;
	struct nsight_range *ranges;
	size_t n_ranges, alloc_ranges;
	struct profile_steps steps;
};

static int
say_damaged(struct nsight_file *f)
{
	return error_set(f->e, ERROR_INPUT, "cannot read the SQLite file: %s",
	    sqlite3_errmsg(f->db));
}

/* StringIds, each id once: a damaged or hostile export repeats ids, and a join
 * would multiply its rows. Names of steps and kernels are short. */
#define STRINGS \
	"(SELECT id, min(substr(value, 1, 500)) AS value FROM StringIds " \
	"GROUP BY id)"

/* --- queries -------------------------------------------------------------- */

/* Call row for each row of a query.
 *
 * process  parameter of the query, if it has one */
static int
each_row(struct nsight_file *f, const char *sql, int64_t process,
    int (*row)(struct nsight_file *f, sqlite3_stmt *s))
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(f->db, sql, -1, &s, NULL), outcome = 0;

	if (sqlite3_bind_parameter_count(s) > 0)
		sqlite3_bind_int64(s, 1, process);
	while (
	    s != NULL && outcome == 0 && (rc = sqlite3_step(s)) == SQLITE_ROW)
		outcome = row(f, s);
	if (outcome == 0 && rc != SQLITE_DONE)
		outcome = say_damaged(f);
	sqlite3_finalize(s);
	return outcome;
}

/* True for a table with that column, or with any if it is NULL. Views have
 * none. */
static int
has_column(const struct nsight_file *f, const char *table, const char *column)
{
	return sqlite3_table_column_metadata(f->db, NULL, table, column, NULL,
		   NULL, NULL, NULL, NULL) == SQLITE_OK;
}

/* --- steps ---------------------------------------------------------------- */

static int
by_thread(const void *pa, const void *pb)
{
	const struct nsight_range *a = pa, *b = pb;

	if (a->word != b->word)
		return a->word - b->word;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end < b->end) - (a->end > b->end);
}

static int
add_range(struct nsight_file *f, sqlite3_stmt *s)
{
	struct nsight_range x = { sqlite3_column_int64(s, 0),
		sqlite3_column_int64(s, 1), sqlite3_column_int64(s, 2), 0, -1,
		INFINITY };
	const char *name = (const char *)sqlite3_column_text(s, 3);

	if (name == NULL || x.end <= x.start)
		return 0;
	x.word = nsight_step_name(name, &x.number);
	if (x.word == 0)
		return 0;
	if (f->n_ranges == MAX_RANGES)
		return error_set(f->e, ERROR_LIMIT,
		    "the export has more than a million steps");
	f->ranges = vec_grow(
	    f->ranges, f->n_ranges, &f->alloc_ranges, sizeof *f->ranges);
	f->ranges[f->n_ranges++] = x;
	return 0;
}

static int
read_ranges(struct nsight_file *f)
{
	/* Repeated texts are in StringIds; older exports have no textId. */
	const char *sql = has_column(f, "NVTX_EVENTS", "textId")
	    ? "SELECT n.start, n.end, n.globalTid, coalesce(n.text, s.value) "
	      "FROM NVTX_EVENTS AS n "
	      "LEFT JOIN " STRINGS " AS s ON s.id = n.textId "
	      "WHERE n.end IS NOT NULL"
	    : "SELECT start, end, globalTid, text FROM NVTX_EVENTS";

	size_t best = 0, n_best = 0, kept = 0;
	struct nsight_range *r;
	int rise;

	if (each_row(f, sql, 0, add_range) != 0)
		return -1;
	/* Keep the ranges of one word and thread: the best word with two or
	 * more ranges, the thread with most of them. Drop ranges inside
	 * another one. */
	r = f->ranges;
	if (f->n_ranges > 1)
		qsort(r, f->n_ranges, sizeof *r, by_thread);
	for (size_t i = 0, end; i < f->n_ranges; i = end) {
		for (end = i; end < f->n_ranges; end++)
			if (r[end].word != r[i].word ||
			    r[end].thread != r[i].thread)
				break;
		if (end - i > n_best &&
		    (n_best < 2 || r[best].word == r[i].word)) {
			best = i;
			n_best = end - i;
		}
	}
	for (size_t i = best; i < best + n_best; i++)
		if (kept == 0 || r[i].start >= r[kept - 1].end)
			r[kept++] = r[i];
	f->n_ranges = kept;
	/* Keep the ranges' own numbers if they rise; otherwise count. */
	rise = f->n_ranges > 0 && r[0].number >= 0;
	for (size_t i = 1; i < f->n_ranges; i++)
		rise &= r[i].number > r[i - 1].number;
	for (size_t i = 0; i < f->n_ranges && !rise; i++)
		r[i].number = (long)i + 1;
	return 0;
}

/* --- kernels -------------------------------------------------------------- */

/* Columns: start, end, device, name, launch time. */
static int
add_kernel(struct nsight_file *f, sqlite3_stmt *s)
{
	const double start = (double)sqlite3_column_int64(s, 0);
	const double end = (double)sqlite3_column_int64(s, 1);
	const int64_t device = sqlite3_column_int64(s, 2);
	const int64_t at = sqlite3_column_int64(s, 4);
	size_t from = 0, to = f->n_ranges;
	const char *name = (const char *)sqlite3_column_text(s, 3);
	struct nsight_range *r;
	struct profile_event x = { .start = start / 1e3,
		.end = end / 1e3,
		.number = (long)device,
		.bytes = NAN,
		.ranks = NAN };

	if (!(end >= start) || device < 0 || device > 1000000)
		return 0;
	profile_event_kernel(&x, name != NULL ? name : "", "");
	/* The step that contains the launch. */
	while (from < to) {
		const size_t half = from + (to - from) / 2;

		if (f->ranges[half].end <= at)
			from = half + 1;
		else
			to = half;
	}
	r = &f->ranges[from];
	if (sqlite3_column_type(s, 4) != SQLITE_NULL && from < f->n_ranges &&
	    r->start <= at && start < r->device_start)
		r->device_start = start;
	if (profile_steps_add(&f->steps, &x) != 0)
		return error_set(f->e, ERROR_LIMIT,
		    "the export has more than 4 million kernels or a million "
		    "collectives; profile fewer steps");
	return 0;
}

/* Kernels of the process with the steps, joined with their launches by
 * correlation id. (globalTid and globalPid hold the process in bits 24 to 47:
 * "Serialized process and thread identifiers" of the reference.) */
static int
read_kernels(struct nsight_file *f)
{
	const int64_t process =
	    f->n_ranges > 0 ? f->ranges[0].thread >> 24 & 0xffffff : 0;
	const int pids =
	    has_column(f, "CUPTI_ACTIVITY_KIND_KERNEL", "globalPid");
	const int calls = has_column(f, "CUPTI_ACTIVITY_KIND_RUNTIME", NULL);
	char *sql;
	int rc;

	sql = xasprintf("SELECT k.start, k.end, k.deviceId, s.value, %s "
			"FROM CUPTI_ACTIVITY_KIND_KERNEL AS k "
			"LEFT JOIN " STRINGS " AS s ON s.id = k.shortName %s "
			"WHERE %s",
	    calls ? "c.start" : "NULL",
	    calls ? "LEFT JOIN (SELECT correlationId AS id, "
		    "min(start) AS start FROM CUPTI_ACTIVITY_KIND_RUNTIME "
		    "WHERE (globalTid >> 24 & 16777215) = ?1 "
		    "GROUP BY correlationId) AS c ON c.id = k.correlationId"
		  : "",
	    pids ? "(k.globalPid >> 24 & 16777215) = ?1" : "1");
	rc = each_row(f, sql, process, add_kernel);
	free(sql);
	return rc;
}

/* --- all of it ------------------------------------------------------------ */

/* Name of the first GPU. */
static int
add_device_name(struct nsight_file *f, sqlite3_stmt *s)
{
	const unsigned char *name = sqlite3_column_text(s, 0);

	if (name != NULL)
		profile_steps_device(&f->steps, (const char *)name);
	return 0;
}

static int
read_tables(struct nsight_file *f, struct strbuf *out)
{
	/* A damaged file has no tables that could be found. */
	if (sqlite3_exec(f->db, "SELECT 1 FROM sqlite_master", NULL, NULL,
		NULL) != SQLITE_OK)
		return say_damaged(f);
	if (!has_column(f, "NVTX_EVENTS", NULL) ||
	    !has_column(f, "StringIds", NULL))
		return error_set(f->e, ERROR_INPUT,
		    "a SQLite file without the tables NVTX_EVENTS and "
		    "StringIds: not an export of Nsight Systems with NVTX "
		    "ranges");
	if (read_ranges(f) != 0 ||
	    (has_column(f, "CUPTI_ACTIVITY_KIND_KERNEL", NULL) &&
		read_kernels(f) != 0) ||
	    (has_column(f, "TARGET_INFO_GPU", "name") &&
		each_row(f,
		    "SELECT name FROM TARGET_INFO_GPU ORDER BY id LIMIT 1", 0,
		    add_device_name) != 0))
		return -1;
	for (size_t i = 0; i < f->n_ranges; i++) {
		const struct nsight_range *r = &f->ranges[i];
		struct profile_event x = { .kind = PROFILE_STEP,
			.start = (double)r->start / 1e3,
			.end = (double)r->end / 1e3,
			.number = r->number };
		int rc = profile_steps_add(&f->steps, &x);

		x.kind = PROFILE_STEP_DEVICE;
		x.start = r->device_start / 1e3;
		if (isfinite(x.start))
			rc |= profile_steps_add(&f->steps, &x);
		if (rc != 0)
			return error_set(f->e, ERROR_LIMIT,
			    "the export has more than 65536 steps");
	}
	if (profile_steps_write(&f->steps, "nsight", out) != 0)
		return error_set(f->e, ERROR_INPUT,
		    "no NVTX range of the export is named after a step (\"step "
		    "5\", \"iteration 5\", \"train_step\"), so the step time "
		    "is unknown");
	return 0;
}

int
nsight_file_read(const char *path, struct strbuf *out, struct error *e)
{
	struct nsight_file f = { .e = e, .steps = PROFILE_STEPS_INIT };
	int rc = sqlite3_open_v2(path, &f.db, SQLITE_OPEN_READONLY, NULL);

	if (rc != SQLITE_OK) {
		rc = say_damaged(&f);
	} else {
		sqlite3_limit(f.db, SQLITE_LIMIT_LENGTH, MAX_CELL);
		sqlite3_limit(f.db, SQLITE_LIMIT_ATTACHED, 0);
		/* The file is untrusted, and nothing may be written. */
		sqlite3_exec(f.db,
		    "PRAGMA trusted_schema=OFF; PRAGMA query_only=ON; "
		    "PRAGMA temp_store=MEMORY",
		    NULL, NULL, NULL);
		rc = read_tables(&f, out);
	}
	sqlite3_close(f.db);
	profile_steps_release(&f.steps);
	free(f.ranges);
	return rc;
}
#else
int
nsight_file_read(const char *path, struct strbuf *out, struct error *e)
{
	(void)path;
	(void)out;
	return error_set(e, ERROR_INPUT,
	    "a SQLite file, which this build cannot read (configured without "
	    "SQLite)");
}
#endif
