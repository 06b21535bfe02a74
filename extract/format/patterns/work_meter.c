/* Counts the work of regular expressions.  Called by the matcher for lines
 * that are long enough to be dear; it knows neither formats nor logs. */
#include <config.h>

#include "extract/format/patterns/work_meter.h"

#include "common/alloc.h"
#include "common/strbuf.h"
#include "extract/format/patterns/regex_text.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- The metered form of a pattern ---------------------------------------- */

struct meter_writer {
	struct metered_pattern *p;
	struct strbuf sb;
	int caseless; /* 1: somewhere in it the case does not count */
	int lost;     /* 1: it holds what this does not understand */
	/* The last lookahead that is in no other, from 1, and where it ends. */
	size_t n_looks;
	const char *look_end;
};

static void
add_fitting(struct metered_part *part, unsigned c)
{
	part->fits[c / 64 % 4] |= UINT64_C(1) << c % 64;
}

static int
fits_byte(const struct metered_part *part, unsigned char c)
{
	return part->any || (part->fits[c / 64] >> c % 64 & 1);
}

/* Add the bytes of the escape at s; all of them where it is not known. */
static void
add_escape(struct metered_part *part, const char *s)
{
	static const char letters[] = "tnrfae", bytes[] = "\t\n\r\f\a\033";
	const int wanted = islower((unsigned char)s[1]) != 0;
	const char *at = s[1] != '\0' ? strchr(letters, s[1]) : NULL;

	if (at != NULL) {
		add_fitting(part, (unsigned char)bytes[at - letters]);
		return;
	}
	if (ispunct((unsigned char)s[1]) || s[1] == ' ') {
		add_fitting(part, (unsigned char)s[1]);
		return;
	}
	switch (s[1]) {
	case 'd':
	case 'D':
		for (unsigned c = 0; c < 256; c++)
			if ((c >= '0' && c <= '9') == wanted)
				add_fitting(part, c);
		break;
	case 's':
	case 'S':
		for (unsigned c = 0; c < 256; c++)
			if ((c == ' ' || (c >= '\t' && c <= '\r')) == wanted)
				add_fitting(part, c);
		break;
	case 'w':
	case 'W':
		for (unsigned c = 0; c < 256; c++)
			if ((c < 128 && (isalnum((int)c) || c == '_')) ==
			    wanted)
				add_fitting(part, c);
		break;
	default:
		part->any = 1;
	}
}

/* Add what the class in [s, end), without its brackets, takes. */
static void
add_class(struct metered_part *part, const char *s, const char *end)
{
	const int inverse = s < end && *s == '^';

	s += inverse;
	for (const char *first = s; s < end;) {
		if (*s == '[' && s[1] == ':') {
			part->any = 1;
			return;
		}
		if (*s == '\\') {
			add_escape(part, s);
			s = regex_skip_escape(s);
		} else if (s > first && *s == '-' && s + 1 < end) {
			const unsigned char from = (unsigned char)s[-1],
					    to = (unsigned char)s[1];

			for (unsigned c = from; s[1] != '\\' && c <= to; c++)
				add_fitting(part, c);
			s++;
		} else {
			add_fitting(part, (unsigned char)*s++);
		}
	}
	for (size_t i = 0; inverse && i < 4; i++)
		part->fits[i] = ~part->fits[i];
}

/* What the item in [s, end) takes. */
static void
describe_part(struct metered_part *part, const char *s, const char *end)
{
	memset(part, 0, sizeof *part);
	if (*s == '.')
		part->any = 1;
	else if (*s == '[')
		add_class(part, s + 1, end - 1);
	else if (*s == '\\')
		add_escape(part, s);
	else
		add_fitting(part, (unsigned char)*s);
}

/* Of letters both cases. */
static void
add_cases(struct metered_part *part)
{
	const struct metered_part was = *part;

	for (unsigned c = 0; c < 128; c++)
		if (isalpha((int)c) && fits_byte(&was, (unsigned char)c))
			add_fitting(part, c ^ 0x20);
}

/* How often may what a quantifier at q belongs to come?  0: not often enough to
 * count; SIZE_MAX: any number of times. */
static size_t
most_times(const char *q)
{
	const char *most;
	size_t n;

	if (*q == '*' || *q == '+')
		return SIZE_MAX;
	if (*q != '{' || q[1] < '0' || q[1] > '9')
		return 0;
	most = q + 1 + strspn(q + 1, "0123456789");
	if (*most == ',' && most[1] == '}')
		return SIZE_MAX;
	if (*most == ',')
		most++;
	else
		most = q + 1;
	n = strtoul(most, NULL, 10);
	return most[strspn(most, "0123456789")] == '}' && n >= METER_LONG ? n
									  : 0;
}

/* Put a callout here: what follows, at s, is a part that may go on. */
static struct metered_part *
add_part(struct meter_writer *w, const char *s)
{
	if (w->p->n_parts == METER_MAX_PARTS) {
		w->lost = 1;
		return &w->p->parts[0];
	}
	strbuf_printf(&w->sb, "(?C%zu)", w->p->n_parts);
	w->p->looks[w->p->n_parts] = s < w->look_end ? w->n_looks : 0;
	return &w->p->parts[w->p->n_parts++];
}

static const char *
copy_to(struct meter_writer *w, const char *s, const char *end)
{
	strbuf_add(&w->sb, s, (size_t)(end - s));
	return end;
}

/* Where the inside of the group at s begins; s where it is to be copied whole:
 * options, verbs and lookbehinds.  NULL: it is not understood. */
static const char *
inside_of_group(struct meter_writer *w, const char *s)
{
	const char *p = s + 2, *end;

	if (s[1] == '*')
		return s;
	if (s[1] != '?')
		return s + 1;
	if (strchr(":=!>|", *p) != NULL && *p != '\0')
		return p + 1;
	if (*p == '<' && (p[1] == '=' || p[1] == '!'))
		return s;
	if (*p == '<' || *p == '\'') {
		end = strchr(p + 1, *p == '<' ? '>' : '\'');
		return end != NULL ? end + 1 : NULL;
	}
	end = p + strspn(p, "imsJU-^");
	w->caseless |= memchr(p, 'i', (size_t)(end - p)) != NULL;
	if (end == p)
		return NULL;
	return *end == ')' ? s : *end == ':' ? end + 1 : NULL;
}

static int
is_lookahead(const char *s)
{
	return s[1] == '?' && (s[2] == '=' || s[2] == '!');
}

/* What begins at s, a '('.  Returns what is to be written next. */
static const char *
write_group(struct meter_writer *w, const char *s)
{
	const char *inside = inside_of_group(w, s), *end;
	int choice, least;

	if (inside == NULL) {
		w->lost = 1;
		return s + strlen(s);
	}
	end = regex_skip_group(s, &choice);
	if (is_lookahead(s) && s >= w->look_end) {
		w->n_looks++;
		w->look_end = end;
	}
	if (inside == s)
		return copy_to(w, s, regex_skip_quantifier(end, &least));
	copy_to(w, s, inside);
	if (most_times(end) > 0) {
		struct metered_part *part = add_part(w, s);

		memset(part, 0, sizeof *part);
		part->group = 1;
	}
	return inside;
}

/* An item that is no group.  Returns what is to be written next. */
static const char *
write_item(struct meter_writer *w, const char *s)
{
	const char *end = *s == '\\' ? regex_skip_escape(s)
	    : *s == '['              ? regex_skip_class(s)
				     : s + 1;
	size_t most;
	int least;

	w->lost |= *s == '\\' && (s[1] == 'Q' || s[1] == 'E');
	if (*s == '|' || *s == '^')
		return copy_to(w, s, end);
	most = *s != ')' ? most_times(end) : 0;
	if (most > 0) {
		struct metered_part *part = add_part(w, s);

		describe_part(part, s, end);
		part->most = most;
	}
	return copy_to(w, s, regex_skip_quantifier(end, &least));
}

struct metered_pattern *
metered_pattern_new(const char *regex, int fast)
{
	struct meter_writer w = { .p = xcalloc(1, sizeof *w.p),
		.look_end = regex };
	int code;
	PCRE2_SIZE at;

	strbuf_init(&w.sb, 8 * strlen(regex) + 4096);
	while (*regex != '\0' && !w.lost)
		regex = *regex == '(' ? write_group(&w, regex)
				      : write_item(&w, regex);
	if (!w.lost && w.p->n_parts > 0)
		w.p->code =
		    pcre2_compile((PCRE2_SPTR)w.sb.buf, PCRE2_ZERO_TERMINATED,
			PCRE2_NEVER_BACKSLASH_C, &code, &at, NULL);
	strbuf_release(&w.sb);
	if (w.p->code == NULL) {
		free(w.p);
		return NULL;
	}
	for (size_t i = 0; w.caseless && i < w.p->n_parts; i++)
		add_cases(&w.p->parts[i]);
	w.p->fast =
	    fast && pcre2_jit_compile(w.p->code, PCRE2_JIT_COMPLETE) == 0;
	return w.p;
}

void
metered_pattern_free(struct metered_pattern *p)
{
	if (p == NULL)
		return;
	pcre2_code_free(p->code);
	free(p);
}

/* --- Counting ------------------------------------------------------------- */

void
work_meter_begin(struct work_meter *w, const struct metered_pattern *p)
{
	w->of = p;
	w->n_entered = 0;
}

/* The last part that was entered led to nothing: it went over the bytes that
 * fit it. */
static void
count_run(struct work_meter *w, const char *text, size_t len)
{
	const struct metered_part *part;
	size_t at, from;

	w->n_entered--;
	part = &w->of->parts[w->entered[w->n_entered].part];
	from = at = w->entered[w->n_entered].at;
	if (part->most < len - from)
		len = from + part->most;
	if (part->any)
		at = len;
	while (!part->group && at < len &&
	    fits_byte(part, (unsigned char)text[at]))
		at++;
	w->left -= (int64_t)(at - from);
}

/* Was the last part entered in a lookahead that has ended by now?  PCRE2 does
 * not go back into it, whatever it went over there.
 *
 * look  that PCRE2 is in now, 0: none */
static int
look_is_over(const struct work_meter *w, size_t look)
{
	const size_t last = w->of->looks[w->entered[w->n_entered - 1].part];

	return last != 0 && last != look;
}

int
work_meter_count(void *block, void *arg)
{
	const pcre2_callout_block *b = block;
	struct work_meter *w = arg;
	const size_t part = b->callout_number, at = b->current_position;

	/* One that the pattern has of itself. */
	if (w->of == NULL)
		return 0;
	/* To come back to a part, or to one before it, PCRE2 has given up
	 * those after it. */
	while (w->n_entered > 0 &&
	    (w->entered[w->n_entered - 1].part >= part ||
		look_is_over(w, w->of->looks[part])))
		count_run(w, (const char *)b->subject, b->subject_length);
	w->left -= METER_ENTRY;
	w->entered[w->n_entered].part = part;
	w->entered[w->n_entered++].at = at;
	return w->left < 0 ? PCRE2_ERROR_CALLOUT : 0;
}

void
work_meter_end(struct work_meter *w, const char *text, size_t len, size_t end)
{
	/* A part after the end of the match was tried in vain. */
	while (w->n_entered > 0 &&
	    (end == SIZE_MAX || look_is_over(w, 0) ||
		w->entered[w->n_entered - 1].at >= end))
		count_run(w, text, len);
	if (w->n_entered > 0)
		w->left -= (int64_t)(end - w->entered[0].at);
	w->of = NULL;
}
