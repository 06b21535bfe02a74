/* Scans the text of a regular expression once, when formats are read. */
#include <config.h>

#include "extract/format/patterns/regex_text.h"

#include <ctype.h>
#include <string.h>

int
text_has_digit(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text_is_digit(s[i]))
			return 1;
	return 0;
}

int
text_has_free_digit(const char *text, size_t len)
{
	int held = 0;

	for (size_t i = 0; i < len; i++) {
		if (text_is_digit(text[i]) && !held)
			return 1;
		if (!text_is_digit(text[i]))
			held = text_holds_digits(text[i]);
	}
	return 0;
}

/* --- Pieces ----------------------------------------------------------------*/

static const char *
skip_escape(const char *p)
{
	const char *end;

	if (p[1] == '\0')
		return p + 1;
	if (p[2] == '{' && strchr("xpPogNk", p[1]) != NULL) {
		end = strchr(p, '}');
		return end != NULL ? end + 1 : p + strlen(p);
	}
	/* A group by name: \k<name>, \g'name'. */
	if ((p[1] == 'k' || p[1] == 'g') && (p[2] == '<' || p[2] == '\'')) {
		end = strchr(p + 3, p[2] == '<' ? '>' : '\'');
		return end != NULL ? end + 1 : p + strlen(p);
	}
	if (p[1] == 'x') {
		size_t n = strspn(p + 2, "0123456789abcdefABCDEF");

		return p + 2 + (n < 2 ? n : 2);
	}
	if (p[1] == 'g' || (p[1] >= '0' && p[1] <= '9'))
		return p + 2 + strspn(p + 2, "0123456789");
	return p + 2;
}

static const char *
skip_class(const char *p)
{
	p++;
	if (*p == '^')
		p++;
	if (*p == ']')
		p++;
	while (*p != '\0' && *p != ']') {
		if (*p == '[' && p[1] == ':' && strstr(p, ":]") != NULL)
			p = strstr(p, ":]") + 2;
		else
			p = *p == '\\' ? skip_escape(p) : p + 1;
	}
	return *p == ']' ? p + 1 : p;
}

const char *
regex_skip_piece(const char *p)
{
	if (*p == '\\')
		return skip_escape(p);
	if (*p == '[')
		return skip_class(p);
	if (*p++ != '(')
		return p;
	while (*p != '\0' && *p != ')')
		p = regex_skip_piece(p);
	return *p == ')' ? p + 1 : p;
}

/* End of the alternative that begins at p: its '|', or end. */
static const char *
skip_alternative(const char *p, const char *end)
{
	while (p < end && *p != '|')
		p = regex_skip_piece(p);
	return p < end ? p : end;
}

const char *
regex_skip_quantifier(const char *p, int *least)
{
	const char *end;

	*least = 1;
	if (*p == '?' || *p == '*') {
		*least = 0;
		p++;
	} else if (*p == '+') {
		*least = 2;
		p++;
	} else if (*p == '{') {
		end = p + 1 + strspn(p + 1, "0123456789,");
		if (*end != '}' || end == p + 1)
			return p; /* a brace */
		*least = p[1] == '0' || p[1] == ',' ? 0 : 2;
		p = end + 1;
	} else {
		return p;
	}
	return *p == '?' || *p == '+' ? p + 1 : p;
}

const char *
regex_next_name(const char **p, size_t *len)
{
	const char *s = *p;

	while (*s != '\0') {
		const char *name, *end;

		if (*s == '\\' || *s == '[') {
			s = regex_skip_piece(s);
			continue;
		}
		if (strncmp(s, "(?", 2) != 0) {
			s++;
			continue;
		}
		name = s + 2 + (s[2] == 'P');
		s += 2;
		if ((*name != '<' && *name != '\'') ||
		    (*name == '<' && (name[1] == '=' || name[1] == '!')))
			continue;
		end = name + 1;
		while (isalnum((unsigned char)*end) || *end == '_')
			end++;
		if (*end != (*name == '<' ? '>' : '\''))
			continue;
		*len = (size_t)(end - name) - 1;
		*p = end + 1;
		return name + 1;
	}
	*p = s;
	return NULL;
}

/* Start of the contents of the group at p; NULL if they need not match text or
 * are not understood. */
static const char *
group_inside(const char *p)
{
	const char *end;

	if (p[1] == '*')
		return NULL;
	if (p[1] != '?')
		return p + 1;
	if (p[2] == ':')
		return p + 3;
	if (p[2] == '<' && p[3] != '=' && p[3] != '!') {
		end = strchr(p, '>');
		return end != NULL ? end + 1 : NULL;
	}
	return NULL;
}

/* Like regex_is_anchored, for the alternatives in [p, end). */
static int
is_anchored(const char *p, const char *end)
{
	for (;;) {
		const char *to = skip_alternative(p, end), *inside;
		int least;

		/* Options. */
		while (strncmp(p, "(?", 2) == 0 &&
		    p[2 + strspn(p + 2, "imsxJ")] == ')')
			p = regex_skip_piece(p);
		if (p >= to)
			return 0;
		regex_skip_quantifier(regex_skip_piece(p), &least);
		if (least == 0)
			return 0;
		inside = *p == '(' ? group_inside(p) : NULL;
		if (inside != NULL
			? !is_anchored(inside, regex_skip_piece(p) - 1)
			: *p != '^' && strncmp(p, "\\A", 2) != 0)
			return 0;
		if (to == end)
			return 1;
		p = to + 1;
	}
}

int
regex_is_anchored(const char *regex)
{
	return *regex != '\0' && is_anchored(regex, regex + strlen(regex));
}

/* --- Digits ----------------------------------------------------------------*/

/* Position after the escape at p; NULL if it may be digit-sensitive. */
static const char *
after_escape(const char *p)
{
	const char c = p[1];

	if (c == '\0' || ((unsigned char)c & 0x80) != 0)
		return NULL;
	if (text_is_digit(c) ||
	    (text_holds_digits(c) && c != '_' && c != '@' &&
		strchr("dDsSwWbBhHvVtrnAzZK", c) == NULL))
		return NULL;
	return p + 2;
}

/* Position after the character class at p; NULL as above. */
static const char *
after_class(const char *p)
{
	p++;
	if (*p == '^')
		p++;
	if (*p == ']')
		p++;
	while (*p != ']') {
		if (*p == '\0' || (*p == '[' && strchr(":.=", p[1]) != NULL))
			return NULL;
		if (strncmp(p, "0-9", 3) == 0)
			p += 3;
		else if (text_is_digit(*p))
			return NULL;
		else if (*p == '\\')
			p = after_escape(p);
		else
			p++;
		if (p == NULL)
			return NULL;
	}
	return p + 1;
}

/* Position after the opening of the group at p; NULL as above. */
static const char *
after_group(const char *p)
{
	static const char *const known[] = { "(?:", "(?=", "(?!",
		"(?<=", "(?<!", "(?>", "(?|", "(?i)", "(?i:", "(?J)" };

	if (strncmp(p, "(*MARK:", 7) == 0) {
		p = strchr(p, ')');
		return p != NULL ? p + 1 : NULL;
	}
	if (p[1] == '*')
		return NULL;
	if (p[1] != '?')
		return p + 1;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strncmp(p, known[i], strlen(known[i])) == 0)
			return p + strlen(known[i]);
	if (strncmp(p, "(?<", 3) == 0) {
		p = strchr(p, '>');
		return p != NULL ? p + 1 : NULL;
	}
	return NULL;
}

/* Position after the quantifier {2,3} at p, or after a brace that is none. */
static const char *
after_count(const char *p)
{
	const size_t n = strspn(p + 1, "0123456789,");

	return p[1 + n] == '}' ? p + n + 2 : p + 1;
}

int
regex_is_digit_insensitive(const char *regex)
{
	const char *p = regex;
	int held = 0; /* 1: the character before p holds digits */

	while (p != NULL && *p != '\0') {
		const char c = *p;

		if (text_is_digit(c)) {
			if (!held)
				return 0;
			p++;
			continue;
		}
		held = text_holds_digits(c);
		if (c == '\\')
			p = after_escape(p);
		else if (c == '[')
			p = after_class(p);
		else if (c == '(')
			p = after_group(p);
		else if (c == '{')
			p = after_count(p);
		else
			p++;
	}
	return p != NULL;
}

/* --- Literals --------------------------------------------------------------*/

void
text_set_add_text(struct text_set *set, const char *s, size_t len)
{
	unsigned before = 0;

	for (size_t i = 0; i < len; i++) {
		const unsigned c = text_digits_as_one(s[i]);

		text_set_add(set, before, c);
		before = c;
	}
}

void
text_set_keep(struct text_set *set, const struct text_set *other)
{
	for (int i = 0; i < 4; i++)
		set->bytes[i] &= other->bytes[i];
	for (int i = 0; i < 8; i++)
		set->pairs[i] &= other->pairs[i];
}

void
text_set_add_set(struct text_set *set, const struct text_set *other)
{
	for (int i = 0; i < 4; i++)
		set->bytes[i] |= other->bytes[i];
	for (int i = 0; i < 8; i++)
		set->pairs[i] |= other->pairs[i];
}

/* State of a walk through an expression: current and longest run of bytes. */
struct literal_walk {
	char *best; /* [n_best] */
	size_t n_best, max;
	char run[64]; /* [n] */
	size_t n;
	struct text_set *need;
	unsigned before; /* preceding byte; 0: any */
	int lost;        /* 1: the expression is not understood */
};

/* End the text; its last byte remains the preceding one. */
static void
end_text(struct literal_walk *w)
{
	if (w->n > w->n_best) {
		memcpy(w->best, w->run, w->n);
		w->n_best = w->n;
	}
	w->n = 0;
}

static void
end_run(struct literal_walk *w)
{
	end_text(w);
	w->before = 0;
}

static void
add_need(struct literal_walk *w, char byte)
{
	const unsigned c = text_digits_as_one(byte);

	text_set_add(w->need, w->before, c);
	w->before = c;
}

static void
add_byte(struct literal_walk *w, char c)
{
	if (w->n == w->max)
		end_text(w);
	w->run[w->n++] = c;
	add_need(w, c);
}

/* The single byte of an escape; 0: none, or a class. */
static char
escaped_byte(const char *p)
{
	static const char letters[] = "tnrfae", bytes[] = "\t\n\r\f\a\033";
	const char *at;

	if (p[1] == '\0')
		return 0;
	at = strchr(letters, p[1]);
	if (at != NULL)
		return bytes[at - letters];
	if ((p[1] >= 'a' && p[1] <= 'z') || (p[1] >= 'A' && p[1] <= 'Z') ||
	    (p[1] >= '0' && p[1] <= '9'))
		return 0;
	return p[1];
}

static int
is_zero_width(const char *p)
{
	return p[0] == '^' || p[0] == '$' ||
	    (p[0] == '\\' && p[1] != '\0' && strchr("bBAzZGK", p[1]) != NULL);
}

/* True for look-arounds and verbs, which consume no text. */
static int
is_look(const char *p)
{
	return strncmp(p, "(?=", 3) == 0 || strncmp(p, "(?!", 3) == 0 ||
	    strncmp(p, "(?<=", 4) == 0 || strncmp(p, "(?<!", 4) == 0 ||
	    p[1] == '*';
}

static void walk_sequence(
    struct literal_walk *w, const char *p, const char *end);

/* Walk alternatives in [p, end): only bytes in all of them are required. */
static void
walk_choice(struct literal_walk *w, const char *p, const char *end)
{
	struct text_set common;

	memset(&common, 0xff, sizeof common);
	for (;;) {
		const char *to = skip_alternative(p, end);
		struct text_set one = { { 0 }, { 0 } };
		char best[sizeof w->run];
		struct literal_walk x = {
			.best = best, .max = sizeof best, .need = &one
		};

		walk_sequence(&x, p, to);
		w->lost |= x.lost;
		text_set_keep(&common, &one);
		if (to == end)
			break;
		p = to + 1;
	}
	text_set_add_set(w->need, &common);
}

/* Walk the group at p.  Returns the position after it and its quantifier. */
static const char *
walk_group(struct literal_walk *w, const char *p)
{
	const char *close = regex_skip_piece(p), *inside = group_inside(p);
	int least;
	const char *after = regex_skip_quantifier(close, &least);

	if (is_look(p))
		return after;
	if (strncmp(p, "(?i:", 4) == 0) { /* bytes in either case: not known */
		end_run(w);
		return after;
	}
	if (inside == NULL) {
		w->lost = 1; /* options, conditions, atomic groups */
		return after;
	}
	if (least == 0 || skip_alternative(inside, close - 1) < close - 1) {
		end_run(w);
		if (least > 0)
			walk_choice(w, inside, close - 1);
		return after;
	}
	walk_sequence(w, inside, close - 1);
	if (least == 2)
		end_run(w);
	return after;
}

/* True if the class or escape in [p, end) matches digits only. */
static int
is_digit_class(const char *p, const char *end)
{
	size_t n;

	if (p[0] != '[')
		return end == p + 2 && memcmp(p, "\\d", 2) == 0;
	n = (size_t)(end - p) - 2;
	return n > 0 && end[-1] == ']' && p[1] != '-' && p[n] != '-' &&
	    strspn(p + 1, "0123456789-") == n;
}

/* Walk a literal byte or a class.  Returns the position after it and its
 * quantifier. */
static const char *
walk_item(struct literal_walk *w, const char *p)
{
	const char *next = regex_skip_piece(p);
	char byte = *p == '.' ? 0 : *p;
	int is_digit, least;

	if (*p == '\\') {
		byte = escaped_byte(p);
		w->lost |= p[1] != '\0' && p[2] != '{' &&
		    strchr("QEcopP", p[1]) != NULL;
	} else if (*p == '[') {
		byte = next == p + 3 && p[1] != '^' && p[1] != '\\' ? p[1] : 0;
	}
	is_digit = is_digit_class(p, next);
	next = regex_skip_quantifier(next, &least);
	if (is_digit && least > 0) {
		end_text(w);
		add_need(w, '0');
	} else if (byte == 0 || least == 0) {
		end_run(w);
	} else {
		add_byte(w, byte);
		if (least == 2)
			end_text(w);
	}
	return next;
}

static void
walk_sequence(struct literal_walk *w, const char *p, const char *end)
{
	while (p < end && !w->lost) {
		if (is_zero_width(p))
			p += 1 + (*p == '\\');
		else if (*p == '(')
			p = walk_group(w, p);
		else if (*p == '|')
			w->lost = 1; /* alternatives outside of groups */
		else
			p = walk_item(w, p);
	}
}

size_t
regex_find_literal(
    const char *regex, char *out, size_t max, struct text_set *need)
{
	struct literal_walk w = { .best = out, .max = max, .need = need };

	memset(need, 0, sizeof *need);
	walk_sequence(&w, regex, regex + strlen(regex));
	end_run(&w);
	if (!w.lost)
		return w.n_best;
	memset(need, 0, sizeof *need);
	return 0;
}
