/* Patterns for tables with a header row.  The matcher keeps the current
 * header. */
#include <config.h>

#include "extract/format/patterns/csv_pattern.h"

#include "extract/format/patterns/regex_text.h"

#include <string.h>

struct csv_pattern {
	struct selector_list list; /* names without escapes */
	const char *needed;        /* a column in every header, or NULL */
	int digits;                /* 1: a column's name has digits */
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

	if (selectors_read(p, a, src, &c->list, e) != 0)
		return -1;
	if (c->list.after.s != NULL)
		return selector_mistake(p, src, p->text, e,
		    "'after' has no place in a pattern for tables");
	for (size_t i = 0; i < c->list.n; i++) {
		const struct selector *x = &c->list.items[i];
		const struct selector_text *name;

		for (size_t k = 0; k < x->n_names; k++) {
			x->names[k] =
			    selector_plain(a, x->names[k].s, x->names[k].len);
			c->digits |=
			    text_has_digit(x->names[k].s, x->names[k].len);
		}
		if (!x->optional && x->kind != SELECT_ABSENT)
			add_need(p, x);
		name = selector_needed_name(x);
		if (name != NULL && name->len > p->n_literal) {
			selector_offer_literal(p, name->s, name->len);
			c->needed = name->s;
		}
	}
	p->csv = c;
	return 0;
}

int
csv_names_digits(const struct csv_pattern *p)
{
	return p->digits;
}

struct cell {
	size_t from, to; /* without spaces and quotes */
};

static int
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Strip spaces and quotes. */
static struct cell
trim_cell(const char *line, size_t from, size_t to)
{
	while (from < to && is_blank(line[from]))
		from++;
	while (to > from && is_blank(line[to - 1]))
		to--;
	if (to - from >= 2 && line[from] == '"' && line[to - 1] == '"') {
		from++;
		to--;
	}
	return (struct cell){ from, to };
}

/* End of the cell that begins at `from`: its delimiter, or len. */
static size_t
cell_end(const char *line, size_t len, size_t from, char delimiter)
{
	const char *end;
	size_t i = from;

	while (i < len && line[i] == ' ')
		i++;
	if (i < len && line[i] == '"') {
		const char *quote = memchr(line + i + 1, '"', len - i - 1);

		if (quote != NULL)
			from = (size_t)(quote - line) + 1;
	}
	end = memchr(line + from, delimiter, len - from);
	return end != NULL ? (size_t)(end - line) : len;
}

/* Record the column of each selector's name; the earliest alternative wins.
 *
 * rank  [list.n] of the recorded alternative */
static void
note_column(const struct csv_pattern *p, const char *line, struct cell c,
    uint16_t column, struct csv_header *h, size_t *rank)
{
	const size_t len = c.to - c.from;

	for (size_t i = 0; i < p->list.n; i++) {
		const struct selector *x = &p->list.items[i];

		for (size_t j = 0; j < x->n_names && j < rank[i]; j++)
			if (x->names[j].len == len &&
			    memcmp(line + c.from, x->names[j].s, len) == 0) {
				h->columns[i] = column;
				rank[i] = j;
				break;
			}
	}
}

static int
read_header(const struct csv_pattern *p, const char *line, size_t len,
    char delimiter, struct csv_header *h)
{
	size_t rank[SELECTORS_MAX];
	size_t from = 0, n = 0;

	for (size_t i = 0; i < p->list.n; i++)
		rank[i] = UNSET;
	*h = (struct csv_header){ .of = p, .delimiter = delimiter };
	for (;;) {
		const size_t end = cell_end(line, len, from, delimiter);

		if (n == CSV_MAX_CELLS)
			return 0;
		note_column(
		    p, line, trim_cell(line, from, end), (uint16_t)n, h, rank);
		n++;
		if (end == len)
			break;
		from = end + 1;
	}
	h->n_cells = (uint16_t)n;
	for (size_t i = 0; i < p->list.n; i++) {
		const struct selector *x = &p->list.items[i];
		const int there = rank[i] != UNSET;

		if (!there)
			h->columns[i] = h->n_cells;
		if (x->kind == SELECT_ABSENT ? there : !there && !x->optional)
			return 0;
	}
	return n > 1;
}

int
csv_read_header(const struct csv_pattern *p, const char *line, size_t len,
    struct csv_header *h)
{
	static const char delimiters[] = { ',', '\t', ';' };

	if (p->needed != NULL &&
	    memmem(line, len, p->needed, strlen(p->needed)) == NULL)
		return 0;
	for (size_t i = 0; i < sizeof delimiters; i++)
		if (memchr(line, delimiters[i], len) != NULL &&
		    read_header(p, line, len, delimiters[i], h))
			return 1;
	return 0;
}

/* Split a row into cells.  Returns 0 if their number differs from the
 * header's. */
static int
split_row(const struct csv_header *h, const char *line, size_t len,
    struct cell *cells)
{
	size_t from = 0;

	for (size_t n = 0; n < h->n_cells; n++) {
		const size_t end = cell_end(line, len, from, h->delimiter);

		cells[n] = trim_cell(line, from, end);
		if (end == len)
			return n + 1 == h->n_cells;
		from = end + 1;
	}
	return 0;
}

size_t
csv_read_row(
    const struct csv_header *h, const char *line, size_t len, size_t *ov)
{
	struct cell cells[CSV_MAX_CELLS];
	const struct csv_pattern *p = h->of;

	if (!split_row(h, line, len, cells))
		return 0;
	ov[0] = 0;
	ov[1] = len;
	for (size_t i = 0; i < p->list.n; i++) {
		const struct selector *x = &p->list.items[i];
		const int there = h->columns[i] < h->n_cells;
		const struct cell c =
		    there ? cells[h->columns[i]] : (struct cell){ 0, 0 };

		if (x->kind == SELECT_EQUALS && there &&
		    !selector_has_value(x, line + c.from, c.to - c.from))
			return 0;
		if (x->kind != SELECT_CAPTURE)
			continue;
		if (c.from == c.to && !x->optional)
			return 0;
		ov[2 * x->group] = c.from < c.to ? c.from : UNSET;
		ov[2 * x->group + 1] = c.from < c.to ? c.to : UNSET;
	}
	return p->list.n_groups + 1;
}
