#include <config.h>

#include "extract/job/shard_options.h"

#include "extract/job/settings.h"
#include "tests/tap.h"

/* A new option has to state whether parts carry it: otherwise a merge would
 * forget it, or a part could choose where merging writes. */
static void
test_every_option(void)
{
	const struct opt *o;

	for (o = extract_program.opts; o->kind != OPT_END; o++) {
		if (o->kind == OPT_GROUP)
			continue;
		if (!shard_option_is_known(o->long_name))
			printf("# --%s\n", o->long_name);
		CHECK(shard_option_is_known(o->long_name));
	}
}

/* Is a part with this option let through? */
static int
passes(const char *option)
{
	const char *options[] = { "--rule=all", option };
	const struct shard_file part = {
		.file = "p.json", .options = options, .n_options = 2
	};
	struct error e = ERROR_INIT;

	if (shard_options_check(&part, &e) == 0)
		return 1;
	CHECK_INT(e.code, ERROR_INPUT);
	CHECK(strncmp(e.message, "p.json: options[1]: '", 21) == 0);
	return 0;
}

static void
test_foreign_options(void)
{
	CHECK(passes("--no-hash"));
	CHECK(passes("--skip-iterations=3"));
	CHECK(passes("--baseline=1n8g"));
	CHECK(passes("--model="));
	CHECK(!passes("--output=x"));
	CHECK(!passes("--output-dir=x"));
	CHECK(!passes("--records=x"));
	CHECK(!passes("--follow"));
	CHECK(!passes("--jobs=1024"));
	CHECK(!passes("--help"));
	CHECK(!passes("--no-hash=1"));
	CHECK(!passes("--rule"));    /* would take the next word */
	CHECK(!passes("--rul=all")); /* nothing is guessed */
	CHECK(!passes("--rate_scope=node"));
	CHECK(!passes("-o"));
	CHECK(!passes("--"));
	CHECK(!passes(""));
	CHECK(!passes("logs"));
}

static void
test_late_options(void)
{
	CHECK(shard_option_is_late("output"));
	CHECK(shard_option_is_late("baseline"));
	CHECK(!shard_option_is_late("rule"));
	CHECK(!shard_option_is_late("records"));
	CHECK(!shard_option_is_late("nowhere"));
	CHECK(!shard_option_is_known("nowhere"));
}

static const struct tap_test tests[] = {
	TEST(test_every_option),
	TEST(test_foreign_options),
	TEST(test_late_options),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
