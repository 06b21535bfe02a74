#include <config.h>

#include "extract/log/sample_store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/tap.h"

enum { MANY = 5000 };

/* The same to the last bit; NaNs are all one. */
static int
same_double(double a, double b)
{
	return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static int
same(const struct sample *a, const struct sample *b)
{
	return same_double(a->value, b->value) &&
	    same_double(a->stamp, b->stamp) && a->line == b->line &&
	    a->epoch == b->epoch && a->iter == b->iter &&
	    a->iter_from == b->iter_from && a->iters == b->iters &&
	    a->rank == b->rank && same_double(a->second, b->second);
}

/* What is shared of a block while it grows is what it held then. */
static void
check_shared(const struct sample *x, size_t n)
{
	enum { SHARES = 1000 };
	struct sample_store all = SAMPLE_STORE_INIT;
	struct sample block[SAMPLE_STORE_BLOCK];
	struct sample_block shared[SHARES];
	size_t ends[SHARES], n_shared = 0, bad = 0;

	for (size_t i = 0; i < n; i++) {
		sample_store_add(&all, &x[i]);
		if (i % 23 == 0 && n_shared < SHARES) {
			ends[n_shared] = i + 1;
			shared[n_shared++] =
			    sample_store_share(&all, all.n_blocks - 1);
		}
	}
	for (size_t k = 0; k < n_shared; k++) {
		const size_t held = sample_block_read(&shared[k], block);

		bad += held != (ends[k] - 1) % SAMPLE_STORE_BLOCK + 1;
		for (size_t j = 0; j < held; j++)
			bad += !same(&block[j], &x[ends[k] - held + j]);
	}
	CHECK_INT(bad, 0);
	sample_store_release(&all);
}

/* Rows hold what the samples do.  Returns what differs; set n_rows to how many
 * there are, 0: they are no rows.
 *
 * x  [n] */
static size_t
different_rows(const struct sample_store *all, const struct sample *x, size_t n,
    size_t *n_rows)
{
	const struct sample_row *rows = sample_store_rows(all, n_rows);
	size_t bad = 0, at = 0;

	if (rows == NULL)
		return *n_rows;
	for (size_t i = 0; i < *n_rows; i++)
		for (size_t k = 0; k < rows[i].n && at < n; k++, at++)
			bad += x[at].epoch != rows[i].epoch ||
			    x[at].iters != rows[i].iters ||
			    x[at].iter !=
				rows[i].iter + rows[i].step * (int64_t)k ||
			    x[at].rank != SAMPLE_NONE ||
			    x[at].iter_from != SAMPLE_NONE ||
			    !isnan(x[at].stamp);
	return bad + (at != n);
}

/* The values of a block that is a row, read alone, are those of its samples.
 * Returns how many differ.
 *
 * x  [n] what unpacking gives */
static size_t
different_values(
    const struct sample_store *all, size_t i, const struct sample *x, size_t n)
{
	double values[SAMPLE_STORE_BLOCK];
	struct sample_row row;
	size_t bad = 0;

	if (sample_store_row_values(all, i, &row, values) == 0)
		return sample_store_row(all, i, &row) > 0;
	bad += row.n != n || row.iter != x[0].iter || row.epoch != x[0].epoch ||
	    row.iters != x[0].iters ||
	    (n > 1 && row.step != (int64_t)x[1].iter - x[0].iter);
	for (size_t j = 0; j < n; j++)
		bad += !same_double(values[j], x[j].value);
	return bad;
}

/* The digits of n numbers, the d-th way: with the least decimals that do for
 * all, or more.  Returns how many decimals; -1: there are no such digits. */
static int
digits_of(const double *x, size_t n, int more, int32_t *digits)
{
	for (int decimals = 0; decimals < 10; decimals++) {
		const double power = pow(10, decimals);
		size_t i;

		for (i = 0; i < n && x[i] >= 0 && !signbit(x[i]) &&
		     x[i] * power < 99999999;
		     i++) {
			digits[i] = (int32_t)(x[i] * power + 0.5);
			if (!same_double(digits[i] / power, x[i]))
				break;
		}
		if (i == n && more-- == 0)
			return decimals;
	}
	return -1;
}

static const int32_t *
whole_column(int32_t *column, int may_leave_out, size_t n)
{
	for (size_t i = 1; i < n; i++)
		may_leave_out &= column[i] == column[0];
	return may_leave_out ? NULL : column;
}

/* Add x [n] of equal stamps as columns; those that hold one number are left out
 * in some ways, digits are stated in some. */
static void
add_columns(
    struct sample_store *all, const struct sample *x, size_t n, unsigned way)
{
	struct {
		int64_t line[97];
		int32_t epoch[97], iter[97], from[97], iters[97], rank[97];
		int32_t digits[97], second_digits[97];
		double value[97], second[97];
	} r;
	struct sample_columns c = { .n = n, .same = x[0], .line = r.line };

	for (size_t i = 0; i < n; i++) {
		r.line[i] = x[i].line;
		r.epoch[i] = x[i].epoch;
		r.iter[i] = x[i].iter;
		r.from[i] = x[i].iter_from;
		r.iters[i] = x[i].iters;
		r.rank[i] = x[i].rank;
		r.value[i] = x[i].value;
		r.second[i] = x[i].second;
	}
	c.epoch = whole_column(r.epoch, way & 1, n);
	c.iter = whole_column(r.iter, way & 2, n);
	c.iter_from = whole_column(r.from, 1, n);
	c.iters = whole_column(r.iters, way & 2, n);
	c.rank = whole_column(r.rank, 1, n);
	c.value = r.value;
	for (size_t i = 0; i < n; i++)
		if (!(way & 1) || !same_double(r.second[i], r.second[0]))
			c.second = r.second;
	c.value_decimals = digits_of(r.value, n, way / 4 % 3 == 2, r.digits);
	c.value_digits =
	    c.value_decimals >= 0 && way / 16 % 4 > 0 ? r.digits : NULL;
	c.second_decimals =
	    digits_of(r.second, n, way / 4 % 3 == 1, r.second_digits);
	c.second_digits =
	    c.second_decimals >= 0 && way / 16 % 4 > 1 ? r.second_digits : NULL;
	/* Digits say all where they have few decimals. */
	if (way / 64 % 2 && c.value_digits != NULL && c.value_decimals <= 9)
		c.value = NULL;
	if (way / 64 % 2 && c.second != NULL && c.second_digits != NULL &&
	    c.second_decimals <= 9)
		c.second = NULL;
	sample_store_add_columns(all, &c);
}

static int
same_kind(const struct sample *a, const struct sample *b)
{
	return a->epoch == b->epoch && a->iters == b->iters &&
	    a->rank == b->rank &&
	    (a->iter_from == SAMPLE_NONE) == (b->iter_from == SAMPLE_NONE) &&
	    isnan(a->second) == isnan(b->second);
}

/* Samples that are added several at a time are kept as those that are added one
 * by one. */
static void
check_together(
    const struct sample_store *one_by_one, const struct sample *x, size_t n)
{
	struct sample_store all = SAMPLE_STORE_INIT;
	struct sample a[SAMPLE_STORE_BLOCK], b[SAMPLE_STORE_BLOCK];
	unsigned way = 0;
	size_t bad = 0, n_rows, want_rows;

	for (size_t i = 0, want = 0, k; i < n; i += k) {
		want = (want * 7 + 5) % 97;
		for (k = 1; k < want && i + k < n &&
		     same_double(x[i].stamp, x[i + k].stamp) &&
		     (way % 8 < 2 || same_kind(&x[i], &x[i + k]));)
			k++;
		add_columns(&all, x + i, k, ++way);
	}
	CHECK_INT(all.n, n);
	CHECK_INT(all.n_blocks, one_by_one->n_blocks);
	CHECK_INT(sample_store_bytes(&all), sample_store_bytes(one_by_one));
	for (size_t i = 0; i < all.n_blocks; i++) {
		struct sample_row r, s;
		const size_t is_row = sample_store_row(&all, i, &r);

		const size_t n_a = sample_store_block(&all, i, a);

		bad += n_a != sample_store_block(one_by_one, i, b);
		bad += different_values(&all, i, a, n_a);
		for (size_t j = 0;
		     j < SAMPLE_STORE_BLOCK && i * SAMPLE_STORE_BLOCK + j < n;
		     j++)
			bad += !same(&a[j], &b[j]);
		bad += is_row != sample_store_row(one_by_one, i, &s);
		if (is_row)
			bad += r.n != s.n || r.step != s.step ||
			    r.iter != s.iter || r.epoch != s.epoch ||
			    r.iters != s.iters;
	}
	bad += different_rows(&all, x, n, &n_rows);
	bad += different_rows(one_by_one, x, n, &want_rows);
	CHECK_INT(bad, 0);
	CHECK_INT(n_rows, want_rows);
	sample_store_release(&all);
}

/* Pack n samples and see that they come out as they went in. */
static size_t
check_round(const struct sample *x, size_t n)
{
	struct sample_store all = SAMPLE_STORE_INIT;
	struct sample block[SAMPLE_STORE_BLOCK];
	size_t bad = 0, bytes;

	for (size_t i = 0; i < n; i++)
		sample_store_add(&all, &x[i]);
	CHECK_INT(all.n, n);
	for (size_t i = 0; i < n; i++) {
		if (i % SAMPLE_STORE_BLOCK == 0)
			sample_store_block(&all, i / SAMPLE_STORE_BLOCK, block);
		bad += !same(&block[i % SAMPLE_STORE_BLOCK], &x[i]);
	}
	CHECK_INT(bad, 0);
	if (n > 0) {
		const struct sample last = sample_store_get(&all, n - 1);

		CHECK(same(&last, &x[n - 1]));
	}
	check_shared(x, n);
	check_together(&all, x, n);
	bytes = sample_store_bytes(&all);
	sample_store_release(&all);
	CHECK_INT(all.n, 0);
	return bytes;
}

/* Lines of a log as they come: an iteration each, now and then another line in
 * between, a new epoch. */
static void
make_usual(struct sample *x, int with_stamps)
{
	for (int i = 0; i < MANY; i++)
		x[i] = (struct sample){ (300 + i * 37 % 100) / 1e3,
			with_stamps ? 1.7e9 + i * 0.301234 : NAN,
			1 + i + i / 33, i / 1000, i % 1000, SAMPLE_NONE, 1000,
			SAMPLE_NONE, NAN };
	for (int i = 0; with_stamps && i < MANY; i++)
		x[i].stamp = round(x[i].stamp * 1e6) / 1e6;
}

static void
test_usual(void)
{
	struct sample *x = xcalloc(MANY, sizeof *x);

	make_usual(x, 0);
	CHECK(check_round(x, MANY) <= 16 * MANY);
	make_usual(x, 1);
	/* Running means next to the values. */
	for (int i = 0; i < MANY; i++)
		x[i].second = (round(300 + 2e4 / (i % 1000 + 1)) + 1) / 1e3;
	CHECK(check_round(x, MANY) <= 16 * MANY + (64 << 10));
	make_usual(x, 0);
	/* The same of rows, some far from each other. */
	for (int i = 0; i < MANY; i++)
		x[i].second = i % 7 == 0 ? i / 1e3 : 0.25;
	check_round(x, MANY);
	make_usual(x, 1);
	/* A chunk is not counted that is begun. */
	CHECK(check_round(x, MANY) <= 16 * MANY + (64 << 10));
	for (size_t n = 0; n < 200; n += 63)
		check_round(x, n);
	free(x);
}

/* Lines of several ranks an iteration, in an order or in none, some of them
 * lost; with and without second values. */
static void
test_ranks(void)
{
	struct sample *x = xcalloc(MANY, sizeof *x);

	for (int kind = 0; kind < 12; kind++) {
		const int ranks = kind % 4 == 0 ? 2 : 3 + 5 * (kind % 4);
		int n = 0;

		for (int i = 0; n < MANY; i++) {
			const int rank = kind < 4 ? i % ranks
			    : kind < 8            ? i % ranks * 3
						  : i * 7919 % ranks;

			if (kind % 3 == 1 && i % 41 == 0)
				continue;
			x[n] = (struct sample){ (300 + i * 37 % 100) / 1e3, NAN,
				1 + i + i / 53, i / 2000, i / ranks % 400,
				SAMPLE_NONE, 400,
				i % 997 == 0 ? SAMPLE_NONE : rank,
				kind % 2 ? (300 + i * 31 % 700) / 1e3 : NAN };
			n++;
		}
		check_round(x, MANY);
	}
	/* As few bytes as a rank alone. */
	for (int i = 0; i < MANY; i++)
		x[i] = (struct sample){ 0.25, NAN, 1 + i, 0, i / 8, SAMPLE_NONE,
			4000, i % 8, NAN };
	CHECK(check_round(x, MANY) <= 7 * MANY + (64 << 10));
	free(x);
}

/* Iterations that run on over some samples each of another epoch, rank and so
 * on, or from one distance to another. */
static void
test_joints(void)
{
	struct sample *x = xcalloc(MANY, sizeof *x);

	for (int kind = 0; kind < 7; kind++) {
		for (int i = 0, iter = 0; i < MANY; i++) {
			/* 2 to 24 of each sort. */
			const int odd = i / (2 + kind * 3 + i / 600) % 2;
			const double second = i % 50 / (odd ? 1e4 : 1e3);

			x[i] = (struct sample){ (300 + i * 37 % 100) / 1e3, NAN,
				1 + i, kind == 0 && odd, iter,
				kind == 1 && odd ? iter - 1 : SAMPLE_NONE,
				kind == 2 && odd ? 7 : 9,
				kind == 3 && odd ? 0 : SAMPLE_NONE,
				kind == 5 || (kind == 4 && odd) ? second
								: NAN };
			if (kind == 6)
				x[i].second = odd ? 0.5 : NAN;
			iter += kind == 6 && odd ? 2 : 1;
		}
		check_round(x, MANY);
	}
	free(x);
}

/* Values at the borders of what the packing knows. */
static void
test_borders(void)
{
	static const double values[] = { 0, -0.0, 1, -1, 0.1, 1e-9, 1e-10,
		4294967295.0, 4294967296.0, 429496729.5, 429496729.6, 1e300,
		INFINITY, -INFINITY, NAN, 5e-324, 0.30000000000000004, 1e9,
		-1e-6, 9e9, 9.1e15, 86399.999999, 1732109123.123456, 1.5 };
	static const int32_t wholes[] = { SAMPLE_NONE, 0, 1, -2, INT32_MAX,
		INT32_MIN, 1000, 63, 64 };
	enum {
		N = sizeof values / sizeof *values,
		M = sizeof wholes / sizeof *wholes
	};
	struct sample *x = xcalloc(N * N * M, sizeof *x);
	size_t n = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			for (int k = 0; k < M; k++, n++)
				x[n] = (struct sample){ values[i], values[j],
					k < 4 ? (int64_t)1 << (15 * k)
					      : INT64_MAX / 2 - k,
					wholes[k], wholes[(i + k) % M],
					wholes[(j + k) % M],
					wholes[(i + j) % M],
					wholes[(i * j + k) % M],
					values[(i + j + k) % N] };
	check_round(x, n);
	free(x);
}

/* Noise in every field. */
static void
test_noise(void)
{
	struct sample *x = xcalloc(MANY, sizeof *x);
	uint64_t state = 88172645463325252u;

	for (size_t i = 0; i < MANY * sizeof *x; i++) {
		/* Marsaglia 2003, "Xorshift RNGs". */
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		((unsigned char *)x)[i] = (unsigned char)state;
	}
	for (int i = 0; i < MANY; i++)
		x[i].line &= INT64_MAX / 2;
	check_round(x, MANY);
	free(x);
}

/* Add n samples, of so many in a row. */
static void
fill(struct sample_store *all, size_t n, int in_row)
{
	for (size_t i = 0; i < n; i++) {
		const struct sample x = { 0.25, NAN, (int64_t)i + 1,
			(int32_t)(i / (size_t)in_row),
			(int32_t)(i % (size_t)in_row * 10), SAMPLE_NONE, 1000,
			SAMPLE_NONE, NAN };

		sample_store_add(all, &x);
	}
}

/* Rows are kept where they are long, a few of them may be short. */
static void
test_rows(void)
{
	static const struct {
		size_t n;
		int in_row;
		size_t rows;
	} cases[] = { { 1, 10, 1 }, { 2, 10, 1 }, { 5000, 5000, 1 },
		{ 5000, 500, 10 }, { 60, 1, 60 }, { 5000, 2, 0 },
		{ 100000, 70, 1429 }, { 100000, 30, 0 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct sample_store all = SAMPLE_STORE_INIT;
		size_t n;

		fill(&all, cases[i].n, cases[i].in_row);
		CHECK((sample_store_rows(&all, &n) != NULL) ==
		    (cases[i].rows > 0));
		CHECK_INT(n, cases[i].rows);
		sample_store_release(&all);
	}
}

/* What is large stands in few chunks. */
static void
test_chunks(void)
{
	struct sample_store all = SAMPLE_STORE_INIT;

	fill(&all, 1000000, 1000);
	CHECK(sample_store_bytes(&all) < 16 * all.n);
	CHECK(all.n_chunks > 16);
	CHECK(all.n_chunks < 16 + 6);
	CHECK_INT(sample_store_get(&all, 999999).iter, 9990);
	CHECK_INT(sample_store_get(&all, 500000).line, 500001);
	sample_store_release(&all);
}

/* Stores that go on where others ended share their chunk, and are taken off
 * again. */
static void
test_go_on(void)
{
	struct sample_store all = SAMPLE_STORE_INIT, room = SAMPLE_STORE_INIT;
	struct sample_store start;
	size_t bytes, n;

	fill(&all, 100, 10);
	start = all;
	bytes = sample_store_bytes(&all);
	for (int k = 0; k < 20; k++) {
		struct sample_store more = SAMPLE_STORE_INIT;

		sample_store_go_on(&more, &room);
		fill(&more, 300, 100);
		sample_store_go_on(&room, &more);
		sample_store_join(&all, &more, all.n == 100 ? 100 : 1000);
	}
	CHECK_INT(all.n, 6100);
	CHECK_INT(all.n_chunks, 2);
	CHECK(sample_store_bytes(&all) < 2 * (64 << 10) + 16 * 6100);
	CHECK_INT(sample_store_get(&all, 99).line, 100);
	CHECK_INT(sample_store_get(&all, 100).line, 101);
	CHECK_INT(sample_store_get(&all, 6099).line, 1300);
	CHECK(sample_store_rows(&all, &n) != NULL);
	CHECK_INT(n, 10 + 20 * 3);
	sample_store_unjoin(&all, &start);
	CHECK_INT(all.n, 100);
	CHECK_INT(all.n_chunks, 1);
	CHECK(sample_store_rows(&all, &n) != NULL);
	CHECK_INT(n, 10);
	CHECK(sample_store_bytes(&all) >= bytes);
	fill(&all, 1000, 500);
	CHECK_INT(all.n, 1100);
	for (size_t i = 0; i < 100; i++)
		CHECK_INT(sample_store_get(&all, i).line, i + 1);
	CHECK_INT(sample_store_get(&all, 100).line, 1);
	CHECK_INT(sample_store_get(&all, 1099).line, 1000);
	sample_store_release(&all);
	sample_store_release(&room);
}

static const struct tap_test tests[] = {
	TEST(test_usual),
	TEST(test_ranks),
	TEST(test_joints),
	TEST(test_borders),
	TEST(test_noise),
	TEST(test_rows),
	TEST(test_chunks),
	TEST(test_go_on),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
