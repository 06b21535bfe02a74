/* Matches the samples of a format file like lines of a log. */
#include <config.h>

#include "extract/scan/scan_file.h"

#include "common/units/units.h"
#include "extract/format/matcher.h"
#include "extract/format/patterns/pattern.h"
#include "extract/scan/scanner_state.h"

#include <stdio.h>
#include <string.h>

enum { ALL_ROLES = FIELD_NAME_IN(N_ROLES) - 1 };

/* State of comparing a sample with its expectations. */
struct check {
	const struct format *f;
	const struct format_sample *sample;
	size_t next; /* next expectation */
	int on_step; /* 1: a step pattern matched */
	int failed;  /* -1: e is set */
	struct error *e;
};

/* The value of key in a match, in buf or in the line, or NULL. */
static const char *
match_value(const struct check *c, const struct match *match, const char *key,
    char buf[64], size_t *len)
{
	const struct capture *capture = pattern_capture(match->pattern, key);
	const int is_value = strcmp(key, "value") == 0;
	struct log_units units;
	struct sample s = { .line = 0 };
	const char *text =
	    capture != NULL ? match_text(match, capture, len) : NULL;

	/* The rank may come from the pattern or from the prefix. */
	if (text != NULL)
		return text;
	for (size_t i = 0; i < match->pattern->n_gives; i++) {
		if (strcmp(match->pattern->gives[i].key, key) == 0) {
			*len = strlen(match->pattern->gives[i].value);
			return match->pattern->gives[i].value;
		}
	}
	if (strcmp(key, "rank") == 0 && match->rank != SAMPLE_NONE) {
		*len = (size_t)snprintf(buf, 64, "%d", (int)match->rank);
		return buf;
	}
	if (strcmp(key, "worker") == 0 && match->worker != NULL) {
		*len = match->worker_len;
		return match->worker;
	}
	if ((!is_value && strcmp(key, "seconds") != 0) ||
	    match->pattern->role != ROLE_STEP ||
	    sample_from_match(&s, &units, 0, &c->f->meaning, match) != 0)
		return NULL;
	*len = (size_t)snprintf(buf, 64, "%.17g", is_value ? s.value : s.stamp);
	return buf;
}

static void
check_pairs(
    struct check *c, const struct expectation *x, const struct match *match)
{
	for (size_t i = 0; i < x->n_pairs && !c->failed; i++) {
		const struct expected_pair *pair = &x->pairs[i];
		const char *want = pair->value;
		char buf[64];
		size_t len = 0;
		const char *got = match_value(c, match, pair->key, buf, &len);
		double a, b;

		if (got == NULL)
			c->failed = source_error(c->e, &c->f->src, pair->at,
			    "the match of pattern '%s' has no '%s'", x->name,
			    pair->key);
		/* Compare as numbers if both are numbers, else as texts. */
		else if ((strlen(want) != len || memcmp(want, got, len) != 0) &&
		    (number_parse(want, strlen(want), &a) != UNITS_OK ||
			number_parse(got, len, &b) != UNITS_OK || a < b ||
			a > b))
			c->failed = source_error(c->e, &c->f->src, pair->at,
			    "%s is '%.*s' in the sample on line %ld, not '%s'",
			    pair->key, (int)len, got,
			    source_line(&c->f->src, c->sample->text), want);
	}
}

static void
check_match(void *arg, const struct match *match)
{
	struct check *c = arg;
	const struct expectation *x = &c->sample->expects[c->next];
	const char *at = c->sample->text + match->base + match->ov[0];

	c->on_step |= match->pattern->role == ROLE_STEP;
	if (c->failed)
		return;
	if (c->next == c->sample->n_expects || x->pattern == NULL) {
		c->failed = source_error(c->e, &c->f->src, at,
		    "pattern '%s' matches here, but no 'expect' names it",
		    match->pattern->name);
		return;
	}
	c->next++;
	if (strcmp(match->pattern->name, x->name) != 0) {
		c->failed = source_error(c->e, &c->f->src, at,
		    "pattern '%s' matches here, where line %ld expects '%s'",
		    match->pattern->name, source_line(&c->f->src, x->at),
		    x->name);
		return;
	}
	check_pairs(c, x, match);
}

/* Report a missing match, with how far its pattern matched. */
static void
report_missing(struct check *c, const struct expectation *x)
{
	const struct pattern *p = x->pattern;
	struct nearest_pattern n;

	c->failed = -1;
	if (p->role == ROLE_DETAIL && !c->on_step)
		source_error(c->e, &c->f->src, x->at,
		    "detail '%s' counts only on the line of a step; use "
		    "'result' for lines of their own",
		    x->name);
	else if (p->role == ROLE_RESULT && c->on_step)
		source_error(c->e, &c->f->src, x->at,
		    "result '%s' counts only on lines without a step; use "
		    "'detail' for lines of a step",
		    x->name);
	else if (c->next == 0 &&
	    nearest_pattern_find(
		&c->f, 1, ALL_ROLES, c->sample->text, c->sample->len, &n))
		source_error(c->e, &c->f->src, c->sample->text + n.end,
		    "the sample does not match: "
		    "'%s' matches up to here, then needs '%.40s'",
		    n.pattern->name, n.rest);
	else
		source_error(c->e, &c->f->src, x->at,
		    "pattern '%s' does not match%s the sample on line %ld",
		    x->name, c->next > 0 ? " again in" : "",
		    source_line(&c->f->src, c->sample->text));
}

int
format_self_test(
    const struct format_set *set, const struct format *f, struct error *e)
{
	struct check c = { .f = f, .e = e };
	struct matcher *m = matcher_new(set);

	for (size_t i = 0; !c.failed && i < f->n_samples; i++) {
		const struct format_sample *s = &f->samples[i];
		const int lines =
		    f->file == FORMAT_FILE || f->file == FORMAT_FILE_METADATA;
		struct match match;

		c.sample = s;
		c.next = 0;
		c.on_step = 0;
		if (lines)
			matcher_line(
			    m, f, ALL_ROLES, s->text, s->len, check_match, &c);
		/* Paths and prefixes match each pattern at most once. */
		for (size_t k = 0; !lines && k < f->n_patterns; k++)
			if (matcher_one(m, &f->patterns[k], s->text, s->len, 0,
				&match) &&
			    (match.pattern->role != ROLE_PREFIX ||
				match.ov[0] == 0))
				check_match(&c, &match);
		if (!c.failed && c.next < s->n_expects &&
		    s->expects[c.next].pattern != NULL)
			report_missing(&c, &s->expects[c.next]);
	}
	if (!c.failed && *matcher_limits(m) > 0)
		c.failed = source_error(e, &f->src, f->src.text,
		    "a pattern reaches the match limit of %d on a sample",
		    FORMAT_MATCH_LIMIT);
	matcher_free(m);
	return c.failed;
}

int
format_self_test_users(const struct format_set *set, struct error *e)
{
	for (int k = 0; k < N_FORMAT_FILES; k++)
		for (size_t i = 0; i < set->kinds[k].n; i++) {
			const struct format *f = set->kinds[k].items[i];

			if (f->user && format_self_test(set, f, e) != 0)
				return -1;
		}
	return 0;
}
