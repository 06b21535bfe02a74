/* Choose the limits and ticks of an axis. */
#include <config.h>

#include "plots/style/axis.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	snprintf(t->label, sizeof t->label, "%s", label);
}

static void
add_number(struct axis *a, double at)
{
	char buf[UNITS_TEXT_SIZE];

	/* 6 digits distinguish neighbouring ticks; strip trailing zeros. */
	number_format(buf, at, 6);
	if (strchr(buf, '.') != NULL && strchr(buf, 'e') == NULL) {
		size_t len = strlen(buf);

		while (buf[len - 1] == '0')
			len--;
		if (buf[len - 1] == '.')
			len--;
		buf[len] = '\0';
	}
	add_tick(a, at, buf);
}

/* Widen a logarithmic axis on both sides by a share of its range, at least by
 * the factor `least`. */
static void
widen_axis(struct axis *a, double low, double high, double share, double least)
{
	double factor = pow(high / low, share);

	if (!(factor > least))
		factor = least;
	a->low = fmax(low / factor, DBL_MIN);
	a->high = fmin(high * factor, DBL_MAX);
}

/* Smallest 1, 2 or 5 times a power of ten that is >= x. */
static double
round_step(double x)
{
	double power = pow(10, floor(log10(x) + 1e-9));
	static const double steps[] = { 1, 2, 5, 10 };

	for (int i = 0; i < 4; i++)
		if (steps[i] * power >= x * (1 - 1e-9))
			return steps[i] * power;
	return 10 * power;
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

/* Add even ticks. Minor ticks divide steps of 5 by five, others by two. */
static void
add_even(struct axis *a, int max_ticks)
{
	const double step = round_step((a->high - a->low) / max_ticks);
	const double power = pow(10, floor(log10(step) + 1e-9));
	const int parts = step > 4 * power ? 5 : 2;

	for (double k = ceil(a->low / step); k * step <= a->high; k++)
		add_number(a, k * step + 0.0); /* not -0 */
	for (double k = floor(a->low / step); k * step <= a->high; k++)
		for (int i = 1; i < parts; i++)
			add_minor(a, (k + (double)i / parts) * step);
	sort_ticks(a);
}

/* --- GPU counts ----------------------------------------------------------- */

static int
is_power_of_two(long x)
{
	return x > 0 && (x & (x - 1)) == 0;
}

/* Priority of a count's label; 0 is the highest. */
static int
label_rank(const long *counts, size_t n, size_t i)
{
	if (i == 0 || i == n - 1)
		return 0;
	return is_power_of_two(counts[i]) ? 1 : 2;
}

/* Start and end of a tick's label along the axis, in characters. */
static void
label_span(const struct axis *a, double at, const char *label, int room,
    double *from, double *to)
{
	double where = axis_share(a, at) * room;
	double half = (double)strlen(label) / 2;

	*from = where - half;
	*to = where + half;
}

/* True if a gap of a character separates the label from all others. */
static int
label_fits(const struct axis *a, double at, const char *label, int room)
{
	double from, to, other_from, other_to;

	label_span(a, at, label, room, &from, &to);
	for (size_t i = 0; i < a->n; i++) {
		if (a->ticks[i].label[0] == '\0')
			continue;
		label_span(a, a->ticks[i].at, a->ticks[i].label, room,
		    &other_from, &other_to);
		if (from < other_to + 1 && other_from < to + 1)
			return 0;
	}
	return 1;
}

void
axis_counts(
    const long *counts, size_t n, int room, int linear, struct axis *out)
{
	char label[AXIS_LABEL_SIZE];
	size_t n_ticks;

	assert(n >= 1 && counts[0] > 0 && room >= 1);
	*out = (struct axis){ .base = 2 };
	widen_axis(out, (double)counts[0], (double)counts[n - 1], 0.05, 1.19);
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
		counts = NULL;
	}
	n_ticks = out->n;
	for (int rank = 0; rank <= 2; rank++)
		for (size_t k = n_ticks; k-- > 0;) {
			if (counts != NULL && label_rank(counts, n, k) != rank)
				continue;
			snprintf(label, sizeof label, "%.0f", out->ticks[k].at);
			if (out->ticks[k].label[0] == '\0' &&
			    label_fits(out, out->ticks[k].at, label, room))
				memcpy(
				    out->ticks[k].label, label, sizeof label);
		}
}

/* --- sizes and names ------------------------------------------------------ */

/* Format a power of two: "512", "64K", "1M". */
static void
size_label(int power, char label[AXIS_LABEL_SIZE])
{
	static const char units[] = { '\0', 'K', 'M', 'G', 'T', 'P' };
	const int k = power / 10 < 5 ? power / 10 : 5;

	snprintf(
	    label, AXIS_LABEL_SIZE, "%.0f%c", exp2(power - 10 * k), units[k]);
}

void
axis_sizes(double low, double high, int room, struct axis *out)
{
	enum { WIDEST = 6 }; /* characters of a label and its gap */
	const int most = room / WIDEST > 1 ? room / WIDEST : 1;
	int first, last, stride = 1;

	assert(low >= 1 && low <= high);
	*out = (struct axis){ .base = 2 };
	widen_axis(out, low, high, 0.05, 1.19);
	first = (int)ceil(log2(out->low));
	last = (int)floor(log2(out->high));
	if (first > last) {
		add_number(out, low);
		return;
	}
	while ((last - first) / stride + 1 > most)
		stride++;
	for (int k = first; k <= last; k++) {
		char label[AXIS_LABEL_SIZE];

		size_label(k, label);
		if (k % stride == 0 || stride == 1)
			add_tick(out, exp2(k), label);
	}
}

enum {
	NAME_MOST_LINES = 5, /* of a label */
	NAME_LONG_WORD = 20, /* columns; longer words may be cut ... */
	NAME_LEAST = 10      /* ... into parts of at least this width */
};

/* True if the name can be broken into at most NAME_MOST_LINES lines of the
 * width. */
static int
name_fits(const char *name, size_t width)
{
	int fits = 1;
	char *lines;

	if (utf8_width(name, strlen(name)) <= width)
		return 1;
	if (width < 2)
		return 0;
	for (const char *p = name; *p != '\0';) {
		const size_t len = strcspn(p, " "), w = utf8_width(p, len);

		if (w > width && (w <= NAME_LONG_WORD || width < NAME_LEAST))
			return 0;
		p += len;
		p += strspn(p, " ");
	}
	lines = quote_wrap(name, width);
	fits = quote_count_lines(lines) <= NAME_MOST_LINES;
	free(lines);
	return fits;
}

static int
names_fit(const char *const *names, size_t n, size_t stride, size_t width)
{
	for (size_t i = 0; i < n; i += stride)
		if (!name_fits(names[i], width))
			return 0;
	return 1;
}

/* Truncate a text to `most` bytes without splitting a character. */
static void
cut_text(char *text, size_t most)
{
	size_t len = strlen(text);

	if (len <= most)
		return;
	for (len = most; len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80;)
		len--;
	text[len] = '\0';
}

/* Columns per label if every stride-th of n names has one. */
static size_t
name_width(size_t n, size_t stride, int room)
{
	const size_t width = (size_t)room / ((n + stride - 1) / stride);

	return width > 2 ? width - 2 : 1;
}

/* Add the next name, broken into lines of the width. */
static void
add_name(struct axis *out, const char *name, size_t width)
{
	char *lines = quote_wrap(name, width);
	int n;

	cut_text(lines, AXIS_LABEL_SIZE - 1);
	n = quote_count_lines(lines);
	if (n > out->label_lines)
		out->label_lines = n;
	add_tick(out, (double)out->n + 1, lines);
	free(lines);
}

void
axis_names(const char *const *names, size_t n, int room, struct axis *out)
{
	size_t stride = 1, width;

	assert(n >= 1);
	*out = (struct axis){ .low = 0.5, .high = (double)n + 0.5 };
	while (stride < n &&
	    !names_fit(names, n, stride, name_width(n, stride, room)))
		stride++;
	width = name_width(n, stride, room);
	if (!names_fit(names, n, stride, width) && width < NAME_LEAST)
		width = NAME_LEAST;
	for (size_t i = 0; i < n; i++)
		add_name(out, i % stride == 0 ? names[i] : "", width);
}

void
axis_rows(const char *const *names, size_t n, int width, struct axis *out)
{
	assert(n >= 1 && n <= AXIS_MAX_TICKS && width >= 1);
	*out = (struct axis){ .low = 0.5, .high = (double)n + 0.5 };
	for (size_t i = 0; i < n; i++)
		add_name(out, names[i], (size_t)width);
}

/* --- ratios --------------------------------------------------------------- */

void
axis_ratio(double low, double high, int max_ticks, struct axis *out)
{
	enum { QUARTERS = 4 }; /* parts of an interval between powers of two */
	int first, last, stride = 1;

	assert(low > 0 && low <= high && max_ticks >= 2);
	*out = (struct axis){ .base = 2 };
	widen_axis(out, low, high, 0.05, AXIS_LOG_MARGIN);
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

/* Count the ticks at m * 10^(stride * k) in the range, and add them unless a is
 * NULL. Returns their number. */
static int
decade_ticks(struct axis *a, double low, double high, const double *m, int n_m,
    int stride)
{
	int first = (int)floor(log10(low)), last = (int)ceil(log10(high));
	int n = 0;

	for (int k = first; k <= last; k++) {
		if (k % stride != 0)
			continue;
		for (int i = 0; i < n_m; i++) {
			double at = m[i] * pow(10, k);

			if (at < low || at > high)
				continue;
			n++;
			if (a != NULL)
				add_number(a, at);
		}
	}
	return n;
}

/* Add minor ticks: multiples of powers of ten, or with a stride above 1 the
 * unlabelled powers. */
static void
add_decade_minors(struct axis *a, int stride)
{
	const int first = (int)floor(log10(a->low)),
		  last = (int)ceil(log10(a->high));

	for (int k = first; k <= last; k++)
		for (int i = 1; i < (stride == 1 ? 10 : 2); i++)
			add_minor(a, i * pow(10, k));
	sort_ticks(a);
}

void
axis_amount(double low, double high, int max_ticks, struct axis *out)
{
	static const double m[] = { 1, 2, 5 };
	int n_m = 3, stride = 1;

	assert(low > 0 && low <= high && max_ticks >= 2);
	*out = (struct axis){ .base = 10 };
	widen_axis(out, low, high, 0.05, 1.1);
	/* Use even steps if there would be fewer than three ticks, such as 0.5
	 * and 1 between 0.25 and 1.2. A range of a factor of ten always has
	 * three. */
	if (out->high / out->low < 4 ||
	    decade_ticks(NULL, out->low, out->high, m, n_m, 1) < 3) {
		add_even(out, max_ticks / 2 + 1);
		return;
	}
	if (decade_ticks(NULL, out->low, out->high, m, n_m, 1) > max_ticks)
		n_m = 1;
	while (
	    decade_ticks(NULL, out->low, out->high, m, n_m, stride) > max_ticks)
		stride++;
	decade_ticks(out, out->low, out->high, m, n_m, stride);
	add_decade_minors(out, stride);
}

/* --- per cent ------------------------------------------------------------- */

void
axis_percent(double high, int max_ticks, struct axis *out)
{
	assert(high >= 0 && max_ticks >= 2);
	*out = (struct axis){ .base = 0 };
	out->high = fmax(high, 100) * AXIS_LINEAR_MARGIN;
	add_even(out, max_ticks > 11 ? 11 : max_ticks);
}

void
axis_linear(double high, int max_ticks, struct axis *out)
{
	assert(high >= 0 && max_ticks >= 2);
	*out =
	    (struct axis){ .high = high > 0 ? high * AXIS_LINEAR_MARGIN : 1 };
	add_even(out, max_ticks > 11 ? 11 : max_ticks);
}

void
axis_span(double low, double high, int max_ticks, struct axis *out)
{
	const double margin = (AXIS_LINEAR_MARGIN - 1) * (high - low);

	assert(low <= high && max_ticks >= 2);
	*out = (struct axis){ .low = low - margin, .high = high + margin };
	if (!(margin > 0)) { /* one value */
		out->low -= fmax(fabs(low) / 10, DBL_MIN);
		out->high += fmax(fabs(low) / 10, DBL_MIN);
	}
	add_even(out, max_ticks > 11 ? 11 : max_ticks);
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
