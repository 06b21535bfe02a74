/* The table of a comparison of two results: one row per case. */
#include <config.h>

#include "report/tables/report.h"

#include <math.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/case_text.h"
#include "common/units/units.h"
#include "report/parts/columns.h"
#include "report/parts/panel.h"

enum { MAX_NAMED = 12 };

/* Keys that are neither columns nor titles of a comparison. */
#define NOT_SHOWN \
	(SERIES_BIT(SERIES_UNIT) | SERIES_BIT(SERIES_RULE) | \
	    SERIES_BIT(SERIES_KIND) | SERIES_BIT(SERIES_SOURCE))

/* --- texts ---------------------------------------------------------------- */

const char *
compare_row_group(struct series_set *set, const struct comparison_row *row,
    enum language lang)
{
	const uint64_t keys = set->differing &
	    ~(SERIES_BIT(SERIES_SOURCE) | SERIES_BIT(SERIES_RULE) |
		SERIES_BIT(SERIES_KIND));

	return series_text(set, row->s, keys, lang);
}

const struct result_case *
compare_row_case(const struct comparison_row *row)
{
	return row->after != NULL ? row->after->c : row->before->c;
}

/* Name of a row in notes. */
static const char *
row_name(struct series_set *set, const struct comparison_row *row,
    enum language lang)
{
	return arena_join(&set->arena, compare_row_group(set, row, lang), " ",
	    series_case_name(&set->arena, compare_row_case(row), lang));
}

/* Remark on the order or the hosts of the old and the new runs; REMARK_NONE if
 * there is none or a side is missing. */
static struct remark
row_order(const struct comparison *c, const struct comparison_row *row)
{
	return row->before == NULL || row->after == NULL
	    ? remark_plain(REMARK_NONE)
	    : sessions_order(row->before->c, row->after->c, c->files[0]->name,
		  c->files[1]->name);
}

/* --- cells ---------------------------------------------------------------- */

static void
put_ratio(struct table *t, const struct report_how *how, double ratio,
    double low, double high)
{
	const double numbers[] = { ratio, low, high };
	const char *texts[3];
	char buf[UNITS_TEXT_SIZE];

	for (int i = 0; i < 3; i++)
		texts[i] = how->ratio_decimals >= 0
		    ? text_of_ratio(&t->arena, how, numbers[i])
		    : arena_strdup(&t->arena,
			  comparison_ratio_text(buf, numbers[i], low, high));
	table_cell(t, texts[0]);
	if (isfinite(low) && isfinite(high))
		table_cellf(t, "[%s, %s]", texts[1], texts[2]);
	else
		table_cell(t, "");
}

static void
put_p(struct table *t, const struct comparison *c, double p)
{
	char buf[UNITS_TEXT_SIZE];

	table_cell(t,
	    isnan(p) ? "" : short_format_apart(buf, p, 1 - c->confidence, 2));
}

static void
add_row(struct table *t, struct series_set *set, const struct comparison *c,
    const struct comparison_row *row, struct case_flags *flags,
    const struct report_how *how)
{
	const char *marks = "";

	table_row(t);
	table_cell(
	    t, series_case_name(&set->arena, compare_row_case(row), how->lang));
	cell_value(t, how, row->before, "");
	cell_value(t, how, row->after, "");
	if (row->before == NULL || row->after == NULL) {
		table_cell(t, "-");
		return;
	}
	put_ratio(t, how, row->ratio, row->low, row->high);
	table_cellf(t, "%s%s", comparison_verdict_text(row, how->lang),
	    row_order(c, row).code != REMARK_NONE ? " *" : "");
	if (row->verdict == COMPARISON_FASTER ||
	    row->verdict == COMPARISON_SLOWER)
		table_last_cell(t)->emphasis =
		    row->verdict == COMPARISON_FASTER ? TABLE_GOOD : TABLE_BAD;
	put_p(t, c, row->p);
	if (c->n_both > 1)
		put_p(t, c, row->p_holm);
	if (c->paired || row->before_runs.n == row->after_runs.n)
		table_cellf(t, "%zu", row->after_runs.n);
	else
		table_cellf(
		    t, "%zu, %zu", row->before_runs.n, row->after_runs.n);
	for (int i = 0; i < 2 && flags != NULL; i++)
		marks = arena_join(&set->arena, marks, " ",
		    case_flags_marks(flags,
			(i == 0 ? row->before : row->after)->c, 0,
			c->files[i]->name, &set->arena));
	if (flags != NULL)
		table_cell(t, marks);
}

/* True if a compared run is in doubt. */
static int
has_doubts(const struct comparison *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->rows[i].before != NULL && c->rows[i].after != NULL &&
		    (case_is_doubtful(c->rows[i].before->c, 0) ||
			case_is_doubtful(c->rows[i].after->c, 0)))
			return 1;
	return 0;
}

/* --- notes ---------------------------------------------------------------- */

static void
list_add(
    struct strbuf *list, const char *name, const char *text, enum language lang)
{
	strbuf_printf(list, "%s%s%s%s",
	    list->len > 0 ? message(MESSAGE_COMMA, lang) : "", name,
	    text[0] != '\0' ? " " : "", text);
}

/* Note the smallest detectable change of each row and the runs it needs, and
 * the rows that only one result has. */
static void
note_rows(struct table *t, struct series_set *set, const struct comparison *c,
    const struct comparison_how *how, enum language lang)
{
	enum { CHANGE, RUNS, ONLY_OLD, ONLY_NEW, N_LISTS };
	struct arena *a = &t->arena;
	const char *const heads[N_LISTS] = { message(MESSAGE_DETECTABLE, lang),
		text_fill(a, message(MESSAGE_RUNS_TO_SHOW, lang),
		    arena_printf(a, "%.6g %%", 100 * how->detect)),
		text_fill(a, message(MESSAGE_ONLY_IN, lang), c->files[0]->name),
		text_fill(
		    a, message(MESSAGE_ONLY_IN, lang), c->files[1]->name) };
	struct strbuf lists[N_LISTS];
	size_t n = 0;

	for (int i = 0; i < N_LISTS; i++)
		lists[i] = STRBUF_INIT(SIZE_MAX);
	for (size_t i = 0; i < c->n; i++) {
		const struct comparison_row *row = &c->rows[i];
		const char *name = row_name(set, row, lang), *runs;

		if (!isnan(row->detectable) && n++ < MAX_NAMED)
			list_add(&lists[CHANGE], name,
			    arena_printf(a, "%.2g %%", 100 * row->detectable),
			    lang);
		if (row->runs_low != RESULT_UNKNOWN) {
			runs = arena_printf(a, "%ld", row->runs_low);
			if (row->runs_high == RESULT_UNKNOWN)
				runs = text_fill(
				    a, message(MESSAGE_OR_MORE, lang), runs);
			else if (row->runs_low != row->runs_high)
				runs = arena_printf(
				    a, "%s–%ld", runs, row->runs_high);
			list_add(&lists[RUNS], name, runs, lang);
		}
		if (row->after == NULL)
			list_add(&lists[ONLY_OLD], name, "", lang);
		if (row->before == NULL)
			list_add(&lists[ONLY_NEW], name, "", lang);
	}
	if (n > MAX_NAMED)
		list_add(&lists[CHANGE], arena_printf(a, "+%zu", n - MAX_NAMED),
		    "", lang);
	for (int i = 0; i < N_LISTS; i++) {
		if (lists[i].len > 0)
			table_note(t, "%s: %s", heads[i], lists[i].buf);
		strbuf_release(&lists[i]);
	}
}

void
compare_note_order(struct table *t, struct series_set *set,
    const struct comparison *c, enum language lang)
{
	const char *comma = message(MESSAGE_COMMA, lang);

	if (c->sessions)
		note_message(t, lang, MESSAGE_OF_SESSIONS);
	for (enum remark_code code = REMARK_RUNS_IN_BLOCKS;
	     code <= REMARK_DIFFERENT_HOSTS; code++) {
		struct remark last, own;
		const char *list = NULL;

		for (size_t i = 0; i < c->n; i++) {
			own = row_order(c, &c->rows[i]);
			if (own.code != code)
				continue;
			last = own;
			list = arena_join(&t->arena, list, comma,
			    row_name(set, &c->rows[i], lang));
		}
		if (list != NULL)
			table_note(t, "*: %s (%s)",
			    remark_text(&last, lang, &t->arena), list);
	}
}

static void
add_notes(struct table *t, struct series_set *set, const struct comparison *c,
    const struct comparison_how *how, enum language lang)
{
	const char *names[] = { c->files[0]->name, c->files[1]->name };
	struct arena *a = &t->arena;
	const struct panel all = panel_of_all(set, a);
	struct level_list levels = { NULL };
	char factor[UNITS_TEXT_SIZE], level[UNITS_TEXT_SIZE];
	const char *impossible = comparison_impossible(c, lang, a);

	note_message(t, lang, MESSAGE_RATIO_OF, names[1], names[0]);
	for (size_t i = 0; i < c->n; i++)
		if (!isnan(c->rows[i].level))
			levels_add(a, &levels, c->rows[i].level,
			    (long)(c->paired ? c->rows[i].after_runs.n
					     : c->rows[i].before_runs.n),
			    (long)c->rows[i].after_runs.n);
	levels_note(t, MESSAGE_RATIO, &levels,
	    c->paired ? LEVEL_OF_PAIRS : LEVEL_OF_TWO, c->confidence, lang);
	compare_note_order(t, set, c, lang);
	if (how->delta > 0)
		note_message(t, lang, MESSAGE_EQUIVALENT_MEANS,
		    arena_printf(a, "%.6g %%", 100 * how->delta));
	if (c->n_both > 1)
		note_message(
		    t, lang, MESSAGE_CHANCE, arena_printf(a, "%zu", c->n_both));
	if (impossible != NULL)
		table_note(t, "%s", impossible);
	for (size_t i = 0; i < c->n; i++)
		if (!isnan(c->rows[i].limit_level))
			note_message(t, lang, MESSAGE_SPREADS,
			    row_name(set, &c->rows[i], lang),
			    isfinite(c->rows[i].spread_ratio)
				? number_format(
				      factor, c->rows[i].spread_ratio, 2)
				: "> 1000",
			    percent_format(level, c->rows[i].limit_level, 2));
	note_rows(t, set, c, how, lang);
	/* The labels that distinguish the results. */
	for (size_t i = 0; i < set->n_keys; i++) {
		const char *old = NULL, *new = NULL;

		comparison_side_label(set, c->files[0], i, &old);
		comparison_side_label(set, c->files[1], i, &new);
		if (c->side_labels & SERIES_BIT(i))
			note_message(t, lang, MESSAGE_SIDE_LABEL,
			    message_label(set->keys[i], lang),
			    old != NULL ? old : "-", c->files[0]->name,
			    new != NULL ? new : "-", c->files[1]->name);
	}
	notes_rules(set, t, &all, lang);
}

/* --- for machines --------------------------------------------------------- */

static void
make_flat(struct series_set *set, const struct comparison *compared,
    const struct report_how *how, struct table *t)
{
	static const char *const heads[] = { "nodes", "gpus_per_node", "gpus",
		"unit", "old_n", "new_n", "old_median", "new_median", "ratio",
		"ratio_low", "ratio_high", "ratio_level", "p", "p_holm", "p_bh",
		"p_equivalent", "log_stddev", "detectable", "limit_level",
		"detect_runs_low", "detect_runs_high", "verdict", "equivalent",
		"case", "rule", "baseline", "confidence", "p_equivalent_holm",
		"old_flags", "new_flags", "order", "measured", NULL };
	static const char *const verdicts[] = { "no evidence", "too few runs",
		"faster", "slower" };
	const uint64_t keys =
	    (keys_known(set, UINT64_MAX) & ~NOT_SHOWN) | KEYS_ALWAYS;

	keys_columns(t, set, keys);
	flat_columns(t, heads);
	for (size_t r = 0; r < compared->n; r++) {
		const struct comparison_row *row = &compared->rows[r];
		const struct series_point *const points[] = { row->before,
			row->after };
		const int both = row->before != NULL && row->after != NULL;
		const struct result_case *c = compare_row_case(row);
		const double numbers[] = { row->level, row->p, row->p_holm,
			row->p_bh, row->p_equivalent, row->spread,
			row->detectable, row->limit_level };
		struct panel_point sides[2];
		enum remark_code order;
		size_t n_sides = 0;

		table_row(t);
		keys_cells(t, set, row->s, keys);
		cell_count(t, how, c->nodes);
		cell_count(t, how, c->gpus_per_node);
		cell_count(t, how, c->gpus);
		table_cell(t, c->unit);
		for (int i = 0; i < 2; i++)
			cell_count(t, how,
			    points[i] != NULL ? points[i]->c->n
					      : RESULT_UNKNOWN);
		for (int i = 0; i < 2; i++)
			if (points[i] != NULL)
				cell_number(t, how, points[i],
				    points[i]->c->median_speed);
			else
				table_cell(t, "");
		cell_ratio(t, how, row->ratio);
		cell_ratio(t, how, row->low);
		cell_ratio(t, how, row->high);
		flat_numbers(t, numbers, sizeof numbers / sizeof numbers[0]);
		cell_count(t, how, row->runs_low);
		cell_count(t, how, row->runs_high);
		table_cell(t, both ? verdicts[row->verdict] : "");
		cell_count(
		    t, how, both ? (long)row->is_equivalent : RESULT_UNKNOWN);
		table_cell(t, c->name);
		table_cell(t, row->s->values[SERIES_RULE]);
		table_cell(t, compared->files[0]->name);
		cell_unrounded(t, compared->confidence);
		cell_unrounded(t, row->p_equivalent_holm);
		for (int i = 0; i < 2; i++)
			table_cell(t,
			    points[i] == NULL
				? ""
				: case_doubts_text(points[i]->c, 0, NULL,
				      LANGUAGE_EN, &t->arena));
		order = row_order(compared, row).code;
		table_cell(
		    t, order != REMARK_NONE ? remark_rows[order].name : "");
		for (int i = 0; i < 2; i++)
			if (points[i] != NULL)
				sides[n_sides++] =
				    (struct panel_point){ .s = row->s,
					    .p = points[i],
					    .c = points[i]->c };
		measured_columns_fill(t, sides, n_sides);
	}
}

void
compare_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list)
{
	const struct comparison *c = how->comparison;
	struct table *t = report_tables_add(list);
	const uint64_t same = ~(set->differing | c->side_labels | NOT_SHOWN |
	    SERIES_BIT(SERIES_WORK));
	struct case_flags flags = CASE_FLAGS_INIT(how->lang);
	const int flagged = has_doubts(c);
	char mean[UNITS_TEXT_SIZE], low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];
	const char *group = "";
	const char *unit = NULL;
	int several = 0;

	if (how->flat) {
		make_flat(set, c, how, t);
		if (c->n_both > 1)
			table_note(t, "%s: %s [%s, %s]",
			    message(MESSAGE_GEOMETRIC_MEAN, how->lang),
			    comparison_ratio_text(
				mean, c->mean, c->mean_low, c->mean_high),
			    comparison_ratio_text(
				low, c->mean_low, c->mean_low, c->mean_high),
			    comparison_ratio_text(
				high, c->mean_high, c->mean_low, c->mean_high));
		add_notes(t, set, c, how->comparison_how, how->lang);
		return;
	}
	table_title(t, "%s", series_text(set, c->rows[0].s, same, how->lang));
	for (size_t i = 0; i < c->n; i++) {
		const char *own = compare_row_case(&c->rows[i])->unit;

		several |=
		    unit != NULL && own != NULL && strcmp(unit, own) != 0;
		unit = own != NULL ? own : unit;
	}
	table_column(t, message(MESSAGE_CASE, how->lang), NULL, TABLE_LEFT);
	for (int of_new = 0; of_new < 2; of_new++)
		table_column(t, c->files[of_new]->name, several ? NULL : unit,
		    TABLE_DECIMAL);
	table_column(t, message(MESSAGE_RATIO, how->lang), NULL, TABLE_DECIMAL);
	table_column(t, message(MESSAGE_MEDIAN_INTERVAL, how->lang), NULL,
	    TABLE_INTERVAL);
	table_column(t, message(MESSAGE_VERDICT, how->lang), NULL, TABLE_LEFT);
	table_column(t, "p", NULL, TABLE_DECIMAL);
	if (c->n_both > 1)
		table_column(t, "Holm", NULL, TABLE_DECIMAL);
	table_column(t,
	    message(c->paired     ? MESSAGE_PAIRS
		    : c->sessions ? MESSAGE_SESSIONS
				  : MESSAGE_RUNS,
		how->lang),
	    NULL, TABLE_RIGHT);
	if (has_doubts(c))
		table_column(
		    t, message(MESSAGE_FLAGS, how->lang), NULL, TABLE_LEFT);
	for (size_t i = 0; i < c->n; i++) {
		const char *own =
		    compare_row_group(set, &c->rows[i], how->lang);

		if (own[0] != '\0' && strcmp(group, own) != 0)
			table_group(t, own);
		group = own;
		add_row(t, set, c, &c->rows[i], flagged ? &flags : NULL, how);
	}
	if (c->n_both > 1) {
		table_group(t, message(MESSAGE_GEOMETRIC_MEAN, how->lang));
		table_row(t);
		for (int i = 0; i < 3; i++)
			table_cell(t, "");
		put_ratio(t, how, c->mean, c->mean_low, c->mean_high);
	}
	notes_flags(t, &flags);
	case_flags_release(&flags);
	add_notes(t, set, c, how->comparison_how, how->lang);
}
