#include <config.h>

#include "common/result/case_text.h"

#include <math.h>
#include <string.h>

#include "common/hash_index.h"
#include "common/json/json_write.h"
#include "common/text.h"

/* --- one run -------------------------------------------------------------- */

double
case_within_run(const struct result_case *c)
{
	double half;

	if (c->n != 1 || c->n_runs != 1)
		return NAN;
	half = c->runs[0].audit.half_width;
	/* If the rounding error is larger, it is the interval of the median. */
	return c->median_high - c->median_low > 2 * half * c->median_speed
	    ? NAN
	    : half;
}

/* --- excluded runs -------------------------------------------------------- */

/* A sentence on why a run is excluded, and the hint. */
static const char *
with_hint(const struct result_excluded *x, const char *why, enum language lang,
    struct arena *a)
{
	return x->hint.code == REMARK_NONE
	    ? why
	    : arena_printf(a, "%s%s%s", why, message(MESSAGE_SEMICOLON, lang),
		  remark_text(&x->hint, lang, a));
}

const char *
excluded_text(
    const struct result_excluded *x, enum language lang, struct arena *a)
{
	return with_hint(x, remark_text(&x->why, lang, a), lang, a);
}

struct excluded_group *
excluded_groups(
    const struct result *r, enum language lang, struct arena *a, size_t *n)
{
	struct excluded_group *groups =
	    arena_calloc(a, r->n_excluded, sizeof *groups);
	const char **words = arena_calloc(a, r->n_excluded, sizeof *words);
	struct hash_index by_words = HASH_INDEX_INIT;

	*n = 0;
	for (size_t i = 0; i < r->n_excluded; i++) {
		const struct result_excluded *x = &r->excluded[i];
		const char *place = remark_place(&x->why, a);
		size_t g;

		words[*n] =
		    with_hint(x, remark_rest(&x->why, lang, a), lang, a);
		g = hash_index_first(&by_words, words, *n);
		if (g == *n)
			groups[(*n)++] = (struct excluded_group){ x->reason,
				place != NULL ? place : x->path, words[g], 0 };
		groups[g].n++;
	}
	for (size_t g = 0; g < *n; g++)
		if (groups[g].n > 1)
			groups[g].place = message_with(a, MESSAGE_AND_MORE,
			    lang, groups[g].place,
			    arena_printf(a, "%zu", groups[g].n - 1));
	hash_index_release(&by_words);
	return groups;
}

/* --- measurement rule ----------------------------------------------------- */

/* 0 if unknown. A double cannot overflow: a result of another program may hold
 * any values. */
static double
count_or_zero(long x)
{
	return x != RESULT_UNKNOWN ? (double)x : 0;
}

static const char *
rule_words(struct arena *a, const struct result_rule *rule, const char *name,
    enum language lang)
{
	static const struct {
		const char *name;
		enum message m;
	} aggregates[] = { { "time", MESSAGE_BY_TIME },
		{ "mean", MESSAGE_BY_MEAN }, { "median", MESSAGE_BY_MEDIAN } };
	const double skip = count_or_zero(rule->skip_iterations);
	double first = skip + count_or_zero(rule->warmup_batches);
	int is_window, is_auto;
	const char *text, *last = NULL;

	if (name == NULL)
		name = rule->rule;
	if (name == NULL)
		return NULL;
	if (strcmp(name, "summary") == 0)
		return message(MESSAGE_BY_SUMMARY, lang);
	is_window = strcmp(name, "window") == 0;
	/* Published without options, or another rule. */
	if (is_window ? rule->skip_iterations == RESULT_UNKNOWN
		      : strcmp(name, "all") != 0)
		return message_with(a, MESSAGE_RULE_NAMED, lang, name, NULL);
	if (!is_window)
		first = count_or_zero(rule->from_iteration);
	else if (rule->train_batches != RESULT_UNKNOWN)
		last = arena_printf(
		    a, "%.0f", skip + (double)rule->train_batches - 1);
	text = message_with(a,
	    last != NULL ? MESSAGE_ITERATIONS : MESSAGE_ITERATIONS_FROM, lang,
	    arena_printf(a, "%.0f", first), last);
	/* "auto" is the first epoch for a window, and all epochs for rule
	 * "all", whose text implies that. */
	is_auto = text_same(rule->epoch, "auto");
	if (rule->epoch != NULL && (is_window || !is_auto))
		text = message_with(a,
		    is_auto ? MESSAGE_OF_FIRST_EPOCH
			: strcmp(rule->epoch, "all") == 0
			? MESSAGE_OF_ALL_EPOCHS
			: MESSAGE_OF_EPOCH,
		    lang, text, rule->epoch);
	for (size_t i = 0; i < sizeof aggregates / sizeof aggregates[0]; i++)
		if (text_same(rule->aggregate, aggregates[i].name))
			text =
			    message_with(a, aggregates[i].m, lang, text, NULL);
	return text;
}

enum message
case_headline(const struct result_case *c)
{
	return c->score != NULL ? MESSAGE_OLYMPIC_MEAN : MESSAGE_MEDIAN;
}

const char *
measured_text(struct arena *a, const struct result_rule *rule, const char *name,
    enum language lang)
{
	const char *text = rule_words(a, rule, name, lang);

	return text == NULL || rule->protocol == NULL
	    ? text
	    : message_with(a, MESSAGE_BY_PROTOCOL, lang, text, rule->protocol);
}

/* --- columns -------------------------------------------------------------- */

static const struct {
	const char *head;
	int is_numeric;
} columns[] = { { "case", 0 }, { "unit", 0 }, { "n", 1 }, { "median_level", 1 },
	{ "baseline", 0 }, { "speedup_level", 1 }, { "confidence", 1 },
	{ "rule", 0 }, { "measured", 0 } };
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

static const char *
number_text(struct arena *a, double x)
{
	char number[JSON_DOUBLE_SIZE];

	return isfinite(x) ? arena_strdup(a, json_double(number, x)) : NULL;
}

void
measured_columns_add(struct table *t)
{
	for (size_t i = 0; i < N_COLUMNS; i++) {
		size_t k = 0;

		while (k < t->n_columns &&
		    strcmp(t->columns[k].head, columns[i].head) != 0)
			k++;
		if (k == t->n_columns)
			table_column(t, columns[i].head, NULL, TABLE_LEFT);
	}
}

void
measured_columns_fill(
    struct table *t, const struct measured_case *cases, size_t n)
{
	const struct table_row *row = &t->rows[t->n_rows - 1];
	struct arena a = ARENA_INIT;
	const char *(*texts)[N_COLUMNS] = arena_calloc(&a, n, sizeof *texts);

	/* Texts of the cases in the columns; NULL: unknown. */
	for (size_t i = 0; i < n; i++) {
		const struct measured_case *m = &cases[i];
		const struct result_case *c = m->c;
		const char *measured =
		    measured_text(&a, m->options, c->rule, LANGUAGE_EN);
		const char *const own[N_COLUMNS] = { c->name, c->unit,
			number_text(
			    &a, c->n != RESULT_UNKNOWN ? (double)c->n : NAN),
			number_text(&a, c->median_level), c->baseline,
			number_text(&a, c->speedup_level),
			number_text(
			    &a, m->is_published ? NAN : m->options->confidence),
			m->rule != NULL ? m->rule : c->rule,
			measured == NULL && m->is_published
			    ? message(MESSAGE_RULE_UNKNOWN, LANGUAGE_EN)
			    : measured };

		memcpy(texts[i], own, sizeof own);
	}
	while (row->n_cells < t->n_columns) {
		const char *head = t->columns[row->n_cells].head, *all = "";
		size_t column = 0;

		while (strcmp(head, columns[column].head) != 0)
			column++;
		for (size_t i = 0; i < n; i++) {
			size_t k = 0;

			while (!text_same(texts[k][column], texts[i][column]))
				k++;
			if (k == i)
				all =
				    arena_join(&a, all, "; ", texts[i][column]);
		}
		table_cell(t, all);
		if (columns[column].is_numeric)
			table_last_cell(t)->is_numeric = 1;
	}
	arena_release(&a);
}
