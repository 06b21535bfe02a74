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

/* A count and the word after it: "4机", "8 GPUs". A word of letters must end
 * there. Returns the length, or 0. */
static size_t
scan_counted(const char *s, const char *const *words, long *count)
{
	size_t n = scan_count(s, count), word;

	n += n > 0 ? strspn(s + n, " ") : 0;
	word = n > 0 ? published_word_at(s + n, words) : 0;
	n += word;
	if (word == 0 ||
	    (isalpha((unsigned char)s[n - 1]) && isalnum((unsigned char)s[n])))
		return 0;
	return n;
}

/* "x", "×" or "*" and surrounding blanks. Returns the length, or 0. */
static size_t
scan_cross(const char *s)
{
	static const char *const crosses[] = { "x", "×", "*", NULL };
	const size_t before = strspn(s, " ");
	const size_t n = published_word_at(s + before, crosses);

	return n > 0 ? before + n + strspn(s + before + n, " ") : 0;
}

/* A number of GPUs with its word: "8 GPUs", "1 GPU", "8卡", "8x V100". Returns
 * the length, or 0. */
static size_t
scan_gpus(const char *s, long *count)
{
	static const char *const words[] = { "GPUs", "GPU", "devices", "device",
		"cards", "card", "accelerators", "张卡", "块卡", "卡", NULL };
	static const char *const models[] = { "V100", "A100", "H100", "H200",
		"A800", "H800", "P100", "T4", "L4", "A10", "RTX", "GPU", NULL };
	const size_t n = scan_counted(s, words, count);
	size_t at;

	if (n > 0)
		return isdigit((unsigned char)s[n]) ? 0 : n;
	at = scan_count(s, count);
	if (at == 0 || scan_cross(s + at) == 0)
		return 0;
	at += scan_cross(s + at);
	return published_word_at(s + at, models) > 0
	    ? at + strcspn(s + at, " ,(")
	    : 0;
}

/* "4n8g", "1n_4c", "n1g8".  Returns its end, or NULL. */
static const char *
read_letters(const char *s, long *nodes, long *gpus)
{
	const int letters_first = tolower((unsigned char)*s) == 'n';
	size_t len = 0;

	/* Two pairs of letter and number, in either order. */
	for (int i = 0; i < 2; i++) {
		const char *letters = i == 0 ? "nN" : "gGcC";
		size_t n;

		len += letters_first && strchr(letters, s[len]) != NULL;
		n = scan_count(s + len, i == 0 ? nodes : gpus);
		if (n == 0)
			return NULL;
		len += n;
		if (letters_first)
			continue;
		len += strspn(s + len, " ");
		if (s[len] == '\0' || strchr(letters, s[len++]) == NULL)
			return NULL;
		len += i == 0 && s[len] == '_';
	}
	*gpus *= *nodes;
	return isalnum((unsigned char)s[len]) ? NULL : s + len;
}

/* "2 nodes, 16 GPUs", "2 nodes x 8 GPUs", "4机32卡", "2x8", "8 GPUs".  Returns
 * its end, or NULL. */
static const char *
read_words(const char *s, long *nodes, long *gpus)
{
	static const char *const words[] = { "nodes", "node", "servers",
		"server", "machines", "machine", "hosts", "host", "机", "节点",
		NULL };
	static const char *const of_each[] = { "/node", " per node", " each",
		NULL };
	size_t n = scan_gpus(s, gpus);
	int each;

	if (n > 0) {
		*nodes = PUBLISHED_UNKNOWN;
		return s + n;
	}
	n = scan_counted(s, words, nodes);
	if (n > 0) {
		s += n;
		each = scan_cross(s) > 0;
		s += each ? scan_cross(s) : strspn(s, " ,(/+&");
		n = scan_gpus(s, gpus);
		s += n;
		each |= published_word_at(s, of_each) > 0;
		s += published_word_at(s, of_each);
		s += *s == ')';
	} else {
		n = scan_count(s, nodes);
		s += n;
		n = n > 0 ? scan_cross(s) : 0;
		s += n;
		n = n > 0 ? scan_count(s, gpus) : 0;
		s += n;
		each = 1;
		n = *s == '\0' ? n : 0;
	}
	if (n == 0)
		return NULL;
	*gpus *= each ? *nodes : 1;
	return *gpus % *nodes == 0 ? s : NULL;
}

int
published_case_read(
    const char *text, long *nodes, long *gpus, const char **rest)
{
	const char *s = text + strspn(text, " ");
	const char *end = read_letters(s, nodes, gpus);

	if (end == NULL)
		end = read_words(s, nodes, gpus);
	if (end == NULL)
		return 0;
	*rest = end + strspn(end, " ");
	*rest += strspn(*rest, "_");
	return 1;
}

/* --- counts of rows ------------------------------------------------------- */

/* A count and the cell that states it, or NULL. */
struct stated_count {
	long n;
	const struct published_cell *cell;
};

/* Counts stated by the columns of a row: by role, and from a case. */
enum { CASE_GPUS = PUBLISHED_CASE, CASE_NODES = PUBLISHED_RATE, N_COUNTS };
struct row_counts {
	struct stated_count by[N_COUNTS];
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
    long n, struct stated_count *out)
{
	if (out->cell == NULL)
		*out = (struct stated_count){ n, cell };
	else if (out->n != n)
		published_row_refuse(row, cell, REMARK_CELL_CONTRADICTS);
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
		if (nodes != PUBLISHED_UNKNOWN)
			state_count(row, cell, nodes, &c->by[CASE_NODES]);
		state_count(row, cell, n, &c->by[CASE_GPUS]);
		if (*rest != '\0')
			row->label = arena_strdup(a, rest);
	} else if (cell->kind == PUBLISHED_EMPTY || role < PUBLISHED_NODES ||
	    role > PUBLISHED_GLOBAL_BATCH) {
		return;
	} else if (whole_parse(cell->text, strlen(cell->text), 1, 1000000000,
		       &n) == UNITS_OK) {
		state_count(row, cell, n, &c->by[role]);
	} else if (role != PUBLISHED_GLOBAL_BATCH) { /* a label */
		published_row_refuse(row, cell, REMARK_CELL_NO_COUNT);
	}
}

/* --- "gpu_num": total or per node ----------------------------------------- */

/* Evidence on what a column "gpu_num" counts. */
struct count_reading {
	long one_node;   /* most GPUs in rows of one node, or 0 */
	size_t several;  /* number of rows with several nodes */
	size_t known;    /* of these, with GPUs in other columns */
	int total, each; /* 1: rows allow this meaning */
};

static long
nodes_of(const struct row_counts *c)
{
	return c->by[PUBLISHED_NODES].cell != NULL ? c->by[PUBLISHED_NODES].n
						   : c->by[CASE_NODES].n;
}

/* Total GPUs of a row from other columns, or PUBLISHED_UNKNOWN. */
static long
gpus_of(const struct row_counts *c)
{
	if (c->by[CASE_GPUS].cell != NULL)
		return c->by[CASE_GPUS].n;
	if (c->by[PUBLISHED_GPUS].cell != NULL ||
	    nodes_of(c) == PUBLISHED_UNKNOWN ||
	    c->by[PUBLISHED_NODE_GPUS].cell == NULL)
		return c->by[PUBLISHED_GPUS].n;
	return nodes_of(c) * c->by[PUBLISHED_NODE_GPUS].n;
}

static struct count_reading
read_gpu_count(const struct row_counts *counts, size_t n)
{
	struct count_reading r = { 0, 0, 0, 1, 1 };
	long total, each;

	for (size_t i = 0; i < n; i++)
		if (nodes_of(&counts[i]) == 1 &&
		    counts[i].by[PUBLISHED_GPU_COUNT].n > r.one_node)
			r.one_node = counts[i].by[PUBLISHED_GPU_COUNT].n;
	total = each = r.one_node;
	for (size_t i = 0; i < n; i++) {
		const long nodes = nodes_of(&counts[i]);
		const long known = gpus_of(&counts[i]);
		const long count = counts[i].by[PUBLISHED_GPU_COUNT].n;

		if (nodes <= 1 || count <= 0)
			continue;
		r.several++;
		if (known != PUBLISHED_UNKNOWN) {
			r.known++;
			r.each &= count * nodes == known;
			r.total &= count == known;
			continue;
		}
		if (each == 0) {
			each = count;
			total = count / nodes;
		}
		r.each &= count == each;
		r.total &= count % nodes == 0 && count / nodes == total;
	}
	return r;
}

/* Decide whether an ambiguous column counts the GPUs of all nodes or of each,
 * with a remark if the rows do not decide it. */
static void
settle_gpu_count(
    struct published *p, struct published_table *t, struct row_counts *counts)
{
	const struct count_reading r = read_gpu_count(counts, t->n_rows);
	const int is_each = r.several > 0 && r.each && !r.total;

	for (size_t i = 0; i < t->n_columns; i++) {
		struct published_column *c = &t->columns[i];

		if (c->role != PUBLISHED_GPU_COUNT)
			continue;
		c->role = is_each ? PUBLISHED_NODE_GPUS : PUBLISHED_GPUS;
		if (is_each && r.known == 0)
			published_remark(p, t, REMARK_GPUS_OF_EACH, c->head);
		else if (!is_each && r.several > 0 && r.each == r.total)
			published_remark(p, t, REMARK_GPUS_OF_EITHER, c->head);
	}
	for (size_t i = 0; i < t->n_rows; i++)
		if (counts[i].by[PUBLISHED_GPU_COUNT].cell != NULL)
			state_count(&t->rows[i],
			    counts[i].by[PUBLISHED_GPU_COUNT].cell,
			    counts[i].by[PUBLISHED_GPU_COUNT].n,
			    is_each ? &counts[i].by[PUBLISHED_NODE_GPUS]
				    : &counts[i].by[PUBLISHED_GPUS]);
}

/* --- counts of a row ------------------------------------------------------ */

/* Merge a count of a column with that of the row's case. */
static struct stated_count
agree_count(struct published_row *row, struct stated_count column,
    struct stated_count of_case)
{
	if (column.cell == NULL)
		return of_case;
	if (of_case.cell != NULL && of_case.n != column.n)
		published_row_refuse(
		    row, column.cell, REMARK_CELL_CONTRADICTS_CASE);
	return column;
}

/* Derive the missing one of nodes, GPUs per node and total GPUs; refuse
 * contradictions. */
static void
complete_counts(struct published_row *row, const struct row_counts *c)
{
	const struct stated_count nodes =
	    agree_count(row, c->by[PUBLISHED_NODES], c->by[CASE_NODES]);
	const struct stated_count gpus =
	    agree_count(row, c->by[PUBLISHED_GPUS], c->by[CASE_GPUS]);

	row->nodes = nodes.n;
	row->gpus = gpus.n;
	row->node_gpus = c->by[PUBLISHED_NODE_GPUS].n;
	if (row->problem == REMARK_NONE && nodes.cell != NULL &&
	    c->by[PUBLISHED_NODE_GPUS].cell != NULL) {
		row->gpus = nodes.n * c->by[PUBLISHED_NODE_GPUS].n;
		if (c->by[PUBLISHED_GPUS].cell != NULL && gpus.n != row->gpus)
			published_row_refuse(row, c->by[PUBLISHED_GPUS].cell,
			    REMARK_CELL_NO_PRODUCT);
		else if (gpus.cell != NULL && gpus.n != row->gpus)
			published_row_refuse(row,
			    c->by[PUBLISHED_NODE_GPUS].cell,
			    REMARK_CELL_CONTRADICTS_CASE);
	} else if (row->problem == REMARK_NONE && nodes.cell != NULL &&
	    gpus.cell != NULL) {
		if (gpus.n % nodes.n != 0)
			published_row_refuse(
			    row, nodes.cell, REMARK_CELL_UNEVEN);
		row->node_gpus = gpus.n / nodes.n;
	}
	/* A refused row has no counts. */
	if (row->problem != REMARK_NONE)
		row->nodes = row->gpus = row->node_gpus = PUBLISHED_UNKNOWN;
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

/* Decide whether rows are strong scaling (same global batch) or weak scaling.
 * Speedups are over a row with the same batch. */
static void
settle_global_batch(struct published *p, struct published_table *t)
{
	const size_t n_each = count_shared(t, 1), n_all = count_shared(t, 0);

	t->strong = n_all > n_each;
	if (n_all > 0 && n_all == n_each)
		published_remark(p, t, REMARK_BATCH_MAY_GROW, NULL);
}

/* Set the batch per device: from its column, else from the global batch. */
static void
complete_batch(struct published_row *row, const struct row_counts *c)
{
	row->batch = c->by[PUBLISHED_BATCH].n;
	row->global_batch = c->by[PUBLISHED_GLOBAL_BATCH].n;
	if (c->by[PUBLISHED_BATCH].cell == NULL &&
	    c->by[PUBLISHED_GLOBAL_BATCH].cell != NULL &&
	    row->gpus != PUBLISHED_UNKNOWN &&
	    row->global_batch % row->gpus == 0)
		row->batch = row->global_batch / row->gpus;
}

/* Add a remark that "2x8" was read as nodes and GPUs per node. */
static void
remark_products(struct published *p, struct published_table *t)
{
	for (size_t i = 0; i < t->n_rows; i++)
		for (size_t k = 0; k < t->n_columns; k++) {
			const char *text = t->rows[i].cells[k].text;

			if (t->columns[k].role != PUBLISHED_CASE ||
			    t->rows[i].nodes == PUBLISHED_UNKNOWN ||
			    text[strspn(text, "0123456789 xX*\xc3\x97")] !=
				'\0')
				continue;
			published_remark(p, t, REMARK_READ_AS_PRODUCT, text);
			return;
		}
}

void
published_counts_read(struct published *p, struct published_table *t)
{
	struct row_counts *counts = xcalloc(t->n_rows + 1, sizeof *counts);

	for (size_t i = 0; i < t->n_rows; i++) {
		for (int k = 0; k < N_COUNTS; k++)
			counts[i].by[k].n = PUBLISHED_UNKNOWN;
		for (size_t k = 0; k < t->n_columns; k++)
			read_count(&p->arena, &t->rows[i], &t->rows[i].cells[k],
			    t->columns[k].role, &counts[i]);
	}
	settle_gpu_count(p, t, counts);
	for (size_t i = 0; i < t->n_rows; i++) {
		complete_counts(&t->rows[i], &counts[i]);
		complete_batch(&t->rows[i], &counts[i]);
	}
	settle_global_batch(p, t);
	remark_products(p, t);
	free(counts);
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
