/* Converts the text of captures to numbers. */
#include <config.h>

#include "extract/scan/samples/sample_from_match.h"

#include "common/units/units.h"
#include "extract/scan/samples/capture_text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DIGITS = 15 /* of a whole number that is exact in a double */ };

/* Powers of ten, exact in a double, and their inverses. */
static const double powers[MAX_DIGITS + 1] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5,
	1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
static const double inverses[MAX_DIGITS + 1] = { 1e0, 1e-1, 1e-2, 1e-3, 1e-4,
	1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14,
	1e-15 };

/* A number and the unit of its last digit. */
struct number_text {
	double value, unit;
};

/* The unit of the last digit of a number or duration that is not plain. */
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

/* Digits with at most one point: digits and power of ten are exact in a double,
 * so that one division gives the nearest double, as strtod does.  Anything else
 * goes through number_parse. */
static int
read_number(const char *s, size_t len, struct number_text *out)
{
	uint64_t x = 0;
	size_t i, point = len;

	/* More bytes than MAX_DIGITS and a point hold something else. */
	for (i = 0; i < len && len <= MAX_DIGITS + 1; i++) {
		const unsigned d = (unsigned)(unsigned char)s[i] - '0';

		if (d <= 9)
			x = x * 10 + d;
		else if (s[i] == '.' && point == len)
			point = i;
		else
			break;
	}
	if (i == len && len > (point < len) &&
	    len - (point < len) <= MAX_DIGITS) {
		const size_t decimals = point < len ? len - point - 1 : 0;

		out->value = (double)x / powers[decimals];
		out->unit = inverses[decimals];
		return 0;
	}
	if (number_parse(s, len, &out->value) == UNITS_BAD || isnan(out->value))
		return -1;
	out->unit = last_digit(s, len);
	return 0;
}

static int
read_whole(const char *s, size_t len, int32_t *out)
{
	int32_t x = 0;
	size_t i;
	long y;

	for (i = 0; i < len && len <= 9 && text_is_digit(s[i]); i++)
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

/* "07:23:01.413767" or "07:23:01,413" after a day. */
static int
read_day_time(struct stamp_cache *cache, const char *day, size_t day_len,
    const char *clock, size_t clock_len, double *out)
{
	double s;

	if (day_len != cache->day_len ||
	    memcmp(day, cache->day, day_len) != 0) {
		char text[sizeof cache->day + 9];

		if (day_len >= sizeof cache->day)
			return -1;
		memcpy(text, day, day_len);
		memcpy(text + day_len, " 00:00:00", 9);
		if (stamp_parse(text, day_len + 9, &s) == STAMP_BAD)
			return -1;
		memcpy(cache->day, day, day_len);
		cache->day_len = day_len;
		cache->day_s = s;
	}
	if (stamp_parse(clock, clock_len, &s) != STAMP_CLOCK)
		return -1;
	*out = cache->day_s + s;
	return 0;
}

/* Parts of a match that are not yet in the sample. */
struct step_text {
	/* The pieces of a time stamp; NULL: none. */
	const char *stamp, *day, *clock;
	size_t stamp_len, day_len, clock_len;
	int32_t span; /* iterations of which the value is the total; 0: one */
	const char *value; /* [value_len] its text; NULL: none */
	size_t value_len;
	double total_s;                           /* NAN: none */
	double value_unit, mean_unit, total_unit; /* 0: none */
};

static int
read_stamp(const struct step_text *t, struct stamp_cache *cache, double *out)
{
	if (t->stamp != NULL)
		return stamp_parse(t->stamp, t->stamp_len, out) == STAMP_BAD
		    ? -1
		    : 0;
	if (t->clock == NULL)
		return -1;
	if (t->day != NULL)
		return read_day_time(
		    cache, t->day, t->day_len, t->clock, t->clock_len, out);
	return stamp_parse(t->clock, t->clock_len, out) == STAMP_BAD ? -1 : 0;
}

/* The number of a capture, in the unit of its word.
 *
 * room  bytes of the line from text on */
static int
read_value(const struct capture *c, const char *text, size_t len, size_t room,
    struct number_text *out)
{
	const struct field_name *word = c->word;

	if (word->type == FIELD_NAME_DURATION) {
		if (duration_parse(text, len, &out->value) != UNITS_OK)
			return -1;
		out->unit = last_digit(text, len);
	} else {
		if (len > 0 && len < room) {
			len = capture_number_len(text, len, room);
			if (!c->comma && capture_is_torn(text, len, room)) {
				/* It is not used for a step. */
				*out = (struct number_text){ INFINITY, 0 };
				return 0;
			}
		}
		if (read_number(text, len, out) != 0)
			return -1;
	}
	if (word->divisor > 1 || word->divisor < 1) {
		out->value /= word->divisor;
		out->unit /= word->divisor;
	}
	return 0;
}

/* Read the number next to the value. */
static void
take_second(struct sample *s, struct step_text *t, const struct capture *c,
    const char *text, size_t len, size_t room)
{
	struct number_text x;

	if (read_value(c, text, len, room, &x) != 0)
		return;
	if (c->field == FIELD_ALSO_RATE)
		x.value = x.value > 0 ? 1 / x.value : NAN;
	s->second = isfinite(x.value) ? x.value : NAN;
	if (c->field == FIELD_MEAN || c->field == FIELD_MEAN_OF_RATES)
		t->mean_unit = x.unit;
}

/* Store one capture. */
static int
store_capture(struct sample *s, struct step_text *t, const struct capture *c,
    const char *text, size_t len, size_t room)
{
	struct number_text x;

	switch (c->field) {
	case FIELD_EPOCH:
		return read_whole(text, len, &s->epoch);
	case FIELD_ITER:
		return read_whole(text, len, &s->iter);
	case FIELD_ITER_FROM:
		return read_whole(text, len, &s->iter_from);
	case FIELD_ITERS:
		return read_whole(text, len, &s->iters);
	case FIELD_RANK:
		return read_whole(text, len, &s->rank);
	case FIELD_SPAN:
		return read_whole(text, len, &t->span);
	case FIELD_VALUE:
		if (read_value(c, text, len, room, &x) != 0)
			return -1;
		t->value = text;
		t->value_len = len;
		t->value_unit = x.unit;
		s->value = x.value;
		return 0;
	case FIELD_TOTAL:
		if (read_value(c, text, len, room, &x) != 0)
			return -1;
		t->total_s = x.value;
		t->total_unit = x.unit;
		return 0;
	case FIELD_MEAN:
	case FIELD_MEAN_OF_RATES:
	case FIELD_ALSO_STEP:
	case FIELD_ALSO_RATE:
		take_second(s, t, c, text, len, room);
		return 0;
	case FIELD_STAMP:
		t->stamp = text;
		t->stamp_len = len;
		return 0;
	case FIELD_DATE:
		t->day = text;
		t->day_len = len;
		return 0;
	case FIELD_CLOCK:
		t->clock = text;
		t->clock_len = len;
		return 0;
	default:
		return 0;
	}
}

static int
read_captures(struct sample *s, struct step_text *t, const struct match *match)
{
	const struct capture *c = match->pattern->captures;
	const struct capture *end = c + match->pattern->n_captures;

	for (; c < end; c++) {
		size_t len;
		const char *text;

		if (c->field == FIELD_NONE ||
		    (text = match_text(match, c, &len)) == NULL)
			continue;
		if (store_capture(s, t, c, text, len,
			(size_t)(match->text + match->len - text)) != 0)
			return -1;
	}
	return 0;
}

/* The largest relative rounding error of a printed number: half a unit of its
 * last digit. */
static double
rounding_share(const char *text, size_t len)
{
	double digits = 0;

	for (size_t i = 0; i < len; i++)
		if (text_is_digit(text[i]))
			digits = digits * 10 + (text[i] - '0');
	return digits > 0 ? 0.5 / digits : INFINITY;
}

/* Of a mean step time and the total time of all iterations so far, use the one
 * with the smaller rounding error. */
static void
take_total(struct sample *s, const struct step_text *t)
{
	if (s->iter <= 0 || !(t->total_s > 0))
		return;
	if (t->value == NULL ||
	    0.5 / t->total_s < rounding_share(t->value, t->value_len))
		s->value = t->total_s / s->iter;
}

/* Note the resolution of numbers that are summed up or differenced. */
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
	if (read_captures(s, &t, match) != 0)
		return -1;
	if (t.span > 0)
		s->value /= t.span;
	take_total(s, &t);
	if ((t.stamp != NULL || t.clock != NULL) &&
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
		struct number_text number;
		size_t len;
		const char *text = match_text(match, x, &len);

		if (text == NULL || x->field != FIELD_VALUE)
			continue;
		if (read_value(x, text, len,
			(size_t)(match->text + match->len - text),
			&number) != 0 ||
		    !isfinite(number.value))
			return -1;
		*value = number.value;
		*c = x;
		return 0;
	}
	return -1;
}

int
match_number(const struct match *match, const struct capture *c, double *out)
{
	struct number_text x;
	size_t len;
	const char *text = match_text(match, c, &len);

	if (text == NULL)
		return -1;
	if (read_value(c, text, len, (size_t)(match->text + match->len - text),
		&x) == 0) {
		*out = isinf(x.value) ? NAN : x.value;
		return 0;
	}
	return number_parse(text, len, out) == UNITS_UNKNOWN ? 0 : -1;
}
