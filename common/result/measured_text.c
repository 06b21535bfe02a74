/* How a number was measured: a sentence whose parts are messages, so that each
 * language orders them in its own way, and the columns of CSV. */
#include <config.h>

#include "common/result/measured_text.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "common/json/json_write.h"
#include "common/result/case_text.h"
#include "common/strbuf.h"
#include "common/units/units.h"

enum { MAX_TEXT = 1 << 16 };

/* The message with its '@' replaced by one or two texts; last may be NULL. */
static const char *
filled_message(struct arena *a, enum message m, enum language lang,
    const char *first, const char *last)
{
	const char *const list[] = { first, last, NULL };
	struct strbuf sb;
	const char *text;

	strbuf_init(&sb, MAX_TEXT);
	message_fill(&sb, m, lang, list);
	text = arena_strdup(a, sb.buf);
	strbuf_release(&sb);
	return text;
}

/* All iterations from one on. */
static const char *
open_end(struct arena *a, long first, enum language lang)
{
	return filled_message(a, MESSAGE_ITERATIONS_FROM, lang,
	    arena_printf(a, "%ld", first), NULL);
}

/* a + b + c, where only c may be negative, at most LONG_MAX: a result from
 * elsewhere may state any. */
static long
add_bounded(long a, long b, long c)
{
	b = b > LONG_MAX - a ? LONG_MAX : a + b;
	return c < 0 || c <= LONG_MAX - b ? b + c : LONG_MAX;
}

/* Positions W0 to W1 - 1. */
static const char *
window_text(struct arena *a, const struct result_rule *rule, enum language lang)
{
	const long skip = rule->skip_iterations, warmup = rule->warmup_batches;
	const long first =
	    add_bounded(skip, warmup != RESULT_UNKNOWN ? warmup : 0, 0);

	if (rule->train_batches == RESULT_UNKNOWN)
		return open_end(a, first, lang);
	return filled_message(a, MESSAGE_ITERATIONS, lang,
	    arena_printf(a, "%ld", first),
	    arena_printf(a, "%ld", add_bounded(skip, rule->train_batches, -1)));
}

/* Add of which epoch.  "auto" picks the first for a window, and all where every
 * record counts, which is what that rule's own words state. */
static const char *
add_epoch(struct arena *a, const char *text, const char *epoch, int is_window,
    enum language lang)
{
	if (epoch == NULL)
		return text;
	if (strcmp(epoch, "auto") == 0)
		return is_window ? filled_message(a, MESSAGE_OF_FIRST_EPOCH,
				       lang, text, NULL)
				 : text;
	if (strcmp(epoch, "all") == 0)
		return filled_message(
		    a, MESSAGE_OF_ALL_EPOCHS, lang, text, NULL);
	return filled_message(a, MESSAGE_OF_EPOCH, lang, text, epoch);
}

static const char *
add_aggregate(
    struct arena *a, const char *text, const char *by, enum language lang)
{
	static const struct {
		const char *name;
		enum message m;
	} known[] = { { "time", MESSAGE_BY_TIME }, { "mean", MESSAGE_BY_MEAN },
		{ "median", MESSAGE_BY_MEDIAN } };

	for (size_t i = 0; by != NULL && i < sizeof known / sizeof known[0];
	     i++)
		if (strcmp(by, known[i].name) == 0)
			return filled_message(a, known[i].m, lang, text, NULL);
	return text;
}

const char *
measured_text(struct arena *a, const struct result_rule *rule, const char *name,
    enum language lang)
{
	const char *text;
	int is_window;

	if (name == NULL)
		name = rule->rule;
	if (name == NULL)
		return NULL;
	if (strcmp(name, "summary") == 0)
		return message(MESSAGE_BY_SUMMARY, lang);
	is_window = strcmp(name, "window") == 0;
	if (is_window && rule->skip_iterations != RESULT_UNKNOWN)
		text = window_text(a, rule, lang);
	else if (strcmp(name, "all") == 0)
		text = open_end(a,
		    rule->from_iteration != RESULT_UNKNOWN
			? rule->from_iteration
			: 0,
		    lang);
	else /* published with the rule's name alone, or a rule of others */
		return filled_message(a, MESSAGE_RULE_NAMED, lang, name, NULL);
	text = add_epoch(a, text, rule->epoch, is_window, lang);
	return add_aggregate(a, text, rule->aggregate, lang);
}

const char *
within_run_text(
    struct arena *a, const struct result_case *c, enum language lang)
{
	char half[UNITS_TEXT_SIZE];
	const double width = case_within_run(c);

	if (isnan(width))
		return NULL;
	return filled_message(a, MESSAGE_WITHIN, lang,
	    percent_format(half, width, width < 0.0995 ? 2 : 0), NULL);
}

/* --- columns -------------------------------------------------------------- */

enum measured_column {
	COLUMN_RUNS,
	COLUMN_MEDIAN_LEVEL,
	COLUMN_BASELINE,
	COLUMN_SPEEDUP_LEVEL,
	COLUMN_CONFIDENCE,
	COLUMN_RULE,
	COLUMN_MEASURED,
	N_COLUMNS
};

static const char *const heads[N_COLUMNS] = { "n", "median_level", "baseline",
	"speedup_level", "confidence", "rule", "measured" };

static const char *
number_text(struct arena *a, double x)
{
	char text[JSON_DOUBLE_SIZE];

	return isfinite(x) ? arena_strdup(a, json_double(text, x)) : NULL;
}

/* What a case states in a column, or NULL. */
static const char *
column_text(
    struct arena *a, const struct measured_case *m, enum measured_column column)
{
	const char *text;

	switch (column) {
	case COLUMN_RUNS:
		return m->c->n == RESULT_UNKNOWN
		    ? NULL
		    : arena_printf(a, "%ld", m->c->n);
	case COLUMN_MEDIAN_LEVEL:
		return number_text(a, m->c->median_level);
	case COLUMN_BASELINE:
		return m->c->baseline;
	case COLUMN_SPEEDUP_LEVEL:
		return number_text(a, m->c->speedup_level);
	case COLUMN_CONFIDENCE:
		return m->is_published ? NULL
				       : number_text(a, m->options->confidence);
	case COLUMN_RULE:
		return m->rule != NULL ? m->rule : m->c->rule;
	default:
		text = measured_text(a, m->options, m->c->rule, LANGUAGE_EN);
		return text == NULL && m->is_published
		    ? message(MESSAGE_RULE_UNKNOWN, LANGUAGE_EN)
		    : text;
	}
}

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
		if (!has_column(t, heads[i]))
			table_column(t, heads[i], NULL, TABLE_LEFT);
}

/* Is the text that of a case before? */
static int
is_repeated(enum measured_column column, struct arena *a,
    const struct measured_case *cases, size_t i, const char *text)
{
	for (size_t k = 0; k < i; k++) {
		const char *own = column_text(a, &cases[k], column);

		if (own != NULL && strcmp(own, text) == 0)
			return 1;
	}
	return 0;
}

static void
put_measured_cell(struct table *t, enum measured_column column,
    const struct measured_case *cases, size_t n)
{
	struct arena a = ARENA_INIT;
	struct strbuf sb;

	strbuf_init(&sb, MAX_TEXT);
	for (size_t i = 0; i < n; i++) {
		const char *text = column_text(&a, &cases[i], column);

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

		while (i < N_COLUMNS && strcmp(heads[i], head) != 0)
			i++;
		assert(i < N_COLUMNS);
		put_measured_cell(t, (enum measured_column)i, cases, n);
	}
}
