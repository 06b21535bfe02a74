/* Parses the selectors of patterns for objects and tables. */
#include <config.h>

#include "extract/format/patterns/selectors.h"

#include <string.h>

/* State while a pattern is parsed. */
struct selector_reader {
	struct pattern *p;
	struct arena *a;
	const struct format_source *src;
	struct selector_list *list;
	struct error *e;
};

int
selector_mistake(const struct pattern *p, const struct format_source *src,
    const char *at, struct error *e, const char *what)
{
	long line, col;

	pattern_place(p, (size_t)(at - p->text), &line, &col);
	return source_error(e, src, line, col, "%s", what);
}

static int
mistake(struct selector_reader *r, const char *at, const char *what)
{
	return selector_mistake(r->p, r->src, at, r->e, what);
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
selector_has_value(const struct selector *x, const char *s, size_t len)
{
	for (size_t i = 0; i < x->n_values; i++)
		if (x->values[i].len == len &&
		    memcmp(x->values[i].s, s, len) == 0)
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
			return mistake(
			    r, x->names[i].s, "a name is missing here");
	r->list->n_names += x->n_names;
	return r->list->n_names <= SELECTOR_MAX_NAMES
	    ? 0
	    : mistake(r, s, "more than 64 names in this pattern");
}

/* Parse FIELD=NAME, FIELD?=NAME. */
static int
read_capture(struct selector_reader *r, struct selector *x, const char *s,
    const char *equals, const char *end)
{
	size_t n = (size_t)(equals - s);

	if (r->p->n_captures == FORMAT_MAX_GROUPS)
		return mistake(r, s, "too many captures; 32 are the most");
	x->kind = SELECT_CAPTURE;
	x->optional = n > 0 && s[n - 1] == '?';
	x->group = ++r->list->n_groups;
	n -= (size_t)x->optional;
	if (pattern_add_capture(r->p, r->a, r->src, arena_strndup(r->a, s, n),
		(size_t)(s - r->p->text), x->group, r->e) != 0)
		return -1;
	return read_names(r, x, equals + 1, (size_t)(end - equals) - 1);
}

/* Parse NAME==TEXT|TEXT. */
static int
read_equals(struct selector_reader *r, struct selector *x, const char *s,
    const char *equals, const char *end)
{
	const char *value = equals + 2;

	x->kind = SELECT_EQUALS;
	x->values = split(r->a, value, (size_t)(end - value), &x->n_values);
	for (size_t i = 0; i < x->n_values; i++)
		x->values[i] =
		    selector_plain(r->a, x->values[i].s, x->values[i].len);
	return read_names(r, x, s, (size_t)(equals - s));
}

static int
read_selector(struct selector_reader *r, const char *s, size_t len)
{
	static const char after[] = "after=";
	const size_t n_after = sizeof after - 1;
	struct selector_list *list = r->list;
	const char *equals = memchr(s, '=', len), *end = s + len;
	struct selector *x;

	if (len > n_after && memcmp(s, after, n_after) == 0) {
		list->after = selector_plain(r->a, s + n_after, len - n_after);
		return 0;
	}
	if (list->n == SELECTORS_MAX)
		return mistake(r, s, "more than 64 selectors");
	x = &list->items[list->n++];
	x->whole = (struct selector_text){ s, len };
	if (*s == '!' || *s == '+') {
		x->kind = *s == '!' ? SELECT_ABSENT : SELECT_EQUALS;
		return read_names(r, x, s + 1, len - 1);
	}
	if (equals == NULL || equals == s)
		return mistake(r, s,
		    "no selector: FIELD=NAME, FIELD?=NAME, NAME==TEXT, +NAME "
		    "or !NAME");
	return equals + 1 < end && equals[1] == '='
	    ? read_equals(r, x, s, equals, end)
	    : read_capture(r, x, s, equals, end);
}

int
selectors_read(struct pattern *p, struct arena *a,
    const struct format_source *src, struct selector_list *out, struct error *e)
{
	struct selector_reader r = { p, a, src, out, e };
	const char *s = p->text;
	size_t most = 1;

	for (const char *c = s; *c != '\0'; c++)
		most += *c == ' ' || *c == '\t';
	memset(out, 0, sizeof *out);
	out->items = arena_calloc(a, most, sizeof *out->items);
	p->captures = arena_calloc(a, FORMAT_MAX_GROUPS, sizeof *p->captures);
	for (;;) {
		size_t len;

		s += strspn(s, " \t");
		len = strcspn(s, " \t");
		if (len == 0)
			break;
		if (read_selector(&r, s, len) != 0)
			return -1;
		s += len;
	}
	return 0;
}

const struct selector_text *
selector_needed_name(const struct selector *x)
{
	return x->kind != SELECT_ABSENT && !x->optional && x->n_names == 1
	    ? &x->names[0]
	    : NULL;
}

void
selector_offer_literal(struct pattern *p, const char *s, size_t len)
{
	text_set_add_text(&p->need, s, len);
	if (len > PATTERN_LITERAL_MAX)
		len = PATTERN_LITERAL_MAX;
	if (len <= p->n_literal)
		return;
	memcpy(p->literal, s, len);
	p->n_literal = len;
}
