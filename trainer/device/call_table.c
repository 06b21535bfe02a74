/* Tables of the calls of a step next to their roofs. The devices make the rows:
 * cuda without times (--plan), cpu with them (--profile). */
#include <config.h>

#include "trainer/device/call_table.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/alloc.h"

double
roof_compute_s(const struct roof *r, double flop)
{
	return flop / r->flop_per_s;
}

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

/* Operations that are done: fewer than those of the definition where the
 * algorithm saves some. */
static double
done_flop(const struct call_row *c)
{
	return c->saving > 0 ? c->flop / c->saving : c->flop;
}

static int
call_count(const struct call_row *c)
{
	return c->calls > 0 ? c->calls : 1;
}

/* Equal calls have the roof of one that many times. */
static double
memory_s(const struct roof *r, const struct call_row *c)
{
	const int n = call_count(c);

	return n * roof_memory_s(r, c->bytes / n);
}

double
roof_call_s(const struct roof *r, const struct call_row *c)
{
	const double compute = roof_compute_s(r, done_flop(c));
	const double memory = memory_s(r, c);

	return memory > compute ? memory : compute;
}

static const char *
bound_by(const struct roof *r, const struct call_row *c)
{
	return memory_s(r, c) >= roof_compute_s(r, done_flop(c)) ? "memory"
								 : "compute";
}

void
call_table_add(struct call_table *t, const struct call_row *row)
{
	t->rows = vec_grow(t->rows, t->n, &t->alloc, sizeof *t->rows);
	t->rows[t->n] = *row;
	t->rows[t->n++].calls = call_count(row);
}

void
call_table_release(struct call_table *t)
{
	free(t->rows);
	t->rows = NULL;
	t->n = t->alloc = 0;
}

/* --- sums ----------------------------------------------------------------- */

/* Rows that are added up.  Their roofs are, too: a sum has none of its own. */
struct call_sum {
	struct call_row row;
	double roof_s;
};

static void
add_to_sum(
    struct call_sum *s, const struct call_table *t, const struct call_row *c)
{
	s->row.calls += c->calls;
	s->row.flop += c->flop;
	s->row.bytes += c->bytes;
	s->row.seconds += c->seconds;
	s->roof_s += roof_call_s(t->roof, c);
}

static struct call_sum
sum_all(const struct call_table *t)
{
	struct call_sum all = { .row = { .kind_name = "all", .node = "" } };

	for (size_t i = 0; i < t->n; i++)
		add_to_sum(&all, t, &t->rows[i]);
	return all;
}

struct call_row
call_table_sum(const struct call_table *t)
{
	return sum_all(t).row;
}

double
call_table_roof_s(const struct call_table *t)
{
	return sum_all(t).roof_s;
}

/* The sum of the kind that follows `kind` in order.  Returns 0 after the
 * last. */
static int
next_kind(const struct call_table *t, int kind, struct call_sum *s)
{
	const struct call_row *first = NULL;

	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].kind > kind &&
		    (first == NULL || t->rows[i].kind < first->kind))
			first = &t->rows[i];
	if (first == NULL)
		return 0;
	*s = (struct call_sum){ .row = { .kind = first->kind,
				    .kind_name = first->kind_name,
				    .node = "" } };
	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].kind == first->kind)
			add_to_sum(s, t, &t->rows[i]);
	return 1;
}

/* --- without times -------------------------------------------------------- */

static void
show_planned_sum(const struct call_sum *s, double all_s, struct strbuf *out)
{
	strbuf_printf(out,
	    "%5d  %-18s %-28s %-5s %10.3f %10.3f %9.2f  %5.1f %%\n",
	    s->row.calls, s->row.kind_name, "", "", s->row.flop / 1e9,
	    s->row.bytes / 1e6, 1e6 * s->roof_s, 100 * s->roof_s / all_s);
}

void
call_table_show_planned(const struct call_table *t, struct strbuf *out)
{
	const struct call_sum all = sum_all(t);
	struct call_sum s = { .row = { .kind = -1 } };

	strbuf_printf(out, "%5s  %-18s %-28s %-5s %10s %10s %9s  %s\n", "index",
	    "kind", "node", "fused", "GFLOP", "MB", "roof us", "bound by");
	for (size_t i = 0; i < t->n; i++) {
		const struct call_row *c = &t->rows[i];

		strbuf_printf(out,
		    "%5d  %-18s %-28s %-5s %10.3f %10.3f %9.2f  %s\n", (int)i,
		    c->kind_name, c->node, c->fused ? "yes" : "", c->flop / 1e9,
		    c->bytes / 1e6, 1e6 * roof_call_s(t->roof, c),
		    bound_by(t->roof, c));
	}
	strbuf_printf(out, "\n%5s  %-18s %-28s %-5s %10s %10s %9s  %s\n",
	    "calls", "kind", "", "", "GFLOP", "MB", "roof us", "share");
	while (next_kind(t, s.row.kind, &s))
		show_planned_sum(&s, all.roof_s, out);
	show_planned_sum(&all, all.roof_s, out);
}

/* --- with times ----------------------------------------------------------- */

static int
are_equal(const struct call_row *a, const struct call_row *b)
{
	const double n = a->calls, m = b->calls;

	return a->kind == b->kind && a->fused == b->fused &&
	    a->flop * m == b->flop * n && a->bytes * m == b->bytes * n &&
	    a->saving == b->saving;
}

/* All rows, equal ones joined. */
static struct call_table
join_equal(const struct call_table *t)
{
	struct call_table out = { .roof = t->roof };

	for (size_t i = 0; i < t->n; i++) {
		const struct call_row *c = &t->rows[i];
		size_t k = 0;

		while (k < out.n && !are_equal(&out.rows[k], c))
			k++;
		if (k == out.n) {
			call_table_add(&out, c);
			continue;
		}
		out.rows[k].calls += c->calls;
		out.rows[k].flop += c->flop;
		out.rows[k].bytes += c->bytes;
		out.rows[k].seconds += c->seconds;
	}
	return out;
}

static double
beyond_roof(const struct call_table *t, const struct call_row *c)
{
	return c->seconds - roof_call_s(t->roof, c);
}

/* The longest beyond its roof first; rows are some hundred at most. */
static void
sort_rows(struct call_table *t)
{
	for (size_t i = 1; i < t->n; i++) {
		const struct call_row c = t->rows[i];
		size_t k = i;

		while (k > 0 &&
		    beyond_roof(t, &t->rows[k - 1]) < beyond_roof(t, &c)) {
			t->rows[k] = t->rows[k - 1];
			k--;
		}
		t->rows[k] = c;
	}
}

static void
show_measured(const struct call_row *c, double roof_s, const char *front,
    const char *bound, struct strbuf *out)
{
	strbuf_printf(out,
	    "%s%5d  %-18s %-28s %9.3f %10.3f %10.2f %8.1f %7.1f %6.3f %9.3f  "
	    "%s\n",
	    front, c->calls, c->kind_name, c->node, 1e3 * c->seconds,
	    c->flop / 1e9, c->bytes / 1e6,
	    c->seconds > 0 ? c->flop / c->seconds / 1e9 : 0.0,
	    c->seconds > 0 ? c->bytes / c->seconds / 1e9 : 0.0,
	    c->seconds > 0 ? roof_s / c->seconds : 0.0,
	    1e3 * (c->seconds - roof_s), bound);
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
	const struct call_sum all = sum_all(t);
	struct call_sum s = { .row = { .kind = -1 } };
	struct call_table joined = join_equal(t);
	char share[32];

	sort_rows(&joined);
	show_measured_head(front, "first node", "bound by", out);
	for (size_t i = 0; i < joined.n; i++) {
		const struct call_row *c = &joined.rows[i];

		show_measured(c, roof_call_s(t->roof, c), front,
		    bound_by(t->roof, c), out);
	}
	show_measured_head(front, "", "of the time", out);
	while (next_kind(t, s.row.kind, &s)) {
		snprintf(share, sizeof share, "%.1f %%",
		    100 * s.row.seconds / all.row.seconds);
		show_measured(&s.row, s.roof_s, front, share, out);
	}
	show_measured(&all.row, all.roof_s, front, "100.0 %", out);
	call_table_release(&joined);
}

/* --- lines ---------------------------------------------------------------- */

/* A name as a value: without spaces. */
static void
add_word(struct strbuf *out, const char *name)
{
	for (; *name != '\0'; name++)
		strbuf_addch(out, *name == ' ' ? '-' : *name);
}

void
call_row_show(
    const struct call_row *c, const struct roof *r, struct strbuf *out)
{
	strbuf_printf(out, "call index=%d kind=", c->index);
	add_word(out, c->kind_name);
	strbuf_addstr(out, " node=");
	add_word(out, c->node);
	strbuf_printf(out, " fused=%d us=%.3f flop=%.6g bytes=%.6g", c->fused,
	    1e6 * c->seconds, c->flop, c->bytes);
	if (r != NULL)
		strbuf_printf(out, " roof_us=%.3f share=%.4f",
		    1e6 * roof_call_s(r, c),
		    c->seconds > 0 ? roof_call_s(r, c) / c->seconds : 0.0);
	strbuf_addch(out, '\n');
}
