/* Tables of the kernel calls of a step and their rooflines. */
#include <config.h>

#include "trainer/device/call_table.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/alloc.h"

double
roof_memory_s(const struct roof *r, double bytes)
{
	double s = 0, done = 0;

	for (int i = 0; i < r->n_caches && done < bytes; i++) {
		const struct roof_cache *c = &r->caches[i];
		const double end = bytes < c->size ? bytes : c->size;

		if (end <= done)
			continue;
		s += (end - done) / c->bytes_per_s;
		done = end;
	}
	return s + (bytes - done) / r->bytes_per_s;
}

static void
append_row(struct call_table *t, const struct call_row *row)
{
	t->rows = vec_grow(t->rows, t->n, &t->alloc, sizeof *t->rows);
	t->rows[t->n++] = *row;
}

void
call_table_add(struct call_table *t, const struct call_row *row)
{
	const double saving = row->saving > 0 ? row->saving : 1;
	const double compute = row->flop / saving / t->roof->flop_per_s;
	const double memory = roof_memory_s(t->roof, row->bytes);
	struct call_row own = *row;

	own.calls = 1;
	own.memory_bound = memory >= compute;
	own.roof_s = own.memory_bound ? memory : compute;
	append_row(t, &own);
}

void
call_table_release(struct call_table *t)
{
	free(t->rows);
	t->rows = NULL;
	t->n = t->alloc = 0;
}

/* --- sums ----------------------------------------------------------------- */

static void
add_to_row(struct call_row *to, const struct call_row *c)
{
	to->calls += c->calls;
	to->flop += c->flop;
	to->bytes += c->bytes;
	to->seconds += c->seconds;
	to->roof_s += c->roof_s;
}

struct call_row
call_table_sum(const struct call_table *t)
{
	struct call_row all = { .kind_name = "all", .node = "" };

	for (size_t i = 0; i < t->n; i++)
		add_to_row(&all, &t->rows[i]);
	return all;
}

static int
by_kind(const void *a, const void *b)
{
	const struct call_row *x = a, *y = b;

	return (x->kind > y->kind) - (x->kind < y->kind);
}

static int
furthest_from_roof(const void *a, const void *b)
{
	const struct call_row *x = a, *y = b;
	const double beyond_x = x->seconds - x->roof_s;
	const double beyond_y = y->seconds - y->roof_s;

	if (beyond_x != beyond_y)
		return beyond_x > beyond_y ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Sum the rows of each kind, in the order of kinds; with whole_kinds 0, only
 * equal calls, those furthest from their roofs first. Release the result. */
static struct call_table
join_rows(const struct call_table *t, int whole_kinds)
{
	struct call_table out = { .roof = t->roof };

	for (size_t i = 0; i < t->n; i++) {
		const struct call_row *c = &t->rows[i], *sum;
		size_t k = 0;

		for (; k < out.n; k++) {
			sum = &out.rows[k];
			if (sum->kind == c->kind &&
			    (whole_kinds ||
				(sum->fused == c->fused &&
				    sum->flop == c->flop * sum->calls &&
				    sum->bytes == c->bytes * sum->calls &&
				    sum->saving == c->saving)))
				break;
		}
		if (k == out.n)
			append_row(&out, c);
		else
			add_to_row(&out.rows[k], c);
	}
	if (out.n > 0)
		qsort(out.rows, out.n, sizeof *out.rows,
		    whole_kinds ? by_kind : furthest_from_roof);
	return out;
}

/* Sums by kind, followed by the total. Release the result. */
static struct call_table
sum_kinds(const struct call_table *t)
{
	const struct call_row all = call_table_sum(t);
	struct call_table sums = join_rows(t, 1);

	for (size_t i = 0; i < sums.n; i++)
		sums.rows[i].node = "";
	append_row(&sums, &all);
	return sums;
}

/* --- tables --------------------------------------------------------------- */

/* Add a line; first is the index of a call, or the number of calls of a sum. */
static void
show_planned(const struct call_row *c, int first, const char *fused,
    const char *last, struct strbuf *out)
{
	strbuf_printf(out, "%5d  %-18s %-28s %-5s %10.3f %10.3f %9.2f  %s\n",
	    first, c->kind_name, c->node, fused, c->flop / 1e9, c->bytes / 1e6,
	    1e6 * c->roof_s, last);
}

static const char *
bound_by(const struct call_row *c)
{
	return c->memory_bound ? "memory" : "compute";
}

void
call_table_show_planned(const struct call_table *t, struct strbuf *out)
{
	struct call_table sums = sum_kinds(t);
	char share[32];

	strbuf_printf(out, "%5s  %-18s %-28s %-5s %10s %10s %9s  %s\n", "index",
	    "kind", "node", "fused", "GFLOP", "MB", "roof us", "bound by");
	for (size_t i = 0; i < t->n; i++)
		show_planned(&t->rows[i], (int)i, t->rows[i].fused ? "yes" : "",
		    bound_by(&t->rows[i]), out);
	strbuf_printf(out, "\n%5s  %-18s %-28s %-5s %10s %10s %9s  %s\n",
	    "calls", "kind", "", "", "GFLOP", "MB", "roof us", "share");
	for (size_t i = 0; i < sums.n; i++) {
		snprintf(share, sizeof share, "%5.1f %%",
		    100 * sums.rows[i].roof_s / sums.rows[sums.n - 1].roof_s);
		show_planned(&sums.rows[i], sums.rows[i].calls, "", share, out);
	}
	call_table_release(&sums);
}

static void
show_measured(const char *front, const struct call_row *c, const char *last,
    struct strbuf *out)
{
	const double s = c->seconds;

	strbuf_printf(out,
	    "%s%5d  %-18s %-28s %9.3f %10.3f %10.2f %8.1f %7.1f %6.3f %9.3f  "
	    "%s\n",
	    front, c->calls, c->kind_name, c->node, 1e3 * s, c->flop / 1e9,
	    c->bytes / 1e6, s > 0 ? c->flop / s / 1e9 : 0.0,
	    s > 0 ? c->bytes / s / 1e9 : 0.0, s > 0 ? c->roof_s / s : 0.0,
	    1e3 * (s - c->roof_s), last);
}

static void
show_measured_head(
    const char *front, const char *node, const char *last, struct strbuf *out)
{
	strbuf_printf(out,
	    "%s%5s  %-18s %-28s %9s %10s %10s %8s %7s %6s %9s  %s\n", front,
	    "calls", "kind", node, "ms", "GFLOP", "MB", "GFLOP/s", "GB/s",
	    "share", "beyond ms", last);
}

void
call_table_show_measured(
    const struct call_table *t, const char *front, struct strbuf *out)
{
	struct call_table joined = join_rows(t, 0);
	struct call_table sums = sum_kinds(t);
	char share[32];

	show_measured_head(front, "first node", "bound by", out);
	for (size_t i = 0; i < joined.n; i++)
		show_measured(
		    front, &joined.rows[i], bound_by(&joined.rows[i]), out);
	show_measured_head(front, "", "of the time", out);
	for (size_t i = 0; i < sums.n; i++) {
		snprintf(share, sizeof share, "%.1f %%",
		    100 * sums.rows[i].seconds / sums.rows[sums.n - 1].seconds);
		show_measured(front, &sums.rows[i], share, out);
	}
	call_table_release(&joined);
	call_table_release(&sums);
}

/* Add a name with '-' in place of spaces. */
static void
add_word(struct strbuf *out, const char *name)
{
	for (; *name != '\0'; name++)
		strbuf_addch(out, *name == ' ' ? '-' : *name);
}

void
call_row_show(const struct call_row *c, struct strbuf *out)
{
	strbuf_printf(out, "call index=%d kind=", c->index);
	add_word(out, c->kind_name);
	strbuf_addstr(out, " node=");
	add_word(out, c->node);
	strbuf_printf(out, " fused=%d us=%.3f flop=%.6g bytes=%.6g", c->fused,
	    1e6 * c->seconds, c->flop, c->bytes);
	if (c->roof_s > 0)
		strbuf_printf(out, " roof_us=%.3f share=%.4f", 1e6 * c->roof_s,
		    c->seconds > 0 ? c->roof_s / c->seconds : 0.0);
	strbuf_addch(out, '\n');
}
