/* Single functions of predict_scaling against reference values of a second
 * implementation (tests/e2e/predict_oracles.py tests whole programs). Skipped
 * if the file of reference values is missing. */
#include <config.h>

#include <json_object.h>
#include <json_util.h>
#include <stdlib.h>
#include <unistd.h>

#include "predict/forecast.h"
#include "tests/tap.h"

enum { MAX_ITEMS = 64 };

static struct json_object *oracles;

/* --- reading -------------------------------------------------------------- */

static struct json_object *
member(struct json_object *obj, const char *key)
{
	struct json_object *v = NULL;

	json_object_object_get_ex(obj, key, &v);
	return v;
}

/* A number, or `other` if the member is missing. */
static double
number_or(struct json_object *obj, const char *key, double other)
{
	struct json_object *v = member(obj, key);

	return v != NULL ? json_object_get_double(v) : other;
}

static double
number(struct json_object *obj, const char *key)
{
	CHECK(member(obj, key) != NULL);
	return number_or(obj, key, NAN);
}

static size_t
items(struct json_object *array)
{
	size_t n = json_object_array_length(array);

	CHECK(n > 0 && n <= MAX_ITEMS);
	return n;
}

static double
item(struct json_object *array, size_t i)
{
	return json_object_get_double(json_object_array_get_idx(array, i));
}

/* Compare with an oracle whose tolerance is relative. */
static void
check_near(double got, double want, double tolerance)
{
	CHECK_NEAR(got, want, tolerance * fabs(want) + 1e-300);
}

/* Call f for each oracle of a kind. */
static void
each(const char *kind,
    void (*f)(
	struct json_object *args, struct json_object *expect, double tolerance))
{
	int seen = 0;

	if (oracles == NULL)
		SKIP("no oracles of predictions");
	for (size_t i = 0; i < json_object_array_length(oracles); i++) {
		struct json_object *o = json_object_array_get_idx(oracles, i);

		if (strcmp(json_object_get_string(member(o, "kind")), kind))
			continue;
		f(member(o, "args"), member(o, "expect"),
		    number(o, "tolerance"));
		seen++;
	}
	CHECK(seen > 0);
}

/* --- growth --------------------------------------------------------------- */

static void
check_emax(struct json_object *args, struct json_object *expect, double tol)
{
	struct json_object *n = member(args, "N");

	for (size_t i = 0; i < items(n); i++)
		CHECK_NEAR(expected_largest(item(n, i)), item(expect, i), tol);
}

static void
test_emax(void)
{
	each("emax", check_emax);
}

static void
check_phi(struct json_object *args, struct json_object *expect, double tol)
{
	struct json_object *rho = member(args, "rho"), *m = member(args, "m");

	/* The oracle is rounded to seven digits. */
	for (size_t i = 0; i < items(rho); i++)
		for (size_t j = 0; j < items(m); j++)
			CHECK_NEAR(growth_phi(item(rho, i), item(m, j)),
			    item(json_object_array_get_idx(expect, i), j),
			    fmax(tol, 5e-7));
}

static void
test_phi(void)
{
	each("phi", check_phi);
}

/* --- link ----------------------------------------------------------------- */

static struct allreduce_layout
layout(struct json_object *args)
{
	const char *name = json_object_get_string(member(args, "algorithm"));
	int i = 0;

	while (strcmp(allreduce_algorithm_names[i], name) != 0)
		i++;
	return (struct allreduce_layout){ i, (long)number(args, "nodes"),
		(long)number(args, "gpus_per_node") };
}

/* Seconds on the slowest link: each message's latency, and the bytes. */
static double
seconds_on(
    struct json_object *link, const struct allreduce_layout *l, double bytes)
{
	const struct allreduce_cost c = allreduce_cost(l);

	return c.steps * number(link, "latency") +
	    c.share * bytes / number(link, "bandwidth");
}

static void
check_allreduce(
    struct json_object *args, struct json_object *expect, double tol)
{
	const struct allreduce_layout l = layout(args);
	const struct allreduce_layout within = { ALLREDUCE_RING, 1,
		l.gpus_per_node };
	const double bytes = number(args, "bytes");
	double seconds =
	    seconds_on(member(args, l.nodes > 1 ? "net" : "node"), &l, bytes);

	if (l.algorithm == ALLREDUCE_HIERARCHICAL && l.nodes > 1)
		seconds += seconds_on(member(args, "node"), &within, bytes);
	check_near(seconds, json_object_get_double(expect), tol);
}

static void
test_allreduce(void)
{
	each("allreduce", check_allreduce);
}

static size_t
curve(struct json_object *points, struct curve_point out[MAX_ITEMS])
{
	const size_t n = items(points);

	for (size_t i = 0; i < n; i++) {
		struct json_object *p = json_object_array_get_idx(points, i);

		out[i] = (struct curve_point){ item(p, 0), item(p, 1) };
	}
	return n;
}

static void
check_curve(struct json_object *args, struct json_object *expect, double tol)
{
	struct json_object *bytes = member(args, "bytes");
	struct curve_point points[MAX_ITEMS];
	const struct network_model network = { .curve = points,
		.n_curve = curve(member(args, "points"), points) };

	for (size_t i = 0; i < items(bytes); i++)
		check_near(network_model_measured(&network, item(bytes, i)),
		    item(expect, i), tol);
}

static void
test_curve(void)
{
	each("curve", check_curve);
}

static void
check_rescale(struct json_object *args, struct json_object *expect, double tol)
{
	struct json_object *bytes = member(args, "bytes");
	const struct allreduce_layout to = layout(member(args, "to"));
	struct curve_point points[MAX_ITEMS];
	const struct network_model network = { .curve = points,
		.n_curve = curve(member(args, "points"), points),
		.curve_layout = layout(member(args, "from")) };

	for (size_t i = 0; i < items(bytes); i++)
		check_near(network_model_seconds(&network, &to,
			       number(args, "rate"), item(bytes, i)),
		    item(expect, i), tol);
}

static void
test_rescale(void)
{
	each("rescale", check_rescale);
}

/* --- steps ---------------------------------------------------------------- */

static void
check_step(struct json_object *args, struct json_object *expect, double tol)
{
	struct json_object *from = member(args, "buckets");
	struct step_bucket buckets[MAX_ITEMS];
	struct curve_point points[MAX_ITEMS];
	const size_t n = items(from);
	const struct network_model network = { .curve = points,
		.n_curve = curve(member(args, "curve"), points) };

	for (size_t i = 0; i < n; i++) {
		struct json_object *b = json_object_array_get_idx(from, i);
		const double bytes = number(b, "bytes");

		buckets[i] = (struct step_bucket){ bytes, number(b, "ready_s"),
			network_model_measured(&network, bytes) };
	}
	/* The optimiser's time is added at the end. */
	check_near(
	    bucket_step_time(number(args, "compute_s"), number(args, "sigma_s"),
		number(args, "ranks"), buckets, n) +
		number(args, "post_s"),
	    number(expect, "step_s"), tol);
}

static void
test_step(void)
{
	each("step", check_step);
}

static struct step_parts
parts(struct json_object *args)
{
	return (struct step_parts){ number(args, "compute_s"),
		number(args, "exposed_s"), number_or(args, "gamma", NAN) };
}

static void
check_range(const struct step_range *r, struct json_object *expect, double tol)
{
	check_near(r->step_s, number(expect, "step"), tol);
	check_near(r->low_s, number(expect, "low"), tol);
	check_near(r->high_s, number(expect, "high"), tol);
}

static void
check_whatif(struct json_object *args, struct json_object *expect, double tol)
{
	const struct step_parts p = parts(args);
	const struct step_range r = step_changed(&p, number_or(args, "q", 1),
	    number_or(args, "extra", 0), number_or(args, "speed", 1));

	check_range(&r, expect, tol);
}

static void
test_whatif(void)
{
	each("whatif", check_whatif);
}

static void
check_overlap(struct json_object *args, struct json_object *expect, double tol)
{
	const struct allreduce_layout l = layout(args);
	const struct step_parts p = parts(args);
	const double communication = link_communication(
	    &l, number(args, "gradient_bytes"), number(args, "bit_per_s"));

	check_near(communication, number(expect, "communication_s"), tol);
	check_near(
	    step_overlap(&p, communication), number(expect, "gamma"), tol);
}

static void
test_overlap(void)
{
	each("overlap", check_overlap);
}

static void
check_bandwidth(
    struct json_object *args, struct json_object *expect, double tol)
{
	const struct step_parts p = parts(args);
	const double got = step_bandwidth_for(&p, number(args, "bit_per_s"),
	    number(args, "baseline_s"), number(args, "target"));

	if (expect == NULL)
		CHECK(isnan(got));
	else
		check_near(got, json_object_get_double(expect), tol);
}

static void
test_bandwidth(void)
{
	each("bandwidth_for", check_bandwidth);
}

static void
check_link_step(
    struct json_object *args, struct json_object *expect, double tol)
{
	const struct step_parts p = { number(args, "compute_s"), 0,
		number_or(args, "gamma", NAN) };
	const struct step_range r =
	    step_changed(&p, 0, number(args, "communication_s"), 1);

	check_range(&r, expect, tol);
}

static void
test_link_step(void)
{
	each("link_step", check_link_step);
}

/* --- answers -------------------------------------------------------------- */

/* Check a part, which is NAN if the oracle has none. */
static void
check_part(double got, struct json_object *expect, const char *key, double tol)
{
	if (member(expect, key) == NULL && strcmp(key, "other") != 0)
		CHECK(isnan(got));
	else if (member(expect, key) != NULL)
		check_near(got, number(expect, key), tol);
}

static void
check_decompose(
    struct json_object *args, struct json_object *expect, double tol)
{
	struct json_object *from = member(member(args, "series"), "cases");
	struct result_run run = {
		.phases = { .step_s = 1,
		    .exposed_s = number_or(args, "exposed_share", NAN),
		    .data_s = number_or(args, "wait_share", NAN) }
	};
	const struct result_case of = { .runs = &run, .n_runs = 1 };
	const struct series_point point = { .c = &of };
	struct scaling_case cases[MAX_ITEMS];
	struct scaling_series s = { .cases = cases,
		.n = items(from),
		.baseline = &cases[0],
		.sigma = number_or(args, "sigma", NAN) };
	double d[N_DIAGNOSIS_PARTS];

	for (size_t i = 0; i < s.n; i++) {
		struct json_object *c = json_object_array_get_idx(from, i);
		const long nodes = (long)number(c, "nodes");
		const long each = (long)number(c, "gpus_per_node");

		cases[i] = (struct scaling_case){ .point = &point,
			.shape = { "", nodes, each, nodes * each },
			.t = (double)(nodes * each) / number(c, "speed") };
	}
	diagnosis_make(&s,
	    scaling_series_find(&s, (long)number(args, "nodes"),
		(long)number(args, "gpus_per_node"), 0),
	    d);
	for (int i = 0; i < N_DIAGNOSIS_PARTS; i++)
		check_part(d[i], expect, diagnosis_parts[i].key, tol);
}

static void
test_decompose(void)
{
	each("decompose", check_decompose);
}

static void
check_cost(struct json_object *args, struct json_object *expect, double tol)
{
	const struct scaling_series s = { .kind = WORK_RATE };
	const double gpus = number(args, "gpus");
	const struct forecast_case of = { .shape = { .gpus = (long)gpus },
		.t = { gpus / number(args, "speed") } };
	const struct cost_answer c =
	    cost_make(&s, &of, number(args, "samples"), number(args, "price"));

	check_near(c.seconds[0], number(expect, "seconds"), tol);
	check_near(c.gpu_hours, number(expect, "gpu_hours"), tol);
	check_near(c.cost, number(expect, "cost"), tol);
}

static void
test_cost(void)
{
	each("cost", check_cost);
}

static void
check_law(struct json_object *args, struct json_object *expect, double tol)
{
	struct json_object *points = member(args, "points");
	double gpus[MAX_ITEMS], speed[MAX_ITEMS];
	const size_t n = items(points);
	int law = 0;

	while (strcmp(scaling_law_names[law],
		   json_object_get_string(member(args, "model"))) != 0)
		law++;
	for (size_t i = 0; i < n; i++) {
		struct json_object *p = json_object_array_get_idx(points, i);

		gpus[i] = item(p, 0);
		speed[i] = item(p, 1);
	}
	/* The oracles are rounded to seven digits. */
	check_near(law_predict(law, gpus, speed, n, number(args, "gpus")),
	    json_object_get_double(expect), fmax(tol, 1e-6));
}

static void
test_laws(void)
{
	each("baseline", check_law);
}

static const struct tap_test tests[] = {
	TEST(test_emax),
	TEST(test_phi),
	TEST(test_allreduce),
	TEST(test_curve),
	TEST(test_rescale),
	TEST(test_step),
	TEST(test_whatif),
	TEST(test_overlap),
	TEST(test_bandwidth),
	TEST(test_link_step),
	TEST(test_decompose),
	TEST(test_cost),
	TEST(test_laws),
};

int
main(void)
{
	const char *given = getenv("DLSCALE_ORACLES");
	const char *top = getenv("top_srcdir");
	struct json_object *all = NULL;
	char path[4096];

	snprintf(path, sizeof path, "%s%s",
	    given != NULL     ? given
		: top != NULL ? top
			      : ".",
	    given != NULL ? ""
			  : "/../shared/reference/prediction-oracles.json");
	if (access(path, R_OK) == 0)
		all = json_object_from_file(path);
	oracles = all != NULL ? member(all, "cases") : NULL;
	tap_main(tests, N_TESTS(tests));
	json_object_put(all);
	return 0;
}
