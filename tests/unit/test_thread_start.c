/* Threads begin apart, and may use the CPUs that their maker may use. */
#include <config.h>

#include "common/thread_start.h"

#include <sched.h>

#include "tests/tap.h"

/* What a thread saw of itself. */
struct seen {
	cpu_set_t allowed;
	int cpu;
};

static void *
look(void *arg)
{
	struct seen *s = arg;

	CPU_ZERO(&s->allowed);
	sched_getaffinity(0, sizeof s->allowed, &s->allowed);
	s->cpu = sched_getcpu();
	return s;
}

static void
start_and_join(size_t k, struct seen *s)
{
	pthread_t t;
	void *result;

	CHECK_INT(thread_start(&t, k, look, s), 0);
	CHECK_INT(pthread_join(t, &result), 0);
	CHECK(result == s);
}

static void
test_place(void)
{
	for (size_t n = 1; n <= 9; n++)
		for (size_t now = 0; now < n; now++) {
			unsigned used = 0;

			/* Each has another; the caller's comes last. */
			for (size_t k = 0; k < n; k++)
				used |= 1u << thread_place(now, n, k);
			CHECK_INT(used, (1u << n) - 1);
			CHECK_INT(thread_place(now, n, n - 1), now);
			CHECK_INT(
			    thread_place(now, n, n), thread_place(now, n, 0));
		}
}

static void
test_mask(void)
{
	cpu_set_t all, one;
	struct seen s;

	CHECK_INT(sched_getaffinity(0, sizeof all, &all), 0);
	for (size_t k = 0; k < 5; k++) {
		start_and_join(k, &s);
		CHECK(CPU_EQUAL(&s.allowed, &all));
	}
	/* Where there is one only, it is that. */
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	CHECK_INT(sched_setaffinity(0, sizeof one, &one), 0);
	start_and_join(0, &s);
	CHECK(CPU_EQUAL(&s.allowed, &one));
	CHECK(CPU_ISSET(s.cpu, &one));
	CHECK_INT(sched_setaffinity(0, sizeof all, &all), 0);
}

/* How often of 40 times a thread begins where its maker is. */
static int
count_here(size_t k)
{
	struct seen s;
	int n = 0;

	for (int i = 0; i < 40; i++) {
		const int here = sched_getcpu();

		start_and_join(k, &s);
		n += s.cpu == here;
	}
	return n;
}

/* The kernel's own choice is as often one CPU for the first as for the last
 * thread; ours is another for the first, and the maker's for the last. */
static void
test_begin(void)
{
#ifdef HAVE_PTHREAD_ATTR_SETAFFINITY_NP
	cpu_set_t all;

	CHECK_INT(sched_getaffinity(0, sizeof all, &all), 0);
	if (CPU_COUNT(&all) < 2)
		SKIP("one CPU only");
	CHECK(count_here((size_t)CPU_COUNT(&all) - 1) - count_here(0) > 20);
#else
	SKIP("threads cannot be placed here");
#endif
}

static const struct tap_test tests[] = {
	TEST(test_place),
	TEST(test_begin),
	TEST(test_mask),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
