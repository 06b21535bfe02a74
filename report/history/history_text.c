/* Trends as a table, a row per point and a group per trend, and their changes
 * as sentences; both as tables for programs, and as a page. */
#include <config.h>

#include "report/history/history.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/result/case_text.h"
#include "common/stats/change_points.h"
#include "common/text.h"
#include "common/units/units.h"
#include "report/page/page_parts.h"
#include "report/parts/columns.h"
#include "report/parts/panel.h"

/* Keys without a column. */
#define NOT_SHOWN \
	(SERIES_BIT(SERIES_UNIT) | SERIES_BIT(SERIES_RULE) | \
	    SERIES_BIT(SERIES_KIND) | SERIES_BIT(SERIES_SOURCE))

/* The part of a trend's configuration that differs between trends, and the
 * case. */
static const char *
trend_name(struct trend_set *set, const struct trend *t, enum language lang)
{
	return arena_join(&set->arena,
	    series_text(&set->series, t->s,
		set->series.differing & ~SERIES_BIT(SERIES_KIND), lang),
	    " ", series_case_name(&set->arena, t->c, lang));
}

/* Decimals of a change and its interval in per cent: as many as the interval
 * supports, at most two, but more where needed to show that it excludes 0. */
static int
change_decimals(const struct trend_change *c)
{
	const int supported = interval_decimals(100 * c->low, 100 * c->high);
	const int decimals = supported < 2 ? supported : 2;

	if (c->low > 1)
		return decimals_apart(100 * (c->low - 1), 0, decimals);
	if (c->high < 1)
		return decimals_apart(100 * (c->high - 1), 0, decimals);
	return decimals;
}

/* The share of a change with its sign: "-6.0". */
static const char *
change_share(struct arena *a, const struct trend_change *c)
{
	return arena_printf(
	    a, "%+.*f", change_decimals(c), 100 * (c->ratio - 1));
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

/* Points of both levels of a change that have runs in doubt. */
static size_t
count_doubtful(const struct trend *t, const struct trend_change *c)
{
	size_t n = 0;

	for (size_t i = c->before; i < c->end; i++)
		n += (size_t)case_is_doubtful(&t->points[i].c, 0);
	return n;
}

/* A change as a sentence; NULL: that the trend has none. Lives in the set's
 * arena. */
static const char *
finding_text(struct trend_set *set, const struct trend *t,
    const struct trend_change *c, enum language lang)
{
	struct arena *a = &set->arena;
	const char *name = trend_name(set, t, lang), *text, *ends[3];
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
	for (int i = 0; i < 3; i++) {
		const double of = i == 0 ? c->ratio
		    : (i == 1) == slower ? c->high
					 : c->low;

		ends[i] = arena_printf(a, "%.*f %%", change_decimals(c),
		    100 * (slower ? 1 - of : of - 1));
	}
	percent_format(level, c->level, 1);
	short_format_apart(p, c->p_holm, 1 - set->confidence, 2);
	text = text_fill(a,
	    message(slower ? MESSAGE_SLOWER_SINCE : MESSAGE_FASTER_SINCE, lang),
	    name, ends[0], ends[1], ends[2], level,
	    moment_text(a, t->points[c->at].row),
	    moment_text(a, t->points[c->at - 1].row));
	return arena_printf(a, "%s%s%s%s%s%s", text,
	    text_fill(a, message(MESSAGE_POINTS_AGAINST, lang),
		arena_printf(a, "%zu", c->at - c->before),
		arena_printf(a, "%zu", c->end - c->at), p),
	    c->proven ? "" : message(MESSAGE_CHANGE_UNPROVEN, lang),
	    t->n_hosts == 0 ? "" : message(MESSAGE_SEMICOLON, lang),
	    t->n_hosts == 0 ? "" : message(MESSAGE_HOSTS_APART, lang),
	    n_doubtful == 0
		? ""
		: text_fill(a, message(MESSAGE_POINTS_FLAGGED, lang),
		      arena_printf(a, "%zu", n_doubtful),
		      arena_printf(a, "%zu", c->end - c->before)));
}

/* --- the columns ---------------------------------------------------------- */

/* The item of a row: a point, and the finding about it: the change that begins
 * there, or that the trend has none if it is the last. */
struct trend_row {
	struct trend_set *set;
	const struct history_row *row;
	struct history_metadata at, before;
	struct trend_change change;
	const char *verdict, *notes; /* NULL: no finding */
	double correlation;
	long n_before, n_after, n_doubtful, hosts_apart;
};

/* "2026-11-13 08:00" of "2026-11-13T08:00:00Z". */
static const char *
date_text(const struct column_row *x)
{
	const char *date = ((const struct trend_row *)x->item)->at.date;

	return x->how->flat ? date
			    : arena_printf(x->arena, "%.10s %.5s", date,
				  strlen(date) > 11 ? date + 11 : "");
}

static const char *
commit_text(const struct column_row *x)
{
	const struct trend_row *r = x->item;

	return x->how->flat || r->at.commit == NULL
	    ? r->at.commit
	    : trend_point_name(x->arena, r->row);
}

static const char *
median_title(const struct column_row *x)
{
	return message(case_headline(x->c), x->how->lang);
}

static void
put_median(const struct column_row *x)
{
	cell_value(x->t, x->how, x->p,
	    x->how->flat
		? ""
		: case_doubts_marks(x->flags, x->c, 0, NULL, x->arena));
}

static const char *
doubts_text(const struct column_row *x)
{
	return case_doubts_text(x->c, 0, NULL, LANGUAGE_EN, x->arena);
}

static void
put_change(const struct column_row *x)
{
	const struct trend_change *c =
	    &((const struct trend_row *)x->item)->change;

	table_cell(x->t, isnan(c->ratio) ? "" : change_share(x->arena, c));
	if (c->proven > 0)
		table_last_cell(x->t)->emphasis =
		    c->ratio > 1 ? TABLE_GOOD : TABLE_BAD;
}

static const char *
change_interval(const struct column_row *x)
{
	const struct trend_change *c =
	    &((const struct trend_row *)x->item)->change;
	const int shown = change_decimals(c);

	return isnan(c->low)
	    ? NULL
	    : arena_printf(x->arena, "[%+.*f, %+.*f]", shown,
		  100 * (c->low - 1), shown, 100 * (c->high - 1));
}

static const char *
p_text(const struct column_row *x)
{
	const struct trend_row *r = x->item;
	char text[UNITS_TEXT_SIZE];

	return isnan(r->change.p_holm)
	    ? NULL
	    : arena_strdup(x->arena,
		  short_format_apart(
		      text, r->change.p_holm, 1 - r->set->confidence, 2));
}

#define ROW(member) ITEM_MEMBER(struct trend_row, member)

static const struct column trend_columns[] = {
	FLAT("nodes", CELL_COUNT, CASE_MEMBER(nodes)),
	FLAT("gpus_per_node", CELL_COUNT, CASE_MEMBER(gpus_per_node)),
	FLAT("gpus", CELL_COUNT, CASE_MEMBER(gpus)),
	FLAT("unit", CELL_TEXT, CASE_MEMBER(unit)),
	{ { "date", "日期" }, "date", "UTC", .cell = CELL_MADE,
	    .text = date_text },
	{ { "commit", "提交" }, "commit", .cell = CELL_MADE,
	    .text = commit_text },
	{ { "host", "主机" }, "host", .cell = CELL_TEXT, ROW(at.host) },
	{ { "runs", "次数" }, "n", .align = TABLE_RIGHT, .cell = CELL_COUNT,
	    CASE_MEMBER(n) },
	{ .key = "median",
	    .unit = "",
	    .align = TABLE_DECIMAL,
	    .cell = CELL_PUT,
	    .put = put_median,
	    .title = median_title },
	{ { "interval", "区间" }, .unit = "", .align = TABLE_INTERVAL,
	    .cell = CELL_MEDIAN_INTERVAL },
	FLAT("median_low", CELL_EXACT, CASE_MEMBER(median_low)),
	FLAT("median_high", CELL_EXACT, CASE_MEMBER(median_high)),
	FLAT("median_level", CELL_EXACT, CASE_MEMBER(median_level)),
	{ { "change", "变化" }, .unit = "%", .align = TABLE_DECIMAL,
	    .cell = CELL_PUT, .put = put_change },
	{ { "interval", "区间" }, .unit = "%", .align = TABLE_INTERVAL,
	    .cell = CELL_MADE, .text = change_interval },
	{ { "p", "p" }, .align = TABLE_DECIMAL, .cell = CELL_MADE,
	    .text = p_text },
	FLAT("change_ratio", CELL_EXACT, ROW(change.ratio)),
	FLAT("change_ratio_low", CELL_EXACT, ROW(change.low)),
	FLAT("change_ratio_high", CELL_EXACT, ROW(change.high)),
	FLAT("change_ratio_level", CELL_EXACT, ROW(change.level)),
	FLAT("change_p", CELL_EXACT, ROW(change.p)),
	FLAT("change_p_holm", CELL_EXACT, ROW(change.p_holm)),
	FLAT("change_proven", CELL_COUNT, ROW(change.proven)),
	FLAT("flags", CELL_MADE, .text = doubts_text),
	FLAT("case", CELL_CASE, .at = 0),
	FLAT("verdict", CELL_TEXT, ROW(verdict)),
	FLAT("date_before", CELL_TEXT, ROW(before.date)),
	FLAT("commit_before", CELL_TEXT, ROW(before.commit)),
	FLAT("points_before", CELL_COUNT, ROW(n_before)),
	FLAT("points_after", CELL_COUNT, ROW(n_after)),
	FLAT("points_flagged", CELL_COUNT, ROW(n_doubtful)),
	FLAT("correlation", CELL_EXACT, ROW(correlation)),
	FLAT("hosts_apart", CELL_COUNT, ROW(hosts_apart)),
	FLAT("notes", CELL_TEXT, ROW(notes)),
	{ .cell = CELL_END },
};

/* --- the tables ----------------------------------------------------------- */

/* Fill in the row of a point. Returns 1 if there is a finding about it. */
static int
fill_row(struct trend_row *r, const struct trend *t, size_t point)
{
	const struct trend_change *c = t->points[point].change;

	*r = (struct trend_row){ .set = r->set,
		.row = t->points[point].row,
		.at = t->points[point].row->metadata,
		.correlation = t->correlation,
		.hosts_apart = t->n_hosts > 0,
		.n_before = RESULT_UNKNOWN,
		.n_after = RESULT_UNKNOWN,
		.n_doubtful = RESULT_UNKNOWN,
		.change = { .ratio = NAN,
		    .low = NAN,
		    .high = NAN,
		    .level = NAN,
		    .p = NAN,
		    .p_holm = NAN,
		    .proven = RESULT_UNKNOWN } };
	if (c == NULL && (t->n_changes > 0 || point + 1 < t->n_points))
		return 0;
	r->verdict = "no change";
	r->notes = finding_text(r->set, t, c, LANGUAGE_EN);
	r->n_before = (long)t->n_points;
	if (c != NULL) {
		r->change = *c;
		r->verdict = c->ratio < 1 ? "slower" : "faster";
		r->before = t->points[c->at - 1].row->metadata;
		r->n_before = (long)(c->at - c->before);
		r->n_after = (long)(c->end - c->at);
		r->n_doubtful = (long)count_doubtful(t, c);
	}
	return 1;
}

static void
add_notes(struct trend_set *set, const struct report_how *how, struct table *t)
{
	const enum language lang = how->lang;
	const struct trend *first = &set->items[0];
	const struct panel all = panel_of_all(&set->series, &set->arena);
	struct level_list levels = { .most = 6 };
	char level[UNITS_TEXT_SIZE];
	int changes = 0, hosts_apart = 0;

	for (size_t i = 0; i < set->n; i++) {
		changes |= set->items[i].n_changes > 0;
		hosts_apart |= set->items[i].n_hosts > 0;
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct result_case *at =
			    &set->items[i].points[k].c;

			if (!isnan(at->median_level))
				levels_add(&t->arena, &levels, at->median_level,
				    at->n, 0);
		}
	}
	levels_note(t,
	    first->c->score == NULL ? MESSAGE_MEDIAN : MESSAGE_OLYMPIC_MEAN,
	    &levels, LEVEL_OF_RUNS, 0, lang);
	if (changes)
		note_message(t, lang, MESSAGE_CHANGE_MEANS,
		    percent_format(level, set->confidence, 2));
	if (hosts_apart)
		note_message(t, lang, MESSAGE_HOSTS_APART, NULL);
	notes_rules(&set->series, t, &all, lang);
}

/* Make the table of points, or only of those with a finding. */
static void
make_table(struct trend_set *set, int findings, const struct report_how *how,
    struct table *t)
{
	const struct trend *first = &set->items[0];
	struct case_flags flags = CASE_FLAGS_INIT(how->lang);
	struct trend_row r = { .set = set };
	struct result_case heads = *first->c;
	struct column_row x = { .t = t,
		.how = how,
		.arena = &set->arena,
		.set = &set->series,
		.c = &heads,
		.item = &r,
		.flags = &flags };
	uint64_t shown;

	if (how->flat)
		x.keys = keys_known(&set->series, ~NOT_SHOWN) | KEYS_ALWAYS |
		    SERIES_BIT(SERIES_RULE);
	else
		table_title(t, "%s",
		    series_text(&set->series, first->s,
			~set->series.differing &
			    ~(NOT_SHOWN | SERIES_BIT(SERIES_WORK)),
			how->lang));
	/* Different units are in the names of the trends. */
	if (set->series.differing & SERIES_BIT(SERIES_UNIT))
		heads.unit = NULL;
	fill_row(&r, first, 0);
	shown = columns_add(trend_columns, &x);
	for (size_t i = 0; i < set->n; i++) {
		const struct trend *of = &set->items[i];

		table_group(t, trend_name(set, of, how->lang));
		x.s = of->s;
		for (size_t k = 0; k < of->n_points; k++) {
			x.p = &of->own[k];
			x.c = x.p->c;
			if (fill_row(&r, of, k) || !findings)
				columns_row(trend_columns, shown, &x);
		}
	}
	notes_flags(t, &flags);
	case_flags_release(&flags);
	if (!how->flat)
		add_notes(set, how, t);
}

void
history_write(
    struct trend_set *set, int when, const struct report_how *how, FILE *f)
{
	struct report_tables list = { NULL, 0, 0 };

	if (how->flat || !when) {
		struct table *t = report_tables_add(&list);

		if (how->flat)
			t->name = when ? "changes" : "history";
		make_table(set, when, how, t);
		report_tables_write(&list, how, f);
		report_tables_release(&list);
		return;
	}
	for (size_t i = 0; i < set->n; i++) {
		const struct trend *of = &set->items[i];

		for (size_t k = 0; k == 0 || k < of->n_changes; k++) {
			char *text = arena_strdup(&set->arena,
			    finding_text(set, of,
				of->n_changes > 0 ? &of->changes[k] : NULL,
				how->lang));

			/* Names of commits and hosts may contain terminal
			 * escape sequences. */
			text_sanitise(text, "");
			fprintf(f, "%s\n", text);
		}
	}
}

/* --- the page ------------------------------------------------------------- */

enum {
	WIDTH = 900, /* in SVG units */
	HEIGHT = 260,
	LEFT = 90,
	RIGHT = 16,
	TOP = 26, /* with room for the labels of changes */
	BOTTOM = 34,
	X_LABELS = 6,
	Y_LABELS = 6,
	LETTER = 9, /* width of one of a label, about */
	MAX_CHARTS = 24
};

/* Series of the charts, which have a colour and a shape each: a circle, a
 * square, a triangle. */
enum { POINT_SAME, POINT_SLOWER, POINT_FASTER, N_POINT_KINDS };

/* Each change as a sentence. */
static void
put_changes(const struct html_page *pg, struct trend_set *set)
{
	size_t n = 0;

	fputs("<ul>\n", pg->f);
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_changes; k++, n++)
			page_put(pg, "<li>@</li>\n",
			    finding_text(set, &set->items[i],
				&set->items[i].changes[k], pg->lang));
	if (n == 0)
		page_put(pg,
		    "<li>{No change is found in # cases.|# 个规模中未发现"
		    "变化。}</li>\n",
		    (long)set->n);
	fputs("</ul>\n", pg->f);
}

/* The levels between proven changes as lines, at the means of their points,
 * and the changes above their first points, unless a label would touch the one
 * before it. */
static void
put_levels(const struct html_page *pg, const struct svg_plot *plot,
    const struct trend *t)
{
	double label_end = 0;

	for (size_t from = 0, end; from < t->n_points; from = end) {
		const struct trend_change *c = t->points[from].change;
		double sum = 0;

		for (end = from; end < t->n_points; end++) {
			const struct trend_change *o = t->points[end].change;

			if (end > from && o != NULL && o->proven)
				break;
			sum += t->points[end].c.median_speed;
		}
		if (c != NULL && c->proven) {
			const char *text = arena_printf(pg->a, "%s %% %s",
			    change_share(pg->a, c),
			    trend_point_name(pg->a, t->points[from].row));
			const double width =
			    LETTER * (double)utf8_columns(text);
			const double left = fmax(LEFT,
			    fmin(svg_x(plot, (double)from),
				WIDTH - RIGHT - width));

			if (left >= label_end) {
				label_end = left + width + LETTER;
				page_put(pg,
				    "<text class=\"change\" x=\"~\" y=\"*\">^"
				    "</text>\n",
				    left, (long)TOP - 8, text);
			}
		}
		sum /= (double)(end - from);
		svg_ideal(
		    plot, (double)from - 0.4, sum, (double)end - 0.6, sum);
	}
}

/* The points, whose tooltips have every change. */
static void
put_points(const struct html_page *pg, const struct svg_plot *plot,
    const struct trend *t)
{
	const char *comma = message(MESSAGE_COMMA, pg->lang);

	for (size_t k = 0; k < t->n_points; k++) {
		const struct trend_point *p = &t->points[k];
		const struct history_metadata *at = &p->row->metadata;
		const struct trend_change *c = p->change;
		const struct page_mark m = {
			.series = c == NULL || !c->proven ? POINT_SAME
			    : c->ratio < 1                ? POINT_SLOWER
							  : POINT_FASTER,
			.x = (double)k,
			.y = p->c.median_speed,
			.low = p->c.median_low,
			.high = p->c.median_high,
			.lines = { arena_join(pg->a,
				       arena_join(
					   pg->a, at->date, comma, at->commit),
				       comma, at->host),
			    page_value_text(pg, &t->own[k]),
			    arena_printf(pg->a, "%s: %ld",
				message(MESSAGE_RUNS, pg->lang), p->c.n),
			    c == NULL ? NULL
				      : arena_printf(pg->a, "%s %s %%",
					    message(MESSAGE_CHANGE, pg->lang),
					    change_share(pg->a, c)),
			    case_doubts_text(&p->c, 0, NULL, pg->lang, pg->a) },
		};

		page_mark(pg, plot, &m);
	}
}

static void
put_chart(
    const struct html_page *pg, struct trend_set *set, const struct trend *t)
{
	const size_t step = (t->n_points + X_LABELS - 1) / X_LABELS;
	struct svg_plot plot = { .out = pg->f,
		.left = LEFT,
		.right = WIDTH - RIGHT,
		.top = TOP,
		.bottom = HEIGHT - BOTTOM };
	double low = INFINITY, high = -INFINITY;

	for (size_t k = 0; k < t->n_points; k++) {
		const struct result_case *c = &t->points[k].c;

		low = fmin(low, fmin(c->median_speed, c->median_low));
		high = fmax(high, fmax(c->median_speed, c->median_high));
	}
	axis_span(low, high, Y_LABELS, &plot.y);
	plot.x.low = -0.5;
	plot.x.high = (double)t->n_points - 0.5;
	for (size_t k = 0; k < t->n_points; k += step) {
		struct axis_tick *tick = &plot.x.ticks[plot.x.n++];
		struct strbuf name = STRBUF_INIT(AXIS_LABEL_SIZE);

		tick->at = (double)k;
		svg_add_text(&name, trend_point_name(pg->a, t->points[k].row));
		if (name.len < AXIS_LABEL_SIZE)
			memcpy(tick->label, name.buf, name.len + 1);
		strbuf_release(&name);
	}
	page_figure(pg, &plot, trend_name(set, t, pg->lang), t->c->unit,
	    finding_text(
		set, t, t->n_changes > 0 ? t->changes : NULL, pg->lang),
	    WIDTH, HEIGHT);
	put_levels(pg, &plot, t);
	put_points(pg, &plot, t);
	fputs("</svg>\n</figure>\n", pg->f);
}

int
history_page_write(struct trend_set *set, const struct report_how *how, FILE *f,
    struct error *e)
{
	const struct html_page pg = { f, how->lang, &set->arena, &set->series,
		NULL, how };
	const char *const names[N_POINT_KINDS] = {
		page_words(&pg, "median of the runs", "各次运行的中位数"),
		page_words(&pg, "slower from here on", "此后更慢"),
		page_words(&pg, "faster from here on", "此后更快"),
	};
	const char *head = page_words(&pg, "All points", "各点");
	struct table t = TABLE_INIT;

	if (page_begin(&pg,
		page_words(&pg, "Speeds over time", "速度随时间的变化"),
		e) != 0)
		return -1;
	page_put(&pg, PAGE_LEAD);
	put_changes(&pg, set);
	fputs("<div class=\"charts wide\">\n", f);
	page_key(&pg, names, N_POINT_KINDS);
	for (size_t i = 0; i < set->n && i < MAX_CHARTS; i++)
		put_chart(&pg, set, &set->items[i]);
	fputs("</div>\n", f);
	if (set->n > MAX_CHARTS)
		page_put(&pg,
		    "<p>{Charts of the first # of # cases; others are chosen "
		    "by --select=KEY=VALUE.|仅画出前 # 个规模（共 # 个）；其余"
		    "可用 --select=KEY=VALUE 选择。}</p>\n",
		    (long)MAX_CHARTS, (long)set->n);
	fputs("</section>\n", f);
	make_table(set, 0, how, &t);
	page_section(&pg, "points", head);
	page_table(&pg, &t, head, "history");
	fputs("</section>\n", f);
	page_end(&pg);
	return 0;
}
