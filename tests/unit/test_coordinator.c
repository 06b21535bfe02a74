/* Agreement on ready tensors over a communicator that fails;
 * tests/e2e/allreduce.sh covers success in whole runs. */
#include <config.h>

#include "trainer/sync/gradient_reducer.h"

#include "tests/tap.h"

/* An allreduce that overwrites its data and fails. */
static int
fail_allreduce(struct comm *c, void *data, size_t n, enum comm_type t,
    enum comm_op op, struct error *e)
{
	(void)c, (void)op;
	memset(data, 0x7f, n * comm_type_size(t));
	return error_set(e, ERROR_SYSTEM, "a rank is gone");
}

static void
test_failed(void)
{
	static const char *const names[] = { "a", "b", "c" };
	static const struct comm_ops ops = { .allreduce = fail_allreduce };
	struct comm comm = { .ops = &ops, .size = 2 };

	/* Negotiation by names, and by numbers. */
	for (long capacity = 0; capacity <= 3; capacity += 3) {
		struct error e = ERROR_INIT;
		struct coordinator *c =
		    coordinator_new(&comm, names, N_TESTS(names), capacity);
		int all = -1;

		coordinator_begin(c);
		CHECK_INT(coordinator_ask(c, 2, &all, &e), -1);
		CHECK_STR(e.message, "a rank is gone");
		CHECK_INT(all, -1);
		coordinator_free(c);
	}
}

static const struct tap_test tests[] = { TEST(test_failed) };

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
