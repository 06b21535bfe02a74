/* Compare the kernels of cpu_kernels.h that normalise panels with loops in
 * double precision, for each table that this CPU can run.
 *
 * A result in fp32 is accurate to 8 roundings of the sizes of its terms, as no
 * element takes more; a sum to 80, as a float accumulates 64 terms, a few such
 * sums are joined, and a term itself has up to four. Masks are compared where
 * the value that they test is either exactly 0 or far from it.
 */
#include <config.h>

#include "tests/unit/kernel_arrays.h"

#ifdef HAVE_DNNL

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sums that a kernel accumulates into, followed by one guard value. */
struct sums {
	float got[CPU_BLOCK_MAX + 1];
	struct term want[CPU_BLOCK_MAX + 1];
};

static void
sums_begin(struct sums *s)
{
	for (int c = 0; c <= CPU_BLOCK_MAX; c++) {
		s->got[c] = (float)next_uniform();
		s->want[c].value = (double)s->got[c];
		s->want[c].size = fabs(s->want[c].value);
	}
}

static void
sums_add(struct sums *s, size_t c, double x)
{
	s->want[c].value += x;
	s->want[c].size += fabs(x);
}

static void
sums_check(const struct cpu_kernels *k, const char *what, const struct sums *s,
    int block)
{
	for (int c = 0; c <= CPU_BLOCK_MAX; c++)
		check_near(k, what, (size_t)c, (double)s->got[c], s->want[c],
		    c < block ? 80 * ROUNDING * s->want[c].size : 0);
}

/* An array to normalise, and the statistics of its channels. */
struct side {
	struct array x;
	float mean[CPU_BLOCK_MAX], scale[CPU_BLOCK_MAX], shift[CPU_BLOCK_MAX];
	struct cpu_norm norm;
};

struct panel_test {
	const struct cpu_kernels *k;
	struct cpu_panel p;
	size_t shift; /* bytes before the panel in its array */
	struct side a;
	struct array add, dy, y;
	float k0[CPU_BLOCK_MAX], k1[CPU_BLOCK_MAX];
};

static struct term
normed(const struct panel_test *t, const struct side *s, size_t i)
{
	const size_t c = i % (size_t)t->p.block;
	const double shift = (double)s->shift[c];
	const double scaled =
	    (element_get(t->k, &s->x, i) - (double)s->mean[c]) *
	    (double)s->scale[c];

	return (struct term){ scaled + shift, fabs(scaled) + fabs(shift) };
}

/* Fill with values whose norm is exactly 0 or far from it. It is 0 at some
 * places where x is the mean and the shift is 0 and, if `ends`, in the last
 * channel, which is padding. */
static void
side_init(const struct panel_test *t, struct side *s, int ends)
{
	const size_t block = (size_t)t->p.block;

	memset(s, 0, sizeof *s);
	for (size_t c = 0; c < block - (size_t)ends; c++) {
		s->mean[c] = (float)element_rounded(t->k, next_uniform());
		s->scale[c] = (float)(next_uniform() / 2);
		s->scale[c] += s->scale[c] < 0 ? -0.5F : 0.5F;
		s->shift[c] = next_random(4) == 0 ? 0 : (float)next_uniform();
	}
	s->x = array_random(t->k, t->p.n, t->shift);
	for (size_t i = 0; i < t->p.n; i++) {
		const size_t c = i % block;
		const int at_mean = fabsf(s->shift[c]) <= 0 &&
		    (next_random(4) == 0 || fabsf(s->scale[c]) <= 0);

		if (at_mean)
			element_set(t->k, &s->x, i, (double)s->mean[c]);
		while (!at_mean && fabs(normed(t, s, i).value) < 1e-5)
			element_set(t->k, &s->x, i, next_uniform());
	}
	s->norm = (struct cpu_norm){ s->x.at, s->mean, s->scale, s->shift };
}

/* Half of y is 0, of either sign, as after a ReLU. */
static void
panel_init(struct panel_test *t, const struct cpu_kernels *k, int block,
    unsigned pixels)
{
	const int ends = (int)next_random(2);

	memset(t, 0, sizeof *t);
	t->k = k;
	t->p.block = block;
	t->p.n = (size_t)block * pixels;
	t->shift = next_random(2) * (size_t)block * element_size(k);
	side_init(t, &t->a, ends);
	t->add = array_random(k, t->p.n, t->shift);
	t->dy = array_random(k, t->p.n, t->shift);
	t->y = array_random(k, t->p.n, t->shift);
	for (size_t i = 0; i < t->p.n; i++)
		if (next_random(2) == 0)
			element_set(
			    k, &t->y, i, next_random(2) == 0 ? 0 : -0.0);
	for (int c = 0; c < block - ends; c++) {
		t->k0[c] = (float)next_uniform();
		t->k1[c] = (float)next_uniform();
	}
}

static void
panel_end(struct panel_test *t)
{
	array_end(&t->a.x);
	array_end(&t->add);
	array_end(&t->dy);
	array_end(&t->y);
}

/* Panels of few vectors, of about 256, where sums are split, and of random
 * sizes. */
static unsigned
pixels_of(unsigned trial)
{
	if (trial < 9)
		return 1 + trial;
	if (trial < 21)
		return 254 + (trial - 9);
	return 1 + next_random(330);
}

static void
each_panel(void (*check)(const struct panel_test *t))
{
	const struct cpu_kernels *tables[MAX_TABLES];
	const int n = kernels_find_all(tables);

	for (int i = 0; i < n; i++)
		for (int block = tables[i]->lanes; block <= CPU_BLOCK_MAX;
		     block *= 2)
			for (unsigned trial = 0; trial < 33; trial++) {
				struct panel_test t;

				panel_init(
				    &t, tables[i], block, pixels_of(trial));
				check(&t);
				panel_end(&t);
			}
}

static void
check_stats(const struct panel_test *t)
{
	struct sums sum, squares;

	sums_begin(&sum);
	sums_begin(&squares);
	for (size_t i = 0; i < t->p.n; i++) {
		const size_t c = i % (size_t)t->p.block;
		const double x =
		    element_get(t->k, &t->a.x, i) - (double)t->k0[c];

		sums_add(&sum, c, x);
		sums_add(&squares, c, x * x);
	}
	t->k->stats(t->p, t->a.x.at, t->k0, sum.got, squares.got);
	sums_check(t->k, "stats, sum", &sum, t->p.block);
	sums_check(t->k, "stats, squares", &squares, t->p.block);
}

static void
test_stats(void)
{
	each_panel(check_stats);
}

static struct term
norm_wanted(const struct panel_test *t, size_t i, int adds, int relu)
{
	struct term want = normed(t, &t->a, i);

	if (adds) {
		want.value += element_get(t->k, &t->add, i);
		want.size += fabs(element_get(t->k, &t->add, i));
	}
	if (relu)
		want.value = fmax(want.value, 0);
	return want;
}

static void
check_norm(const struct panel_test *t)
{
	struct cpu_panel past = t->p;

	past.past = 1;
	for (int way = 0; way < 4; way++) {
		const int adds = way & 1, relu = way >> 1;
		const void *add = adds ? t->add.at : NULL;
		struct array y = array_empty(t->k, t->p.n, t->shift);
		struct array z = array_copy(&y, WRITTEN);

		t->k->norm(t->p, &t->a.norm, add, relu, y.at);
		t->k->norm(past, &t->a.norm, add, relu, z.at);
		for (size_t i = 0; i < t->p.n; i++)
			check_element(t->k, "norm", &y, i,
			    norm_wanted(t, i, adds, relu), 8);
		CHECK(array_equal(&y, &z));
		array_end(&y);
		array_end(&z);
	}
}

static void
test_norm(void)
{
	each_panel(check_norm);
}

static void
check_norm_back_sums(const struct panel_test *t)
{
	for (int relu = 0; relu < 2; relu++) {
		struct sums sum, dot;

		sums_begin(&sum);
		sums_begin(&dot);
		for (size_t i = 0; i < t->p.n; i++) {
			const size_t c = i % (size_t)t->p.block;
			const double d = element_get(t->k, &t->dy, i);

			if (relu && !(normed(t, &t->a, i).value > 0))
				continue;
			sums_add(&sum, c, d);
			sums_add(&dot, c,
			    d *
				(element_get(t->k, &t->a.x, i) -
				    (double)t->a.mean[c]));
		}
		t->k->norm_back_sums(
		    t->p, &t->a.norm, relu, t->dy.at, sum.got, dot.got);
		sums_check(t->k, "norm_back_sums, sum", &sum, t->p.block);
		sums_check(t->k, "norm_back_sums, dot", &dot, t->p.block);
	}
}

static void
test_norm_back_sums(void)
{
	each_panel(check_norm_back_sums);
}

/* Add d and d * (x - mean) of element i to the expected sums. */
static void
end_wanted(const struct panel_test *t, size_t i, double d, struct sums s[2])
{
	const size_t c = i % (size_t)t->p.block;

	sums_add(&s[0], c, d);
	sums_add(&s[1], c,
	    d * (element_get(t->k, &t->a.x, i) - (double)t->a.mean[c]));
}

static void
check_end_way(const struct panel_test *t, int masks, int adds)
{
	struct array dy = array_copy(&t->dy, WRITTEN);
	struct sums s[2];

	for (int i = 0; i < 2; i++)
		sums_begin(&s[i]);
	t->k->block_back_sums(t->p, &t->a.norm, masks ? t->y.at : NULL,
	    adds ? t->add.at : NULL, dy.at, s[0].got, s[1].got);
	for (size_t i = 0; i < t->p.n; i++) {
		const double first = element_get(t->k, &t->dy, i);
		const double other = adds ? element_get(t->k, &t->add, i) : 0;
		const int kept = !masks || element_get(t->k, &t->y, i) > 0;
		const double d = kept ? first + other : 0;

		check_element(t->k, "block_back_sums, dy", &dy, i,
		    (struct term){ d, fabs(d) }, 1);
		end_wanted(t, i, d, s);
	}
	for (int i = 0; i < 2; i++)
		sums_check(t->k, "block_back_sums", &s[i], t->p.block);
	array_end(&dy);
}

static void
check_block_back_sums(const struct panel_test *t)
{
	for (int way = 0; way < 4; way++)
		check_end_way(t, way & 1, way >> 1);
}

static void
test_block_back_sums(void)
{
	each_panel(check_block_back_sums);
}

static struct term
back_wanted(const struct panel_test *t, size_t i, int relu)
{
	const size_t c = i % (size_t)t->p.block;
	const int kept = !relu || normed(t, &t->a, i).value > 0;
	const double d =
	    kept ? element_get(t->k, &t->dy, i) * (double)t->a.scale[c] : 0;
	const double of_x =
	    (element_get(t->k, &t->a.x, i) - (double)t->a.mean[c]) *
	    (double)t->k1[c];
	const double k0 = (double)t->k0[c];

	return (struct term){ d + of_x + k0, fabs(d) + fabs(of_x) + fabs(k0) };
}

/* Where a gradient is stored: apart, over x or over dy. */
enum place { APART, OVER_X, OVER_DY, PLACES };

static struct array
run_norm_back(const struct panel_test *t, int relu, enum place place, int past)
{
	struct array dx = place == APART
	    ? array_empty(t->k, t->p.n, t->shift)
	    : array_copy(place == OVER_X ? &t->a.x : &t->dy, WRITTEN);
	struct cpu_norm a = t->a.norm;
	struct cpu_panel p = t->p;

	p.past = past;
	if (place == OVER_X)
		a.x = dx.at;
	t->k->norm_back(p, &a, relu, t->k0, t->k1,
	    place == OVER_DY ? dx.at : t->dy.at, dx.at);
	return dx;
}

static void
check_norm_back(const struct panel_test *t)
{
	for (int way = 0; way < 2 * PLACES; way++) {
		const int relu = way % 2;
		const enum place place = (enum place)(way / 2);
		struct array dx = run_norm_back(t, relu, place, 0);
		struct array past = run_norm_back(t, relu, place, 1);

		for (size_t i = 0; i < t->p.n; i++)
			check_element(t->k, "norm_back", &dx, i,
			    back_wanted(t, i, relu), 8);
		CHECK(array_equal(&dx, &past));
		array_end(&dx);
		array_end(&past);
	}
}

static void
test_norm_back(void)
{
	each_panel(check_norm_back);
}

/* Sums of a long panel of 1s, the first four vectors of which are so large that
 * a float no longer counts: only the 63 that each of four floats accumulates
 * after them may be lost, and a few by rounding where the floats are joined. */
enum { LONG_PIXELS = 3000, LOST = 4 * 63 + 32 };

static void
check_long_of(const struct cpu_kernels *k, int block)
{
	const size_t n = LONG_PIXELS * (size_t)block;
	const size_t large = 4 * (size_t)k->lanes;
	const double most = 4 * 0x1p24 / (double)(block / k->lanes);
	struct array x = array_empty(k, n, 0), d = array_empty(k, n, 0);
	float zero[CPU_BLOCK_MAX] = { 0 }, got[6][CPU_BLOCK_MAX] = { { 0 } };
	const struct cpu_norm a = { x.at, zero, zero, zero };
	const struct cpu_panel p = { n, block, 0 };

	for (size_t i = 0; i < n; i++) {
		element_set(k, &x, i, i < large ? 0x1p12 : 1);
		element_set(k, &d, i, i < large ? 0x1p12 : 1);
	}
	k->stats(p, x.at, zero, got[0], got[1]);
	k->norm_back_sums(p, &a, 0, d.at, got[0], got[2]);
	k->block_back_sums(p, &a, NULL, NULL, d.at, got[0], got[3]);
	for (int i = 1; i < 4; i++)
		for (size_t c = 0; c < (size_t)block; c++)
			check_near(k, "long", c, (double)got[i][c],
			    (struct term){ most + LONG_PIXELS, 0 }, LOST);
	for (size_t i = 0; i < n; i++) {
		element_set(k, &x, i, 1);
		element_set(k, &d, i, i < large ? 0x1p24 : 1);
	}
	k->stats(p, d.at, zero, got[5], got[0]);
	for (size_t c = 0; c < (size_t)block; c++)
		check_near(k, "long", c, (double)got[5][c],
		    (struct term){ most + LONG_PIXELS, 0 }, LOST);
	array_end(&x);
	array_end(&d);
}

static void
check_long(const struct cpu_kernels *k)
{
	for (int block = k->lanes; block <= CPU_BLOCK_MAX; block *= 2)
		check_long_of(k, block);
}

static void
test_long_sums(void)
{
	kernels_each(check_long);
}

static const struct tap_test tests[] = {
	TEST(test_stats),
	TEST(test_norm),
	TEST(test_norm_back_sums),
	TEST(test_block_back_sums),
	TEST(test_norm_back),
	TEST(test_long_sums),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}

#else

int
main(void)
{
	printf("1..0 # SKIP no kernels of the cpu device are built\n");
	return 0;
}

#endif
