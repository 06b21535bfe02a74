#include <config.h>

#include "report/parts/notes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/arena.h"
#include "common/result/measured_text.h"
#include "common/texts/remark.h"
#include "common/series/metric_choice.h"
#include "common/stats/rank_test.h"
#include "common/strbuf.h"
#include "common/units/units.h"
#include "report/parts/cell.h"

enum { NAMED_EXCLUDED = 8 }; /* then only their number */

/* --- rules and origins ---------------------------------------------------- */

/* A series whose rule is that of all series that have one; NULL if there is
 * none or several. */
static const struct series *
common_rule(const struct panel *p)
{
	const struct series *with = NULL;
	const char *rule = NULL;

	for (size_t i = 0; i < p->n; i++) {
		const char *own = p->s[i]->values[SERIES_RULE];

		if (own == NULL)
			continue;
		if (rule != NULL && strcmp(rule, own) != 0)
			return NULL;
		rule = own;
		with = p->s[i];
	}
	return with;
}

const char *
notes_rule_text(const struct panel *p, struct arena *a, enum language lang)
{
	const struct series *ruled = common_rule(p);
	const struct series_point *point;

	if (ruled == NULL)
		return NULL;
	point = &ruled->points[0];
	return measured_text(
	    a, &point->source->result.rule, point->c->rule, lang);
}

/* From what the metric is, in the first run. */
static void
note_metric(struct table *t, const struct run_metric *metric,
    const struct series_point *first)
{
	const struct result_metric *m = first->c->n_runs > 0
	    ? run_metric_of(&first->c->runs[0], metric->name)
	    : NULL;

	if (m != NULL && m->source != NULL)
		table_note(t, "%s: %s (%s)", metric->name, m->source,
		    first->c->runs[0].path);
}

static int
same_rule(const struct series *a, const struct series *b)
{
	const char *x = a->values[SERIES_RULE], *y = b->values[SERIES_RULE];

	return x != NULL && y != NULL && strcmp(x, y) == 0;
}

/* The rule of series i, with the names of all that have it; nothing where one
 * before has. */
static void
note_rule_of(struct series_set *set, struct table *t, const struct panel *p,
    size_t i, enum language lang)
{
	const struct series_point *point = &p->s[i]->points[0];
	const uint64_t keys =
	    p->differing & ~(SERIES_BIT(SERIES_RULE) | SERIES_BIT(SERIES_UNIT));
	struct strbuf sb;

	if (p->s[i]->values[SERIES_RULE] == NULL)
		return;
	for (size_t k = 0; k < i; k++)
		if (same_rule(p->s[k], p->s[i]))
			return;
	strbuf_init(&sb, 1 << 16);
	for (size_t k = i; k < p->n; k++)
		if (same_rule(p->s[k], p->s[i]))
			strbuf_printf(&sb, "%s%s",
			    sb.len > 0 ? message(MESSAGE_COMMA, lang) : "",
			    series_text(set, p->s[k], keys, lang));
	table_note(t, "%s: %s%s%s", message(MESSAGE_RULE, lang), sb.buf,
	    sb.len > 0 ? ": " : "",
	    measured_text(&set->arena, &point->source->result.rule,
		point->c->rule, lang));
	strbuf_release(&sb);
}

void
notes_rules(struct series_set *set, struct table *t, const struct panel *p,
    enum language lang)
{
	const char *rule = notes_rule_text(p, &set->arena, lang);

	if (rule != NULL)
		table_note(t, "%s: %s", message(MESSAGE_RULE, lang), rule);
	for (size_t i = 0; i < p->n && rule == NULL; i++)
		note_rule_of(set, t, p, i, lang);
}

/* The rules of the cases of one series, each once and named where there are
 * several. */
static void
note_rules_of_cases(struct table *t, const struct series *s, enum language lang)
{
	const char *first = s->points[0].c->rule;
	int several = 0;

	for (size_t i = 1; i < s->n_points; i++)
		several |= strcmp(s->points[i].c->rule, first) != 0;
	for (size_t i = 0; i < s->n_points; i++) {
		const struct series_point *p = &s->points[i];
		size_t k = 0;

		while (strcmp(s->points[k].c->rule, p->c->rule) != 0)
			k++;
		if (k == i)
			table_note(t, "%s%s%s: %s", several ? "rule " : "",
			    several ? p->c->rule : "",
			    several ? " measured" : message(MESSAGE_RULE, lang),
			    measured_text(&t->arena, &p->source->result.rule,
				p->c->rule, lang));
	}
}

/* How the panel was measured, each of its rules; and which of its reference
 * values have no known one. */
static void
note_rule(struct series_set *set, struct table *t, const struct panel *p,
    const struct report_how *how)
{
	const enum language lang = how->lang;
	const struct series_point *first = &p->s[0]->points[0];
	const struct run_metric *metric =
	    metric_choice_of(&first->source->result);
	size_t unknown = 0;

	if (metric != NULL)
		note_metric(t, metric, first);
	if (metric == NULL || metric->of_window) {
		if (how->of_logs)
			note_rules_of_cases(t, p->s[0], lang);
		else
			notes_rules(set, t, p, lang);
	}
	for (size_t i = 0; i < p->n; i++)
		unknown += series_is_published(p->s[i]) &&
		    p->s[i]->values[SERIES_RULE] == NULL;
	if (unknown == p->n)
		table_note(t, "%s", message(MESSAGE_RULE_UNKNOWN, lang));
	for (size_t i = 0; i < p->n && unknown < p->n; i++)
		if (series_is_published(p->s[i]) &&
		    p->s[i]->values[SERIES_RULE] == NULL)
			table_note(t, "%s: %s",
			    p->s[i]->values[SERIES_FRAMEWORK],
			    message(MESSAGE_RULE_UNKNOWN, lang));
}

void
notes_origins(struct table *t, const struct series_set *set, enum language lang)
{
	const struct result_file *s = NULL;

	while ((s = series_next_source(set, s)) != NULL)
		for (size_t i = 0; i < s->n_origins; i++)
			table_note(t, "%s: %s",
			    message(MESSAGE_PUBLISHED_AT, lang), s->origins[i]);
}

/* --- intervals ------------------------------------------------------------ */

/* A level that some intervals of a table have, and what they stand on. */
struct level_row {
	double level;
	long runs, base_runs; /* base_runs RESULT_UNKNOWN: of no baseline */
};

struct level_rows {
	struct level_row *items;
	size_t n, alloc;
};

static void
add_level(struct level_rows *rows, double level, long runs, long base_runs,
    const struct report_how *how)
{
	if (isnan(level) &&
	    (runs != 1 || base_runs != RESULT_UNKNOWN || how->of_logs))
		return;
	for (size_t i = 0; i < rows->n; i++)
		if ((fabs(rows->items[i].level - level) < 1e-12 || runs == 1) &&
		    rows->items[i].runs == runs &&
		    rows->items[i].base_runs == base_runs)
			return;
	rows->items =
	    vec_grow(rows->items, rows->n, &rows->alloc, sizeof *rows->items);
	rows->items[rows->n++] = (struct level_row){ level, runs, base_runs };
}

static void
add_level_text(struct strbuf *sb, const struct level_row *row,
    double confidence, enum language lang)
{
	char level[UNITS_TEXT_SIZE], runs[UNITS_TEXT_SIZE],
	    base[UNITS_TEXT_SIZE];
	const char *texts[] = { level, runs, base, NULL };

	if (sb->len > 0)
		strbuf_addstr(sb, message(MESSAGE_COMMA, lang));
	if (isnan(row->level)) {
		strbuf_addstr(sb, message(MESSAGE_NO_INTERVAL, lang));
		return;
	}
	percent_format_apart(level, row->level, confidence, 2);
	snprintf(runs, sizeof runs, "%ld", row->runs);
	snprintf(base, sizeof base, "%ld", row->base_runs);
	message_fill(sb,
	    row->base_runs == RESULT_UNKNOWN ? MESSAGE_LEVEL_RUNS
					     : MESSAGE_LEVEL_TWO_RUNS,
	    lang, texts);
}

/* What it would take, where a level is below what was asked for. */
static void
add_level_takes(struct strbuf *sb, const struct level_rows *rows,
    double confidence, enum language lang)
{
	char asked[UNITS_TEXT_SIZE], runs[UNITS_TEXT_SIZE];
	const char *texts[] = { asked, runs, NULL };
	const int of_two = rows->items[0].base_runs != RESULT_UNKNOWN;
	int short_of = 0;

	for (size_t i = 0; i < rows->n; i++)
		short_of |= !(rows->items[i].level >= confidence);
	if (!short_of)
		return;
	snprintf(asked, sizeof asked, "%.6g %%", 100 * confidence);
	snprintf(
	    runs, sizeof runs, "%ld", rank_test_runs_for(confidence, of_two));
	strbuf_addstr(sb, "; ");
	message_fill(sb, of_two ? MESSAGE_LEVEL_TAKES_TWO : MESSAGE_LEVEL_TAKES,
	    lang, texts);
}

static void
note_level_rows(struct table *t, enum message what,
    const struct level_rows *rows, double confidence, enum language lang)
{
	struct strbuf sb;

	if (rows->n == 0)
		return;
	strbuf_init(&sb, 1 << 16);
	for (size_t i = 0; i < rows->n; i++)
		add_level_text(&sb, &rows->items[i], confidence, lang);
	add_level_takes(&sb, rows, confidence, lang);
	table_note(t, "%s: %s", message(what, lang), sb.buf);
	strbuf_release(&sb);
}

/* The case that the speedup of a point is over.  The one series of extract_logs
 * has cases of several configurations. */
static const struct result_case *
baseline_of(const struct series *s, const struct series_point *p,
    const struct report_how *how)
{
	const struct series_point *base;

	if (how->of_logs)
		return case_baseline(&p->source->result, p->c);
	base = series_baseline(s, p->c);
	return base != NULL ? base->c : NULL;
}

/* The levels that the intervals of the panel reach, with the runs that they
 * stand on; and how many runs the asked one takes where one falls short. */
static void
note_levels(struct table *t, const struct panel *p, enum notes_of of,
    const struct report_how *how)
{
	const enum language lang = how->lang;
	struct level_rows median = { NULL, 0, 0 }, speedup = { NULL, 0, 0 };
	double confidence = 0;
	int within = 0;

	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->s[i]->n_points; k++) {
			const struct series_point *point = &p->s[i]->points[k];
			const struct result_case *c = point->c;
			const struct result_case *base =
			    baseline_of(p->s[i], point, how);
			const double asked =
			    point->source->result.rule.confidence;

			within |= !isnan(case_within_run(c));
			confidence = fmax(confidence, asked);
			add_level(&median, c->median_level, c->n,
			    RESULT_UNKNOWN, how);
			if (base != NULL)
				add_level(&speedup, c->speedup_level, c->n,
				    base->n, how);
		}
	note_level_rows(t, MESSAGE_OF_MEDIAN, &median, confidence, lang);
	if (within)
		table_note(t, "%s", message(MESSAGE_WITHIN_MEANS, lang));
	if (of == NOTES_SPEEDUPS)
		note_level_rows(
		    t, MESSAGE_OF_SPEEDUP, &speedup, confidence, lang);
	free(median.items);
	free(speedup.items);
}

/* Does a case before this one stand on a baseline of that name? */
static int
is_repeated_baseline(
    const struct panel *p, size_t series, size_t point, const char *name)
{
	for (size_t i = 0; i <= series; i++)
		for (size_t k = 0; k < (i < series ? p->s[i]->n_points : point);
		     k++) {
			const struct result_case *c = p->s[i]->points[k].c;

			if (c->baseline != NULL && isfinite(c->speedup) &&
			    strcmp(c->baseline, name) == 0)
				return 1;
		}
	return 0;
}

/* The baselines of the panel's speedups, each once, whether they are in the
 * table or not, and why one is not 1n1g. */
static void
note_baseline(
    struct table *t, const struct panel *p, const struct report_how *how)
{
	const enum language lang = how->lang;

	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->s[i]->n_points; k++) {
			const struct result_case *c = p->s[i]->points[k].c;
			const struct result_case *base;

			if (c->baseline == NULL ||
			    !(isfinite(c->speedup) ||
				(how->of_logs && cell_is_baseline(c))) ||
			    is_repeated_baseline(p, i, k, c->baseline))
				continue;
			base = baseline_of(p->s[i], &p->s[i]->points[k], how);
			table_note(t, "%s: %s%s%s%s",
			    message(MESSAGE_BASELINE, lang),
			    base != NULL
				? series_case_name(&t->arena, base, lang)
				: c->baseline,
			    c->baseline_flag ? " (" : "",
			    c->baseline_flag ? message(MESSAGE_NO_1N1G, lang)
					     : "",
			    c->baseline_flag ? ")" : "");
		}
}

/* "backend=MPI, 1n1g": the case, and what of the panel it is of. */
static const char *
doubtful_case(struct series_set *set, const struct panel *p,
    const struct series *s, const struct series_point *point,
    enum language lang)
{
	const char *of =
	    series_text(set, s, p->differing & ~SERIES_BIT(SERIES_UNIT), lang);

	return arena_printf(&set->arena, "%s%s%s", of,
	    of[0] != '\0' ? message(MESSAGE_COMMA, lang) : "",
	    series_case_name(&set->arena, point->c, lang));
}

/* The log lines that cells of failed cases stand on. */
static void
note_failed(struct series_set *set, struct table *t, const struct panel *p,
    enum language lang)
{
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->s[i]->n_points; k++) {
			const struct series_point *x = &p->s[i]->points[k];

			if (x->failed != NULL)
				table_note(t, "%s: %s: %s", x->text,
				    doubtful_case(set, p, p->s[i], x, lang),
				    excluded_text(x->failed, lang, &t->arena));
		}
}

void
notes_measured(struct series_set *set, struct table *t, const struct panel *p,
    enum notes_of of, const struct report_how *how)
{
	if (of == NOTES_SPEEDUPS)
		note_baseline(t, p, how);
	note_levels(t, p, of, how);
	note_rule(set, t, p, how);
	note_failed(set, t, p, how->lang);
}

static void
note_doubt(struct table *t, const char *of, const struct published_doubt *d,
    enum language lang)
{
	const char *const list[] = { of, message(d->what, lang), d->written,
		d->from, d->gives, NULL };
	struct strbuf sb;

	strbuf_init(&sb, 1 << 16);
	message_fill(&sb, MESSAGE_DOUBT, lang, list);
	table_note(t, "%s", sb.buf);
	strbuf_release(&sb);
}

static void
point_doubts(struct series_set *set, struct table *t, const struct panel *p,
    const struct series *s, const struct series_point *point,
    enum language lang)
{
	const struct result_file *f = point->source;

	for (size_t j = 0; j < f->n_doubts; j++)
		if (f->doubts[j].index == point->index)
			note_doubt(t, doubtful_case(set, p, s, point, lang),
			    &f->doubts[j], lang);
}

void
notes_doubts(struct series_set *set, struct table *t, const struct panel *p,
    enum language lang)
{
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->s[i]->n_points; k++)
			point_doubts(
			    set, t, p, p->s[i], &p->s[i]->points[k], lang);
}

/* --- what does not count -------------------------------------------------- */

/* Is it one that a cell of the set stands for? */
static int
is_shown(const struct series_set *set, const struct result_excluded *x)
{
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++)
			if (set->items[i].points[k].failed == x)
				return 1;
	return 0;
}

void
notes_excluded(
    struct table *t, const struct series_set *set, enum language lang)
{
	const struct result_file *s = NULL;
	const char *what = message(MESSAGE_EXCLUDED, lang);
	const int several =
	    series_next_source(set, series_next_source(set, NULL)) != NULL;

	while ((s = series_next_source(set, s)) != NULL) {
		const struct result *r = &s->result;
		const char *of = several ? s->name : "";
		const char *gap = several ? ": " : "";
		size_t n = 0;

		for (size_t i = 0; i < r->n_excluded; i++) {
			const struct result_excluded *x = &r->excluded[i];

			if (is_shown(set, x) || n++ >= NAMED_EXCLUDED)
				continue;
			table_note(t, "%s: %s%s%s (%s): %s", what, of, gap,
			    x->path, remark_word(x->reason, lang),
			    excluded_text(x, lang, &t->arena));
		}
		if (n > NAMED_EXCLUDED)
			table_note(t, "%s: %s%s+%zu", what, of, gap,
			    n - NAMED_EXCLUDED);
	}
}

/* --- flags ---------------------------------------------------------------- */

void
notes_flags(struct table *t, const struct case_flags *flags)
{
	for (size_t i = 0; i < flags->n; i++)
		table_note(t, "%s: %s", flags->marks[i], flags->sentences[i]);
}

int
notes_panel_is_flagged(const struct panel *p)
{
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->s[i]->n_points; k++) {
			const struct result_case *c = p->s[i]->points[k].c;

			for (size_t j = 0; j < c->n_runs; j++)
				if (c->runs[j].n_flags > 0)
					return 1;
		}
	return 0;
}
