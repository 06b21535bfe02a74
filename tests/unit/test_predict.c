/* The arithmetic of predict_scaling, on numbers computed by hand or in closed
 * form. tests/cli/predict.sh and the oracles test whole series. */
#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "common/units/units.h"
#include "predict/forecast.h"
#include "tests/tap.h"

static double prior[GROWTH_RHOS];

static double
sum_of(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum;
}

/* --- growth --------------------------------------------------------------- */

static void
test_phi_of_known_laws(void)
{
	/* Ring over m nodes: 2 (m - 1) / m, relative to its value at 2. */
	CHECK_NEAR(growth_phi(0.5, 4), 1.5, 1e-15);
	CHECK_NEAR(growth_phi(0.5, 8), 1.75, 1e-15);
	/* Amdahl: t is linear in m. */
	CHECK_NEAR(growth_phi(2, 3), 2, 1e-14);
	CHECK_NEAR(growth_phi(2, 9), 8, 1e-13);
	CHECK_NEAR(growth_phi(0.7, 1), 0, 0);
	CHECK_NEAR(growth_phi(0.7, 2), 1, 1e-15);
	/* One GPU has no straggler, not even by a rounding error. */
	CHECK_NEAR(expected_largest(1), 0, 0);
}

/* Make a row of 8 GPUs per node from device times at 1, 2, 4 ... nodes. */
static void
row_points(struct scaling_point *points, const double *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		points[i] =
		    (struct scaling_point){ 1 << i, 8 << i, t[i], 0, NULL };
}

static void
test_growth_is_learnt_from_counts(void)
{
	struct scaling_point p[5];
	struct doubling d;
	double t[5];

	for (int i = 0; i < 5; i++)
		t[i] = 1 + 0.2 * growth_phi(1.225, 1 << i);
	row_points(p, t, 5);
	growth_pool(NULL, 0, prior);
	CHECK_NEAR(sum_of(prior, GROWTH_RHOS), 1, 1e-14);
	doubling_init(&d, DOUBLING_COLUMN, p, 5, prior);
	CHECK_NEAR(d.growth, 1.225, 0.11);
	CHECK_NEAR(
	    sum_of(&d.weight[0][0], (size_t)GROWTH_RHOS * COSTS), 1, 1e-13);
	/* One or two counts leave the prior unchanged. */
	doubling_init(&d, DOUBLING_ROW, p, 2, prior);
	CHECK_NEAR(d.growth, 0.325, 1e-12);
	doubling_init(&d, DOUBLING_ROW, p, 1, prior);
	CHECK_NEAR(d.growth, 0.325, 1e-12);
}

/* --- pooling -------------------------------------------------------------- */

/* A sibling that allows only one habit: 0.9 of its kernel, 0.1 of the prior. */
static void
test_pool_of_certainty(void)
{
	double evidence[GROWTH_RHOS] = { 0 }, pooled[GROWTH_RHOS], sum = 0;
	const double *list[] = { evidence };
	const int f = 20;

	evidence[f] = 3;
	growth_pool(NULL, 0, prior);
	growth_pool(list, 1, pooled);
	for (int i = 0; i < GROWTH_RHOS; i++)
		sum += exp(-0.5 * pow((i - f) * 0.05 / 0.1, 2));
	for (int i = 0; i < GROWTH_RHOS; i++)
		CHECK_NEAR(pooled[i],
		    0.9 * exp(-0.5 * pow((i - f) * 0.05 / 0.1, 2)) / sum +
			0.1 * prior[i],
		    1e-12);
}

static void
test_siblings_move_the_growth(void)
{
	double evidence[GROWTH_RHOS], pooled[GROWTH_RHOS], again[GROWTH_RHOS];
	double other[GROWTH_RHOS], t[4], below = 0;
	const double *one[] = { evidence, other }, *two[] = { other, evidence };
	struct scaling_point p[4];

	for (int i = 0; i < 4; i++)
		t[i] = 1 + 0.4 * growth_phi(0.975, 1 << i);
	row_points(p, t, 4);
	growth_evidence(p, 4, evidence);
	growth_evidence(p, 3, other);
	growth_pool(one, 2, pooled);
	growth_pool(two, 2, again);
	CHECK_NEAR(sum_of(pooled, GROWTH_RHOS), 1, 1e-13);
	for (int i = 0; i < GROWTH_RHOS; i++)
		CHECK_NEAR(pooled[i], again[i], 1e-13);
	for (int i = 0; i < 12; i++) /* rho below 0.6 */
		below += pooled[i];
	CHECK(below < 0.25);
}

/* --- mixtures ------------------------------------------------------------- */

/* Quantile by its definition: sixty bisections. */
static double
bisected(const struct mixture *x, double p)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < x->n; i++) {
		low = fmin(low, x->place[i]);
		high = fmax(high, x->place[i]);
	}
	low -= 60 * x->scale;
	high += 60 * x->scale;
	for (int i = 0; i < 60; i++) {
		double at = (low + high) / 2, below = 0;

		/* Student's t with 2 degrees of freedom. */
		for (size_t k = 0; k < x->n; k++) {
			const double z = (at - x->place[k]) / x->scale;

			below += x->weight[k] * (1 + z / sqrt(2 + z * z)) / 2;
		}
		if (below < p)
			low = at;
		else
			high = at;
	}
	return (low + high) / 2;
}

static void
test_quantiles_as_bisections_find_them(void)
{
	static const double shares[] = { 1e-5, 0.001, 0.025, 0.1, 0.5, 0.9,
		0.975, 0.9999 };
	static struct prediction x;
	struct mixture *m = &x.median;

	m->scale = 0.01;
	for (m->n = 0; m->n < 50; m->n++) {
		m->place[m->n] =
		    sin(7.0 * (double)m->n) + (m->n % 7 == 0 ? 5 : 0);
		m->weight[m->n] = 0.02;
	}
	x.interval = x.median;
	for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
		CHECK_NEAR(prediction_quantile(&x, shares[i]),
		    bisected(m, shares[i]), 1e-12);
}

/* --- doubling ------------------------------------------------------------- */

static void
test_saturated_below_1_35_a_doubling(void)
{
	struct scaling_point p[] = { { 1, 1, 1, 0, NULL },
		{ 2, 2, 2 / 1.36, 0, NULL } };
	struct doubling d;

	growth_pool(NULL, 0, prior);
	doubling_init(&d, DOUBLING_COLUMN, p, 2, prior);
	CHECK_INT(d.saturated, 0);
	doubling_init(&d, DOUBLING_COLUMN, p, 1, prior);
	CHECK_INT(d.saturated, 0);
	p[1].t = 2 / 1.34;
	doubling_init(&d, DOUBLING_COLUMN, p, 2, prior);
	CHECK_INT(d.saturated, 1);
	/* Two doublings of 1.36 each. */
	p[1] = (struct scaling_point){ 4, 4, 4 / (1.36 * 1.36), 0, NULL };
	doubling_init(&d, DOUBLING_COLUMN, p, 2, prior);
	CHECK_INT(d.saturated, 0);
}

/* The scale grows with the distance from the nearest count. */
static void
test_anchor(void)
{
	static const struct {
		double m, anchor;
	} known[] = { { 2, 4 }, { 1.9, 1 }, { 5, 4 }, { 6, 8 }, { 0.5, 1 } };
	const struct scaling_point p[] = { { 1, 1, 1, 0, NULL },
		{ 4, 4, 1, 0, NULL }, { 8, 8, 1, 0, NULL } };
	struct doubling d;
	struct prediction x;

	growth_pool(NULL, 0, prior);
	doubling_init(&d, DOUBLING_ROW, p, 3, prior);
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		doubling_predict(&d, known[i].m, 1, &x);
		CHECK_NEAR(x.median.scale,
		    hypot(0.01, 0.02 * log2(known[i].m / known[i].anchor)),
		    1e-15);
	}
}

/* The weight of the last n components. */
static double
last_weights(const struct mixture *x, size_t n)
{
	return sum_of(x->weight + x->n - n, n);
}

static void
test_ceilings(void)
{
	const struct scaling_point p[] = { { 1, 1, 1, 0, NULL },
		{ 2, 2, 1.05, 0, NULL } };
	const struct scaling_point full[] = { { 1, 1, 1, 0, NULL },
		{ 2, 2, 1.9, 0, NULL } };
	const struct scaling_point calm[] = { { 1, 1, 1, 0, NULL },
		{ 2, 2, 1.05, 0, NULL }, { 4, 4, 1.1, 0, NULL } };
	const struct scaling_point rising[] = { { 1, 1, 1, 0, NULL },
		{ 2, 2, 1.02, 0, NULL }, { 4, 4, 1.06, 0, NULL } };
	struct doubling d;
	struct prediction x;

	growth_pool(NULL, 0, prior);
	doubling_init(&d, DOUBLING_ROW, p, 2, prior);
	doubling_predict(&d, 8, 8, &x);
	CHECK_NEAR(last_weights(&x.median, CEILINGS), 1 - 0.97 * 0.97, 1e-13);
	CHECK_NEAR(sum_of(x.median.weight, x.median.n), 1, 1e-12);
	CHECK_NEAR(sum_of(x.interval.weight, x.interval.n), 1, 1e-12);
	/* The last ceiling: speed stays as it is. */
	CHECK_NEAR(x.median.place[x.median.n - 1], log(1.05 * 4), 1e-13);
	CHECK_NEAR(x.interval.place[x.interval.n - 1], log(1.05 * 4), 1e-13);
	/* The interval's share does not grow with the distance. */
	CHECK_NEAR(last_weights(&x.interval, CEILINGS), K_BEND_TWO, 1e-13);
	CHECK_NEAR(x.interval.scale, 0.4 * x.median.scale, 1e-15);
	doubling_predict(&d, 1.5, 1.5, &x); /* between counts: no ceiling */
	CHECK_NEAR(
	    x.median.scale, sqrt(0.0001 + pow(0.02 * log2(2 / 1.5), 2)), 1e-15);
	CHECK_NEAR(x.interval.scale, x.median.scale, 0);
	CHECK(last_weights(&x.median, CEILINGS) < 0.001);
	doubling_init(&d, DOUBLING_COLUMN, full, 2, prior);
	doubling_predict(&d, 4, 4, &x);
	CHECK_NEAR(last_weights(&x.median, 1), 0.9, 1e-13);
	CHECK_NEAR(last_weights(&x.interval, 1), 0.9, 1e-13);
	doubling_init(&d, DOUBLING_ROW, calm, 3, prior);
	doubling_predict(&d, 8, 8, &x);
	CHECK_NEAR(last_weights(&x.interval, CEILINGS), K_BEND_CALM, 1e-13);
	CHECK_INT(d.rising, 0);
	doubling_init(&d, DOUBLING_ROW, rising, 3, prior);
	doubling_predict(&d, 8, 8, &x);
	CHECK_NEAR(last_weights(&x.interval, CEILINGS), K_BEND_RISING, 1e-13);
	CHECK_INT(d.rising, 1);
	/* The ends of an interval never cross the median. */
	CHECK(prediction_quantile(&x, 0.499) <= prediction_quantile(&x, 0.5));
	CHECK(prediction_quantile(&x, 0.501) >= prediction_quantile(&x, 0.5));
}

/* --- transfer ------------------------------------------------------------- */

static void
test_transfer(void)
{
	struct prediction x;

	transfer_predict(11, 2, 0.003, &x);
	CHECK_NEAR(exp(prediction_quantile(&x, 0.5)), 11, 1e-13);
	CHECK_NEAR(x.interval.scale, x.median.scale, 0);
	CHECK_NEAR(
	    x.median.scale, sqrt(25e-6 + 0.024 * 0.024 + 0.003 * 0.003), 1e-15);
	/* Student's t with 2 degrees: sqrt(2) u / sqrt(1 - u^2), u = 0.8. */
	CHECK_NEAR(prediction_quantile(&x, 0.9),
	    log(11) + x.median.scale * sqrt(2) * 0.8 / 0.6, 1e-14);
}

/* --- laws ----------------------------------------------------------------- */

static const double counts[] = { 1, 2, 4, 8, 16 };

static void
check_law(enum scaling_law law, double (*x)(double n), double tolerance)
{
	double speed[5];

	for (int i = 0; i < 5; i++)
		speed[i] = x(counts[i]);
	CHECK_NEAR(
	    law_predict(law, counts, speed, 5, 64) / x(64), 1, tolerance);
}

static double
amdahl(double n)
{
	return 37 * n / (1 + 0.0537 * (n - 1));
}

static double
gustafson(double n)
{
	return 37 * (n - 0.0537 * (n - 1));
}

static double
universal(double n)
{
	return 37 * n / (1 + 0.021 * (n - 1) + 1e-4 * n * (n - 1));
}

static double
power(double n)
{
	return 37 * pow(n, 0.93);
}

static double
linear(double n)
{
	return 37 * n;
}

/* Each law predicts its own series. */
static void
test_laws(void)
{
	const double one[] = { 8 }, speed[] = { 100 };

	check_law(LAW_AMDAHL, amdahl, 1e-6);
	check_law(LAW_GUSTAFSON, gustafson, 1e-6);
	check_law(LAW_USL, universal, 1e-5);
	check_law(LAW_POWER, power, 1e-12);
	check_law(LAW_LINEAR, linear, 1e-15);
	CHECK(isnan(law_predict(LAW_AMDAHL, one, speed, 1, 16)));
	CHECK_NEAR(law_predict(LAW_LINEAR, one, speed, 1, 16), 200, 0);
}

/* --- link ----------------------------------------------------------------- */

static void
test_allreduce_costs(void)
{
	static const struct {
		struct allreduce_layout l;
		double steps, share;
	} known[] = {
		{ { ALLREDUCE_RING, 1, 1 }, 0, 0 },
		{ { ALLREDUCE_RING, 2, 2 }, 6, 1.5 },
		{ { ALLREDUCE_TREE, 1, 1 }, 0, 0 },
		{ { ALLREDUCE_TREE, 1, 2 }, 2, 2 },
		{ { ALLREDUCE_TREE, 1, 5 }, 6, 2 },
		{ { ALLREDUCE_HIERARCHICAL, 2, 4 }, 2, 1 },
		{ { ALLREDUCE_HIERARCHICAL, 1, 4 }, 6, 1.5 },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		const struct allreduce_cost c = allreduce_cost(&known[i].l);

		CHECK_NEAR(c.steps, known[i].steps, 0);
		CHECK_NEAR(c.share, known[i].share, 0);
	}
}

static void
test_curves(void)
{
	struct curve_point p[] = { { 1000, 1e-4 }, { 10000, 1e-3 },
		{ 1e6, 0.11 } };
	struct network_model n = { .curve = p, .n_curve = 3 };
	const struct allreduce_layout one = { ALLREDUCE_RING, 1, 1 };
	const struct allreduce_layout two = { ALLREDUCE_RING, 2, 1 };
	const struct allreduce_layout four = { ALLREDUCE_RING, 4, 1 };

	n.curve_layout = two;
	CHECK_NEAR(network_model_measured(&n, 10), 1e-4, 0);
	CHECK_NEAR(network_model_measured(&n, 10000), 1e-3, 1e-15);
	CHECK_NEAR(network_model_measured(&n, sqrt(1e7)), sqrt(1e-7), 1e-15);
	CHECK_NEAR(network_model_measured(&n, 3e6), 0.33, 1e-15);
	/* The measured layout keeps its measured times. */
	CHECK_NEAR(network_model_seconds(&n, &two, 1, 2e6), 0.22, 1e-12);
	/* The largest size is all slope: (0.11 - 1e-3) / 990000 exceeds 0.11 /
	 * 1e6 and is clamped to it; four nodes carry 1.5 times the data of
	 * two. */
	CHECK_NEAR(network_model_seconds(&n, &four, 3, 1e6), 0.055, 1e-12);
	n.curve_layout = one;
	CHECK(isnan(network_model_seconds(&n, &two, 1, 1e6)));
}

static void
test_buckets(void)
{
	size_t n;
	struct arena a = ARENA_INIT;
	struct step_bucket *b = buckets_assume(60 * 1048576.0, 3, &n, &a);

	CHECK_INT(n, 3);
	CHECK_NEAR(b[0].bytes, 25 * 1048576.0, 0);
	CHECK_NEAR(b[2].bytes, 10 * 1048576.0, 0);
	CHECK_NEAR(b[0].ready_s, 1 + 2.0 / 3, 1e-15);
	CHECK_NEAR(b[2].ready_s, 3, 1e-15);
	/* Each bucket waits for the one before. */
	for (size_t i = 0; i < n; i++)
		b[i].seconds = b[i].bytes * 1e-7;
	CHECK_NEAR(bucket_step_time(3, 0, 1, b, n),
	    1 + 2.0 / 3 + 60 * 1048576e-7, 1e-12);
	arena_release(&a);
}

/* --- steps ---------------------------------------------------------------- */

static void
test_overlap_is_a_share(void)
{
	struct step_parts p = { 2, 1, NAN };

	CHECK_NEAR(step_overlap(&p, 2), 0.5, 0);
	CHECK_NEAR(step_overlap(&p, 9), 1, 0);
	CHECK_NEAR(step_overlap(&p, 0.5), 0, 0);
	p.exposed_s = 0;
	CHECK(isnan(step_overlap(&p, 2)));
}

static void
test_changes(void)
{
	const struct step_parts known = { 2, 1, 0.25 }, unknown = { 2, 1, NAN };
	const struct step_parts gain = { 2, -1, 0 };
	const struct step_parts link = { 2, 0, 0.5 };
	struct step_range r = step_changed(&known, 1, 0, 1);

	CHECK_NEAR(r.step_s, 3, 0);
	r = step_changed(&known, 0.5, 0, 1);
	CHECK_NEAR(r.step_s, 2 + 0.75 - 0.5, 1e-15);
	r = step_changed(&unknown, 0.5, 0, 1);
	CHECK_NEAR(r.low_s, 2, 0);
	CHECK_NEAR(r.high_s, 2.5, 0);
	CHECK_NEAR(r.step_s, 2.25, 0);
	r = step_changed(&known, 1, 0.2, 1);
	CHECK_NEAR(r.step_s, 3.2, 1e-15);
	r = step_changed(&gain, 0.5, 0, 1);
	CHECK_NEAR(r.step_s, 2, 0);
	r = step_changed(&link, 0, 3, 1);
	CHECK_NEAR(r.step_s, 4, 0);
}

static void
test_bandwidth_for(void)
{
	const struct step_parts p = { 2, 1, 0.5 };
	const struct step_parts additive = { 2, 1, 0 };

	/* 2 / 0.8 - 2 = 0.5 may be exposed, and 1 is hidden. */
	CHECK_NEAR(step_bandwidth_for(&p, 1e9, 2, 0.8), 2e9 / 1.5, 1e-3);
	CHECK(isnan(step_bandwidth_for(&p, 1e9, 1.5, 0.8)));
	CHECK(isnan(step_bandwidth_for(&additive, 1e9, 2, 1)));
}

/* --- reading -------------------------------------------------------------- */

static void
test_targets(void)
{
	static const char *const bad[] = { "", "4", "n8g", "4n", "4n8", "4n8g ",
		"0n1g", "4n0g", "4n8gx", "-4n8g", "99999999n1g", "4g8n" };
	struct scaling_shape t;
	struct arena a = ARENA_INIT;

	CHECK_INT(scaling_shape_parse("4n8g", &t, &a), 0);
	CHECK_INT(t.gpus, 32);
	CHECK_STR(t.name, "4n8g");
	CHECK_INT(scaling_shape_parse("12g", &t, &a), 0);
	CHECK_INT(t.nodes == RESULT_UNKNOWN, 1);
	CHECK_INT(t.gpus, 12);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		CHECK_INT(scaling_shape_parse(bad[i], &t, &a), -1);
	arena_release(&a);
}

static void
test_rates(void)
{
	static const char *const bad[] = { "", "25", "Gbit/s", "0Gbit/s",
		"-1Gbit/s", "25Gb/s", "25 gbit/s", "x Gbit/s", "nanGbit/s" };
	double x;

	CHECK_INT(link_rate_parse("25Gbit/s", &x), 0);
	CHECK_NEAR(x, 25e9, 1e-3);
	CHECK_INT(link_rate_parse("12.5 GB/s", &x), 0);
	CHECK_NEAR(x, 100e9, 1e-3);
	CHECK_INT(link_rate_parse("500Mbit/s", &x), 0);
	CHECK_NEAR(x, 5e8, 1e-6);
	CHECK_INT(link_rate_parse("64kbit/s", &x), 0);
	CHECK_NEAR(x, 64e3, 1e-9);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		CHECK_INT(link_rate_parse(bad[i], &x), -1);
}

static void
test_changes_act_together(void)
{
	struct error e = ERROR_INIT;
	struct what_if w;

	CHECK_INT(
	    what_if_parse("bandwidth=x2,compression=fp16,compute=x1.5", &w, &e),
	    0);
	CHECK_NEAR(w.cost, 0.25, 0);
	CHECK_NEAR(w.compute, 1.5, 0);
	CHECK_INT(what_if_parse("buckets=161:4.28", &w, &e), 0);
	CHECK_NEAR(w.fewer, 156.72, 1e-12);
}

static const struct tap_test tests[] = {
	TEST(test_phi_of_known_laws),
	TEST(test_growth_is_learnt_from_counts),
	TEST(test_pool_of_certainty),
	TEST(test_siblings_move_the_growth),
	TEST(test_quantiles_as_bisections_find_them),
	TEST(test_anchor),
	TEST(test_saturated_below_1_35_a_doubling),
	TEST(test_ceilings),
	TEST(test_transfer),
	TEST(test_laws),
	TEST(test_allreduce_costs),
	TEST(test_curves),
	TEST(test_buckets),
	TEST(test_overlap_is_a_share),
	TEST(test_changes),
	TEST(test_bandwidth_for),
	TEST(test_targets),
	TEST(test_rates),
	TEST(test_changes_act_together),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
