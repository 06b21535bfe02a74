/* Choose the limits and ticks of an axis. */
#include <config.h>

#include "plots/style/axis.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/arena.h"
#include "common/units/units.h"
#include "common/utf8.h"
#include "plots/style/quote.h"

static void
add_tick(struct axis *a, double at, const char *label)
{
	struct axis_tick *t;

	if (a->n == AXIS_MAX_TICKS)
		return;
	t = &a->ticks[a->n++];
	t->at = at;
	t->is_minor = 0;
	snprintf(t->label, sizeof t->label, "%s", label);
}

static void
add_number(struct axis *a, double at)
{
	char buf[UNITS_TEXT_SIZE], label[UNITS_TEXT_SIZE + 2];
	const double times = a->times > 0 ? a->times : 1;
	const double high = fmax(fabs(a->low), fabs(a->high)) * times;
	const double size = fabs(at) * times;
	/* "0.5 M" next to "1 M", but decades are plain below a million. */
	const double from = a->base > 0 ? 1 : 0.1;
	const double unit = high >= 1e9 && size >= from * 1e9 ? 1e9
	    : high >= 1e6 && size >= from * 1e6               ? 1e6
							      : 1;

	/* 6 digits distinguish neighbouring ticks; strip trailing zeros. */
	number_format(buf, at * times / unit, 6);
	if (strchr(buf, '.') != NULL && strchr(buf, 'e') == NULL) {
		size_t len = strlen(buf);

		while (buf[len - 1] == '0')
			len--;
		if (buf[len - 1] == '.')
			len--;
		buf[len] = '\0';
	}
	snprintf(label, sizeof label, "%s%s", buf,
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

/* Add a minor tick unless it is outside the axis or coincides with another
 * tick. */
static void
add_minor(struct axis *a, double at)
{
	if (!(at >= a->low && at <= a->high) || a->n == AXIS_MAX_TICKS)
		return;
	for (size_t i = 0; i < a->n; i++)
		if (fabs(a->ticks[i].at - at) <= 1e-9 * fabs(at))
			return;
	add_tick(a, at, "");
	a->ticks[a->n - 1].is_minor = 1;
}

static int
compare_ticks(const void *a, const void *b)
{
	const double x = ((const struct axis_tick *)a)->at,
		     y = ((const struct axis_tick *)b)->at;

	return (x > y) - (x < y);
}

static void
sort_ticks(struct axis *a)
{
	qsort(a->ticks, a->n, sizeof *a->ticks, compare_ticks);
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
			add_minor(a, (k + (double)i / parts) * step);
	sort_ticks(a);
}

/* --- GPU counts ----------------------------------------------------------- */

/* Priority of a count's label; 0 is the highest, 3: none.
 *
 * stride  of the powers of two with labels, down from the last count */
static int
label_rank(const long *counts, size_t n, size_t i, int stride)
{
	const int below =
	    (int)lround(log2((double)counts[n - 1] / (double)counts[i]));

	if (i == 0 || i == n - 1)
		return 0;
	if (stride > 1 && below % stride != 0)
		return 3;
	return (counts[i] & (counts[i] - 1)) == 0 ? 1 : 2;
}

/* True if a gap of a character separates the label from all others. */
static int
label_fits(const struct axis *a, double at, const char *label, int room)
{
	const double middle = axis_share(a, at) * room;

	for (size_t i = 0; i < a->n; i++) {
		const struct axis_tick *t = &a->ticks[i];
		const double apart = fabs(middle - axis_share(a, t->at) * room);

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
	char label[32];
	int stride = 1, all_powers = 0, width;

	assert(n >= 1 && counts[0] > 0 && room >= 1);
	*out = (struct axis){ .base = 2 };
	widen_axis(out, (double)counts[0], (double)counts[n - 1], 1.19);
	if (linear)
		*out = (struct axis){ .high = (double)counts[n - 1] *
			    AXIS_LINEAR_MARGIN };
	if (n <= AXIS_MAX_TICKS) {
		for (size_t i = 0; i < n; i++)
			add_tick(out, (double)counts[i], "");
	} else {
		for (double at = exp2(ceil(log2((double)counts[0])));
		     at <= (double)counts[n - 1]; at *= 2)
			add_tick(out, at, "");
		all_powers = 1;
	}
	/* Labels of many powers of two are equally far apart. */
	width = snprintf(label, sizeof label, "%ld ", counts[n - 1]);
	while (
	    !linear && (log2(out->high / out->low) / stride + 1) * width > room)
		stride++;
	for (int rank = 0; rank <= 2; rank++)
		for (size_t k = out->n; k-- > 0;) {
			struct axis_tick *t = &out->ticks[k];

			if (!all_powers &&
			    label_rank(counts, n, k, stride) != rank)
				continue;
			snprintf(label, sizeof label, "%.0f", t->at);
			if (t->label[0] == '\0' &&
			    label_fits(out, t->at, label, room))
				memcpy(t->label, label, sizeof label);
		}
}

/* --- sizes and names ------------------------------------------------------ */

void
axis_sizes(double low, double high, int room, struct axis *out)
{
	enum { WIDEST = 6 }; /* characters of a label and its gap */
	static const char units[] = { '\0', 'K', 'M', 'G', 'T', 'P' };
	const int most = room / WIDEST > 1 ? room / WIDEST : 1;
	int first, last, stride = 1;

	assert(low >= 1 && low <= high);
	*out = (struct axis){ .base = 2 };
	widen_axis(out, low, high, 1.19);
	first = (int)ceil(log2(out->low));
	last = (int)floor(log2(out->high));
	if (first > last) {
		add_number(out, low);
		return;
	}
	while ((last - first) / stride + 1 > most)
		stride++;
	for (int k = first; k <= last; k++) {
		const int unit = k / 10 < 5 ? k / 10 : 5;
		char label[32];

		snprintf(label, sizeof label, "%.0f%c", exp2(k - 10 * unit),
		    units[unit]);
		if (k % stride == 0)
			add_tick(out, exp2(k), label);
	}
}

enum {
	NAME_MOST_LINES = 5, /* of a label */
	NAME_LONG_WORD = 20, /* columns; longer words may be cut ... */
	NAME_LEAST = 10      /* ... into parts of at least this width */
};

/* True if every stride-th name can be broken into at most NAME_MOST_LINES lines
 * of the width. */
static int
names_fit(struct arena *a, const char *const *names, size_t n, size_t stride,
    size_t width)
{
	for (size_t i = 0; i < n; i += stride) {
		const char *name = names[i];

		if (utf8_width(name, strlen(name)) <= width)
			continue;
		for (size_t len; *name != '\0'; name += len) {
			size_t w;

			name += strspn(name, " ");
			len = strcspn(name, " ");
			w = utf8_width(name, len);
			if (w > width &&
			    (w <= NAME_LONG_WORD || width < NAME_LEAST))
				return 0;
		}
		if (width < 2 ||
		    quote_count_lines(quote_wrap(a, names[i], width)) >
			NAME_MOST_LINES)
			return 0;
	}
	return 1;
}

/* Columns per label if every stride-th of n names has one. */
static size_t
name_width(size_t n, size_t stride, int room)
{
	const size_t width = (size_t)room / ((n + stride - 1) / stride);

	return width > 1 ? width - 1 : 1;
}

/* Add every stride-th name, broken into lines of the width and truncated
 * without splitting a character, and empty labels for the others. */
static void
add_names(struct axis *out, struct arena *a, const char *const *names, size_t n,
    size_t stride, size_t width)
{
	*out = (struct axis){ .low = 0.5, .high = (double)n + 0.5 };
	for (size_t i = 0; i < n; i++) {
		/* Of more names than an axis has ticks only those labelled. */
		if (n > AXIS_MAX_TICKS && i % stride != 0)
			continue;
		char *lines = arena_strdup(
		    a, quote_wrap(a, i % stride == 0 ? names[i] : "", width));
		size_t len = strlen(lines);

		if (len >= AXIS_LABEL_SIZE) {
			len = AXIS_LABEL_SIZE - 1;
			while (len > 0 &&
			    ((unsigned char)lines[len] & 0xc0) == 0x80)
				len--;
			lines[len] = '\0';
		}
		if (quote_count_lines(lines) > out->label_lines)
			out->label_lines = quote_count_lines(lines);
		add_tick(out, (double)i + 1, lines);
	}
}

void
axis_names(const char *const *names, size_t n, int room, struct axis *out)
{
	struct arena a = ARENA_INIT;
	size_t stride = 1, width;

	assert(n >= 1);
	while (stride < n &&
	    !names_fit(&a, names, n, stride, name_width(n, stride, room)))
		stride++;
	width = name_width(n, stride, room);
	if (width < NAME_LEAST && !names_fit(&a, names, n, stride, width))
		width = NAME_LEAST;
	add_names(out, &a, names, n, stride, width);
	arena_release(&a);
}

void
axis_rows(const char *const *names, size_t n, int width, struct axis *out)
{
	struct arena a = ARENA_INIT;

	assert(n >= 1 && n <= AXIS_MAX_TICKS && width >= 1);
	add_names(out, &a, names, n, 1, (size_t)width);
	arena_release(&a);
}

/* --- ratios --------------------------------------------------------------- */

void
axis_ratio(double low, double high, int max_ticks, struct axis *out)
{
	enum { QUARTERS = 4 }; /* parts of an interval between powers of two */
	int first, last, stride = 1;

	assert(low > 0 && low <= high && max_ticks >= 2);
	*out = (struct axis){ .base = 2 };
	widen_axis(out, low, high, AXIS_LOG_MARGIN);
	if (out->high / out->low < 4) {
		add_even(out, max_ticks / 2 + 1);
		return;
	}
	first = (int)ceil(log2(out->low) - 1e-9);
	last = (int)floor(log2(out->high) + 1e-9);
	while ((last - first) / stride + 1 > max_ticks)
		stride++;
	for (int k = first; k <= last; k++)
		if (k % stride == 0 || stride == 1)
			add_number(out, exp2(k));
	for (int k = first - 1; stride == 1 && k <= last; k++)
		for (int i = 1; i < QUARTERS; i++)
			add_minor(out, exp2(k) * (1 + (double)i / QUARTERS));
	sort_ticks(out);
}

/* --- amounts -------------------------------------------------------------- */

/* Replace the ticks by those at 10^(stride * k), and with parts 3 also at 2 and
 * 5 times these. */
static void
set_decades(struct axis *a, int parts, int stride)
{
	static const double m[] = { 1, 2, 5 };
	const int last = (int)ceil(log10(a->high));

	a->n = 0;
	for (int k = (int)floor(log10(a->low)); k <= last; k++)
		for (int i = 0; k % stride == 0 && i < parts; i++) {
			const double at = m[i] * pow(10, k);

			if (at >= a->low && at <= a->high)
				add_number(a, at);
		}
}

void
axis_amount(double low, double high, int max_ticks, struct axis *out)
{
	int stride = 1, last;

	assert(low > 0 && low <= high && max_ticks >= 2);
	*out = (struct axis){ .base = 10 };
	widen_axis(out, low, high, 1.1);
	set_decades(out, 3, 1);
	/* Use even steps if there would be fewer than three ticks, such as 0.5
	 * and 1 between 0.25 and 1.2. A range of a factor of ten always has
	 * three. */
	if (out->high / out->low < 4 || out->n < 3) {
		out->n = 0;
		add_even(out, max_ticks / 2 + 1);
		return;
	}
	if (out->n > (size_t)max_ticks)
		set_decades(out, 1, 1);
	while (out->n > (size_t)max_ticks)
		set_decades(out, 1, ++stride);
	/* Minor ticks: multiples of powers of ten, or with a stride above 1 the
	 * unlabelled powers. */
	last = (int)ceil(log10(out->high));
	for (int k = (int)floor(log10(out->low)); k <= last; k++)
		for (int i = 1; i < (stride == 1 ? 10 : 2); i++)
			add_minor(out, i * pow(10, k));
	sort_ticks(out);
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
