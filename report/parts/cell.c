#include <config.h>

#include "report/parts/cell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/json/json_write.h"
#include "common/result/case_text.h"
#include "common/units/units.h"
#include "report/parts/panel.h"

enum {
	CELL_SIZE = 400, /* the largest double with 20 decimals */
	VALUE_DIGITS = 5
};

static const char absent[] = "-";
static const char unknown[] = "n/a";

/* The cell of an unknown number: empty in flat tables. */
static const char *
no_number(const struct report_how *how)
{
	return how->flat ? "" : how->of_logs ? absent : unknown;
}

void
cell_count(struct table *t, const struct report_how *how, long count)
{
	if (count == RESULT_UNKNOWN)
		table_cell(t, no_number(how));
	else
		table_cellf(t, "%ld", count);
}

static int
is_time(const struct series_point *p)
{
	const char *metric = p->source->result.rule.metric;

	return metric != NULL && strcmp(metric, "throughput") != 0;
}

/* Default decimals of a value of the point: for speeds two but at least five
 * digits, for times five digits, both no more than the interval supports. */
static int
value_decimals(
    const struct report_how *how, const struct series_point *p, double x)
{
	int decimals = significant_decimals(x, VALUE_DIGITS);
	const double half = case_within_run(p->c) * p->c->median_speed;
	const int supported = isnan(half)
	    ? interval_decimals(p->c->median_low, p->c->median_high)
	    : interval_decimals(
		  p->c->median_speed - half, p->c->median_speed + half);

	if (!is_time(p) && !how->of_logs && decimals < 2)
		decimals = 2;
	return decimals < supported ? decimals : supported;
}

/* Format x, a value of the point or an end of its interval. */
static const char *
value_text(char buf[CELL_SIZE], const struct report_how *how,
    const struct series_point *p, double x)
{
	const double median = p->c->median_speed;

	if (!isfinite(x))
		return no_number(how);
	if (how->digits >= 0)
		snprintf(buf, CELL_SIZE, "%.*f", how->digits, x);
	else if (how->flat)
		json_double(buf, x);
	else if (fabs(x) < 1e-5 || fabs(x) >= 1e15)
		number_format(buf, x, VALUE_DIGITS);
	else
		snprintf(buf, CELL_SIZE, "%.*f",
		    value_decimals(how, p, isfinite(median) ? median : x), x);
	return buf;
}

static const char *
ratio_text(char buf[CELL_SIZE], const struct report_how *how, double x)
{
	if (!isfinite(x))
		return no_number(how);
	if (how->ratio_decimals >= 0) {
		snprintf(buf, CELL_SIZE, "%.*f", how->ratio_decimals, x);
		return buf;
	}
	if (how->flat && how->ratio_digits == 0)
		return json_double(buf, x);
	return number_format(buf, x,
	    how->ratio_digits > 0 ? how->ratio_digits : REPORT_RATIO_DIGITS);
}

/* Format a speedup of the point or an end of its interval, with the digits that
 * the interval supports. */
static const char *
speedup_text(char buf[CELL_SIZE], const struct report_how *how,
    const struct series_point *p, double x)
{
	const struct result_case *c = p->c;
	const int supported =
	    interval_decimals(c->speedup_low, c->speedup_high);
	int decimals;

	if (!isfinite(x) || how->flat || how->ratio_digits > 0 ||
	    how->ratio_decimals >= 0 || !isfinite(c->speedup) ||
	    fabs(x) < 1e-5 || fabs(x) >= 1e15)
		return ratio_text(buf, how, x);
	decimals = significant_decimals(c->speedup, REPORT_RATIO_DIGITS);
	snprintf(buf, CELL_SIZE, "%.*f",
	    decimals < supported ? decimals : supported, x);
	return buf;
}

void
cell_number(struct table *t, const struct report_how *how,
    const struct series_point *p, double x)
{
	char buf[CELL_SIZE];

	table_cell(t, value_text(buf, how, p, x));
	case_links_cell(how->links, t, p->c);
}

void
cell_value(
    struct table *t, const struct report_how *how, const struct series_point *p)
{
	if (p == NULL)
		table_cell(t, absent);
	else if (p->text != NULL) {
		table_cell(t, p->text);
		case_links_cell(how->links, t, p->c);
	} else if (!isfinite(p->c->median_speed))
		table_cell(t, how->of_logs ? no_number(how) : unknown);
	else
		cell_number(t, how, p, p->c->median_speed);
}

void
cell_value_flagged(struct table *t, const struct report_how *how,
    const struct series_point *p, const char *marks)
{
	char buf[CELL_SIZE];

	if (p == NULL || p->text != NULL || marks[0] == '\0' ||
	    !isfinite(p->c->median_speed))
		cell_value(t, how, p);
	else
		table_cellf(t, "%s %s",
		    value_text(buf, how, p, p->c->median_speed), marks);
}

int
cell_is_baseline(const struct result_case *c)
{
	return c->baseline != NULL && c->name != NULL &&
	    strcmp(c->baseline, c->name) == 0;
}

void
cell_speedup(struct table *t, const struct report_how *how,
    const struct series_point *p, double speedup)
{
	char buf[CELL_SIZE];

	if (cell_is_baseline(p->c) && (isfinite(speedup) || how->of_logs) &&
	    how->ratio_decimals < 0 && !(how->of_logs && how->flat))
		table_cell(t, "1");
	else
		table_cell(t, speedup_text(buf, how, p, speedup));
	if (isfinite(speedup))
		case_links_cell(how->links, t, p->c);
}

void
cell_ratio(struct table *t, const struct report_how *how, double ratio)
{
	char buf[CELL_SIZE];

	table_cell(t, ratio_text(buf, how, ratio));
}

void
cell_ratio_interval(
    struct table *t, const struct report_how *how, double low, double high)
{
	char a[CELL_SIZE], b[CELL_SIZE];

	if (!isfinite(low) || !isfinite(high))
		table_cell(t, "");
	else
		table_cellf(t, "[%s, %s]", ratio_text(a, how, low),
		    ratio_text(b, how, high));
}

int
cell_ratio_digits_asked(const struct report_how *how)
{
	return how->ratio_digits > 0 || how->ratio_decimals >= 0;
}

void
cell_percent(struct table *t, const struct report_how *how, double share)
{
	char buf[CELL_SIZE];

	if (!isfinite(share))
		table_cell(t, no_number(how));
	else if (how->flat)
		table_cell(t, json_double(buf, share));
	else
		table_cellf(t, "%.1f", 100 * share);
}

void
cell_interval(struct table *t, const struct report_how *how,
    const struct series_point *p, double low, double high, int is_ratio)
{
	char a[CELL_SIZE], b[CELL_SIZE];

	if (!isfinite(low) || !isfinite(high))
		table_cell(t, "");
	else if (is_ratio)
		table_cellf(t, "[%s, %s]", speedup_text(a, how, p, low),
		    speedup_text(b, how, p, high));
	else
		table_cellf(t, "[%s, %s]", value_text(a, how, p, low),
		    value_text(b, how, p, high));
	case_links_cell(how->links, t, p->c);
}

void
cell_median_interval(struct table *t, const struct report_how *how,
    const struct series_point *p, struct arena *a)
{
	const char *within = within_run_text(a, p->c, how->lang);

	if (within == NULL) {
		cell_interval(
		    t, how, p, p->c->median_low, p->c->median_high, 0);
		return;
	}
	table_cell(t, within);
	case_links_cell(how->links, t, p->c);
}

void
cell_unrounded(struct table *t, double x)
{
	char buf[JSON_DOUBLE_SIZE];

	table_cell(t, isfinite(x) ? json_double(buf, x) : "");
}
