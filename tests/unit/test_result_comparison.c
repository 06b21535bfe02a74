#include <config.h>

#include "common/series/result_comparison.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "tests/tap.h"

static struct result_set files;
static struct series_set set;
static struct comparison c;
static struct error e;

static void
stop(void)
{
	series_release(&set);
	result_set_release(&files);
}

/* Add a case whose runs are named 1, 2, ... */
static void
add_case(struct result_file *f, const char *name, long gpus, long batch,
    const double *v, size_t n)
{
	struct result *r = &f->result;
	struct arena *a = &r->arena;
	struct result_case *all = arena_calloc(a, r->n_cases + 1, sizeof *all);
	struct result_case *k = &all[r->n_cases];

	if (r->n_cases > 0)
		memcpy(all, r->cases, r->n_cases * sizeof *all);
	r->cases = all;
	r->n_cases++;
	result_case_init(k);
	k->name = name;
	k->framework = "f";
	k->unit = "samples/s";
	k->rule = "window";
	k->batch_size_per_device = batch;
	k->nodes = 1;
	k->gpus = k->gpus_per_node = gpus;
	k->n = (long)n;
	k->n_runs = n;
	k->median_speed = n > 0 ? v[0] : 7;
	k->runs = arena_calloc(a, n, sizeof *k->runs);
	for (size_t i = 0; i < n; i++) {
		result_run_init(&k->runs[i]);
		k->runs[i].run = arena_printf(a, "%zu", i + 1);
		k->runs[i].value = v[i];
	}
}

static void
start(void)
{
	stop();
	for (int i = 0; i < 2; i++) {
		files.items = vec_grow(
		    files.items, files.n, &files.alloc, sizeof *files.items);
		memset(&files.items[i], 0, sizeof files.items[i]);
		result_init(&files.items[i].result);
		files.items[i].path = files.items[i].name = "same.json";
		files.n++;
	}
}

static int
compare_with(double delta, double detect, int paired, int mixed)
{
	const struct series_how how = { .allow_mixed = 1, .by_source = 1 };
	const struct comparison_how ask = { .confidence = NAN,
		.delta = delta,
		.detect = detect,
		.paired = paired,
		.allow_mixed = mixed };

	comparison_name_files(&files);
	CHECK_INT(series_collect(&files, &how, &set, &e), 0);
	return comparison_init(&set, &ask, &c, &e);
}

static const double a_old[] = { 2451.44, 2458.83, 2450.83, 2458.03, 2457.80 };
static const double a_new[] = { 2398.1, 2402.6, 2399.9, 2371.2, 2401.0 };
static const double b_old[] = { 812.4, 815.1, 810.9, 813.3, 811.7 };
static const double b_new[] = { 813.0, 811.2, 814.6, 812.1, 809.8 };
static const double c_old[] = { 100, 104.1, 97.2, 101.3, 99.5 };
static const double c_new[] = { 98.4, 95.9, 102.2, 96.8, 100.7 };

/* R 4.2.2: wilcox.test(log(new), log(old), exact = TRUE, conf.int = TRUE), and
 * two one-sided tests for equivalence. */
static const struct {
	const double *before, *after;
	double delta;
	enum comparison_verdict verdict;
	int equivalent;
	double low, high, p;
} verdicts[] = {
	{ a_old, a_new, .03, COMPARISON_SLOWER, 0, .9647652372, .9796681124,
	    .0079365079 },
	{ a_old, a_new, .04, COMPARISON_SLOWER, 1, .9647652372, .9796681124,
	    .0079365079 },
	{ a_new, a_old, .04, COMPARISON_FASTER, 1, 1 / .9796681124,
	    1 / .9647652372, .0079365079 },
	{ b_old, b_new, .003, COMPARISON_NO_EVIDENCE, 0, .9956965449,
	    1.0027080256, .690476 },
	{ b_old, b_new, .005, COMPARISON_NO_EVIDENCE, 1, .9956965449,
	    1.0027080256, .690476 },
	{ c_old, c_new, .02, COMPARISON_NO_EVIDENCE, 0, .945244957, 1.027135678,
	    .420635 },
	{ c_old, c_new, .05, COMPARISON_NO_EVIDENCE, 1, .945244957, 1.027135678,
	    .420635 },
};

static void
test_verdicts(void)
{
	for (int i = 0; i < N_TESTS(verdicts); i++) {
		start();
		add_case(&files.items[0], "1n8g", 8, 4, verdicts[i].before, 5);
		add_case(&files.items[1], "1n8g", 8, 4, verdicts[i].after, 5);
		CHECK_INT(compare_with(verdicts[i].delta, NAN, 0, 0), 0);
		CHECK_INT(c.n, 1);
		CHECK_INT(c.rows[0].verdict, verdicts[i].verdict);
		CHECK_INT(c.rows[0].is_equivalent, verdicts[i].equivalent);
		CHECK_NEAR(c.rows[0].low, verdicts[i].low, 1e-9);
		CHECK_NEAR(c.rows[0].high, verdicts[i].high, 1e-9);
		CHECK_NEAR(c.rows[0].p, verdicts[i].p, 1e-6);
		CHECK_NEAR(c.rows[0].p_holm, c.rows[0].p, 1e-15);
	}
}

/* Times: less is faster. */
static void
test_times(void)
{
	start();
	add_case(&files.items[0], "1n8g", 8, 4, a_old, 5);
	add_case(&files.items[1], "1n8g", 8, 4, a_new, 5);
	files.items[0].result.cases[0].unit = "s";
	files.items[1].result.cases[0].unit = "s";
	CHECK_INT(compare_with(.02, NAN, 0, 0), 0);
	CHECK_INT(c.rows[0].verdict, COMPARISON_FASTER);
	CHECK_NEAR(c.rows[0].low, 1 / .9796681124, 1e-9);
}

/* Three against three reach 90 %; published values have no runs at all. */
static void
test_too_few(void)
{
	start();
	add_case(&files.items[0], "1n1g", 1, 4, a_old, 3);
	add_case(&files.items[1], "1n1g", 1, 4, b_new, 3);
	add_case(&files.items[0], "1n2g", 2, 4, NULL, 0);
	add_case(&files.items[1], "1n2g", 2, 4, a_new, 5);
	CHECK_INT(compare_with(.02, NAN, 0, 0), 0);
	CHECK_INT(c.rows[0].verdict, COMPARISON_TOO_FEW);
	CHECK_INT(c.rows[1].verdict, COMPARISON_TOO_FEW);
	CHECK_NEAR(c.rows[1].ratio, a_new[0] / 7, 1e-12);
	CHECK(isnan(comparison_side(&c, &c.rows[1], 1, 1)));
	CHECK(isnan(c.mean_low) && isfinite(c.mean));
}

static void
test_one_sided_cases(void)
{
	start();
	add_case(&files.items[0], "1n1g", 1, 4, a_old, 5);
	add_case(&files.items[0], "1n2g", 2, 4, a_old, 5);
	add_case(&files.items[1], "1n2g", 2, 4, a_new, 5);
	add_case(&files.items[1], "1n4g", 4, 4, a_new, 5);
	CHECK_INT(compare_with(.02, .01, 0, 0), 0);
	CHECK_INT(c.n, 3);
	CHECK_INT(c.n_both, 1);
	CHECK(c.rows[0].after == NULL && c.rows[2].before == NULL);
	CHECK_NEAR(c.mean, c.rows[1].ratio, 1e-12);
	/* s 0.00406 with 8 degrees of freedom: 0.00274 to 0.00778. */
	CHECK_NEAR(c.rows[1].spread, 0.004059299400450593, 1e-12);
	CHECK_INT(c.rows[1].runs_low, 4);
	CHECK_INT(c.rows[1].runs_high, 12);
	CHECK_NEAR(c.rows[1].limit_level, 0.9375, 1e-12);
	start();
	add_case(&files.items[0], "1n1g", 1, 4, a_old, 5);
	add_case(&files.items[1], "1n4g", 4, 4, a_new, 5);
	CHECK_INT(compare_with(.02, NAN, 0, 0), -1);
	CHECK_INT(e.code, ERROR_EMPTY);
}

static void
test_refusals(void)
{
	start();
	add_case(&files.items[0], "1n1g", 1, 4, a_old, 5);
	add_case(&files.items[1], "1n1g", 1, 8, a_new, 5);
	CHECK_INT(compare_with(.02, NAN, 0, 0), -1);
	CHECK(strstr(e.message, "different batch sizes: ") != NULL &&
	    strstr(e.message, "--allow-mixed") != NULL);
	series_release(&set);
	CHECK_INT(compare_with(.02, NAN, 0, 1), 0);
	CHECK_INT(c.n_both, 1);
	start();
	add_case(&files.items[0], "1n1g", 1, 4, a_old, 1);
	add_case(&files.items[1], "1n1g", 1, 4, a_new, 1);
	files.items[0].result.cases[0].runs[0].device = "V100";
	files.items[1].result.cases[0].runs[0].device = "H100";
	CHECK_INT(compare_with(.02, NAN, 0, 0), -1);
	CHECK(strstr(e.message, "ran on 'V100'") != NULL &&
	    strstr(e.message, "--allow-mixed") != NULL);
	series_release(&set);
	CHECK_INT(compare_with(.02, NAN, 0, 1), 0);
}

/* A case is compared with the one of the same configuration and, if there are
 * several, batch size; without such a case, with the first of another size if
 * mixed sizes are allowed. Otherwise the error names both sizes. */
static void
test_partners(void)
{
	enum { MANY = 3000 };
	static char names[MANY][16];
	size_t wrong = 0;

	start();
	for (long batch = 1; batch <= 3; batch++) {
		add_case(&files.items[0], "1n1g", 1, batch, a_old, 5);
		add_case(&files.items[1], "1n1g", 1, 4 - batch, a_new, 5);
	}
	add_case(&files.items[0], "1n2g", 2, 9, a_old, 5);
	add_case(&files.items[1], "1n2g", 2, 7, a_new, 5);
	add_case(&files.items[1], "1n2g", 2, 8, b_new, 5);
	CHECK_INT(compare_with(.02, NAN, 0, 1), 0);
	CHECK_INT(c.n_both, 4);
	for (size_t i = 0; i < 3; i++)
		CHECK_INT(c.rows[i].before->c->batch_size_per_device,
		    c.rows[i].after->c->batch_size_per_device);
	CHECK_INT(c.rows[3].after->c->batch_size_per_device, 7);
	series_release(&set);
	CHECK_INT(compare_with(.02, NAN, 0, 0), -1);
	CHECK(strstr(e.message, "has 9 per device, ") != NULL &&
	    strstr(e.message, "has 7; pass --allow-mixed") != NULL);
	start();
	for (size_t i = 0; i < MANY; i++)
		snprintf(names[i], sizeof names[i], "model %zu", i);
	for (int k = 0; k < 2; k++) {
		struct result *r = &files.items[k].result;

		add_case(&files.items[k], "1n1g", 1, 4, a_old, 5);
		r->cases = arena_calloc(&r->arena, MANY, sizeof *r->cases);
		for (size_t i = 0; i < MANY; i++) {
			result_case_init(&r->cases[i]);
			r->cases[i].name = "1n1g";
			r->cases[i].model = names[k == 0 ? i : MANY - 1 - i];
			r->cases[i].unit = "samples/s";
			r->cases[i].nodes = r->cases[i].gpus = 1;
			r->cases[i].median_speed = (double)(i + 1);
		}
		r->n_cases = MANY;
	}
	CHECK_INT(compare_with(.02, NAN, 0, 0), 0);
	CHECK_INT(c.n_both, MANY);
	for (size_t i = 0; i < c.n; i++)
		wrong += strcmp(c.rows[i].before->c->model,
			     c.rows[i].after->c->model) != 0;
	CHECK_INT(wrong, 0);
}

/* R 4.2.2: wilcox.test(log(r), conf.int = TRUE) of the quotients. */
static void
test_pairs(void)
{
	static const double r[] = { 1.021, 1.034, 1.017, 1.029, 1.041, 1.012 };
	double before[6], after[6];

	for (int i = 0; i < 6; i++) {
		before[i] = 100.0 + 40 * i; /* pairs ignore the drift */
		after[i] = before[i] * r[i];
	}
	start();
	add_case(&files.items[0], "1n1g", 1, 4, before, 6);
	add_case(&files.items[1], "1n1g", 1, 4, after, 6);
	CHECK_INT(compare_with(.02, NAN, 1, 0), 0);
	CHECK_NEAR(c.rows[0].ratio, 1.02546477, 1e-8);
	CHECK_NEAR(c.rows[0].low, 1.012, 1e-9);
	CHECK_NEAR(c.rows[0].high, 1.041, 1e-9);
	CHECK_NEAR(c.rows[0].level, .96875, 1e-12);
	CHECK_NEAR(c.rows[0].p, .03125, 1e-12);
	CHECK_INT(c.rows[0].verdict, COMPARISON_FASTER);
	series_release(&set);
	CHECK_INT(compare_with(.02, NAN, 0, 0), 0);
	CHECK_INT(c.rows[0].verdict, COMPARISON_NO_EVIDENCE);
	/* Rounded values widen the interval to both sides. */
	for (int i = 0; i < 6; i++)
		files.items[1].result.cases[0].runs[i].rounding =
		    (struct result_rounding){ after[i] * .99, after[i] * 1.02 };
	series_release(&set);
	CHECK_INT(compare_with(.02, NAN, 1, 0), 0);
	CHECK_NEAR(c.rows[0].ratio, 1.02546477, 1e-8);
	CHECK_NEAR(c.rows[0].low, 1.012 * .99, 1e-9);
	CHECK_NEAR(c.rows[0].high, 1.041 * 1.02, 1e-9);
	files.items[1].result.cases[0].n_runs = 1;
	files.items[1].result.cases[0].runs[0].run = "other";
	series_release(&set);
	CHECK_INT(compare_with(.02, NAN, 1, 0), -1);
	CHECK(strstr(e.message, "--paired: no run has a partner") != NULL);
}

/* R 4.2.2: exp(mean(log(HL))), and its interval with qt and Satterthwaite's
 * degrees of freedom of pi / 3 var / n. */
static void
test_geometric_mean(void)
{
	start();
	add_case(&files.items[0], "1n1g", 1, 4, a_old, 5);
	add_case(&files.items[0], "1n2g", 2, 4, b_old, 5);
	add_case(&files.items[1], "1n1g", 1, 4, a_new, 5);
	add_case(&files.items[1], "1n2g", 2, 4, b_new, 5);
	CHECK_INT(compare_with(.02, NAN, 0, 0), 0);
	CHECK_NEAR(c.mean, 0.98802798732787, 1e-9);
	CHECK_NEAR(c.mean_low, 0.98459489397895, 1e-9);
	CHECK_NEAR(c.mean_high, 0.99147305121413, 1e-9);
	CHECK_NEAR(c.rows[0].p_holm, 2 * c.rows[0].p, 1e-12);
}

/* --- tables of many cases ------------------------------------------------- */

enum { MANY = 10, MOST_RUNS = 10 };

static int trials = 100;

/* Speeds around middle; ln speed is normal with a standard deviation of 1 %. */
static void
fill(double *v, size_t n, double middle)
{
	for (size_t i = 0; i < n; i++)
		v[i] = middle *
		    exp(0.01 * sqrt(-2 * log(random_uniform())) *
			cos(6.28318530717958647692 * random_uniform()));
}

/* Compare ten cases of n and n runs whose true ratio is the same. Returns 1 if
 * any verdict is wrong: faster or slower at a ratio of 1, equivalent within 2 %
 * at 1.02. */
static int
is_wrong(size_t n, double ratio)
{
	static const char *const names[MANY] = { "1n1g", "1n2g", "1n3g", "1n4g",
		"1n5g", "1n6g", "1n7g", "1n8g", "1n9g", "1n10g" };
	static double v[2][MANY][MOST_RUNS];
	int wrong = 0;

	start();
	for (int side = 0; side < 2; side++)
		for (int i = 0; i < MANY; i++) {
			fill(v[side][i], n, side == 0 ? 100 : 100 * ratio);
			add_case(&files.items[side], names[i], i + 1, 32,
			    v[side][i], n);
		}
	if (compare_with(0.02, NAN, 0, 0) != 0)
		return 1;
	for (size_t i = 0; i < c.n; i++)
		wrong |= ratio > 1 ? c.rows[i].is_equivalent
				   : c.rows[i].verdict == COMPARISON_FASTER ||
			c.rows[i].verdict == COMPARISON_SLOWER;
	return wrong;
}

/* At most 5 % of tables of ten cases have a wrong verdict. The rows that this
 * prints are in doc/measurement.md, "Coverage" (tests/coverage_long.sh). */
static void
test_many_cases(void)
{
	static const size_t runs[] = { 5, 6, 8, 10 };
	const char *asked = getenv("COVERAGE_TRIALS");

	if (asked != NULL)
		trials = (int)strtol(asked, NULL, 10);
	for (int row = 0; row < 8; row++) {
		const size_t n = runs[row / 2];
		const double ratio = row % 2 == 0 ? 1 : 1.02;
		int wrong = 0;

		random_state =
		    88172645463325252u + (uint64_t)(100 + row) * 2654435761u;
		for (int k = 0; k < trials; k++)
			wrong += is_wrong(n, ratio);
		printf("# | ten cases, %zu and %zu runs: no wrong \"%s\" | "
		       "95.00 %% | %.1f %% |\n",
		    n, n, row % 2 == 0 ? "faster\" or \"slower" : "equivalent",
		    100 - 100.0 * wrong / trials);
		CHECK((double)wrong / trials <=
		    0.05 + 4 * sqrt(0.05 * 0.95 / trials));
	}
}

/* An interval that excludes 1 is printed with enough digits to show it. */
static void
test_ratio_text(void)
{
	char b[UNITS_TEXT_SIZE];

	CHECK_STR(comparison_ratio_text(b, 1.15, 1.04, 1.3), "1.15");
	CHECK_STR(comparison_ratio_text(b, 1.004, 1.004, 1.3), "1.004");
	CHECK_STR(comparison_ratio_text(b, 1.3, 1.004, 1.3), "1.300");
	CHECK_STR(comparison_ratio_text(b, 0.99997, 0.8, 0.99997), "0.99997");
	CHECK_STR(comparison_ratio_text(b, 0.9996, 0.9996, 1.3), "1.00");
	CHECK_STR(comparison_ratio_text(b, 1, 1, 1.3), "1.00");
	CHECK_STR(comparison_ratio_text(b, 1.05, NAN, NAN), "1.0500");
}

static const struct tap_test tests[] = {
	TEST(test_verdicts),
	TEST(test_times),
	TEST(test_too_few),
	TEST(test_one_sided_cases),
	TEST(test_refusals),
	TEST(test_partners),
	TEST(test_pairs),
	TEST(test_geometric_mean),
	TEST(test_many_cases),
	TEST(test_ratio_text),
};

int
main(void)
{
	int rc = tap_main(tests, N_TESTS(tests));

	stop();
	return rc;
}
