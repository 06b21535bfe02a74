/* The one place where the text of a capture becomes a number.  Called by
 * everything that consumes matches; it knows neither the log nor the
 * pattern's role beyond a step's. */
#include <config.h>

#include "extract/scan/samples/sample_from_match.h"

#include "common/units/units.h"
#include "extract/scan/samples/capture_text.h"
#include "extract/scan/samples/number_plan.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Eight bytes at once, where the machine puts the first byte lowest. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HAVE_EIGHT 1
#else
#define HAVE_EIGHT 0
#endif

#define EIGHT(byte) (0x0101010101010101u * (uint64_t)(byte))

/* The number in up to 8 digits, right-aligned in x with '0' before it; -1 if
 * some byte is no digit.  Pairs, then fours, then eights are put together.
 * Source: Lemire 2018, "Quickly parsing eight digits". */
static inline int64_t
eight_digits(uint64_t x)
{
	if (((x & EIGHT(0xf0)) | (((x + EIGHT(0x06)) & EIGHT(0xf0)) >> 4)) !=
	    EIGHT(0x33))
		return -1;
	x = (x & EIGHT(0x0f)) * 2561 >> 8;
	x = (x & 0x00ff00ff00ff00ff) * 6553601 >> 16;
	return (int64_t)((x & 0x0000ffff0000ffff) * 42949672960001 >> 32);
}

/* The len bytes at s, 1 to 8 of them, right-aligned with '0' before it.  Eight
 * bytes from s on can be read. */
static inline uint64_t
load_right(const char *s, size_t len)
{
	uint64_t x;

	memcpy(&x, s, sizeof x);
	if (len == 8)
		return x;
	return x << (64 - 8 * len) | EIGHT('0') >> (8 * len);
}

/* A number of digits and one point: both parts are exact in a double, so that
 * one division gives the nearest double, as strtod does.  Everything else goes
 * through number_parse. */
static int
read_long_number(const char *s, size_t len, double *out)
{
	uint64_t x = 0;
	size_t i, digits = 0, fraction = 0;
	int point = 0;

	/* More bytes than 15 digits and a point have hold something else. */
	for (i = 0; i < len && len <= 16 && digits <= 15; i++) {
		unsigned d = (unsigned)(unsigned char)s[i] - '0';

		if (d <= 9) {
			x = x * 10 + d;
			digits++;
			fraction += (size_t)point;
		} else if (s[i] == '.' && !point) {
			point = 1;
		} else {
			break;
		}
	}
	if (i == len && digits > 0 && digits <= 15) {
		*out = (double)x / number_plan_powers[fraction];
		return 0;
	}
	if (number_parse(s, len, out) == UNITS_BAD)
		return -1;
	return isnan(*out) ? -1 : 0;
}

/* As read_long_number.
 *
 * room  bytes that can be read from s on, at least len */
static inline int
read_number(const char *s, size_t len, size_t room, double *out)
{
	if (HAVE_EIGHT && room >= 8 && len <= 8 && len > 1) {
		uint64_t x = load_right(s, len), points, low;
		int64_t value;

		/* A byte that is '.' becomes 0, and the lowest 0 is found
		 * exactly; digits cannot be mistaken for it. */
		low = x ^ EIGHT('.');
		points = (low - EIGHT(1)) & ~low & EIGHT(0x80);
		if (points == 0) {
			value = eight_digits(x);
			if (value >= 0) {
				*out = (double)value;
				return 0;
			}
		} else {
			unsigned at = (unsigned)__builtin_ctzll(points) & 56;
			uint64_t before = ((uint64_t)1 << at) - 1;

			/* Close the gap: what is before the point moves up. */
			value = eight_digits(
			    (x & ~before & ~((uint64_t)0xff << at)) |
			    (x & before) << 8 | '0');
			if (value >= 0) {
				*out = (double)value /
				    number_plan_powers[7 - at / 8];
				return 0;
			}
		}
	}
	return read_long_number(s, len, out);
}

static int
read_long_whole(const char *s, size_t len, int32_t *out)
{
	long y;

	if (whole_parse(s, len, 0, INT32_MAX, &y) != UNITS_OK)
		return -1;
	*out = (int32_t)y;
	return 0;
}

static inline int
read_whole(const char *s, size_t len, size_t room, int32_t *out)
{
	if (HAVE_EIGHT && room >= 8 && len <= 8 && len > 0) {
		int64_t x = eight_digits(load_right(s, len));

		if (x >= 0) {
			*out = (int32_t)x;
			return 0;
		}
	}
	return read_long_whole(s, len, out);
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

/* The pieces of a time stamp that a match holds. */
struct stamp_text {
	const char *stamp, *day, *clock;
	size_t stamp_len, day_len, clock_len;
	int32_t span; /* iterations that the value is the total of, 0: one */
	const char *value, *total; /* the texts of these; NULL: none */
	size_t value_len;
	double total_s;
};

/* What may be read of it where no capture stands.  The lengths are set with
 * their texts: as zeros, all of it would be set by an instruction whose bytes
 * cannot be read before the memory has them. */
static inline void
stamp_text_init(struct stamp_text *t)
{
	t->stamp = t->day = t->clock = t->value = t->total = NULL;
	t->span = 0;
}

static int
read_stamp(const struct stamp_text *t, struct stamp_cache *cache, double *out)
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

#if defined(__GNUC__)
__attribute__((always_inline))
#endif
static inline int
read_value(const struct capture *c, const char *text, size_t len, size_t room,
    double *out)
{
	const struct field_name *word = c->word;
	double x;

	if (len > 0 && len < room && word->type != FIELD_NAME_DURATION) {
		len = capture_number_len(text, len, room);
		if (!c->comma && capture_is_torn(text, len, room)) {
			*out = INFINITY; /* which counts for no step */
			return 0;
		}
	}
	if (word->type == FIELD_NAME_DURATION) {
		if (duration_parse(text, len, &x) != UNITS_OK)
			return -1;
	} else if (read_number(text, len, room, &x) != 0) {
		return -1;
	}
	*out = word->divisor > 1 || word->divisor < 1 ? x / word->divisor : x;
	return 0;
}

int
capture_is_second(const struct capture *c)
{
	return c->field >= FIELD_MEAN && c->field <= FIELD_ALSO_RATE;
}

void
sample_put_second(struct sample *s, const struct capture *c, double x)
{
	if (c->field == FIELD_ALSO_RATE)
		x = x > 0 ? 1 / x : NAN;
	s->second = isfinite(x) ? x : NAN;
}

static void
take_second(struct sample *s, const struct capture *c, const char *text,
    size_t len, size_t room)
{
	double x;

	if (read_value(c, text, len, room, &x) == 0)
		sample_put_second(s, c, x);
}

/* Put one capture where it belongs. */
static inline int
store_capture(struct sample *s, struct stamp_text *t, const struct capture *c,
    const char *text, size_t len, size_t room)
{
	switch (c->field) {
	case FIELD_EPOCH:
		return read_whole(text, len, room, &s->epoch);
	case FIELD_ITER:
		return read_whole(text, len, room, &s->iter);
	case FIELD_ITER_FROM:
		return read_whole(text, len, room, &s->iter_from);
	case FIELD_ITERS:
		return read_whole(text, len, room, &s->iters);
	case FIELD_RANK:
		return read_whole(text, len, room, &s->rank);
	case FIELD_VALUE:
		t->value = text;
		t->value_len = len;
		return read_value(c, text, len, room, &s->value);
	case FIELD_TOTAL:
		t->total = text;
		return read_value(c, text, len, room, &t->total_s);
	case FIELD_MEAN:
	case FIELD_MEAN_OF_RATES:
	case FIELD_ALSO_STEP:
	case FIELD_ALSO_RATE:
		take_second(s, c, text, len, room);
		return 0;
	case FIELD_SPAN:
		return read_whole(text, len, room, &t->span);
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

static void
sample_init(struct sample *s, int64_t line, const struct match *match)
{
	s->value = s->stamp = s->second = NAN;
	s->line = line;
	s->epoch = s->iter = s->iter_from = s->iters = SAMPLE_NONE;
	s->rank = match->rank;
}

/* Where a whole number belongs. */
static inline void
put_whole(struct sample *s, struct stamp_text *t, enum field field, int32_t x)
{
	switch (field) {
	case FIELD_EPOCH:
		s->epoch = x;
		break;
	case FIELD_ITER:
		s->iter = x;
		break;
	case FIELD_ITER_FROM:
		s->iter_from = x;
		break;
	case FIELD_ITERS:
		s->iters = x;
		break;
	case FIELD_RANK:
		s->rank = x;
		break;
	default:
		t->span = x;
		break;
	}
}

/* What read_captures does, in a line with a number plan; -1 also where that
 * has to do it. */
static int
read_planned_captures(
    struct sample *s, struct stamp_text *t, const struct match *match)
{
	const struct number_plan *r = match->plan;
	const struct number_plan_number *end = r->numbers + r->n;

	for (const struct number_plan_number *x = r->numbers; x < end; x++) {
		const struct capture *c = x->capture;
		const double divisor = c->word->divisor;

		double second;

		if (capture_is_second(c)) {
			if (number_plan_number_read(x, match->line, &second) !=
			    0)
				return -1;
			sample_put_second(s, c, second / divisor);
			continue;
		}
		if (c->field != FIELD_VALUE) {
			put_whole(s, t, c->field,
			    (int32_t)number_plan_run_read(
				&x->first, match->line));
			continue;
		}
		if (number_plan_number_read(x, match->line, &s->value) != 0)
			return -1;
		if (divisor > 1 || divisor < 1)
			s->value /= divisor;
	}
	for (size_t i = 0; i < r->n_stamps; i++) {
		size_t len;
		const char *text = match_text(match, r->stamps[i], &len);

		if (text != NULL)
			store_capture(s, t, r->stamps[i], text, len, len);
	}
	return 0;
}

static int
read_captures(struct sample *s, struct stamp_text *t, const struct match *match)
{
	const struct capture *c = match->pattern->captures;
	const struct capture *end = c + match->pattern->n_captures;

	for (; c < end; c++) {
		size_t len;
		const char *text = match_text(match, c, &len);

		if (text != NULL &&
		    store_capture(s, t, c, text, len,
			(size_t)(match->text + match->len - text)) != 0)
			return -1;
	}
	return 0;
}

/* By what share of it a printed number may be rounded: half a unit of its last
 * digit. */
static double
rounding_share(const char *text, size_t len)
{
	double digits = 0;

	for (size_t i = 0; i < len; i++)
		if (text_is_digit(text[i]))
			digits = digits * 10 + (text[i] - '0');
	return digits > 0 ? 0.5 / digits : INFINITY;
}

/* A mean step time next to the time of all iterations so far: the one that has
 * lost less to rounding counts. */
static void
take_total(struct sample *s, const struct stamp_text *t)
{
	if (t->total == NULL || s->iter <= 0 || !(t->total_s > 0))
		return;
	if (t->value == NULL ||
	    0.5 / t->total_s < rounding_share(t->value, t->value_len))
		s->value = t->total_s / s->iter;
}

int
sample_from_match(struct sample *s, int64_t line, const struct meaning *meaning,
    const struct match *match, struct stamp_cache *cache)
{
	struct stamp_text t;

	assert(match->pattern->role == ROLE_STEP);
	sample_init(s, line, match);
	stamp_text_init(&t);
	if ((match->plan == NULL || read_planned_captures(s, &t, match) != 0) &&
	    read_captures(s, &t, match) != 0)
		return -1;
	if (t.span > 0)
		s->value /= t.span;
	take_total(s, &t);
	if ((t.stamp != NULL || t.clock != NULL) &&
	    read_stamp(&t, cache, &s->stamp) != 0)
		return -1;
	return isnan(meaning->kind == VALUE_STAMP ? s->stamp : s->value) ? -1
									 : 0;
}

/* One in the last digit of a number. */
static double
last_digit(const char *text, size_t len, size_t room)
{
	const char *end =
	    text + (len < room ? capture_number_len(text, len, room) : len);
	const char *point = memchr(text, '.', (size_t)(end - text));
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

/* Where the unit of a capture's number belongs; NULL: it is neither summed up
 * nor differenced. */
static double *
unit_place(struct log_units *units, const struct meaning *meaning,
    const struct capture *c, int of_span)
{
	switch (c->field) {
	case FIELD_MEAN:
	case FIELD_MEAN_OF_RATES:
		return &units->mean;
	case FIELD_TOTAL:
		return &units->total;
	case FIELD_VALUE:
		if (of_span || meaning->kind == VALUE_ELAPSED)
			return &units->total;
		return meaning->statistic == STATISTIC_CUMULATIVE_MEAN
		    ? &units->mean
		    : &units->value;
	default:
		return NULL;
	}
}

void
log_units_note(struct log_units *units, const struct meaning *meaning,
    const struct match *match)
{
	const struct pattern *p = match->pattern;
	const struct number_plan *plan = match->plan;
	const size_t n = plan != NULL ? plan->n : p->n_captures;
	int of_span = 0;

	for (size_t i = 0; i < p->n_captures; i++)
		of_span |= p->captures[i].field == FIELD_SPAN;
	for (size_t i = 0; i < n; i++) {
		const struct capture *c =
		    plan != NULL ? plan->numbers[i].capture : &p->captures[i];
		struct log_units own = { 0, 0, 0 };
		double *unit = unit_place(&own, meaning, c, of_span);
		const char *text;
		size_t len;

		if (unit == NULL)
			continue;
		if (plan != NULL && plan->numbers[i].exponented == 0)
			*unit =
			    1 / number_plan_powers[plan->numbers[i].decimals];
		else if (plan == NULL &&
		    (text = match_text(match, c, &len)) != NULL && len > 0)
			*unit = last_digit(text, len,
			    (size_t)(match->text + match->len - text));
		*unit /= c->word->divisor;
		log_units_join(units, &own);
	}
}

int
summary_from_match(
    double *value, const struct capture **c, const struct match *match)
{
	for (size_t i = 0; i < match->pattern->n_captures; i++) {
		const struct capture *x = &match->pattern->captures[i];
		size_t len;
		const char *text = match_text(match, x, &len);

		if (text == NULL || x->field != FIELD_VALUE)
			continue;
		if (read_value(x, text, len,
			(size_t)(match->text + match->len - text),
			value) != 0 ||
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
	size_t len;
	const char *text = match_text(match, c, &len);

	if (text == NULL)
		return -1;
	if (read_value(c, text, len, (size_t)(match->text + match->len - text),
		out) == 0) {
		if (isinf(*out))
			*out = NAN;
		return 0;
	}
	return number_parse(text, len, out) == UNITS_UNKNOWN ? 0 : -1;
}
