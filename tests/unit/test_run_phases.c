/* Phases, times and network rates that the program of a run prints. */
#include <config.h>

#include <math.h>

#include "extract/measure/measure_run.h"
#include "tests/tap.h"

static void
test_units(void)
{
	static struct log_metadata metadata[] = {
		{ "phase_step_ms", "250", 1, LOG_PROGRAM },
		{ "phase_step_ms", "260", 2, LOG_PROGRAM },
		{ "phase_data_ms", "10", 1, LOG_PROGRAM },
		{ "phase_busy_ms", "40", 1, LOG_PROGRAM },
		{ "phase_exposed_ms", "5", 1, LOG_PROGRAM },
		{ "phase_bytes", "102400", 1, LOG_PROGRAM },
		{ "phase_allreduces", "3", 1, LOG_PROGRAM },
		{ "phase_to_device_ms", "7", 1, LOG_PROGRAM },
		{ "phase_forward_ms", "60", 1, LOG_PROGRAM },
		{ "device_forward_ms", "90", 1,
		    LOG_PROGRAM }, /* the device's own clock */
		{ "device_loss_ms", "1", 1, LOG_PROGRAM },
		{ "phase_backward_ms", "120", 1, LOG_PROGRAM },
		{ "phase_update_ms", "15", 1, LOG_PROGRAM },
		{ "real_time", "100", 9, LOG_PROGRAM },
		{ "user_time", "360", 9, LOG_PROGRAM },
		{ "sys_time", "20", 9, LOG_PROGRAM },
		{ "received_mbit_per_s", "800", 9, LOG_PROGRAM },
		{ "sent_mbit_per_s", "1600", 9, LOG_PROGRAM },
	};
	struct arena a = ARENA_INIT;
	struct result_run run;
	struct log log;

	log_init(&log);
	log.metadata = metadata;
	log.n_metadata = sizeof metadata / sizeof metadata[0];
	result_run_init(&run);
	run_phases_keep(&log, &a, &run);
	CHECK_NEAR(run.phases.step_s, 0.255, 1e-15); /* the median */
	CHECK_NEAR(run.phases.data_s, 0.010, 1e-15);
	CHECK_NEAR(run.phases.busy_s, 0.040, 1e-15);
	CHECK_NEAR(run.phases.exposed_s, 0.005, 1e-15);
	CHECK_NEAR(run.phases.bytes_per_step, 102400, 0);
	CHECK_NEAR(run.phases.allreduces, 3, 0);
	CHECK_NEAR(run.phases.to_device_s, 0.007, 1e-15);
	CHECK_NEAR(run.phases.forward_s, 0.090, 1e-15);
	CHECK_NEAR(run.phases.loss_s, 0.001, 1e-15);
	CHECK_NEAR(run.phases.backward_s, 0.120, 1e-15);
	CHECK_NEAR(run.phases.update_s, 0.015, 1e-15);
	CHECK_NEAR(run.times.real_s, 100, 0);
	CHECK_NEAR(run.times.user_s, 360, 0);
	CHECK_NEAR(run.times.sys_s, 20, 0);
	/* 800 Mbit/s are 100 MB/s. */
	CHECK_NEAR(run.network.received_gb_per_s, 0.1, 1e-15);
	CHECK_NEAR(run.network.sent_gb_per_s, 0.2, 1e-15);
	CHECK_INT(run.n_buckets, 0);
	arena_release(&a);
}

static void
test_unknown(void)
{
	static struct log_metadata metadata[] = { { "phase_step_ms", "0", 1,
						      LOG_PROGRAM },
		{ "phase_data_ms", "none", 1, LOG_PROGRAM },
		{ "phase_exposed_ms", "0", 1, LOG_PROGRAM } };
	struct arena a = ARENA_INIT;
	struct result_run run;
	struct log log;

	log_init(&log);
	log.metadata = metadata;
	log.n_metadata = 3;
	result_run_init(&run);
	run_phases_keep(&log, &a, &run);
	CHECK(isnan(run.phases.step_s));
	CHECK(isnan(run.phases.data_s));
	CHECK_NEAR(run.phases.exposed_s, 0, 0); /* no exposed time */
	CHECK(isnan(run.phases.forward_s));
	CHECK(isnan(run.times.real_s));
	CHECK(isnan(run.network.sent_gb_per_s));
	arena_release(&a);
}

/* Buckets of several steps: the median of each, in the order of their starts. A
 * ready time before the step is unknown. */
static void
test_buckets(void)
{
	static struct log_bucket buckets[] = {
		{ 1, 100, 0.02, 0.03, 0.004 },
		{ 0, 200, 0.01, 0.07, 0.002 },
		{ 2, 50, 0, 0.001, 0.001 },
		{ 1, 100, 0.04, 0.05, 0.006 },
		{ 0, 200, -0.03, 0.09, 0.004 },
		{ 1, 100, 0.03, 0.04, 0.008 },
	};
	static const struct result_bucket want[] = {
		{ 50, 0, 0.001, 0.001 },
		{ 100, 0.03, 0.04, 0.006 },
		{ 200, NAN, 0.08, 0.003 },
	};
	struct arena a = ARENA_INIT;
	struct result_run run;
	struct log log;

	log_init(&log);
	log.buckets = buckets;
	log.n_buckets = sizeof buckets / sizeof buckets[0];
	result_run_init(&run);
	run_phases_keep(&log, &a, &run);
	CHECK_INT(run.n_buckets, 3);
	for (size_t i = 0; i < run.n_buckets && i < 3; i++) {
		CHECK_NEAR(run.buckets[i].bytes, want[i].bytes, 0);
		if (isnan(want[i].ready_s))
			CHECK(isnan(run.buckets[i].ready_s));
		else
			CHECK_NEAR(
			    run.buckets[i].ready_s, want[i].ready_s, 1e-15);
		CHECK_NEAR(run.buckets[i].start_s, want[i].start_s, 1e-15);
		CHECK_NEAR(
		    run.buckets[i].duration_s, want[i].duration_s, 1e-15);
	}
	/* Buckets of several operations each are not reported. */
	log.split_buckets = 1;
	result_run_init(&run);
	run_phases_keep(&log, &a, &run);
	CHECK_INT(run.n_buckets, 0);
	arena_release(&a);
}

static const struct tap_test tests[] = {
	TEST(test_units),
	TEST(test_unknown),
	TEST(test_buckets),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
