/* What is doubtful about the numbers of a page: each doubt once, with the cases
 * that it is of.  page.c calls it.  It weighs nothing itself but the width of
 * intervals and the number of runs: flags were made by extract_logs. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/case_text.h"
#include "common/stats/rank_test.h"
#include "common/texts/messages.h"
#include "common/units/units.h"
#include "report/page/page_messages.h"
#include "report/page/page_parts.h"
#include "report/parts/cell.h"
#include "report/parts/notes.h"

enum { MAX_DOUBTS = 40, MAX_NAMED = 8 };

/* Ends of an interval further from its middle number than this are doubtful. */
static const double wide = 0.05;

/* How far an end is from the middle: more than what is doubtful, printed so. */
static const char *
reach_text(struct arena *a, double reach)
{
	return arena_printf(a, "%.*f %%",
	    decimals_apart(100 * reach, 100 * wide, 0), 100 * reach);
}

/* Worse ones come first. */
enum doubt_rank {
	DOUBT_FAILED,
	DOUBT_FLAG,
	DOUBT_WIDE,
	DOUBT_RUNS,
	DOUBT_BASELINE
};

struct page_doubt {
	const char *text;
	enum doubt_rank rank;
	size_t first; /* its place among all, which keeps the order */
	struct doubt_case {
		const struct result_case *c;
		const char *name;
		const char *more; /* of this case alone, or NULL */
	} * cases;
	size_t n, alloc;
};

struct page_doubts {
	struct page_doubt *items;
	size_t n, alloc;
};

static void
add_doubt(const struct html_page *pg, struct page_doubts *l,
    enum doubt_rank rank, const char *text, const struct series *s,
    const struct result_case *c, const char *more)
{
	struct page_doubt *d;
	size_t i = 0;

	while (i < l->n && strcmp(l->items[i].text, text) != 0)
		i++;
	if (i == l->n) {
		l->items =
		    vec_grow(l->items, l->n, &l->alloc, sizeof *l->items);
		l->items[l->n++] = (struct page_doubt){
			.text = text, .rank = rank, .first = i
		};
	}
	d = &l->items[i];
	d->cases = vec_grow(d->cases, d->n, &d->alloc, sizeof *d->cases);
	d->cases[d->n++] =
	    (struct doubt_case){ c, page_case_name(pg, s, c), more };
}

/* How far the farther end of an interval is from x, as a share; NAN: it has
 * none. */
static double
interval_reach(double x, double low, double high)
{
	return fmax(high - x, x - low) / x;
}

static void
add_wide(const struct html_page *pg, struct page_doubts *l,
    const struct series *s, const struct result_case *c)
{
	const enum language lang = pg->how->lang;
	const double median =
	    interval_reach(c->median_speed, c->median_low, c->median_high);
	const double speedup =
	    interval_reach(c->speedup, c->speedup_low, c->speedup_high);

	if (median > wide)
		add_doubt(pg, l, DOUBT_WIDE,
		    page_message_text(PAGE_WIDE_MEDIAN, lang), s, c,
		    reach_text(&pg->set->arena, median));
	if (speedup > wide)
		add_doubt(pg, l, DOUBT_WIDE,
		    page_message_text(PAGE_WIDE_SPEEDUP, lang), s, c,
		    reach_text(&pg->set->arena, speedup));
}

/* One run, or fewer than the confidence that was asked for takes. */
static void
add_few_runs(const struct html_page *pg, struct page_doubts *l,
    const struct series *s, const struct series_point *p)
{
	const double asked = p->source->result.rule.confidence;
	const enum language lang = pg->how->lang;
	const struct result_case *c = p->c;
	struct arena *a = &pg->set->arena;
	char level[UNITS_TEXT_SIZE];

	if (c->n == 1)
		add_doubt(pg, l, DOUBT_RUNS,
		    page_message_text(PAGE_ONE_RUN, lang), s, c, NULL);
	else if (c->median_level < asked)
		add_doubt(pg, l, DOUBT_RUNS,
		    page_message_fill(a, lang, PAGE_TOO_FEW_RUNS,
			arena_printf(a, "%ld", c->n),
			arena_printf(a, "%s %%",
			    short_format_apart(
				level, 100 * c->median_level, 100 * asked, 4)),
			arena_printf(a, "%.6g %%", 100 * asked),
			arena_printf(a, "%ld", rank_test_runs_for(asked, 0)),
			NULL),
		    s, c, NULL);
}

static void
add_flags(const struct html_page *pg, struct page_doubts *l,
    const struct series *s, const struct result_case *c)
{
	struct case_flags flags = CASE_FLAGS_INIT(pg->how->lang);

	case_flags_marks(&flags, c, &pg->set->arena);
	for (size_t i = 0; i < flags.n; i++)
		add_doubt(pg, l, DOUBT_FLAG, flags.sentences[i], s, c, NULL);
	case_flags_release(&flags);
}

/* Has no case of the series a speedup but the one that they would be over? */
static int
lacks_speedups(const struct series *s)
{
	for (size_t i = 0; i < s->n_points; i++)
		if (isfinite(s->points[i].c->speedup) &&
		    !cell_is_baseline(s->points[i].c))
			return 0;
	return 1;
}

static void
add_point(const struct html_page *pg, struct page_doubts *l,
    const struct series *s, size_t k)
{
	const struct series_point *p = &s->points[k];
	const struct result_case *c = p->c;
	const enum language lang = pg->how->lang;

	if (p->failed != NULL) {
		add_doubt(pg, l, DOUBT_FAILED,
		    arena_printf(&pg->set->arena, "%s: %s", p->text,
			excluded_text(p->failed, lang, &pg->set->arena)),
		    s, c, NULL);
		return;
	}
	add_flags(pg, l, s, c);
	add_wide(pg, l, s, c);
	if (k == 0 && lacks_speedups(s))
		add_doubt(pg, l, DOUBT_BASELINE,
		    page_message_text(PAGE_NO_SPEEDUP, lang), s, c, NULL);
	if (k == 0 && series_is_published(s))
		add_doubt(pg, l, DOUBT_RUNS,
		    page_message_text(PAGE_PUBLISHED_ONLY, lang), s, c, NULL);
	if (!series_is_published(s))
		add_few_runs(pg, l, s, p);
	if (c->baseline_flag && cell_is_baseline(c))
		add_doubt(pg, l, DOUBT_BASELINE,
		    page_message_text(PAGE_NO_1N1G, lang), s, c, NULL);
}

static int
compare_doubts(const void *pa, const void *pb)
{
	const struct page_doubt *a = pa, *b = pb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

/* --- writing -------------------------------------------------------------- */

static void
put_more(const struct html_page *pg, size_t n)
{
	page_message(pg->f, pg->how->lang, PAGE_MORE,
	    arena_printf(&pg->set->arena, "%zu", n), NULL);
}

static void
put_doubt(const struct html_page *pg, const struct page_doubt *d)
{
	const char *comma = message(MESSAGE_COMMA, pg->how->lang);

	fputs("<li>", pg->f);
	page_bdi(pg->f, d->text);
	for (size_t i = 0; i < d->n && i < MAX_NAMED; i++) {
		fputs(i == 0 ? ": " : comma, pg->f);
		page_link(pg, d->cases[i].c);
		page_bdi(pg->f, d->cases[i].name);
		fputs("</a>", pg->f);
		if (d->cases[i].more != NULL)
			fprintf(pg->f, " (%s)", d->cases[i].more);
	}
	if (d->n > MAX_NAMED) {
		fputs(comma, pg->f);
		put_more(pg, d->n - MAX_NAMED);
	}
	fputs("</li>\n", pg->f);
}

/* The files of which logs were excluded, a line each.  Returns how many. */
static size_t
put_excluded(const struct html_page *pg)
{
	const struct result_file *s = NULL;
	size_t n = 0;

	while ((s = series_next_source(pg->set, s)) != NULL) {
		struct arena *a = &pg->set->arena;

		if (s->result.n_excluded == 0 || n++ >= MAX_NAMED)
			continue;
		fputs("<li><a href=\"#excluded\">", pg->f);
		page_message(pg->f, pg->how->lang, PAGE_LOGS_EXCLUDED, s->name,
		    arena_printf(a, "%zu", s->result.n_excluded), NULL);
		fputs("</a></li>\n", pg->f);
	}
	if (n > MAX_NAMED) {
		fputs("<li>", pg->f);
		put_more(pg, n - MAX_NAMED);
		fputs("</li>\n", pg->f);
	}
	return n;
}

void
page_doubts(const struct html_page *pg)
{
	const enum language lang = pg->how->lang;
	struct page_doubts l = { NULL, 0, 0 };
	size_t n_excluded;

	for (size_t i = 0; i < pg->panels->n; i++)
		for (size_t k = 0; k < pg->panels->items[i].n; k++) {
			const struct series *s = pg->panels->items[i].s[k];

			for (size_t j = 0; j < s->n_points; j++)
				add_point(pg, &l, s, j);
		}
	if (l.n > 1)
		qsort(l.items, l.n, sizeof *l.items, compare_doubts);
	fprintf(pg->f,
	    "<section class=\"card doubt\" aria-labelledby=\"doubts\">\n"
	    "<h2 id=\"doubts\">%s</h2>\n<ul>\n",
	    page_message_text(PAGE_DOUBTS, lang));
	n_excluded = put_excluded(pg);
	for (size_t i = 0; i < l.n && i < MAX_DOUBTS; i++)
		put_doubt(pg, &l.items[i]);
	if (l.n > MAX_DOUBTS) {
		fputs("<li>", pg->f);
		put_more(pg, l.n - MAX_DOUBTS);
		fputs("</li>\n", pg->f);
	}
	if (l.n + n_excluded == 0)
		fprintf(pg->f, "<li>%s</li>\n",
		    page_message_text(PAGE_NO_DOUBT, lang));
	fputs("</ul>\n</section>\n", pg->f);
	for (size_t i = 0; i < l.n; i++)
		free(l.items[i].cases);
	free(l.items);
}
