#include <config.h>

#include "extract/format/patterns/pattern.h"
#include "extract/scan/detect/detect.h"
#include "extract/scan/scanner_state.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/input/byte_source.h"
#include "tests/unit/scanning.h"

static void
test_digit_insensitive(void)
{
	static const struct {
		const char *pattern;
		int insensitive;
	} cases[] = {
		{ "Epoch: \\[(?<epoch>\\d+)\\] +(?<step_s>[\\d.]+)", 1 },
		{ "Acc@1 +(?<top1>[-+0-9.e]+), fp16[_,]", 1 },
		{ "e2e_time\\b.{2,5}\\s{3}[^]x]$", 1 },
		{ "(?i)a|(?:b)|(?=c)(?!d)(?<=e)(?<!f)(?>g)", 1 },
		{ "^(?:x: ?)(*MARK:rank1)\\z", 1 },
		{ "a{b}", 1 },
		/* Patterns that distinguish digits. */
		{ "GPU 0: ", 0 },
		{ "[1-9]\\d*", 0 },
		{ "x?1", 0 },
		{ "(?:x|1)", 0 },
		{ "\\w1", 0 },
		{ "[ab]1", 0 },
		{ "(\\d)\\1", 0 },
		{ "(?<a>\\d)\\k<a>", 0 },
		{ "\\x31", 0 },
		{ "\\Q1\\E", 0 },
		{ "\\p{Nd}", 0 },
		{ "[[:digit:]]", 0 },
		{ "(?R)", 0 },
		{ "(?#p1)", 0 },
		{ "(*ACCEPT)", 0 },
		{ "a{b1}", 1 }, /* after a letter */
		{ "a{1", 0 },
		{ "a{,1}", 1 },
		{ "[\\d", 0 },
		{ "\\", 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const int is = regex_is_digit_insensitive(cases[i].pattern);

		if (is != cases[i].insensitive)
			printf("# %s\n", cases[i].pattern);
		CHECK_INT(is, cases[i].insensitive);
	}
}

static uint64_t state = 88172645463325252u;

static unsigned
next_random(unsigned below)
{
	/* Marsaglia 2003, "Xorshift RNGs". */
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state % below);
}

/* Append the line with some digits changed and a few inserted. */
static void
add_variant(struct strbuf *sb, const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const char c = line[i];

		if (isdigit((unsigned char)c) && next_random(4) > 0)
			strbuf_addch(sb, (char)('0' + (int)next_random(10)));
		else
			strbuf_addch(sb, c);
		if (isdigit((unsigned char)c) && next_random(60) == 0)
			strbuf_addch(sb, '7');
	}
	switch (next_random(8)) {
	case 0:
		strbuf_addstr(sb, "\r\n");
		break;
	case 1:
		strbuf_addch(sb, '\r');
		break;
	case 2:
		strbuf_addstr(sb, "\n\n");
		break;
	default:
		strbuf_addch(sb, '\n');
	}
}

static int
same_double(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

static int
same_sample(const struct log *a, const struct log *b, size_t i)
{
	const struct sample x = a->samples.items[i];
	const struct sample y = b->samples.items[i];

	return same_double(x.value, y.value) && same_double(x.stamp, y.stamp) &&
	    x.line == y.line && x.epoch == y.epoch && x.iter == y.iter &&
	    x.iter_from == y.iter_from && x.iters == y.iters &&
	    x.rank == y.rank;
}

static size_t
different_details(const struct log *a, const struct log *b)
{
	struct detail_store_reader p = detail_store_read(&a->details);
	struct detail_store_reader q = detail_store_read(&b->details);
	struct log_detail x, y;
	size_t n = 0;

	while (next_detail(&p, &x) && next_detail(&q, &y))
		n += !same_double(x.value, y.value) || x.word != y.word ||
		    x.sample != y.sample;
	return n;
}

static size_t n_ranked; /* samples with a rank, so far */
static size_t n_tails;  /* values of the tails of logs, so far */

/* Number of differences between two logs. */
static size_t
differences(const struct log *a, const struct log *b)
{
	size_t n = a->samples.n != b->samples.n ||
	    a->n_metadata != b->n_metadata ||
	    a->n_summaries != b->n_summaries || a->details.n != b->details.n;

	for (size_t i = 0; n == 0 && i < a->samples.n; i++)
		n += !same_sample(a, b, i);
	if (n == 0)
		n += different_details(a, b) + tail_differences(a, b);
	for (size_t i = 0; n == 0 && i < a->n_metadata; i++)
		n += strcmp(a->metadata[i].value, b->metadata[i].value) != 0 ||
		    a->metadata[i].line != b->metadata[i].line;
	for (size_t i = 0; n == 0 && i < a->n_summaries; i++)
		n += !same_double(a->summaries[i].value, b->summaries[i].value);
	return n;
}

/* Prefixes that launchers put before a line; their digits may change. */
static const char *const prefixes[] = { "[1,3]<stdout>:", "[1,12]<stdout>: ",
	"3: ", "12: ", " 7: ", "[rank5]: ", "[default2]:",
	"(RayTrainWorker pid=4711, ip=10.0.0.3) ", "[node17:3/16] ",
	"dgx-2: ", "node17.cluster.local: ", "10.0.0.3: ", "1234567890: " };

enum { N_PREFIXES = sizeof prefixes / sizeof prefixes[0] };

/* Scan variants of the samples with and without templates.
 *
 * prefixed  1: each line has a prefix
 * n         variants of each sample
 * in_turn   1: samples alternate; 0: n of the first, n of the second, ... */
static void
check_format(
    const struct format *f, int prefixed, int details, size_t n, int in_turn)
{
	struct scan_options asked = { f, 1, details, 1 };
	struct scan_options kept = { f, 1, details, 0 };
	const size_t all = n * f->n_samples;
	struct log a, b;
	struct strbuf sb;
	size_t n_differ;

	strbuf_init(&sb, 1 << 24);
	for (size_t i = 0; i < all; i++) {
		const size_t j = in_turn ? i % f->n_samples : i / n;

		if (prefixed) {
			const char *prefix = prefixes[next_random(N_PREFIXES)];
			struct strbuf line;

			strbuf_init(&line, 1 << 20);
			strbuf_addstr(&line, prefix);
			strbuf_add(
			    &line, f->samples[j].text, f->samples[j].len);
			add_variant(&sb, line.buf, line.len);
			strbuf_release(&line);
			continue;
		}
		add_variant(&sb, f->samples[j].text, f->samples[j].len);
	}
	put_file("log", sb.buf, sb.len);
	strbuf_release(&sb);
	scan_with(&built_in, &asked, &a);
	scan_with(&built_in, &kept, &b);
	n_differ = differences(&a, &b);
	if (n_differ > 0)
		printf("# %s\n", f->name);
	CHECK_INT(n_differ, 0);
	for (size_t i = 0; i < b.samples.n; i++)
		n_ranked += b.samples.items[i].rank != SAMPLE_NONE;
	n_tails += b.n_tail;
	log_release(&a);
	log_release(&b);
}

/* The samples' variants give the same results with and without templates. */
static void
test_same_outcome(void)
{
	size_t n_insensitive = 0;

	for (size_t i = 0; i < built_in.formats.n; i++) {
		check_format(built_in.formats.items[i], 0, 0, 40, 1);
		check_format(built_in.formats.items[i], 0, 1, 40, 0);
		check_format(built_in.formats.items[i], 1, 1, 40, 0);
		n_insensitive += !(
		    built_in.formats.items[i]->digit_sensitive_roles &
		    (FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_DETAIL)));
	}
	CHECK(built_in.prefixes_digit_insensitive);
	/* The data must suffice for the comparison to be meaningful. */
	CHECK(n_insensitive * 2 > built_in.formats.n);
	CHECK(n_ranked > 10000);
	CHECK(n_tails > 100);
}

/* Metadata is found whatever digits earlier lines of the same type have. */
static void
test_metadata_lines(void)
{
	const struct format *f =
	    format_get(&built_in, "pytorch-imagenet", NULL);
	size_t n_read = 0;

	for (size_t i = 0; i < built_in.metadata.n; i++) {
		const struct format *file = built_in.metadata.items[i];

		for (size_t j = 0; j < file->n_samples; j++) {
			const struct format_sample *x = &file->samples[j];
			struct scan_options options = { f, 1, 0, 1 };
			struct log log[2];
			struct strbuf sb;

			strbuf_init(&sb, 1 << 20);
			strbuf_addstr(&sb, STEP("0", "1", "0.5") "\n");
			for (int k = 0; k < 40; k++)
				add_variant(&sb, x->text, x->len);
			put_file("log", sb.buf, sb.len);
			strbuf_release(&sb);
			scan_with(&built_in, &options, &log[0]);
			options.no_templates = 0;
			scan_with(&built_in, &options, &log[1]);
			if (differences(&log[0], &log[1]) > 0)
				printf("# %s: %.*s\n", file->name, (int)x->len,
				    x->text);
			CHECK_INT(differences(&log[0], &log[1]), 0);
			n_read += log[1].n_metadata;
			log_release(&log[0]);
			log_release(&log[1]);
		}
	}
	CHECK(n_read > 100);
}

/* Number of times that the log states this value. */
static size_t
times_stated(const struct log *log, const char *value)
{
	size_t n = 0;

	for (size_t i = 0; i < log->n_metadata; i++)
		n += strcmp(log->metadata[i].value, value) == 0;
	return n;
}

/* A pattern that distinguishes digits may match a line of a type that it did
 * not match before. */
static void
test_told_digits(void)
{
	static const char *const lines[][2] = { { "job of world size: 1\n",
						    "job of world size: 8\n" },
		{ "a world_size: 1 b\n", "a world_size: 8 b\n" } };

	for (size_t i = 0; i < 2; i++) {
		struct strbuf sb;
		struct log log;

		strbuf_init(&sb, 1 << 20);
		strbuf_addstr(&sb, STEP("0", "1", "0.5") "\n");
		for (int k = 0; k < 4; k++)
			strbuf_addstr(&sb, lines[i][k == 3]);
		scan_string(sb.buf, &log);
		strbuf_release(&sb);
		CHECK_INT(times_stated(&log, "8"), 1);
		log_release(&log);
	}
}

/* The same in a file of several chunks. */
static void
test_large(void)
{
	for (size_t i = 0; i < built_in.formats.n; i++) {
		const struct format *f = built_in.formats.items[i];

		if (strcmp(f->name, "pytorch-imagenet") == 0) {
			check_format(f, 0, 1, 8 * BYTE_SOURCE_CHUNK / 100, 0);
			return;
		}
	}
	CHECK(0);
}

/* Masks are byte for byte as detect.h defines them, for all line lengths. */
static void
test_mask(void)
{
	static const char alphabet[] = "0123456789 09 _@aZ`[{/:\xc3\xb0";
	char before[80] = "", masked[80];
	unsigned char most[80];
	int n_fit = 0;

	for (int i = 0; i < 40000; i++) {
		char line[80], want[80];
		unsigned char may[80];
		const size_t len = (size_t)(i / 4 % 80);
		int held = 0, fits;

		for (size_t j = 0; j < len; j++) {
			/* Mostly like the previous line, except for digits. */
			line[j] = alphabet[next_random(sizeof alphabet - 1)];
			if (i % 4 > 0 && !isdigit((unsigned char)before[j]))
				line[j] = before[j];
			else if (i % 4 > 0 && next_random(40) > 0)
				line[j] = (char)('0' + (int)next_random(10));
			want[j] = line[j];
			may[j] = 0;
			if (line[j] < '0' || line[j] > '9') {
				held = line[j] == '_' || line[j] == '@' ||
				    line[j] == 'a' || line[j] == 'Z';
			} else if (!held) {
				want[j] = '0';
				may[j] = 9;
			}
		}
		if (i % 4 > 0 && len >= DIGIT_MASK_MIN) {
			fits = digit_mask_fits(line, masked, most, len);
			n_fit += fits;
			if (fits != (memcmp(masked, want, len) == 0))
				CHECK_INT(i, -2);
		}
		digit_mask_places(line, len, masked, most);
		if (memcmp(masked, want, len) != 0 ||
		    memcmp(most, may, len) != 0)
			CHECK_INT(i, -3);
		memcpy(before, line, len);
	}
	CHECK(n_fit > 100);
}

/* Each line of a type gives its own numbers; without one it is no sample. */
static void
test_named_digits(void)
{
	static const char text[] = STEP("0", "  1", "0.500") "\n" STEP("0",
	    "  2", "0.625") "\n"
			    "Epoch: [0][   /130]\tTime  0.750 ( 0.484)\tData\n"
	    /* Another shape. */
	    STEP("0", "  3", "0.75") "\n" STEP("0", "  4", "0.875") "\n";
	struct log log;

	scan_string(text, &log);
	CHECK_INT(log.samples.n, 4);
	CHECK_NEAR(log.samples.items[1].value, 0.625, 0);
	CHECK_NEAR(log.samples.items[3].value, 0.875, 0);
	CHECK_INT(log.samples.items[3].iter, 4);
	CHECK_INT(log.samples.items[3].line, 5);
	log_release(&log);
}

static void
scan_text(const struct own *own, const char *text, struct log *log)
{
	const struct scan_options options = { .no_hash = 1 };

	put_file("own", text, strlen(text));
	scan_with(&own->set, &options, log);
}

/* A table is found at any allowed place of its header, whatever the types of
 * the lines around it. */
static void
test_table_headers(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind step-time\n"
		"csv step row iter=it step_s=1t|t\n"
		"sample it,1t\nexpect nothing\nsample 7,0.5\nexpect row\n",
		"name b\ndescription d\nkind step-time\n"
		"csv step row iter=n step_s=s\n"
		"sample n;s\nexpect nothing\nsample 7;0.5\nexpect row\n",
	};
	struct own own;
	struct log log;

	own_init(&own, texts, 2);
	/* The line before differs from the header in a digit of a name. */
	scan_text(&own, "it,2t\nit,1t\n1,0.5\n2,0.25\n", &log);
	CHECK_STR(log.format != NULL ? log.format->name : "", "a");
	CHECK_INT(log.samples.n, 2);
	log_release(&log);
	for (int before = 98; before < 102; before++)
		for (int after = 0; after < 600; after += 300) {
			struct strbuf sb;

			strbuf_init(&sb, 1 << 20);
			for (int i = 0; i < before; i++)
				strbuf_printf(&sb, "epoch %d, %d\n", i % 7, i);
			strbuf_addstr(&sb, "n;s\n1;0.5\n2;0.5\n");
			for (int i = 0; i < after; i++)
				strbuf_printf(&sb, "%*d\n", i + 9, 1);
			scan_text(&own, sb.buf, &log);
			CHECK_STR(log.format != NULL ? log.format->name : "",
			    before < 100 ? "b" : "");
			CHECK_INT(log.samples.n, before < 100 ? 2 : 0);
			log_release(&log);
			strbuf_release(&sb);
		}
	own_release(&own);
}

/* Only lines of DIGIT_MASK_MIN to 1024 bytes are kept. */
static void
test_lengths(void)
{
	char line[1100];

	memset(line, 'x', sizeof line);
	for (size_t len = 1; len < 1080; len += len == 12 ? 1000 : 1) {
		struct line_templates *all = line_templates_new();

		line_template_begin(all, line, len);
		line_template_end(all);
		CHECK((line_template_find(all, line, len) != NULL) ==
		    (len >= DIGIT_MASK_MIN && len <= 1024));
		line_templates_free(all);
	}
}

/* Metadata that names a digit is searched for in each line of a type, because
 * the first line does not determine the others. */
static void
test_metadata_that_name_digits(void)
{
	static const char metadata[] =
	    "name f\ndescription d\n"
	    "metadata g ^device 0 drives (?<model>[a-z]+)$\n"
	    "sample device 0 drives things\nexpect g\n";
	static const char *const texts[] = {
		"name a\ndescription d\nkind rate\n"
		"step h ^step (?<iter>\\d+) (?<samples_per_s>\\S+)\n"
		"sample step 3 5\nexpect h\n"
	};
	static const char text[] = "device 1 drives pictures\n"
				   "device 2 drives pictures\n"
				   "device 0 drives pictures\n"
				   "step 1 5.0\nstep 2 5.5\n";
	struct scan_options options = { NULL, 0, 0, 0 };
	struct error e = ERROR_INIT;
	struct format *own_metadata[1];
	struct own own;
	struct log log;

	own_init(&own, texts, 1);
	own_metadata[0] = format_parse(&own.set.arena, FORMAT_FILE_METADATA,
	    "f", "f", metadata, strlen(metadata), &e);
	CHECK_STR(e.message, "");
	own.set.metadata.items = own_metadata;
	own.set.metadata.n = 1;
	put_file("log", text, sizeof text - 1);
	scan_with(&own.set, &options, &log);
	CHECK_INT(log.samples.n, 2);
	CHECK_INT(log.n_metadata, 1);
	CHECK_STR(log.n_metadata == 1 ? log.metadata[0].value : "", "pictures");
	CHECK_INT(log.n_metadata == 1 ? log.metadata[0].line : 0, 3);
	log_release(&log);
	format_release_code(own_metadata[0]);
	own_release(&own);
}

static void
detect_in(const struct own *own, const char *text, struct log *log)
{
	struct scan_options options = { NULL, 1, 0, 0 };

	put_file("log", text, strlen(text));
	scan_with(&own->set, &options, log);
}

/* Lines that differ in digits are counted once per type if digits cannot
 * matter, and separately if they may. */
static void
test_detection_of_digits(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind rate\n"
		"json step h samples_per_s=r n==1\n"
		"sample {\"n\": 1, \"r\": 2}\nexpect h\n",
		"name b\ndescription d\nkind rate\n"
		"step h it (?<samples_per_s>\\d+)\n"
		"sample it 2\nexpect h\n",
		"name c\ndescription d\nkind rate\n"
		"json step h samples_per_s=s\n"
		"sample {\"s\": 2}\nexpect h\n",
	};
	struct own own;
	struct log log;

	own_init(&own, texts, 3);
	detect_in(&own,
	    "{\"n\": 2, \"r\": 5}\n{\"n\": 3, \"r\": 6}\n"
	    "{\"n\": 1, \"r\": 7}\nit 5\nit 6\n",
	    &log);
	CHECK_STR(log.format->name, "b");
	CHECK_STR(log.runner_up->name, "a");
	log_release(&log);
	detect_in(&own,
	    "{\"s\": 5}\n{\"s\": 6}\n{\"s\": null}\n{\"s\": 7}\n"
	    "it 5\nit 6\n",
	    &log);
	CHECK_STR(log.format->name, "c");
	CHECK_INT(log.samples.n, 3);
	log_release(&log);
	own_release(&own);
}

/* Numbers of up to 17 digits, with or without point, are read as by strtod. */
static void
test_numbers(void)
{
	double expected[2000];
	struct strbuf sb;
	struct log log;

	strbuf_init(&sb, 1 << 20);
	for (int i = 0; i < 2000; i++) {
		const unsigned n = 1 + next_random(17);
		const unsigned point = next_random(n + 2);
		char text[32];
		size_t len = 0;

		for (unsigned k = 0; k < n; k++) {
			if (k == point)
				text[len++] = '.';
			text[len++] = (char)('0' + next_random(10));
		}
		text[len] = '\0';
		expected[i] = strtod(text, NULL);
		strbuf_printf(&sb,
		    "Epoch: [0][%d/5000]\tTime %s (0.484)\tData 0.008\n", i,
		    text);
	}
	scan_string(sb.buf, &log);
	CHECK_INT(log.samples.n, 2000);
	for (size_t i = 0; i < log.samples.n; i++) {
		CHECK(same_double(log.samples.items[i].value, expected[i]));
		CHECK_INT(log.samples.items[i].iter, i);
	}
	strbuf_release(&sb);
	log_release(&log);
}

static const struct tap_test tests[] = {
	TEST(test_numbers),
	TEST(test_digit_insensitive),
	TEST(test_same_outcome),
	TEST(test_metadata_lines),
	TEST(test_told_digits),
	TEST(test_large),
	TEST(test_named_digits),
	TEST(test_table_headers),
	TEST(test_mask),
	TEST(test_lengths),
	TEST(test_metadata_that_name_digits),
	TEST(test_detection_of_digits),
};

int
main(void)
{
	return scanning_main("test_line_template", tests, N_TESTS(tests));
}
