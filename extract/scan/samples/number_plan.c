/* Works out once for a line template how its numbers are read.  Called by
 * line_template.c; the plans are carried out in sample_from_match.c and
 * scan_emit.c. */
#include <config.h>

#include "extract/scan/samples/number_plan.h"

#include "extract/format/matcher.h"
#include "extract/scan/samples/capture_text.h"

enum {
	EIGHT = 8,
	MAX_DIGITS = 15, /* exact in a double */
	MAX_EXPONENT = 3 /* digits */
};

const double number_plan_powers[NUMBER_PLAN_MAX_POWER + 1] = { 1e0, 1e1, 1e2,
	1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
	1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

static size_t
count_digits(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] >= '0' && s[n] <= '9')
		n++;
	return n;
}

/* The bits of the digits in bytes from to to - 1 of eight. */
static uint64_t
digit_mask(size_t from, size_t to)
{
	uint64_t mask = 0;

	for (size_t i = from; i < to; i++)
		mask |= (uint64_t)0x0f << (8 * i);
	return mask;
}

/* A run of n bytes at s, which is in the line, n <= 8.
 *
 * point  the number of the byte that is a point; n: none is */
static struct number_plan_run
make_run(const char *line, size_t len, const char *s, size_t n, size_t point)
{
	struct number_plan_run run;
	size_t at = (size_t)(s - line), after, first;

	run.at = (uint16_t)(at + EIGHT <= len ? at : len - EIGHT);
	/* The last byte of the run moves up to the last of the eight. */
	after = run.at + EIGHT - (at + n);
	run.up = (uint8_t)(8 * after);
	run.len = (uint8_t)n;
	first = EIGHT - n;
	if (point == n) {
		run.low = 0;
		run.high = digit_mask(first, EIGHT);
	} else {
		run.low = digit_mask(first, first + point);
		run.high = digit_mask(first + point + 1, EIGHT);
	}
	return run;
}

/* "e-05" at the end of a number */
static int
make_exponent(struct number_plan_number *x, const char *line, size_t len,
    const char *s, size_t n)
{
	x->exponented = 0;
	if (n == 0)
		return 1;
	if (*s != 'e' && *s != 'E')
		return 0;
	s++;
	n--;
	x->exponented = 1;
	if (n > 0 && (*s == '-' || *s == '+')) {
		x->exponented = *s == '-' ? -1 : 1;
		s++;
		n--;
	}
	if (n == 0 || n > MAX_EXPONENT || count_digits(s, n) != n)
		return 0;
	x->exponent = make_run(line, len, s, n, n);
	return 1;
}

/* The number in n bytes at s.
 *
 * whole  1: digits only */
static int
make_number(struct number_plan_number *x, const char *line, size_t len,
    const char *s, size_t n, int whole)
{
	const size_t before = count_digits(s, n);
	const int pointed = before < n && s[before] == '.';
	const char *fraction = s + before + pointed;
	const size_t after =
	    pointed ? count_digits(fraction, n - before - 1) : 0;
	const size_t digits = before + after;
	const size_t used = digits + (size_t)pointed;

	if (digits == 0 || digits > MAX_DIGITS || (whole && before != n))
		return 0;
	x->decimals = (int8_t)after;
	x->scale = 0;
	if (used <= EIGHT) {
		x->first =
		    make_run(line, len, s, used, pointed ? before : used);
	} else {
		if (before > EIGHT || after > EIGHT || after == 0 ||
		    before == 0)
			return 0;
		x->first = make_run(line, len, s, before, before);
		x->second = make_run(line, len, fraction, after, after);
		x->scale = (uint32_t)number_plan_powers[after];
	}
	return make_exponent(x, line, len, s + used, n - used);
}

/* Has the capture a number that goes into a sample, and is it a whole one? */
static int
sample_number(const struct capture *c, int *whole)
{
	switch (c->field) {
	case FIELD_EPOCH:
	case FIELD_ITER:
	case FIELD_ITER_FROM:
	case FIELD_ITERS:
	case FIELD_RANK:
	case FIELD_SPAN:
		*whole = 1;
		return 1;
	case FIELD_VALUE:
	case FIELD_MEAN:
	case FIELD_MEAN_OF_RATES:
	case FIELD_ALSO_STEP:
	case FIELD_ALSO_RATE:
	case FIELD_TOTAL: /* refused: a duration */
		*whole = 0;
		return 1;
	default:
		return 0;
	}
}

static int
is_stamp(const struct capture *c)
{
	return c->field == FIELD_STAMP || c->field == FIELD_DATE ||
	    c->field == FIELD_CLOCK;
}

/* What a number plan is made of. */
struct number_plan_builder {
	struct number_plan *plan;
	struct number_plan_number *numbers; /* [room] */
	size_t room;
	const struct match *match;
	const char *line; /* [len] */
	size_t len;
};

static int
add_number(struct number_plan_builder *k, const struct capture *c, int whole)
{
	struct number_plan *r = k->plan;
	struct number_plan_number *x = &k->numbers[r->n_all];
	size_t n;
	const char *s = match_text(k->match, c, &n);

	if (s == NULL)
		return 1; /* in no line of the template */
	if (r->n_all == k->room || c->word->type == FIELD_NAME_DURATION ||
	    (whole && n > EIGHT) ||
	    (!whole &&
		capture_is_cut(
		    c, s, n, (size_t)(k->match->text + k->match->len - s))) ||
	    !make_number(x, k->line, k->len, s, n, whole))
		return 0;
	x->capture = c;
	r->n_all++;
	return 1;
}

/* The numbers and stamps of a sample. */
static int
add_sample(struct number_plan_builder *k, const struct pattern *p)
{
	struct number_plan *r = k->plan;

	for (size_t i = 0; i < p->n_captures; i++) {
		const struct capture *c = &p->captures[i];
		int whole;

		if (is_stamp(c)) {
			if (r->n_stamps == NUMBER_PLAN_STAMPS)
				return 0;
			r->stamps[r->n_stamps++] = c;
		} else if (sample_number(c, &whole) &&
		    !add_number(k, c, whole)) {
			return 0;
		}
	}
	r->n = r->n_all;
	return 1;
}

int
number_plan_make(struct number_plan *r, const struct match *match,
    const char *line, size_t len, struct number_plan_number *numbers,
    size_t room)
{
	const struct pattern *p = match->pattern;
	struct number_plan_builder k = { r, numbers, room, match, line, len };

	*r = (struct number_plan){ .numbers = numbers };
	if (!NUMBER_PLAN_WORKS || len < EIGHT || len > UINT16_MAX)
		return 0;
	if (p->role == ROLE_STEP && !add_sample(&k, p))
		return 0;
	for (size_t i = 0; i < p->n_captures; i++)
		if (p->captures[i].word->field == FIELD_NONE &&
		    !add_number(&k, &p->captures[i], 0))
			return 0;
	return 1;
}
