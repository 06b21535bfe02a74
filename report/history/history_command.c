/* The commands of --history, and what they write: trends as a table, a row per
 * point and a group per trend, and their changes as sentences; both as tables
 * for programs, and as a page. */
#include <config.h>

#include "report/history/history.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/files/files.h"
#include "common/process.h"
#include "common/result/case_text.h"
#include "common/result/result.h"
#include "common/series/result_set.h"
#include "common/series/runs_table.h"
#include "common/stats/change_points.h"
#include "common/text.h"
#include "common/units/units.h"
#include "plots/draw.h"
#include "report/page/page_parts.h"
#include "report/parts/columns.h"
#include "report/parts/panel.h"
#include "report/tables/report.h"

/* Keys without a column. */
#define NOT_SHOWN \
	(SERIES_BIT(SERIES_UNIT) | SERIES_BIT(SERIES_RULE) | \
	    SERIES_BIT(SERIES_KIND) | SERIES_BIT(SERIES_SOURCE))

/* Name of a trend: the part of its configuration that differs between trends,
 * and the case. */
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

/* A change in per cent with its sign: "-6.0". */
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

/* Number of points of both levels of a change that have runs in doubt. */
static size_t
count_doubtful(const struct trend *t, const struct trend_change *c)
{
	size_t n = 0;

	for (size_t i = c->before; i < c->end; i++)
		n += (size_t)case_is_doubtful(&t->points[i].c, 0);
	return n;
}

/* Describe change c in a sentence; with c NULL, state that the trend has no
 * change. Lives in the set's arena. */
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

/* The item of a row: a point and the finding about it, which is the change that
 * begins there, or, at the last point, that the trend has no change. */
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
	    x->how->flat ? ""
			 : case_flags_marks(x->flags, x->c, 0, NULL, x->arena));
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
	LETTER = 9, /* approximate width of a label's letter */
	MAX_CHARTS = 24
};

/* Series of the charts, which have a colour and a shape each: a circle, a
 * square, a triangle. */
enum { POINT_SAME, POINT_SLOWER, POINT_FASTER, N_POINT_KINDS };

/* Draw the levels between proven changes as lines at the means of their points,
 * and label each change above its first point, unless the label would touch the
 * one before it. */
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

/* Draw the points. Their tooltips state every change. */
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

/* Write the page of --history=FILE show: the changes as sentences, a chart for
 * each trend, the table. Returns 0, or -1 as page_begin. */
static int
write_page(struct trend_set *set, const struct report_how *how, FILE *f,
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
	size_t n = 0;

	if (page_begin(&pg,
		page_words(&pg, "Speeds over time", "速度随时间的变化"),
		e) != 0)
		return -1;
	page_put(&pg, PAGE_LEAD);
	fputs("<ul>\n", f);
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_changes; k++, n++)
			page_put(&pg, "<li>@</li>\n",
			    finding_text(set, &set->items[i],
				&set->items[i].changes[k], pg.lang));
	if (n == 0)
		page_put(&pg,
		    "<li>{No change is found in # cases.|# 个规模中未发现"
		    "变化。}</li>\n",
		    (long)set->n);
	fputs("</ul>\n<div class=\"charts wide\">\n", f);
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

/* --- when and where ------------------------------------------------------- */

/* Seconds since 1970 as "2026-11-13T08:00:00Z". */
static const char *
utc_date(struct arena *a, time_t seconds)
{
	char out[UTC_TEXT_SIZE];

	return arena_strdup(a, utc_text(seconds, out));
}

/* Parse a time stamp, or a day (midnight UTC). */
static const char *
read_date(struct arena *a, const char *text)
{
	const char *day = arena_printf(a, "%sT00:00:00Z", text);
	double seconds;

	if (stamp_parse(text, strlen(text), &seconds) != STAMP_DATE &&
	    stamp_parse(day, strlen(day), &seconds) != STAMP_DATE)
		return NULL;
	return utc_date(a, (time_t)seconds);
}

enum { MAX_LINE = 4096 };

/* Fill in unknown metadata from the lines "key: value" of a machine.txt. */
static int
read_machine(struct arena *a, const char *path, struct history_metadata *m,
    struct error *e)
{
	FILE *f = fopen(path, "r");
	char line[MAX_LINE], value[MAX_LINE];

	if (f == NULL)
		return error_errno(e, errno, "cannot open '%s'", path);
	while (fgets(line, sizeof line, f) != NULL) {
		if (m->host == NULL &&
		    sscanf(line, "host: %4095[^\r\n]", value) == 1)
			m->host = arena_strdup(a, value);
		if (m->commit == NULL &&
		    sscanf(line, "commit: %4095[^\r\n]", value) == 1)
			m->commit = arena_strdup(a, value);
		if (m->date == NULL &&
		    sscanf(line, "started: %4095[^\r\n]", value) == 1) {
			m->date = read_date(a, value);
			m->date_from = "machine.txt";
		}
	}
	fclose(f);
	return 0;
}

/* --- add ------------------------------------------------------------------ */

/* A result to add, and its rows, which borrow from it. */
struct history_input {
	const char *path;
	struct result result;
	struct history rows;
	size_t added; /* rows */
};

/* Read a result. Its metadata are from the options, else from a machine.txt;
 * the date else from the file's modification time. */
static int
read_input(
    const struct history_ask *ask, struct history_input *in, struct error *e)
{
	char *machine = environment_machine_next_to(in->path);
	struct history_metadata m = {
		.host = ask->host, .commit = ask->commit, .date_from = "--date"
	};
	struct stat st = { .st_mtime = time(NULL) }; /* of stdin */
	struct arena *a = &in->rows.arena;
	int rc = 0;

	if (ask->date != NULL && (m.date = read_date(a, ask->date)) == NULL)
		rc = error_set(e, ERROR_USAGE,
		    "--date: '%s' is not a date such as 2026-11-13 or "
		    "2026-11-13T08:00:00Z",
		    ask->date);
	else if (machine != NULL)
		rc = read_machine(a, machine, &m, e);
	free(machine);
	if (rc != 0)
		return rc;
	if (m.date == NULL) {
		if (strcmp(in->path, "-") != 0 && stat(in->path, &st) != 0)
			return error_errno(
			    e, errno, "cannot read '%s'", in->path);
		m.date = utc_date(a, st.st_mtime);
		m.date_from = "file";
	}
	if (runs_table_or_result_read(in->path, &in->result, e) != 0)
		return -1;
	if (run_metric_find(in->result.rule.metric) != NULL)
		return error_set(e, ERROR_INPUT,
		    "%s: holds the metric %s, but a history holds speeds",
		    in->path, in->result.rule.metric);
	history_rows_of(&in->result, &m, &in->rows);
	return in->rows.n > 0 ? 0
			      : error_set(e, ERROR_EMPTY,
				    "%s: holds no run to be added", in->path);
}

static void
print_added(const struct history_input *in)
{
	const struct history_metadata *m = &in->rows.rows[0].metadata;
	const size_t n = in->rows.n, added = in->added;
	char *line = added == 0
	    ? xasprintf("%s: all %zu runs are already stored", in->path, n)
	    : xasprintf("%s: %zu run%s added, %zu stored already, of %s%s%s%s"
			"%s%s",
		  in->path, added, added == 1 ? "" : "s", n - added, m->date,
		  text_same(m->date_from, "file") ? " (the time of the file)"
						  : "",
		  m->commit != NULL ? ", commit " : "",
		  m->commit != NULL ? m->commit : "",
		  m->host != NULL ? ", host " : "",
		  m->host != NULL ? m->host : "");

	/* Names may contain terminal escape sequences. */
	text_sanitise(line, "");
	puts(line);
	free(line);
}

/* Add all results in one transaction, after all were read. */
static int
add_all(const struct history_ask *ask, char *const *paths, size_t n,
    struct error *e)
{
	struct history_input *in = xcalloc(n, sizeof *in);
	struct history_file f = { .db = NULL };
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		result_init(&in[i].result);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		in[i].path = paths[i];
		rc = read_input(ask, &in[i], e);
	}
	if (rc == 0)
		rc = history_file_open(ask->path, HISTORY_WRITE, &f, e);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = history_file_add(
		    &f, &in[i].rows, in[i].path, &in[i].added, e);
	if (rc == 0)
		rc = history_file_commit(&f, e);
	history_file_close(&f);
	for (size_t i = 0; i < n; i++) {
		if (rc == 0)
			print_added(&in[i]);
		history_release(&in[i].rows);
		result_release(&in[i].result);
	}
	free(in);
	return rc;
}

/* --- show, plot, when ----------------------------------------------------- */

static int
draw_trends(
    const struct history_ask *ask, struct series_set *points, struct error *e)
{
	const char *items[] = { "history" };
	const struct opt_list asked = { items, 1, 1 };
	char *name = result_file_name(ask->path);
	struct draw_how how = { .charts = &asked,
		.inputs = &ask->path,
		.n_inputs = 1,
		.chart = { .lang = ask->how->lang },
		.script = { .scale = 1,
		    .palette = palette_find(NULL),
		    .theme = theme_find(NULL) },
		.output = ask->output,
		.output_dir = "result",
		.name = name,
		.format = ask->format,
		.force = ask->force };
	int rc = draw_parse_size(ask->size, NAN, &how, e);

	if (rc == 0)
		rc = draw_all(points, &how, e);
	free(name);
	return rc;
}

static int
answer_trends(const struct history_ask *ask, const char *verb, struct error *e)
{
	struct history rows = HISTORY_INIT;
	struct trend_set set = { .n = 0 };
	struct history_file f;
	struct outfile o;
	int rc;

	if (history_file_open(ask->path, HISTORY_READ, &f, e) != 0)
		return -1;
	rc = history_file_read(&f, ask->host, &rows, e);
	history_file_close(&f);
	if (rc == 0 && rows.n == 0)
		rc = error_set(e, ERROR_EMPTY, "%s: holds no run%s%s",
		    ask->path, ask->host != NULL ? " of host " : "",
		    ask->host != NULL ? ask->host : "");
	if (rc == 0)
		rc =
		    trend_collect(&rows, ask->select, ask->confidence, &set, e);
	if (rc == 0 && strcmp(verb, "plot") == 0) {
		rc = draw_trends(ask, &set.points, e);
	} else if (rc == 0 &&
	    (rc = outfile_open(
		 &o, ask->output != NULL ? ask->output : "-", e)) == 0) {
		if (ask->html)
			rc = write_page(&set, ask->how, o.f, e);
		else
			history_write(
			    &set, strcmp(verb, "when") == 0, ask->how, o.f);
		if (rc == 0)
			rc = outfile_commit(&o, e);
		else
			outfile_abort(&o);
	}
	trend_release(&set);
	history_release(&rows);
	return rc;
}

/* --- the commands --------------------------------------------------------- */

/* The commands and their output formats. */
static const struct history_verb {
	const char *name;
	const char *formats;  /* of --format, separated by spaces */
	const char *suffixes; /* of --output; NULL: checked by draw_all */
} verbs[] = {
	{ "add", "", "" },
	{ "show", "text markdown csv json jsonl latex html", TABLE_SUFFIXES },
	{ "plot", "svg png pdf gp", NULL },
	{ "when", "text csv json jsonl", "txt csv json jsonl" },
};

int
history_command(const struct history_ask *ask, char *const *operands, size_t n,
    struct error *e)
{
	const struct history_verb *end = verbs + sizeof verbs / sizeof verbs[0];
	const char *name = n > 0 ? operands[0] : "";
	const struct history_verb *v = verbs;
	int takes_results;

	while (v < end && strcmp(v->name, name) != 0)
		v++;
	if (v == end)
		return error_set(e, ERROR_USAGE,
		    "--history: '%s' is not add RESULT|LOGS..., show, plot or "
		    "when",
		    name);
	takes_results = v->formats[0] == '\0';
	if (takes_results != (n > 1))
		return error_set(e, ERROR_USAGE, "--history: %s: %s", name,
		    takes_results ? "missing operand: a result"
				  : "takes no operand; add takes results");
	if (ask->format != NULL && ask->html)
		return error_set(
		    e, ERROR_USAGE, "--html cannot be used with --format");
	if (ask->format != NULL && strstr(v->formats, ask->format) == NULL)
		return error_set(e, ERROR_USAGE,
		    "--format: --history=FILE %s does not write '%s'", name,
		    ask->format);
	if (v->suffixes != NULL &&
	    outfile_check_suffix("--output", ask->output, v->suffixes, e) != 0)
		return -1;
	if (outfile_spare(ask->output, &ask->path, 1, e) != 0)
		return -1;
	return takes_results ? add_all(ask, operands + 1, n - 1, e)
			     : answer_trends(ask, name, e);
}
