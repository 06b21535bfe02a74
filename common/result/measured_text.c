/* Measurement rule as a sentence and as CSV columns. The parts of the sentence
 * are messages with placeholders, since word order depends on the language. */
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

/* Replace the '@' of a message by one or two texts; last may be NULL. */
static const char *
filled_message(struct arena *a, enum message m, enum language lang,
    const char *first, const char *last)
{
	const char *const list[] = { first, last, NULL };
	struct strbuf sb;

	strbuf_init(&sb, MAX_TEXT);
	message_fill(&sb, m, lang, list);
	return strbuf_finish(&sb, a);
}

/* Text for all iterations from first on. */
static const char *
open_end(struct arena *a, long first, enum language lang)
{
	return filled_message(a, MESSAGE_ITERATIONS_FROM, lang,
	    arena_printf(a, "%ld", first), NULL);
}

/* a + b + c with saturation at LONG_MAX; only c may be negative. A result of
 * another program may hold any values. */
static long
add_bounded(long a, long b, long c)
{
	b = b > LONG_MAX - a ? LONG_MAX : a + b;
	return c < 0 || c <= LONG_MAX - b ? b + c : LONG_MAX;
}

/* Text for the positions W0 to W1 - 1. */
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

/* Add the epoch. "auto" is the first epoch for a window, and all epochs for
 * rule "all", whose text implies that. */
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
	else /* published without options, or another rule */
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

static const char *const heads[] = { "n", "median_level", "baseline",
	"speedup_level", "confidence", "rule", "measured" };

enum { N_HEADS = sizeof heads / sizeof heads[0] };

/* Text of a case in this column, or NULL. */
static const char *
column_text(struct arena *a, const struct measured_case *m, const char *head)
{
	char number[JSON_DOUBLE_SIZE];
	const char *text;
	double x = NAN;

	if (strcmp(head, "n") == 0)
		return m->c->n == RESULT_UNKNOWN
		    ? NULL
		    : arena_printf(a, "%ld", m->c->n);
	if (strcmp(head, "baseline") == 0)
		return m->c->baseline;
	if (strcmp(head, "rule") == 0)
		return m->rule != NULL ? m->rule : m->c->rule;
	if (strcmp(head, "measured") == 0) {
		text = measured_text(a, m->options, m->c->rule, LANGUAGE_EN);
		return text == NULL && m->is_published
		    ? message(MESSAGE_RULE_UNKNOWN, LANGUAGE_EN)
		    : text;
	}
	if (strcmp(head, "median_level") == 0)
		x = m->c->median_level;
	else if (strcmp(head, "speedup_level") == 0)
		x = m->c->speedup_level;
	else if (!m->is_published)
		x = m->options->confidence;
	return isfinite(x) ? arena_strdup(a, json_double(number, x)) : NULL;
}

static int
is_among(const char *text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] != NULL && strcmp(list[i], text) == 0)
			return 1;
	return 0;
}

void
measured_columns_add(struct table *t)
{
	for (int i = 0; i < N_HEADS; i++) {
		size_t k = 0;

		while (k < t->n_columns &&
		    strcmp(t->columns[k].head, heads[i]) != 0)
			k++;
		if (k == t->n_columns)
			table_column(t, heads[i], NULL, TABLE_LEFT);
	}
}

void
measured_columns_fill(
    struct table *t, const struct measured_case *cases, size_t n)
{
	const struct table_row *row = &t->rows[t->n_rows - 1];
	struct arena a = ARENA_INIT;
	const char **texts = arena_calloc(&a, n + 1, sizeof *texts);
	struct strbuf sb;

	strbuf_init(&sb, MAX_TEXT);
	while (row->n_cells < t->n_columns) {
		const char *head = t->columns[row->n_cells].head;

		assert(is_among(head, heads, N_HEADS));
		strbuf_reset(&sb);
		for (size_t i = 0; i < n; i++) {
			texts[i] = column_text(&a, &cases[i], head);
			if (texts[i] != NULL && !is_among(texts[i], texts, i))
				strbuf_printf(&sb, "%s%s",
				    sb.len > 0 ? "; " : "", texts[i]);
		}
		table_cell(t, sb.buf);
	}
	strbuf_release(&sb);
	arena_release(&a);
}
