/* Use of templates, and the search for metadata. */
#include <config.h>

#include "extract/scan/scanner_state.h"

#include "common/alloc.h"
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

/* True if templates are used for a log of a format. */
static int
uses_templates(
    struct own *own, size_t format, const struct scan_options *options)
{
	struct scanner *s = scanner_new(&own->set, options);
	struct log log;
	int yes;

	put_file("own", "it 1 5\n", 7);
	scanner_force(s, own->formats[format]);
	CHECK_INT(scanner_scan(s, scratch_path, "shown", &log), 0);
	CHECK_INT(log.samples.n, 1);
	yes = s->now.templated;
	log_release(&log);
	scanner_free(s);
	return yes;
}

/* Templates are used if no pattern in use distinguishes digits, unless the
 * options forbid them. */
static void
test_may_template(void)
{
	static const char *const both[] = {
		"name a\ndescription d\nkind rate\n"
		"step h ^it (?<iter>\\d+) (?<samples_per_s>\\S+)$\n"
		"sample it 1 5\nexpect h\n",
		"name b\ndescription d\nkind rate\n"
		"step h ^it (?<iter>\\d+) (?<samples_per_s>\\S+)$\n"
		"result v ^[1-5][a-c]?(?<loss>[\\d.]+)$\n"
		"sample 5b5\nexpect v\n"
		"sample it 1 5\nexpect h\n",
	};
	const struct scan_options usual = { .no_hash = 1 };
	const struct scan_options plain = { .no_hash = 1, .no_templates = 1 };
	struct own own;

	own_init(&own, both, 2);
	CHECK(uses_templates(&own, 0, &usual));
	CHECK(!uses_templates(&own, 0, &plain));
	CHECK(!uses_templates(&own, 1, &usual));
	own.set.prefixes_digit_insensitive = 0;
	CHECK(!uses_templates(&own, 0, &usual));
	own.set.prefixes_digit_insensitive = 1;
	own_release(&own);
}

/* Metadata is searched for in the first SCAN_METADATA_BYTES of lines, without
 * line ends. */
static void
test_metadata_bytes(void)
{
	const struct scan_options options = { .no_hash = 1 };
	const int most = SCAN_METADATA_BYTES / 6;
	struct own own;

	own_init(&own, texts, 1);
	for (int n = most; n <= most + 1; n++) {
		struct scanner *s = scanner_new(&own.set, &options);
		struct strbuf sb;
		struct log log;

		strbuf_init(&sb, 8 << 20);
		for (int i = 0; i < n; i++)
			strbuf_addstr(&sb, "it 1 5\n");
		strbuf_addstr(&sb, "uses vgg\nit 3 5\n");
		put_file("own", sb.buf, sb.len);
		scanner_scan(s, scratch_path, "shown", &log);
		CHECK_INT(log.samples.n, n + 1);
		CHECK_INT(log.n_metadata, n == most);
		log_release(&log);
		scanner_free(s);
		strbuf_release(&sb);
	}
	own_release(&own);
}

static const char *const objects[] = {
	"name a\ndescription d\nkind step-time\n"
	"json step s iter=step step_s=time loss?=loss !mode\n"
	"json result v val_loss=val_loss !time\n"
	"metadata m ^uses (?<model>\\S+)$\n"
	"sample {\"step\": 3, \"time\": 0.5}\nexpect s\n"
	"sample {\"val_loss\": 3}\nexpect v\n"
	"sample uses vgg\nexpect m\n",
	"name b\ndescription d\nkind step-time\n"
	"step s ^round (?<iter>\\d+) took (?<step_s>\\S+) s$\n"
	"sample round 3 took 5 s\nexpect s\n",
};

/* Append a log of format a, with lines of other kinds among its steps. */
static void
put_objects(struct strbuf *sb, unsigned seed)
{
	for (unsigned i = 0; i < 400; i++) {
		seed = seed * 1664525 + 1013904223;
		switch (seed >> 28) {
		case 0:
			strbuf_printf(sb, "round %u took 0.%u s\n", i, i + 1);
			break;
		case 1:
			strbuf_printf(sb, "{\"val_loss\": 0.%u}\n", i);
			break;
		case 2:
			strbuf_printf(sb, "{\"mode\": 1, \"time\": %u}\n", i);
			break;
		case 3:
			strbuf_printf(sb, "saved to %u\n", i);
			break;
		case 4:
			strbuf_printf(sb, "uses vgg%u\n", i % 7);
			break;
		default:
			strbuf_printf(sb,
			    "{\"step\": %u, \"loss\": %u.%u, \"time\": %s}\n",
			    i, seed % 9, seed, seed % 8 ? "0.25" : "\"x\"");
		}
	}
}

/* Logs of JSON objects, which have no templates, give the same with templates
 * on and off. */
static void
test_objects(void)
{
	const struct scan_options ways[] = { { .no_templates = 1 },
		{ .no_templates = 0 }, { .no_templates = 1, .details = 1 },
		{ .no_templates = 0, .details = 1 } };
	struct own own;
	struct strbuf sb;

	strbuf_init(&sb, 1 << 20);
	own_init(&own, objects, 2);
	for (unsigned i = 0; i < 40; i++) {
		strbuf_reset(&sb);
		put_objects(&sb, i);
		put_file("own", sb.buf, sb.len);
		for (int k = 0; k < 4; k += 2) {
			struct scanner *s[2];
			struct log log[2];

			for (int j = 0; j < 2; j++) {
				s[j] = scanner_new(&own.set, &ways[k + j]);
				scanner_scan(
				    s[j], scratch_path, "shown", &log[j]);
			}
			CHECK_STR(log[1].format->name, "a");
			CHECK(log[1].samples.n > 200);
			CHECK(log[1].n_metadata > 3);
			CHECK(log[1].other_steps > 5);
			CHECK_INT(log[1].other_steps, log[0].other_steps);
			CHECK_INT(log[1].other_line, log[0].other_line);
			CHECK_INT(log_differences(&log[0], &log[1]), 0);
			for (int j = 0; j < 2; j++) {
				log_release(&log[j]);
				scanner_free(s[j]);
			}
		}
	}
	own_release(&own);
	strbuf_release(&sb);
}

static const struct tap_test tests[] = {
	TEST(test_objects),
	TEST(test_may_template),
	TEST(test_metadata_bytes),
};

int
main(void)
{
	return scanning_main("test_scanner_state", tests, N_TESTS(tests));
}
