/* Means over the steps of a run, compared with sums computed here. */
#include <config.h>

#include "trainer/run/meters/meter.h"

#include <stdlib.h>

#include "tests/tap.h"

/* Add a step of k buckets; hierarchical ones are three collectives each. */
static void
add_step(struct run_means *m, struct trace *t, int number, int k, int parts)
{
	const struct step_times times = { .step_s = number + 1,
		.data_s = 0.5,
		.busy_s = 0.25 * k,
		.n = k,
		.bytes = 100.0 * k };

	trace_begin_step(t, number, 1000);
	for (int i = 0; i < k; i++)
		for (int p = 0; p < parts; p++)
			trace_add(t,
			    &(struct trace_event){ .op = "allreduce",
				.bucket = i,
				.n_tensors = i + 1,
				.bytes = p == 0 ? 100 : 50,
				.ready = 1000 + i,
				.start = 1000 + i + 0.25 * (p + 1),
				.end = 1000 + i + 0.25 * (p + 2) });
	run_means_add(m, &times, t);
}

static const char *
shown(const struct run_means *m)
{
	static char text[4096];
	struct strbuf sb;

	strbuf_init(&sb, sizeof text);
	run_means_show(m, &sb);
	memcpy(text, sb.buf, sb.len + 1);
	strbuf_release(&sb);
	return text;
}

/* All of up to ten steps count; of more, the first five are skipped. */
static void
test_skips_the_first(void)
{
	for (int n = 1; n < 30; n++) {
		struct run_means m = { .all = { .steps = 0 } };
		struct trace *t = trace_new(2);
		const int skip = n > 10 ? 5 : 0;
		double step_s;

		for (int i = 0; i < n; i++)
			add_step(&m, t, i, 0, 1);
		CHECK_INT(run_means_skipped(&m), skip);
		/* The mean of skip + 1 .. n. */
		step_s = (skip + 1 + n) / 2.0;
		CHECK_NEAR(run_means_wait_share(&m), 0.5 / step_s, 1e-12);
		CHECK_NEAR(strtod(strstr(shown(&m), "step_s=") + 7, NULL),
		    step_s, 1e-4);
		run_means_release(&m);
		trace_free(t);
	}
}

static void
test_shows_buckets(void)
{
	struct run_means m = { .all = { .steps = 0 } };
	struct trace *t = trace_new(2);

	add_step(&m, t, 0, 1, 1);
	add_step(&m, t, 1, 2, 1);
	CHECK_STR(shown(&m),
	    "dlscale: run_phases steps=2 skipped=0 step_s=1.5 data_s=0.5 "
	    "busy_s=0.375 exposed_s=0 bytes_per_step=150 per_step=1.5\n"
	    "dlscale: run_bucket bucket=0 steps=2 tensors=1 bytes=100 "
	    "ready_s=0 start_s=0.25 duration_s=0.25\n"
	    "dlscale: run_bucket bucket=1 steps=1 tensors=2 bytes=100 "
	    "ready_s=1 start_s=1.25 duration_s=0.25\n");
	run_means_release(&m);
	trace_free(t);
}

static void
test_joins_parts_of_a_bucket(void)
{
	struct run_means m = { .all = { .steps = 0 } };
	struct trace *t = trace_new(4);

	add_step(&m, t, 0, 2, 3);
	CHECK(strstr(shown(&m),
		  "bucket=0 steps=1 tensors=1 bytes=100 ready_s=0 "
		  "start_s=0.25 duration_s=0.75\n") != NULL);
	CHECK(strstr(shown(&m),
		  "bucket=1 steps=1 tensors=2 bytes=100 ready_s=1 "
		  "start_s=1.25 duration_s=0.75\n") != NULL);
	run_means_release(&m);
	trace_free(t);
}

static void
test_empty(void)
{
	struct run_means m = { .all = { .steps = 0 } };

	CHECK_STR(shown(&m), "");
	CHECK(run_means_wait_share(&m) == 0);
	run_means_release(&m);
}

static const struct tap_test tests[] = {
	TEST(test_skips_the_first),
	TEST(test_shows_buckets),
	TEST(test_joins_parts_of_a_bucket),
	TEST(test_empty),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
