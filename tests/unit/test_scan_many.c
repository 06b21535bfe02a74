/* Logs that fill the scanner's lists: the entry of one of many lines is found
 * without a search through all of them. */
#include <config.h>

#include "common/alloc.h"
#include "extract/log/log.h"
#include "tests/unit/scanning.h"

#include <math.h>

/* Only changes are stored: one batch size, and the tokens of each line. */
static void
test_many_works(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind step-time\n"
		"step h (?:b=(?<batch_size>\\S+) )?i=(?<iter>\\d+) "
		"(?<step_s>\\S+)s t=(?<tokens_per_step>\\S+)\n"
		"sample b=4 i=1 5s t=8\nexpect h\n"
	};
	const int n = 100000;
	struct scan_options options = { NULL, 1, 0, 0 };
	struct strbuf sb;
	struct own own;
	struct log log;
	double sum = 0;

	own_init(&own, texts, 1);
	strbuf_init(&sb, 1 << 24);
	for (int i = 1; i <= n; i++)
		strbuf_printf(&sb, "%si=%d 5s t=%d\n",
		    i == 1 || i == n / 2 ? "b=32 " : "", i, i);
	put_file("own", sb.buf, sb.len);
	scan_with(&own.set, &options, &log);
	CHECK_INT(log.samples.n, n);
	CHECK_INT(log.works[0].n + log.works[1].n, n + 1);
	for (int i = 1; i <= n; i++) {
		sum += log_works_at(&log, "batch_size", i) +
		    log_works_at(&log, "tokens_per_step", i);
		CHECK(isnan(log_works_at(&log, "epoch_samples", i)));
	}
	CHECK_NEAR(sum, 32.0 * n + 0.5 * n * (n + 1.0), 0);
	log_release(&log);
	strbuf_release(&sb);
	own_release(&own);
}

/* Lists that a log may fill with a name or number of every line. */
static void
test_many_names(void)
{
	enum { N = 200000 };
	static const struct {
		const char *lines; /* patterns of the format */
		const char *before, *after;
	} rows[] = {
		{ "step h i=(?<iter>\\d+) (?<step_s>\\d+)s\n"
		  "metadata m name=(?<model>\\S+)\n"
		  "sample name=x\nexpect m\n",
		    "name=r", "" },
		{ "step h (?<worker>w\\w+) i=(?<iter>\\d+) "
		  "(?<step_s>\\d+)s\n",
		    "w", " i=1 5s" },
		{ "step h i=(?<iter>\\d+) (?<step_s>\\d+)s\n"
		  "context c epoch (?<epoch>\\d+)\n"
		  "sample epoch 3\nexpect c\n",
		    "[rank", "]: epoch 3" },
		{ "step h i=(?<iter>\\d+) (?<step_s>\\d+)s\n"
		  "collective c n=(?<message_bytes>\\d+) "
		  "t=(?<message_us>\\d+)\n"
		  "sample n=8 t=7\nexpect c\n",
		    "n=", " t=7" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct scan_options options = { NULL, 1, 0, 0 };
		const char *texts[1];
		struct strbuf format, sb;
		struct own own;
		struct log log;

		strbuf_init(&format, 4096);
		strbuf_printf(&format,
		    "name a\ndescription d\nkind step-time\n%s"
		    "sample w1 i=1 5s\nexpect h\n",
		    rows[i].lines);
		texts[0] = format.buf;
		own_init(&own, texts, 1);
		options.forced = own.formats[0];
		strbuf_init(&sb, 1 << 24);
		for (int k = 0; k < N; k++)
			strbuf_printf(
			    &sb, "%s%d%s\n", rows[i].before, k, rows[i].after);
		put_file("own", sb.buf, sb.len);
		scan_with(&own.set, &options, &log);
		CHECK_INT(log.samples.n, i == 1 ? N : 0);
		CHECK_INT(log.n_metadata, i == 0 ? 8192 : 0);
		CHECK_INT(log.n_collectives, i == 3 ? N : 0);
		log_release(&log);
		strbuf_release(&sb);
		strbuf_release(&format);
		own_release(&own);
	}
}

static const struct tap_test tests[] = {
	TEST(test_many_works),
	TEST(test_many_names),
};

int
main(void)
{
	return scanning_main("test_scan_many", tests, N_TESTS(tests));
}
