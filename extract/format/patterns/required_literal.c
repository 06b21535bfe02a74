/* Finds the text that must stand in everything a pattern matches, as formats
 * are read; and what lines are made of, so that detection and the matcher see
 * at once that a pattern finds nothing there. */
#include <config.h>

#include "extract/format/patterns/required_literal.h"

#include <assert.h>
#include <string.h>

#include "common/hash_index.h"
#include "extract/format/patterns/regex_text.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* A walk through an expression: the current run of bytes, and the longest. */
struct literal_walk {
	char run[REQUIRED_LITERAL_MAX], best[REQUIRED_LITERAL_MAX];
	size_t n, n_best;
	struct required_literal_set *need;
	unsigned before; /* the byte that stands before what comes; 0: any */
	int lost;        /* 1: something is not understood */
};

/* A byte, with all digits as one. */
static char
digit_as_one(char c)
{
	return c >= '0' && c <= '9' ? '0' : c;
}

static inline void
add_pair(struct required_literal_set *set, unsigned before, unsigned c)
{
	/* Letters that are neighbours are apart in the sum. */
	const unsigned pair = (before * 37 + c * 11) % 512;

	set->pairs[pair / 64] |= UINT64_C(1) << pair % 64;
}

void
required_literal_set_add(
    struct required_literal_set *set, const char *s, size_t len)
{
	unsigned before = 0;

	for (size_t i = 0; i < len; i++) {
		const unsigned c = (unsigned char)digit_as_one(s[i]);

		set->bytes[c / 64] |= UINT64_C(1) << c % 64;
		if (i > 0)
			add_pair(set, before, c);
		before = c;
	}
}

/* Two bits of a set's keys: 18 bits of the hash of at most REQUIRED_KEY_MAX
 * bytes, with all digits as one, and a bit that is always set. */
static uint32_t
hash_key(const char *s, size_t len)
{
	char folded[REQUIRED_KEY_MAX];

	assert(len <= sizeof folded);
	for (size_t i = 0; i < len; i++)
		folded[i] = digit_as_one(s[i]);
	return hash_bytes(0, folded, len) >> 14 | UINT32_C(1) << 31;
}

static void
add_key_hash(struct required_literal_set *set, uint32_t hash)
{
	set->keys[hash >> 6 & 7] |= UINT64_C(1) << (hash & 63);
	set->keys[hash >> 15 & 7] |= UINT64_C(1) << (hash >> 9 & 63);
}

uint32_t
required_key_hash(const char *key, size_t len)
{
	if (len == 0 || len > REQUIRED_KEY_MAX)
		return 0;
	for (size_t i = 0; i < len; i++)
		if (key[i] == '"' || key[i] == '\'' || key[i] == '\\')
			return 0;
	return hash_key(key, len);
}

/* A line whose quotes come in turn. */
struct key_walk {
	struct required_literal_set *set;
	const char *end;
	const char *quote; /* the last, or NULL */
};

/* The next quote is at s: a key may stand between the two.  Each byte is passed
 * once at most: the blanks after a quote end before the next. */
static void
walk_quote(struct key_walk *w, const char *s)
{
	const char *after = s + 1;

	if (w->quote != NULL && s - w->quote <= REQUIRED_KEY_MAX + 1) {
		while (after < w->end && (*after == ' ' || *after == '\t'))
			after++;
		if (after < w->end && *after == ':')
			add_key_hash(w->set,
			    hash_key(w->quote + 1, (size_t)(s - w->quote) - 1));
	}
	w->quote = s;
}

void
required_literal_set_add_keys(
    struct required_literal_set *set, const char *s, size_t len)
{
	struct key_walk w = { set, s + len, NULL };

#if defined(__SSE2__)
	for (; w.end - s >= 16; s += 16) {
		const __m128i x =
		    _mm_loadu_si128((const __m128i *)(const void *)s);
		unsigned quotes = (unsigned)_mm_movemask_epi8(
		    _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')),
			_mm_cmpeq_epi8(x, _mm_set1_epi8('\''))));

		for (; quotes != 0; quotes &= quotes - 1)
			walk_quote(&w, s + __builtin_ctz(quotes));
	}
#endif
	for (; s < w.end; s++)
		if (*s == '"' || *s == '\'')
			walk_quote(&w, s);
}

/* The text ends, but what it ended with stands before what comes. */
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

/* A byte, or some digit. */
static void
add_need(struct literal_walk *w, char byte)
{
	const unsigned c = (unsigned char)digit_as_one(byte);

	w->need->bytes[c / 64] |= UINT64_C(1) << c % 64;
	if (w->before != 0)
		add_pair(w->need, w->before, c);
	w->before = c;
}

static void
add_byte(struct literal_walk *w, char c)
{
	if (w->n == REQUIRED_LITERAL_MAX)
		end_text(w);
	w->run[w->n++] = c;
	add_need(w, c);
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

/* The end of the alternative that begins at p: its '|', or end. */
static const char *
skip_alternative(const char *p, const char *end)
{
	int choice;

	while (p < end && *p != '|') {
		if (*p == '\\')
			p = regex_skip_escape(p);
		else if (*p == '[')
			p = regex_skip_class(p);
		else if (*p == '(')
			p = regex_skip_group(p, &choice);
		else
			p++;
	}
	return p;
}

/* One of several alternatives must match: what all of them are made of is
 * needed. */
static void
walk_choice(struct literal_walk *w, const char *p, const char *end)
{
	struct required_literal_set common;

	memset(&common, 0xff, sizeof common);
	for (;;) {
		const char *to = skip_alternative(p, end);
		struct required_literal_set one;
		struct literal_walk x = { .need = &one };

		memset(&one, 0, sizeof one);
		walk_sequence(&x, p, to);
		end_run(&x);
		w->lost |= x.lost;
		for (int i = 0; i < 4; i++)
			common.bytes[i] &= one.bytes[i];
		for (int i = 0; i < 8; i++)
			common.pairs[i] &= one.pairs[i];
		if (to >= end)
			break;
		p = to + 1;
	}
	for (int i = 0; i < 4; i++)
		w->need->bytes[i] |= common.bytes[i];
	for (int i = 0; i < 8; i++)
		w->need->pairs[i] |= common.pairs[i];
}

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
	if (strncmp(p, "(?i:", 4) == 0) { /* what it takes is not known */
		end_run(w);
		return after;
	}
	if (inside == NULL) {
		w->lost = 1; /* options, conditions, atomic groups */
		return after;
	}
	if (choice || least == 0) {
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

/* Is the class or escape at p, which ends at end, that of digits? */
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

/* A byte that stands for itself, or a class.  Returns what is after it and its
 * quantifier. */
static const char *
walk_item(struct literal_walk *w, const char *p)
{
	char byte = *p;
	const char *next = p + 1;
	int least, is_digit;

	if (*p == '\\') {
		byte = escaped_byte(p);
		next = regex_skip_escape(p);
		w->lost |= p[1] != '\0' && p[2] != '{' &&
		    strchr("QEcopP", p[1]) != NULL;
	} else if (*p == '[') {
		next = regex_skip_class(p);
		byte = next == p + 3 && p[1] != '^' && p[1] != '\\' ? p[1] : 0;
	} else if (*p == '.') {
		byte = 0;
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

/* Is the byte at p itself, once?  Most of an expression are. */
static inline int
is_plain(const char *p)
{
	/* What means something by itself, and what means it after a byte. */
	static const unsigned char meant[256] = { ['^'] = 1,
		['$'] = 1,
		['\\'] = 1,
		['('] = 1,
		[')'] = 1,
		['['] = 1,
		['.'] = 1,
		['|'] = 1,
		['?'] = 3,
		['*'] = 3,
		['+'] = 3,
		['{'] = 3 };

	return meant[(unsigned char)p[0]] == 0 &&
	    meant[(unsigned char)p[1]] != 3;
}

static void
walk_sequence(struct literal_walk *w, const char *p, const char *end)
{
	while (p < end && !w->lost) {
		if (is_plain(p))
			add_byte(w, *p++);
		else if (is_zero_width(p))
			p += 1 + (*p == '\\');
		else if (*p == '(')
			p = walk_group(w, p);
		else if (*p == '|')
			w->lost = 1; /* alternatives that are in no group */
		else
			p = walk_item(w, p);
	}
}

size_t
required_literal_find(
    const char *regex, char *out, struct required_literal_set *need)
{
	struct literal_walk w = { .need = need };

	memset(need, 0, sizeof *need);
	walk_sequence(&w, regex, regex + strlen(regex));
	end_run(&w);
	if (w.lost) {
		memset(need, 0, sizeof *need);
		return 0;
	}
	memcpy(out, w.best, w.n_best);
	return w.n_best;
}

/* The longest text of a walk through selectors, and what all are made of. */
struct selector_walk {
	char *out;
	size_t best;
	struct required_literal_set *need;
};

/* A text that must stand in the line. */
static void
add_text(struct selector_walk *w, const char *s, size_t n, int may_be_best)
{
	if (memchr(s, '~', n) != NULL)
		return;
	required_literal_set_add(w->need, s, n);
	if (n > REQUIRED_LITERAL_MAX)
		n = REQUIRED_LITERAL_MAX;
	/* The longest of all is the rarest. */
	if (may_be_best && n > w->best) {
		w->best = n;
		memcpy(w->out, s, n);
	}
}

/* A key of a path, or an index of an array, which is none. */
static void
add_part(struct selector_walk *w, const char *s, size_t n, int is_last)
{
	uint32_t hash;

	if (strspn(s, "0123456789") >= n || memchr(s, '~', n) != NULL)
		return;
	hash = required_key_hash(s, n);
	if (hash != 0)
		add_key_hash(w->need, hash);
	add_text(w, s, n, is_last);
}

/* The keys of one path; nothing where there are several to choose from. */
static void
add_path(struct selector_walk *w, const char *s, const char *end)
{
	if (memchr(s, '|', (size_t)(end - s)) != NULL)
		return;
	for (;;) {
		const char *slash = memchr(s, '/', (size_t)(end - s));

		if (slash == NULL)
			break;
		add_part(w, s, (size_t)(slash - s), 0);
		s = slash + 1;
	}
	add_part(w, s, (size_t)(end - s), 1);
}

/* A selector of len bytes: what it needs. */
static void
add_selector(struct selector_walk *w, const char *s, size_t len)
{
	const char *end = s + len, *sign = memchr(s, '=', len);

	if (len > 6 && strncmp(s, "after=", 6) == 0) {
		add_text(w, s + 6, len - 6, 1);
	} else if (*s == '+') {
		add_path(w, s + 1, end);
	} else if (*s == '!' || sign == NULL || sign == s || sign[-1] == '?') {
		return;
	} else if (sign + 1 < end && sign[1] == '=') { /* PATH==TEXT */
		const char *text = sign + 2;
		const size_t n = (size_t)(end - text);

		add_path(w, s, sign);
		if (memchr(text, '|', n) == NULL)
			add_text(
			    w, text, n, !required_literal_has_digit(text, n));
	} else {
		add_path(w, sign + 1, end);
	}
}

size_t
required_literal_find_key(
    const char *selectors, char *out, struct required_literal_set *need)
{
	struct selector_walk w = { out, 0, need };

	memset(need, 0, sizeof *need);
	required_literal_set_add(need, "{", 1);
	required_literal_set_add(need, ":", 1);
	for (const char *p = selectors; *p != '\0';) {
		const size_t len = strcspn(p, " \t");

		if (len > 0)
			add_selector(&w, p, len);
		p += len;
		p += strspn(p, " \t");
	}
	return w.best;
}
