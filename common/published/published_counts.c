/* Nodes, GPUs and batch of each row of a table. Columns may state a count
 * twice, "4n8g" next to "32"; rows with contradictions are refused. */
#include <config.h>

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/published/published_parts.h"
#include "common/units/units.h"

/* --- cases ---------------------------------------------------------------- */

/* Spellings of a case. N and G are the counts of nodes and GPUs, n and g their
 * letters, m and c their words, x a cross, V the model of a GPU; optional are
 * '_', a blank, ',' for separators, e for "per node". '!' is the end of a word,
 * '#' no digit, '$' the end of the text. */
static const struct {
	const char *parts;
	int is_each; /* G counts the GPUs of each node */
} spellings[] = { { "nNgG!", 1 }, { "N n_G g!", 1 }, { "G c!#", 0 },
	{ "GxV", 0 }, { "N m!xG c!#e)", 1 }, { "N m!,G c!#e)", 0 },
	{ "N m!xGxVe)", 1 }, { "N m!,GxVe)", 0 }, { "NxG$", 1 } };

/* "单" for 1, or a number above 0 of at most seven digits. Returns its length,
 * or 0. */
static size_t
scan_count(const char *s, long *count)
{
	const size_t digits = strspn(s, "0123456789");

	if (strncmp(s, "单", 3) == 0) {
		*count = 1;
		return 3;
	}
	*count = digits > 0 && digits <= 7 ? strtol(s, NULL, 10) : 0;
	return *count > 0 ? digits : 0;
}

/* Length of the part of a case at s; 0 if it is missing.
 *
 * ok  set to 0 if the part is required and missing */
static size_t
scan_part(char part, const char *s, long *nodes, long *gpus, int *ok)
{
	static const char *const machines[] = { "nodes", "node", "servers",
		"server", "machines", "machine", "hosts", "host", "机", "节点",
		NULL };
	static const char *const cards[] = { "GPUs", "GPU", "devices", "device",
		"cards", "card", "accelerators", "张卡", "块卡", "卡", NULL };
	static const char *const crosses[] = { "x", "×", "*", NULL };
	static const char *const models[] = { "V100", "A100", "H100", "H200",
		"A800", "H800", "P100", "T4", "L4", "A10", "RTX", "GPU", NULL };
	static const char *const of_each[] = { "/node", " per node", " each",
		NULL };
	const size_t blanks = strspn(s, " ");
	size_t n = 0;

	switch (part) {
	case ' ':
		return blanks;
	case ',':
		return strspn(s, " ,(/+&");
	case '_':
	case ')':
		return *s == part;
	case 'e':
		return published_word_at(s, of_each);
	case '#':
		*ok = !isdigit((unsigned char)*s);
		return 0;
	case '!':
		*ok = !isalnum((unsigned char)*s) || (s[-1] & 0x80) != 0;
		return 0;
	case '$':
		*ok = *s == '\0';
		return 0;
	case 'N':
	case 'G':
		n = scan_count(s, part == 'N' ? nodes : gpus);
		break;
	case 'n':
	case 'g':
		n = *s != '\0' && strchr(part == 'n' ? "nN" : "gGcC", *s);
		break;
	case 'm':
	case 'c':
		n = published_word_at(s, part == 'm' ? machines : cards);
		break;
	case 'x':
		n = published_word_at(s + blanks, crosses);
		n += n > 0 ? blanks + strspn(s + blanks + n, " ") : 0;
		break;
	default: /* 'V' */
		n = published_word_at(s, models);
		n = n > 0 ? strcspn(s, " ,(") : 0;
	}
	*ok = n > 0;
	return n;
}

int
published_case_read(
    const char *text, long *nodes, long *gpus, const char **rest)
{
	text += strspn(text, " ");
	for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
		int is_each = spellings[i].is_each, ok = 1;
		const char *s = text;

		*nodes = PUBLISHED_UNKNOWN;
		for (const char *p = spellings[i].parts; ok && *p != '\0';
		     p++) {
			const size_t n = scan_part(*p, s, nodes, gpus, &ok);

			is_each |= *p == 'e' && n > 0;
			s += n;
		}
		if (!ok)
			continue;
		*gpus *= is_each && *nodes > 0 ? *nodes : 1;
		if (*nodes > 0 && *gpus % *nodes != 0)
			continue;
		s += strspn(s, " ");
		*rest = s + strspn(s, "_");
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

/* Total GPUs of a row from other columns, or PUBLISHED_UNKNOWN. */
static long
gpus_of(const struct row_counts *c)
{
	if (c->n[CASE_GPUS] > 0)
		return c->n[CASE_GPUS];
	if (c->n[PUBLISHED_GPUS] > 0 || c->n[PUBLISHED_NODE_GPUS] < 0 ||
	    nodes_of(c) < 0)
		return c->n[PUBLISHED_GPUS];
	return nodes_of(c) * c->n[PUBLISHED_NODE_GPUS];
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
		const long gpus = gpus_of(&counts[i]);
		const long count = counts[i].n[PUBLISHED_GPU_COUNT];

		if (nodes <= 1 || count <= 0)
			continue;
		several = 1;
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

static void
settle_gpu_count(
    struct published *p, struct published_table *t, struct row_counts *counts)
{
	enum remark_code doubt;
	const enum published_role role = counts_each(counts, t->n_rows, &doubt)
	    ? PUBLISHED_NODE_GPUS
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
	}
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

/* A batch and the GPUs of a row. */
struct gpus_of_batch {
	long batch, gpus;
};

static int
gpus_of_batch_compare(const void *a, const void *b)
{
	const struct gpus_of_batch *x = a, *y = b;

	if (x->batch != y->batch)
		return x->batch < y->batch ? -1 : 1;
	return (x->gpus > y->gpus) - (x->gpus < y->gpus);
}

/* Count rows that share their batch with a row of another number of GPUs.
 *
 * of_device  1: batch per device, 0: global batch */
static size_t
count_shared(const struct published_table *t, int of_device)
{
	struct gpus_of_batch *list = xcalloc(t->n_rows + 1, sizeof *list);
	size_t n = 0, shared = 0, end;

	for (size_t i = 0; i < t->n_rows; i++) {
		const struct published_row *row = &t->rows[i];
		long batch = row->global_batch;

		if (row->gpus == PUBLISHED_UNKNOWN ||
		    batch == PUBLISHED_UNKNOWN)
			continue;
		/* A fractional batch per device equals no other. */
		if (of_device)
			batch = batch % row->gpus == 0 ? batch / row->gpus
						       : -(long)i - 1;
		list[n++] = (struct gpus_of_batch){ batch, row->gpus };
	}
	qsort(list, n, sizeof *list, gpus_of_batch_compare);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && list[end].batch == list[i].batch;)
			end++;
		if (list[end - 1].gpus != list[i].gpus)
			shared += end - i;
	}
	free(list);
	return shared;
}

void
published_counts_read(struct published *p, struct published_table *t)
{
	struct row_counts *counts = xcalloc(t->n_rows + 1, sizeof *counts);
	const char *product = NULL;
	size_t n_each, n_all;

	for (size_t i = 0; i < t->n_rows; i++) {
		for (int k = 0; k < N_COUNTS; k++)
			counts[i].n[k] = PUBLISHED_UNKNOWN;
		for (size_t k = 0; k < t->n_columns; k++)
			read_count(&p->arena, &t->rows[i], &t->rows[i].cells[k],
			    t->columns[k].role, &counts[i]);
	}
	settle_gpu_count(p, t, counts);
	for (size_t i = 0; i < t->n_rows; i++) {
		complete_counts(&t->rows[i], &counts[i]);
		if (product == NULL && t->rows[i].nodes != PUBLISHED_UNKNOWN)
			product = counts[i].product;
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
