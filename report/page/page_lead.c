/* The first screen of the page: the finding in one sentence, what was measured,
 * the series ranked, and one chart. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/result/case_text.h"
#include "common/result/work_rate.h"
#include "common/strbuf.h"
#include "common/units/units.h"
#include "report/page/page_parts.h"
#include "report/parts/columns.h"

enum {
	MAX_FINDINGS = 3, /* the others are folded */
	MAX_RANKED = 10   /* rows; all are in the table of the panel */
};

/* A smaller relative difference is no lead. */
#define LEAST_LEAD 0.0005

/* The series of a panel at the number of devices where most have a speed. */
struct ranking {
	const struct panel *panel;
	struct ranked_series {
		size_t i; /* in the panel */
		const struct series_point *p;
		double speed; /* of times their reciprocal */
	} * items;            /* fastest first */
	size_t n;
	long gpus;   /* or RESULT_UNKNOWN */
	size_t best; /* item of the highest efficiency; n: none has one */
};

static int
compare_counts(const void *pa, const void *pb)
{
	const long a = *(const long *)pa, b = *(const long *)pb;

	return (a > b) - (a < b);
}

/* The largest number of devices at which nearly as many series have a speed as
 * at any other. */
static long
common_count(const struct panel *p, struct arena *a)
{
	long *counts = NULL, best = RESULT_UNKNOWN;
	size_t n = 0, most = 0;
	const struct series *last = NULL;

	for (struct panel_point x = { NULL }; panel_next(p, &x);) {
		/* The points of a series are in the order of their devices. */
		if (!isfinite(x.c->median_speed) ||
		    (x.s == last && counts[n - 1] == x.c->gpus))
			continue;
		last = x.s;
		counts = arena_grow(a, counts, n, sizeof *counts);
		counts[n++] = x.c->gpus;
	}
	if (n > 1)
		qsort(counts, n, sizeof *counts, compare_counts);
	for (int find_best = 0; find_best < 2; find_best++)
		for (size_t i = 0, end; i < n; i = end) {
			for (end = i; end < n && counts[end] == counts[i];)
				end++;
			if (!find_best && end - i > most)
				most = end - i;
			else if (find_best && 4 * (end - i) >= 3 * most)
				best = counts[i];
		}
	return best;
}

static int
compare_ranked(const void *pa, const void *pb)
{
	const struct ranked_series *a = pa, *b = pb;

	if (a->speed != b->speed)
		return a->speed > b->speed ? -1 : 1;
	return (a->i > b->i) - (a->i < b->i);
}

static int
has_efficiency(const struct result_case *c)
{
	return isfinite(c->efficiency) && !cell_is_baseline(c);
}

static struct ranking
rank_series(const struct panel *p, struct arena *a)
{
	const int is_time =
	    work_kind_is_time(work_kind_of(p->s[0]->points[0].c->unit));
	struct ranking r = { .panel = p,
		.items = arena_calloc(a, p->n, sizeof *r.items),
		.gpus = common_count(p, a) };
	double most = -INFINITY;

	for (struct panel_point x = { NULL }; panel_next(p, &x);) {
		const double value = x.c->median_speed;
		const struct ranked_series own = { x.i, x.p,
			is_time ? 1 / value : value };
		struct ranked_series *last = r.n > 0 ? &r.items[r.n - 1] : NULL;

		if (x.c->gpus != r.gpus || !isfinite(own.speed))
			continue;
		if (last == NULL || last->i != x.i)
			r.items[r.n++] = own;
		else if (own.speed > last->speed)
			*last = own;
	}
	qsort(r.items, r.n, sizeof *r.items, compare_ranked);
	r.best = r.n;
	for (size_t i = 0; i < r.n; i++) {
		const struct result_case *c = r.items[i].p->c;

		if (!has_efficiency(c) || c->efficiency <= most)
			continue;
		most = c->efficiency;
		r.best = i;
	}
	return r;
}

struct panel
page_fastest(const struct html_page *pg, const struct panel *p, size_t most)
{
	const struct ranking r = rank_series(p, pg->a);
	struct panel top = *p;
	int *taken;

	if (p->n <= most || r.n == 0)
		return top;
	taken = arena_calloc(pg->a, p->n, sizeof *taken);
	for (size_t i = 0; i < r.n && i < most; i++)
		taken[r.items[i].i] = 1;
	top.s = arena_calloc(pg->a, most, sizeof *top.s);
	top.n = 0;
	for (size_t i = 0; i < p->n; i++)
		if (taken[i])
			top.s[top.n++] = p->s[i];
	return top;
}

/* --- the finding ---------------------------------------------------------- */

static const char *
ranked_name(const struct html_page *pg, const struct ranking *r, size_t i)
{
	return panel_series_name(pg->set, r->panel, r->items[i].i, pg->lang);
}

/* A speed as in other tables, from five digits on with commas: "12,442". */
static const char *
grouped_speed(const struct html_page *pg, const struct series_point *p)
{
	const char *text = text_of_value(pg->a, pg->how, p, p->c->median_speed);
	const size_t n = strspn(text, "0123456789");
	struct strbuf sb = STRBUF_INIT(UNITS_TEXT_SIZE);

	if (n < 5)
		return text;
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			strbuf_addch(&sb, ',');
		strbuf_addch(&sb, text[i]);
	}
	strbuf_addstr(&sb, text + n);
	return strbuf_finish(&sb, pg->a);
}

/* The fastest of several series, or the only one: its speed, how far it is
 * ahead of the second, or its speedup, and the series that scales best. */
static void
put_finding(const struct html_page *pg, const struct ranking *r)
{
	const struct series_point *p = r->items[0].p;
	const struct result_case *c = p->c, *best;
	const int alone = r->n == 1, counted = r->gpus != RESULT_UNKNOWN;
	const char *unit = c->unit != NULL ? c->unit : "";
	const char *name = series_case_name(pg->a, c, pg->lang);
	double lead;

	page_put(pg,
	    alone         ? "@: "
		: counted ? "{@ is the fastest on @: |@ 在 @ 上最快：}"
			  : "{@ is the fastest: |@ 最快：}",
	    ranked_name(pg, r, 0), page_devices(pg, r->gpus));
	page_put(
	    pg, "$<strong>^</strong></a> ^", c, grouped_speed(pg, p), unit);
	if (alone && counted)
		page_put(pg, "{ on @ (@)|，@（@）}", page_devices(pg, c->gpus),
		    name);
	else if (alone)
		page_put(pg, "{ on @|，@}", name);
	if (alone && isfinite(c->speedup) && !cell_is_baseline(c)) {
		page_put(pg, "{, speedup |，加速比 }$<strong>^</strong></a>", c,
		    text_of_speedup(pg->a, pg->how, p, c->speedup));
		if (c->baseline != NULL)
			page_put(pg, "{ over @|（相对 @）}", c->baseline);
	}
	if (alone) {
		if (has_efficiency(c) && isfinite(c->speedup))
			page_put(pg,
			    "{, efficiency |，并行效率 }$<strong>~&#160;%"
			    "</strong></a>",
			    c, 100 * c->efficiency);
		return;
	}
	best = r->items[1].p->c;
	lead = r->items[0].speed / r->items[1].speed - 1;
	if (lead < LEAST_LEAD)
		page_put(pg, "{, as has @|，与 @ 相同}", ranked_name(pg, r, 1));
	else
		page_put(pg, "{, @ ahead of @|，以 @ 领先 @}",
		    arena_printf(
			pg->a, lead < 0.1 ? "%.1f %%" : "%.0f %%", 100 * lead),
		    ranked_name(pg, r, 1));
	/* Both intervals must be known. */
	if (!(c->median_low > best->median_high ||
		best->median_low > c->median_high))
		page_put(pg,
		    "{ (not proven: the intervals are not apart)|（未证实："
		    "区间未分开）}");
	if (r->best == r->n)
		return;
	best = r->items[r->best].p->c;
	page_put(pg,
	    r->best == 0 ? "{; it also scales best: |；扩展效率也最高：}"
			 : "{; @ scales best: |；@ 扩展效率最高：}",
	    ranked_name(pg, r, r->best));
	page_put(
	    pg, "$<strong>~&#160;%</strong></a>", best, 100 * best->efficiency);
}

/* --- the ranked table ----------------------------------------------------- */

/* The series by rank; of a single series its cases. A row has the name, the
 * speed, the speedup, and the efficiency, or the share of the fastest speed,
 * with a bar of that many per cent. */
static void
put_ranked(const struct html_page *pg, const struct ranking *r)
{
	const int single = r->n == 1, with_speedup = r->best < r->n;
	const struct result_case *first = r->items[0].p->c;
	const struct series *s = r->panel->s[r->items[0].i];
	const size_t n = single ? s->n_points : r->n;
	const char *caption = r->gpus == RESULT_UNKNOWN || single
	    ? page_words(pg, "Speeds", "速度")
	    : page_words(
		  pg, "Speeds on @", "@ 上的速度", page_devices(pg, r->gpus));

	page_put(pg,
	    "<div class=\"scroll rank\" tabindex=\"0\" role=\"group\" "
	    "aria-label=\"^\">\n<table><caption>^</caption>\n<thead><tr>"
	    "<th scope=\"col\">^</th><th scope=\"col\" class=\"num\">^ "
	    "<span class=\"unit\">(^)</span></th>",
	    caption, caption,
	    single ? message(MESSAGE_CASE, pg->lang)
		   : page_words(pg, "configuration", "配置"),
	    message(case_headline(first), pg->lang),
	    first->unit != NULL ? first->unit : "");
	if (with_speedup)
		page_put(pg, "<th scope=\"col\" class=\"num speedup\">^</th>",
		    message(MESSAGE_SPEEDUP, pg->lang));
	page_put(pg,
	    "<th scope=\"col\" class=\"num\">^ <span class=\"unit\">(%)</span>"
	    "</th></tr></thead>\n<tbody>\n",
	    with_speedup ? message(MESSAGE_EFFICIENCY, pg->lang)
			 : page_words(pg, "of the fastest", "相对最快"));
	for (size_t i = 0; i < n && i < MAX_RANKED; i++) {
		const struct series_point *p =
		    single ? &s->points[i] : r->items[i].p;
		const struct result_case *c = p->c;
		const double speed =
		    single ? c->median_speed : r->items[i].speed;
		const double percent = 100 *
		    (with_speedup ? c->efficiency : speed / r->items[0].speed);

		if (!isfinite(speed))
			continue;
		page_put(pg,
		    "<tr><th scope=\"row\">@</th><td class=\"num\">$^</a></td>",
		    single ? series_case_name(pg->a, c, pg->lang)
			   : ranked_name(pg, r, i),
		    c, grouped_speed(pg, p));
		if (with_speedup)
			page_put(pg,
			    isfinite(c->speedup)
				? "<td class=\"num speedup\">$^</a></td>"
				: "<td class=\"num speedup\"></td>",
			    c,
			    cell_is_baseline(c) ? "1"
						: text_of_speedup(pg->a,
						      pg->how, p, c->speedup));
		fputs("<td class=\"num bar\">", pg->f);
		if (isfinite(percent))
			page_put(pg,
			    "$~</a> <svg viewBox=\"0 0 100 12\" "
			    "aria-hidden=\"true\"><path class=\"full\" "
			    "d=\"M0 0h100v12h-100z\"/><path class=\"part\" "
			    "d=\"M0 0h~v12H0z\"/></svg>",
			    c, percent, fmin(fmax(percent, 0), 100));
		fputs("</td></tr>\n", pg->f);
	}
	fputs("</tbody></table>\n", pg->f);
	if (n > MAX_RANKED)
		page_put(pg,
		    "<p class=\"note\"><a href=\"#panel-0\">" PAGE_MORE
		    "</a></p>\n",
		    (long)(n - MAX_RANKED));
	fputs("</div>\n", pg->f);
}

/* --- the first screen ----------------------------------------------------- */

/* One line about what was measured. */
static void
put_counts(const struct html_page *pg, size_t n_doubts)
{
	const struct result_file *s = NULL;
	const struct panel all = panel_of_all(pg->set, pg->a);
	const char *rule = notes_rule_text(&all, pg->a, pg->lang);
	long n_cases = 0, n_logs = 0, n_excluded = 0, runs = 0;
	long fewest = LONG_MAX, most = 0;

	for (struct panel_point x = { NULL }; panel_next(&all, &x);) {
		const long gpus = x.c->gpus;

		n_cases++;
		runs += x.c->n > 0 ? x.c->n : 0;
		if (gpus == RESULT_UNKNOWN)
			continue;
		fewest = gpus < fewest ? gpus : fewest;
		most = gpus > most ? gpus : most;
	}
	while ((s = series_next_source(pg->set, s)) != NULL) {
		n_logs += (long)s->result.n_inputs;
		n_excluded += (long)s->result.n_excluded;
	}
	page_put(pg, "<p class=\"faint\">{cases|规模}: *", n_cases);
	if (fewest <= most)
		page_put(pg, most > fewest ? " · ^: *–*" : " · ^: *",
		    message(pg->set->devices, pg->lang), fewest, most);
	if (runs > 0)
		page_put(pg, " · ^: *", message(MESSAGE_RUNS, pg->lang), runs);
	if (n_logs > 0)
		page_put(pg, " · {logs|日志}: *", n_logs);
	if (n_excluded > 0)
		page_put(pg, " · <a href=\"#excluded\">^: *</a>",
		    message(MESSAGE_EXCLUDED, pg->lang), n_excluded);
	page_put(
	    pg, " · <a href=\"#doubts\">{doubts|存疑}: *</a>", (long)n_doubts);
	if (rule != NULL)
		page_put(pg, " · ^: @", message(MESSAGE_RULE, pg->lang), rule);
	fputs("</p>\n", pg->f);
}

void
page_lead(const struct html_page *pg, size_t n_doubts)
{
	const struct panel_list groups = panel_split(
	    pg->set, SERIES_BIT(SERIES_MODEL) | SERIES_BIT(SERIES_UNIT));
	struct ranking *r = arena_calloc(pg->a, groups.n, sizeof *r);
	size_t main = 0;

	for (size_t i = 0; i < groups.n; i++) {
		r[i] = rank_series(&groups.items[i], pg->a);
		if (r[i].n > r[main].n)
			main = i;
	}
	page_put(pg, PAGE_LEAD);
	for (size_t i = 0; i < groups.n; i++) {
		/* The main one first. */
		const size_t k = i == 0 ? main : i <= main ? i - 1 : i;
		const char *title = groups.n > 1
		    ? panel_title(pg->set, &groups.items[k], 0, pg->lang)
		    : "";

		if (i == MAX_FINDINGS)
			page_put(pg,
			    "<details><summary>" PAGE_MORE "</summary>\n",
			    (long)(groups.n - i));
		page_put(pg, title[0] != '\0' ? "<p>@: " : "<p>", title);
		if (r[k].n == 0)
			page_put(
			    pg, "{no case has a number|没有任何规模有数值}");
		else
			put_finding(pg, &r[k]);
		page_put(pg, "{.|。}</p>\n");
	}
	if (groups.n > MAX_FINDINGS)
		fputs("</details>\n", pg->f);
	put_counts(pg, n_doubts);
	if (r[main].n > 0) {
		const struct panel top =
		    page_fastest(pg, r[main].panel, PAGE_LEAD_LINES);

		fputs("<div class=\"first\">\n", pg->f);
		if (r[main].n > 1 || r[main].panel->s[0]->n_points > 1)
			put_ranked(pg, &r[main]);
		page_charts(pg, &top, PAGE_CHARTS_FIRST);
		fputs("</div>\n", pg->f);
	}
	fputs("</section>\n", pg->f);
}
