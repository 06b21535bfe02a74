#include <config.h>

#include "extract/measure/measure_run.h"

#include "tests/tap.h"
#include "tests/unit/logs.h"

static struct metadata
metadata_of(long batch, long gpus)
{
	struct metadata f;

	memset(&f, 0, sizeof f);
	f.batch_size_per_device = batch;
	f.gpus = gpus;
	f.nodes = f.gpus_per_node = RESULT_UNKNOWN;
	return f;
}

static struct progress
look(struct log *log, const struct metadata *f)
{
	const struct rule rule = RULE_DEFAULT;
	const struct log *packed = log_pack(log);
	struct progress p;

	progress_look(&packed, 1, f, &rule, &p);
	return p;
}

/* The last 20 of 50 steps take 0.5 s, on 4 devices with 32 samples each. */
static void
test_times(void)
{
	struct metadata f = metadata_of(32, 4);
	struct log *log = log_new(&imagenet);
	struct progress p;

	CHECK_INT(look(log, &f).known, 0);
	log_add_range(log, 0, 0, 29, 2.0);
	log_add_range(log, 0, 30, 49, 0.5);
	p = look(log, &f);
	CHECK_INT(p.known, 1);
	CHECK_STR(p.unit, "samples/s");
	CHECK_NEAR(p.step_s, 0.5, 1e-15);
	CHECK_NEAR(p.speed, 32 * 4 / 0.5, 1e-10);
	CHECK_INT(p.done, 50);
	CHECK_INT(p.total, 0);
	CHECK_INT(p.finished, 0);
	log_item(log, 49)->iters = 130;
	CHECK_INT(look(log, &f).total, 130);
	CHECK_INT(look(log, &f).finished, 0);
	log_item(log, 49)->iters = 50;
	CHECK_INT(look(log, &f).finished, 1);
	f.gpus = RESULT_UNKNOWN;
	CHECK(isnan(look(log, &f).speed));
	f = metadata_of(RESULT_UNKNOWN, 4);
	CHECK(isnan(look(log, &f).speed));
	CHECK_NEAR(look(log, &f).step_s, 0.5, 1e-15);
	log_drop(log);
}

/* The speed is that of exactly the last 20 steps with a value. */
static void
test_last_steps(void)
{
	const struct metadata f = metadata_of(1, 1);

	for (int slow = 28; slow <= 31; slow++) {
		struct log *log = log_new(&imagenet);

		log_add_range(log, 0, 0, 49, 0.5);
		log_item(log, (size_t)slow)->value = 2.5;
		CHECK_NEAR(look(log, &f).step_s, slow < 30 ? 0.5 : 0.6, 1e-15);
		CHECK_NEAR(
		    look(log, &f).speed, 1 / (slow < 30 ? 0.5 : 0.6), 1e-12);
		/* If one of them has no value, the step before them counts. */
		log_item(log, 40)->value = NAN;
		CHECK_NEAR(look(log, &f).step_s, slow < 29 ? 0.5 : 0.6, 1e-15);
		log_drop(log);
	}
}

/* The mean of rates is work over time: 100 and 300 images/s give 150. */
static void
test_unequal_rates(void)
{
	const struct metadata f = metadata_of(30, 1);
	struct log *log = log_new(&dllogger);

	for (int i = 1; i <= 40; i++)
		log_add(log, 0, i, i % 2 ? 100 : 300);
	CHECK_NEAR(look(log, &f).speed, 150, 1e-10);
	CHECK_NEAR(look(log, &f).step_s, 0.2, 1e-12);
	log_drop(log);
}

/* Done and total iterations are those of the last epoch. */
static void
test_epochs(void)
{
	const struct metadata f = metadata_of(32, 4);
	struct log *log = log_new(&imagenet);
	struct progress p;

	log_add_range(log, 0, 0, 99, 0.5);
	log_item(log, 0)->iters = 130;
	log_add_range(log, 1, 0, 29, 0.5);
	p = look(log, &f);
	CHECK_INT(p.done, 30);
	CHECK_INT(p.total, 0);
	log_item(log, 129)->iters = 40;
	CHECK_INT(look(log, &f).total, 40);
	log_drop(log);
}

static void
test_rates(void)
{
	struct metadata f = metadata_of(50, 8);
	struct log *log = log_new(&dllogger);
	struct progress p;

	log_add_range(log, 0, 1, 40, 800);
	p = look(log, &f);
	CHECK_STR(p.unit, "images/s");
	CHECK_NEAR(p.speed, 800, 1e-10);
	CHECK_NEAR(p.step_s, 0.5, 1e-15);
	CHECK_INT(p.settled_at, 0);
	log_drop(log);
}

static const struct tap_test tests[] = {
	TEST(test_times),
	TEST(test_last_steps),
	TEST(test_unequal_rates),
	TEST(test_epochs),
	TEST(test_rates),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
