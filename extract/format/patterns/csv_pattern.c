/* Patterns for tables with a header row.  Called by the matcher, which keeps
 * the header that was seen; nothing here remembers a line. */
#include <config.h>

#include "extract/format/patterns/csv_pattern.h"

#include "extract/format/patterns/required_literal.h"

#include <assert.h>
#include <string.h>

enum selector_kind { SELECT_CELL, SELECT_EQUALS, SELECT_THERE, SELECT_ABSENT };

struct selector {
	enum selector_kind kind;
	int optional;
	uint32_t group;      /* of SELECT_CELL */
	const char **names;  /* [n_names] columns */
	const char **values; /* [n_values] of SELECT_EQUALS */
	size_t n_names, n_values;
};

struct csv_pattern {
	struct selector items[CSV_MAX_SELECTORS];
	size_t n_items;
	uint32_t n_groups;
	const char *needed; /* a column that every header has, or NULL */
	/* Bit n & 63: some column's name has n bytes, begins with byte n. */
	uint64_t lengths, firsts;
	int digits; /* 1: some column's name holds some */
};

#define UNSET (~(size_t)0)

/* --- Selectors -------------------------------------------------------------*/

struct csv_compiler {
	struct pattern *p;
	struct csv_pattern *c;
	struct arena *a;
	const struct format_source *src;
	struct error *e;
	const char *at; /* the selector available */
};

static int
selector_error(struct csv_compiler *k, size_t skip, const char *what)
{
	long line, col;

	pattern_place(k->p, (size_t)(k->at - k->p->text) + skip, &line, &col);
	return source_error(k->e, k->src, line, col, "%s", what);
}

/* A name [len] without its escapes, to out. */
static size_t
unescape_name(const char *s, size_t len, char *out)
{
	static const char plain[] = "~/ |=";
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (s[i] == '~' && i + 1 < len && s[i + 1] >= '0' &&
		    s[i + 1] <= '4')
			out[n++] = plain[s[++i] - '0'];
		else
			out[n++] = s[i];
	}
	out[n] = '\0';
	return n;
}

/* Texts divided by '|'. */
static const char **
split_texts(struct csv_compiler *k, const char *s, size_t len, size_t *n)
{
	const char **texts = arena_calloc(k->a, len / 2 + 1, sizeof *texts);

	*n = 0;
	for (;;) {
		const char *bar = memchr(s, '|', len);
		const size_t part = bar != NULL ? (size_t)(bar - s) : len;
		char *text = arena_alloc(k->a, part + 1);

		unescape_name(s, part, text);
		texts[(*n)++] = text;
		if (bar == NULL)
			return texts;
		s += part + 1;
		len -= part + 1;
	}
}

static int
add_cell(struct csv_compiler *k, const char *equals, size_t len)
{
	struct selector *x = &k->c->items[k->c->n_items];
	const size_t word = (size_t)(equals - k->at);
	const int optional = word > 0 && equals[-1] == '?';
	const char *name = arena_strndup(k->a, k->at, word - (size_t)optional);

	if (k->p->n_captures == FORMAT_MAX_GROUPS)
		return selector_error(k, 0, "too many words in this pattern");
	x->kind = SELECT_CELL;
	x->optional = optional;
	x->group = ++k->c->n_groups;
	x->names = split_texts(k, equals + 1, len - word - 1, &x->n_names);
	return pattern_add_capture(k->p, k->a, k->src, name,
	    (size_t)(k->at - k->p->text), x->group, k->e);
}

static int
add_selector(struct csv_compiler *k, size_t len)
{
	struct selector *x = &k->c->items[k->c->n_items];
	const char *equals = memchr(k->at, '=', len);
	int rc = 0;

	if (k->c->n_items == CSV_MAX_SELECTORS)
		return selector_error(k, 0, "too many selectors");
	if (*k->at == '+' || *k->at == '!') {
		x->kind = *k->at == '+' ? SELECT_THERE : SELECT_ABSENT;
		x->names = split_texts(k, k->at + 1, len - 1, &x->n_names);
		rc = len > 1 ? 0
			     : selector_error(k, 1, "a column is missing here");
	} else if (equals == NULL || equals == k->at) {
		return selector_error(k, 0,
		    "a selector is FIELD=COLUMN, FIELD?=COLUMN, COLUMN==TEXT, "
		    "+COLUMN or !COLUMN");
	} else if (equals[1] == '=' && equals + 1 < k->at + len) {
		const size_t column = (size_t)(equals - k->at);

		x->kind = SELECT_EQUALS;
		x->names = split_texts(k, k->at, column, &x->n_names);
		x->values =
		    split_texts(k, equals + 2, len - column - 2, &x->n_values);
	} else if (equals + 1 == k->at + len) {
		return selector_error(k, len, "a column is missing here");
	} else {
		rc = add_cell(k, equals, len);
	}
	for (size_t i = 0; i < x->n_names; i++) {
		k->c->lengths |= UINT64_C(1) << (strlen(x->names[i]) & 63);
		k->c->firsts |= UINT64_C(1) << (x->names[i][0] & 63);
		k->c->digits |= required_literal_has_digit(
		    x->names[i], strlen(x->names[i]));
	}
	if (!x->optional && x->kind != SELECT_ABSENT && x->n_names == 1 &&
	    (k->c->needed == NULL ||
		strlen(x->names[0]) > strlen(k->c->needed)))
		k->c->needed = x->names[0];
	k->c->n_items++;
	return rc;
}

int
csv_pattern_compile(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e)
{
	struct csv_pattern *c = arena_alloc(a, sizeof *c);
	struct csv_compiler k = { p, c, a, src, e, p->text };

	p->captures = arena_calloc(a, FORMAT_MAX_GROUPS, sizeof *p->captures);
	for (;;) {
		size_t len;

		k.at += strspn(k.at, " \t");
		if (*k.at == '\0')
			break;
		len = strcspn(k.at, " \t");
		if (add_selector(&k, len) != 0)
			return -1;
		k.at += len;
	}
	p->csv = c;
	p->n_groups = c->n_groups;
	p->min_len = 1;
	p->first = -1;
	p->digit_insensitive = 0;
	return 0;
}

size_t
csv_find_name(const char *selectors, char *out)
{
	size_t best = 0;

	while (*(selectors += strspn(selectors, " \t")) != '\0') {
		const size_t len = strcspn(selectors, " \t");
		const char *equals = memchr(selectors, '=', len);
		const char *name = selectors, *end = selectors + len;
		char text[REQUIRED_LITERAL_MAX];
		size_t n;

		selectors += len;
		if (*name == '+') {
			name++;
		} else if (*name == '!' || equals == NULL) {
			continue;
		} else if (equals + 1 < end && equals[1] == '=') {
			end = equals;
		} else if (equals > name && equals[-1] != '?') {
			name = equals + 1;
		} else {
			continue;
		}
		n = (size_t)(end - name);
		if (n >= sizeof text || memchr(name, '|', n) != NULL)
			continue;
		n = unescape_name(name, n, text);
		if (n > best) {
			memcpy(out, text, n);
			best = n;
		}
	}
	return best;
}

/* --- Rows ------------------------------------------------------------------*/

struct cell {
	size_t from, to; /* without spaces and quotes */
};

static int
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Take the spaces and quotes off. */
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

/* The place after the cell that begins at `from`: of the delimiter, or len. */
static size_t
cell_end(const char *line, size_t len, size_t from, char delimiter)
{
	size_t i = from;

	while (i < len && line[i] == ' ')
		i++;
	if (i < len && line[i] == '"') {
		const char *quote = memchr(line + i + 1, '"', len - i - 1);

		if (quote != NULL)
			from = (size_t)(quote - line) + 1;
	}
	if (from < len) {
		const char *end = memchr(line + from, delimiter, len - from);

		if (end != NULL)
			return (size_t)(end - line);
	}
	return len;
}

static int
cell_is(const char *line, struct cell c, const char *text)
{
	const size_t len = c.to - c.from;

	/* Most differ in their first byte. */
	return text[0] == (len > 0 ? line[c.from] : '\0') &&
	    strlen(text) == len && memcmp(line + c.from, text, len) == 0;
}

/* Note at which column each selector's name is; the earliest alternative
 * counts.
 *
 * rank  [n_items] of the alternative that is noted */
static void
note_column(const struct csv_pattern *p, const char *line, struct cell c,
    uint16_t column, struct csv_header *h, size_t *rank)
{
	/* Most cells of lines that are no header are none of the names. */
	if (!(p->lengths >> ((c.to - c.from) & 63) & 1) ||
	    (c.from < c.to && !(p->firsts >> (line[c.from] & 63) & 1)))
		return;
	for (size_t i = 0; i < p->n_items; i++) {
		const struct selector *x = &p->items[i];

		for (size_t j = 0; j < x->n_names && j < rank[i]; j++)
			if (cell_is(line, c, x->names[j])) {
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
	size_t rank[CSV_MAX_SELECTORS];
	size_t from = 0, n = 0;

	for (size_t i = 0; i < p->n_items; i++)
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
	for (size_t i = 0; i < p->n_items; i++) {
		const struct selector *x = &p->items[i];
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

int
csv_names_digits(const struct csv_pattern *p)
{
	return p->digits;
}

/* The cells of a row; 0 if there are not as many as the header has. */
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

static int
is_one_of(const char *line, struct cell c, const struct selector *x)
{
	for (size_t i = 0; i < x->n_values; i++)
		if (cell_is(line, c, x->values[i]))
			return 1;
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
	for (size_t i = 0; i < p->n_items; i++) {
		const struct selector *x = &p->items[i];
		const int there = h->columns[i] < h->n_cells;
		const struct cell c =
		    there ? cells[h->columns[i]] : (struct cell){ 0, 0 };

		if (x->kind == SELECT_EQUALS && !is_one_of(line, c, x))
			return 0;
		if (x->kind != SELECT_CELL)
			continue;
		if (c.from == c.to && !x->optional)
			return 0;
		ov[2 * x->group] = c.from < c.to ? c.from : UNSET;
		ov[2 * x->group + 1] = c.from < c.to ? c.to : UNSET;
	}
	return p->n_groups + 1;
}
