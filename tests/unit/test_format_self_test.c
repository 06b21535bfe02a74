/* What the samples of a format file prove, and the message if one does not
 * hold. */
#include <config.h>

#include "extract/scan/scan_file.h"

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/unit/scanning.h"

/* Patterns for all kinds of a trainer's lines. */
static const char patterns[] =
    "name a\ndescription d\nkind step-time\nbase 0\n"
    "step took ^step (?<iter>\\d+) took (?<step_ms>\\S+) ms\n"
    "detail loss loss (?<loss>\\S+)\n"
    "step total ^total of (?<span>\\d+): (?<step_s>\\S+) s\n"
    "metadata uses ^uses (?<model>\\S+) \\((?<device>.*)\\)$\n"
    "gives framework mine\n"
    "result val ^val (?<val_loss>\\S+)\n"
    "sample step 1 took 2 ms loss 3\nexpect took\nexpect loss\n"
    "sample total of 2: 4 s\nexpect total\n"
    "sample uses x (y)\nexpect uses\n"
    "sample val 5\nexpect val\n";

static const char stamps[] =
    "name a\ndescription d\nkind stamp\n"
    "step took ^(?<date>[\\d-]+) (?<clock>[\\d:.]+) step (?<iter>\\d+)\n";

/* The error message for samples after some patterns; "" if there is none. */
static const char *
mistake(const char *before, const char *samples, struct error *e)
{
	struct arena arena = ARENA_INIT;
	char *text = xasprintf("%s%s", before, samples);
	struct format *f;

	*e = ERROR_INIT;
	f = format_parse(&arena, FORMAT_FILE, "a", "a", text, strlen(text), e);
	if (f != NULL) {
		const int rc = format_self_test(&built_in, f, e);

		CHECK_INT(rc, e->message[0] != '\0' ? -1 : 0);
		format_release_code(f);
	}
	arena_release(&arena);
	free(text);
	return e->message;
}

static void
check_mistakes(const char *before, const char *const (*cases)[2], size_t n)
{
	struct error e;

	for (size_t i = 0; i < n; i++) {
		const char *got = mistake(before, cases[i][0], &e);

		if (strstr(got, cases[i][1]) == NULL ||
		    (cases[i][1][0] == '\0' && got[0] != '\0'))
			printf("# %s# is '%s'\n", cases[i][0], got);
		CHECK(strstr(got, cases[i][1]) != NULL);
		CHECK(cases[i][1][0] != '\0' || got[0] == '\0');
	}
}

#define TOOK "sample step 3 took 250 ms\nexpect took "
#define USES "sample uses vgg (of 16)\nexpect uses "

/* Numbers are compared as numbers and other texts as texts; a number never
 * equals a text. */
static void
test_values(void)
{
	static const char *const cases[][2] = {
		{ TOOK "iter=3\n", "" },
		{ TOOK "step_ms=250\n", "" },
		{ TOOK "step_ms=250.0\n", "" },
		{ TOOK "step_ms=2.5e2\n", "" },
		{ TOOK "step_ms=249.5\n", "step_ms is '250' in" },
		{ TOOK "step_ms=250.5\n", "step_ms is '250' in" },
		{ TOOK "step_ms=x\n", "step_ms is '250' in" },
		{ TOOK "step_ms=25\n", "step_ms is '250' in" },
		{ USES "model=vgg\n", "" },
		{ USES "model=vgh\n", "model is 'vgg' in" },
		{ USES "model=5\n", "model is 'vgg' in" },
		{ USES "model=vgg16\n", "model is 'vgg' in" },
		{ USES "framework=mine\n", "" },
		{ USES "framework=ours\n", "framework is 'mine' in" },
		{ USES "model=vgg framework=ours\n", "framework is 'mine'" },
		{ USES "iter=3\n", "has no 'iter'" },
	};

	check_mistakes(patterns, cases, sizeof cases / sizeof *cases);
}

/* The value and the time stamp of a step are those that the scanner computes,
 * in seconds. */
static void
test_value_of_step(void)
{
	static const char *const cases[][2] = {
		{ TOOK "value=0.25\n", "" },
		{ TOOK "value=250\n", "value is '0.25' in" },
		{ "sample total of 50: 12.5 s\nexpect total value=0.25\n", "" },
		{ "sample total of 50: 12.5 s\nexpect total value=12.5\n",
		    "value is '0.25' in" },
		{ USES "value=5\n", "has no 'value'" },
		{ "sample val 5\nexpect val value=5\n", "has no 'value'" },
		{ TOOK "rank=0\n", "has no 'rank'" },
		{ "sample [1,7]<stdout>:step 3 took 250 ms\n"
		  "expect took rank=7\n",
		    "" },
		{ "sample [1,7]<stdout>:step 3 took 250 ms\n"
		  "expect took rank=8\n",
		    "rank is '7' in" },
		{ "sample (RayTrainWorker pid=9) step 3 took 250 ms\n"
		  "expect took rank=9\n",
		    "has no 'rank'" },
		{ TOOK "worker=9\n", "has no 'worker'" },
	};
	static const char *const times[][2] = {
		{ "sample 1970-01-02 00:00:01.5 step 3\n"
		  "expect took seconds=86401.5\n",
		    "" },
		{ "sample 1970-01-02 00:00:01.5 step 3\n"
		  "expect took seconds=1.5\n",
		    "seconds is '86401.5' in" },
	};

	check_mistakes(patterns, cases, sizeof cases / sizeof *cases);
	check_mistakes(stamps, times, sizeof times / sizeof *times);
}

/* Matches follow the order of the expectations, and none is left over. */
static void
test_order(void)
{
	static const char *const cases[][2] = {
		{ "sample step 3 took 250 ms loss 5\n"
		  "expect took\nexpect loss loss=5\n",
		    "" },
		{ "sample step 3 took 250 ms loss 5\nexpect took\n",
		    "pattern 'loss' matches here, but no 'expect' names it" },
		{ "sample step 3 took 250 ms loss 5\n"
		  "expect loss\nexpect took\n",
		    "pattern 'took' matches here, where line 21 expects "
		    "'loss'" },
		{ "sample step 3 took 250 ms\nexpect took\nexpect took\n",
		    "pattern 'took' does not match again in the sample on "
		    "line 20" },
		{ "sample step 3 took 250 ms\nexpect took\nexpect loss\n",
		    "pattern 'loss' does not match again in" },
		{ "sample step 3 took 250 ms\nexpect took\nexpect val\n",
		    "result 'val' counts only on lines without a step" },
		{ "sample val 5\nexpect val\nexpect loss\n",
		    "detail 'loss' counts only on the line of a step" },
		{ "sample loss 5\nexpect loss\n",
		    "detail 'loss' counts only on the line of a step" },
		{ "sample step 3 took\nexpect took\n",
		    "the sample does not match: 'took' matches up to here, "
		    "then needs '" },
		{ "sample nothing\nexpect nothing\n", "" },
		{ "sample val 5\nexpect nothing\n",
		    "pattern 'val' matches here, but no 'expect' names it" },
	};

	check_mistakes(patterns, cases, sizeof cases / sizeof *cases);
}

static const struct tap_test tests[] = {
	TEST(test_values),
	TEST(test_value_of_step),
	TEST(test_order),
};

int
main(void)
{
	return scanning_main("test_format_self_test", tests, N_TESTS(tests));
}
