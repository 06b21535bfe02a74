/* Checks that need a whole format file: values, pairs, units, expectations. */
#include <config.h>

#include "extract/format/format_complete.h"
#include "extract/format/patterns/regex_text.h"

#include <string.h>

/* Kind of value that step patterns must have. */
static enum field_name_value
wanted_value(const struct format *f)
{
	static const enum field_name_value wanted[] = {
		[VALUE_STEP_TIME] = FIELD_NAME_STEP_TIME,
		[VALUE_RATE] = FIELD_NAME_RATE,
		[VALUE_STAMP] = FIELD_NAME_STAMP,
		[VALUE_ELAPSED] = FIELD_NAME_ELAPSED,
	};

	return wanted[f->meaning.kind];
}

/* The capture with a pattern's value: of the kind `want`, or of any kind except
 * time stamps if want is FIELD_NAME_NO_VALUE.  NULL if there is none. */
static const struct capture *
value_capture(const struct pattern *p, enum field_name_value want)
{
	for (size_t i = 0; i < p->n_captures; i++) {
		enum field_name_value v = p->captures[i].word->value;

		if (v == want && v != FIELD_NAME_NO_VALUE)
			return &p->captures[i];
		if (want == FIELD_NAME_NO_VALUE && v != FIELD_NAME_NO_VALUE &&
		    v != FIELD_NAME_STAMP)
			return &p->captures[i];
	}
	return NULL;
}

static int
check_step_pattern(const struct format *f, const struct pattern *p,
    const struct format_source *src, struct error *e)
{
	static const char *const kinds[] = { "step-time", "rate", "stamp",
		"elapsed" };
	static const char *const words[] = { "step_s or step_ms",
		"samples_per_s, tokens_per_s or another rate",
		"stamp, or date and clock", "elapsed" };
	const struct capture *c = value_capture(p, wanted_value(f));

	if (c == NULL)
		return source_error(e, src, p->line, 1,
		    "step pattern '%s' has "
		    "no value: kind %s needs a group %s",
		    p->name, kinds[f->meaning.kind], words[f->meaning.kind]);
	if (strstr(c->name, "_per_s_per_device") != NULL &&
	    f->meaning.scope != SCOPE_DEVICE)
		return source_error(e, src, p->line, 1,
		    "pattern '%s' gives a "
		    "rate per device, but the scope is not 'device'",
		    p->name);
	return 0;
}

static enum second_kind
second_kind_of(enum pattern_field field)
{
	switch (field) {
	case FIELD_MEAN:
		return SECOND_MEAN;
	case FIELD_MEAN_OF_RATES:
		return SECOND_MEAN_OF_RATES;
	case FIELD_ALSO_STEP:
	case FIELD_ALSO_RATE:
		return SECOND_STEP;
	default:
		return SECOND_NONE;
	}
}

static int
second_fits(const struct format *f, const struct capture *c)
{
	const int in_seconds = strcmp(c->word->unit, "s") == 0;

	if (c->field == FIELD_TOTAL)
		return f->meaning.kind == VALUE_STEP_TIME;
	if (c->field == FIELD_MEAN)
		return f->meaning.kind ==
		    (in_seconds ? VALUE_STEP_TIME : VALUE_RATE);
	return f->meaning.kind == VALUE_RATE;
}

static int
check_second(const struct format *f, const struct pattern *p,
    const struct format_source *src, struct error *e)
{
	for (size_t i = 0; i < p->n_captures; i++) {
		const struct capture *c = &p->captures[i];
		const enum second_kind kind = second_kind_of(c->field);

		if (kind == SECOND_NONE && c->field != FIELD_TOTAL)
			continue;
		if (!second_fits(f, c))
			return source_error(e, src, p->line, 1,
			    "group '%s' does not go with the format's kind",
			    c->name);
		if (kind != SECOND_NONE && f->meaning.second != kind)
			return source_error(e, src, p->line, 1,
			    "group '%s' is of another kind than that of "
			    "another step pattern",
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

static int
has_role(const struct format *f, enum role role)
{
	for (size_t i = 0; i < f->n_patterns; i++)
		if (f->patterns[i].role == role)
			return 1;
	return 0;
}

/* Check the i-th pattern if it is an event of a pair or a collective. */
static int
check_event(const struct format *f, size_t i, const struct format_source *src,
    struct error *e)
{
	const struct pattern *p = &f->patterns[i];

	if (p->role == ROLE_COLLECTIVE && !has_field(p, FIELD_BYTES))
		return source_error(e, src, p->line, 1,
		    "pattern '%s' needs a group message_bytes", p->name);
	if (p->role != ROLE_BEGIN && p->role != ROLE_END &&
	    p->role != ROLE_INTERVAL)
		return 0;
	if (!has_field(p, FIELD_MOMENT))
		return source_error(e, src, p->line, 1,
		    "pattern '%s' captures no time: it needs a group at_s or "
		    "at_ms",
		    p->name);
	if (p->role == ROLE_BEGIN)
		return 0;
	while (i > 0 && f->patterns[i - 1].role != ROLE_BEGIN)
		i--;
	if (i == 0)
		return source_error(e, src, p->line, 1,
		    "no 'begin' stands above '%s'", p->name);
	if (p->role == ROLE_INTERVAL &&
	    (f->meaning.kind != VALUE_STEP_TIME || has_role(f, ROLE_STEP)))
		return source_error(e, src, p->line, 1,
		    "an interval needs the kind step-time, and no step "
		    "pattern");
	return 0;
}

/* Link each end and interval to the begin above it.  Call after sort_patterns,
 * which keeps their order. */
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

static int
check_patterns(
    const struct format *f, const struct format_source *src, struct error *e)
{
	/* A file without any of these gives no measurement. */
	static const unsigned useful = FIELD_NAME_IN(ROLE_STEP) |
	    FIELD_NAME_IN(ROLE_SUMMARY) | FIELD_NAME_IN(ROLE_RESULT) |
	    FIELD_NAME_IN(ROLE_END) | FIELD_NAME_IN(ROLE_INTERVAL) |
	    FIELD_NAME_IN(ROLE_COLLECTIVE) | FIELD_NAME_IN(ROLE_PREFIX) |
	    FIELD_NAME_IN(ROLE_LAYOUT);
	size_t n_useful = 0;

	for (size_t i = 0; i < f->n_patterns; i++) {
		const struct pattern *p = &f->patterns[i];

		if (p->role == ROLE_STEP &&
		    check_step_pattern(f, p, src, e) != 0)
			return -1;
		if (p->role == ROLE_SUMMARY &&
		    value_capture(p, FIELD_NAME_NO_VALUE) == NULL)
			return source_error(e, src, p->line, 1,
			    "summary "
			    "pattern '%s' has no value: a rate, a step time or "
			    "elapsed",
			    p->name);
		if (p->role != ROLE_STEP && p->role != ROLE_IGNORE &&
		    p->role != ROLE_SECTION && p->role != ROLE_SIGNATURE &&
		    p->n_captures + p->n_gives == 0)
			return source_error(e, src, p->line, 1,
			    "pattern '%s' captures nothing", p->name);
		if (check_event(f, i, src, e) != 0)
			return -1;
		n_useful += (useful & FIELD_NAME_IN(p->role)) != 0 ||
		    f->file == FORMAT_FILE_METADATA;
	}
	if (n_useful == 0)
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

/* True if steps have numbers, of their own or from a preceding context. */
static int
counts_iterations(const struct format *f)
{
	if (pattern_capture(&f->patterns[0], "iter") != NULL)
		return 1;
	for (size_t i = 0; i < f->n_patterns; i++)
		if (f->patterns[i].role == ROLE_CONTEXT &&
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
			    "no 'expect' "
			    "follows this sample");
		for (size_t j = 0; j < s->n_expects; j++) {
			struct expectation *x = &s->expects[j];
			size_t k;

			if (strcmp(x->name, "nothing") == 0) {
				if (s->n_expects > 1)
					return source_error(e, src, x->line,
					    x->col, "'nothing' stands alone");
				continue;
			}
			for (k = 0; k < f->n_patterns; k++) {
				if (strcmp(f->patterns[k].name, x->name) == 0)
					break;
			}
			if (k == f->n_patterns)
				return source_error(e, src, x->line, x->col,
				    "there is no pattern '%s' here", x->name);
			x->pattern = &f->patterns[k];
			f->patterns[k].n_samples++;
		}
	}
	return 0;
}

/* True if the pattern is digit-sensitive only on lines with a digit-free
 * literal. */
static int
is_uncacheable(const struct pattern *p)
{
	return !p->digit_insensitive && p->csv == NULL && p->n_literal >= 4 &&
	    !text_has_digit(p->literal, p->n_literal);
}

/* Record the roles in which digits change the values read or the number of
 * matches. */
static void
add_digit_roles(struct format *f, const struct pattern *p)
{
	if (p->digit_insensitive || p->uncacheable)
		return;
	f->digit_sensitive_roles |= FIELD_NAME_IN(p->role);
	if (p->json == NULL || p->names_digits)
		f->digit_counting_roles |= FIELD_NAME_IN(p->role);
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
	for (size_t i = 0; i < f->n_patterns; i++) {
		f->n_ignore += f->patterns[i].role == ROLE_IGNORE;
		f->meaning.epochs |=
		    pattern_capture(&f->patterns[i], "epoch_samples") != NULL;
		f->has_context |= f->patterns[i].role == ROLE_CONTEXT;
		f->patterns[i].uncacheable = is_uncacheable(&f->patterns[i]);
		f->n_uncacheable += f->patterns[i].uncacheable;
		add_digit_roles(f, &f->patterns[i]);
		if (f->patterns[i].role == ROLE_STEP)
			f->step_anchored |= f->patterns[i].anchored;
		else
			f->rest_anchored |= f->patterns[i].anchored;
		if (f->patterns[i].role != ROLE_STEP)
			f->rest_roles |= FIELD_NAME_IN(f->patterns[i].role);
	}
	f->plain = f->n_step_patterns == 1 && f->n_ignore == 0 &&
	    !f->step_anchored && !f->meaning.has_work && !f->has_context;
	return 0;
}
