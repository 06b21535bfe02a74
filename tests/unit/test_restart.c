/* Attempts with distant iterations, and many epochs. See also test_steps.c. */
#include <config.h>

#include "extract/measure/steps/steps.h"

#include "tests/tap.h"
#include "tests/unit/logs.h"

/* Log every distance-th iteration; repeating the last starts an attempt. */
static void
check_attempts(int distance)
{
	enum { N = 32000 };
	struct log *log = log_new(&imagenet);
	struct sample_index r;
	struct arena arena = ARENA_INIT;
	struct attempts a;
	const struct log *packed;

	for (int i = 0; i < N; i++)
		log_add(log, 0, i * distance, 0.5);
	log_add(log, 0, (N - 1) * distance, 0.5);
	packed = log_pack(log);
	sample_index_collect(&r, &packed, 1, NULL, NULL);
	attempts_find(&r, 1, 1, &arena, &a);
	CHECK_INT(a.n, 2);
	CHECK_INT(a.starts[1], N);
	arena_release(&arena);
	sample_index_release(&r);
	log_drop(log);
}

static void
test_distant_iterations(void)
{
	check_attempts(1);
	check_attempts(65536);
}

/* More epochs than the initial capacity of their table. */
static void
test_many_epochs(void)
{
	struct log *log = log_new(&imagenet);
	const struct log *packed;
	struct sample_index r;

	for (int epoch = 0; epoch < 1000; epoch++)
		log_add_range(log, 3 * epoch, 0, 1, 0.5);
	packed = log_pack(log);
	sample_index_collect(&r, &packed, 1, NULL, NULL);
	CHECK_INT(r.n_epochs, 1000);
	CHECK_INT(r.epochs[999], 2997);
	CHECK_INT(r.n, 2000);
	sample_index_release(&r);
	log_drop(log);
}

static const struct tap_test tests[] = {
	TEST(test_many_epochs),
	TEST(test_distant_iterations),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
