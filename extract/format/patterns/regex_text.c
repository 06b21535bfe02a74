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

/* --- Units -----------------------------------------------------------------*/

/* Position after the next c from p on, or the end of the text. */
static const char *
after_byte(const char *p, char c)
{
	const char *at = strchr(p, c);

	return at != NULL ? at + 1 : p + strlen(p);
}

static const char *
after_escape(const char *p)
{
	size_t n;

	if (p[1] == '\0')
		return p + 1;
	if (p[2] == '{' && strchr("xpPogNk", p[1]) != NULL)
		return after_byte(p, '}');
	/* A group by name: \k<name>, \g'name'. */
	if ((p[1] == 'k' || p[1] == 'g') && (p[2] == '<' || p[2] == '\''))
		return after_byte(p + 3, p[2] == '<' ? '>' : '\'');
	n = strspn(p + 2, "0123456789abcdefABCDEF");
	if (p[1] == 'x')
		return p + 2 + (n < 2 ? n : 2);
	if (p[1] == 'g' || text_is_digit(p[1]))
		return p + 2 + strspn(p + 2, "0123456789");
	return p + 2;
}

static const char *
after_class(const char *p)
{
	p += p[1] == '^' ? 2 : 1;
	if (*p == ']')
		p++;
	while (*p != '\0' && *p != ']') {
		if (*p == '[' && p[1] == ':' && strstr(p, ":]") != NULL)
			p = strstr(p, ":]") + 2;
		else
			p = *p == '\\' ? after_escape(p) : p + 1;
	}
	return *p == ']' ? p + 1 : p;
}

/* Position after "(", "(?:", "(?<name>", "(?i)", "(*VERB)" or another opening;
 * after "(?" if it is none of these. */
static const char *
after_opening(const char *p)
{
	const char *name, *end;

	if (p[1] == '*')
		return after_byte(p, ')');
	if (p[1] != '?')
		return p + 1;
	if (p[2] != '\0' && strchr(":=!>|", p[2]) != NULL)
		return p + 3;
	if (p[2] == '<' && (p[3] == '=' || p[3] == '!'))
		return p + 4;
	name = p + 2 + (p[2] == 'P');
	if (*name == '<' || *name == '\'')
		return after_byte(name + 1, *name == '<' ? '>' : '\'');
	end = p + 2 + strspn(p + 2, "imnsxJU-^");
	return end > p + 2 && (*end == ')' || *end == ':') ? end + 1 : p + 2;
}

const char *
regex_after_unit(const char *p)
{
	return *p == '\\' ? after_escape(p)
	    : *p == '['   ? after_class(p)
	    : *p == '('   ? after_opening(p)
			  : p + 1;
}

/* True if the unit in [p, end) opens a group; options and verbs end with the
 * unit. */
static int
opens_group(const char *p, const char *end)
{
	return *p == '(' && end[-1] != ')';
}

/* Position after the unit at p, or after the group that it opens. */
static const char *
after_item(const char *p)
{
	const char *end = regex_after_unit(p);
	size_t depth = opens_group(p, end);

	while (depth > 0 && *end != '\0') {
		p = end;
		end = regex_after_unit(p);
		depth += (size_t)opens_group(p, end) - (*p == ')');
	}
	return end;
}

const char *
regex_after_quantifier(const char *p, int *least)
{
	const char *end;

	*least = 1;
	if (*p == '?' || *p == '*') {
		*least = 0;
	} else if (*p == '+') {
		*least = 2;
	} else if (*p == '{') {
		end = p + 1 + strspn(p + 1, "0123456789,");
		if (*end != '}' || end == p + 1)
			return p; /* a brace */
		*least = p[1] == '0' || p[1] == ',' ? 0 : 2;
		p = end;
	} else {
		return p;
	}
	p++;
	return *p == '?' || *p == '+' ? p + 1 : p;
}

/* --- Digits ----------------------------------------------------------------*/

static int
is_known_escape(const char *p)
{
	const char c = p[1];

	if (c == '\0' || ((unsigned char)c & 0x80) != 0 || text_is_digit(c))
		return 0;
	return !text_holds_digits(c) || c == '_' || c == '@' ||
	    strchr("dDsSwWbBhHvVtrnAzZK", c) != NULL;
}

/* True if the character class in [p, end) has all digits or none. */
static int
is_even_class(const char *p, const char *end)
{
	for (p++; p < end - 1; p++) {
		if (strncmp(p, "0-9", 3) == 0)
			p += 2;
		else if (text_is_digit(*p) ||
		    (*p == '[' && strchr(":.=", p[1]) != NULL) ||
		    (*p == '\\' && !is_known_escape(p)))
			return 0;
		else if (*p == '\\')
			p++;
	}
	return *p == ']';
}

/* True if the opening in [p, end) treats digits alike. */
static int
is_known_opening(const char *p, const char *end)
{
	if (p[1] == '*')
		return strncmp(p, "(*MARK:", 7) == 0;
	return p[1] != '?' || p[2] == '<' ||
	    (end == p + 3 && strchr(":=!>|", p[2]) != NULL) ||
	    (end == p + 4 && (p[2] == 'i' || p[2] == 'J'));
}

int
regex_is_digit_insensitive(const char *p)
{
	const char *end;
	int held = 0; /* 1: the character before p holds digits */

	for (; *p != '\0'; p = end) {
		const size_t n = strspn(p + 1, "0123456789,");

		end = regex_after_unit(p);
		if (text_is_digit(*p) && !held)
			return 0;
		if (text_is_digit(*p))
			continue;
		held = text_holds_digits(*p);
		if ((*p == '\\' && !is_known_escape(p)) ||
		    (*p == '[' && !is_even_class(p, end)) ||
		    (*p == '(' && !is_known_opening(p, end)))
			return 0;
		if (*p == '{' && p[1 + n] == '}')
			end = p + n + 2;
	}
	return 1;
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
	for (int i = 0; i < TEXT_SET_WORDS; i++)
		set->bits[i] &= other->bits[i];
}

void
text_set_add_set(struct text_set *set, const struct text_set *other)
{
	for (int i = 0; i < TEXT_SET_WORDS; i++)
		set->bits[i] |= other->bits[i];
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

/* End the text.
 *
 * before  preceding byte of the next text */
static void
end_run(struct literal_walk *w, unsigned before)
{
	if (w->n > w->n_best) {
		memcpy(w->best, w->run, w->n);
		w->n_best = w->n;
	}
	w->n = 0;
	w->before = before;
}

static void
add_need(struct literal_walk *w, char byte)
{
	const unsigned c = text_digits_as_one(byte);

	text_set_add(w->need, w->before, c);
	w->before = c;
}

/* The single byte of an escape; 0: none, or a class. */
static char
escaped_byte(const char *p)
{
	static const char letters[] = "tnrfae", bytes[] = "\t\n\r\f\a\033";
	const char *at = p[1] != '\0' ? strchr(letters, p[1]) : NULL;

	if (at != NULL)
		return bytes[at - letters];
	return isalnum((unsigned char)p[1]) ? (char)0 : p[1];
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

static void walk(struct literal_walk *w, const char *p, const char *end);

/* Walk the group in [p, end). */
static void
walk_group(struct literal_walk *w, const char *p, const char *end, int least)
{
	const char *inside = regex_after_unit(p);

	if (p[1] == '*' || inside[-1] == '=' || inside[-1] == '!')
		return; /* verbs and look-arounds consume no text */
	if (strncmp(p, "(?i:", 4) == 0) {
		end_run(w, 0); /* bytes in either case: not known */
		return;
	}
	/* Options, conditions, atomic groups. */
	if (p[1] == '?' && p[2] != ':' && p[2] != '<') {
		w->lost = 1;
		return;
	}
	if (least > 0)
		walk(w, inside, end - 1);
	if (least != 1)
		end_run(w, 0);
}

/* Walk a literal byte or a class in [p, end). */
static void
walk_item(struct literal_walk *w, const char *p, const char *end, int least)
{
	char byte = *p == '.' ? 0 : *p;

	if (*p == '\\') {
		byte = escaped_byte(p);
		w->lost |= p[1] != '\0' && p[2] != '{' &&
		    strchr("QEcopP", p[1]) != NULL;
	} else if (*p == '[') {
		byte = end == p + 3 && p[1] != '^' && p[1] != '\\' ? p[1] : 0;
	}
	if (is_digit_class(p, end) && least > 0) {
		end_run(w, w->before);
		add_need(w, '0');
	} else if (byte == 0 || least == 0) {
		end_run(w, 0);
	} else {
		if (w->n == w->max)
			end_run(w, w->before);
		w->run[w->n++] = byte;
		add_need(w, byte);
		if (least == 2)
			end_run(w, w->before);
	}
}

/* End of the alternative that begins at p: its '|', or end. */
static const char *
alternative_end(const char *p, const char *end)
{
	while (p < end && *p != '|')
		p = after_item(p);
	return p < end ? p : end;
}

static void
walk(struct literal_walk *w, const char *p, const char *end)
{
	const char *to = alternative_end(p, end);
	struct text_set common;

	/* Only bytes in all alternatives are required. */
	if (to < end) {
		memset(&common, 0xff, sizeof common);
		end_run(w, 0);
		for (;; p = to + 1) {
			struct text_set one = { { 0 } };
			char best[sizeof w->run];
			struct literal_walk x = {
				.best = best, .max = sizeof best, .need = &one
			};

			to = alternative_end(p, end);
			walk(&x, p, to);
			w->lost |= x.lost;
			text_set_keep(&common, &one);
			if (to == end)
				break;
		}
		text_set_add_set(w->need, &common);
		return;
	}
	while (p < end && !w->lost) {
		const char *after;
		int least;

		to = after_item(p);
		after = regex_after_quantifier(to, &least);
		if (*p == '(')
			walk_group(w, p, to, least);
		else if (*p != '^' && *p != '$' &&
		    (*p != '\\' || p[1] == '\0' ||
			strchr("bBAzZGK", p[1]) == NULL))
			walk_item(w, p, to, least);
		p = after;
	}
}

size_t
regex_find_literal(
    const char *regex, char *out, size_t max, struct text_set *need)
{
	struct literal_walk w = { .best = out, .max = max, .need = need };

	memset(need, 0, sizeof *need);
	walk(&w, regex, regex + strlen(regex));
	end_run(&w, 0);
	if (!w.lost)
		return w.n_best;
	memset(need, 0, sizeof *need);
	return 0;
}
