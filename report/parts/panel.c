#include <config.h>

#include "report/parts/panel.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/hash_index.h"
#include "common/result/case_text.h"
#include "common/result/work_rate.h"
#include "common/series/series.h"
#include "common/stats/rank_test.h"
#include "common/text.h"
#include "common/texts/remark.h"
#include "common/units/units.h"
#include "report/parts/columns.h"

static int
point_next(const struct series *s, struct panel_point *x)
{
	if (x->next == s->n_points) {
		x->i++;
		x->next = 0;
		return 0;
	}
	x->s = s;
	x->p = &s->points[x->next++];
	x->c = x->p->c;
	return 1;
}

const char *
panel_written(const struct series_point *p, enum quantity q)
{
	const struct published_value *v = p->source->values;

	return v != NULL && v[p->index].written != NULL ? v[p->index].written[q]
							: NULL;
}

int
panel_next(const struct panel *p, struct panel_point *x)
{
	while (x->i < p->n)
		if (point_next(p->s[x->i], x))
			return 1;
	return 0;
}

int
panel_next_of_set(const struct series_set *set, struct panel_point *x)
{
	while (x->i < set->n)
		if (point_next(&set->items[x->i], x))
			return 1;
	return 0;
}

static int
panel_has_values(const void *panels, size_t i, const void *values)
{
	const struct panel *p = (const struct panel *)panels + i;

	return series_values_same(p->s[0]->values, values, p->keys);
}

struct panel_list
panel_split(struct series_set *set, uint64_t keys)
{
	struct arena *a = &set->arena;
	struct panel_list l = { NULL, 0 };
	struct hash_index by_values = HASH_INDEX_INIT;

	for (size_t i = 0; i < set->n; i++) {
		const char *const *values = set->items[i].values;
		const uint32_t hash = series_values_hash(0, values, keys);
		size_t k = hash_index_find(
		    &by_values, hash, panel_has_values, l.items, values);
		struct panel *p;

		if (k == HASH_INDEX_NONE) {
			k = l.n++;
			hash_index_add(&by_values, hash, k);
			l.items = arena_grow(a, l.items, k, sizeof *l.items);
			l.items[k].keys = keys;
		}
		p = &l.items[k];
		p->s = arena_grow(a, p->s, p->n, sizeof *p->s);
		p->s[p->n++] = &set->items[i];
	}
	hash_index_release(&by_values);
	for (size_t k = 0; k < l.n; k++)
		l.items[k].differing =
		    series_differing(l.items[k].s, l.items[k].n);
	return l;
}

struct panel
panel_of_all(const struct series_set *set, struct arena *a)
{
	struct panel p = { .differing = set->differing,
		.s = arena_calloc(a, set->n + 1, sizeof *p.s),
		.n = set->n };

	for (size_t i = 0; i < set->n; i++)
		p.s[i] = &set->items[i];
	return p;
}

const char *
panel_title(struct series_set *set, const struct panel *p, uint64_t without,
    enum language lang)
{
	uint64_t mask = p->keys | ~p->differing;

	mask &= ~(without | SERIES_BIT(SERIES_UNIT) | SERIES_BIT(SERIES_WORK) |
	    SERIES_BIT(SERIES_RULE) | SERIES_BIT(SERIES_KIND));
	return series_text(set, p->s[0], mask, lang);
}

const char *
panel_series_name(
    struct series_set *set, const struct panel *p, size_t i, enum language lang)
{
	const struct series *s = p->s[i];
	const uint64_t differing = p->differing & ~SERIES_BIT(SERIES_UNIT);
	const char *name = series_text(set, s, differing, lang);

	if (name[0] == '\0')
		name = series_text(set, s, SERIES_BIT(SERIES_FRAMEWORK), lang);
	if (name[0] != '\0')
		return name;
	return message(
	    series_is_published(s) ? MESSAGE_PUBLISHED : MESSAGE_MEASURED,
	    lang);
}

/* --- links ---------------------------------------------------------------- */

static int
compare_links(const void *pa, const void *pb)
{
	const uintptr_t a = (uintptr_t)((const struct case_link *)pa)->c;
	const uintptr_t b = (uintptr_t)((const struct case_link *)pb)->c;

	return (a > b) - (a < b);
}

struct case_links
case_links_of(const struct panel_list *panels, struct arena *a)
{
	struct case_links l = { NULL, 0 };

	for (size_t i = 0; i < panels->n; i++)
		for (struct panel_point x = { NULL };
		     panel_next(&panels->items[i], &x); l.n++) {
			l.items = arena_grow(a, l.items, l.n, sizeof *l.items);
			l.items[l.n] = (struct case_link){ x.c, l.n };
		}
	if (l.n > 1)
		qsort(l.items, l.n, sizeof *l.items, compare_links);
	return l;
}

long
case_links_number(const struct case_links *l, const struct result_case *c)
{
	const struct case_link key = { c, 0 };
	const struct case_link *found =
	    bsearch(&key, l->items, l->n, sizeof key, compare_links);

	return found != NULL ? (long)found->number : CASE_NO_LINK;
}

void
case_links_cell(
    const struct case_links *l, struct table *t, const struct result_case *c)
{
	const long number = l != NULL ? case_links_number(l, c) : CASE_NO_LINK;
	struct table_cell *cell = table_last_cell(t);

	if (number != CASE_NO_LINK && cell->text[0] != '\0')
		cell->link = arena_printf(&t->arena, "#case-%ld", number);
}

enum { NAMED_EXCLUDED = 8 }; /* more are only counted */

/* --- texts ---------------------------------------------------------------- */

void
note_message(struct table *t, enum language lang, enum message what, ...)
{
	va_list list;

	va_start(list, what);
	table_note(
	    t, "%s", text_fill_list(&t->arena, message(what, lang), list));
	va_end(list);
}

/* --- rules and origins ---------------------------------------------------- */

/* How a case was measured; if that is unknown, "" for a published case, NULL
 * for others. */
static const char *
rule_of(const struct panel_point *x, struct arena *a, enum language lang)
{
	/* The series of extract_logs has no values. */
	if (x->c->rule != NULL || x->s->values[SERIES_RULE] != NULL)
		return measured_text(
		    a, &x->p->source->result.rule, x->c->rule, lang);
	return series_is_published(x->s) ? "" : NULL;
}

const char *
notes_rule_text(const struct panel *p, struct arena *a, enum language lang)
{
	const char *common = NULL;

	for (struct panel_point x = { NULL }; panel_next(p, &x);) {
		const char *own = rule_of(&x, a, lang);

		if (own == NULL || own[0] == '\0')
			continue;
		if (common != NULL && strcmp(common, own) != 0)
			return NULL;
		common = own;
	}
	return common;
}

void
notes_rules(struct series_set *set, struct table *t, const struct panel *p,
    enum language lang)
{
	const uint64_t keys = p->differing &
	    ~(SERIES_BIT(SERIES_RULE) | SERIES_BIT(SERIES_UNIT) |
		SERIES_BIT(SERIES_KIND));
	struct arena *a = &t->arena;
	struct measured_so {
		const char *rule;
		/* Names of the series measured by the rule; without a set, of
		 * their rules. */
		struct strbuf names;
		const char *last;
	} *rules = NULL;
	size_t n = 0, known = 0, k;

	for (struct panel_point x = { NULL }; panel_next(p, &x);) {
		const char *own = rule_of(&x, a, lang), *name;

		if (own == NULL)
			continue;
		for (k = 0; k < n; k++)
			if (strcmp(rules[k].rule, own) == 0)
				break;
		if (k == n) {
			rules = arena_grow(a, rules, n, sizeof *rules);
			rules[n++] = (struct measured_so){ own,
				STRBUF_INIT(SIZE_MAX), NULL };
			known += own[0] != '\0';
		}
		name =
		    set != NULL ? series_text(set, x.s, keys, lang) : x.c->rule;
		if (name[0] != '\0' && !text_same(name, rules[k].last))
			strbuf_printf(&rules[k].names, "%s%s",
			    rules[k].names.len > 0
				? message(MESSAGE_COMMA, lang)
				: "",
			    name);
		rules[k].last = name;
	}
	for (k = 0; k < n; k++) {
		const int is_known = rules[k].rule[0] != '\0';
		const char *names = strbuf_finish(&rules[k].names, a);
		const char *colon = names[0] != '\0' ? ": " : "";

		if ((is_known ? known : n) < 2)
			names = colon = "";
		if (is_known)
			table_note(t, "%s: %s%s%s", message(MESSAGE_RULE, lang),
			    names, colon, rules[k].rule);
		else
			table_note(t, "%s%s%s", names, colon,
			    message(MESSAGE_RULE_UNKNOWN, lang));
	}
}

/* Note how the panel was measured: the source of its metric in the first run,
 * units that are counted as one, and its rules. */
static void
note_rule(struct series_set *set, struct table *t, const struct panel *p,
    const struct report_how *how)
{
	const struct series_point *first = &p->s[0]->points[0];
	const struct run_metric *metric =
	    run_metric_find(first->source->result.rule.metric);
	const struct result_metric *m = NULL;

	if (metric != NULL && first->c->n_runs > 0)
		m = run_metric_of(&first->c->runs[0], metric->name);
	if (m != NULL && m->source != NULL)
		table_note(t, "%s: %s (%s)", metric->name, m->source,
		    first->c->runs[0].path);
	for (struct panel_point x = { NULL }; panel_next(p, &x);)
		if (x.p->source->united != NULL &&
		    unit_counts_samples(x.c->unit)) {
			note_message(t, how->lang, MESSAGE_UNITS_UNITED,
			    x.p->source->united);
			break;
		}
	if (metric == NULL || metric->of_window)
		notes_rules(set, t, p, how->lang);
}

void
notes_origins(struct table *t, const struct series_set *set, enum language lang)
{
	const struct result_file *s = NULL;

	while ((s = series_next_source(set, s)) != NULL)
		for (size_t i = 0; i < s->n_origins; i++)
			table_note(t, "%s: %s",
			    message(MESSAGE_PUBLISHED, lang), s->origins[i]);
}

/* --- levels --------------------------------------------------------------- */

void
levels_add(
    struct arena *a, struct level_list *l, double level, long runs, long others)
{
	for (size_t i = 0; i < l->n; i++)
		if ((fabs(l->items[i].level - level) < 1e-12 || runs == 1) &&
		    l->items[i].runs == runs && l->items[i].others == others)
			return;
	l->items = arena_grow(a, l->items, l->n, sizeof *l->items);
	l->items[l->n++] = (struct level_row){ level, runs, others };
}

void
levels_note(struct table *t, enum message what, struct level_list *l,
    enum level_kind kind, double confidence, enum language lang)
{
	static const enum message reached[] = { MESSAGE_LEVEL_RUNS,
		MESSAGE_LEVEL_TWO_RUNS, MESSAGE_LEVEL_PAIRS };
	static const enum message takes[] = { MESSAGE_LEVEL_TAKES,
		MESSAGE_LEVEL_TAKES_TWO, MESSAGE_LEVEL_TAKES_PAIRS };
	const char *comma = message(MESSAGE_COMMA, lang), *text = "";
	const size_t n = l->most > 0 && l->most < l->n ? l->most : l->n;
	struct arena *a = &t->arena;
	char level[UNITS_TEXT_SIZE];
	long needed = 1;
	int short_of = 0;

	for (size_t i = 0; i < n; i++) {
		const struct level_row *row = &l->items[i];

		short_of |= !(row->level >= confidence);
		percent_format(level, row->level,
		    decimals_apart(100 * row->level, 100 * confidence, 2));
		text = arena_join(a, text, comma,
		    isnan(row->level)
			? message(MESSAGE_NO_INTERVAL, lang)
			: text_fill(a, message(reached[kind], lang), level,
			      arena_printf(a, "%ld", row->runs),
			      arena_printf(a, "%ld", row->others)));
	}
	if (n < l->n)
		text = arena_printf(a, "%s%s...", text, comma);
	needed = rank_test_runs_for((1 - confidence) / 2, kind != LEVEL_OF_TWO);
	if (short_of)
		text = arena_printf(a, "%s; %s", text,
		    text_fill(a, message(takes[kind], lang),
			arena_printf(a, "%.6g %%", 100 * confidence),
			arena_printf(a, "%ld", needed)));
	if (n > 0)
		table_note(t, "%s: %s",
		    text_fill(a, message(MESSAGE_INTERVAL_OF, lang),
			message(what, lang)),
		    text);
}

/* --- intervals ------------------------------------------------------------ */

/* Baseline of a point's speedup. For logs it is c->base, since the only series
 * of extract_logs has cases of several configurations. */
static const struct result_case *
baseline_of(const struct panel_point *x, const struct report_how *how)
{
	const struct series_point *base = series_baseline(x->s, x->c);

	return how->of_logs ? x->c->base : base != NULL ? base->c : NULL;
}

enum { MAX_NAMES = 1 << 20 /* bytes */ };

/* Note the baselines of the panel's speedups, each once, with the names of its
 * series if there are several and a set, and why one is not 1n1g. */
static void
note_baseline(struct series_set *set, struct table *t, const struct panel *p,
    const struct report_how *how)
{
	const enum language lang = how->lang;
	struct over {
		struct panel_point first;
		const struct series *last; /* that was named */
		struct strbuf names;
	} *list = NULL;
	size_t n = 0, k;

	for (struct panel_point x = { NULL }; panel_next(p, &x);) {
		if (x.c->baseline == NULL || !isfinite(x.c->speedup))
			continue;
		for (k = 0; k < n; k++)
			if (text_same(list[k].first.c->baseline, x.c->baseline))
				break;
		if (k == n) {
			list = arena_grow(&t->arena, list, n++, sizeof *list);
			list[k] =
			    (struct over){ x, NULL, STRBUF_INIT(MAX_NAMES) };
		}
		if (set != NULL && list[k].last != x.s)
			strbuf_printf(&list[k].names, "%s%s",
			    list[k].names.len > 0 ? message(MESSAGE_COMMA, lang)
						  : "",
			    panel_series_name(set, p, x.i, lang));
		list[k].last = x.s;
	}
	for (k = 0; k < n; k++) {
		const struct result_case *c = list[k].first.c;
		const struct result_case *base =
		    baseline_of(&list[k].first, how);

		table_note(t, "%s%s: %s%s", message(MESSAGE_BASELINE, lang),
		    n > 1 && set != NULL
			? arena_printf(&t->arena, " (%s)", list[k].names.buf)
			: "",
		    base != NULL ? series_case_name(&t->arena, base, lang)
				 : c->baseline,
		    c->baseline_flag ? arena_printf(&t->arena, " (%s)",
					   message(MESSAGE_NO_1N1G, lang))
				     : "");
		strbuf_release(&list[k].names);
	}
}

/* Note if scaling looks strong although weak scaling was measured. */
static void
note_looks_strong(struct table *t, const struct panel *p, enum language lang)
{
	const struct result_case **cases = NULL;
	size_t n = 0;
	int strong = 0;

	for (struct panel_point x = { NULL }; panel_next(p, &x);) {
		cases = arena_grow(&t->arena, cases, n, sizeof *cases);
		cases[n++] = x.c;
		strong |= result_rule_is_strong(&x.p->source->result.rule);
	}
	if (!strong && result_cases_look_strong(cases, n))
		note_message(t, lang, MESSAGE_LOOKS_STRONG);
}

/* "backend=MPI, 1n1g": the configuration within the panel, and the case. */
static const char *
doubtful_case(struct series_set *set, const struct panel *p,
    const struct panel_point *x, enum language lang)
{
	const uint64_t keys = p->differing & ~SERIES_BIT(SERIES_UNIT);

	return arena_join(&set->arena, series_text(set, x->s, keys, lang),
	    message(MESSAGE_COMMA, lang),
	    series_case_name(&set->arena, x->c, lang));
}

void
notes_measured(struct series_set *set, struct table *t, const struct panel *p,
    enum notes_of of, const struct report_how *how)
{
	struct level_list median = { NULL }, speedup = { NULL };
	double confidence = 0;
	int within = 0, olympic = 0;

	if (of == NOTES_SPEEDUPS)
		note_baseline(set, t, p, how);
	if (of == NOTES_SPEEDUPS &&
	    result_rule_is_strong(&p->s[0]->points[0].source->result.rule))
		note_message(t, how->lang, MESSAGE_STRONG);
	if (how->of_logs)
		note_looks_strong(t, p, how->lang);
	/* The levels that the panel's intervals reach with their runs, and how
	 * many runs the requested level needs. */
	for (struct panel_point x = { NULL }; panel_next(p, &x);) {
		const struct result_case *base = baseline_of(&x, how);

		within |= !isnan(case_within_run(x.c));
		olympic |= x.c->score != NULL;
		confidence =
		    fmax(confidence, x.p->source->result.rule.confidence);
		if (!isnan(x.c->median_level) || (x.c->n == 1 && !how->of_logs))
			levels_add(
			    &t->arena, &median, x.c->median_level, x.c->n, 0);
		if (base != NULL && !isnan(x.c->speedup_level))
			levels_add(&t->arena, &speedup, x.c->speedup_level,
			    x.c->n, base->n);
	}
	levels_note(t, olympic ? MESSAGE_OLYMPIC_MEAN : MESSAGE_MEDIAN, &median,
	    LEVEL_OF_RUNS, confidence, how->lang);
	if (within && of == NOTES_SPEEDUPS)
		table_note(t, "%s", message(MESSAGE_WITHIN_MEANS, how->lang));
	if (of == NOTES_SPEEDUPS)
		levels_note(t, MESSAGE_SPEEDUP, &speedup, LEVEL_OF_TWO,
		    confidence, how->lang);
	if (how->sessions)
		note_message(t, how->lang, MESSAGE_OF_SESSIONS);
	note_rule(set, t, p, how);
	/* The log lines that state the failures shown in cells. */
	for (struct panel_point x = { NULL }; panel_next(p, &x);)
		if (x.p->failed != NULL)
			table_note(t, "%s: %s: %s", x.p->text,
			    doubtful_case(set, p, &x, how->lang),
			    excluded_text(x.p->failed, how->lang, &t->arena));
}

/* --- what does not count -------------------------------------------------- */

void
notes_excluded(
    struct table *t, const struct series_set *set, enum language lang)
{
	const struct result_file *s = NULL;
	const char *what = message(MESSAGE_EXCLUDED, lang);
	const int several =
	    series_next_source(set, series_next_source(set, NULL)) != NULL;
	const struct panel all = panel_of_all(set, &t->arena);

	note_looks_strong(t, &all, lang);

	while ((s = series_next_source(set, s)) != NULL) {
		const struct result *r = &s->result;
		const char *of =
		    several ? arena_printf(&t->arena, "%s: ", s->name) : "";
		size_t n = 0;

		for (size_t i = 0; i < r->n_excluded; i++) {
			const struct result_excluded *x = &r->excluded[i];
			int shown = 0;

			/* A cell may show the failure. */
			for (struct panel_point p = { NULL };
			     panel_next_of_set(set, &p);)
				shown |= p.p->failed == x;
			if (!shown && n++ < NAMED_EXCLUDED)
				table_note(t, "%s: %s%s (%s): %s", what, of,
				    x->path, remark_word(x->reason, lang),
				    excluded_text(x, lang, &t->arena));
		}
		if (n > NAMED_EXCLUDED)
			table_note(
			    t, "%s: %s+%zu", what, of, n - NAMED_EXCLUDED);
	}
}

/* --- flags ---------------------------------------------------------------- */

void
notes_flags(struct table *t, const struct case_flags *flags)
{
	for (size_t i = 0; i < flags->n; i++)
		table_note(t, "%s: %s", flags->items[i].mark,
		    case_flag_text(&flags->items[i], flags->lang, &t->arena));
}

const char *
run_flags_text(
    const struct result_run *run, enum language lang, struct arena *a)
{
	struct strbuf sb = STRBUF_INIT(SIZE_MAX);

	for (size_t i = 0; i < run->n_flags; i++) {
		strbuf_addstr(&sb, i > 0 ? "; " : "");
		remark_add(&sb, &run->flags[i], NULL, lang);
	}
	return run->n_flags > 0 ? strbuf_finish(&sb, a) : NULL;
}
