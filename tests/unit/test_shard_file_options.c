#include <config.h>

#include "extract/job/settings.h"
#include "extract/job/shard_file.h"
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
		if (o->modes == 0)
			printf("# --%s\n", o->long_name);
		CHECK(o->modes != 0);
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

	if (shard_file_check_options(&part, &e) == 0)
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

static const struct tap_test tests[] = {
	TEST(test_every_option),
	TEST(test_foreign_options),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
