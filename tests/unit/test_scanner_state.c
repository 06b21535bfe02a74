/* Which lines of a log are asked what. */
#include <config.h>

#include "extract/scan/scanner_state.h"

#include "tests/unit/scanning.h"

static const char *const texts[] = {
	"name a\ndescription d\nkind rate\n"
	"metadata m ^uses (?<model>\\S+)$\n"
	"sample uses vgg\nexpect m\n"
	"step h ^it (?<iter>\\d+) (?<samples_per_s>\\S+)$\n"
	"result v ^[1-5][a-c]?(?<loss>[\\d.]+)$\n"
	"sample 5b5\nexpect v\n"
	"sample it 1 5\nexpect h\n",
};

/* Templates stand for lines where no pattern that is asked distinguishes
 * digits, unless someone wants to see what the patterns say. */
static void
test_may_template(void)
{
	const unsigned steps = FIELD_NAME_IN(ROLE_STEP);
	const unsigned all = steps | FIELD_NAME_IN(ROLE_RESULT);
	const struct scan_options usual = { .no_templates = 0 };
	const struct scan_options plain = { .no_templates = 1 };
	struct own own;
	struct scanner *s;

	own_init(&own, texts, 1);
	s = scanner_new(&own.set, &usual);
	s->now.format = own.formats[0];
	CHECK(scanner_may_template(s, steps));
	CHECK(!scanner_may_template(s, all));
	scanner_free(s);
	own.set.prefixes_digit_insensitive = 0;
	s = scanner_new(&own.set, &usual);
	s->now.format = own.formats[0];
	CHECK(!scanner_may_template(s, steps));
	scanner_free(s);
	own.set.prefixes_digit_insensitive = 1;
	s = scanner_new(&own.set, &plain);
	s->now.format = own.formats[0];
	CHECK(!scanner_may_template(s, steps));
	CHECK(!scanner_may_template(s, all));
	scanner_free(s);
	own_release(&own);
}

/* Metadata is looked for until more than so many bytes of lines went by, their
 * ends not counted. */
static void
test_metadata_bytes(void)
{
	static const char text[] = "it 1 5\nit 2 5\nuses vgg\nit 3 5\n";
	const struct scan_options options = { .no_hash = 1 };
	struct own own;

	own_init(&own, texts, 1);
	put_file("own", text, sizeof text - 1);
	for (int64_t bytes = 9; bytes < 15; bytes++) {
		const struct scan_parts parts = { 1, SCAN_PART_BYTES, bytes };
		struct scanner *s = scanner_new(&own.set, &options);
		struct log log;

		scanner_share(s, &parts);
		scanner_scan(s, scratch_path, "shown", &log);
		CHECK_INT(log.samples.n, 3);
		CHECK_INT(log.n_metadata, bytes >= 12);
		log_release(&log);
		scanner_free(s);
	}
	own_release(&own);
}

static const struct tap_test tests[] = {
	TEST(test_may_template),
	TEST(test_metadata_bytes),
};

int
main(void)
{
	return scanning_main("test_scanner_state", tests, N_TESTS(tests));
}
