/* Each column is a row here: its head, and what a case states in it.  Every
 * program that writes CSV calls this, so that no table can leave one out.  It
 * knows cases, and nothing of the tables that it ends. */
#include <config.h>

#include "common/result/measured_columns.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "common/json/json_write.h"
#include "common/strbuf.h"
#include "common/result/measured_text.h"

enum { MAX_TEXT = 1 << 16 };

static const char *
number_text(struct arena *a, double x)
{
	char text[JSON_DOUBLE_SIZE];

	return isfinite(x) ? arena_strdup(a, json_double(text, x)) : NULL;
}

static const char *
runs_text(struct arena *a, const struct measured_case *m)
{
	return m->c->n == RESULT_UNKNOWN ? NULL
					 : arena_printf(a, "%ld", m->c->n);
}

static const char *
median_level_text(struct arena *a, const struct measured_case *m)
{
	return number_text(a, m->c->median_level);
}

static const char *
baseline_text(struct arena *a, const struct measured_case *m)
{
	(void)a;
	return m->c->baseline;
}

static const char *
speedup_level_text(struct arena *a, const struct measured_case *m)
{
	return number_text(a, m->c->speedup_level);
}

static const char *
confidence_text(struct arena *a, const struct measured_case *m)
{
	return m->is_published ? NULL : number_text(a, m->options->confidence);
}

static const char *
rule_text(struct arena *a, const struct measured_case *m)
{
	(void)a;
	return m->rule != NULL ? m->rule : m->c->rule;
}

static const char *
plain_text(struct arena *a, const struct measured_case *m)
{
	const char *text =
	    measured_text(a, m->options, m->c->rule, LANGUAGE_EN);

	return text == NULL && m->is_published
	    ? message(MESSAGE_RULE_UNKNOWN, LANGUAGE_EN)
	    : text;
}

static const struct measured_column {
	const char *head;
	const char *(*text)(struct arena *a, const struct measured_case *m);
} measured_columns[] = {
	{ "n", runs_text },
	{ "median_level", median_level_text },
	{ "baseline", baseline_text },
	{ "speedup_level", speedup_level_text },
	{ "confidence", confidence_text },
	{ "rule", rule_text },
	{ "measured", plain_text },
};
enum { N_COLUMNS = sizeof measured_columns / sizeof measured_columns[0] };

static int
has_column(const struct table *t, const char *head)
{
	for (size_t k = 0; k < t->n_columns; k++)
		if (strcmp(t->columns[k].head, head) == 0)
			return 1;
	return 0;
}

void
measured_columns_add(struct table *t)
{
	for (int i = 0; i < N_COLUMNS; i++)
		if (!has_column(t, measured_columns[i].head))
			table_column(
			    t, measured_columns[i].head, NULL, TABLE_LEFT);
}

/* Is the text that of a case before? */
static int
is_repeated(const struct measured_column *column, struct arena *a,
    const struct measured_case *cases, size_t i, const char *text)
{
	for (size_t k = 0; k < i; k++) {
		const char *own = column->text(a, &cases[k]);

		if (own != NULL && strcmp(own, text) == 0)
			return 1;
	}
	return 0;
}

static void
put_measured_cell(struct table *t, const struct measured_column *column,
    const struct measured_case *cases, size_t n)
{
	struct arena a = ARENA_INIT;
	struct strbuf sb;

	strbuf_init(&sb, MAX_TEXT);
	for (size_t i = 0; i < n; i++) {
		const char *text = column->text(&a, &cases[i]);

		if (text == NULL || is_repeated(column, &a, cases, i, text))
			continue;
		strbuf_printf(&sb, "%s%s", sb.len > 0 ? "; " : "", text);
	}
	table_cell(t, sb.buf);
	strbuf_release(&sb);
	arena_release(&a);
}

void
measured_columns_fill(
    struct table *t, const struct measured_case *cases, size_t n)
{
	const struct table_row *row = &t->rows[t->n_rows - 1];

	while (row->n_cells < t->n_columns) {
		const char *head = t->columns[row->n_cells].head;
		int i = 0;

		while (i < N_COLUMNS &&
		    strcmp(measured_columns[i].head, head) != 0)
			i++;
		assert(i < N_COLUMNS);
		put_measured_cell(t, &measured_columns[i], cases, n);
	}
}
