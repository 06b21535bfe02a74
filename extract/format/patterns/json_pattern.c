/* Patterns for objects: JSON or Python dictionaries. */
#include <config.h>

#include "extract/format/patterns/json_pattern.h"

#include "extract/format/patterns/regex_text.h"
#include "extract/format/patterns/selectors.h"

#include <stdint.h>
#include <string.h>

enum {
	MAX_PARTS = 8,  /* keys in a path */
	BEGIN_WORK = 64 /* cost of starting an object, in bytes */
};

struct json_path {
	struct selector_text parts[MAX_PARTS];
	size_t n_parts;
	size_t item; /* selector of the path */
};

/* Sets of paths and of selectors are bit sets. */
struct json_pattern {
	struct selector_list list;
	struct json_path *paths;    /* [list.n_names] */
	uint64_t deeper[MAX_PARTS]; /* paths with a key below that depth */
	uint64_t all;               /* every path */
	uint64_t needed;            /* required selectors */
	uint64_t absent;            /* selectors that must be absent */
	uint64_t wanted;            /* selectors that decide how far to read */
	int names_digits; /* 1: a key, a value or the text before has free
	                     digits (regex_text.h) */
};

#define UNSET (~(size_t)0)
#define BIT(i) ((uint64_t)1 << (i))

/* --- Bytes -----------------------------------------------------------------*/

enum byte_class { PLAIN, BLANK, OPEN, CLOSE, QUOTE, COMMA };

static enum byte_class
class_of(char c)
{
	static const unsigned char classes[256] = {
		[' '] = BLANK,
		['\t'] = BLANK,
		['{'] = OPEN,
		['['] = OPEN,
		['('] = OPEN,
		['}'] = CLOSE,
		[']'] = CLOSE,
		[')'] = CLOSE,
		['"'] = QUOTE,
		['\''] = QUOTE,
		[','] = COMMA,
	};

	return classes[(unsigned char)c];
}

static const char *
skip_blanks(const char *s, const char *end)
{
	while (s < end && class_of(*s) == BLANK)
		s++;
	return s;
}

/* Closing quote of the string whose opening quote is at s, or NULL. */
static const char *
string_end(const char *s, const char *end)
{
	const char quote = *s++;

	for (; s < end; s++) {
		if (*s == quote)
			return s;
		if (*s == '\\' && ++s == end)
			break;
	}
	return NULL;
}

/* The ',' or bracket after the value at s, or NULL. */
static const char *
skip_value(const char *s, const char *end)
{
	size_t depth = 0;

	for (; s < end; s++) {
		const enum byte_class c = class_of(*s);

		if (c <= BLANK)
			continue;
		if (c == QUOTE) {
			s = string_end(s, end);
			if (s == NULL)
				return NULL;
		} else if (c == OPEN) {
			depth++;
		} else if (depth == 0) {
			return s;
		} else if (c == CLOSE) {
			depth--;
		}
	}
	return NULL;
}

/* --- Reading an object -----------------------------------------------------*/

struct json_reading {
	const struct json_pattern *p;
	const char *text, *end;
	size_t *ov;
	uint64_t found;                  /* selectors found */
	uint64_t wrong;                  /* selectors with another value */
	size_t best[SELECTOR_MAX_NAMES]; /* path that gave the value */
	int done;                        /* 1: the rest changes nothing */
	const char *open;    /* the next '{', or the end; NULL: not searched yet
	                        for this object */
	const char *stopped; /* end of the part read of an unterminated
	                        object */
	int64_t work;        /* bytes that may still be read without a match */
};

static int
is_null(const char *s, size_t len)
{
	return len == 4 &&
	    (memcmp(s, "null", 4) == 0 || memcmp(s, "None", 4) == 0);
}

/* Store the len bytes at s as the value of a path. */
static void
store_value(struct json_reading *r, size_t path, const char *s, size_t len)
{
	const size_t i = r->p->paths[path].item;
	const struct selector *x = &r->p->list.items[i];

	/* The path named first wins, and the first of repeated keys. */
	if (((r->found & BIT(i)) && r->best[i] <= path) || is_null(s, len))
		return;
	r->best[i] = path;
	r->found |= BIT(i);
	r->wrong &= ~BIT(i);
	if (x->kind == SELECT_CAPTURE) {
		r->ov[2 * x->group] = (size_t)(s - r->text);
		r->ov[2 * x->group + 1] = (size_t)(s - r->text) + len;
	} else if (x->kind == SELECT_EQUALS && !selector_has_value(x, s, len)) {
		r->wrong |= BIT(i);
	}
}

/* Paths of the set whose key at this depth is this one. */
static uint64_t
paths_fitting(const struct json_pattern *p, uint64_t set, size_t depth,
    const char *key, size_t len)
{
	uint64_t out = 0;

	for (; set != 0; set &= set - 1) {
		const size_t i = (size_t)__builtin_ctzll(set);
		const struct selector_text *part = &p->paths[i].parts[depth];

		if (part->len == len && memcmp(part->s, key, len) == 0)
			out |= BIT(i);
	}
	return out;
}

static const char *read_inside(
    struct json_reading *r, const char *s, uint64_t set, size_t depth);

/* Read a value at s for the paths of set: store it for paths that end here,
 * descend for the others.  Returns the position after it, or NULL. */
static const char *
read_value(struct json_reading *r, const char *s, uint64_t set, size_t depth)
{
	const uint64_t deeper = set & r->p->deeper[depth];
	const char *after, *end;

	if (deeper != 0 && s < r->end && (*s == '{' || *s == '['))
		return read_inside(r, s, deeper, depth + 1);
	after = end = skip_value(s, r->end);
	if (end == NULL) {
		r->stopped = r->end;
		return NULL;
	}
	while (end > s && class_of(end[-1]) == BLANK)
		end--;
	if (end - s >= 2 && class_of(*s) == QUOTE && end[-1] == *s) {
		s++;
		end--;
	}
	for (set &= ~deeper; set != 0; set &= set - 1)
		store_value(
		    r, (size_t)__builtin_ctzll(set), s, (size_t)(end - s));
	return after;
}

/* True if all selectors are known and no '{' follows.  The rest of the line,
 * which may be cut off, is then not needed. */
static int
is_enough(struct json_reading *r, const char *s)
{
	if (r->found != r->p->wanted || r->p->absent != 0)
		return 0;
	/* There may be any number of keys: search only once. */
	if (r->open == NULL || r->open < s) {
		r->open = memchr(s, '{', (size_t)(r->end - s));
		if (r->open == NULL)
			r->open = r->end;
		else
			r->work -= r->open - s;
	}
	return r->open == r->end;
}

/* Format an array index as a key.  Returns its length. */
static size_t
write_index(size_t n, char buf[20])
{
	char *end = buf + 20, *s = end;

	do {
		*--s = (char)('0' + n % 10);
		n /= 10;
	} while (n > 0);
	memmove(buf, s, (size_t)(end - s));
	return (size_t)(end - s);
}

/* Read the key at s.  Returns the position of its value, or NULL. */
static const char *
read_key(struct json_reading *r, const char *s, const char **key, size_t *len)
{
	const char *q;

	r->stopped = s;
	if (class_of(*s) != QUOTE)
		return NULL;
	q = string_end(s, r->end);
	r->stopped = q != NULL ? q : r->end;
	if (q == NULL)
		return NULL;
	*key = s + 1;
	*len = (size_t)(q - s) - 1;
	s = skip_blanks(q + 1, r->end);
	return s < r->end && *s == ':' ? skip_blanks(s + 1, r->end) : NULL;
}

/* Read the members of the object or array at s.  Returns the position after its
 * bracket; NULL if it is invalid. */
static const char *
read_inside(struct json_reading *r, const char *s, uint64_t set, size_t depth)
{
	const int is_array = *s == '[';
	char index[20];

	s = skip_blanks(s + 1, r->end);
	for (size_t n = 0; s < r->end && class_of(*s) != CLOSE; n++) {
		const char *key = index;
		size_t len;
		uint64_t fitting;

		if (is_array)
			len = write_index(n, index);
		else if ((s = read_key(r, s, &key, &len)) == NULL)
			return NULL;
		fitting = paths_fitting(r->p, set, depth, key, len);
		s = read_value(r, s, fitting, depth);
		if (s == NULL || r->done)
			return s;
		s = skip_blanks(s, r->end);
		if (s < r->end && *s == ',')
			s = skip_blanks(s + 1, r->end);
		if (fitting != 0 && depth == 0 && is_enough(r, s)) {
			r->done = 1;
			return s;
		}
	}
	r->stopped = s;
	return s < r->end ? s + 1 : NULL;
}

/* Find the next possible start of an object from s on.  Sets start to the
 * after=TEXT before it, or to the object.  NULL: none. */
static const char *
find_object(const struct json_pattern *p, const char *s, const char *end,
    const char **start)
{
	const struct selector_text *after = &p->list.after;

	if (after->s == NULL)
		return *start = memchr(s, '{', (size_t)(end - s));
	for (;;) {
		s = memmem(s, (size_t)(end - s), after->s, after->len);
		if (s == NULL)
			return NULL;
		*start = s;
		s = skip_blanks(s + after->len, end);
		if (s < end && *s == '{')
			return s;
	}
}

static void
begin_reading(struct json_reading *r)
{
	for (size_t i = 0; i <= r->p->list.n_groups; i++)
		r->ov[2 * i] = r->ov[2 * i + 1] = UNSET;
	r->found = r->wrong = 0;
	r->stopped = r->text;
	r->open = NULL;
	r->done = 0;
}

size_t
json_pattern_match(const struct json_pattern *p, const char *text, size_t len,
    size_t from, size_t *ov, int64_t *work)
{
	struct json_reading r; /* r.best is large and set only where needed */
	const char *s = text + from, *start;
	size_t n = 0;

	r.p = p;
	r.text = text;
	r.end = text + len;
	r.ov = ov;
	r.work = *work;
	while (r.work > 0 && (s = find_object(p, s, r.end, &start)) != NULL) {
		const char *end;

		begin_reading(&r);
		end = read_inside(&r, s, p->all, 0);
		if (end == NULL)
			r.work -=
			    BEGIN_WORK + (r.stopped > s ? r.stopped - s : 0);
		if (end != NULL && (r.found & p->needed) == p->needed &&
		    r.wrong == 0 && (r.found & p->absent) == 0) {
			ov[0] = (size_t)(start - text);
			ov[1] = (size_t)(end - text);
			n = p->list.n_groups + 1;
			break;
		}
		s = end != NULL ? end : s + 1;
	}
	*work = r.work;
	return n;
}

const char *
json_pattern_missing(const struct json_pattern *p, const char *text,
    size_t text_len, size_t *len, size_t *end)
{
	size_t ov[2 * (SELECTOR_MAX_NAMES + 1)];
	struct json_reading r = {
		.p = p, .text = text, .end = text + text_len, .ov = ov
	};
	const char *start;
	const char *s = find_object(p, text, r.end, &start);
	const struct selector *x;
	uint64_t bad;

	if (s == NULL)
		return NULL;
	begin_reading(&r);
	(void)read_inside(&r, s, p->all, 0);
	bad = (p->needed & ~r.found) | r.wrong | (p->absent & r.found);
	if (bad == 0)
		return NULL;
	x = &p->list.items[__builtin_ctzll(bad)];
	*len = x->whole.len;
	*end = (size_t)(s - text);
	return x->whole.s;
}

int
json_pattern_names_digits(const struct json_pattern *p)
{
	return p->names_digits;
}

/* --- Compiling -------------------------------------------------------------*/

struct json_compiler {
	struct pattern *pattern;
	struct json_pattern *p;
	struct arena *a;
	const struct format_source *src;
	struct error *e;
};

/* Add the i-th path, written as name, of a selector. */
static int
add_path(struct json_compiler *c, size_t i, size_t item,
    const struct selector_text *name)
{
	struct json_path *path = &c->p->paths[i];
	const char *s = name->s, *end = s + name->len;

	path->item = item;
	for (;;) {
		const char *slash = memchr(s, '/', (size_t)(end - s));
		const char *to = slash != NULL ? slash : end;
		struct selector_text *part = &path->parts[path->n_parts];

		if (path->n_parts == MAX_PARTS)
			return selector_mistake(c->pattern, c->src, s, c->e,
			    "a path of more than 8 keys");
		*part = selector_plain(c->a, s, (size_t)(to - s));
		c->p->names_digits |= text_has_free_digit(part->s, part->len);
		path->n_parts++;
		if (slash == NULL)
			break;
		s = slash + 1;
	}
	for (size_t depth = 0; depth + 1 < path->n_parts; depth++)
		c->p->deeper[depth] |= BIT(i);
	c->p->all |= BIT(i);
	return 0;
}

/* Record the requirements of the i-th selector, whose last path is given.  Its
 * longest text is the rarest. */
static void
note_need(struct json_compiler *c, size_t i, const struct json_path *path)
{
	const struct selector *x = &c->p->list.items[i];
	const struct selector_text *key = &path->parts[path->n_parts - 1];

	if (x->kind == SELECT_ABSENT) {
		c->p->absent |= BIT(i);
		return;
	}
	c->p->wanted |= BIT(i);
	if (!x->optional)
		c->p->needed |= BIT(i);
	/* An array index does not occur in the text. */
	if (selector_needed_name(x) != NULL &&
	    strspn(key->s, "0123456789") < key->len)
		selector_offer_literal(c->pattern, key->s, key->len);
	for (size_t k = 0; k < x->n_values; k++)
		c->p->names_digits |=
		    text_has_free_digit(x->values[k].s, x->values[k].len);
	if (x->n_values == 1 &&
	    !text_has_digit(x->values[0].s, x->values[0].len))
		selector_offer_literal(
		    c->pattern, x->values[0].s, x->values[0].len);
}

int
json_pattern_compile(struct pattern *pattern, struct arena *a,
    const struct format_source *src, struct error *e)
{
	struct json_pattern *p = arena_calloc(a, 1, sizeof *p);
	struct json_compiler c = { pattern, p, a, src, e };
	size_t n = 0;

	if (selectors_read(pattern, a, src, &p->list, e) != 0)
		return -1;
	p->paths = arena_calloc(a, p->list.n_names, sizeof *p->paths);
	selector_offer_literal(pattern, "{", 1);
	selector_offer_literal(pattern, ":", 1);
	if (p->list.after.s != NULL) {
		selector_offer_literal(
		    pattern, p->list.after.s, p->list.after.len);
		p->names_digits =
		    text_has_free_digit(p->list.after.s, p->list.after.len);
	}
	for (size_t i = 0; i < p->list.n; i++) {
		const struct selector *x = &p->list.items[i];

		for (size_t k = 0; k < x->n_names; k++)
			if (add_path(&c, n++, i, &x->names[k]) != 0)
				return -1;
		note_need(&c, i, &p->paths[n - 1]);
	}
	if (p->needed == 0)
		return selector_mistake(pattern, src, pattern->text, e,
		    "nothing is required: every object would match");
	pattern->json = p;
	return 0;
}
