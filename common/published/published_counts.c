/* Nodes, GPUs and batch of each row of a table. Columns may state a count
 * twice, "4n8g" next to "32"; rows with contradictions are refused. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/published/published_parts.h"
#include "common/units/units.h"

/* --- cases ---------------------------------------------------------------- */

/* "单" is 1, other counts are above 0 and have at most seven digits. */
#define COUNT "(?!0+(?!\\d))(单|\\d{1,7}(?!\\d))"
#define END "(?:(?![a-z0-9])|(?<=[\\x80-\\xff]))"
#define NODES COUNT " *(?:nodes?|servers?|machines?|hosts?|机|节点)" END
#define GPUS \
	COUNT " *(?:GPUs?|devices?|cards?|accelerators|张卡|块卡|卡)" END \
	      "(?!\\d)"
#define OF_EACH "(?<each>/node| per node| each)?\\)?"
#define TIMES " *(?:x|×|\\*) *"
#define COMMA "[ ,(/+&]*"
#define DEVICES \
	COUNT TIMES "(?:[VAHP]100|H200|[AH]800|T4|L4|A10|RTX|GPU)[^ ,(]*"
#define CASE(spelling) \
	{ \
		.text = "(?i)\\A *" spelling " *_*" \
	}

/* Spellings of a case: nodes and GPUs, or only GPUs. */
static struct {
	struct published_pattern pattern;
	int has_nodes;
	int is_each; /* GPUs are those of each node, as after OF_EACH */
} spellings[] = {
	{ CASE("n" COUNT "[gc]" COUNT END), 1, 1 },
	{ CASE(COUNT " *n_?" COUNT " *[gc]" END), 1, 1 },
	{ CASE(GPUS), 0, 0 },
	{ CASE(DEVICES), 0, 0 },
	{ CASE(NODES TIMES GPUS OF_EACH), 1, 1 },
	{ CASE(NODES COMMA GPUS OF_EACH), 1, 0 },
	{ CASE(NODES TIMES DEVICES OF_EACH), 1, 1 },
	{ CASE(NODES COMMA DEVICES OF_EACH), 1, 0 },
	{ CASE(COUNT TIMES COUNT "\\z"), 1, 1 },
};

static long
count_of(struct text_span digits)
{
	return isdigit((unsigned char)*digits.s) ? strtol(digits.s, NULL, 10)
						 : 1;
}

int
published_case_read(
    const char *text, long *nodes, long *gpus, const char **rest)
{
	for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
		struct text_span part[4];

		if (!published_match(
			&spellings[i].pattern, text, NULL, part, 4))
			continue;
		*rest = part[0].end;
		*nodes = PUBLISHED_UNKNOWN;
		*gpus = count_of(part[spellings[i].has_nodes ? 2 : 1]);
		if (!spellings[i].has_nodes)
			return 1;
		*nodes = count_of(part[1]);
		if (spellings[i].is_each || part[3].s != NULL)
			*gpus *= *nodes;
		if (*gpus % *nodes == 0)
			return 1;
	}
	return 0;
}

/* --- counts of rows ------------------------------------------------------- */

/* Counts stated by the columns of a row, or PUBLISHED_UNKNOWN: by role, and
 * from a case; and the cells that state them. */
enum { CASE_GPUS = PUBLISHED_CASE, CASE_NODES = PUBLISHED_RATE, N_COUNTS };
struct row_counts {
	long n[N_COUNTS];
	const struct published_cell *cell[N_COUNTS];
	const char *product; /* a case such as "2x8", or NULL */
};

void
published_row_refuse(struct published_row *row,
    const struct published_cell *cell, enum remark_code problem)
{
	if (row->problem != REMARK_NONE)
		return;
	row->problem = problem;
	row->problem_cell = cell;
}

static void
state_count(struct published_row *row, const struct published_cell *cell,
    long n, struct row_counts *c, int i)
{
	if (c->cell[i] != NULL && c->n[i] != n)
		published_row_refuse(row, cell, REMARK_CELL_CONTRADICTS);
	if (c->cell[i] != NULL)
		return;
	c->n[i] = n;
	c->cell[i] = cell;
}

/* Read the counts of a cell whose column has this role. */
static void
read_count(struct arena *a, struct published_row *row,
    const struct published_cell *cell, enum published_role role,
    struct row_counts *c)
{
	const char *rest;
	long nodes, n;

	if (role == PUBLISHED_CASE) {
		if (!published_case_read(cell->text, &nodes, &n, &rest))
			return;
		if (c->product == NULL &&
		    cell->text[strspn(cell->text, "0123456789 xX*\xc3\x97")] ==
			'\0')
			c->product = cell->text;
		if (nodes != PUBLISHED_UNKNOWN)
			state_count(row, cell, nodes, c, CASE_NODES);
		state_count(row, cell, n, c, CASE_GPUS);
		if (*rest != '\0')
			row->label = arena_strdup(a, rest);
	} else if (cell->kind == PUBLISHED_EMPTY || role < PUBLISHED_NODES ||
	    role > PUBLISHED_GLOBAL_BATCH) {
		return;
	} else if (whole_parse(cell->text, strlen(cell->text), 1, 1000000000,
		       &n) == UNITS_OK) {
		state_count(row, cell, n, c, (int)role);
	} else if (role != PUBLISHED_GLOBAL_BATCH) { /* a label */
		published_row_refuse(row, cell, REMARK_CELL_NO_COUNT);
	}
}

/* --- "gpu_num": total or per node ----------------------------------------- */

static long
nodes_of(const struct row_counts *c)
{
	return c->n[PUBLISHED_NODES] > 0 ? c->n[PUBLISHED_NODES]
					 : c->n[CASE_NODES];
}

/* Decide whether an ambiguous column counts the GPUs of each node: if all rows
 * of several nodes allow this meaning and not all allow a total. Either is the
 * number of GPUs of a node: that of rows of one node, or the same in all.
 *
 * doubt  set to the remark if the rows do not decide it, or to REMARK_NONE */
static int
counts_each(const struct row_counts *counts, size_t n, enum remark_code *doubt)
{
	int can_be_total = 1, can_be_each = 1, several = 0, known = 0;
	long most = 0, total, each;

	for (size_t i = 0; i < n; i++)
		if (nodes_of(&counts[i]) == 1 &&
		    counts[i].n[PUBLISHED_GPU_COUNT] > most)
			most = counts[i].n[PUBLISHED_GPU_COUNT];
	total = each = most;
	for (size_t i = 0; i < n; i++) {
		const long nodes = nodes_of(&counts[i]);
		const long node_gpus = counts[i].n[PUBLISHED_NODE_GPUS];
		const long count = counts[i].n[PUBLISHED_GPU_COUNT];
		long gpus = counts[i].n[CASE_GPUS];

		if (nodes <= 1 || count <= 0)
			continue;
		several = 1;
		if (gpus <= 0)
			gpus = counts[i].n[PUBLISHED_GPUS];
		if (gpus <= 0 && node_gpus >= 0)
			gpus = nodes * node_gpus;
		if (gpus != PUBLISHED_UNKNOWN) {
			known = 1;
			can_be_each &= count * nodes == gpus;
			can_be_total &= count == gpus;
			continue;
		}
		if (each == 0) {
			each = count;
			total = count / nodes;
		}
		can_be_each &= count == each;
		can_be_total &= count % nodes == 0 && count / nodes == total;
	}
	*doubt = REMARK_NONE;
	if (several && can_be_each && !can_be_total) {
		*doubt = known ? REMARK_NONE : REMARK_GPUS_OF_EACH;
		return 1;
	}
	if (several && can_be_each == can_be_total)
		*doubt = REMARK_GPUS_OF_EITHER;
	return 0;
}

/* --- counts of a row ------------------------------------------------------ */

/* A count of a column, else that of the row's case. */
static long
agree_count(struct published_row *row, const struct row_counts *c, int column,
    int of_case)
{
	if (c->cell[column] == NULL)
		return c->n[of_case];
	if (c->cell[of_case] != NULL && c->n[of_case] != c->n[column])
		published_row_refuse(
		    row, c->cell[column], REMARK_CELL_CONTRADICTS_CASE);
	return c->n[column];
}

/* Derive the missing one of nodes, GPUs per node and total GPUs; refuse
 * contradictions. Set the batch per device from its column, else from the
 * global batch. */
static void
complete_counts(struct published_row *row, const struct row_counts *c)
{
	const long nodes = agree_count(row, c, PUBLISHED_NODES, CASE_NODES);
	const long gpus = agree_count(row, c, PUBLISHED_GPUS, CASE_GPUS);
	const long each = c->n[PUBLISHED_NODE_GPUS];

	row->nodes = nodes;
	row->gpus = gpus;
	row->node_gpus = each;
	if (nodes > 0 && each > 0) {
		row->gpus = nodes * each;
		if (c->cell[PUBLISHED_GPUS] != NULL && gpus != row->gpus)
			published_row_refuse(row, c->cell[PUBLISHED_GPUS],
			    REMARK_CELL_NO_PRODUCT);
		else if (gpus > 0 && gpus != row->gpus)
			published_row_refuse(row, c->cell[PUBLISHED_NODE_GPUS],
			    REMARK_CELL_CONTRADICTS_CASE);
	} else if (nodes > 0 && gpus > 0) {
		row->node_gpus = gpus / nodes;
		if (gpus % nodes != 0)
			published_row_refuse(row,
			    c->cell[c->cell[PUBLISHED_NODES] != NULL
				    ? PUBLISHED_NODES
				    : CASE_NODES],
			    REMARK_CELL_UNEVEN);
	}
	/* A refused row has no counts. */
	if (row->problem != REMARK_NONE)
		row->nodes = row->gpus = row->node_gpus = PUBLISHED_UNKNOWN;
	row->batch = c->n[PUBLISHED_BATCH];
	row->global_batch = c->n[PUBLISHED_GLOBAL_BATCH];
	if (row->batch == PUBLISHED_UNKNOWN && row->global_batch > 0 &&
	    row->gpus > 0 && row->global_batch % row->gpus == 0)
		row->batch = row->global_batch / row->gpus;
}

/* --- global batches ------------------------------------------------------- */

enum { MAX_COMPARED = 2000 }; /* rows; the comparison is quadratic */

/* The global batch of a row, or its batch per device; negative: unknown. A
 * fractional batch per device equals no other. */
static long
shared_batch(const struct published_row *row, int of_device)
{
	if (row->gpus == PUBLISHED_UNKNOWN ||
	    (of_device && row->global_batch % row->gpus != 0))
		return PUBLISHED_UNKNOWN;
	return of_device ? row->global_batch / row->gpus : row->global_batch;
}

/* Count rows that share their batch with a row of another number of GPUs.
 *
 * of_device  1: batch per device, 0: global batch */
static size_t
count_shared(const struct published_table *t, int of_device)
{
	const size_t n = t->n_rows < MAX_COMPARED ? t->n_rows : MAX_COMPARED;
	size_t shared = 0;

	for (size_t i = 0; i < n; i++) {
		const long batch = shared_batch(&t->rows[i], of_device);
		size_t k = 0;

		while (k < n &&
		    (shared_batch(&t->rows[k], of_device) != batch ||
			t->rows[k].gpus == t->rows[i].gpus))
			k++;
		shared += batch > 0 && k < n;
	}
	return shared;
}

void
published_counts_read(struct published *p, struct published_table *t)
{
	struct row_counts *counts = xcalloc(t->n_rows + 1, sizeof *counts);
	const char *product = NULL;
	enum published_role role;
	enum remark_code doubt;
	size_t n_each, n_all;

	for (size_t i = 0; i < t->n_rows; i++) {
		for (int k = 0; k < N_COUNTS; k++)
			counts[i].n[k] = PUBLISHED_UNKNOWN;
		for (size_t k = 0; k < t->n_columns; k++)
			read_count(&p->arena, &t->rows[i], &t->rows[i].cells[k],
			    t->columns[k].role, &counts[i]);
	}
	role = counts_each(counts, t->n_rows, &doubt) ? PUBLISHED_NODE_GPUS
						      : PUBLISHED_GPUS;
	for (size_t i = 0; i < t->n_columns; i++) {
		struct published_column *c = &t->columns[i];

		if (c->role != PUBLISHED_GPU_COUNT)
			continue;
		c->role = role;
		if (doubt != REMARK_NONE)
			published_remark(p, t, doubt, c->head);
	}
	for (size_t i = 0; i < t->n_rows; i++) {
		struct row_counts *c = &counts[i];

		if (c->cell[PUBLISHED_GPU_COUNT] != NULL)
			state_count(&t->rows[i], c->cell[PUBLISHED_GPU_COUNT],
			    c->n[PUBLISHED_GPU_COUNT], c, (int)role);
		complete_counts(&t->rows[i], c);
		if (product == NULL && t->rows[i].nodes != PUBLISHED_UNKNOWN)
			product = c->product;
	}
	free(counts);
	/* Rows are strong scaling (same global batch) or weak scaling. Speedups
	 * are over a row with the same batch. */
	n_each = count_shared(t, 1);
	n_all = count_shared(t, 0);
	t->strong = n_all > n_each;
	if (n_all > 0 && n_all == n_each)
		published_remark(p, t, REMARK_BATCH_MAY_GROW, NULL);
	if (product != NULL)
		published_remark(p, t, REMARK_READ_AS_PRODUCT, product);
}

long
published_batch_of(const struct published_table *t,
    const struct published_row *row, size_t column)
{
	const struct published_column *c = &t->columns[column];

	if (row->cells[column].batch != PUBLISHED_UNKNOWN)
		return row->cells[column].batch;
	if (row->batch != PUBLISHED_UNKNOWN)
		return row->batch;
	if (c->batch != PUBLISHED_UNKNOWN)
		return c->batch;
	return c->batch_varies ? PUBLISHED_UNKNOWN : t->batch;
}
