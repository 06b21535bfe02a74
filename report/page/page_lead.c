/* The first screen of the page: the finding in one sentence, what was measured,
 * the series ranked, and one chart. */
#include <config.h>

#include <math.h>
#include <stdlib.h>

#include "common/result/case_text.h"
#include "common/result/work_rate.h"
#include "common/strbuf.h"
#include "common/units/units.h"
#include "report/page/page_parts.h"
#include "report/parts/cell.h"

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
	for (size_t i = 0, first = 0; i < n; i++) {
		if (counts[i] != counts[first])
			first = i;
		if (i - first + 1 > most)
			most = i - first + 1;
	}
	for (size_t i = 0, first = 0; i < n; i++) {
		if (counts[i] != counts[first])
			first = i;
		if (4 * (i - first + 1) >= 3 * most)
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
	for (size_t i = 0; i < r.n; i++)
		if (has_efficiency(r.items[i].p->c) &&
		    (r.best == r.n ||
			r.items[i].p->c->efficiency >
			    r.items[r.best].p->c->efficiency))
			r.best = i;
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

/* A speed with its unit, as a link to its case. */
static void
put_speed(const struct html_page *pg, const struct series_point *p)
{
	page_link(pg, p->c);
	page_put(pg, "<strong>^</strong></a>", grouped_speed(pg, p));
	page_put(pg, " ^", p->c->unit != NULL ? p->c->unit : "");
}

static void
put_efficiency(const struct html_page *pg, const struct result_case *c)
{
	page_link(pg, c);
	fprintf(
	    pg->f, "<strong>%.1f&#160;%%</strong></a>", 100 * c->efficiency);
}

/* The fastest of several series, how far it is ahead of the second, and the
 * series that scales best. */
static void
put_race(const struct html_page *pg, const struct ranking *r)
{
	const struct series_point *first = r->items[0].p;
	const struct result_case *a = first->c, *b = r->items[1].p->c;
	const double lead = r->items[0].speed / r->items[1].speed - 1;

	if (r->gpus == RESULT_UNKNOWN)
		page_say(pg, "@ is the fastest: ", "@ 最快：",
		    ranked_name(pg, r, 0));
	else
		page_say(pg, "@ is the fastest on @: ", "@ 在 @ 上最快：",
		    ranked_name(pg, r, 0), page_devices(pg, r->gpus));
	put_speed(pg, first);
	if (lead < LEAST_LEAD)
		page_say(
		    pg, ", as has @", "，与 @ 相同", ranked_name(pg, r, 1));
	else
		page_say(pg, ", @ ahead of @", "，以 @ 领先 @",
		    arena_printf(
			pg->a, lead < 0.1 ? "%.1f %%" : "%.0f %%", 100 * lead),
		    ranked_name(pg, r, 1));
	/* Both intervals must be known. */
	if (!(a->median_low > b->median_high || b->median_low > a->median_high))
		page_say(pg, " (not proven: the intervals are not apart)",
		    "（未证实：区间未分开）");
	if (r->best == 0)
		page_say(pg, "; it also scales best: ", "；扩展效率也最高：");
	else if (r->best < r->n)
		page_say(pg, "; @ scales best: ", "；@ 扩展效率最高：",
		    ranked_name(pg, r, r->best));
	if (r->best < r->n)
		put_efficiency(pg, r->items[r->best].p->c);
}

/* The speed of the only series, and its speedup. */
static void
put_single(const struct html_page *pg, const struct ranking *r)
{
	const struct series_point *p = r->items[0].p;
	const struct result_case *c = p->c;
	const char *name = series_case_name(pg->a, c, pg->lang);

	page_put(pg, "@: ", ranked_name(pg, r, 0));
	put_speed(pg, p);
	if (c->gpus == RESULT_UNKNOWN)
		page_say(pg, " on @", "，@", name);
	else
		page_say(pg, " on @ (@)", "，@（@）", page_devices(pg, c->gpus),
		    name);
	if (!isfinite(c->speedup) || cell_is_baseline(c))
		return;
	page_say(pg, ", speedup ", "，加速比 ");
	page_link(pg, c);
	page_put(pg, "<strong>^</strong></a>",
	    text_of_speedup(pg->a, pg->how, p, c->speedup));
	if (c->baseline != NULL)
		page_say(pg, " over @", "（相对 @）", c->baseline);
	if (!has_efficiency(c))
		return;
	page_say(pg, ", efficiency ", "，并行效率 ");
	put_efficiency(pg, c);
}

/* --- the ranked table ----------------------------------------------------- */

/* A row: the name, the speed, the speedup, and the efficiency, or the share of
 * the fastest speed, with a bar of that many per cent. */
static void
put_row(const struct html_page *pg, const char *name,
    const struct ranked_series *own, int with_speedup, double fastest)
{
	const struct result_case *c = own->p->c;
	const double percent =
	    100 * (with_speedup ? c->efficiency : own->speed / fastest);

	page_put(pg, "<tr><th scope=\"row\">@</th><td class=\"num\">", name);
	page_link(pg, c);
	page_put(pg, "^</a></td>", grouped_speed(pg, own->p));
	if (with_speedup) {
		fputs("<td class=\"num speedup\">", pg->f);
		if (isfinite(c->speedup)) {
			page_link(pg, c);
			page_put(pg, "^</a>",
			    cell_is_baseline(c)
				? "1"
				: text_of_speedup(
				      pg->a, pg->how, own->p, c->speedup));
		}
		fputs("</td>", pg->f);
	}
	fputs("<td class=\"num bar\">", pg->f);
	if (isfinite(percent)) {
		page_link(pg, c);
		fprintf(pg->f,
		    "%.1f</a> <svg viewBox=\"0 0 100 12\" "
		    "aria-hidden=\"true\"><path class=\"full\" "
		    "d=\"M0 0h100v12h-100z\"/><path class=\"part\" "
		    "d=\"M0 0h%.1fv12H0z\"/></svg>",
		    percent, fmin(fmax(percent, 0), 100));
	}
	fputs("</td></tr>\n", pg->f);
}

/* The series by rank; of a single series its cases. */
static void
put_ranked(const struct html_page *pg, const struct ranking *r)
{
	const int single = r->n == 1, with_speedup = r->best < r->n;
	const struct result_case *first = r->items[0].p->c;
	const struct series *s = r->panel->s[r->items[0].i];
	const size_t n = single ? s->n_points : r->n;
	const char *caption = r->gpus == RESULT_UNKNOWN || single
	    ? page_words(pg, "Speeds", "速度")
	    : text_fill(pg->a, page_words(pg, "Speeds on @", "@ 上的速度"),
		  page_devices(pg, r->gpus));

	page_put(pg,
	    "<div class=\"scroll rank\" tabindex=\"0\" role=\"group\" "
	    "aria-label=\"^\">\n<table><caption>^</caption>\n<thead><tr>"
	    "<th scope=\"col\">^</th><th scope=\"col\" class=\"num\">^",
	    caption, caption,
	    single ? message(MESSAGE_CASE, pg->lang)
		   : page_words(pg, "configuration", "配置"),
	    message(case_headline(first), pg->lang));
	page_put(pg, " <span class=\"unit\">(^)</span></th>",
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
		struct ranked_series own = r->items[single ? 0 : i];

		if (single) {
			own.p = &s->points[i];
			own.speed = own.p->c->median_speed;
		}
		if (isfinite(own.speed))
			put_row(pg,
			    single ? series_case_name(pg->a, own.p->c, pg->lang)
				   : ranked_name(pg, r, i),
			    &own, with_speedup, r->items[0].speed);
	}
	fputs("</tbody></table>\n", pg->f);
	if (n > MAX_RANKED) {
		fputs("<p class=\"note\"><a href=\"#panel-0\">", pg->f);
		page_more(pg, n - MAX_RANKED);
		fputs("</a></p>\n", pg->f);
	}
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
	size_t n_cases = 0, n_logs = 0, n_excluded = 0;
	long runs = 0, fewest = RESULT_UNKNOWN, most = RESULT_UNKNOWN;

	for (struct panel_point x = { NULL }; panel_next(&all, &x);) {
		const long gpus = x.c->gpus;

		n_cases++;
		runs += x.c->n > 0 ? x.c->n : 0;
		if (gpus == RESULT_UNKNOWN)
			continue;
		if (most == RESULT_UNKNOWN)
			fewest = most = gpus;
		fewest = gpus < fewest ? gpus : fewest;
		most = gpus > most ? gpus : most;
	}
	while ((s = series_next_source(pg->set, s)) != NULL) {
		n_logs += s->result.n_inputs;
		n_excluded += s->result.n_excluded;
	}
	fprintf(pg->f, "<p class=\"faint\">%s: %zu",
	    page_words(pg, "cases", "规模"), n_cases);
	if (fewest != RESULT_UNKNOWN)
		fprintf(pg->f, " · %s: %ld",
		    message(pg->set->devices, pg->lang), fewest);
	if (most != fewest)
		fprintf(pg->f, "–%ld", most);
	if (runs > 0)
		fprintf(
		    pg->f, " · %s: %ld", message(MESSAGE_RUNS, pg->lang), runs);
	if (n_logs > 0)
		fprintf(pg->f, " · %s: %zu", page_words(pg, "logs", "日志"),
		    n_logs);
	if (n_excluded > 0)
		fprintf(pg->f, " · <a href=\"#excluded\">%s: %zu</a>",
		    message(MESSAGE_EXCLUDED, pg->lang), n_excluded);
	fprintf(pg->f, " · <a href=\"#doubts\">%s: %zu</a>",
	    page_words(pg, "doubts", "存疑"), n_doubts);
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
	fprintf(pg->f, "<section class=\"lead\" aria-label=\"%s\">\n",
	    page_words(pg, "Summary", "摘要"));
	for (size_t i = 0; i < groups.n; i++) {
		/* The main one first. */
		const size_t k = i == 0 ? main : i <= main ? i - 1 : i;
		const char *title = groups.n > 1
		    ? panel_title(pg->set, &groups.items[k], 0, pg->lang)
		    : "";

		if (i == MAX_FINDINGS) {
			fputs("<details><summary>", pg->f);
			page_more(pg, groups.n - i);
			fputs("</summary>\n", pg->f);
		}
		fputs("<p>", pg->f);
		if (title[0] != '\0')
			page_put(pg, "@: ", title);
		if (r[k].n == 0)
			page_say(
			    pg, "no case has a number", "没有任何规模有数值");
		else if (r[k].n == 1)
			put_single(pg, &r[k]);
		else
			put_race(pg, &r[k]);
		fputs(pg->lang == LANGUAGE_ZH ? "。</p>\n" : ".</p>\n", pg->f);
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
