/* Collectives by message size, below the table of cases; show calls it. */
#include <config.h>

#include "extract/show_collectives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/collective_groups.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "common/units/units.h"
#include "extract/case_traits.h"

enum { DIGITS = 5, MAX_TEXT = 1 << 16 };

/* One run's row of a case. */
struct collective_entry {
	const struct result_case *c;
	const struct result_collective *x;
	size_t order; /* of the case and the row in the result */
};

/* The size that distinguishes rows: of operations by size it is their bin,
 * because the mean in it differs from run to run. */
static double
row_size(const struct result_collective *x)
{
	return collective_is_by_size(x) ? size_bin(x->bytes) : x->bytes;
}

/* Are two rows the same operation, of different runs?  0 if so. */
static int
compare_rows(const struct collective_entry *p, const struct collective_entry *q)
{
	int d = (p->c > q->c) - (p->c < q->c);

	if (d == 0 && p->x->test != q->x->test)
		d = p->x->test < q->x->test ? -1 : 1;
	if (d == 0)
		d = text_order(p->x->collective, q->x->collective);
	if (d == 0)
		d = text_order(q->x->kind, p->x->kind); /* out, then in */
	if (d == 0)
		d = (row_size(p->x) > row_size(q->x)) -
		    (row_size(p->x) < row_size(q->x));
	return d;
}

static int
compare_entries(const void *a, const void *b)
{
	const struct collective_entry *p = a, *q = b;
	int d = compare_rows(p, q);

	return d != 0 ? d : (p->order > q->order) - (p->order < q->order);
}

static size_t
count_entries(const struct result *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t j = 0; j < r->cases[i].n_runs; j++)
			n += r->cases[i].runs[j].n_collectives;
	return n;
}

static struct collective_entry *
make_entries(const struct result *r, size_t n)
{
	struct collective_entry *all = xcalloc(n, sizeof *all);
	size_t at = 0;

	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t j = 0; j < r->cases[i].n_runs; j++) {
			const struct result_run *run = &r->cases[i].runs[j];

			for (size_t k = 0; k < run->n_collectives; k++, at++)
				all[at] =
				    (struct collective_entry){ &r->cases[i],
					    &run->collectives[k], at };
		}
	qsort(all, n, sizeof *all, compare_entries);
	return all;
}

/* The median over the runs of one member; a blank cell where none has it. */
static void
cell_median(struct table *t, const struct collective_entry *e, size_t n,
    double (*member)(const struct result_collective *))
{
	double *v = xcalloc(n, sizeof *v);
	size_t n_v = 0;

	for (size_t i = 0; i < n; i++) {
		v[n_v] = member(e[i].x);
		n_v += !isnan(v[n_v]);
	}
	if (n_v > 0)
		table_cellf(t, "%.*g", DIGITS, stats_median_reorder(v, n_v));
	else
		table_cell(t, "-");
	free(v);
}

/* How many operations there were in all runs; "-": unknown. */
static void
cell_count(struct table *t, const struct collective_entry *e, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		if (e[i].x->count != RESULT_UNKNOWN)
			sum += (double)e[i].x->count;
	if (sum > 0)
		table_cellf(t, "%.0f", sum);
	else
		table_cell(t, "-");
}

static int
some_count(const struct collective_entry *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (e[i].x->count != RESULT_UNKNOWN)
			return 1;
	return 0;
}

static int
all_by_size(const struct collective_entry *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!collective_is_by_size(e[i].x))
			return 0;
	return 1;
}

/* Bytes, or the bin with its own unit. */
static void
cell_size(struct table *t, const struct result_collective *x)
{
	char label[SIZE_LABEL_SIZE];

	if (collective_is_by_size(x)) {
		size_bin_label(size_bin(x->bytes), ",", label);
		table_cell(t, label);
	} else {
		table_cellf(t, "%.0f", x->bytes);
	}
}

static int
some_test(const struct collective_entry *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (e[i].x->test > 1)
			return 1;
	return 0;
}

static double
time_us(const struct result_collective *x)
{
	return x->time_s * 1e6;
}

static double
algorithm_bandwidth(const struct result_collective *x)
{
	return x->algorithm_gb_per_s;
}

static double
bus_bandwidth(const struct result_collective *x)
{
	return x->bus_gb_per_s;
}

void
show_collectives(const struct result *r, const struct table_format *format,
    enum table_colour colour, FILE *f)
{
	const size_t n = count_entries(r);
	struct collective_entry *all;
	struct strbuf text;
	struct table t;
	int counted, tests, differ[N_CASE_TRAITS];

	if (n == 0)
		return;
	all = make_entries(r, n);
	strbuf_init(&text, MAX_TEXT);
	counted = some_count(all, n);
	tests = some_test(all, n);
	table_init(&t);
	table_title(&t, "Collectives");
	for (int k = 0; k < N_CASE_TRAITS; k++) {
		differ[k] = k != CASE_TRAIT_RULE && k != CASE_TRAIT_UNIT &&
		    case_traits_differ(r, (enum case_trait)k);
		if (differ[k])
			table_column(&t, case_trait_heads[k], NULL,
			    k == CASE_TRAIT_BATCH ? TABLE_RIGHT : TABLE_LEFT);
	}
	table_column(&t, "case", NULL, TABLE_LEFT);
	if (tests)
		table_column(&t, "test", NULL, TABLE_RIGHT);
	table_column(&t, "collective", NULL, TABLE_LEFT);
	table_column(&t, "kind", NULL, TABLE_LEFT);
	table_column(&t, "size", all_by_size(all, n) ? NULL : "B", TABLE_RIGHT);
	if (counted)
		table_column(&t, "operations", NULL, TABLE_RIGHT);
	table_column(&t, "time", "us", TABLE_RIGHT);
	table_column(&t, "algorithm", "GB/s", TABLE_RIGHT);
	table_column(&t, "bus", "GB/s", TABLE_RIGHT);
	table_column(&t, "runs", NULL, TABLE_RIGHT);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1;
		     end < n && compare_rows(&all[i], &all[end]) == 0;)
			end++;
		table_row(&t);
		for (int k = 0; k < N_CASE_TRAITS; k++)
			if (differ[k])
				table_cell(&t,
				    case_trait_of(
					all[i].c, (enum case_trait)k, &text));
		table_cell(&t, all[i].c->name);
		if (tests)
			table_cellf(&t, "%ld", all[i].x->test);
		table_cell(&t, all[i].x->collective);
		table_cell(&t, all[i].x->kind);
		cell_size(&t, all[i].x);
		if (counted)
			cell_count(&t, &all[i], end - i);
		cell_median(&t, &all[i], end - i, time_us);
		cell_median(&t, &all[i], end - i, algorithm_bandwidth);
		cell_median(&t, &all[i], end - i, bus_bandwidth);
		table_cellf(&t, "%zu", end - i);
	}
	table_note(&t,
	    counted ? "Means over all operations of a run, medians over the "
		      "runs; no window, interval or baseline."
		    : "Medians over the runs; no window, interval or "
		      "baseline.");
	fputc('\n', f);
	table_write(&t, format, colour, f);
	table_release(&t);
	strbuf_release(&text);
	free(all);
}
