/* The live table of --follow on a terminal; follow calls it.  It looks at jobs
 * that were measured and knows no log. */
#include <config.h>

#include "extract/follow_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/table/table.h"
#include "common/text.h"
#include "common/units/units.h"
#include "common/utf8.h"

enum {
	COLUMNS = 80, /* where the width is unknown */
	LINES = 24,
	MIN_PATH = 12,  /* columns; narrower terminals break lines */
	BETWEEN = 2,    /* columns between two of the table */
	OTHER_LINES = 6 /* head, note, and where the cursor is left */
};

static int
from_environment(const char *name, int otherwise)
{
	const char *text = getenv(name);
	long n;

	return text != NULL && parse_long(text, 1, 10000, &n) == 0 ? (int)n
								   : otherwise;
}

void
follow_table_size(int *columns, int *lines)
{
	struct winsize size = { 0 };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
		size.ws_col = size.ws_row = 0;
	*columns = from_environment(
	    "COLUMNS", size.ws_col > 0 ? size.ws_col : COLUMNS);
	*lines =
	    from_environment("LINES", size.ws_row > 0 ? size.ws_row : LINES);
}

static int
is_done(const struct run_job *job)
{
	return job->live.known && job->live.total <= job->live.done;
}

/* The unit of all speeds, or NULL if they differ. */
static const char *
common_unit(const struct run_job *jobs, size_t n)
{
	const char *unit = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct progress *live = &jobs[i].live;

		if (!live->known || isnan(live->speed))
			continue;
		if (unit != NULL && strcmp(unit, live->unit) != 0)
			return NULL;
		unit = live->unit;
	}
	return unit;
}

static void
add_figures(struct table *t, const struct run_job *job, const char *unit)
{
	const struct progress *live = &job->live;
	const double left = live->step_s * (double)(live->total - live->done);
	char text[UNITS_TEXT_SIZE];

	if (isnan(live->speed))
		table_cellf(t, "%.4g s each", live->step_s);
	else if (unit != NULL)
		table_cellf(t, "%.2f", live->speed);
	else
		table_cellf(t, "%.2f %s", live->speed, live->unit);
	if (live->settled_at == RESULT_UNKNOWN)
		table_cell(t, "not yet");
	else
		table_cellf(t, "from %ld", live->settled_at);
	if (is_done(job))
		table_cellf(t, "%ld", live->done);
	else
		table_cellf(t, "%ld of %ld", live->done, live->total);
	if (is_done(job))
		table_cell(t, "done");
	else
		table_cell(t, isnan(left) ? "?" : seconds_format(text, left));
	table_cell(t, job->counts ? "yes" : "no");
}

static void
make_table(struct table *t, const struct run_job *jobs, size_t n,
    size_t n_operands, int lines)
{
	const char *unit = common_unit(jobs, n);
	const size_t room =
	    lines > OTHER_LINES ? (size_t)(lines - OTHER_LINES) : 1;
	const int all = n <= room;
	size_t shown = 0;

	table_init(t);
	table_column(t, "run", NULL, TABLE_LEFT);
	table_column(t, "speed", unit, unit ? TABLE_RIGHT : TABLE_LEFT);
	table_column(t, "settled", NULL, TABLE_LEFT);
	table_column(t, "iterations", NULL, TABLE_RIGHT);
	table_column(t, "left", NULL, TABLE_RIGHT);
	table_column(t, "counts", NULL, TABLE_LEFT);
	for (size_t i = 0; i < n && shown < room; i++) {
		if (!all && is_done(&jobs[i]))
			continue;
		table_row(t);
		table_cell(t, run_job_title(&jobs[i], n_operands, &t->arena));
		if (jobs[i].live.known)
			add_figures(t, &jobs[i], unit);
		else
			table_cell(t, "-");
		shown++;
	}
	if (shown < n)
		table_note(t, "%zu more runs.", n - shown);
}

/* Columns of a terminal that the column takes. */
static size_t
column_width(const struct table *t, size_t column)
{
	const char *head = t->columns[column].head;
	const char *unit = t->columns[column].unit;
	size_t width = utf8_width(head, strlen(head));

	if (unit != NULL && strlen(unit) + 2 > width)
		width = strlen(unit) + 2; /* in brackets below the head */
	for (size_t i = 0; i < t->n_rows; i++) {
		const char *text = t->rows[i].n_cells > column
		    ? t->rows[i].cells[column].text
		    : "";
		const size_t n = utf8_width(text, strlen(text));

		width = n > width ? n : width;
	}
	return width;
}

/* Leave the middle of a path out, so that it takes so many columns. */
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

void
follow_table_show(const struct run_job_list *jobs, size_t n_operands,
    int columns, int lines, FILE *f)
{
	struct table t;
	size_t others = 0;

	make_table(&t, jobs->items, jobs->n, n_operands, lines);
	for (size_t i = 1; i < t.n_columns; i++)
		others += BETWEEN + column_width(&t, i);
	for (size_t i = 0; i < t.n_rows; i++)
		cut_path(&t, &t.rows[i].cells[0],
		    (size_t)columns > others + MIN_PATH
			? (size_t)columns - others
			: MIN_PATH);
	table_write(&t, &table_text, TABLE_COLOUR_OFF, f);
	table_release(&t);
}
