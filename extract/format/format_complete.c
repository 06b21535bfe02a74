/* Checks that need a whole format file: values, pairs, units, expectations. */
#include <config.h>

#include "extract/format/format.h"
#include "extract/format/patterns/regex_text.h"

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

static enum field_name_value
wanted_value(const struct format *f)
{
	return kinds[f->meaning.kind].value;
}

/* Report a mistake in a pattern.  Returns -1. */
#define PATTERN_ERROR(p, ...) source_error(e, src, (p)->line, 1, __VA_ARGS__)

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

static int
check_step_pattern(const struct format *f, const struct pattern *p,
    const struct format_source *src, struct error *e)
{
	const struct capture *c = value_capture(p, wanted_value(f));

	if (c == NULL)
		return PATTERN_ERROR(p,
		    "step pattern '%s' has no value: kind %s needs a group %s",
		    p->name, kinds[f->meaning.kind].name,
		    kinds[f->meaning.kind].groups);
	if (strstr(c->name, "_per_s_per_device") != NULL &&
	    f->meaning.scope != SCOPE_DEVICE)
		return PATTERN_ERROR(p,
		    "pattern '%s' has a rate per device, but the scope is not "
		    "'device'",
		    p->name);
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

/* Check the secondary values of a step pattern. */
static int
check_second(const struct format *f, const struct pattern *p,
    const struct format_source *src, struct error *e)
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

/* Choose one of several kinds of value in a step pattern: the file's. */
static void
choose_value(struct format *f, struct pattern *p)
{
	for (size_t i = 0; i < p->n_captures; i++) {
		struct capture *c = &p->captures[i];

		f->meaning.has_work |= c->field == FIELD_WORK;
		f->meaning.has_total |= c->field == FIELD_DONE;
		if (second_kind_of(c->field) != SECOND_NONE)
			f->meaning.second = second_kind_of(c->field);
		if (c->field == FIELD_VALUE &&
		    c->word->value != wanted_value(f))
			c->field = FIELD_NONE;
	}
}

static int
has_field(const struct pattern *p, enum pattern_field field)
{
	for (size_t i = 0; i < p->n_captures; i++)
		if (p->captures[i].field == field)
			return 1;
	return 0;
}

/* Check an event of a pair or a collective.
 *
 * begun  1: a begin is above it */
static int
check_event(const struct format *f, const struct pattern *p, int begun,
    const struct format_source *src, struct error *e)
{
	if (p->role == ROLE_COLLECTIVE && !has_field(p, FIELD_BYTES))
		return PATTERN_ERROR(
		    p, "pattern '%s' needs a group message_bytes", p->name);
	if (p->role != ROLE_BEGIN && p->role != ROLE_END &&
	    p->role != ROLE_INTERVAL)
		return 0;
	if (!has_field(p, FIELD_MOMENT))
		return PATTERN_ERROR(p,
		    "pattern '%s' captures no time: it needs a group at_s or "
		    "at_ms",
		    p->name);
	if (p->role != ROLE_BEGIN && !begun)
		return PATTERN_ERROR(
		    p, "no 'begin' stands above '%s'", p->name);
	if (p->role != ROLE_INTERVAL)
		return 0;
	for (size_t i = 0; i < f->n_patterns; i++)
		if (f->meaning.kind != VALUE_STEP_TIME ||
		    f->patterns[i].role == ROLE_STEP)
			return PATTERN_ERROR(p,
			    "an interval needs the kind step-time, and no step "
			    "pattern");
	return 0;
}

static int
check_patterns(
    const struct format *f, const struct format_source *src, struct error *e)
{
	/* A file without any of these gives no measurement. */
	const unsigned useful = f->file == FORMAT_FILE_METADATA
	    ? ~0u
	    : FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_SUMMARY) |
		FIELD_NAME_IN(ROLE_RESULT) | FIELD_NAME_IN(ROLE_END) |
		FIELD_NAME_IN(ROLE_INTERVAL) | FIELD_NAME_IN(ROLE_COLLECTIVE) |
		FIELD_NAME_IN(ROLE_PREFIX) | FIELD_NAME_IN(ROLE_LAYOUT);
	const unsigned may_be_empty = FIELD_NAME_IN(ROLE_STEP) |
	    FIELD_NAME_IN(ROLE_IGNORE) | FIELD_NAME_IN(ROLE_SECTION) |
	    FIELD_NAME_IN(ROLE_SIGNATURE);
	unsigned roles = 0;

	for (size_t i = 0; i < f->n_patterns; i++) {
		const struct pattern *p = &f->patterns[i];
		const unsigned role = FIELD_NAME_IN(p->role);

		if (p->role == ROLE_STEP &&
		    check_step_pattern(f, p, src, e) != 0)
			return -1;
		if (p->role == ROLE_SUMMARY &&
		    value_capture(p, FIELD_NAME_NO_VALUE) == NULL)
			return PATTERN_ERROR(p,
			    "summary pattern '%s' has no value: a rate, a step "
			    "time or elapsed",
			    p->name);
		if (!(role & may_be_empty) && p->n_captures + p->n_gives == 0)
			return PATTERN_ERROR(
			    p, "pattern '%s' captures nothing", p->name);
		if (check_event(f, p, (roles & FIELD_NAME_IN(ROLE_BEGIN)) != 0,
			src, e) != 0)
			return -1;
		roles |= role;
	}
	if (!(roles & useful))
		return source_error(e, src, 1, 1, "the file has no %s pattern",
		    f->file == FORMAT_FILE              ? "step and no summary"
			: f->file == FORMAT_FILE_PREFIX ? "prefix"
			: f->file == FORMAT_FILE_METADATA ? "metadata"
							  : "layout");
	return 0;
}

/* Move step patterns to the front, keeping the order of the others. */
static void
sort_patterns(struct format *f)
{
	for (size_t i = 0; i < f->n_patterns; i++) {
		struct pattern p = f->patterns[i];

		if (p.role != ROLE_STEP)
			continue;
		choose_value(f, &p);
		memmove(f->patterns + f->n_step_patterns + 1,
		    f->patterns + f->n_step_patterns,
		    (i - f->n_step_patterns) * sizeof p);
		f->patterns[f->n_step_patterns++] = p;
	}
}

/* Link each end and interval to the begin above it. */
static void
find_begins(struct format *f)
{
	const struct pattern *begin = NULL;

	for (size_t i = 0; i < f->n_patterns; i++) {
		struct pattern *p = &f->patterns[i];

		if (p->role == ROLE_BEGIN)
			begin = p;
		if (p->role == ROLE_END || p->role == ROLE_INTERVAL)
			p->begin = begin;
		f->has_intervals |= p->role == ROLE_INTERVAL;
		f->has_collectives |= p->role == ROLE_COLLECTIVE;
	}
}

/* True if steps have numbers, of their own or from a preceding context. */
static int
counts_iterations(const struct format *f)
{
	for (size_t i = 0; i < f->n_patterns; i++)
		if ((i == 0 || f->patterns[i].role == ROLE_CONTEXT) &&
		    pattern_capture(&f->patterns[i], "iter") != NULL)
			return 1;
	return 0;
}

/* Set the unit of the measured quantity and check the file's unit. */
static int
complete_unit(struct format *f, const struct format_source *src, long unit_line,
    struct error *e)
{
	struct meaning *m = &f->meaning;
	const struct pattern *p = &f->patterns[0];
	const struct capture *c;

	/* Without steps: the last summary, preferably of the kind. */
	for (size_t i = 0; f->n_step_patterns == 0 && i < f->n_patterns; i++) {
		const struct pattern *x = &f->patterns[i];

		if (x->role == ROLE_SUMMARY &&
		    (value_capture(x, wanted_value(f)) != NULL ||
			value_capture(p, wanted_value(f)) == NULL))
			p = x;
	}
	c = value_capture(
	    p, f->n_step_patterns > 0 ? wanted_value(f) : FIELD_NAME_NO_VALUE);
	if (f->has_intervals || c == NULL) {
		/* Intervals, ends; or bandwidths of collectives. */
		m->unit = f->has_collectives ? "GB/s" : "s";
		return 0;
	}
	if (m->unit == NULL)
		m->unit = c->word->unit;
	if ((strcmp(m->unit, "s") == 0) != (strcmp(c->word->unit, "s") == 0))
		return source_error(e, src, unit_line, 1,
		    "the unit does not "
		    "fit: group '%s' is in %s",
		    c->name, c->word->unit);
	return 0;
}

static int
complete_meaning(struct format *f, const struct format_source *src,
    long unit_line, long window_line, struct error *e)
{
	struct meaning *m = &f->meaning;

	if (complete_unit(f, src, unit_line, e) != 0)
		return -1;
	if (f->has_intervals)
		m->statistic = STATISTIC_WINDOW_MEAN;
	if (m->statistic == STATISTIC_INSTANT) {
		if (window_line > 0)
			return source_error(e, src, window_line, 1,
			    "a window "
			    "needs the statistic window-mean or "
			    "cumulative-mean");
		m->window = 1;
	}
	if (m->throughput == NULL)
		m->throughput = m->kind == VALUE_RATE ? m->unit : "samples/s";
	if (m->rule == NULL)
		m->rule = f->has_intervals    ? "all"
		    : f->n_step_patterns == 0 ? "summary"
		    : counts_iterations(f)    ? "window"
					      : "all";
	return 0;
}

/* Find the patterns named by the expectations. */
static int
resolve_expectations(
    struct format *f, const struct format_source *src, struct error *e)
{
	for (size_t i = 0; i < f->n_samples; i++) {
		struct format_sample *s = &f->samples[i];

		if (s->n_expects == 0)
			return source_error(e, src, s->line, 1,
			    "no 'expect' follows this sample");
		for (size_t j = 0; j < s->n_expects; j++) {
			struct expectation *x = &s->expects[j];
			const int nothing = strcmp(x->name, "nothing") == 0;

			for (size_t k = 0; k < f->n_patterns; k++)
				if (strcmp(f->patterns[k].name, x->name) == 0) {
					x->pattern = &f->patterns[k];
					f->patterns[k].n_samples++;
				}
			if (nothing ? s->n_expects > 1 : x->pattern == NULL)
				return source_error(e, src, x->line, x->col,
				    nothing ? "'%s' stands alone"
					    : "there is no pattern '%s' here",
				    x->name);
		}
	}
	return 0;
}

/* Set what the file's patterns mean for all its lines. */
static void
add_pattern(struct format *f, struct pattern *p)
{
	const unsigned role = FIELD_NAME_IN(p->role);

	f->n_ignore += p->role == ROLE_IGNORE;
	f->has_context |= p->role == ROLE_CONTEXT;
	f->meaning.epochs |= pattern_capture(p, "epoch_samples") != NULL;
	/* Digit-sensitive only on lines with a digit-free literal. */
	p->uncacheable = !p->digit_insensitive && p->csv == NULL &&
	    p->n_literal >= 4 && !text_has_digit(p->literal, p->n_literal);
	f->n_uncacheable += p->uncacheable;
	if (!p->digit_insensitive && !p->uncacheable) {
		f->digit_sensitive_roles |= role;
		if (p->json == NULL || p->names_digits)
			f->digit_counting_roles |= role;
	}
	if (p->role == ROLE_STEP)
		f->step_anchored |= p->anchored;
	else
		f->rest_anchored |= p->anchored;
}

int
format_complete(struct format *f, const struct format_source *src,
    long unit_line, long window_line, struct error *e)
{
	if (check_patterns(f, src, e) != 0)
		return -1;
	sort_patterns(f);
	for (size_t i = 0; i < f->n_step_patterns; i++)
		if (check_second(f, &f->patterns[i], src, e) != 0)
			return -1;
	find_begins(f);
	if (f->file == FORMAT_FILE &&
	    complete_meaning(f, src, unit_line, window_line, e) != 0)
		return -1;
	if (resolve_expectations(f, src, e) != 0)
		return -1;
	f->meaning.generic = f->generic;
	for (size_t i = 0; i < f->n_patterns; i++)
		add_pattern(f, &f->patterns[i]);
	return 0;
}
