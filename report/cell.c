#include <config.h>

#include "report/cell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/json/json_write.h"
#include "common/units/units.h"

enum { CELL_SIZE = 400 }; /* the largest double with 20 decimals */

static const char absent[] = "-";
static const char unknown[] = "n/a";

/* What stands for a number that is not known: an empty field where a machine
 * reads it. */
static const char *
no_number(const struct report_how *how)
{
	return how->flat ? "" : unknown;
}

void
cell_count(struct table *t, const struct report_how *how, long count)
{
	if (count == RESULT_UNKNOWN)
		table_cell(t, no_number(how));
	else
		table_cellf(t, "%ld", count);
}

/* Digits in front of the point: 3 of 347.12, 1 of 0.5. */
static int
whole_digits(double x)
{
	int n = 1;

	for (; fabs(x) >= 10 && n < 300; n++)
		x /= 10;
	return n;
}

static int
is_time(const struct series_point *p)
{
	const char *metric = p->source->result.rule.metric;

	return metric != NULL && strcmp(metric, "throughput") != 0;
}

static const char *
value_text(char buf[CELL_SIZE], const struct report_how *how,
    const struct series_point *p, double x)
{
	int decimals;

	if (!isfinite(x))
		return no_number(how);
	if (how->digits >= 0) {
		snprintf(buf, CELL_SIZE, "%.*f", how->digits, x);
	} else if (how->flat) {
		json_double(buf, x);
	} else if (is_time(p)) {
		number_format(buf, x, 5);
	} else {
		decimals = 5 - whole_digits(x);
		snprintf(
		    buf, CELL_SIZE, "%.*f", decimals > 2 ? decimals : 2, x);
	}
	return buf;
}

static const char *
ratio_text(char buf[CELL_SIZE], const struct report_how *how, double x)
{
	if (!isfinite(x))
		return no_number(how);
	if (how->flat && how->ratio_digits == 0)
		return json_double(buf, x);
	return number_format(buf, x,
	    how->ratio_digits > 0 ? how->ratio_digits : REPORT_RATIO_DIGITS);
}

void
cell_number(struct table *t, const struct report_how *how,
    const struct series_point *p, double x)
{
	char buf[CELL_SIZE];

	table_cell(t, value_text(buf, how, p, x));
}

void
cell_value(
    struct table *t, const struct report_how *how, const struct series_point *p)
{
	if (p == NULL)
		table_cell(t, absent);
	else if (p->text != NULL)
		table_cell(t, p->text);
	else if (!isfinite(p->c->median_speed))
		table_cell(t, unknown);
	else
		cell_number(t, how, p, p->c->median_speed);
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

	if (cell_is_baseline(p->c) && isfinite(speedup))
		table_cell(t, "1");
	else
		table_cell(t, ratio_text(buf, how, speedup));
}

void
cell_ratio(struct table *t, const struct report_how *how, double ratio)
{
	char buf[CELL_SIZE];

	table_cell(t, ratio_text(buf, how, ratio));
}

void
cell_percent(struct table *t, const struct report_how *how, double share)
{
	char buf[CELL_SIZE];

	if (!isfinite(share))
		table_cell(t, no_number(how));
	else if (how->flat)
		table_cell(t, json_double(buf, 100 * share));
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
		table_cellf(t, "[%s, %s]", ratio_text(a, how, low),
		    ratio_text(b, how, high));
	else
		table_cellf(t, "[%s, %s]", value_text(a, how, p, low),
		    value_text(b, how, p, high));
}
