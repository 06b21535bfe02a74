/* What the matches of a line add to the log. */
#include <config.h>

#include "extract/scan/scanner_state.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/unit/scanning.h"

/* The value of a key in a log's metadata, or "none". */
static const char *
metadata_of(const struct log *log, const char *key)
{
	for (size_t i = 0; i < log->n_metadata; i++)
		if (strcmp(log->metadata[i].key, key) == 0)
			return log->metadata[i].value;
	return "none";
}

/* Scan text as a log of this format, with details; the caller releases log. */
static void
scan_as(const char *format, const char *text, struct own *own, struct log *log)
{
	struct scan_options options = { .no_hash = 1, .details = 1 };

	own_init(own, &format, 1);
	options.forced = own->formats[0];
	put_file("own", text, strlen(text));
	scan_with(&own->set, &options, log);
}

/* --- Metadata --------------------------------------------------------------*/

/* A placeholder of a program's source is not a value. */
static void
test_placeholders(void)
{
	static const char format[] =
	    "name a\ndescription d\nkind rate\n"
	    "metadata m ^uses \\[(?<model>[^]]*)\\]\n"
	    "sample uses [x]\nexpect m\n"
	    "step h ^n (?<samples_per_s>\\d+)$\nsample n 2\nexpect h\n";
	static const struct {
		const char *text;
		int is; /* 1: a value */
	} cases[] = { { "", 0 }, { "%s", 0 }, { "%(name", 0 }, { "%(name)", 1 },
		{ "{}", 0 }, { "${MODEL}", 0 }, { "<model>", 0 }, { "<>", 0 },
		{ "<model", 1 }, { "model>", 1 }, { "1xPLACEHOLDER", 0 },
		{ "PLACEHOLDER", 0 }, { "PLACEHOLDE", 1 }, { "vgg16", 1 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *text =
		    xasprintf("uses [%s] > it\nn 5\nn 6\n", cases[i].text);
		struct own own;
		struct log log;

		scan_as(format, text, &own, &log);
		CHECK_INT(log.samples.n, 2);
		CHECK_STR(metadata_of(&log, "model"),
		    cases[i].is ? cases[i].text : "none");
		log_release(&log);
		own_release(&own);
		free(text);
	}
}

/* Metadata that any log may state, in a file of this test. */
static const char any_log[] =
    "name f\ndescription d\n"
    "metadata d ^device is '(?<device>[^']*)'\n"
    "metadata n ^on (?<nodes>\\d+) nodes\n"
    "metadata g ^with (?<gpus_per_node>\\d+) GPUs each\n"
    "metadata w ^world of (?<world_size>\\d+)\n"
    "sample device is 'x'\nexpect d\n"
    "sample on 2 nodes\nexpect n\n"
    "sample with 2 GPUs each\nexpect g\n"
    "sample world of 2\nexpect w\n";

/* Scan a log of a format that contains the line gpus, which may be "". */
static void
scan_any(const char *gpus, const char *text, struct own *own, struct log *log)
{
	char *format = xasprintf("name a\ndescription d\nkind rate\n%s"
				 "metadata g ^all (?<gpus>\\d+)\n"
				 "metadata w ^size (?<world_size>\\d+)\n"
				 "sample all 8\nexpect g\n"
				 "sample size 8\nexpect w\n"
				 "step h ^n (?<samples_per_s>\\d+)$\n"
				 "sample n 2\nexpect h\n",
	    gpus);
	const char *const texts[] = { format };
	struct scan_options options = { .no_hash = 1 };
	struct error e = ERROR_INIT;
	struct format *own_metadata[1];

	own_init(own, texts, 1);
	own_metadata[0] = format_parse(&own->set.arena, FORMAT_FILE_METADATA,
	    "f", "f", any_log, strlen(any_log), &e);
	CHECK_STR(e.message, "");
	own->set.metadata.items = own_metadata;
	own->set.metadata.n = 1;
	put_file("own", text, strlen(text));
	scan_with(&own->set, &options, log);
	format_release_code(own_metadata[0]);
	free(format);
}

/* The first real value of metadata that any log may state counts. */
static void
test_any_metadata(void)
{
	struct own own;
	struct log log;

	scan_any("",
	    "device is ''\ndevice is '<name>'\ndevice is 'V100'\n"
	    "device is 'A100'\nn 5\n",
	    &own, &log);
	CHECK_STR(metadata_of(&log, "device"), "V100");
	CHECK_INT(log.n_metadata, 1);
	CHECK_INT(log.metadata[0].line, 3);
	log_release(&log);
	own_release(&own);
}

/* --- Details ---------------------------------------------------------------*/

/* Details of a line like the previous one have the same bits, whichever capture
 * they are and however they are printed. */
static void
test_details_again(void)
{
	static const char format[] =
	    "name a\ndescription d\nkind step-time\n"
	    "step h ^(?<loss>\\S+) lost at (?<iter>\\d+) in (?<step_ms>\\S+) "
	    "ms, waits (?<data_ms>\\S+)$\n"
	    "sample 5 lost at 3 in 5 ms, waits 3\nexpect h\n";
	static const char *const numbers[] = { "7", "0.25", "7.125", "2e3",
		"2.5e+03", "2.5e1", "1.5e-08", "1.5e-09", "1.5e-12",
		"0.12345678", "12345678.12345678", "-0.5", "0.123456789",
		"1e22", "1e23" };
	static const char *const keys[] = { "loss", "data_s" };

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const double want = strtod(numbers[i], NULL);
		const char *const x = numbers[i];
		char *text = xasprintf("%s lost at 1 in 5 ms, waits %s\n"
				       "%s lost at 2 in 5 ms, waits %s\n",
		    x, x, x, x);
		struct detail_store_reader r;
		struct log_detail d;
		struct own own;
		struct log log;

		scan_as(format, text, &own, &log);
		printf("# %s\n", x);
		CHECK_INT(log.samples.n, 2);
		CHECK_INT(log.details.n, 4);
		r = detail_store_read(&log.details);
		for (int k = 0; k < 4; k++) {
			CHECK(next_detail(&r, &d));
			CHECK_STR(detail_key(&d), keys[k % 2]);
			CHECK_INT(d.sample, k / 2);
			CHECK_NEAR(d.value, k % 2 ? want / 1000 : want, 0);
		}
		log_release(&log);
		own_release(&own);
		free(text);
	}
}

/* Lines of all forms, each form often enough to make a template. */
static char *
lines_of_numbers(void)
{
	static const char *const numbers[] = { "7", "0.25", "7.1250", "2e3",
		"2.5e+03", "2.50e-01", "1.5e-08", "1.5e-10", "1.5e-12",
		"0.12345678", "12345678.12345678", "-0.5", "0.000001",
		"0.123456789", "1e22", "1e23", ".5", "5.", "007.50", "0.000",
		"123456.7", "12345678", "nan", "inf", "2.5e+105" };
	enum { LINES = 100000, OF_A_FORM = 250 };
	struct strbuf sb;

	strbuf_init(&sb, SIZE_MAX / 2);
	for (size_t i = 0; i < LINES; i++) {
		const size_t form = i / OF_A_FORM;
		const char *x = numbers[form % N_TESTS(numbers)];
		const char *y = numbers[(form + form / 96) % N_TESTS(numbers)];
		char *line =
		    xasprintf("%slost %s at %zu in 0.%03zu s, waits %s\n",
			i % 2000 < 1000 ? "      " : "", x, i, i % 999 + 1, y);

		strbuf_addstr(&sb, line);
		free(line);
	}
	return strbuf_detach(&sb);
}

/* Details read with a template are those that the pattern gives. */
static void
test_details_by_template(void)
{
	static const char format[] =
	    "name a\ndescription d\nkind step-time\n"
	    "step h ^ *lost (?<loss>\\S+) at (?<iter>\\d+) in (?<step_s>\\S+) "
	    "s, waits (?<data_ms>\\S+)$\n"
	    "sample lost 5 at 3 in 5 s, waits 3\nexpect h\n";
	struct scan_options options = { .no_hash = 1, .details = 1 };
	const char *list[] = { format };
	struct detail_store_reader p, q;
	struct log_detail x, y;
	struct log want, got;
	struct own own;
	char *text = lines_of_numbers();
	size_t n = 0;

	own_init(&own, list, 1);
	options.forced = own.formats[0];
	put_file("own", text, strlen(text));
	scan_with(&own.set, &options, &got);
	options.no_templates = 1;
	scan_with(&own.set, &options, &want);
	CHECK(want.details.n > 100000);
	CHECK_INT(got.samples.n, want.samples.n);
	CHECK_INT(got.details.n, want.details.n);
	p = detail_store_read(&want.details);
	q = detail_store_read(&got.details);
	while (next_detail(&p, &x) && next_detail(&q, &y))
		n += x.word == y.word && x.sample == y.sample &&
		    memcmp(&x.value, &y.value, sizeof x.value) == 0;
	CHECK_INT(n, want.details.n);
	log_release(&want);
	log_release(&got);
	own_release(&own);
	free(text);
}

/* --- Samples ---------------------------------------------------------------*/

/* A bar has not advanced only if it is the same bar: the same epoch, rank and
 * number of iterations. */
static void
test_other_bars(void)
{
	static const char format[] =
	    "name a\ndescription d\nkind step-time\necho bar\n"
	    "step h (?:ep (?<epoch>\\d+) )?(?<iter>\\d+)/(?<iters>\\d+) "
	    "(?<step_s>\\S+)s\nsample 3/9 5s\nexpect h\n";
	static const struct {
		const char *text;
		int samples;
		double last;
	} cases[] = {
		{ "ep 0 2/9 5s\nep 0 2/9 5s\n", 1, 5 },
		{ "ep 0 2/9 5s\nep 1 2/9 5s\n", 2, 5 },
		{ "[1,0]<stdout>:2/9 5s\n[1,0]<stdout>:2/9 5s\n", 1, 5 },
		{ "[1,0]<stdout>:2/9 5s\n[1,1]<stdout>:2/9 5s\n", 2, 5 },
		{ "2/8 5s\n2/9 8s\n", 1, 8 },
		{ "2/9 5s\n2/9 8s\n", 1, 5 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct own own;
		struct log log;

		scan_as(format, cases[i].text, &own, &log);
		printf("# %s", cases[i].text);
		CHECK_INT(log.samples.n, cases[i].samples);
		CHECK_NEAR(log.samples.items[log.samples.n - 1].value,
		    cases[i].last, 0);
		log_release(&log);
		own_release(&own);
	}
}

/* The time of a bar is a duration, whatever follows it. */
static void
test_bar_times(void)
{
	static const char format[] =
	    "name a\ndescription d\nkind step-time\n"
	    "step h (?<span>\\d+) in (?<bar_time>[\\d:]+)\n"
	    "sample 5 in 10\nexpect h\n";
	struct own own;
	struct log log;

	scan_as(
	    format, "50 in 01:40,7 left\n5 in 01:40e5\n5 in 01:40", &own, &log);
	CHECK_INT(log.samples.n, 3);
	CHECK_NEAR(log.samples.items[0].value, 2, 0);
	CHECK_NEAR(log.samples.items[1].value, 20, 0);
	CHECK_NEAR(log.samples.items[2].value, 20, 0);
	log_release(&log);
	own_release(&own);
}

/* Text that is not a number is not a sample, however similar it looks. */
static void
test_bad_numbers(void)
{
	static const char format[] =
	    "name a\ndescription d\nkind step-time\n"
	    "step h ^it (?<iter>\\d+) (?<step_s>\\S+)( s)?$\n"
	    "sample it 1 5\nexpect h\n";
	static const char *const bad[] = { "1:2", "1/2", "12:34", "123456789:1",
		"1:123456789", "1..2", "1.2.3", ".", "12x3", "1.5x3", "1.5d-3",
		"1.5e", "12345678x1", "0.5s5" };

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char *text = xasprintf("it 1 %s\nit 2 %s\nit 3 %s s\n"
				       "it 4 %s s\nit 5 5\nit 6 5\n",
		    bad[i], bad[i], bad[i], bad[i]);
		struct own own;
		struct log log;

		scan_as(format, text, &own, &log);
		printf("# %s\n", bad[i]);
		CHECK_INT(log.samples.n, 2);
		CHECK_INT(log.samples.items[0].iter, 5);
		log_release(&log);
		own_release(&own);
		free(text);
	}
}

/* Steps take fields that they do not print from the last header of their rank.
 * A header keeps those that it does not print and ignores too large numbers. */
static void
test_headers(void)
{
	static const char format[] =
	    "name a\ndescription d\nkind step-time\n"
	    "context c ^\\[(?:ep (?<epoch>\\d+))?(?: it (?<iter>\\d+))?"
	    "(?: of (?<iters>\\d+))?\\]$\n"
	    "step h ^(?:it (?<iter>\\d+) )?took (?<step_s>\\S+)$\n"
	    "sample [ep 1 it 2 of 3]\nexpect c\nsample took 5\nexpect h\n";
	static const char text[] =
	    "took 1\n[ep 2 it 3 of 4]\ntook 2\nit 9 took 3\n[ it 5]\n"
	    "took 4\n[1,7]<stdout>:[ep 6 it 7 of 8]\ntook 5\n"
	    "[1,7]<stdout>:took 6\n[1,8]<stdout>:took 7\n"
	    "[ep 2147483647 it 0 of 2147483646]\ntook 8\n"
	    "[1,7]<stdout>:took 9\n";
	static const int32_t want[][3] = { { -1, -1, -1 }, { 2, 3, 4 },
		{ 2, 9, 4 }, { 2, 5, 4 }, { 2, 5, 4 }, { 6, 7, 8 },
		{ -1, -1, -1 }, { 2, 0, SAMPLE_MAX }, { 6, 7, 8 } };
	struct own own;
	struct log log;

	CHECK_INT(SAMPLE_NONE, -1);
	scan_as(format, text, &own, &log);
	CHECK_INT(log.samples.n, N_TESTS(want));
	for (size_t i = 0; i < log.samples.n; i++) {
		const struct sample x = log.samples.items[i];

		CHECK_NEAR(x.value, (double)i + 1, 0);
		CHECK_INT(x.epoch, want[i][0]);
		CHECK_INT(x.iter, want[i][1]);
		CHECK_INT(x.iters, want[i][2]);
	}
	log_release(&log);
	own_release(&own);
}

/* --- Events, collectives -------------------------------------------------- */

/* The time between two events is that of the iterations between them, iteration
 * 0 included; an end without a begin is not a sample. */
static void
test_intervals(void)
{
	static const char format[] =
	    "name a\ndescription d\nkind step-time\n"
	    "begin b ^begin (?<iter>\\d+) at (?<at_s>\\S+)"
	    "(?: for (?<span>\\d+))?$\n"
	    "interval e ^end(?: (?<iter>\\d+))? at (?<at_s>\\S+)$\n"
	    "sample begin 0 at 5\nexpect b\nsample end at 7\nexpect e\n";
	static const struct {
		const char *text;
		int samples;
		double value;
		int32_t from, iter;
	} cases[] = {
		{ "begin 0 at 5\nend at 7\n", 1, 2, 0, 1 },
		{ "begin 0 at 5\nend 0 at 7\n", 1, 2, 0, 1 },
		{ "begin 3 at 5\nend 3 at 7\n", 1, 2, 3, 4 },
		{ "begin 0 at 5 for 4\nend at 7\n", 1, 0.5, 0, 4 },
		{ "begin 4 at 5 for 4\nend at 7\n", 1, 0.5, 4, 8 },
		{ "begin 0 at 5 for 0\nend at 7\n", 1, 2, 0, 1 },
		{ "end at 7\n", 0, 0, 0, 0 },
		{ "begin 0 at 5\nend at 5\n", 0, 0, 0, 0 },
		{ "begin 3 at 5\nend 2 at 7\n", 0, 0, 0, 0 },
		/* Another rank begins the same iteration a little later. */
		{ "begin 0 at 5\nbegin 0 at 6\nend at 7\n", 1, 2, 0, 1 },
		{ "begin 0 at 5\nbegin 1 at 6\nend at 7\n", 1, 1, 1, 2 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct sample x;
		struct own own;
		struct log log;

		scan_as(format, cases[i].text, &own, &log);
		printf("# case %zu\n", i);
		CHECK_INT(log.samples.n, cases[i].samples);
		if (cases[i].samples == 1) {
			x = log.samples.items[0];
			CHECK_NEAR(x.value, cases[i].value, 0);
			CHECK_INT(x.iter_from, cases[i].from);
			CHECK_INT(x.iter, cases[i].iter);
		}
		log_release(&log);
		own_release(&own);
	}
}

/* Rows belong to the collective named last, even if its name is almost the same
 * as the previous one and equally long. */
static void
test_collective_names(void)
{
	static const char format[] =
	    "name a\ndescription d\nkind rate\nunit GB/s\n"
	    "context t ^test of (?<collective>\\w+)$\n"
	    "sample test of sum\nexpect t\n"
	    "collective c ^row (?<message_bytes>\\d+) (?<message_us>\\S+)$\n"
	    "sample row 8 5\nexpect c\n";
	static const char *const want[] = { "", "sum_b", "sum_b", "sum_a",
		"sum_b", "sum", "sum_ba" };
	struct own own;
	struct log log;

	scan_as(format,
	    "row 8 5\ntest of sum_b\nrow 8 5\nrow 16 5\ntest of sum_a\n"
	    "row 8 5\ntest of sum_b\nrow 32 5\ntest of sum\nrow 8 5\n"
	    "test of sum_ba\nrow 8 5\n",
	    &own, &log);
	CHECK_INT(log.n_collectives, N_TESTS(want));
	for (size_t i = 0; i < log.n_collectives; i++)
		CHECK_STR(log.collectives[i].collective != NULL
			? log.collectives[i].collective
			: "",
		    want[i]);
	log_release(&log);
	own_release(&own);
}

static const struct tap_test tests[] = {
	TEST(test_placeholders),
	TEST(test_any_metadata),
	TEST(test_details_again),
	TEST(test_details_by_template),
	TEST(test_other_bars),
	TEST(test_bar_times),
	TEST(test_bad_numbers),
	TEST(test_headers),
	TEST(test_intervals),
	TEST(test_collective_names),
};

int
main(void)
{
	return scanning_main("test_scan_emit", tests, N_TESTS(tests));
}
