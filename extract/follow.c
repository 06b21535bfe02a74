#include <config.h>

#include "extract/modes.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/process.h"
#include "common/program/options.h"
#include "common/table/table.h"
#include "common/terminal.h"
#include "common/text.h"
#include "common/texts/remark.h"
#include "common/units/units.h"
#include "extract/job/extraction.h"
#include "extract/measure/measure_run.h"
#include "extract/scan/scan_file.h"

enum {
	MAX_TEXT = 1 << 24,
	MIN_PATH = 12,            /* columns; narrower terminals break lines */
	BETWEEN = 2,              /* gap between columns of the table */
	OTHER_LINES = 6,          /* head, note, and the line of the cursor */
	FOLLOW_SILENT_STEPS = 10, /* steps without output that end a run, */
	FOLLOW_SILENT_LINES = 2,  /* or the steps of these lines, if more */
	FOLLOW_SILENT_S = 60      /* seconds, if a step's time is unknown */
};

static volatile sig_atomic_t asked_to_end;

static void
ask_to_end(int signal_number)
{
	(void)signal_number;
	asked_to_end = 1;
}

/* A run that was seen. */
struct follow_run {
	char *title;    /* run_job_title */
	char *line;     /* text printed for it */
	int64_t bytes;  /* size of its files at the last check */
	double changed; /* when that size changed, by seconds_now */
	char *end;      /* why it seems to have ended; NULL: it has not */
	int there;      /* 1: the last check found it */
};

struct follower {
	const struct settings *s;
	const char *const *operands;
	size_t n_operands;
	const char *path;
	struct extraction *x; /* of the last look; formats persist */
	char *seen;           /* names, sizes and times of the files */
	char *written;        /* runs in the result: paths and values */
	struct follow_run *runs;
	size_t n_runs, alloc_runs;
	int tty;
};

/* List names, sizes and times of all files; NULL with e filled if an operand
 * cannot be read. */
static char *
look_for_logs(const struct follower *f, struct error *e)
{
	struct file_list list;
	struct strbuf sb;
	char *text = NULL;
	size_t i;
	int ok = 1;

	file_list_init(&list);
	for (i = 0; ok && i < f->s->log_dirs.n; i++)
		ok = file_list_add(&list, f->s->log_dirs.items[i], e) == 0;
	for (i = 0; ok && i < f->n_operands; i++)
		ok = file_list_add(&list, f->operands[i], e) == 0;
	strbuf_init(&sb, MAX_TEXT);
	for (i = 0; ok && i < list.n_files; i++) {
		struct stat st = { 0 };

		if (stat(list.files[i].path, &st) == 0)
			strbuf_printf(&sb, "%s %lld %lld.%ld\n",
			    list.files[i].path, (long long)st.st_size,
			    (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	}
	if (ok)
		text = xstrdup(sb.buf);
	strbuf_release(&sb);
	file_list_release(&list);
	return text;
}

/* --- the table on a terminal -------------------------------------------- */

/* Add the cells of a run after its title.
 *
 * unit  of the column of speeds; NULL: each cell has its own
 * end   why it ended, or NULL */
static void
put_progress(struct table *t, const struct run_job *job, const char *unit,
    const char *end)
{
	const struct progress *live = &job->live;
	const double left = live->step_s * (double)(live->total - live->done);
	char text[UNITS_TEXT_SIZE];

	if (!live->known) {
		table_cell(t, end != NULL ? end : "-");
		return;
	}
	if (isnan(live->speed))
		table_cellf(t, "%.4g s each", live->step_s);
	else
		table_cellf(t, "%.2f%s%s", live->speed, unit != NULL ? "" : " ",
		    unit != NULL ? "" : live->unit);
	if (live->settled_at == RESULT_UNKNOWN)
		table_cell(t, "not yet");
	else
		table_cellf(t, "from %ld", live->settled_at);
	if (live->finished || live->total == 0)
		table_cellf(t, "%ld", live->done);
	else
		table_cellf(t, "%ld of %ld", live->done, live->total);
	table_cell(t,
	    end != NULL                           ? "ended"
		: live->finished                  ? "done"
		: live->total == 0 || isnan(left) ? "?"
						  : seconds_format(text, left));
	table_cell(t, job->counts ? "yes" : "no");
}

/* Width of a column on the terminal. */
static size_t
column_width(const struct table *t, size_t column)
{
	const char *head = t->columns[column].head;
	const char *unit = t->columns[column].unit;
	size_t width = utf8_width(head, strlen(head));

	if (unit != NULL && strlen(unit) + 2 > width)
		width = strlen(unit) + 2; /* shown as [unit] below head */
	for (size_t i = 0; i < t->n_rows; i++) {
		const char *text = t->rows[i].n_cells > column
		    ? t->rows[i].cells[column].text
		    : "";
		const size_t n = utf8_width(text, strlen(text));

		width = n > width ? n : width;
	}
	return width;
}

/* Shorten a path to the given width by leaving out its middle. */
static void
cut_path(struct table *t, struct table_cell *cell, size_t columns)
{
	const char *end = cell->text;
	const size_t front = (columns - 3) / 2;
	size_t len = 0;
	uint32_t cp;

	if (utf8_width(end, strlen(end)) <= columns)
		return;
	while (utf8_width(cell->text, len) < front)
		len += utf8_decode(cell->text + len, strlen(end) - len, &cp);
	while (utf8_width(end, strlen(end)) > columns - 3 - front)
		end += utf8_decode(end, strlen(end), &cp);
	cell->text =
	    arena_printf(&t->arena, "%.*s...%s", (int)len, cell->text, end);
}

/* --- lines ---------------------------------------------------------------- */

/* Format a run as "128.00 samples/s, not settled, 60 of 5004, 720 s left,
 * ...".
 *
 * end  why it ended, or NULL */
static void
describe_run(const struct run_job *job, const char *end, enum language lang,
    struct strbuf *sb)
{
	const struct progress *live = &job->live;
	const double left = live->step_s * (double)(live->total - live->done);

	strbuf_reset(sb);
	if (!live->known)
		strbuf_addstr(
		    sb, in_language(lang, "no iteration yet", "尚无迭代"));
	else if (isnan(live->speed))
		strbuf_printf(sb,
		    in_language(
			lang, "%.4g s an iteration", "每次迭代 %.4g 秒"),
		    live->step_s);
	else
		strbuf_printf(sb, "%.2f %s", live->speed, live->unit);
	if (live->known && live->settled_at == RESULT_UNKNOWN)
		strbuf_addstr(
		    sb, in_language(lang, ", not settled", ", 未稳定"));
	else if (live->known)
		strbuf_printf(sb,
		    in_language(
			lang, ", settled from %ld on", ", 自第 %ld 次起稳定"),
		    live->settled_at);
	if (live->known && live->finished)
		strbuf_printf(sb, in_language(lang, ", %ld done", ", %ld 完成"),
		    live->done);
	else if (live->known && live->total == 0)
		strbuf_printf(sb,
		    in_language(lang, ", %ld so far", ", 已有 %ld"),
		    live->done);
	else if (live->known)
		strbuf_printf(sb,
		    in_language(lang, ", %ld of %ld", ", %ld / %ld"),
		    live->done, live->total);
	if (end != NULL)
		strbuf_printf(sb, ", %s", end);
	else if (live->total > live->done && !live->finished && !isnan(left))
		strbuf_printf(sb,
		    in_language(lang, ", %.0f s left", ", 剩余 %.0f 秒"), left);
	if (live->known && job->counts)
		strbuf_addstr(
		    sb, in_language(lang, ", in the result", ", 已计入结果"));
	else if (live->known && end != NULL)
		strbuf_addstr(sb,
		    in_language(lang, ", not in the result", ", 未计入结果"));
	else if (live->known)
		strbuf_addstr(sb,
		    in_language(
			lang, ", not in the result yet", ", 尚未计入结果"));
}

/* Print the line if it has changed. */
static void
print_change(struct follow_run *run, const char *line)
{
	if (strcmp(run->line, line) == 0)
		return;
	printf("%s: %s\n", run->title, line);
	free(run->line);
	run->line = xstrdup(line);
}

/* Note how the run ended: as its log says, or because it has been silent for
 * FOLLOW_SILENT_STEPS steps or FOLLOW_SILENT_LINES lines, whichever is longer.
 * A failure message that is followed by steps counts once the run is silent. */
static void
look_at_run(
    const struct follower *f, const struct run_job *job, struct follow_run *run)
{
	const enum language lang = language_find(NULL);
	const struct progress *live = &job->live;
	const double now = seconds_now();
	const long steps =
	    live->spacing * FOLLOW_SILENT_LINES < FOLLOW_SILENT_STEPS
	    ? FOLLOW_SILENT_STEPS
	    : live->spacing * FOLLOW_SILENT_LINES;
	const int by_steps = live->known && !isnan(live->step_s);
	const double patience = by_steps
	    ? fmax((double)steps * live->step_s, f->s->interval)
	    : FOLLOW_SILENT_S;
	struct arena a = ARENA_INIT;
	const char *end = NULL;
	double since = INFINITY; /* seconds since a file was written */
	int64_t bytes = 0;       /* of all files */
	struct stat st;

	for (size_t i = 0; i < job->n_files; i++)
		if (stat(job->files[i]->path, &st) == 0) {
			bytes += st.st_size;
			since = fmin(since, difftime(time(NULL), st.st_mtime));
		}
	if (bytes != run->bytes)
		run->changed = run->bytes < 0 ? now - fmax(since, 0) : now;
	run->bytes = bytes;
	if (job->ended ||
	    (job->failure != NULL && now - run->changed > patience))
		end = job->failure;
	else if (!live->finished && now - run->changed >= patience)
		end = by_steps
		    ? arena_printf(&a,
			  in_language(lang, "silent for more than %ld steps",
			      "超过 %ld 步无输出"),
			  steps)
		    : arena_printf(&a,
			  in_language(lang, "silent for %d s", "%d 秒无输出"),
			  FOLLOW_SILENT_S);
	free(run->end);
	run->end = end != NULL ? xstrdup(end) : NULL;
	arena_release(&a);
}

/* Print the table of the runs.
 *
 * places  [jobs.n] of the jobs' runs in f->runs */
static void
print_table(
    const struct follower *f, const struct extraction *x, const size_t *places)
{
	const struct run_job *jobs = x->jobs.items;
	const struct follow_run *runs = f->runs;
	const size_t n = x->jobs.n;
	struct table t = TABLE_INIT;
	const char *unit = NULL; /* of all speeds; NULL: they differ */
	int columns, lines, differ = 0;
	size_t room, shown = 0;

	terminal_size(&columns, &lines);
	room = lines > OTHER_LINES ? (size_t)(lines - OTHER_LINES) : 1;
	for (size_t i = 0; i < n; i++) {
		const struct progress *live = &jobs[i].live;

		if (!live->known || isnan(live->speed))
			continue;
		differ |= unit != NULL && strcmp(unit, live->unit) != 0;
		unit = live->unit;
	}
	unit = differ ? NULL : unit;
	table_column(&t, "run", NULL, TABLE_LEFT);
	table_column(&t, "speed", unit, unit ? TABLE_RIGHT : TABLE_LEFT);
	table_column(&t, "settled", NULL, TABLE_LEFT);
	table_column(&t, "iterations", NULL, TABLE_RIGHT);
	table_column(&t, "left", NULL, TABLE_RIGHT);
	table_column(&t, "counts", NULL, TABLE_LEFT);
	for (size_t i = 0; i < n && shown < room; i++) {
		if (n > room && jobs[i].live.finished)
			continue;
		table_row(&t);
		table_cell(&t, runs[places[i]].title);
		put_progress(&t, &jobs[i], unit, runs[places[i]].end);
		shown++;
	}
	if (shown < n)
		table_note(&t, "%zu more runs.", n - shown);
	for (size_t i = 0; i < n; i++)
		if (runs[places[i]].end != NULL && jobs[i].live.known)
			table_note(&t, "%s: %s", runs[places[i]].title,
			    runs[places[i]].end);
	fputs("\033[H\033[J", terminal_raw());
	for (size_t i = 1; i < t.n_columns; i++)
		columns -= BETWEEN + (int)column_width(&t, i);
	for (size_t i = 0; i < t.n_rows; i++)
		cut_path(&t, &t.rows[i].cells[0],
		    (size_t)(columns > MIN_PATH ? columns : MIN_PATH));
	table_write(&t, 1, &table_text, TABLE_COLOUR_OFF, terminal_raw());
	table_release(&t);
}

static void
tell_all(struct follower *f, const struct extraction *x)
{
	size_t *places = xcalloc(x->jobs.n + 1, sizeof *places);
	const enum language lang = language_find(NULL);
	struct arena titles = ARENA_INIT;
	struct strbuf sb;

	for (size_t i = 0; i < f->n_runs; i++)
		f->runs[i].there = 0;
	/* Find the run of each job by its title, or add it. */
	for (size_t i = 0; i < x->jobs.n; i++) {
		const struct run_job *job = &x->jobs.items[i];
		const char *title =
		    run_job_title(job, x->files.n_operands, &titles);
		size_t at = 0;

		while (at < f->n_runs && strcmp(f->runs[at].title, title) != 0)
			at++;
		if (at == f->n_runs) {
			f->runs = vec_grow(f->runs, f->n_runs++, &f->alloc_runs,
			    sizeof *f->runs);
			f->runs[at] =
			    (struct follow_run){ .title = xstrdup(title),
				    .line = xstrdup(""),
				    .bytes = -1 };
		}
		look_at_run(f, job, &f->runs[at]);
		f->runs[at].there = 1;
		places[i] = at;
	}
	if (f->tty)
		print_table(f, x, places);
	strbuf_init(&sb, MAX_TEXT);
	for (size_t i = 0; i < x->jobs.n && !f->tty; i++) {
		describe_run(
		    &x->jobs.items[i], f->runs[places[i]].end, lang, &sb);
		print_change(&f->runs[places[i]], sb.buf);
	}
	for (size_t i = 0; i < f->n_runs && !f->tty; i++)
		if (!f->runs[i].there)
			print_change(
			    &f->runs[i], in_language(lang, "gone", "已消失"));
	strbuf_release(&sb);
	free(places);
	arena_release(&titles);
}

/* Read changed logs, and write the result if it changed, or at the end. */
static int
read_all(struct follower *f, int last, struct error *e)
{
	struct extraction *x = f->x;
	const struct result *r = &x->result;
	struct error ignored = ERROR_INIT;
	struct strbuf runs; /* paths and values of those in the result */
	int outcome = 0;

	extraction_clear(x);
	if (last)
		x->tails->end = 1;
	/* Ignore errors: a vanished file is noticed at the next look. */
	if (extraction_run(x, f->operands, f->n_operands, &ignored) == 0) {
		strbuf_init(&runs, MAX_TEXT);
		for (size_t i = 0; i < r->n_cases; i++)
			for (size_t j = 0; j < r->cases[i].n_runs; j++)
				strbuf_printf(&runs, "%s %.17g\n",
				    r->cases[i].runs[j].path,
				    r->cases[i].runs[j].value);
		if (last || f->written == NULL ||
		    strcmp(runs.buf, f->written) != 0)
			outcome = extraction_write(x, f->path, e);
		free(f->written);
		f->written = strbuf_detach(&runs);
	}
	tell_all(f, x);
	file_follow_sweep(x->tails);
	return outcome != 0 ? outcome : stdout_finish(e);
}

/* --- watching ------------------------------------------------------------- */

static int
watch_runs(struct follower *f, struct error *e)
{
	const double end = seconds_now() + f->s->timeout;
	struct timespec t;
	double left, begun, wait;

	while (!asked_to_end && (f->s->timeout <= 0 || seconds_now() < end)) {
		char *seen = look_for_logs(f, e);

		begun = seconds_now();
		if (seen == NULL)
			return -1;
		if (f->seen == NULL || strcmp(seen, f->seen) != 0) {
			free(f->seen);
			f->seen = seen;
			if (read_all(f, 0, e) != 0)
				return -1;
		} else {
			free(seen);
			tell_all(f, f->x);
			if (stdout_finish(e) != 0)
				return -1;
		}
		/* Spend at most a fifth of the time on reading logs again. */
		wait = fmax(f->s->interval, 4 * (seconds_now() - begun));
		left = end - seconds_now();
		if (f->s->timeout > 0 && left < wait)
			wait = left;
		t = (struct timespec){ (time_t)wait,
			(long)((wait - floor(wait)) * 1e9) };
		/* A signal ends the sleep early. */
		if (wait > 0 && !asked_to_end)
			nanosleep(&t, NULL);
	}
	if (read_all(f, 1, e) != 0)
		return -1;
	if (f->s->verbose)
		fprintf(stderr, "extract_logs: read %lld bytes of logs\n",
		    (long long)f->x->tails->bytes);
	if (f->written == NULL)
		return error_set(
		    e, ERROR_EMPTY, "no run was long enough for the result");
	return 0;
}

int
follow(struct extraction *x, const char *const *operands, size_t n,
    const char *path, struct error *e)
{
	struct follower f = { .s = x->settings,
		.x = x,
		.operands = operands,
		.n_operands = n,
		.path = path,
		.tty = isatty(STDOUT_FILENO) };
	struct sigaction action = { .sa_handler = ask_to_end };
	int outcome;
	size_t i;

	for (i = 0; i < n; i++)
		if (earlier_result_is(operands[i]))
			return error_set(e, ERROR_USAGE,
			    "--follow cannot be used with a result such as "
			    "'%s'",
			    operands[i]);
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (x->settings->output == NULL &&
	    make_folders(x->settings->output_dir, e) != 0)
		return -1;
	x->tails = file_follow_new();
	outcome = watch_runs(&f, e);
	file_follow_free(x->tails);
	for (i = 0; i < f.n_runs; i++) {
		free(f.runs[i].title);
		free(f.runs[i].line);
		free(f.runs[i].end);
	}
	free(f.runs);
	free(f.seen);
	free(f.written);
	return outcome;
}
