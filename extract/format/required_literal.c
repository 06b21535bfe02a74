/* Finds the text that must stand in everything a regular expression
 * matches.  Called as formats are read; it never sees a log. */
#include <config.h>

#include "extract/format/required_literal.h"

#include "extract/format/regex_text.h"

#include <string.h>

/* A walk through an expression: the current run of bytes, and the longest. */
struct literal_walk {
	char run[REQUIRED_LITERAL_MAX], best[REQUIRED_LITERAL_MAX];
	size_t n, n_best;
	struct required_literal_set *need;
	int lost; /* 1: something is not understood */
};

void
required_literal_set_add(
    struct required_literal_set *set, const char *s, size_t len)
{
	unsigned before = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned c = (unsigned char)s[i], pair;

		c = c - '0' < 10 ? '0' : c;
		set->bytes[c / 64] |= UINT64_C(1) << c % 64;
		/* Letters that are neighbours are apart in the sum. */
		pair = (before * 37 + c * 11) % 512;
		if (i > 0)
			set->pairs[pair / 64] |= UINT64_C(1) << pair % 64;
		before = c;
	}
}

static void
end_run(struct literal_walk *w)
{
	if (w->n > w->n_best) {
		memcpy(w->best, w->run, w->n);
		w->n_best = w->n;
	}
	required_literal_set_add(w->need, w->run, w->n);
	w->n = 0;
}

static void
add_byte(struct literal_walk *w, char c)
{
	if (w->n == REQUIRED_LITERAL_MAX)
		end_run(w);
	w->run[w->n++] = c;
}

int
required_literal_has_digit(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] >= '0' && s[i] <= '9')
			return 1;
	return 0;
}

/* The one byte that an escape stands for, or 0: none, or a class. */
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

/* Where the inside of the group at p begins; NULL: it is none that must match
 * text, or none that is understood. */
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

/* Is it a look-around or a verb, which takes no text? */
static int
is_look(const char *p)
{
	return strncmp(p, "(?=", 3) == 0 || strncmp(p, "(?!", 3) == 0 ||
	    strncmp(p, "(?<=", 4) == 0 || strncmp(p, "(?<!", 4) == 0 ||
	    p[1] == '*';
}

static void walk_sequence(
    struct literal_walk *w, const char *p, const char *end);

/* The group at p.  Returns what is after it and its quantifier. */
static const char *
walk_group(struct literal_walk *w, const char *p)
{
	int choice, least;
	const char *close = regex_skip_group(p, &choice);
	const char *after = regex_skip_quantifier(close, &least);
	const char *inside = group_inside(p);

	if (is_look(p))
		return after;
	if (inside == NULL) {
		w->lost = 1; /* options, conditions, atomic groups */
		return after;
	}
	if (choice || least == 0) {
		end_run(w);
		return after;
	}
	walk_sequence(w, inside, close - 1);
	if (least == 2)
		end_run(w);
	return after;
}

/* A byte that stands for itself, or a class.  Returns what is after it and its
 * quantifier. */
static const char *
walk_item(struct literal_walk *w, const char *p)
{
	char byte = *p;
	const char *next = p + 1;
	int least;

	if (*p == '\\') {
		byte = escaped_byte(p);
		next = regex_skip_escape(p);
		w->lost |= p[1] != '\0' && p[2] != '{' &&
		    strchr("QEckopP", p[1]) != NULL;
	} else if (*p == '[') {
		next = regex_skip_class(p);
		byte = next == p + 3 && p[1] != '^' && p[1] != '\\' ? p[1] : 0;
	} else if (*p == '.') {
		byte = 0;
	}
	next = regex_skip_quantifier(next, &least);
	if (byte == 0 || least == 0) {
		end_run(w);
		return next;
	}
	add_byte(w, byte);
	if (least == 2)
		end_run(w);
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
		else
			p = walk_item(w, p);
	}
}

/* Alternatives that are in no group. */
static int
has_choice(const char *p)
{
	int choice;

	while (*p != '\0') {
		if (*p == '|')
			return 1;
		if (*p == '\\')
			p = regex_skip_escape(p);
		else if (*p == '[')
			p = regex_skip_class(p);
		else if (*p == '(')
			p = regex_skip_group(p, &choice);
		else
			p++;
	}
	return 0;
}

size_t
required_literal_find(
    const char *regex, char *out, struct required_literal_set *need)
{
	struct literal_walk w = { .need = need };

	memset(need, 0, sizeof *need);
	if (has_choice(regex))
		return 0;
	walk_sequence(&w, regex, regex + strlen(regex));
	end_run(&w);
	if (w.lost) {
		memset(need, 0, sizeof *need);
		return 0;
	}
	memcpy(out, w.best, w.n_best);
	return w.n_best;
}

/* The last key of the path that begins at p, if the selector there needs it. */
static size_t
needed_key(const char *p, size_t len, const char **key)
{
	const char *sign = memchr(p, '=', len), *end = p + len, *slash;

	if (sign == NULL || p[0] == '!' || sign == p || sign[-1] == '?')
		return 0;
	if (sign + 1 < end && sign[1] == '=') {
		end = sign; /* PATH==TEXT */
		sign = p - 1;
	}
	*key = sign + 1;
	while ((slash = memchr(*key, '/', (size_t)(end - *key))) != NULL)
		*key = slash + 1;
	if (memchr(sign + 1, '|', (size_t)(end - sign - 1)) != NULL ||
	    memchr(*key, '~', (size_t)(end - *key)) != NULL ||
	    strspn(*key, "0123456789") >= (size_t)(end - *key))
		return 0;
	return (size_t)(end - *key);
}

size_t
required_literal_find_key(
    const char *selectors, char *out, struct required_literal_set *need)
{
	size_t best = 0;

	memset(need, 0, sizeof *need);
	required_literal_set_add(need, "{", 1);
	required_literal_set_add(need, ":", 1);
	/* The longest of all is the rarest. */
	for (const char *p = selectors; *p != '\0';) {
		const size_t len = strcspn(p, " \t");
		const char *key = p + 6;
		size_t n = 0;

		if (len > 6 && strncmp(p, "after=", 6) == 0) {
			n = memchr(key, '~', len - 6) == NULL ? len - 6 : 0;
		} else {
			n = needed_key(p, len, &key);
		}
		required_literal_set_add(need, key, n);
		if (n > REQUIRED_LITERAL_MAX)
			n = REQUIRED_LITERAL_MAX;
		if (n > best) {
			best = n;
			memcpy(out, key, n);
		}
		p += len;
		p += strspn(p, " \t");
	}
	return best;
}
