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
#include "report/parts/columns.h"

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
struct doubt {
	const char *text;
	enum doubt_rank rank;
	size_t first, index; /* of the first with this text, and its own */
	const struct result_case *c;
	const char *name;
	const char *more; /* text of this case alone, or NULL */
};

struct doubts {
	const struct html_page *pg;
	struct doubt *items; /* [n] */
	const char **texts;  /* [n] of the items, until they are sorted */
	size_t n;
	size_t n_texts; /* different ones */
	struct hash_index known;
};

static void
add_doubt(struct doubts *l, enum doubt_rank rank, const struct panel_point *x,
    const char *more, const char *text)
{
	const size_t n = l->n++;
	struct doubt *d;

	l->items = arena_grow(l->pg->a, l->items, n, sizeof *l->items);
	l->texts = arena_grow(l->pg->a, l->texts, n, sizeof *l->texts);
	l->texts[n] = text;
	d = &l->items[n];
	*d = (struct doubt){ text, rank,
		hash_index_first(&l->known, l->texts, n), n, x->c,
		page_case_name(l->pg, x->s, x->c), more };
	l->n_texts += d->first == n;
}

/* Add the relative distance of the farther end of an interval from x, if it is
 * doubtful. */
static void
add_wide(struct doubts *l, const struct panel_point *at, double x, double low,
    double high, const char *text)
{
	const double reach = fmax(high - x, x - low) / x;

	if (reach > wide)
		add_doubt(l, DOUBT_WIDE, at,
		    arena_printf(l->pg->a, "%.*f %%",
			decimals_apart(100 * reach, 100 * wide, 0),
			100 * reach),
		    text);
}

/* Add fewer runs than the confidence level needs, or a single one. */
static void
add_few_runs(struct doubts *l, const struct panel_point *x)
{
	const double asked = x->p->source->result.rule.confidence;
	const struct html_page *pg = l->pg;
	const struct result_case *c = x->c;
	char level[UNITS_TEXT_SIZE];

	if (c->n == 1) {
		add_doubt(l, DOUBT_RUNS, x, NULL,
		    page_words(pg,
			"only one run: the variation between runs is unknown",
			"仅一次运行，各次运行间的差异未知"));
	} else if (c->median_level < asked &&
	    (c->n < DEFAULT_RUNS || asked > DEFAULT_CONFIDENCE)) {
		short_format_apart(
		    level, 100 * c->median_level, 100 * asked, 4);
		add_doubt(l, DOUBT_RUNS, x, NULL,
		    page_words(pg,
			"too few runs: @ give an interval of the median at "
			"only @ %; @ needs @",
			"运行次数不足：@ 次的中位数区间置信水平仅 @ %；@ 需 @ "
			"次",
			arena_printf(pg->a, "%ld", c->n), level,
			arena_printf(pg->a, "%.6g %%", 100 * asked),
			arena_printf(pg->a, "%ld",
			    rank_test_runs_for((1 - asked) / 2, 1))));
	}
}

static void
add_point(struct doubts *l, const struct panel_point *x)
{
	const struct html_page *pg = l->pg;
	const struct result_case *c = x->c;
	const int is_first = x->p == x->s->points;
	struct case_flags flags = CASE_FLAGS_INIT(pg->lang);
	int lacks = 1;

	if (x->p->failed != NULL) {
		add_doubt(l, DOUBT_FAILED, x, NULL,
		    arena_printf(pg->a, "%s: %s", x->p->text,
			excluded_text(x->p->failed, pg->lang, pg->a)));
		return;
	}
	case_flags_marks(&flags, c, pg->a);
	for (size_t i = 0; i < flags.n; i++)
		add_doubt(l, DOUBT_FLAG, x, NULL,
		    case_flag_text(&flags.items[i], pg->lang, pg->a));
	case_flags_release(&flags);
	add_wide(l, x, c->median_speed, c->median_low, c->median_high,
	    page_words(pg,
		"wide interval: the median may be off by more than 5 %",
		"区间较宽：中位数的误差可能超过 5 %"));
	add_wide(l, x, c->speedup, c->speedup_low, c->speedup_high,
	    page_words(pg,
		"wide interval: the speedup may be off by more than 5 %",
		"区间较宽：加速比的误差可能超过 5 %"));
	/* No case of the series but the baseline has a speedup. */
	for (size_t i = 0; is_first && i < x->s->n_points; i++)
		lacks &= !isfinite(x->s->points[i].c->speedup) ||
		    cell_is_baseline(x->s->points[i].c);
	if (is_first && lacks)
		add_doubt(l, DOUBT_BASELINE, x, NULL,
		    page_words(pg,
			"no speedup: there is no case to compare it with",
			"无加速比：没有可供比较的规模"));
	if (!series_is_published(x->s))
		add_few_runs(l, x);
	else if (is_first)
		add_doubt(l, DOUBT_RUNS, x, NULL,
		    page_words(pg,
			"published figures: the variation between runs is not "
			"stated",
			"公布的数据，未说明各次运行间的差异"));
	if (c->baseline_flag && cell_is_baseline(c) && !lacks)
		add_doubt(l, DOUBT_BASELINE, x, NULL,
		    page_words(pg, "the baseline is not 1n1g, which is missing",
			"缺 1n1g，基线为其他规模"));
}

static int
compare_doubts(const void *pa, const void *pb)
{
	const struct doubt *a = pa, *b = pb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* Write an item for each text, with its cases. */
static void
put_doubts(const struct html_page *pg, const struct doubts *l)
{
	const char *comma = message(MESSAGE_COMMA, pg->lang);
	size_t n = 0;

	for (size_t i = 0, end; i < l->n; i = end) {
		const struct doubt *d = &l->items[i];
		size_t k = 0;

		for (end = i; end < l->n && l->items[end].first == d->first;)
			end++;
		if (n++ >= MAX_DOUBTS)
			continue;
		page_put(pg, "<li>@", d->text);
		for (; k < end - i && k < MAX_NAMED; k++) {
			page_put(pg, "`$@</a>", k == 0 ? ": " : comma, d[k].c,
			    d[k].name);
			if (d[k].more != NULL)
				page_put(pg, " (^)", d[k].more);
		}
		if (k < end - i)
			page_put(pg, "`" PAGE_MORE, comma, (long)(end - i - k));
		fputs("</li>\n", pg->f);
	}
	if (n > MAX_DOUBTS)
		page_put(
		    pg, "<li>" PAGE_MORE "</li>\n", (long)(n - MAX_DOUBTS));
}

char *
page_doubts(const struct html_page *page, size_t *n)
{
	struct html_page of_text = *page, *pg = &of_text;
	struct doubts l = { .pg = pg };
	const struct result_file *s = NULL;
	size_t n_excluded = 0, len;
	int looks_strong = 0;
	char *text;

	pg->f = open_memstream(&text, &len);
	for (size_t i = 0; i < pg->panels->n; i++)
		for (struct panel_point x = { NULL };
		     panel_next(&pg->panels->items[i], &x);)
			add_point(&l, &x);
	hash_index_release(&l.known);
	if (l.n > 1)
		qsort(l.items, l.n, sizeof *l.items, compare_doubts);
	while ((s = series_next_source(pg->set, s)) != NULL) {
		const struct result *r = &s->result;
		const struct result_case **cases =
		    arena_calloc(pg->a, r->n_cases, sizeof *cases);

		for (size_t i = 0; i < r->n_cases; i++)
			cases[i] = &r->cases[i];
		looks_strong |= !result_rule_is_strong(&r->rule) &&
		    result_cases_look_strong(cases, r->n_cases);
	}
	page_put(pg,
	    "<section class=\"card doubt\" aria-labelledby=\"doubts\">\n"
	    "<h2 id=\"doubts\" tabindex=\"-1\">{What is doubtful|存疑之处}</h2>"
	    "\n<ul>\n");
	if (looks_strong)
		page_put(pg, "<li>@</li>\n",
		    message(MESSAGE_LOOKS_STRONG, pg->lang));
	/* One line per file with excluded logs. */
	while ((s = series_next_source(pg->set, s)) != NULL)
		if (s->result.n_excluded > 0 && n_excluded++ < MAX_NAMED)
			page_put(pg,
			    "<li><a href=\"#excluded\">{@: logs that were "
			    "excluded: #|@：被排除的日志数：#}</a></li>\n",
			    s->name, (long)s->result.n_excluded);
	if (n_excluded > MAX_NAMED)
		page_put(pg, "<li>" PAGE_MORE "</li>\n",
		    (long)(n_excluded - MAX_NAMED));
	put_doubts(pg, &l);
	*n = l.n_texts + n_excluded + (size_t)looks_strong;
	if (*n == 0)
		page_put(pg,
		    "<li>{Nothing: no run is flagged, all intervals are narrow,"
		    " no log was excluded.|无：各次运行均无备注，区间都较窄，没有"
		    "日志被排除。}</li>\n");
	/* What was printed when the results were read, as of published
	 * tables. */
	while ((s = series_next_source(pg->set, s)) != NULL)
		for (size_t i = 0; i < s->n_remarks; i++)
			page_put(pg, "<li>@</li>\n", s->remarks[i]);
	fputs("</ul>\n</section>\n", pg->f);
	fclose(pg->f);
	return text;
}
