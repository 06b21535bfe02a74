/* Patterns for tables with a header row.  The matcher keeps the current
 * header. */
#include <config.h>

#include "extract/format/patterns/selectors.h"

#include "extract/format/patterns/regex_text.h"

#include <string.h>

struct csv_pattern {
	struct selector_list list; /* names without escapes */
	const char *needed;        /* a column in every header, or NULL */
};

#define UNSET (~(size_t)0)

/* Add a required column to the bytes that every header has: those common to all
 * its alternative names. */
static void
add_need(struct pattern *p, const struct selector *x)
{
	struct text_set common;

	memset(&common, 0xff, sizeof common);
	for (size_t k = 0; k < x->n_names; k++) {
		struct text_set one = { { 0 } };

		text_set_add_text(&one, x->names[k].s, x->names[k].len);
		text_set_keep(&common, &one);
	}
	text_set_add_set(&p->need, &common);
}

int
csv_pattern_compile(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e)
{
	struct csv_pattern *c = arena_calloc(a, 1, sizeof *c);
	struct selector_reader r = { p, a, src, &c->list, e };

	if (selectors_read(&r) != 0)
		return -1;
	if (c->list.after.s != NULL)
		return selector_mistake(&r, p->text,
		    "'after' is not allowed in a pattern for tables");
	for (size_t i = 0; i < c->list.n; i++) {
		const struct selector *x = &c->list.items[i];
		const struct selector_text *name;

		for (size_t k = 0; k < x->n_names; k++) {
			x->names[k] =
			    selector_plain(a, x->names[k].s, x->names[k].len);
			p->names_digits |=
			    text_has_digit(x->names[k].s, x->names[k].len);
		}
		if (!x->optional && x->kind != SELECT_ABSENT)
			add_need(p, x);
		name = selector_needed_name(x);
		if (name != NULL && name->len > p->n_literal) {
			selector_offer_literal(p, name);
			c->needed = name->s;
		}
	}
	p->csv = c;
	return 0;
}

/* Get the cell at *from without spaces and quotes around it; moves *from behind
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
read_header(const struct csv_pattern *p, const char *line, size_t len,
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
		for (size_t i = 0; i < p->list.n; i++) {
			const struct selector *x = &p->list.items[i];

			for (size_t j = 0; j < x->n_names && j < rank[i]; j++)
				if (selector_text_same(&x->names[j], &c)) {
					h->columns[i] = h->n_cells;
					rank[i] = j;
				}
		}
	}
	for (size_t i = 0; i < p->list.n; i++) {
		const struct selector *x = &p->list.items[i];
		const int there = rank[i] != UNSET;

		if (!there)
			h->columns[i] = h->n_cells;
		if (x->kind == SELECT_ABSENT ? there : !there && !x->optional)
			return 0;
	}
	return h->n_cells > 1;
}

int
csv_read_header(const struct csv_pattern *p, const char *line, size_t len,
    struct csv_header *h)
{
	if (p->needed != NULL &&
	    memmem(line, len, p->needed, strlen(p->needed)) == NULL)
		return 0;
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
	const struct selector_list *list = &h->of->list;
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
			if (x->kind == SELECT_EQUALS &&
			    !selector_has_value(x, &c))
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
