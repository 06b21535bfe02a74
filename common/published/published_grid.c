/* Raw cells of a table, and normalization of the layouts in papers to a row of
 * heads above a row for each case. */
#include <config.h>

#include "common/published/published_parts.h"

#include <ctype.h>
#include <string.h>

#include "common/units/units.h"

const struct grid_cell *
grid_at(const struct grid *g, size_t row, size_t column)
{
	static const struct grid_cell no_cell = { "", 0, 0, 1, 1 };

	return row < g->n && column < g->rows[row].n
	    ? &g->rows[row].cells[column]
	    : &no_cell;
}

int
grid_row_is_empty(const struct grid_row *row)
{
	for (size_t i = 0; i < row->n; i++)
		if (row->cells[i].text[0] != '\0')
			return 0;
	return 1;
}

/* --- decimal marks -------------------------------------------------------- */

/* Decimal mark of the number at s: ',' or '.', or 0 if ambiguous as in
 * "1,570". */
static char
decimal_mark_of(const char *s)
{
	const char *end = s + strspn(s, "0123456789.,"), *mark = NULL;
	int same = 0, others = 0;

	while (end > s && !isdigit((unsigned char)end[-1]))
		end--;
	for (const char *at = end; at-- > s;) {
		if (isdigit((unsigned char)*at))
			continue;
		mark = mark != NULL ? mark : at;
		same += *at == *mark;
		others += *at != *mark;
	}
	/* Groups have three digits, and the first does not begin with 0. */
	if (same != 1 ||
	    (others == 0 && end - mark == 4 && mark - s <= 3 && *s != '0'))
		return 0;
	return *mark;
}

char
grid_decimal_mark(const struct grid *g, const char **example)
{
	size_t commas = 0;

	*example = NULL;
	for (size_t i = 1; i < g->n; i++)
		for (size_t k = 0; k < g->rows[i].n; k++) {
			const char *text = g->rows[i].cells[k].text;
			const char mark = decimal_mark_of(text);

			if (mark == '.') {
				*example = NULL;
				return '.';
			}
			if (mark == ',' && commas++ == 0)
				*example = text;
		}
	/* A single one may be a typo. */
	if (commas > 1)
		return ',';
	*example = NULL;
	return '.';
}

/* --- heads ---------------------------------------------------------------- */

/* The role of a head.
 *
 * known  set to 1 if a word of it or its unit is known */
static enum published_role
role_of(struct arena *a, const char *text, int *known)
{
	struct published_column h;

	published_head_read(a, text, &h);
	*known = h.known || (h.unit != NULL && h.framework == NULL);
	return h.role;
}

/* Cells of a row: with text, with a known head, and beginning with a digit. */
struct row_words {
	size_t texts, heads, numbers;
};

static struct row_words
words_of(struct arena *a, const struct grid_row *row)
{
	struct row_words w = { 0, 0, 0 };

	for (size_t i = 0; i < row->n; i++) {
		const char *text = row->cells[i].text;
		int known;

		if (text[0] == '\0')
			continue;
		(void)role_of(a, text, &known);
		w.texts++;
		w.heads += known != 0;
		w.numbers += isdigit((unsigned char)text[0]) != 0;
	}
	return w;
}

static void
remove_rows(struct grid *g, size_t n)
{
	memmove(g->rows, g->rows + n, (g->n - n) * sizeof *g->rows);
	g->n -= n;
}

/* Remove empty rows above the heads, which Markdown may require, and those of a
 * single text, as spreadsheets have. */
static void
remove_titles(struct arena *a, struct grid *g, const char **title)
{
	while (g->n > 1) {
		const struct grid_row *row = &g->rows[0];
		const struct row_words first = words_of(a, row);
		size_t next = 1;

		if (first.texts > 0) {
			while (next + 1 < g->n &&
			    grid_row_is_empty(&g->rows[next]))
				next++;
			if (first.texts != 1 || first.heads > 0 ||
			    row->cells[0].text[0] == '\0' ||
			    grid_at(g, next, 0)->text[0] == '\0' ||
			    words_of(a, &g->rows[next]).heads < 2)
				return;
			*title = row->cells[0].text;
		}
		remove_rows(g, next);
	}
}

/* The upper of two heads of column i: its own, or one to the left that spans
 * it. A head above an empty cell was merged downwards and spans no other
 * column. */
static const struct grid_cell *
head_above(const struct grid *g, size_t i)
{
	const struct grid_cell *own = grid_at(g, 0, i), *left = own;
	size_t k = i;

	while (left->text[0] == '\0' && k-- > 0)
		left = grid_at(g, 0, k);
	if (left->text[0] != '\0' &&
	    (left->across > 1 ? k + (size_t)left->across > i
			      : grid_at(g, 1, k)->text[0] != '\0'))
		return left;
	return own;
}

/* True if the second row also contains heads. */
static int
has_two_heads(struct arena *a, const struct grid *g)
{
	struct row_words first, second;
	size_t merged = 0;

	if (g->n < 3)
		return 0;
	first = words_of(a, &g->rows[0]);
	second = words_of(a, &g->rows[1]);
	if (second.numbers > 0 || second.heads == 0)
		return 0;
	for (size_t i = 0; i < g->rows[0].n || i < g->rows[1].n; i++) {
		const struct grid_cell *up = grid_at(g, 0, i);

		merged += up->across > 1 || up->down > 1 ||
		    (up->text[0] == '\0') !=
			(grid_at(g, 1, i)->text[0] == '\0');
	}
	/* "(img/s)" below each head states its unit. */
	return merged == 0 ? second.heads == second.texts && first.numbers == 0
			   : 2 * second.heads >= second.texts;
}

static void
join_heads(struct arena *a, struct grid *g)
{
	const size_t n =
	    g->rows[0].n > g->rows[1].n ? g->rows[0].n : g->rows[1].n;
	struct grid_cell *joined = arena_calloc(a, n, sizeof *joined);

	for (size_t i = 0; i < n; i++) {
		const struct grid_cell *up = head_above(g, i);
		const struct grid_cell *low = grid_at(g, 1, i);

		joined[i] = low->text[0] != '\0' ? *low : *up;
		joined[i].across = joined[i].down = 1;
		if (up->text[0] != '\0' && low->text[0] != '\0' &&
		    strcmp(up->text, low->text) != 0)
			joined[i].text =
			    arena_printf(a, "%s %s", up->text, low->text);
	}
	g->rows[1] = (struct grid_row){ joined, n, n, g->rows[0].line };
	remove_rows(g, 1);
}

/* --- transposed tables ---------------------------------------------------- */

/* True if a table has a column for each case: its heads are cases, "4n8g" or "8
 * GPUs", or its first head names a count and the others are numbers.
 *
 * cases  set to 1 if the heads are cases */
static int
lies_on_its_side(struct arena *a, const struct grid *g, int *cases)
{
	size_t n_cases = 0, counts = 0, heads = 0;
	enum published_role corner;
	int known;

	for (size_t i = 1; g->n >= 2 && i < g->rows[0].n; i++) {
		const char *text = g->rows[0].cells[i].text, *rest;
		long n, nodes, gpus;

		n_cases += published_case_read(text, &nodes, &gpus, &rest) != 0;
		counts += whole_parse(text, strlen(text), 1, 100000000, &n) ==
		    UNITS_OK;
		heads += text[0] != '\0';
	}
	*cases = n_cases >= 2 && n_cases == heads;
	if (*cases || counts < 2 || counts != heads)
		return *cases;
	corner = role_of(a, g->rows[0].cells[0].text, &known);
	return known && corner >= PUBLISHED_NODES &&
	    corner <= PUBLISHED_GPU_COUNT;
}

/* Transpose the grid. Returns -1 if there are too many columns. */
static int
grid_turn(struct published_reader *r)
{
	const struct grid g = r->g;

	r->g = (struct grid){ 0 };
	for (size_t column = 0; column < g.rows[0].n; column++) {
		reader_row(r, r->place.s);
		r->g.rows[column].line = grid_at(&g, 0, column)->line;
		for (size_t row = 0; row < g.n; row++) {
			const struct grid_cell *from = grid_at(&g, row, column);
			struct grid_cell *to;

			if (row > 0 && grid_row_is_empty(&g.rows[row]))
				continue;
			to = reader_add(r, from->text, NULL);
			if (to == NULL)
				return -1;
			to->line =
			    from->line > 0 ? from->line : g.rows[row].line;
			to->col = from->col;
		}
	}
	return 0;
}

int
grid_settle(struct published_reader *r, const char **title)
{
	struct arena *a = &r->p->arena;
	struct grid *g = &r->g;
	int cases;

	*title = NULL;
	remove_titles(a, g, title);
	if (g->n == 0 || g->rows[0].n == 0)
		return 0;
	if (has_two_heads(a, g))
		join_heads(a, g);
	if (!lies_on_its_side(a, g, &cases))
		return 0;
	if (grid_turn(r) != 0)
		return -1;
	/* The first head names the other column, such as a model. */
	if (cases)
		g->rows[0].cells[0].text = "case";
	return 0;
}
