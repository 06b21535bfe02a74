/* The comparison as a table: a row a case.  report.c asks for it; the numbers
 * are common/series/result_comparison.c's. */
#include <config.h>

#include "report/tables/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats/rank_test.h"
#include "common/strbuf.h"
#include "common/units/units.h"
#include "report/parts/cell.h"
#include "report/parts/columns.h"
#include "report/parts/notes.h"
#include "report/parts/panel.h"

enum { MAX_NAMED = 12 };

/* --- texts ---------------------------------------------------------------- */

/* The keys in which the compared series differ, but for their file. */
static uint64_t
group_keys(const struct series_set *set)
{
	return set->differing &
	    ~(SERIES_BIT(SERIES_SOURCE) | SERIES_BIT(SERIES_RULE) |
		SERIES_BIT(SERIES_KIND));
}

const char *
compare_row_group(struct series_set *set, const struct comparison *c,
    const struct comparison_row *row, enum language lang)
{
	(void)c;
	return series_text(set, row->s, group_keys(set), lang);
}

static const struct result_case *
row_case(const struct comparison_row *row)
{
	return row->after != NULL ? row->after->c : row->before->c;
}

/* What a row is called in a note. */
static const char *
row_name(struct series_set *set, const struct comparison *c,
    const struct comparison_row *row, enum language lang)
{
	const char *group = compare_row_group(set, c, row, lang);

	return arena_printf(&set->arena, "%s%s%s", group,
	    group[0] != '\0' ? " " : "",
	    series_case_name(&set->arena, row_case(row), lang));
}

/* --- cells ---------------------------------------------------------------- */

static void
put_ratio(struct table *t, const struct report_how *how, double ratio,
    double low, double high)
{
	char a[UNITS_TEXT_SIZE], b[UNITS_TEXT_SIZE];

	if (cell_ratio_digits_asked(how)) {
		cell_ratio(t, how, ratio);
		cell_ratio_interval(t, how, low, high);
		return;
	}
	table_cell(t, comparison_ratio_text(a, ratio, low, high));
	if (isnan(low))
		table_cell(t, "");
	else
		table_cellf(t, "[%s, %s]",
		    comparison_ratio_text(a, low, low, high),
		    comparison_ratio_text(b, high, low, high));
}

static void
put_p(struct table *t, const struct comparison *c, double p)
{
	char buf[UNITS_TEXT_SIZE];

	table_cell(t,
	    isnan(p) ? "" : short_format_apart(buf, p, 1 - c->confidence, 2));
}

static void
put_side(
    struct table *t, const struct report_how *how, const struct series_point *p)
{
	cell_value(t, how, p);
}

static void
put_runs(struct table *t, const struct comparison *c,
    const struct comparison_row *row)
{
	if (row->before == NULL || row->after == NULL)
		table_cell(t, "");
	else if (c->paired || row->n_before == row->n_after)
		table_cellf(t, "%zu", row->n_after);
	else
		table_cellf(t, "%zu, %zu", row->n_before, row->n_after);
}

static void
add_row(struct table *t, struct series_set *set, const struct comparison *c,
    const struct comparison_row *row, const struct report_how *how)
{
	table_row(t);
	table_cell(t, series_case_name(&set->arena, row_case(row), how->lang));
	put_side(t, how, row->before);
	put_side(t, how, row->after);
	if (row->before == NULL || row->after == NULL) {
		table_cell(t, "-");
		return;
	}
	put_ratio(t, how, row->ratio, row->low, row->high);
	table_cell(t, comparison_verdict_text(row, how->lang));
	if (row->verdict == COMPARISON_FASTER ||
	    row->verdict == COMPARISON_SLOWER)
		table_emphasise(t,
		    row->verdict == COMPARISON_FASTER ? TABLE_GOOD : TABLE_BAD);
	put_p(t, c, row->p);
	if (c->n_both > 1)
		put_p(t, c, row->p_holm);
	put_runs(t, c, row);
}

static void
add_mean(
    struct table *t, const struct comparison *c, const struct report_how *how)
{
	if (c->n_both < 2)
		return;
	table_group(t, message(MESSAGE_GEOMETRIC_MEAN, how->lang));
	table_row(t);
	table_cell(t, "");
	table_cell(t, "");
	table_cell(t, "");
	put_ratio(t, how, c->mean, c->mean_low, c->mean_high);
}

static void
add_columns(
    struct table *t, const struct comparison *c, const struct report_how *how)
{
	const char *unit = NULL;
	int one = 1;

	for (size_t i = 0; i < c->n; i++) {
		const char *own = row_case(&c->rows[i])->unit;

		if (unit != NULL && own != NULL && strcmp(unit, own) != 0)
			one = 0;
		unit = own != NULL ? own : unit;
	}
	table_column(t, message(MESSAGE_CASE, how->lang), NULL, TABLE_LEFT);
	for (int of_new = 0; of_new < 2; of_new++)
		table_column(t, comparison_source_name(c, of_new),
		    one ? unit : NULL, TABLE_DECIMAL);
	table_column(t, message(MESSAGE_RATIO, how->lang), NULL, TABLE_DECIMAL);
	table_column(t, message(MESSAGE_MEDIAN_INTERVAL, how->lang), NULL,
	    TABLE_INTERVAL);
	table_column(t, message(MESSAGE_VERDICT, how->lang), NULL, TABLE_LEFT);
	table_column(t, "p", NULL, TABLE_DECIMAL);
	if (c->n_both > 1)
		table_column(t, "Holm", NULL, TABLE_DECIMAL);
	table_column(t,
	    message(c->paired ? MESSAGE_PAIRS : MESSAGE_RUNS, how->lang), NULL,
	    TABLE_RIGHT);
}

/* --- notes ---------------------------------------------------------------- */

static void
note_filled(struct table *t, enum message what, enum language lang,
    const char *const *texts)
{
	struct strbuf sb;

	strbuf_init(&sb, 1 << 16);
	message_fill(&sb, what, lang, texts);
	table_note(t, "%s", sb.buf);
	strbuf_release(&sb);
}

/* What it would take, where a level is below what was asked for. */
static void
add_level_takes(struct strbuf *sb, const struct comparison *c, int short_of,
    enum language lang)
{
	char asked[UNITS_TEXT_SIZE], runs[UNITS_TEXT_SIZE];
	const char *texts[] = { asked, runs, NULL };
	long n = 1;

	/* The signed ranks of n pairs reach 1 - 2 / 2^n. */
	while (c->paired && 1 - exp2(1 - (double)n) < c->confidence)
		n++;
	if (!c->paired)
		n = rank_test_runs_for(c->confidence, 1);
	if (!short_of)
		return;
	snprintf(asked, sizeof asked, "%.6g %%", 100 * c->confidence);
	snprintf(runs, sizeof runs, "%ld", n);
	strbuf_addstr(sb, "; ");
	message_fill(sb,
	    c->paired ? MESSAGE_LEVEL_TAKES_PAIRS : MESSAGE_LEVEL_TAKES_TWO,
	    lang, texts);
}

static void
note_levels(struct table *t, const struct comparison *c, enum language lang)
{
	int short_of = 0;
	struct strbuf sb;
	char level[UNITS_TEXT_SIZE], x[UNITS_TEXT_SIZE], y[UNITS_TEXT_SIZE];
	const char *texts[] = { level, x, y, NULL };

	strbuf_init(&sb, 1 << 16);
	for (size_t i = 0; i < c->n; i++) {
		const struct comparison_row *row = &c->rows[i];
		size_t k = 0;

		while (k < i &&
		    !(c->rows[k].n_before == row->n_before &&
			c->rows[k].n_after == row->n_after))
			k++;
		if (isnan(row->level) || k < i)
			continue;
		short_of |= row->level < c->confidence;
		percent_format_apart(level, row->level, c->confidence, 2);
		snprintf(x, sizeof x, "%zu",
		    c->paired ? row->n_after : row->n_before);
		snprintf(y, sizeof y, "%zu", row->n_after);
		if (sb.len > 0)
			strbuf_addstr(&sb, message(MESSAGE_COMMA, lang));
		message_fill(&sb,
		    c->paired ? MESSAGE_LEVEL_PAIRS : MESSAGE_LEVEL_TWO_RUNS,
		    lang, texts);
	}
	add_level_takes(&sb, c, short_of, lang);
	if (sb.len > 0)
		table_note(
		    t, "%s: %s", message(MESSAGE_OF_RATIO, lang), sb.buf);
	strbuf_release(&sb);
}

static void
note_spreads(struct table *t, struct series_set *set,
    const struct comparison *c, enum language lang)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct comparison_row *row = &c->rows[i];
		char factor[UNITS_TEXT_SIZE], level[UNITS_TEXT_SIZE];
		const char *texts[] = { row_name(set, c, row, lang), factor,
			level, NULL };

		if (isnan(row->limit_level))
			continue;
		if (isfinite(row->spread_ratio))
			number_format(factor, row->spread_ratio, 2);
		else
			snprintf(factor, sizeof factor, "> 1000");
		percent_format(level, row->limit_level, 2);
		note_filled(t, MESSAGE_SPREADS, lang, texts);
	}
}

static void
note_detectable(struct table *t, struct series_set *set,
    const struct comparison *c, enum language lang)
{
	struct strbuf sb;
	size_t n = 0;

	strbuf_init(&sb, 1 << 16);
	for (size_t i = 0; i < c->n; i++) {
		const struct comparison_row *row = &c->rows[i];

		if (isnan(row->detectable) || n++ >= MAX_NAMED)
			continue;
		strbuf_printf(&sb, "%s%s %.2g %%",
		    sb.len > 0 ? message(MESSAGE_COMMA, lang) : "",
		    row_name(set, c, row, lang), 100 * row->detectable);
	}
	if (n > MAX_NAMED)
		strbuf_printf(
		    &sb, "%s+%zu", message(MESSAGE_COMMA, lang), n - MAX_NAMED);
	if (sb.len > 0)
		table_note(
		    t, "%s: %s", message(MESSAGE_DETECTABLE, lang), sb.buf);
	strbuf_release(&sb);
}

static void
add_runs_range(
    struct strbuf *sb, const struct comparison_row *row, enum language lang)
{
	char low[UNITS_TEXT_SIZE];
	const char *texts[] = { low, NULL };

	snprintf(low, sizeof low, "%ld", row->runs_low);
	if (row->runs_high == RESULT_UNKNOWN)
		message_fill(sb, MESSAGE_OR_MORE, lang, texts);
	else if (row->runs_low == row->runs_high)
		strbuf_addstr(sb, low);
	else
		strbuf_printf(sb, "%s–%ld", low, row->runs_high);
}

static void
note_detect(struct table *t, struct series_set *set, const struct comparison *c,
    double change, enum language lang)
{
	struct strbuf sb;
	char text[UNITS_TEXT_SIZE];
	const char *texts[] = { text, NULL };

	if (isnan(change))
		return;
	strbuf_init(&sb, 1 << 16);
	snprintf(text, sizeof text, "%.6g %%", 100 * change);
	message_fill(&sb, MESSAGE_RUNS_TO_SHOW, lang, texts);
	strbuf_addstr(&sb, ": ");
	for (size_t i = 0, n = 0; i < c->n; i++) {
		if (c->rows[i].runs_low == RESULT_UNKNOWN)
			continue;
		strbuf_printf(&sb, "%s%s ",
		    n++ > 0 ? message(MESSAGE_COMMA, lang) : "",
		    row_name(set, c, &c->rows[i], lang));
		add_runs_range(&sb, &c->rows[i], lang);
	}
	table_note(t, "%s", sb.buf);
	strbuf_release(&sb);
}

static void
note_only(struct table *t, struct series_set *set, const struct comparison *c,
    int of_new, enum language lang)
{
	const char *texts[] = { comparison_source_name(c, of_new), NULL };
	struct strbuf sb;
	size_t n = 0;

	strbuf_init(&sb, 1 << 16);
	message_fill(&sb, MESSAGE_ONLY_IN, lang, texts);
	for (size_t i = 0; i < c->n; i++) {
		const struct comparison_row *row = &c->rows[i];

		if ((of_new ? row->before : row->after) != NULL)
			continue;
		strbuf_printf(&sb, "%s%s",
		    n++ == 0 ? ": " : message(MESSAGE_COMMA, lang),
		    row_name(set, c, row, lang));
	}
	if (n > 0)
		table_note(t, "%s", sb.buf);
	strbuf_release(&sb);
}

static void
add_notes(struct table *t, struct series_set *set, const struct comparison *c,
    const struct comparison_how *compare_how, enum language lang)
{
	const char *names[] = { comparison_source_name(c, 1),
		comparison_source_name(c, 0), NULL };
	char text[UNITS_TEXT_SIZE];
	const char *texts[] = { text, NULL };

	note_filled(t, MESSAGE_RATIO_OF, lang, names);
	note_levels(t, c, lang);
	snprintf(text, sizeof text, "%.6g %%", 100 * compare_how->delta);
	if (compare_how->delta > 0)
		note_filled(t, MESSAGE_EQUIVALENT_MEANS, lang, texts);
	snprintf(text, sizeof text, "%zu", c->n_both);
	if (c->n_both > 1)
		note_filled(t, MESSAGE_CHANCE, lang, texts);
	note_spreads(t, set, c, lang);
	note_detectable(t, set, c, lang);
	note_detect(t, set, c, compare_how->detect, lang);
	note_only(t, set, c, 0, lang);
	note_only(t, set, c, 1, lang);
}

/* How both were measured. */
static void
note_compared_rule(struct table *t, struct series_set *set, enum language lang)
{
	struct panel all;

	panel_of_all(set, &all);
	notes_rules(set, t, &all, lang);
	free(all.s);
}

/* --- for machines --------------------------------------------------------- */

static void
flat_median(
    struct table *t, const struct report_how *how, const struct series_point *p)
{
	if (p != NULL)
		cell_number(t, how, p, p->c->median_speed);
	else
		table_cell(t, "");
}

static void
flat_row(struct table *t, const struct comparison *compared,
    const struct comparison_row *row, const struct report_how *how)
{
	static const char *const verdicts[] = { "no evidence", "too few runs",
		"faster", "slower" };
	const int both = row->before != NULL && row->after != NULL;
	const struct result_case *c = row_case(row);
	struct measured_case sides[2];
	size_t n_sides = 0;
	const double numbers[] = { row->level, row->p, row->p_holm, row->p_bh,
		row->p_equivalent, row->spread, row->detectable,
		row->limit_level };

	cell_count(t, how, c->nodes);
	cell_count(t, how, c->gpus_per_node);
	cell_count(t, how, c->gpus);
	table_cell(t, c->unit);
	cell_count(
	    t, how, row->before != NULL ? row->before->c->n : RESULT_UNKNOWN);
	cell_count(
	    t, how, row->after != NULL ? row->after->c->n : RESULT_UNKNOWN);
	flat_median(t, how, row->before);
	flat_median(t, how, row->after);
	cell_ratio(t, how, row->ratio);
	cell_ratio(t, how, row->low);
	cell_ratio(t, how, row->high);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		cell_unrounded(t, numbers[i]);
	cell_count(t, how, row->runs_low);
	cell_count(t, how, row->runs_high);
	table_cell(t, both ? verdicts[row->verdict] : "");
	table_cell(t, !both ? "" : row->is_equivalent ? "1" : "0");
	table_cell(t, c->name);
	table_cell(t, row->s->values[SERIES_RULE]);
	table_cell(t, comparison_source_name(compared, 0));
	cell_unrounded(t, compared->confidence);
	if (row->before != NULL)
		sides[n_sides++] = keys_measured(row->s, row->before);
	if (row->after != NULL)
		sides[n_sides++] = keys_measured(row->s, row->after);
	measured_columns_fill(t, sides, n_sides);
}

static void
make_flat(struct series_set *set, const struct comparison *c,
    const struct report_how *how, struct table *t)
{
	static const char *const heads[] = { "nodes", "gpus_per_node", "gpus",
		"unit", "old_n", "new_n", "old_median", "new_median", "ratio",
		"ratio_low", "ratio_high", "ratio_level", "p", "p_holm", "p_bh",
		"p_equivalent", "log_stddev", "detectable", "limit_level",
		"detect_runs_low", "detect_runs_high", "verdict", "equivalent",
		"case", "rule", "baseline", "confidence", "measured" };
	const uint64_t always = SERIES_BIT(SERIES_FRAMEWORK) |
	    SERIES_BIT(SERIES_MODEL) | SERIES_BIT(SERIES_PRECISION) |
	    SERIES_BIT(SERIES_BATCH);
	const uint64_t keys =
	    (keys_known(set, UINT64_MAX) &
		~(SERIES_BIT(SERIES_UNIT) | SERIES_BIT(SERIES_RULE) |
		    SERIES_BIT(SERIES_KIND) | SERIES_BIT(SERIES_SOURCE))) |
	    always;

	keys_columns(t, set, keys);
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		table_column(t, heads[i], NULL, TABLE_LEFT);
	for (size_t i = 0; i < c->n; i++) {
		table_row(t);
		keys_cells(t, set, c->rows[i].s, keys);
		flat_row(t, c, &c->rows[i], how);
	}
}

void
compare_make(struct series_set *set, const struct comparison *c,
    const struct comparison_how *compare_how, const struct report_how *how,
    struct report_tables *list)
{
	struct table *t = report_tables_add(list);
	const uint64_t same = ~set->differing &
	    ~(SERIES_BIT(SERIES_UNIT) | SERIES_BIT(SERIES_WORK) |
		SERIES_BIT(SERIES_RULE) | SERIES_BIT(SERIES_KIND) |
		SERIES_BIT(SERIES_SOURCE));
	const char *group = NULL;

	if (how->flat) {
		make_flat(set, c, how, t);
		return;
	}
	table_title(t, "%s", series_text(set, c->rows[0].s, same, how->lang));
	add_columns(t, c, how);
	for (size_t i = 0; i < c->n; i++) {
		const char *own =
		    compare_row_group(set, c, &c->rows[i], how->lang);

		if (own[0] != '\0' &&
		    (group == NULL || strcmp(group, own) != 0))
			table_group(t, own);
		group = own;
		add_row(t, set, c, &c->rows[i], how);
	}
	add_mean(t, c, how);
	add_notes(t, set, c, compare_how, how->lang);
	note_compared_rule(t, set, how->lang);
}
