/* Patterns for objects (JSON, Python's dictionaries) and for rows of tables
 * with a header. Both are written as selectors of values, separated by spaces.
 * NAME is a path of keys or the name of a column, where ~0 is '~', ~1 '/', ~2 a
 * space, ~3 '|', ~4 '='.
 *
 *	FIELD=NAME|NAME    captures the value of the first name present
 *	FIELD?=NAME|NAME   the same, but the value is optional
 *	NAME|NAME==TEXT|TEXT   requires one of these values
 *	+NAME              requires the name
 *	!NAME              forbids the name
 *	after=TEXT         for objects only: the text before them
 */
#include <config.h>

#include "extract/format/patterns/pattern.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
	MAX_PARTS = 8,  /* keys in a path */
	MAX_NAMES = 64, /* in one pattern, alternatives included */
	BEGIN_WORK = 64 /* cost of starting an object, in bytes */
};

struct selector_text {
	const char *s; /* [len] */
	size_t len;
};

enum selector_kind {
	SELECT_CAPTURE,
	SELECT_EQUALS, /* without values: must only be present */
	SELECT_ABSENT
};

struct selector {
	enum selector_kind kind;
	int optional;
	uint32_t group;               /* for SELECT_CAPTURE */
	struct selector_text whole;   /* the selector in the pattern */
	size_t name, n_names;         /* first of its paths; their number */
	struct selector_text *values; /* [n_values] without escapes */
	size_t n_values;
};

/* A name; the name of a column is a single part. */
struct key_path {
	struct selector_text parts[MAX_PARTS]; /* without escapes */
	size_t n_parts;
	size_t item; /* its selector */
};

/* Sets of paths and of selectors are bit sets. */
struct object_pattern {
	struct selector *items; /* [n] */
	size_t n;
	struct key_path *paths; /* [n_paths] */
	size_t n_paths;
	struct selector_text after; /* s NULL: not given */
	uint32_t n_groups;
	uint64_t deeper[MAX_PARTS]; /* paths with a key below that depth */
	uint64_t all;               /* every path */
	uint64_t needed;            /* required selectors */
	uint64_t absent;            /* selectors that must be absent */
	uint64_t wanted;            /* selectors that decide how far to read */
	uint64_t lengths;           /* bit n: a name of n bytes; 63: or more */
};

#define UNSET (~(size_t)0)
#define BIT(i) ((uint64_t)1 << (i))

static int
text_same(const struct selector_text *a, const struct selector_text *b)
{
	return a->len == b->len && memcmp(a->s, b->s, a->len) == 0;
}

/* True if the value equals one of x->values, or x has none. */
static int
has_value(const struct selector *x, const struct selector_text *v)
{
	for (size_t i = 0; i < x->n_values; i++)
		if (text_same(&x->values[i], v))
			return 1;
	return x->n_values == 0;
}

/* --- Compiling -------------------------------------------------------------*/

/* State of parsing a pattern. */
struct selector_reader {
	struct pattern *p;
	struct arena *a;
	const struct format_source *src;
	struct object_pattern *o;
	int is_table;
	struct error *e;
};

/* Report a mistake at a position of p->text.  Returns -1. */
static int
mistake(const struct selector_reader *r, const char *at, const char *what)
{
	return source_error(r->e, r->src,
	    pattern_place(r->p, (size_t)(at - r->p->text)), "%s", what);
}

/* Resolve the escapes of a text of the pattern. */
static struct selector_text
plain_text(struct arena *a, const char *s, size_t len)
{
	static const char meant[] = "~/ |=";
	char *out = arena_calloc(a, 1, len + 1);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (s[i] == '~' && i + 1 < len && s[i + 1] >= '0' &&
		    s[i + 1] <= '4')
			out[n++] = meant[s[++i] - '0'];
		else
			out[n++] = s[i];
	}
	out[n] = '\0';
	return (struct selector_text){ out, n };
}

/* Length of the text at s up to a byte or end. */
static size_t
length_to(const char *s, const char *end, char byte)
{
	const char *at = memchr(s, byte, (size_t)(end - s));

	return (size_t)((at != NULL ? at : end) - s);
}

/* Read the names of the last selector. */
static int
read_names(struct selector_reader *r, const char *s, size_t len)
{
	struct object_pattern *o = r->o;
	struct selector *x = &o->items[o->n - 1];
	const char *end = s + len, *stop;

	x->name = o->n_paths;
	for (const char *at = s;; at = stop + 1) {
		struct key_path *path = &o->paths[o->n_paths];

		stop = at + length_to(at, end, '|');
		if (stop == at)
			return mistake(r, at, "a name is missing here");
		if (o->n_paths == MAX_NAMES)
			return mistake(
			    r, s, "more than 64 names in this pattern");
		path->item = o->n - 1;
		for (size_t n;; at += n + 1) {
			struct selector_text *part =
			    &path->parts[path->n_parts];

			if (path->n_parts == MAX_PARTS)
				return mistake(
				    r, at, "a path of more than 8 keys");
			n = r->is_table ? (size_t)(stop - at)
					: length_to(at, stop, '/');
			*part = plain_text(r->a, at, n);
			r->p->names_digits |= r->is_table
			    ? text_has_digit(part->s, part->len)
			    : text_has_free_digit(part->s, part->len);
			o->lengths |= BIT(part->len < 63 ? part->len : 63);
			if (path->n_parts++ > 0)
				o->deeper[path->n_parts - 2] |= BIT(o->n_paths);
			if (at + n == stop)
				break;
		}
		o->all |= BIT(o->n_paths++);
		x->n_names++;
		if (stop == end)
			return 0;
	}
}

static int
read_selector(struct selector_reader *r, const char *s, size_t len)
{
	struct object_pattern *o = r->o;
	const char *equals = memchr(s, '=', len), *end = s + len;
	struct selector *x;
	size_t n;

	if (len > 6 && memcmp(s, "after=", 6) == 0) {
		o->after = plain_text(r->a, s + 6, len - 6);
		return 0;
	}
	if (o->n == SELECTORS_MAX)
		return mistake(r, s, "more than 64 selectors");
	x = &o->items[o->n++];
	x->whole = (struct selector_text){ s, len };
	if (*s == '!' || *s == '+') {
		x->kind = *s == '!' ? SELECT_ABSENT : SELECT_EQUALS;
		return read_names(r, s + 1, len - 1);
	}
	if (equals == NULL || equals == s)
		return mistake(r, s,
		    "not a selector: FIELD=NAME, FIELD?=NAME, NAME==TEXT, "
		    "+NAME or !NAME");
	n = (size_t)(equals - s);
	if (equals + 1 < end && equals[1] == '=') {
		x->kind = SELECT_EQUALS;
		x->values = arena_calloc(r->a, len + 1, sizeof *x->values);
		for (const char *at = equals + 2;; at++) {
			const size_t own = length_to(at, end, '|');

			x->values[x->n_values++] = plain_text(r->a, at, own);
			at += own;
			if (at == end)
				break;
		}
		return read_names(r, s, n);
	}
	if (r->p->n_captures == FORMAT_MAX_GROUPS)
		return mistake(r, s, "too many captures (at most 32)");
	x->kind = SELECT_CAPTURE;
	x->optional = s[n - 1] == '?';
	x->group = ++o->n_groups;
	if (pattern_add_capture(r->p, r->a, r->src,
		arena_strndup(r->a, s, n - (size_t)x->optional),
		(size_t)(s - r->p->text), x->group, r->e) != 0)
		return -1;
	return read_names(r, equals + 1, (size_t)(end - equals) - 1);
}

/* Add a text that every match contains.  The longest becomes p's literal. */
static void
offer_literal(struct pattern *p, const char *s, size_t len)
{
	const size_t n = len < PATTERN_LITERAL_MAX ? len : PATTERN_LITERAL_MAX;

	text_set_add_text(&p->need, s, len);
	if (n <= p->n_literal)
		return;
	memcpy(p->literal, s, n);
	p->n_literal = n;
}

/* Parse the selectors of p->text, or return NULL. */
static struct object_pattern *
read_selectors(struct selector_reader *r)
{
	struct object_pattern *o = arena_calloc(r->a, 1, sizeof *o);
	const char *s = r->p->text;
	size_t most = 1, len;

	for (const char *c = s; *c != '\0'; c++)
		most += strchr(" \t|", *c) != NULL;
	o->items = arena_calloc(r->a, most, sizeof *o->items);
	o->paths = arena_calloc(r->a, most, sizeof *o->paths);
	r->o = o;
	r->p->captures =
	    arena_calloc(r->a, FORMAT_MAX_GROUPS, sizeof *r->p->captures);
	for (;; s += len) {
		s += strspn(s, " \t");
		len = strcspn(s, " \t");
		if (len == 0)
			break;
		if (read_selector(r, s, len) != 0)
			return NULL;
	}
	if (!r->is_table) {
		offer_literal(r->p, "{", 1);
		offer_literal(r->p, ":", 1);
	}
	if (o->after.s != NULL) {
		offer_literal(r->p, o->after.s, o->after.len);
		r->p->names_digits |=
		    text_has_free_digit(o->after.s, o->after.len);
	}
	/* Record the requirements of each selector: the bytes common to its
	 * names, and what follows from its values. The last key of a path is
	 * the rarest. */
	for (size_t i = 0; i < o->n; i++) {
		const struct selector *x = &o->items[i];
		struct text_set common;
		int in_text = !x->optional;

		if (x->kind == SELECT_ABSENT) {
			o->absent |= BIT(i);
			continue;
		}
		o->wanted |= BIT(i);
		if (!x->optional)
			o->needed |= BIT(i);
		memset(&common, 0xff, sizeof common);
		for (size_t k = x->name; k < x->name + x->n_names; k++) {
			const struct key_path *path = &o->paths[k];
			const struct selector_text *key =
			    &path->parts[path->n_parts - 1];
			struct text_set one = { { 0 } };

			/* An array index does not occur in the text. */
			in_text &= r->is_table ||
			    strspn(key->s, "0123456789") < key->len;
			text_set_add_text(&one, key->s, key->len);
			text_set_keep(&common, &one);
			if (in_text && x->n_names == 1)
				offer_literal(r->p, key->s, key->len);
		}
		if (in_text)
			text_set_add_set(&r->p->need, &common);
		for (size_t k = 0; k < x->n_values && !r->is_table; k++)
			r->p->names_digits |= text_has_free_digit(
			    x->values[k].s, x->values[k].len);
		if (x->n_values == 1 && !r->is_table &&
		    !text_has_digit(x->values[0].s, x->values[0].len))
			offer_literal(r->p, x->values[0].s, x->values[0].len);
	}
	return o;
}

int
json_pattern_compile(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e)
{
	struct selector_reader r = { p, a, src, NULL, 0, e };

	p->json = read_selectors(&r);
	if (p->json != NULL && p->json->needed == 0)
		return mistake(&r, p->text,
		    "no key is required: every object would match");
	return p->json != NULL ? 0 : -1;
}

int
csv_pattern_compile(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e)
{
	struct selector_reader r = { p, a, src, NULL, 1, e };

	p->csv = read_selectors(&r);
	if (p->csv != NULL && p->csv->after.s != NULL)
		return mistake(&r, p->text,
		    "'after' is not allowed in a pattern for tables");
	return p->csv != NULL ? 0 : -1;
}

/* --- Objects ---------------------------------------------------------------*/

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

/* Position of the ',' or closing bracket after the value at s, or NULL. */
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
	const struct object_pattern *p;
	const char *text, *end;
	size_t *ov;
	uint64_t found;         /* selectors found */
	uint64_t wrong;         /* selectors with another value */
	size_t best[MAX_NAMES]; /* path that gave the value */
	int done;               /* 1: the rest changes nothing */
	const char *open;    /* the next '{', or the end; NULL: not searched yet
	                        for this object */
	const char *stopped; /* where reading an invalid or unterminated object
	                        ended */
	int64_t work;        /* bytes that may still be read without a match */
};

/* Store a value of a path. */
static void
store_value(struct json_reading *r, size_t path, const struct selector_text *v)
{
	const size_t i = r->p->paths[path].item;
	const struct selector *x = &r->p->items[i];

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
	} else if (x->kind == SELECT_EQUALS && !has_value(x, v)) {
		r->wrong |= BIT(i);
	}
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
		uint64_t fitting = 0; /* paths whose key here is this one */

		if (is_array)
			key.len =
			    (size_t)snprintf(index, sizeof index, "%zu", n);
		else if ((s = read_key(r, s, &key)) == NULL)
			return NULL;
		for (uint64_t rest = set; rest != 0; rest &= rest - 1) {
			const size_t i = (size_t)__builtin_ctzll(rest);

			if (text_same(&r->p->paths[i].parts[depth], &key))
				fitting |= BIT(i);
		}
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
find_object(const struct object_pattern *p, const char *s, const char *end,
    const char **start)
{
	const struct selector_text *after = &p->after;

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
	for (size_t i = 0; i <= r->p->n_groups; i++)
		r->ov[2 * i] = r->ov[2 * i + 1] = UNSET;
	r->found = r->wrong = 0;
	r->stopped = r->text;
	r->open = NULL;
	r->done = 0;
}

size_t
json_pattern_match(const struct object_pattern *p, const char *text, size_t len,
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
			n = p->n_groups + 1;
			break;
		}
		s = end != NULL ? end : s + 1;
	}
	*work = r.work;
	return n;
}

const char *
json_pattern_missing(const struct object_pattern *p, const char *text,
    size_t text_len, size_t *len, size_t *end)
{
	size_t ov[2 * (MAX_NAMES + 1)];
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
	x = &p->items[__builtin_ctzll(bad)];
	*len = x->whole.len;
	*end = (size_t)(s - text);
	return x->whole.s;
}

/* --- Tables ----------------------------------------------------------------*/

/* Get the cell at *from without spaces and quotes around it; moves *from past
 * its delimiter, or to len + 1 at the end. */
static struct selector_text
next_cell(const char *line, size_t len, size_t *from, char delimiter)
{
	const char *s = line + *from, *end = line + len, *to, *quote;

	while (s < end && *s == ' ')
		s++;
	quote = s < end && *s == '"' ? memchr(s + 1, '"', (size_t)(end - s) - 1)
				     : NULL;
	to = quote != NULL ? quote + 1 : line + *from;
	to = memchr(to, delimiter, (size_t)(end - to));
	if (to == NULL)
		to = end;
	*from = (size_t)(to - line) + 1;
	while (s < to && (*s == ' ' || *s == '\t'))
		s++;
	while (to > s && (to[-1] == ' ' || to[-1] == '\t'))
		to--;
	if (to - s >= 2 && *s == '"' && to[-1] == '"') {
		s++;
		to--;
	}
	return (struct selector_text){ s, (size_t)(to - s) };
}

/* Read a line as a header.  The earliest alternative of a selector's names
 * wins. */
static int
read_header(const struct object_pattern *p, const char *line, size_t len,
    char delimiter, struct csv_header *h)
{
	size_t rank[SELECTORS_MAX]; /* of the name found; UNSET: none */
	size_t from = 0;

	memset(rank, 0xff, sizeof rank);
	*h = (struct csv_header){ .of = p, .delimiter = delimiter };
	for (; from <= len; h->n_cells++) {
		const struct selector_text c =
		    next_cell(line, len, &from, delimiter);

		if (h->n_cells == CSV_MAX_CELLS)
			return 0;
		if (!(p->lengths & BIT(c.len < 63 ? c.len : 63)))
			continue;
		for (size_t i = 0; i < p->n; i++) {
			const struct selector *x = &p->items[i];

			for (size_t j = 0; j < x->n_names && j < rank[i]; j++)
				if (text_same(
					p->paths[x->name + j].parts, &c)) {
					h->columns[i] = h->n_cells;
					rank[i] = j;
				}
		}
	}
	for (size_t i = 0; i < p->n; i++) {
		const struct selector *x = &p->items[i];
		const int there = rank[i] != UNSET;

		if (!there)
			h->columns[i] = h->n_cells;
		if (x->kind == SELECT_ABSENT ? there : !there && !x->optional)
			return 0;
	}
	return h->n_cells > 1;
}

int
csv_read_header(const struct object_pattern *p, const char *line, size_t len,
    struct csv_header *h)
{
	for (const char *d = ",\t;"; *d != '\0'; d++)
		if (memchr(line, *d, len) != NULL &&
		    read_header(p, line, len, *d, h))
			return 1;
	return 0;
}

size_t
csv_read_row(
    const struct csv_header *h, const char *line, size_t len, size_t *ov)
{
	const struct object_pattern *list = h->of;
	size_t from = 0, n;

	for (size_t i = 0; i <= list->n_groups; i++)
		ov[2 * i] = ov[2 * i + 1] = UNSET;
	ov[0] = 0;
	ov[1] = len;
	for (n = 0; from <= len && n < h->n_cells; n++) {
		const struct selector_text c =
		    next_cell(line, len, &from, h->delimiter);

		for (size_t i = 0; i < list->n; i++) {
			const struct selector *x = &list->items[i];

			if (h->columns[i] != n)
				continue;
			if (x->kind == SELECT_EQUALS && !has_value(x, &c))
				return 0;
			if (x->kind != SELECT_CAPTURE)
				continue;
			if (c.len == 0 && !x->optional)
				return 0;
			if (c.len > 0) {
				ov[2 * x->group] = (size_t)(c.s - line);
				ov[2 * x->group + 1] =
				    (size_t)(c.s - line) + c.len;
			}
		}
	}
	return from > len && n == h->n_cells ? list->n_groups + 1 : 0;
}
