/* Converts the text of captures to numbers. */
#include <config.h>

#include "extract/scan/samples/sample_from_match.h"

#include "common/units/units.h"
#include "extract/format/patterns/regex_text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DIGITS = 15 /* of an integer that is exact in a double */ };

/* Powers of ten, exact in a double, and their inverses. */
static const double powers[MAX_DIGITS + 1] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5,
	1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
static const double inverses[MAX_DIGITS + 1] = { 1e0, 1e-1, 1e-2, 1e-3, 1e-4,
	1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14,
	1e-15 };

/* A substring of a line. */
struct caught {
	const char *s; /* NULL: none */
	size_t len;
};

/* The unit of the last digit of a number or duration with any notation. */
static double
last_digit(const char *text, size_t len)
{
	const char *end = text + len;
	const char *point = memchr(text, '.', len);
	int power = 0;

	if (point != NULL)
		for (text = point + 1; text < end && text_is_digit(*text);
		     text++)
			power--;
	while (text < end && *text != 'e' && *text != 'E')
		text++;
	if (end - text > 1)
		power += (int)strtol(text + 1, NULL, 10);
	return pow(10, power);
}

/* Parse at most MAX_DIGITS digits with at most one decimal point.
 *
 * decimals  out: digits after the point
 *
 * Returns the number without its point; -1 for any other text. */
static inline int64_t
plain_digits(const char *s, size_t len, size_t *decimals)
{
	const size_t most = len <= MAX_DIGITS + 1 ? len : 0;
	int64_t x = 0;
	size_t i = 0, whole;

	*decimals = 0;
	for (; i < most && text_is_digit(s[i]); i++)
		x = x * 10 + (s[i] - '0');
	whole = i;
	if (i < most && s[i] == '.') {
		for (i++; i < most && text_is_digit(s[i]); i++)
			x = x * 10 + (s[i] - '0');
		*decimals = i - whole - 1;
	}
	return i == len && whole + *decimals - 1 < MAX_DIGITS ? x : -1;
}

/* Read a number. The digits and power of ten of a plain number are exact in a
 * double, so one division gives the nearest double, as strtod does.
 *
 * unit  out: unit of the last digit; may be NULL */
static inline int
read_number(const char *s, size_t len, double *out, double *unit)
{
	size_t decimals;
	const int64_t x = plain_digits(s, len, &decimals);

	if (x >= 0) {
		*out = (double)x / powers[decimals];
		if (unit != NULL)
			*unit = inverses[decimals];
		return 0;
	}
	if (number_parse(s, len, out) == UNITS_BAD || isnan(*out))
		return -1;
	if (unit != NULL)
		*unit = last_digit(s, len);
	return 0;
}

static inline int
read_whole(const char *s, size_t len, int32_t *out)
{
	int32_t x = 0;
	size_t i;
	long y;

	for (i = 0; i < len && i < 9 && text_is_digit(s[i]); i++)
		x = x * 10 + (s[i] - '0');
	if (i == len && len > 0) {
		*out = x;
		return 0;
	}
	if (whole_parse(s, len, 0, INT32_MAX, &y) != UNITS_OK)
		return -1;
	*out = (int32_t)y;
	return 0;
}

/* The length of a number whose first len >= 1 bytes were captured, including
 * the rest of an exponent such as "e-05".
 *
 * room  bytes of the line from text on, more than len */
static size_t
with_exponent(const char *text, size_t len, size_t room)
{
	size_t end = len + (text[len] == 'e' || text[len] == 'E');

	if (end == len && text[len - 1] != 'e' && text[len - 1] != 'E')
		return len;
	if (end < room && (text[end] == '+' || text[end] == '-'))
		end++;
	if (end == room || !text_is_digit(text[end]))
		return len;
	while (end < room && text_is_digit(text[end]))
		end++;
	return end;
}

/* Read the number of a capture in the unit of its field; INFINITY if a comma
 * and digits follow, as in "12,345.6" or "0,45", which are ambiguous.
 *
 * unit  out: unit of the last digit; may be NULL */
static inline int
read_value(const struct match *match, const struct capture *c, struct caught t,
    double *out, double *unit)
{
	const struct field_name *word = c->word;
	const size_t room = (size_t)(match->text + match->len - t.s);

	if (word->type == FIELD_NAME_DURATION) {
		if (duration_parse(t.s, t.len, out) != UNITS_OK)
			return -1;
		if (unit != NULL)
			*unit = last_digit(t.s, t.len);
	} else {
		if (t.len > 0 && t.len < room)
			t.len = with_exponent(t.s, t.len, room);
		if (t.len > 0 && t.len + 1 < room && t.s[t.len] == ',' &&
		    !c->comma && text_is_digit(t.s[t.len + 1]) &&
		    memchr(t.s, '.', t.len) == NULL) {
			*out = INFINITY;
			if (unit != NULL)
				*unit = 0;
			return 0;
		}
		if (read_number(t.s, t.len, out, unit) != 0)
			return -1;
	}
	if (word->divisor > 1 || word->divisor < 1) {
		*out /= word->divisor;
		if (unit != NULL)
			*unit /= word->divisor;
	}
	return 0;
}

/* Read a date and a time such as "07:23:01.413767" or "07:23:01,413". */
static int
read_day_time(struct stamp_cache *cache, struct caught day, struct caught clock,
    double *out)
{
	double s;

	if (day.len != cache->day_len ||
	    memcmp(day.s, cache->day, day.len) != 0) {
		char text[sizeof cache->day + 9];

		if (day.len >= sizeof cache->day)
			return -1;
		memcpy(text, day.s, day.len);
		memcpy(text + day.len, " 00:00:00", 9);
		if (stamp_parse(text, day.len + 9, &s) == STAMP_BAD)
			return -1;
		memcpy(cache->day, day.s, day.len);
		cache->day_len = day.len;
		cache->day_s = s;
	}
	if (stamp_parse(clock.s, clock.len, &s) != STAMP_CLOCK)
		return -1;
	*out = cache->day_s + s;
	return 0;
}

/* Parts of a match that are not yet stored in the sample. */
struct step_text {
	struct caught stamp, day, clock;
	struct caught value; /* its text */
	int32_t span;        /* iterations in the value; 0: one */
	double total_s;      /* NAN: none */
	double value_unit, mean_unit, total_unit; /* 0: none */
};

static int
read_stamp(const struct step_text *t, struct stamp_cache *cache, double *out)
{
	const struct caught x = t->stamp.s != NULL ? t->stamp : t->clock;

	if (t->stamp.s == NULL && t->day.s != NULL)
		return read_day_time(cache, t->day, t->clock, out);
	return stamp_parse(x.s, x.len, out) == STAMP_BAD ? -1 : 0;
}

/* Read the second number of a line. */
static inline void
read_second(struct sample *s, struct step_text *t, const struct match *match,
    const struct capture *c, struct caught text)
{
	double x, unit;

	if (read_value(match, c, text, &x, &unit) != 0)
		return;
	if (c->field == FIELD_ALSO_RATE)
		x = x > 0 ? 1 / x : NAN;
	s->second = isfinite(x) ? x : NAN;
	if (c->field == FIELD_MEAN || c->field == FIELD_MEAN_OF_RATES)
		t->mean_unit = unit;
}

static inline int
read_capture(struct sample *s, struct step_text *t, const struct match *match,
    const struct capture *c, struct caught text)
{
	switch (c->field) {
	case FIELD_EPOCH:
		return read_whole(text.s, text.len, &s->epoch);
	case FIELD_ITER:
		return read_whole(text.s, text.len, &s->iter);
	case FIELD_ITER_FROM:
		return read_whole(text.s, text.len, &s->iter_from);
	case FIELD_ITERS:
		return read_whole(text.s, text.len, &s->iters);
	case FIELD_RANK:
		return read_whole(text.s, text.len, &s->rank);
	case FIELD_SPAN:
		return read_whole(text.s, text.len, &t->span);
	case FIELD_VALUE:
		t->value = text;
		return read_value(match, c, text, &s->value, &t->value_unit);
	case FIELD_TOTAL:
		return read_value(match, c, text, &t->total_s, &t->total_unit);
	case FIELD_MEAN:
	case FIELD_MEAN_OF_RATES:
	case FIELD_ALSO_STEP:
	case FIELD_ALSO_RATE:
		read_second(s, t, match, c, text);
		return 0;
	case FIELD_STAMP:
		t->stamp = text;
		return 0;
	case FIELD_DATE:
		t->day = text;
		return 0;
	case FIELD_CLOCK:
		t->clock = text;
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

/* Set the resolution of numbers that are summed or subtracted. */
static void
note_units(struct log_units *units, const struct meaning *meaning,
    const struct step_text *t)
{
	*units = (struct log_units){ 0, t->mean_unit, t->total_unit };
	if (t->span > 0 || meaning->kind == VALUE_ELAPSED)
		units->total = t->value_unit;
	else if (meaning->statistic == STATISTIC_CUMULATIVE_MEAN)
		units->mean = t->value_unit;
	else
		units->value = t->value_unit;
}

int
sample_from_match(struct sample *s, struct log_units *units, int64_t line,
    const struct meaning *meaning, const struct match *match,
    struct stamp_cache *cache)
{
	struct step_text t = { .total_s = NAN };

	assert(match->pattern->role == ROLE_STEP);
	*s = (struct sample){ NAN, NAN, line, SAMPLE_NONE, SAMPLE_NONE,
		SAMPLE_NONE, SAMPLE_NONE, match->rank, NAN };
	for (size_t i = 0; i < match->pattern->n_captures; i++) {
		const struct capture *c = &match->pattern->captures[i];
		struct caught text;

		if (c->field == FIELD_NONE ||
		    (text.s = match_text(match, c, &text.len)) == NULL)
			continue;
		if (read_capture(s, &t, match, c, text) != 0)
			return -1;
	}
	if (t.span > 0)
		s->value /= t.span;
	/* Use the mean step time or the total time of all iterations so far,
	 * whichever has the smaller rounding error. */
	if (s->iter > 0 && t.total_s > 0 &&
	    (t.value.s == NULL || 0.5 / t.total_s < rounding_share(t.value)))
		s->value = t.total_s / s->iter;
	if ((t.stamp.s != NULL || t.clock.s != NULL) &&
	    read_stamp(&t, cache, &s->stamp) != 0)
		return -1;
	note_units(units, meaning, &t);
	return isnan(meaning->kind == VALUE_STAMP ? s->stamp : s->value) ? -1
									 : 0;
}

int
summary_from_match(
    double *value, const struct capture **c, const struct match *match)
{
	for (size_t i = 0; i < match->pattern->n_captures; i++) {
		const struct capture *x = &match->pattern->captures[i];
		struct caught text;

		text.s = match_text(match, x, &text.len);
		if (text.s == NULL || x->field != FIELD_VALUE)
			continue;
		if (read_value(match, x, text, value, NULL) != 0 ||
		    !isfinite(*value))
			return -1;
		*c = x;
		return 0;
	}
	return -1;
}

int
match_number(const struct match *match, const struct capture *c, double *out)
{
	struct caught text;

	text.s = match_text(match, c, &text.len);
	if (text.s == NULL)
		return -1;
	if (read_value(match, c, text, out, NULL) == 0) {
		if (isinf(*out))
			*out = NAN;
		return 0;
	}
	return number_parse(text.s, text.len, out) == UNITS_UNKNOWN ? 0 : -1;
}
