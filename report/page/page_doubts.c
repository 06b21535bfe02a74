/* Doubts about the numbers of a page, each once with its cases: flags of the
 * results, wide intervals, too few runs, excluded logs. */
#include <config.h>

#include <math.h>
#include <stdlib.h>

#include "common/defaults.h"
#include "common/hash_index.h"
#include "common/stats/rank_test.h"
#include "common/units/units.h"
#include "report/page/page_parts.h"
#include "report/parts/cell.h"

enum { MAX_DOUBTS = 40, MAX_NAMED = 8 };

/* Relative distance of an interval's end from the value above which it is
 * doubtful. */
static const double wide = 0.05;

/* Severities; worse ones come first. */
enum doubt_rank {
	DOUBT_FAILED,
	DOUBT_FLAG,
	DOUBT_WIDE,
	DOUBT_RUNS,
	DOUBT_BASELINE
};

/* A doubt about a case. Doubts with the same text are one item of the list. */
struct page_doubt {
	const char *text;
	enum doubt_rank rank;
	size_t first, index; /* of the first with this text, and its own */
	const struct result_case *c;
	const char *name;
	const char *more; /* text of this case alone, or NULL */
};

struct page_doubts {
	const struct html_page *pg;
	struct page_doubt *items; /* [n] */
	const char **texts;       /* [n] of the items, until they are sorted */
	size_t n;
	size_t n_texts;    /* different ones */
	size_t n_excluded; /* files with excluded logs */
	int looks_strong;  /* scaling that was taken as weak */
	struct hash_index known;
};

/* Add a doubt.
 *
 * more  text of this case alone, or NULL */
static void
add_doubt(struct page_doubts *l, enum doubt_rank rank,
    const struct panel_point *x, const char *more, const char *en,
    const char *zh)
{
	const size_t n = l->n++;
	struct page_doubt *d;

	l->items = arena_grow(l->pg->a, l->items, n, sizeof *l->items);
	l->texts = arena_grow(l->pg->a, l->texts, n, sizeof *l->texts);
	l->texts[n] = page_words(l->pg, en, zh);
	d = &l->items[n];
	*d = (struct page_doubt){ l->texts[n], rank,
		hash_index_first(&l->known, l->texts, n), n, x->c,
		page_case_name(l->pg, x->s, x->c), more };
	l->n_texts += d->first == n;
}

/* Add the relative distance of the farther end of an interval from x, if it is
 * doubtful. */
static void
add_wide(struct page_doubts *l, const struct panel_point *at, double x,
    double low, double high, const char *en, const char *zh)
{
	const double reach = fmax(high - x, x - low) / x;

	if (reach > wide)
		add_doubt(l, DOUBT_WIDE, at,
		    arena_printf(l->pg->a, "%.*f %%",
			decimals_apart(100 * reach, 100 * wide, 0),
			100 * reach),
		    en, zh);
}

/* A single run, or fewer than the confidence level needs. */
static void
add_few_runs(struct page_doubts *l, const struct panel_point *x)
{
	const double asked = x->p->source->result.rule.confidence;
	struct arena *a = l->pg->a;
	char level[UNITS_TEXT_SIZE];
	const char *text;

	if (x->c->n == 1)
		add_doubt(l, DOUBT_RUNS, x, NULL,
		    "only one run: the variation between runs is unknown",
		    "仅一次运行，各次运行间的差异未知");
	if (x->c->n == 1 || !(x->c->median_level < asked) ||
	    (x->c->n >= DEFAULT_RUNS && asked <= DEFAULT_CONFIDENCE))
		return;
	short_format_apart(level, 100 * x->c->median_level, 100 * asked, 4);
	text = text_fill(a,
	    page_words(l->pg,
		"too few runs: @ give an interval of the median at only @ %; @ "
		"needs @",
		"运行次数不足：@ 次的中位数区间置信水平仅 @ %；@ 需 @ 次"),
	    arena_printf(a, "%ld", x->c->n), level,
	    arena_printf(a, "%.6g %%", 100 * asked),
	    arena_printf(a, "%ld", rank_test_runs_for((1 - asked) / 2, 1)));
	add_doubt(l, DOUBT_RUNS, x, NULL, text, text);
}

static void
add_point(struct page_doubts *l, const struct panel_point *x)
{
	const struct html_page *pg = l->pg;
	const struct result_case *c = x->c;
	const int is_first = x->p == x->s->points;
	struct case_flags flags = CASE_FLAGS_INIT(pg->lang);
	const char *text;
	int lacks = 1;

	if (x->p->failed != NULL) {
		text = arena_printf(pg->a, "%s: %s", x->p->text,
		    excluded_text(x->p->failed, pg->lang, pg->a));
		add_doubt(l, DOUBT_FAILED, x, NULL, text, text);
		return;
	}
	case_flags_marks(&flags, c, pg->a);
	for (size_t i = 0; i < flags.n; i++) {
		text = case_flag_text(&flags.items[i], pg->lang, pg->a);
		add_doubt(l, DOUBT_FLAG, x, NULL, text, text);
	}
	case_flags_release(&flags);
	add_wide(l, x, c->median_speed, c->median_low, c->median_high,
	    "wide interval: the median may be off by more than 5 %",
	    "区间较宽：中位数的误差可能超过 5 %");
	add_wide(l, x, c->speedup, c->speedup_low, c->speedup_high,
	    "wide interval: the speedup may be off by more than 5 %",
	    "区间较宽：加速比的误差可能超过 5 %");
	/* No case of the series but the baseline has a speedup. */
	for (size_t i = 0; is_first && i < x->s->n_points; i++)
		lacks &= !isfinite(x->s->points[i].c->speedup) ||
		    cell_is_baseline(x->s->points[i].c);
	if (is_first && lacks)
		add_doubt(l, DOUBT_BASELINE, x, NULL,
		    "no speedup: there is no case to compare it with",
		    "无加速比：没有可供比较的规模");
	if (!series_is_published(x->s))
		add_few_runs(l, x);
	else if (is_first)
		add_doubt(l, DOUBT_RUNS, x, NULL,
		    "published figures: the variation between runs is not "
		    "stated",
		    "公布的数据，未说明各次运行间的差异");
	if (c->baseline_flag && cell_is_baseline(c) && !lacks)
		add_doubt(l, DOUBT_BASELINE, x, NULL,
		    "the baseline is not 1n1g, which is missing",
		    "缺 1n1g，基线为其他规模");
}

static int
compare_doubts(const void *pa, const void *pb)
{
	const struct page_doubt *a = pa, *b = pb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* --- writing -------------------------------------------------------------- */

/* Write an item of n doubts with one text. */
static void
put_doubt(const struct html_page *pg, const struct page_doubt *d, size_t n)
{
	const char *comma = message(MESSAGE_COMMA, pg->lang);

	page_put(pg, "<li>@", d->text);
	for (size_t i = 0; i < n && i < MAX_NAMED; i++) {
		fputs(i == 0 ? ": " : comma, pg->f);
		page_link(pg, d[i].c);
		page_put(pg, "@</a>", d[i].name);
		if (d[i].more != NULL)
			fprintf(pg->f, " (%s)", d[i].more);
	}
	if (n > MAX_NAMED) {
		fputs(comma, pg->f);
		page_more(pg, n - MAX_NAMED);
	}
	fputs("</li>\n", pg->f);
}

/* An item "and k more" for the cases that are not named. */
static void
put_rest(const struct html_page *pg, size_t n, size_t most)
{
	if (n <= most)
		return;
	fputs("<li>", pg->f);
	page_more(pg, n - most);
	fputs("</li>\n", pg->f);
}

struct page_doubts *
page_doubts_new(const struct html_page *pg, size_t *n)
{
	struct page_doubts *l = arena_calloc(pg->a, 1, sizeof *l);
	const struct result_file *s = NULL;

	l->pg = pg;
	for (size_t i = 0; i < pg->panels->n; i++)
		for (struct panel_point x = { NULL };
		     panel_next(&pg->panels->items[i], &x);)
			add_point(l, &x);
	if (l->n > 1)
		qsort(l->items, l->n, sizeof *l->items, compare_doubts);
	while ((s = series_next_source(pg->set, s)) != NULL) {
		const struct result *r = &s->result;
		const struct result_case **cases =
		    arena_calloc(pg->a, r->n_cases, sizeof *cases);

		for (size_t i = 0; i < r->n_cases; i++)
			cases[i] = &r->cases[i];
		l->n_excluded += r->n_excluded > 0;
		l->looks_strong |= !result_rule_is_strong(&r->rule) &&
		    result_cases_look_strong(cases, r->n_cases);
	}
	*n = l->n_texts + l->n_excluded + (size_t)l->looks_strong;
	return l;
}

void
page_doubts_write(struct page_doubts *l)
{
	const struct html_page *pg = l->pg;
	const struct result_file *s = NULL;
	size_t n = 0;

	fprintf(pg->f,
	    "<section class=\"card doubt\" aria-labelledby=\"doubts\">\n"
	    "<h2 id=\"doubts\" tabindex=\"-1\">%s</h2>\n<ul>\n",
	    page_words(pg, "What is doubtful", "存疑之处"));
	if (l->looks_strong)
		page_put(pg, "<li>@</li>\n",
		    message(MESSAGE_LOOKS_STRONG, pg->lang));
	/* One line per file with excluded logs. */
	while ((s = series_next_source(pg->set, s)) != NULL) {
		if (s->result.n_excluded == 0 || n++ >= MAX_NAMED)
			continue;
		fputs("<li><a href=\"#excluded\">", pg->f);
		page_say(pg, "@: logs that were excluded: #",
		    "@：被排除的日志数：#", s->name,
		    (long)s->result.n_excluded);
		fputs("</a></li>\n", pg->f);
	}
	put_rest(pg, n, MAX_NAMED);
	n = 0;
	for (size_t i = 0, end; i < l->n; i = end) {
		end = i + 1;
		while (end < l->n && l->items[end].first == l->items[i].first)
			end++;
		if (n++ < MAX_DOUBTS)
			put_doubt(pg, &l->items[i], end - i);
	}
	put_rest(pg, n, MAX_DOUBTS);
	if (n + l->n_excluded == 0 && !l->looks_strong)
		fprintf(pg->f, "<li>%s</li>\n",
		    page_words(pg,
			"Nothing: no run is flagged, all intervals are narrow, "
			"no log was excluded.",
			"无：各次运行均无备注，区间都较窄，没有日志被排除。"));
	/* What was printed when the results were read, as of published
	 * tables. */
	while ((s = series_next_source(pg->set, s)) != NULL)
		for (size_t i = 0; i < s->n_remarks; i++)
			page_put(pg, "<li>@</li>\n", s->remarks[i]);
	fputs("</ul>\n</section>\n", pg->f);
	hash_index_release(&l->known);
}
