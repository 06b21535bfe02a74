/* Converts the text of captures to numbers. */
#include <config.h>

#include "extract/scan/scanner_state.h"

#include "common/units/units.h"
#include "extract/format/patterns/pattern.h"

#include <assert.h>
#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DIGITS = 15 /* of an integer that is exact in a double */ };

/* Powers of ten, exact in a double, and their inverses. */
static const double powers[MAX_DIGITS + 1] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5,
	1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
static const double inverses[MAX_DIGITS + 1] = { 1e0, 1e-1, 1e-2, 1e-3, 1e-4,
	1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14,
	1e-15 };

/* A part of a line. */
struct caught {
	const char *s; /* NULL: none */
	size_t len;
};

/* Value of one unit in the last printed place: 0.01 for 1.25, 10 for 12e1. */
static double
last_digit(struct caught t)
{
	const char *end = t.s + t.len;
	const char *point = memchr(t.s, '.', t.len);
	int power = 0;

	if (point != NULL)
		for (t.s = point + 1; t.s < end && text_is_digit(*t.s); t.s++)
			power--;
	while (t.s < end && *t.s != 'e' && *t.s != 'E')
		t.s++;
	if (end - t.s > 1)
		power += (int)strtol(t.s + 1, NULL, 10);
	return pow(10, power);
}

/* Length of a number of len >= 1 bytes including the rest of an exponent such
 * as "e-05".
 *
 * end  of the line */
static size_t
with_exponent(const char *s, size_t len, const char *end)
{
	const char *p = s + len;

	if (p < end && (*p == 'e' || *p == 'E'))
		p++;
	else if (p[-1] != 'e' && p[-1] != 'E')
		return len;
	if (p < end && (*p == '+' || *p == '-'))
		p++;
	if (p == end || !text_is_digit(*p))
		return len;
	while (p < end && text_is_digit(*p))
		p++;
	return (size_t)(p - s);
}

/* True if a comma and digits follow a number, as in "12,345.6" or "0,45", which
 * are ambiguous. */
static int
has_comma(const struct capture *c, struct caught t, const char *end)
{
	const char *p = t.s + t.len;

	return t.len > 0 && p + 1 < end && *p == ',' && !c->comma &&
	    text_is_digit(p[1]) && memchr(t.s, '.', t.len) == NULL;
}

/* Number of decimals of a text of at most MAX_DIGITS digits and at most one
 * point, which is not the last byte; -1 for any other text.
 *
 * end  of the line */
static int
count_decimals(const struct capture *c, struct caught t, const char *end)
{
	int decimals = 0, points = 0;

	for (size_t i = 0; i < t.len; i++) {
		points += t.s[i] == '.';
		if (t.s[i] == '.')
			decimals = (int)(t.len - i - 1);
		else if (!text_is_digit(t.s[i]))
			return -1;
	}
	return points > 1 || points > decimals ||
		t.len - (size_t)points - 1 >= MAX_DIGITS ||
		c->word->type == FIELD_NAME_DURATION || has_comma(c, t, end) ||
		with_exponent(t.s, t.len, end) > t.len
	    ? -1
	    : decimals;
}

static int
find_captured(
    struct captured *k, const struct match *match, const struct capture *c)
{
	struct caught t;

	t.s = match_text(match, c, &t.len);
	if (t.s == NULL)
		return -1;
	*k = (struct captured){ c, (uint32_t)(t.s - match->text),
		(uint32_t)t.len, -1 };
	if (c->word->type != FIELD_NAME_TEXT)
		k->decimals = count_decimals(c, t, match->text + match->len);
	return 0;
}

size_t
captured_find(const struct match *match, struct captured out[FORMAT_MAX_GROUPS])
{
	const struct pattern *p = match->pattern;
	size_t n = 0;

	for (size_t i = 0; i < p->n_captures; i++)
		n += find_captured(&out[n], match, &p->captures[i]) == 0;
	return n;
}

size_t
captured_list(const struct match *match,
    struct captured found[FORMAT_MAX_GROUPS], const struct captured **list)
{
	*list = match->captured != NULL ? match->captured : found;
	return match->captured != NULL ? match->n_captured
				       : captured_find(match, found);
}

static struct caught
text_of(const struct match *match, const struct captured *k)
{
	return k != NULL ? (struct caught){ match->text + k->from, k->len }
			 : (struct caught){ NULL, 0 };
}

/* The digits of a plain number as an integer, without its point. Up to eight
 * bytes are read as one word, if the line has eight, and combined in pairs. */
static inline int64_t
plain_digits(const struct match *match, const struct captured *k)
{
	const char *s = match->text + k->from;
	int64_t sum = 0;
	uint64_t x;

	if (k->len <= 8 && match->len - k->from >= 8) {
		memcpy(&x, s, 8);
		/* The last digit in the highest byte, 0 before the first. */
		x = (le64toh(x) ^ 0x3030303030303030) << (64 - 8 * k->len);
		if (k->decimals > 0) {
			const uint64_t after = UINT64_MAX
			    << (64 - 8 * k->decimals);

			x = (x & after) | (x << 8 & ~after);
		}
		x = x * 10 + (x >> 8);
		return (int64_t)(((x & 0x000000ff000000ff) *
					 (100 + (UINT64_C(1000000) << 32)) +
				     (x >> 16 & 0x000000ff000000ff) *
					 (1 + (UINT64_C(10000) << 32))) >>
		    32);
	}
	for (size_t i = 0; i < k->len; i++)
		if (s[i] != '.')
			sum = sum * 10 + (s[i] - '0');
	return sum;
}

static inline int
read_whole(const struct match *match, const struct captured *k, int32_t *out)
{
	long y;

	if (k->decimals == 0 && k->len <= 9)
		y = plain_digits(match, k);
	else if (whole_parse(match->text + k->from, k->len, 0, SAMPLE_MAX,
		     &y) != UNITS_OK)
		return -1;
	*out = (int32_t)y;
	return 0;
}

/* Read a number with any notation; INFINITY if it is ambiguous. */
static int
read_any(const struct match *match, const struct captured *k, double *out,
    double *unit)
{
	struct caught t = text_of(match, k);
	const struct capture *c = k->capture;
	const char *const end = match->text + match->len;

	if (c->word->type == FIELD_NAME_DURATION) {
		if (duration_parse(t.s, t.len, out) != UNITS_OK)
			return -1;
	} else {
		if (t.len > 0)
			t.len = with_exponent(t.s, t.len, end);
		if (has_comma(c, t, end)) {
			*out = INFINITY;
			*unit = 0;
			return 0;
		}
		if (number_parse(t.s, t.len, out) == UNITS_BAD || isnan(*out))
			return -1;
	}
	*unit = c->field != FIELD_NONE ? last_digit(t) : 0;
	return 0;
}

/* Read a number in the unit of its field. The digits and the power of ten of a
 * plain number are exact in a double, so the quotient is the double that strtod
 * gives.
 *
 * unit  out: unit of the last digit */
static inline int
read_value(const struct match *match, const struct captured *k, double *out,
    double *unit)
{
	const struct field_name *word = k->capture->word;

	if (k->decimals >= 0) {
		*out = (double)plain_digits(match, k) / powers[k->decimals];
		*unit = inverses[k->decimals];
	} else if (read_any(match, k, out, unit) != 0)
		return -1;
	if (word->divisor > 1 || word->divisor < 1) {
		*out /= word->divisor;
		*unit /= word->divisor;
	}
	return 0;
}

/* Read a date and a time such as "07:23:01.413767" or "07:23:01,413". */
static int
read_day_time(struct caught day, struct caught clock, double *out)
{
	char text[64];
	const int n = snprintf(text, sizeof text, "%.*s %.*s", (int)day.len,
	    day.s, (int)clock.len, clock.s);

	return n < (int)sizeof text &&
		stamp_parse(text, (size_t)n, out) != STAMP_BAD
	    ? 0
	    : -1;
}

/* Parts of a match that are not yet stored in the sample; NULL: none. */
struct step_text {
	const struct captured *stamp, *day, *clock, *value;
	int32_t span;      /* iterations in the value; 0: one */
	double total_s;    /* NAN: none */
	double value_unit; /* 0: no value */
};

static int
read_capture(struct sample *s, struct step_text *t, struct log_units *units,
    const struct match *match, const struct captured *c)
{
	double x, unit;

	switch (c->capture->field) {
	case FIELD_EPOCH:
		return read_whole(match, c, &s->epoch);
	case FIELD_ITER:
		return read_whole(match, c, &s->iter);
	case FIELD_ITER_FROM:
		return read_whole(match, c, &s->iter_from);
	case FIELD_ITERS:
		return read_whole(match, c, &s->iters);
	case FIELD_RANK:
		return read_whole(match, c, &s->rank);
	case FIELD_SPAN:
		return read_whole(match, c, &t->span);
	case FIELD_VALUE:
		t->value = c;
		return read_value(match, c, &s->value, &t->value_unit);
	case FIELD_TOTAL:
		return read_value(match, c, &t->total_s, &units->total);
	case FIELD_MEAN:
	case FIELD_MEAN_OF_RATES:
	case FIELD_ALSO_STEP:
	case FIELD_ALSO_RATE:
		if (read_value(match, c, &x, &unit) != 0)
			return 0;
		if (c->capture->field == FIELD_ALSO_RATE)
			x = x > 0 ? 1 / x : NAN;
		s->second = isfinite(x) ? x : NAN;
		if (c->capture->field <= FIELD_MEAN_OF_RATES)
			units->mean = unit;
		return 0;
	case FIELD_STAMP:
		t->stamp = c;
		return 0;
	case FIELD_DATE:
		t->day = c;
		return 0;
	case FIELD_CLOCK:
		t->clock = c;
		return 0;
	default:
		return 0;
	}
}

/* The largest relative rounding error of a printed number: half a unit of its
 * last digit. */
static double
rounding_share(struct caught text)
{
	double digits = 0;

	for (size_t i = 0; i < text.len; i++)
		if (text_is_digit(text.s[i]))
			digits = digits * 10 + (text.s[i] - '0');
	return digits > 0 ? 0.5 / digits : INFINITY;
}

/* Set the unit of the last digit of the value that the meaning describes. */
static void
keep_units(struct log_units *units, const struct step_text *t,
    const struct meaning *meaning, struct caught stamp)
{
	/* The decimals of a time stamp: "10:00:05,250" has 0.001 s. */
	double unit = 1;
	size_t i = stamp.len;

	while (i > 0 && stamp.s[i - 1] != '.' && stamp.s[i - 1] != ',')
		i--;
	for (; i > 0 && i < stamp.len && text_is_digit(stamp.s[i]); i++)
		unit /= 10;
	if (t->span > 0 || meaning->kind == VALUE_ELAPSED)
		units->total = t->value_unit;
	else if (meaning->kind == VALUE_STAMP)
		units->total = unit;
	else if (meaning->statistic == STATISTIC_CUMULATIVE_MEAN)
		units->mean = t->value_unit;
	else
		units->value = t->value_unit;
}

int
sample_from_match(struct sample *s, struct log_units *units, int64_t line,
    const struct meaning *meaning, const struct match *match)
{
	struct step_text t = { .total_s = NAN };
	struct captured found[FORMAT_MAX_GROUPS];
	const struct captured *c;
	size_t n = captured_list(match, found, &c);
	struct caught stamp;

	assert(match->pattern->role == ROLE_STEP);
	*s = (struct sample){ NAN, NAN, line, SAMPLE_NONE, SAMPLE_NONE,
		SAMPLE_NONE, SAMPLE_NONE, match->rank, NAN };
	*units = (struct log_units){ 0, 0, 0 };
	for (; n > 0; n--, c++)
		if (c->capture->field != FIELD_NONE &&
		    read_capture(s, &t, units, match, c) != 0)
			return -1;
	if (t.span > 0)
		s->value /= t.span;
	/* Use the mean step time or the total time of all iterations so far,
	 * whichever has the smaller rounding error. */
	if (s->iter > 0 && t.total_s > 0 &&
	    (t.value == NULL ||
		0.5 / t.total_s < rounding_share(text_of(match, t.value))))
		s->value = t.total_s / s->iter;
	stamp = text_of(match, t.stamp != NULL ? t.stamp : t.clock);
	/* A line with an invalid time stamp keeps its value. */
	if (t.stamp == NULL && t.clock != NULL && t.day != NULL
		? read_day_time(text_of(match, t.day), stamp, &s->stamp) != 0
		: stamp.s != NULL &&
		    stamp_parse(stamp.s, stamp.len, &s->stamp) == STAMP_BAD)
		s->stamp = NAN;
	keep_units(units, &t, meaning, stamp);
	return isnan(meaning->kind == VALUE_STAMP ? s->stamp : s->value) ? -1
									 : 0;
}

int
captured_number(
    const struct match *match, const struct captured *k, double *out)
{
	const struct caught t = text_of(match, k);
	double unit;

	if (read_value(match, k, out, &unit) != 0)
		return number_parse(t.s, t.len, out) == UNITS_UNKNOWN ? 0 : -1;
	if (isinf(*out))
		*out = NAN;
	return 0;
}

int
match_number(const struct match *match, const struct capture *c, double *out)
{
	struct captured k;

	return find_captured(&k, match, c) == 0
	    ? captured_number(match, &k, out)
	    : -1;
}

void
match_numbers(const struct match *match, double out[N_PATTERN_FIELDS])
{
	for (size_t i = 0; i < N_PATTERN_FIELDS; i++)
		out[i] = NAN;
	for (size_t i = 0; i < match->pattern->n_captures; i++) {
		const struct capture *c = &match->pattern->captures[i];
		double x;

		if (match_number(match, c, &x) == 0)
			out[c->field] = x;
	}
}
