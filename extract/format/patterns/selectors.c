/* Parses the selectors of patterns for objects and tables. */
#include <config.h>

#include "extract/format/patterns/selectors.h"

#include <string.h>

int
selector_mistake(
    const struct selector_reader *r, const char *at, const char *what)
{
	return source_error(r->e, r->src,
	    pattern_place(r->p, (size_t)(at - r->p->text)), "%s", what);
}

struct selector_text
selector_plain(struct arena *a, const char *s, size_t len)
{
	static const char meant[] = "~/ |=";
	char *out = arena_alloc(a, len + 1);
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

int
selector_has_value(const struct selector *x, const struct selector_text *v)
{
	for (size_t i = 0; i < x->n_values; i++)
		if (selector_text_same(&x->values[i], v))
			return 1;
	return x->n_values == 0;
}

/* Split [s, s + len) at each '|'. */
static struct selector_text *
split(struct arena *a, const char *s, size_t len, size_t *n)
{
	struct selector_text *parts = arena_calloc(a, len + 1, sizeof *parts);
	const char *end = s + len;

	for (*n = 0;;) {
		const char *bar = memchr(s, '|', (size_t)(end - s));
		const char *to = bar != NULL ? bar : end;

		parts[(*n)++] = (struct selector_text){ s, (size_t)(to - s) };
		if (bar == NULL)
			return parts;
		s = bar + 1;
	}
}

static int
read_names(
    struct selector_reader *r, struct selector *x, const char *s, size_t len)
{
	x->names = split(r->a, s, len, &x->n_names);
	for (size_t i = 0; i < x->n_names; i++)
		if (x->names[i].len == 0)
			return selector_mistake(
			    r, x->names[i].s, "a name is missing here");
	r->list->n_names += x->n_names;
	return r->list->n_names <= SELECTOR_MAX_NAMES
	    ? 0
	    : selector_mistake(r, s, "more than 64 names in this pattern");
}

static int
read_selector(struct selector_reader *r, const char *s, size_t len)
{
	struct selector_list *list = r->list;
	const char *equals = memchr(s, '=', len), *end = s + len;
	struct selector *x;
	size_t n;

	if (len > 6 && memcmp(s, "after=", 6) == 0) {
		list->after = selector_plain(r->a, s + 6, len - 6);
		return 0;
	}
	if (list->n == SELECTORS_MAX)
		return selector_mistake(r, s, "more than 64 selectors");
	x = &list->items[list->n++];
	x->whole = (struct selector_text){ s, len };
	if (*s == '!' || *s == '+') {
		x->kind = *s == '!' ? SELECT_ABSENT : SELECT_EQUALS;
		return read_names(r, x, s + 1, len - 1);
	}
	if (equals == NULL || equals == s)
		return selector_mistake(r, s,
		    "not a selector: FIELD=NAME, FIELD?=NAME, NAME==TEXT, "
		    "+NAME or !NAME");
	n = (size_t)(equals - s);
	if (equals + 1 < end && equals[1] == '=') {
		x->kind = SELECT_EQUALS;
		x->values = split(
		    r->a, equals + 2, (size_t)(end - equals) - 2, &x->n_values);
		for (size_t i = 0; i < x->n_values; i++)
			x->values[i] = selector_plain(
			    r->a, x->values[i].s, x->values[i].len);
		return read_names(r, x, s, n);
	}
	if (r->p->n_captures == FORMAT_MAX_GROUPS)
		return selector_mistake(r, s, "too many captures (at most 32)");
	x->kind = SELECT_CAPTURE;
	x->optional = s[n - 1] == '?';
	x->group = ++list->n_groups;
	if (pattern_add_capture(r->p, r->a, r->src,
		arena_strndup(r->a, s, n - (size_t)x->optional),
		(size_t)(s - r->p->text), x->group, r->e) != 0)
		return -1;
	return read_names(r, x, equals + 1, (size_t)(end - equals) - 1);
}

int
selectors_read(struct selector_reader *r)
{
	const char *s = r->p->text;
	size_t most = 1, len;

	for (const char *c = s; *c != '\0'; c++)
		most += *c == ' ' || *c == '\t';
	memset(r->list, 0, sizeof *r->list);
	r->list->items = arena_calloc(r->a, most, sizeof *r->list->items);
	r->p->captures =
	    arena_calloc(r->a, FORMAT_MAX_GROUPS, sizeof *r->p->captures);
	for (;; s += len) {
		s += strspn(s, " \t");
		len = strcspn(s, " \t");
		if (len == 0)
			return 0;
		if (read_selector(r, s, len) != 0)
			return -1;
	}
}

const struct selector_text *
selector_needed_name(const struct selector *x)
{
	return x->kind != SELECT_ABSENT && !x->optional && x->n_names == 1
	    ? &x->names[0]
	    : NULL;
}

void
selector_offer_literal(struct pattern *p, const struct selector_text *text)
{
	const size_t len =
	    text->len < PATTERN_LITERAL_MAX ? text->len : PATTERN_LITERAL_MAX;

	text_set_add_text(&p->need, text->s, text->len);
	if (len <= p->n_literal)
		return;
	memcpy(p->literal, text->s, len);
	p->n_literal = len;
}
