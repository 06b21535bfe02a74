#include <config.h>

#include "extract/match.h"

#include "common/units.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8,
	1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };

/* A number of digits and one point: both parts are exact in a double, so that
 * one division gives the nearest double, as strtod does.  Everything else goes
 * through number_parse. */
static int
read_number(const char *s, size_t len, double *out)
{
	uint64_t x = 0;
	size_t i, digits = 0, fraction = 0;
	int point = 0;

	for (i = 0; i < len && digits <= 15; i++) {
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
		*out = (double)x / powers[fraction];
		return 0;
	}
	if (number_parse(s, len, out) == UNITS_BAD)
		return -1;
	return isnan(*out) ? -1 : 0;
}

static int
read_whole(const char *s, size_t len, int32_t *out)
{
	uint32_t x = 0;
	size_t i;
	long y;

	for (i = 0; i < len && i < 9; i++) {
		unsigned d = (unsigned)(unsigned char)s[i] - '0';

		if (d > 9)
			break;
		x = x * 10 + d;
	}
	if (i == len && len > 0) {
		*out = (int32_t)x;
		return 0;
	}
	if (whole_parse(s, len, 0, INT32_MAX, &y) != UNITS_OK)
		return -1;
	*out = (int32_t)y;
	return 0;
}

/* "07:23:01.413767" or "07:23:01,413" behind a day. */
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
};

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

static enum word_value
wanted_value(const struct meaning *m)
{
	static const enum word_value wanted[] = {
		[VALUE_STEP_TIME] = WORD_STEP_TIME,
		[VALUE_RATE] = WORD_RATE,
		[VALUE_STAMP] = WORD_STAMP,
		[VALUE_ELAPSED] = WORD_ELAPSED,
	};

	return wanted[m->kind];
}

static int
read_value(const struct word *word, const char *text, size_t len, double *out)
{
	double x;

	if (word->type == WORD_DURATION) {
		if (duration_parse(text, len, &x) != UNITS_OK)
			return -1;
	} else if (read_number(text, len, &x) != 0) {
		return -1;
	}
	*out = x / word->divisor;
	return 0;
}

/* Put one capture where it belongs. */
static int
take_capture(struct sample *s, struct stamp_text *t, enum word_value want,
    const struct word *word, const char *text, size_t len)
{
	switch (word->field) {
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
	case FIELD_VALUE:
		if (word->value != want)
			return 0;
		return read_value(word, text, len, &s->value);
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

int
sample_from_hit(struct sample *s, const struct meaning *meaning,
    const struct hit *hit, struct stamp_cache *cache)
{
	struct sample x = { .value = NAN,
		.stamp = NAN,
		.epoch = SAMPLE_NONE,
		.iter = SAMPLE_NONE,
		.iter_from = SAMPLE_NONE,
		.iters = SAMPLE_NONE,
		.rank = hit->rank };
	struct stamp_text t = { NULL, NULL, NULL, 0, 0, 0 };
	enum word_value want = wanted_value(meaning);

	assert(hit->pattern->role == ROLE_HOT);
	for (size_t i = 0; i < hit->pattern->n_captures; i++) {
		const struct capture *c = &hit->pattern->captures[i];
		size_t len;
		const char *text = hit_text(hit, c, &len);

		if (text != NULL &&
		    take_capture(&x, &t, want, c->word, text, len) != 0)
			return -1;
	}
	if ((t.stamp != NULL || t.clock != NULL) &&
	    read_stamp(&t, cache, &x.stamp) != 0)
		return -1;
	if (isnan(meaning->kind == VALUE_STAMP ? x.stamp : x.value))
		return -1;
	x.line = s->line;
	*s = x;
	return 0;
}

int
summary_from_hit(double *value, const struct capture **c, const struct hit *hit)
{
	for (size_t i = 0; i < hit->pattern->n_captures; i++) {
		const struct capture *x = &hit->pattern->captures[i];
		size_t len;
		const char *text = hit_text(hit, x, &len);

		if (text == NULL || x->word->field != FIELD_VALUE)
			continue;
		if (read_value(x->word, text, len, value) != 0)
			return -1;
		*c = x;
		return 0;
	}
	return -1;
}
