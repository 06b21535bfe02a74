/* Choose the limits and ticks of an axis. */
#include <config.h>

#include "plots/style/axis.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text.h"
#include "common/units/units.h"
#include "plots/style/picture_style.h"

/* Add a tick. If label is NULL it is a minor one, which is dropped if it is
 * outside of the axis or coincides with another tick. */
static void
add_tick(struct axis *a, double at, const char *label)
{
	if (a->n == AXIS_MAX_TICKS ||
	    (label == NULL && !(at >= a->low && at <= a->high)))
		return;
	for (size_t i = 0; label == NULL && i < a->n; i++)
		if (fabs(a->ticks[i].at - at) <= 1e-9 * fabs(at))
			return;
	a->ticks[a->n] =
	    (struct axis_tick){ .at = at, .is_minor = label == NULL };
	snprintf(a->ticks[a->n++].label, AXIS_LABEL_SIZE, "%s",
	    label != NULL ? label : "");
}

static void
add_number(struct axis *a, double at)
{
	char label[UNITS_TEXT_SIZE];
	const double times = a->times > 0 ? a->times : 1;
	const double high = fmax(fabs(a->low), fabs(a->high)) * times;
	const double size = fabs(at) * times;
	/* Linear axes show "0.5 M" next to "1 M", logarithmic ones 500000. */
	const double from = a->base > 0 ? 1 : 0.1;
	const double unit = high >= 1e9 && size >= from * 1e9 ? 1e9
	    : high >= 1e6 && size >= from * 1e6               ? 1e6
							      : 1;

	/* 6 digits distinguish neighbouring ticks. */
	snprintf(label, sizeof label, "%.6g%s", at * times / unit,
	    unit > 1e6     ? " G"
		: unit > 1 ? " M"
			   : "");
	add_tick(a, at, label);
}

/* Widen a logarithmic axis on both sides by a twentieth of its range, at least
 * by the factor `least`. */
static void
widen_axis(struct axis *a, double low, double high, double least)
{
	const double factor = fmax(pow(high / low, 0.05), least);

	a->low = fmax(low / factor, DBL_MIN);
	a->high = fmin(high * factor, DBL_MAX);
}

/* Smallest 1, 2 or 5 times a power of ten that is >= x. */
static double
round_step(double x)
{
	const double power = pow(10, floor(log10(x) + 1e-9));
	const double least = x * (1 - 1e-9) / power;

	return power * (least <= 1 ? 1 : least <= 2 ? 2 : least <= 5 ? 5 : 10);
}

static int
compare_ticks(const void *a, const void *b)
{
	const double x = ((const struct axis_tick *)a)->at,
		     y = ((const struct axis_tick *)b)->at;

	return (x > y) - (x < y);
}

/* Add at least two even ticks. Minor ticks divide steps of 5 by five, others by
 * two. */
static void
add_even(struct axis *a, int max_ticks)
{
	double step = round_step((a->high - a->low) / max_ticks), power;
	int parts;

	while (floor(a->high / step) - ceil(a->low / step) < 1)
		step = round_step((a->high - a->low) / ++max_ticks);
	power = pow(10, floor(log10(step) + 1e-9));
	parts = step > 4 * power ? 5 : 2;
	for (double k = ceil(a->low / step); k * step <= a->high; k++)
		add_number(a, k * step + 0.0); /* not -0 */
	for (double k = floor(a->low / step); k * step <= a->high; k++)
		for (int i = 1; i < parts; i++)
			add_tick(a, (k + (double)i / parts) * step, NULL);
	qsort(a->ticks, a->n, sizeof *a->ticks, compare_ticks);
}

/* --- GPU counts ----------------------------------------------------------- */

/* True if a gap of a character separates the label from all others. */
static int
label_fits(const struct axis *a, double at, const char *label, int room)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct axis_tick *t = &a->ticks[i];
		const double apart =
		    fabs(axis_share(a, at) - axis_share(a, t->at)) * room;

		if (t->label[0] != '\0' &&
		    apart < (double)(strlen(label) + strlen(t->label)) / 2 + 1)
			return 0;
	}
	return 1;
}

void
axis_counts(
    const long *counts, size_t n, int room, int linear, struct axis *out)
{
	const double last = (double)counts[n - 1];

	assert(n >= 1 && counts[0] > 0 && room >= 1);
	*out = (struct axis){ .base = 2 };
	widen_axis(out, (double)counts[0], last, 1.19);
	if (linear)
		*out = (struct axis){ .high = last * AXIS_LINEAR_MARGIN };
	for (size_t i = 0; i < n; i++)
		add_tick(out, (double)counts[i], "");
	/* First the ends, then powers of two, then others. */
	for (int rank = 0; rank <= 2; rank++)
		for (size_t k = out->n; k-- > 0;) {
			struct axis_tick *t = &out->ticks[k];
			const long count = lround(t->at);
			const int is_end = k == 0 || k == out->n - 1;
			char label[32];

			snprintf(label, sizeof label, "%ld", count);
			if (rank ==
				(is_end ? 0
					: 1 + ((count & (count - 1)) != 0)) &&
			    label_fits(out, t->at, label, room))
				memcpy(t->label, label, sizeof label);
		}
}

/* --- names ---------------------------------------------------------------- */

/* Add every stride-th name, broken into lines of the width, and empty labels
 * for the others. */
static void
add_names(struct axis *out, struct arena *a, const char *const *names, size_t n,
    size_t stride, size_t width)
{
	*out = (struct axis){ .low = 0.5, .high = (double)n + 0.5 };
	for (size_t i = 0; i < n; i++) {
		const char *lines =
		    quote_wrap(a, i % stride == 0 ? names[i] : "", width);

		/* With too many names, add only the labelled ones. */
		if (n > AXIS_MAX_TICKS && i % stride != 0)
			continue;
		if (quote_count_lines(lines) > out->label_lines)
			out->label_lines = quote_count_lines(lines);
		add_tick(out, (double)i + 1, lines);
	}
	arena_release(a);
}

void
axis_names(const char *const *names, size_t n, int room, struct axis *out)
{
	enum { MOST = 20 }; /* columns of a line */
	struct arena a = ARENA_INIT;
	size_t widest = 0, stride, width;

	assert(n >= 1);
	for (size_t i = 0; i < n; i++)
		if (utf8_columns(names[i]) > widest)
			widest = utf8_columns(names[i]);
	widest = widest < MOST ? widest : MOST;
	stride = (n * (widest + 1) + (size_t)room - 1) / (size_t)room;
	stride = stride < 1 ? 1 : stride;
	width = (size_t)room * stride / n;
	add_names(out, &a, names, n, stride, width > 2 ? width - 1 : 2);
}

void
axis_rows(const char *const *names, size_t n, int width, struct axis *out)
{
	struct arena a = ARENA_INIT;

	assert(n >= 1 && n <= AXIS_MAX_TICKS && width >= 1);
	add_names(out, &a, names, n, 1, (size_t)width);
}

/* --- logarithmic ---------------------------------------------------------- */

/* Add ticks, numbered or minor, at m[i] times each stride-th power of the base,
 * as far as they lie on the axis. */
static void
add_powers(struct axis *a, int stride, const double *m, int n, int minor)
{
	const double base = log(a->base);
	const int last = (int)ceil(log(a->high) / base);

	for (int k = (int)floor(log(a->low) / base); k <= last; k++)
		for (int i = 0; k % stride == 0 && i < n; i++) {
			const double at = m[i] * pow(a->base, k);

			if (minor)
				add_tick(a, at, NULL);
			else if (at >= a->low && at <= a->high)
				add_number(a, at);
		}
}

void
axis_sizes(double low, double high, int room, struct axis *out)
{
	enum { WIDEST = 6 }; /* characters of a label and its gap */
	static const char units[][2] = { "", "K", "M", "G", "T", "P" };
	char label[32];
	int stride;

	assert(low >= 1 && low <= high);
	*out = (struct axis){ .base = 2 };
	widen_axis(out, low, high, 1.19);
	stride = (int)(log2(out->high / out->low) * WIDEST / room) + 1;
	for (int k = (int)ceil(fmax(log2(out->low), 0));
	     k <= log2(out->high) && k < 60; k++)
		if (k % stride == 0) {
			snprintf(label, sizeof label, "%.0f%s", exp2(k % 10),
			    units[k / 10]);
			add_tick(out, exp2(k), label);
		}
	if (out->n == 0)
		add_number(out, low);
}

/* Put labels at the powers of the base, for base 10 also at 2 and 5 times these
 * if there is room, and minor ticks in between. Use even steps if the axis
 * spans less than a factor of four or, for base 10, would have fewer than three
 * labels, such as 0.5 and 1 between 0.25 and 1.2.
 *
 * least  factor by which the axis exceeds the values at either end */
static void
set_powers(double low, double high, int max_ticks, int base, double least,
    struct axis *out)
{
	static const double one_two_five[] = { 1, 2, 5 },
			    tens[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 },
			    quarters[] = { 1, 1.25, 1.5, 1.75 };
	int parts = base == 10 ? 3 : 1, stride = 1;

	assert(low > 0 && low <= high && max_ticks >= 2);
	*out = (struct axis){ .base = base };
	widen_axis(out, low, high, least);
	add_powers(out, stride, one_two_five, parts, 0);
	if (out->high / out->low < 4 || (base == 10 && out->n < 3)) {
		out->n = 0;
		add_even(out, max_ticks / 2 + 1);
		return;
	}
	while (out->n > (size_t)max_ticks) {
		stride += parts == 1;
		parts = 1;
		out->n = 0;
		add_powers(out, stride, one_two_five, parts, 0);
	}
	/* With a stride, minor ticks are only at unlabelled powers. */
	if (base == 10)
		add_powers(out, 1, tens, stride > 1 ? 1 : 9, 1);
	else
		add_powers(out, 1, quarters, stride > 1 ? 1 : 4, 1);
	qsort(out->ticks, out->n, sizeof *out->ticks, compare_ticks);
}

void
axis_ratio(double low, double high, int max_ticks, struct axis *out)
{
	set_powers(low, high, max_ticks, 2, AXIS_LOG_MARGIN, out);
}

void
axis_amount(double low, double high, int max_ticks, struct axis *out)
{
	set_powers(low, high, max_ticks, 10, 1.1, out);
}

/* --- linear --------------------------------------------------------------- */

static void
set_linear(double low, double high, int max_ticks, struct axis *out)
{
	assert(low < high && max_ticks >= 2);
	*out = (struct axis){ .low = low, .high = high };
	add_even(out, max_ticks > 11 ? 11 : max_ticks);
}

void
axis_linear(double high, int max_ticks, struct axis *out)
{
	set_linear(0, high > 0 ? high * AXIS_LINEAR_MARGIN : 1, max_ticks, out);
}

void
axis_span(double low, double high, int max_ticks, struct axis *out)
{
	double margin = (AXIS_LINEAR_MARGIN - 1) * (high - low);

	if (!(margin > 0)) /* one value */
		margin = fmax(fabs(low) / 10, DBL_MIN);
	set_linear(low - margin, high + margin, max_ticks, out);
}

void
axis_limit(struct axis *a, double low, double high, int max_ticks)
{
	size_t n = 0, labelled = 0;

	assert(low < high && max_ticks >= 2);
	a->low = low;
	a->high = high;
	for (size_t i = 0; i < a->n; i++)
		if (a->ticks[i].at >= low && a->ticks[i].at <= high) {
			labelled += a->ticks[i].label[0] != '\0';
			a->ticks[n++] = a->ticks[i];
		}
	a->n = n;
	if (labelled < 3) {
		a->n = 0;
		add_even(a, max_ticks > 11 ? 11 : max_ticks);
	}
}

void
axis_set_times(struct axis *a, double times)
{
	struct axis old = *a;

	a->times = times;
	a->n = 0;
	for (size_t i = 0; i < old.n; i++)
		if (old.ticks[i].label[0] != '\0')
			add_number(a, old.ticks[i].at);
		else
			a->ticks[a->n++] = old.ticks[i];
}

double
axis_share(const struct axis *a, double v)
{
	if (a->base > 0)
		return log(v / a->low) / log(a->high / a->low);
	return (v - a->low) / (a->high - a->low);
}

double
axis_at(const struct axis *a, double share)
{
	if (a->base > 0)
		return a->low * pow(a->high / a->low, share);
	return a->low + share * (a->high - a->low);
}
