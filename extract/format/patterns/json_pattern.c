/* Patterns for objects: JSON or Python dictionaries. */
#include <config.h>

#include "extract/format/patterns/pattern.h"

#include "extract/format/patterns/regex_text.h"
#include "extract/format/patterns/selectors.h"

#include <stdint.h>
#include <stdio.h>
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
};

#define UNSET (~(size_t)0)
#define BIT(i) ((uint64_t)1 << (i))

static int
is_one_of(char c, const char *chars)
{
	return c != '\0' && strchr(chars, c) != NULL;
}

static const char *
skip_blanks(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t'))
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

	for (; s < end; s++)
		switch (*s) {
		case '"':
		case '\'':
			s = string_end(s, end);
			if (s == NULL)
				return NULL;
			break;
		case '{':
		case '[':
		case '(':
			depth++;
			break;
		case '}':
		case ']':
		case ')':
		case ',':
			if (depth == 0)
				return s;
			depth -= *s != ',';
		}
	return NULL;
}

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

/* Store a value of a path. */
static void
store_value(struct json_reading *r, size_t path, const struct selector_text *v)
{
	const size_t i = r->p->paths[path].item;
	const struct selector *x = &r->p->list.items[i];

	/* The path named first wins, and the first of repeated keys. */
	if (((r->found & BIT(i)) && r->best[i] <= path) ||
	    (v->len == 4 &&
		(memcmp(v->s, "null", 4) == 0 || memcmp(v->s, "None", 4) == 0)))
		return;
	r->best[i] = path;
	r->found |= BIT(i);
	r->wrong &= ~BIT(i);
	if (x->kind == SELECT_CAPTURE) {
		r->ov[2 * x->group] = (size_t)(v->s - r->text);
		r->ov[2 * x->group + 1] = (size_t)(v->s - r->text) + v->len;
	} else if (x->kind == SELECT_EQUALS && !selector_has_value(x, v)) {
		r->wrong |= BIT(i);
	}
}

/* Paths of the set whose key at this depth is this one. */
static uint64_t
paths_fitting(const struct json_pattern *p, uint64_t set, size_t depth,
    const struct selector_text *key)
{
	uint64_t out = 0;

	for (; set != 0; set &= set - 1) {
		const size_t i = (size_t)__builtin_ctzll(set);

		if (selector_text_same(&p->paths[i].parts[depth], key))
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
	struct selector_text value;

	if (deeper != 0 && s < r->end && (*s == '{' || *s == '['))
		return read_inside(r, s, deeper, depth + 1);
	after = end = skip_value(s, r->end);
	if (end == NULL) {
		r->stopped = r->end;
		return NULL;
	}
	while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (end - s >= 2 && is_one_of(*s, "\"'") && end[-1] == *s) {
		s++;
		end--;
	}
	value = (struct selector_text){ s, (size_t)(end - s) };
	for (set &= ~deeper; set != 0; set &= set - 1)
		store_value(r, (size_t)__builtin_ctzll(set), &value);
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

/* Read the key at s.  Returns the position of its value, or NULL. */
static const char *
read_key(struct json_reading *r, const char *s, struct selector_text *key)
{
	const char *q = is_one_of(*s, "\"'") ? string_end(s, r->end) : s;

	r->stopped = q != NULL ? q : r->end;
	if (q == NULL || q == s)
		return NULL;
	*key = (struct selector_text){ s + 1, (size_t)(q - s) - 1 };
	s = skip_blanks(q + 1, r->end);
	return s < r->end && *s == ':' ? skip_blanks(s + 1, r->end) : NULL;
}

/* Read the members of the object or array at s.  Returns the position after its
 * bracket; NULL if it is invalid. */
static const char *
read_inside(struct json_reading *r, const char *s, uint64_t set, size_t depth)
{
	const int is_array = *s == '[';
	char index[24];
	struct selector_text key = { index, 0 };

	s = skip_blanks(s + 1, r->end);
	for (size_t n = 0; s < r->end && !is_one_of(*s, "}])"); n++) {
		uint64_t fitting;

		if (is_array)
			key.len =
			    (size_t)snprintf(index, sizeof index, "%zu", n);
		else if ((s = read_key(r, s, &key)) == NULL)
			return NULL;
		fitting = paths_fitting(r->p, set, depth, &key);
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

/* --- Compiling -------------------------------------------------------------*/

/* Add the i-th path, written as name, of a selector. */
static int
add_path(struct selector_reader *r, struct json_pattern *p, size_t i,
    size_t item, const struct selector_text *name)
{
	struct json_path *path = &p->paths[i];
	const char *s = name->s, *end = s + name->len, *slash;

	path->item = item;
	for (;;) {
		struct selector_text *part = &path->parts[path->n_parts];

		slash = memchr(s, '/', (size_t)(end - s));
		if (path->n_parts == MAX_PARTS)
			return selector_mistake(
			    r, s, "a path of more than 8 keys");
		*part = selector_plain(
		    r->a, s, (size_t)((slash != NULL ? slash : end) - s));
		r->p->names_digits |= text_has_free_digit(part->s, part->len);
		if (path->n_parts++ > 0)
			p->deeper[path->n_parts - 2] |= BIT(i);
		if (slash == NULL)
			break;
		s = slash + 1;
	}
	p->all |= BIT(i);
	return 0;
}

/* Record the requirements of the i-th selector, whose last path is given.  Its
 * longest text is the rarest. */
static void
note_need(struct pattern *pattern, struct json_pattern *p, size_t i,
    const struct json_path *path)
{
	const struct selector *x = &p->list.items[i];
	const struct selector_text *key = &path->parts[path->n_parts - 1];

	if (x->kind == SELECT_ABSENT) {
		p->absent |= BIT(i);
		return;
	}
	p->wanted |= BIT(i);
	if (!x->optional)
		p->needed |= BIT(i);
	/* An array index does not occur in the text. */
	if (selector_needed_name(x) != NULL &&
	    strspn(key->s, "0123456789") < key->len)
		selector_offer_literal(pattern, key);
	for (size_t k = 0; k < x->n_values; k++)
		pattern->names_digits |=
		    text_has_free_digit(x->values[k].s, x->values[k].len);
	if (x->n_values == 1 &&
	    !text_has_digit(x->values[0].s, x->values[0].len))
		selector_offer_literal(pattern, &x->values[0]);
}

int
json_pattern_compile(struct pattern *pattern, struct arena *a,
    const struct format_source *src, struct error *e)
{
	static const struct selector_text always[] = { { "{", 1 }, { ":", 1 } };
	struct json_pattern *p = arena_calloc(a, 1, sizeof *p);
	struct selector_reader r = { pattern, a, src, &p->list, e };
	size_t n = 0;

	if (selectors_read(&r) != 0)
		return -1;
	p->paths = arena_calloc(a, p->list.n_names, sizeof *p->paths);
	selector_offer_literal(pattern, &always[0]);
	selector_offer_literal(pattern, &always[1]);
	if (p->list.after.s != NULL) {
		selector_offer_literal(pattern, &p->list.after);
		pattern->names_digits =
		    text_has_free_digit(p->list.after.s, p->list.after.len);
	}
	for (size_t i = 0; i < p->list.n; i++) {
		const struct selector *x = &p->list.items[i];

		for (size_t k = 0; k < x->n_names; k++)
			if (add_path(&r, p, n++, i, &x->names[k]) != 0)
				return -1;
		note_need(pattern, p, i, &p->paths[n - 1]);
	}
	if (p->needed == 0)
		return selector_mistake(&r, pattern->text,
		    "no key is required: every object would match");
	pattern->json = p;
	return 0;
}
