/* Checks that need a whole format file: values, pairs, units, expectations. */
#include <config.h>

#include "extract/format/format.h"
#include "extract/format/patterns/pattern.h"

#include <string.h>

/* Kinds of value that step patterns must have, by meaning.kind. */
static const struct {
	enum field_name_value value;
	const char *name, *groups;
} kinds[] = {
	[VALUE_STEP_TIME] = { FIELD_NAME_STEP_TIME, "step-time",
	    "step_s or step_ms" },
	[VALUE_RATE] = { FIELD_NAME_RATE, "rate",
	    "samples_per_s, tokens_per_s or another rate" },
	[VALUE_STAMP] = { FIELD_NAME_STAMP, "stamp",
	    "stamp, or date and clock" },
	[VALUE_ELAPSED] = { FIELD_NAME_ELAPSED, "elapsed", "elapsed" },
};

/* Report a mistake in a pattern of f.  Returns -1. */
#define PATTERN_ERROR(p, ...) source_error(e, &f->src, (p)->at, __VA_ARGS__)

/* Sets of roles. */
enum {
	ANY_ROLE = ~0,
	/* A file without any of these gives no measurement. */
	USEFUL = FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_SUMMARY) |
	    FIELD_NAME_IN(ROLE_RESULT) | FIELD_NAME_IN(ROLE_END) |
	    FIELD_NAME_IN(ROLE_INTERVAL) | FIELD_NAME_IN(ROLE_COLLECTIVE) |
	    FIELD_NAME_IN(ROLE_PREFIX) | FIELD_NAME_IN(ROLE_LAYOUT),
	MAY_BE_EMPTY = FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_IGNORE) |
	    FIELD_NAME_IN(ROLE_SECTION) | FIELD_NAME_IN(ROLE_SIGNATURE),
	EVENTS = FIELD_NAME_IN(ROLE_BEGIN) | FIELD_NAME_IN(ROLE_END) |
	    FIELD_NAME_IN(ROLE_INTERVAL)
};

/* The capture with a pattern's value: of the kind `want`, or of any kind except
 * time stamps if want is FIELD_NAME_NO_VALUE.  NULL if there is none. */
static const struct capture *
value_capture(const struct pattern *p, enum field_name_value want)
{
	for (size_t i = 0; i < p->n_captures; i++) {
		const enum field_name_value v = p->captures[i].word->value;

		if (v != FIELD_NAME_NO_VALUE &&
		    (want == FIELD_NAME_NO_VALUE ? v != FIELD_NAME_STAMP
						 : v == want))
			return &p->captures[i];
	}
	return NULL;
}

/* The pattern's value of the kind that the format measures, or NULL. */
static const struct capture *
own_value(const struct format *f, const struct pattern *p)
{
	return value_capture(p, kinds[f->meaning.kind].value);
}

static int
has_field(const struct pattern *p, enum pattern_field field)
{
	for (size_t i = 0; i < p->n_captures; i++)
		if (p->captures[i].field == field)
			return 1;
	return 0;
}

static enum second_kind
second_kind_of(enum pattern_field field)
{
	return field == FIELD_MEAN         ? SECOND_MEAN
	    : field == FIELD_MEAN_OF_RATES ? SECOND_MEAN_OF_RATES
	    : field == FIELD_ALSO_STEP || field == FIELD_ALSO_RATE
	    ? SECOND_STEP
	    : SECOND_NONE;
}

/* --- Patterns --------------------------------------------------------------*/

static int
check_pattern(const struct format *f, const struct pattern *p, struct error *e)
{
	const unsigned role = FIELD_NAME_IN(p->role);
	const struct capture *c = own_value(f, p);

	if (p->role == ROLE_STEP && c == NULL)
		return PATTERN_ERROR(p,
		    "step pattern '%s' has no value: kind %s needs a group %s",
		    p->name, kinds[f->meaning.kind].name,
		    kinds[f->meaning.kind].groups);
	if (p->role == ROLE_STEP && f->meaning.scope != SCOPE_DEVICE &&
	    strstr(c->name, "_per_s_per_device") != NULL)
		return PATTERN_ERROR(p,
		    "pattern '%s' has a rate per device, but the scope is not "
		    "'device'",
		    p->name);
	if (p->role == ROLE_SUMMARY &&
	    value_capture(p, FIELD_NAME_NO_VALUE) == NULL)
		return PATTERN_ERROR(p,
		    "summary pattern '%s' has no value: a rate, a step time or "
		    "elapsed",
		    p->name);
	if (!(role & MAY_BE_EMPTY) && p->n_captures + p->n_gives == 0)
		return PATTERN_ERROR(
		    p, "pattern '%s' captures nothing", p->name);
	if (p->role == ROLE_COLLECTIVE && !has_field(p, FIELD_BYTES))
		return PATTERN_ERROR(
		    p, "pattern '%s' needs a group message_bytes", p->name);
	if (!(role & EVENTS))
		return 0;
	if (!has_field(p, FIELD_MOMENT))
		return PATTERN_ERROR(p,
		    "pattern '%s' captures no time: it needs a group at_s or "
		    "at_ms",
		    p->name);
	if (p->role != ROLE_BEGIN && p->begin == NULL)
		return PATTERN_ERROR(
		    p, "there is no 'begin' above '%s'", p->name);
	for (size_t i = 0; p->role == ROLE_INTERVAL && i < f->n_patterns; i++)
		if (f->meaning.kind != VALUE_STEP_TIME ||
		    f->patterns[i].role == ROLE_STEP)
			return PATTERN_ERROR(p,
			    "an interval needs the kind step-time, and no step "
			    "pattern");
	return 0;
}

/* Check all patterns, and link each end and interval to the begin above it. */
static int
check_patterns(struct format *f, struct error *e)
{
	static const char *const lacks[N_FORMAT_FILES] = {
		[FORMAT_FILE] = "step and no summary",
		[FORMAT_FILE_PREFIX] = "prefix",
		[FORMAT_FILE_LAYOUT] = "layout",
		[FORMAT_FILE_METADATA] = "metadata"
	};
	const int useful =
	    f->file == FORMAT_FILE_METADATA ? ANY_ROLE : (int)USEFUL;
	size_t begin = 0, n_useful = 0; /* begin: index after the last begin */

	for (size_t i = 0; i < f->n_patterns; i++) {
		struct pattern *p = &f->patterns[i];

		p->begin = begin > 0 ? &f->patterns[begin - 1] : NULL;
		if (check_pattern(f, p, e) != 0)
			return -1;
		if (p->role == ROLE_BEGIN)
			begin = i + 1;
		n_useful += ((int)FIELD_NAME_IN(p->role) & useful) != 0;
		f->has_intervals |= p->role == ROLE_INTERVAL;
		f->has_collectives |= p->role == ROLE_COLLECTIVE;
	}
	return n_useful > 0 ? 0
			    : source_error(e, &f->src, f->src.text,
				  "the file has no %s pattern", lacks[f->file]);
}

/* Move step patterns to the front, keeping the order of the others. Note their
 * kinds of value, and use only the file's. */
static void
sort_patterns(struct format *f)
{
	for (size_t i = 0; i < f->n_patterns; i++) {
		struct pattern p = f->patterns[i];

		if (p.role != ROLE_STEP)
			continue;
		for (size_t k = 0; k < p.n_captures; k++) {
			struct capture *c = &p.captures[k];
			const enum second_kind second =
			    second_kind_of(c->field);

			f->meaning.has_work |= c->field == FIELD_WORK;
			f->meaning.has_total |= c->field == FIELD_DONE;
			if (second != SECOND_NONE)
				f->meaning.second = second;
			if (c->field == FIELD_VALUE &&
			    c->word->value != kinds[f->meaning.kind].value)
				c->field = FIELD_NONE;
		}
		memmove(f->patterns + f->n_step_patterns + 1,
		    f->patterns + f->n_step_patterns,
		    (i - f->n_step_patterns) * sizeof p);
		f->patterns[f->n_step_patterns++] = p;
	}
}

/* Check the secondary values of a step pattern. */
static int
check_second(const struct format *f, const struct pattern *p, struct error *e)
{
	for (size_t i = 0; i < p->n_captures; i++) {
		const struct capture *c = &p->captures[i];
		const enum second_kind kind = second_kind_of(c->field);
		const int of_time = c->field == FIELD_TOTAL ||
		    (c->field == FIELD_MEAN && strcmp(c->word->unit, "s") == 0);

		if (kind == SECOND_NONE && c->field != FIELD_TOTAL)
			continue;
		if (f->meaning.kind != (of_time ? VALUE_STEP_TIME : VALUE_RATE))
			return PATTERN_ERROR(p,
			    "group '%s' does not fit the format's kind",
			    c->name);
		if (kind != SECOND_NONE && f->meaning.second != kind)
			return PATTERN_ERROR(p,
			    "group '%s' differs in kind from that of another "
			    "step pattern",
			    c->name);
	}
	return 0;
}

/* --- Meaning ---------------------------------------------------------------*/

/* Set the unit of the measured quantity and check the file's unit. */
static int
complete_unit(struct format *f, const char *unit, struct error *e)
{
	struct meaning *m = &f->meaning;
	const struct pattern *p = &f->patterns[0];
	const struct capture *c;

	/* Without steps: the last summary, preferably of the measured kind. */
	for (size_t i = 0; f->n_step_patterns == 0 && i < f->n_patterns; i++) {
		const struct pattern *x = &f->patterns[i];

		if (x->role == ROLE_SUMMARY &&
		    (own_value(f, x) != NULL || own_value(f, p) == NULL))
			p = x;
	}
	c = f->n_step_patterns > 0 ? own_value(f, p)
				   : value_capture(p, FIELD_NAME_NO_VALUE);
	if (f->has_intervals || c == NULL) {
		/* Collectives have bandwidths; intervals and ends, times. */
		m->unit = f->has_collectives ? "GB/s" : "s";
		return 0;
	}
	if (m->unit == NULL)
		m->unit = c->word->unit;
	if ((strcmp(m->unit, "s") == 0) != (strcmp(c->word->unit, "s") == 0))
		return source_error(e, &f->src, unit,
		    "the unit does not fit: group '%s' is in %s", c->name,
		    c->word->unit);
	return 0;
}

static int
complete_meaning(
    struct format *f, const char *unit, const char *window, struct error *e)
{
	struct meaning *m = &f->meaning;
	int counts = 0;

	if (complete_unit(f, unit, e) != 0)
		return -1;
	if (f->has_intervals)
		m->statistic = STATISTIC_WINDOW_MEAN;
	if (m->statistic == STATISTIC_INSTANT) {
		if (window != NULL)
			return source_error(e, &f->src, window,
			    "a window needs the statistic window-mean or "
			    "cumulative-mean");
		m->window = 1;
	}
	if (m->throughput == NULL)
		m->throughput = m->kind == VALUE_RATE ? m->unit : "samples/s";
	/* Check whether steps, or contexts, give iteration numbers. */
	for (size_t i = 0; i < f->n_patterns; i++)
		counts |= (i == 0 || f->patterns[i].role == ROLE_CONTEXT) &&
		    pattern_capture(&f->patterns[i], "iter") != NULL;
	if (m->rule == NULL)
		m->rule = f->has_intervals    ? "all"
		    : f->n_step_patterns == 0 ? "summary"
		    : counts                  ? "window"
					      : "all";
	return 0;
}

/* Find the patterns named by the expectations of a sample. */
static int
resolve_sample(struct format *f, struct format_sample *s, struct error *e)
{
	if (s->n_expects == 0)
		return source_error(
		    e, &f->src, s->text, "no 'expect' follows this sample");
	for (size_t j = 0; j < s->n_expects; j++) {
		struct expectation *x = &s->expects[j];
		const int nothing = strcmp(x->name, "nothing") == 0;

		for (size_t k = 0; k < f->n_patterns; k++)
			if (strcmp(f->patterns[k].name, x->name) == 0) {
				x->pattern = &f->patterns[k];
				f->patterns[k].n_samples++;
			}
		if (nothing ? s->n_expects > 1 : x->pattern == NULL)
			return source_error(e, &f->src, x->at,
			    nothing ? "'%s' excludes other expectations"
				    : "there is no pattern '%s' here",
			    x->name);
	}
	return 0;
}

int
format_complete(
    struct format *f, const char *unit, const char *window, struct error *e)
{
	sort_patterns(f);
	if (check_patterns(f, e) != 0)
		return -1;
	for (size_t i = 0; i < f->n_step_patterns; i++)
		if (check_second(f, &f->patterns[i], e) != 0)
			return -1;
	if (f->file == FORMAT_FILE && complete_meaning(f, unit, window, e) != 0)
		return -1;
	for (size_t i = 0; i < f->n_samples; i++)
		if (resolve_sample(f, &f->samples[i], e) != 0)
			return -1;
	f->meaning.generic = f->generic;
	for (size_t i = 0; i < f->n_patterns; i++) {
		struct pattern *p = &f->patterns[i];

		f->n_ignore += p->role == ROLE_IGNORE;
		f->has_context |= p->role == ROLE_CONTEXT;
		f->meaning.epochs |=
		    pattern_capture(p, "epoch_samples") != NULL;
		/* Digit-sensitive only on lines with a digit-free literal. */
		p->uncacheable = !p->digit_insensitive && p->csv == NULL &&
		    p->n_literal >= 4 &&
		    !text_has_digit(p->literal, p->n_literal);
		f->n_uncacheable += p->uncacheable;
		if (!p->digit_insensitive && !p->uncacheable) {
			f->digit_sensitive_roles |= FIELD_NAME_IN(p->role);
			if (p->json == NULL || p->names_digits)
				f->digit_counting_roles |=
				    FIELD_NAME_IN(p->role);
		}
		*(p->role == ROLE_STEP ? &f->step_anchored
				       : &f->rest_anchored) |= p->anchored;
	}
	return 0;
}
