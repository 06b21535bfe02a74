/* The commands of --history. */
#include <config.h>

#include "report/history/history_command.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/alloc.h"
#include "common/files/outfile.h"
#include "common/result/result.h"
#include "common/series/result_set.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "common/units/units.h"
#include "plots/draw.h"
#include "report/history/history_file.h"
#include "report/history/history_text.h"
#include "report/history/trend.h"
#include "report/parts/report_tables.h"
#include "report/tables/report_makers.h"

enum { MAX_REPORT = 1 << 24, MAX_LINE = 4096, DATE_SIZE = 32 };

/* --- when and where ------------------------------------------------------- */

/* Seconds since 1970 as "2026-11-13T08:00:00Z"; -1 for years that have not four
 * digits. */
static int
format_date(double seconds, char out[DATE_SIZE])
{
	const time_t t = (time_t)seconds;
	struct tm tm;

	if (!(seconds >= -62135596800.0 && seconds < 253402300800.0) ||
	    gmtime_r(&t, &tm) == NULL)
		return -1;
	return strftime(out, DATE_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm) == 20 ? 0
									 : -1;
}

/* Parse a time stamp, or a day (midnight UTC). */
static const char *
read_date(struct arena *a, const char *text)
{
	const char *day = arena_printf(a, "%sT00:00:00Z", text);
	char out[DATE_SIZE];
	double seconds;

	if (stamp_parse(text, strlen(text), &seconds) != STAMP_DATE &&
	    stamp_parse(day, strlen(day), &seconds) != STAMP_DATE)
		return NULL;
	if (format_date(seconds, out) != 0)
		return NULL;
	return arena_strdup(a, out);
}

/* Fill in unknown metadata from the lines "key: value" of a machine.txt. */
static int
read_machine(struct arena *a, const char *path,
    struct history_metadata *metadata, struct error *e)
{
	FILE *f = fopen(path, "r");
	char line[MAX_LINE];

	if (f == NULL)
		return error_errno(e, errno, "cannot open '%s'", path);
	while (fgets(line, sizeof line, f) != NULL) {
		char *value = strchr(line, ':');

		if (value == NULL)
			continue;
		*value++ = '\0';
		value += strspn(value, " \t");
		value[strcspn(value, "\r\n")] = '\0';
		if (strcmp(line, "host") == 0 && metadata->host == NULL)
			metadata->host = arena_strdup(a, value);
		if (strcmp(line, "commit") == 0 && metadata->commit == NULL)
			metadata->commit = arena_strdup(a, value);
		if (strcmp(line, "started") == 0 && metadata->date == NULL) {
			metadata->date = read_date(a, value);
			metadata->date_from = "machine.txt";
		}
	}
	fclose(f);
	return 0;
}

static int
find_metadata(const struct history_ask *ask, const char *path, struct arena *a,
    struct history_metadata *metadata, struct error *e)
{
	char *found =
	    ask->machine == NULL ? environment_machine_next_to(path) : NULL;
	const char *machine = ask->machine != NULL ? ask->machine : found;
	char date[DATE_SIZE];
	struct stat st = { .st_mtime = time(NULL) }; /* of stdin */
	int rc = 0;

	*metadata = (struct history_metadata){ .host = ask->host,
		.commit = ask->commit };
	if (ask->date != NULL) {
		metadata->date = read_date(a, ask->date);
		metadata->date_from = "--date";
		if (metadata->date == NULL)
			rc = error_set(e, ERROR_USAGE,
			    "--date: '%s' is not a date such as 2026-11-13 or "
			    "2026-11-13T08:00:00Z",
			    ask->date);
	}
	if (rc == 0 && machine != NULL)
		rc = read_machine(a, machine, metadata, e);
	free(found);
	if (rc != 0 || metadata->date != NULL)
		return rc;
	/* The file's modification time. */
	if (strcmp(path, "-") != 0 && stat(path, &st) != 0)
		return error_errno(e, errno, "cannot read '%s'", path);
	if (format_date((double)st.st_mtime, date) != 0)
		return error_set(e, ERROR_INPUT,
		    "%s: no date with a four-digit year; set it with --date",
		    path);
	metadata->date = arena_strdup(a, date);
	metadata->date_from = "file";
	return 0;
}

/* --- add, remove ---------------------------------------------------------- */

static const char *
plural_ending(size_t n)
{
	return n == 1 ? "" : "s";
}

static void
print_metadata(struct strbuf *sb, const struct history_metadata *metadata)
{
	strbuf_addstr(sb, metadata->date);
	if (metadata->date_from != NULL &&
	    strcmp(metadata->date_from, "file") == 0)
		strbuf_addstr(sb, " (the time of the file)");
	if (metadata->commit != NULL)
		strbuf_printf(sb, ", commit %s", metadata->commit);
	if (metadata->host != NULL)
		strbuf_printf(sb, ", host %s", metadata->host);
}

static void
print_added(struct strbuf *sb, const char *path, struct history *rows,
    const struct history_counts *counts)
{
	const char *last = NULL;
	size_t n_cases = 0;

	/* Rows of one case are adjacent. */
	for (size_t i = 0; i < rows->n; i++) {
		const char *own =
		    history_identity(&rows->arena, &rows->rows[i]);

		n_cases += !text_same(own, last);
		last = own;
	}
	if (counts->added == 0) {
		strbuf_printf(sb, "%s: all %zu run%s already stored, of ", path,
		    rows->n, rows->n == 1 ? " is" : "s are");
		print_metadata(sb, &counts->known);
		strbuf_addstr(sb, "; nothing added");
		return;
	}
	strbuf_printf(sb, "%s: %zu run%s added, of ", path, counts->added,
	    plural_ending(counts->added));
	if (counts->there == 0)
		strbuf_printf(
		    sb, "%zu case%s, ", n_cases, plural_ending(n_cases));
	print_metadata(sb, &rows->rows[0].metadata);
	if (counts->there > 0)
		strbuf_printf(sb, "; %zu %s there already", counts->there,
		    counts->there == 1 ? "was" : "were");
}

/* A result to add or remove, and its rows, which borrow from it. */
struct history_input {
	struct result result;
	struct history rows;
};

static int
read_input(const struct history_ask *ask, const char *path,
    struct history_input *in, struct error *e)
{
	struct history_metadata metadata;

	if (find_metadata(ask, path, &in->rows.arena, &metadata, e) != 0 ||
	    result_read(path, &in->result, e) != 0)
		return -1;
	if (run_metric_find(in->result.rule.metric) != NULL)
		return error_set(e, ERROR_INPUT,
		    "%s: holds the metric %s, but a history holds speeds", path,
		    in->result.rule.metric);
	history_rows_of(&in->result, &metadata, &in->rows);
	if (in->rows.n == 0)
		return error_set(
		    e, ERROR_EMPTY, "%s: holds no run to be added", path);
	return 0;
}

/* Add or remove all results in one transaction, after all were read. */
static int
change_all(const struct history_ask *ask, int remove, char *const *paths,
    size_t n, struct error *e)
{
	struct history_input *in = xcalloc(n, sizeof *in);
	struct history_file f;
	struct strbuf printed;
	int rc = 0, open = 0;

	strbuf_init(&printed, MAX_REPORT);
	for (size_t i = 0; i < n; i++)
		result_init(&in[i].result);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = read_input(ask, paths[i], &in[i], e);
	if (rc == 0) {
		rc = history_file_open(
		    ask->path, remove ? HISTORY_READ : HISTORY_WRITE, &f, e);
		open = rc == 0;
	}
	if (rc == 0)
		rc = history_file_begin(&f, e);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const size_t from = printed.len;
		struct history *rows = &in[i].rows;
		struct history_counts counts;
		size_t removed;

		rc = remove ? history_file_remove(&f, rows, &removed, e)
			    : history_file_add(&f, rows, paths[i], &counts, e);
		if (rc == 0 && remove)
			strbuf_printf(&printed, "%s: %zu of %zu run%s removed",
			    paths[i], removed, rows->n, plural_ending(rows->n));
		else if (rc == 0)
			print_added(&printed, paths[i], rows, &counts);
		/* Names may contain terminal escape sequences. */
		if (rc == 0 && printed.len > from)
			text_sanitise(printed.buf + from, "");
		strbuf_addch(&printed, '\n');
	}
	if (rc == 0)
		rc = history_file_commit(&f, e);
	if (rc == 0)
		fputs(printed.buf, stdout);
	if (open)
		history_file_close(&f);
	for (size_t i = 0; i < n; i++) {
		history_release(&in[i].rows);
		result_release(&in[i].result);
	}
	free(in);
	strbuf_release(&printed);
	return rc;
}

/* --- show, plot, when ----------------------------------------------------- */

static int
draw_trends(
    const struct history_ask *ask, struct series_set *points, struct error *e)
{
	static const char *const names[] = { "history" };
	const char *items[] = { names[0] };
	const struct opt_list asked = { items, 1, 1 };
	char *name = result_file_name(ask->path);
	struct draw_how how = { .charts = &asked,
		.chart = { .lang = ask->how->lang },
		.script = { .scale = 1,
		    .palette = palette_find(NULL),
		    .theme = theme_find(NULL) },
		.output = ask->output,
		.output_dir = "result",
		.name = name,
		.format = ask->format,
		.force = ask->force };
	int rc = draw_parse_size("800", NAN, &how, e);

	if (rc == 0)
		rc = draw_all(points, &how, e);
	free(name);
	return rc;
}

/* Arguments of write_trends. */
struct trend_parts {
	const struct history_ask *ask;
	int when;
	struct trend_set set;
	struct series_set points;
};

static int
write_trends(FILE *f, void *context, struct error *e)
{
	struct trend_parts *p = context;
	const struct history_ask *ask = p->ask;

	(void)e;
	if (p->when)
		history_when_write(&p->set, ask->path, ask->how->lang,
		    report_wants_json(ask->format, ask->output), f);
	else
		history_table_write(&p->set, &p->points, ask->how, f);
	return 0;
}

static int
answer_trends(const struct history_ask *ask, const char *verb, struct error *e)
{
	const struct trend_how how = { ask->select, ask->confidence };
	struct trend_parts parts = { .ask = ask,
		.when = strcmp(verb, "when") == 0 };
	struct history rows = HISTORY_INIT;
	struct history_file f;
	int rc;

	if (history_file_open(ask->path, HISTORY_READ, &f, e) != 0)
		return -1;
	if (f.upgraded_from > 0)
		fprintf(stderr,
		    "report_results: %s: version %d was brought to version "
		    "%d\n",
		    ask->path, f.upgraded_from, HISTORY_VERSION);
	rc = history_file_read(&f, ask->host, &rows, e);
	history_file_close(&f);
	if (rc == 0 && rows.n == 0)
		rc = error_set(e, ERROR_EMPTY, "%s: holds no run%s%s",
		    ask->path, ask->host != NULL ? " of host " : "",
		    ask->host != NULL ? ask->host : "");
	if (rc == 0)
		rc = trend_collect(&rows, &how, &parts.set, e);
	if (rc == 0) {
		trend_as_series(&parts.set, &parts.points);
		rc = strcmp(verb, "plot") == 0
		    ? draw_trends(ask, &parts.points, e)
		    : outfile_write(ask->output, write_trends, &parts, e);
		series_release(&parts.points);
		trend_release(&parts.set);
	}
	history_release(&rows);
	return rc;
}

/* --- the commands --------------------------------------------------------- */

/* The commands and their output formats. */
static const struct history_verb {
	const char *name;
	const char *formats;  /* of --format, separated by spaces */
	const char *suffixes; /* of --output; NULL: checked by draw_all */
} verbs[] = {
	{ "add", "", "" },
	{ "remove", "", "" },
	{ "show", "text markdown csv latex html", "txt md html htm csv tex" },
	{ "plot", "svg png pdf gp", NULL },
	{ "when", "text json", "txt json" },
};

static int
check_ask(const struct history_verb *v, const struct history_ask *ask,
    size_t n_operands, struct error *e)
{
	const int takes_results = v->formats[0] == '\0';

	if (takes_results && n_operands == 0)
		return error_set(e, ERROR_USAGE,
		    "--history: %s: missing operand: a result", v->name);
	if (!takes_results && n_operands > 0)
		return error_set(e, ERROR_USAGE,
		    "--history: %s takes no operand; results are added by "
		    "'add'",
		    v->name);
	if (ask->format != NULL && strstr(v->formats, ask->format) == NULL)
		return error_set(e, ERROR_USAGE,
		    "--format: --history=FILE %s does not write '%s'", v->name,
		    ask->format);
	if (ask->output == NULL)
		return 0;
	if (v->suffixes != NULL &&
	    outfile_check_suffix("--output", ask->output, v->suffixes, e) != 0)
		return -1;
	return outfile_spare(ask->output, &ask->path, 1, e);
}

int
history_command(const struct history_ask *ask, char *const *operands, size_t n,
    struct error *e)
{
	const struct history_verb *end = verbs + sizeof verbs / sizeof verbs[0];
	const char *name = n > 0 ? operands[0] : "";
	const struct history_verb *v = verbs;

	while (v < end && strcmp(v->name, name) != 0)
		v++;
	if (v == end)
		return error_set(e, ERROR_USAGE,
		    "--history: '%s' is not add, remove, show, plot or when",
		    name);
	if (check_ask(v, ask, n - 1, e) != 0)
		return -1;
	if (v->formats[0] == '\0')
		return change_all(ask, strcmp(v->name, "remove") == 0,
		    operands + 1, n - 1, e);
	return answer_trends(ask, v->name, e);
}
