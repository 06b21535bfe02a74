/* The work of an iteration as printed by a log's lines. */
#include <config.h>

#include <stdlib.h>

#include "extract/log/log.h"
#include "extract/measure/measure_run.h"
#include "tests/tap.h"
#include "tests/unit/logs.h"

static struct arena arena;

/* The batch that the lines print applies to the window, even to one of a single
 * iteration. */
static void
test_printed_batch(void)
{
	for (long train = 21; train <= 120; train += 99) {
		struct rule rule = RULE_DEFAULT;
		const struct metadata f = { .batch_size_per_device =
						RESULT_UNKNOWN,
			.nodes = 1,
			.gpus_per_node = 1,
			.gpus = 1,
			.batch_by_log = 1 };
		struct log *log = log_new(&imagenet);
		struct exclusion x = EXCLUSION_INIT;
		struct run_source source;
		const struct log *packed;
		struct measured m;

		rule.train = train;
		log_add_range(log, 0, 0, 129, 0.5);
		log_works_add(log, "batch_size", 256, 1);
		packed = log_pack(log);
		source = (struct run_source){ &packed, 1, &f, NULL };
		CHECK_INT(measure_run(&source, &rule, &arena, &m, &x), 0);
		CHECK_INT(m.run.iterations, train - 20);
		CHECK_NEAR(m.run.samples_per_s, 256 / 0.5, 1e-9);
		log_works_clear(log);
		log_drop(log);
	}
}

static const struct tap_test tests[] = {
	TEST(test_printed_batch),
};

int
main(void)
{
	const int status = tap_main(tests, N_TESTS(tests));

	arena_release(&arena);
	return status;
}
