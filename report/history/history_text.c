/* Trends as a table, one row per point and one group per trend, and their
 * changes as sentences; both as tables for programs. */
#include <config.h>

#include "report/history/history.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/result/case_flags.h"
#include "common/result/case_text.h"
#include "common/stats/change_points.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/parts/cell.h"
#include "report/parts/columns.h"
#include "report/parts/notes.h"

/* Columns that not every table has. */
struct history_columns {
	int commits, hosts; /* 1: there is a column */
	const char *unit;   /* common value; NULL: they differ, in a column */
	int changes;        /* 1: a point has a value */
};

/* Keys without a column. */
#define NOT_SHOWN \
	(SERIES_BIT(SERIES_UNIT) | SERIES_BIT(SERIES_RULE) | \
	    SERIES_BIT(SERIES_KIND) | SERIES_BIT(SERIES_SOURCE))

const char *
history_trend_name(
    struct trend_set *set, const struct trend *t, enum language lang)
{
	const uint64_t keys = set->series.differing &
	    ~(SERIES_BIT(SERIES_KIND) | SERIES_BIT(SERIES_UNIT));

	return arena_join(&set->arena,
	    series_text(&set->series, t->s, keys, lang), " ",
	    series_case_name(&set->arena, t->c, lang));
}

/* Add the columns. Those whose value is the same in all points are omitted. */
static struct history_columns
add_columns(const struct trend_set *set, enum language lang, struct table *t)
{
	const struct trend *first = &set->items[0];
	const char *host = first->points[0].row->metadata.host;
	struct history_columns c = { .unit = first->c->unit };

	for (size_t i = 0; i < set->n; i++) {
		const struct trend *of = &set->items[i];

		c.changes |= of->n_changes > 0;
		if (!text_same(c.unit, of->c->unit))
			c.unit = NULL;
		for (size_t k = 0; k < of->n_points; k++) {
			const struct history_metadata *m =
			    &of->points[k].row->metadata;

			c.commits |= m->commit != NULL;
			c.hosts |= !text_same(m->host, host);
		}
	}
	const struct {
		int shown;
		const char *head, *unit;
		enum table_align align;
	} columns[] = {
		{ 1, message(MESSAGE_DATE, lang), "UTC", TABLE_LEFT },
		{ c.commits, message(MESSAGE_COMMIT, lang), NULL, TABLE_LEFT },
		{ c.hosts, message(MESSAGE_HOST, lang), NULL, TABLE_LEFT },
		{ 1, message(MESSAGE_RUNS, lang), NULL, TABLE_RIGHT },
		{ 1, message(case_headline(first->c), lang), c.unit,
		    TABLE_DECIMAL },
		{ 1, message(MESSAGE_MEDIAN_INTERVAL, lang), c.unit,
		    TABLE_INTERVAL },
		{ c.unit == NULL, message(MESSAGE_UNIT, lang), NULL,
		    TABLE_LEFT },
		{ c.changes, message(MESSAGE_CHANGE, lang), "%",
		    TABLE_DECIMAL },
		{ c.changes, message(MESSAGE_MEDIAN_INTERVAL, lang), "%",
		    TABLE_INTERVAL },
		{ c.changes, "p", NULL, TABLE_DECIMAL },
	};

	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		if (columns[i].shown)
			table_column(t, columns[i].head, columns[i].unit,
			    columns[i].align);
	return c;
}

int
history_change_decimals(const struct trend_change *c)
{
	const int supported = interval_decimals(100 * c->low, 100 * c->high);
	const int decimals = supported < 2 ? supported : 2;

	if (c->low > 1)
		return decimals_apart(100 * (c->low - 1), 0, decimals);
	if (c->high < 1)
		return decimals_apart(100 * (c->high - 1), 0, decimals);
	return decimals;
}

static void
add_row(struct trend_set *set, const struct history_columns *c,
    const struct trend *trend, size_t i, const struct report_how *how,
    struct case_flags *flags, struct table *t)
{
	const struct trend_point *p = &trend->points[i];
	const struct series_point *own = &trend->own[i];
	const struct history_metadata *m = &p->row->metadata;
	const struct trend_change *change = p->change;
	const int shown = change != NULL ? history_change_decimals(change) : 0;
	char text[UNITS_TEXT_SIZE];
	/* "2026-11-13 08:00" of "2026-11-13T08:00:00Z". */
	char *date = arena_strndup(&set->arena, m->date, strnlen(m->date, 16));

	for (char *at = date; (at = strchr(at, 'T')) != NULL;)
		*at = ' ';
	table_row(t);
	table_cell(t, date);
	if (c->commits)
		table_cell(t,
		    m->commit != NULL ? trend_point_name(&set->arena, p->row)
				      : "");
	if (c->hosts)
		table_cell(t, m->host);
	cell_count(t, how, p->c.n);
	cell_value(t, how, own,
	    case_doubts_marks(flags, own->c, 0, NULL, &set->arena));
	cell_interval(t, how, own, p->c.median_low, p->c.median_high, 0);
	if (c->unit == NULL)
		table_cell(t, trend->c->unit);
	if (change == NULL)
		return;
	table_cellf(t, "%+.*f", shown, 100 * (change->ratio - 1));
	if (change->proven)
		table_last_cell(t)->emphasis =
		    change->ratio > 1 ? TABLE_GOOD : TABLE_BAD;
	table_cellf(t, isnan(change->low) ? "" : "[%+.*f, %+.*f]", shown,
	    100 * (change->low - 1), shown, 100 * (change->high - 1));
	table_cell(t,
	    short_format_apart(text, change->p_holm, 1 - set->confidence, 2));
}

/* "0.42" if the p values of a trend allow for a correlation, else NULL. */
static const char *
correlation_text(struct arena *a, const struct trend *t)
{
	return t->n_changes > 0 && t->correlation >= 0.005
	    ? arena_printf(a, "%.2f", t->correlation)
	    : NULL;
}

/* --- for machines --------------------------------------------------------- */

static const struct trend_change none = { .ratio = NAN,
	.low = NAN,
	.high = NAN,
	.level = NAN,
	.p = NAN,
	.p_holm = NAN,
	.proven = -1 };

/* The keys of a flat table. */
static uint64_t
flat_keys(const struct trend_set *set)
{
	return keys_known(&set->series, ~NOT_SHOWN) | KEYS_ALWAYS |
	    SERIES_BIT(SERIES_RULE);
}

/* Begin a row of a flat table: the cells of keys, sizes, unit, verdict, date,
 * commit and host.
 *
 * verdict  NULL: no such column */
static void
begin_flat_row(struct table *t, const struct trend_set *set,
    const struct trend *trend, const struct history_metadata *m,
    const char *verdict, const struct report_how *how)
{
	table_row(t);
	keys_cells(t, &set->series, trend->s, flat_keys(set));
	cell_count(t, how, trend->c->nodes);
	cell_count(t, how, trend->c->gpus_per_node);
	cell_count(t, how, trend->c->gpus);
	table_cell(t, trend->c->unit);
	if (verdict != NULL)
		table_cell(t, verdict);
	table_cell(t, m->date);
	table_cell(t, m->commit);
	table_cell(t, m->host);
}

static void
put_change(
    struct table *t, const struct report_how *how, const struct trend_change *c)
{
	const double numbers[] = { c->ratio, c->low, c->high, c->level, c->p,
		c->p_holm };

	flat_numbers(t, numbers, sizeof numbers / sizeof numbers[0]);
	cell_count(t, how, c->proven < 0 ? RESULT_UNKNOWN : c->proven);
}

/* End it: the flags, the case, and how it was measured. */
static void
end_flat_row(struct table *t, const struct trend_set *set,
    const struct history_row *row, const char *flags, const char *name)
{
	struct result_rule rule = row->rule;
	const struct measured_case measured = { &row->c, &rule, NULL, 0 };

	table_cell(t, flags);
	table_cell(t, name);
	rule.confidence = set->confidence;
	measured_columns_fill(t, &measured, 1);
}

static void
make_flat(struct trend_set *set, const struct report_how *how, struct table *t)
{
	static const char *const heads[] = { "nodes", "gpus_per_node", "gpus",
		"unit", "date", "commit", "host", "n", "median", "median_low",
		"median_high", "median_level", "change_ratio",
		"change_ratio_low", "change_ratio_high", "change_ratio_level",
		"change_p", "change_p_holm", "change_proven", "flags", "case",
		"confidence", "measured", NULL };

	keys_columns(t, &set->series, flat_keys(set));
	flat_columns(t, heads);
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct trend *of = &set->items[i];
			const struct trend_point *p = &of->points[k];
			const double numbers[] = { p->c.median_speed,
				p->c.median_low, p->c.median_high,
				p->c.median_level };

			begin_flat_row(
			    t, set, of, &p->row->metadata, NULL, how);
			cell_count(t, how, p->c.n);
			flat_numbers(t, numbers, 4);
			put_change(
			    t, how, p->change != NULL ? p->change : &none);
			end_flat_row(t, set, p->row,
			    case_doubts_text(
				&p->c, 0, NULL, LANGUAGE_EN, &set->arena),
			    of->c->name);
		}
}

void
history_table_make(
    struct trend_set *set, const struct report_how *how, struct table *t)
{
	const enum language lang = how->lang;
	const struct trend *first = &set->items[0];
	const struct history_row *row = first->points[0].row;
	struct case_flags flags = CASE_FLAGS_INIT(lang);
	struct level_list levels = { .most = 6 };
	char level[UNITS_TEXT_SIZE];
	struct history_columns c;
	const char *correlations = NULL, *measured;
	int hosts_apart = 0;

	table_title(t, "%s",
	    series_text(&set->series, first->s,
		~set->series.differing & ~(NOT_SHOWN | SERIES_BIT(SERIES_WORK)),
		lang));
	measured = measured_text(&set->arena, &row->rule, row->c.rule, lang);
	c = add_columns(set, lang, t);
	for (size_t i = 0; i < set->n; i++) {
		const struct trend *own = &set->items[i];
		const char *name = history_trend_name(set, own, lang);
		const char *r = correlation_text(&set->arena, own);

		table_group(t, name);
		for (size_t k = 0; k < own->n_points; k++) {
			const struct result_case *at = &own->points[k].c;

			add_row(set, &c, own, k, how, &flags, t);
			if (!isnan(at->median_level))
				levels_add(&t->arena, &levels, at->median_level,
				    at->n, 0);
		}
		hosts_apart |= own->n_hosts > 0;
		if (r != NULL)
			correlations = arena_join(&set->arena, correlations,
			    message(MESSAGE_COMMA, lang),
			    arena_printf(&set->arena, "%s %s", name, r));
		if (!text_same(first->s->values[SERIES_RULE],
			own->s->values[SERIES_RULE]))
			measured = NULL;
	}
	levels_note(t,
	    first->c->score == NULL ? MESSAGE_MEDIAN : MESSAGE_OLYMPIC_MEAN,
	    &levels, LEVEL_OF_RUNS, 0, lang);
	percent_format(level, set->confidence, 2);
	if (c.changes)
		note_message(t, lang, MESSAGE_CHANGE_MEANS, level);
	if (correlations != NULL)
		table_note(t, "%s: %s", message(MESSAGE_CORRELATION, lang),
		    correlations);
	if (hosts_apart)
		note_message(t, lang, MESSAGE_HOSTS_APART, NULL);
	notes_flags(t, &flags);
	case_flags_release(&flags);
	if (measured != NULL)
		table_note(t, "%s: %s", message(MESSAGE_RULE, lang), measured);
}

/* --- sentences ------------------------------------------------------------ */

/* "3f2a1b0 (2026-11-13)", or the date alone. */
static const char *
moment_text(struct arena *a, const struct history_row *row)
{
	const int day = (int)strcspn(row->metadata.date, "T");

	if (row->metadata.commit == NULL)
		return trend_point_name(a, row);
	return arena_printf(
	    a, "%s (%.*s)", trend_point_name(a, row), day, row->metadata.date);
}

/* Format a share in per cent with the digits that its interval supports. */
static const char *
share_text(struct arena *a, double share, const struct trend_change *c)
{
	return arena_printf(
	    a, "%.*f %%", history_change_decimals(c), 100 * share);
}

/* ", and host from a to b", or "" if the hosts alternate and so did not change
 * with the speed.
 *
 * what  of the text
 * at    offset of the text in struct history_row */
static const char *
other_change(struct arena *a, const struct trend *t,
    const struct trend_change *c, enum message what, size_t at,
    enum language lang)
{
#define TEXT_AT(i) (*(const char *const *)((const char *)t->points[i].row + at))
	const char *before = TEXT_AT(c->at - 1), *after = TEXT_AT(c->at);
	int again = 0, earlier = 0;

	if (before == NULL || after == NULL || strcmp(before, after) == 0)
		return "";
	for (size_t i = c->at; i < c->end; i++)
		again |= text_same(TEXT_AT(i), before);
	for (size_t i = c->before; i < c->at; i++)
		earlier |= text_same(TEXT_AT(i), after);
#undef TEXT_AT
	return again && earlier
	    ? ""
	    : text_fill(a, message(MESSAGE_ALSO_CHANGED, lang),
		  message(what, lang), before, after);
}

/* Points of both levels of a change that have runs in doubt. */
static size_t
count_doubtful(const struct trend *t, const struct trend_change *c)
{
	size_t n = 0;

	for (size_t i = c->before; i < c->end; i++)
		n += t->points[i].n_doubtful > 0;
	return n;
}

const char *
history_sentence(
    struct trend_set *set, const struct trend_finding *f, enum language lang)
{
	struct arena *a = &set->arena;
	const struct trend *t = f->t;
	const struct trend_change *c = f->c;
	const char *name = history_trend_name(set, t, lang);
	const char *r = correlation_text(a, t);
	const size_t least = 2 * CHANGE_POINTS_LEAST;
	char level[UNITS_TEXT_SIZE], p[UNITS_TEXT_SIZE];
	size_t n_doubtful;
	int slower;

	if (c == NULL && t->n_points < least)
		return text_fill(a, message(MESSAGE_FEW_POINTS, lang), name,
		    arena_printf(a, "%zu", t->n_points),
		    arena_printf(a, "%zu", least));
	if (c == NULL)
		return text_fill(a, message(MESSAGE_NO_CHANGE, lang), name,
		    arena_printf(a, "%zu", t->n_points),
		    moment_text(a, t->points[t->skipped].row));
	slower = c->ratio < 1;
	n_doubtful = count_doubtful(t, c);
	percent_format(level, c->level, 1);
	short_format_apart(p, c->p_holm, 1 - set->confidence, 2);
	return arena_printf(a, "%s%s%s%s%s%s%s%s%s",
	    text_fill(a,
		message(
		    slower ? MESSAGE_SLOWER_SINCE : MESSAGE_FASTER_SINCE, lang),
		name, share_text(a, fabs(c->ratio - 1), c),
		share_text(a, slower ? 1 - c->high : c->low - 1, c),
		share_text(a, slower ? 1 - c->low : c->high - 1, c), level,
		moment_text(a, t->points[c->at].row),
		moment_text(a, t->points[c->at - 1].row)),
	    text_fill(a, message(MESSAGE_POINTS_AGAINST, lang),
		arena_printf(a, "%zu", c->at - c->before),
		arena_printf(a, "%zu", c->end - c->at), p),
	    r == NULL ? "" : text_fill(a, message(MESSAGE_CORRELATED, lang), r),
	    c->proven ? "" : message(MESSAGE_CHANGE_UNPROVEN, lang),
	    t->n_hosts == 0 ? "" : message(MESSAGE_SEMICOLON, lang),
	    t->n_hosts == 0 ? "" : message(MESSAGE_HOSTS_APART, lang),
	    n_doubtful == 0
		? ""
		: text_fill(a, message(MESSAGE_POINTS_FLAGGED, lang),
		      arena_printf(a, "%zu", n_doubtful),
		      arena_printf(a, "%zu", c->end - c->before)),
	    other_change(a, t, c, MESSAGE_HOST,
		offsetof(struct history_row, metadata.host), lang),
	    other_change(a, t, c, MESSAGE_FRAMEWORK_VERSION,
		offsetof(struct history_row, run.framework_version), lang));
}

/* --- changes -------------------------------------------------------------- */

static void
make_flat_changes(
    struct trend_set *set, const struct report_how *how, struct table *t)
{
	static const char *const heads[] = { "nodes", "gpus_per_node", "gpus",
		"unit", "verdict", "date", "commit", "host",
		"framework_version", "date_before", "commit_before",
		"change_ratio", "change_ratio_low", "change_ratio_high",
		"change_ratio_level", "change_p", "change_p_holm",
		"change_proven", "points_before", "points_after",
		"points_flagged", "correlation", "hosts_apart", "notes", "case",
		"confidence", "measured", NULL };

	keys_columns(t, &set->series, flat_keys(set));
	flat_columns(t, heads);
	for (size_t i = 0; i < set->n_findings; i++) {
		const struct trend *of = set->findings[i].t;
		const struct trend_change *found = set->findings[i].c;
		const struct trend_change *c = found != NULL ? found : &none;
		const struct history_row *row =
		    of->points[found != NULL ? c->at : of->n_points - 1].row;
		struct history_metadata before = { .date = NULL };

		if (found != NULL)
			before = of->points[c->at - 1].row->metadata;
		begin_flat_row(t, set, of, &row->metadata,
		    found == NULL      ? "no change"
			: c->ratio < 1 ? "slower"
				       : "faster",
		    how);
		table_cell(t, row->run.framework_version);
		table_cell(t, before.date);
		table_cell(t, before.commit);
		put_change(t, how, c);
		cell_count(t, how,
		    (long)(found != NULL ? c->at - c->before : of->n_points));
		cell_count(t, how, (long)(c->end - c->at));
		cell_count(t, how, (long)count_doubtful(of, c));
		cell_unrounded(t, of->correlation);
		cell_count(t, how, of->n_hosts > 0);
		end_flat_row(t, set, row,
		    history_sentence(set, &set->findings[i], LANGUAGE_EN),
		    of->c->name);
	}
}

void
history_write(
    struct trend_set *set, int when, const struct report_how *how, FILE *f)
{
	struct report_tables list = { NULL, 0, 0 };
	struct table *t = report_tables_add(&list);

	if (how->flat)
		t->name = when ? "changes" : "history";
	if (when && how->flat)
		make_flat_changes(set, how, t);
	else if (how->flat)
		make_flat(set, how, t);
	else if (!when)
		history_table_make(set, how, t);
	for (size_t i = 0; when && !how->flat && i < set->n_findings; i++) {
		char *text = arena_strdup(&set->arena,
		    history_sentence(set, &set->findings[i], how->lang));

		/* Names of commits and hosts may contain terminal escape
		 * sequences. */
		text_sanitise(text, "");
		fprintf(f, "%s\n", text);
	}
	if (how->flat || !when)
		report_tables_write(&list, how, f);
	report_tables_release(&list);
}
