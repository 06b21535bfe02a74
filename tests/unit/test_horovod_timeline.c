/* Steps between allreduces: where they end, which count, and their values. */
#include <config.h>

#include "extract/scan/scanner_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static struct horovod_timeline *timeline;
static struct log made;

static void
begin(void)
{
	timeline = horovod_timeline_new();
	log_init(&made);
}

static void
finish(void)
{
	horovod_timeline_free(timeline);
	log_release(&made);
}

/* Add an event of a tensor: 'B' with its name, or 'E'. */
static void
add_event(
    char kind, size_t tensor, const char *name, double at, const char *more)
{
	char line[256];
	const int len = snprintf(line, sizeof line,
	    "{\"name\": \"%s\", \"ph\": \"%c\", \"ts\": %.17g, "
	    "\"pid\": %zu%s},",
	    name, kind, at, tensor, more);

	horovod_timeline_line(timeline, &made, line, (size_t)len, 1);
}

/* Add a response of n tensors from start to end, in us. */
static void
add_fused(
    const size_t *tensors, size_t n, double start, double end, double bytes)
{
	char shape[80];

	snprintf(shape, sizeof shape,
	    ", \"args\": {\"dtype\": \"uint8\", \"shape\": \"[%.0f, 1]\"}",
	    bytes / (double)n);
	for (size_t i = 0; i < n; i++)
		add_event('B', tensors[i], "ALLREDUCE", start - 100, "");
	for (size_t i = 0; i < n; i++)
		add_event('B', tensors[i], "NCCL_ALLREDUCE", start, "");
	for (size_t i = 0; i < n; i++)
		add_event('E', tensors[i], "", end, "");
	for (size_t i = 0; i < n; i++)
		add_event('E', tensors[i], "", end, shape);
}

static void
add_response(size_t tensor, double start, double end, double bytes)
{
	add_fused(&tensor, 1, start, end, bytes);
}

/* The i-th value that the log states for a key, or -1 if there are fewer. */
static double
stated(const char *key, size_t i)
{
	for (size_t k = 0; k < made.n_metadata; k++)
		if (strcmp(made.metadata[k].key, key) == 0 && i-- == 0)
			return strtod(made.metadata[k].value, NULL);
	return -1;
}

/* Add step k, with two responses that overlap by 100 us. */
static void
add_step(int k)
{
	const double at = 1000 * k;

	add_response(0, at + 200, at + 500, 100);
	add_response(1, at + 400, at + 800, 50);
}

/* The first and the last of n steps do not count: the start of the first is
 * unknown, and the last may be cut. */
static void
test_whole_steps(void)
{
	for (int n = 0; n <= 5; n++) {
		const size_t whole = n > 2 ? (size_t)n - 2 : 0;

		begin();
		for (int k = 0; k < n; k++)
			add_step(k);
		horovod_timeline_end(timeline, &made);
		CHECK_INT(made.n_metadata, 3 * whole);
		CHECK_INT(made.n_buckets, 2 * whole);
		for (size_t i = 0; i < whole; i++) {
			const struct log_bucket *b = &made.buckets[2 * i];

			CHECK_NEAR(stated("phase_step_ms", i), 1, 1e-12);
			CHECK_NEAR(stated("phase_busy_ms", i), 0.6, 1e-12);
			CHECK_NEAR(stated("phase_bytes", i), 150, 0);
			CHECK_INT(b[0].bucket, 0);
			CHECK_NEAR(b[0].bytes, 100, 0);
			CHECK_NEAR(b[0].ready_s, 300e-6, 1e-15);
			CHECK_NEAR(b[0].start_s, 400e-6, 1e-15);
			CHECK_NEAR(b[0].duration_s, 300e-6, 1e-15);
			CHECK_INT(b[1].bucket, 1);
			CHECK_NEAR(b[1].bytes, 50, 0);
			CHECK_NEAR(b[1].ready_s, 500e-6, 1e-15);
			CHECK_NEAR(b[1].start_s, 600e-6, 1e-15);
			CHECK_NEAR(b[1].duration_s, 400e-6, 1e-15);
		}
		finish();
	}
}

/* Transfers that are apart, that touch, and one inside the other. */
static void
test_busy(void)
{
	static const struct {
		double start, end; /* of the second; the first is [200, 500] */
		double busy;       /* ms */
	} cases[] = {
		{ 600, 800, 0.5 },
		{ 500, 800, 0.6 },
		{ 100, 800, 0.7 },
		{ 200, 500, 0.3 },
		{ 300, 500, 0.3 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		begin();
		for (int k = 0; k < 3; k++) {
			const double at = 1000 * k;

			add_response(0, at + 200, at + 500, 100);
			add_response(
			    1, at + cases[i].start, at + cases[i].end, 50);
		}
		horovod_timeline_end(timeline, &made);
		CHECK_NEAR(stated("phase_busy_ms", 0), cases[i].busy, 1e-12);
		finish();
	}
}

/* Buckets come from the steps with the most frequent number of responses; if
 * two numbers are equally frequent, from those with the larger one. */
static void
test_usual_steps(void)
{
	static const struct {
		int n[4];         /* responses of each whole step */
		size_t n_buckets; /* in all */
	} cases[] = {
		{ { 1, 2, 1, 1 }, 3 },
		{ { 2, 1, 2, 3 }, 4 },
		{ { 1, 2, 1, 2 }, 4 },
		{ { 2, 1, 2, 1 }, 4 },
		{ { 1, 2, 3, 4 }, 4 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		begin();
		add_step(0);
		for (int k = 1; k <= 4; k++)
			for (int r = 0; r < cases[i].n[k - 1]; r++)
				add_response((size_t)r, 1000 * k + 100 * r,
				    1000 * k + 100 * r + 50, 8);
		add_step(5);
		horovod_timeline_end(timeline, &made);
		CHECK_INT(made.n_metadata, 12);
		CHECK_INT(made.n_buckets, cases[i].n_buckets);
		finish();
	}
}

/* A response of several tensors begins a step if one of them repeats. */
static void
test_tensors_together(void)
{
	static const struct {
		size_t tensors[2], n;
	} responses[] = { { { 0, 7 }, 2 }, { { 3 }, 1 }, { { 4, 7 }, 2 },
		/* In the new step because of the previous response. */
		{ { 0 }, 1 }, { { 7 }, 1 } };

	begin();
	for (size_t i = 0; i < 5; i++)
		add_fused(responses[i].tensors, responses[i].n,
		    1000 * (double)i + 200, 1000 * (double)i + 300, 8);
	horovod_timeline_end(timeline, &made);
	CHECK_INT(made.n_metadata, 3);
	CHECK_INT(made.n_buckets, 2);
	CHECK_NEAR(stated("phase_step_ms", 0), 2, 1e-12);
	CHECK_NEAR(stated("phase_busy_ms", 0), 0.2, 1e-12);
	finish();
}

/* Only the first MAX_STEPS steps count, and none that ends where it starts. */
static void
test_limits(void)
{
	enum { MAX_STEPS = 512 }; /* as in horovod_timeline.c */

	for (int more = 1; more <= 3; more++) {
		const int n = MAX_STEPS + more;

		begin();
		for (int k = 0; k < n; k++)
			add_response(0, 10 * k, 10 * k + 5, 8);
		horovod_timeline_end(timeline, &made);
		CHECK_INT(made.n_metadata,
		    3 * (n - 2 < MAX_STEPS ? n - 2 : MAX_STEPS));
		finish();
	}
	begin();
	for (int k = 0; k < 5; k++)
		add_response(0, 100, k < 2 ? 200 : 200 + 10 * (k - 1), 8);
	horovod_timeline_end(timeline, &made);
	/* The step of k = 1 ends where the previous one does. */
	CHECK_INT(made.n_metadata, 6);
	finish();
}

/* Shapes as printed by Python. */
static void
test_shapes(void)
{
	static const struct {
		const char *shape;
		double bytes;
	} cases[] = { { "[]", 4 }, { "[1]", 4 }, { "[10,]", 40 },
		{ "[10, 5]", 200 }, { "[ 3,2 , 7 ]", 168 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char args[80];

		snprintf(args, sizeof args,
		    ", \"args\": {\"dtype\": \"float32\", \"shape\": \"%s\"}",
		    cases[i].shape);
		begin();
		for (int k = 0; k < 3; k++) {
			add_event('B', 0, "ALLREDUCE", 100 * k, "");
			add_event('B', 0, "NCCL_ALLREDUCE", 100 * k, "");
			add_event('E', 0, "", 100 * k + 50, "");
			add_event('E', 0, "", 100 * k + 50, args);
		}
		horovod_timeline_end(timeline, &made);
		CHECK_INT(made.n_buckets, 1);
		CHECK_NEAR(made.buckets[0].bytes, cases[i].bytes, 0);
		finish();
	}
}

static const struct tap_test tests[] = {
	TEST(test_whole_steps),
	TEST(test_busy),
	TEST(test_usual_steps),
	TEST(test_tensors_together),
	TEST(test_shapes),
	TEST(test_limits),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
