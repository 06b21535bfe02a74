/* Metering of regular expressions: a metered pattern has the same matches, the
 * count grows with the work, and limits lose only the lines that exceed them,
 * which are flagged. */
#include <config.h>

#include "common/alloc.h"
#include "extract/format/matcher.h"
#include "extract/format/patterns/pattern.h"
#include "extract/scan/detect/detect.h"
#include "tests/unit/scanning.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <stdlib.h>
#include <string.h>

static struct work_meter meter;

static int
count_callout(pcre2_callout_block *block, void *arg)
{
	return work_meter_count(block, arg);
}

/* Match code and store the offsets in pairs. */
static int
match_code(void *code, const char *text, size_t len, size_t *pairs)
{
	pcre2_match_data *data = pcre2_match_data_create(256, NULL);
	pcre2_match_context *context = pcre2_match_context_create(NULL);
	int rc;

	pcre2_set_callout(context, count_callout, &meter);
	rc = pcre2_match(code, (PCRE2_SPTR)text, len, 0, 0, data, context);
	for (int i = 0; i < 2 * rc; i++)
		pairs[i] = pcre2_get_ovector_pointer(data)[i];
	pcre2_match_context_free(context);
	pcre2_match_data_free(data);
	return rc;
}

static void
begin_count(int64_t left)
{
	meter = (struct work_meter){ left, 1, SIZE_MAX, 0 };
}

/* Bytes that a metered match of a pattern reads in a text. */
static int64_t
work_of(const char *regex, const char *text)
{
	void *code = metered_code_new(regex);
	const int64_t all = 1 << 30;
	size_t pairs[512];

	CHECK(code != NULL);
	begin_count(all);
	match_code(code, text, strlen(text), pairs);
	pcre2_code_free(code);
	return all - meter.left;
}

static void
test_count(void)
{
	enum { C = 1 /* cost of a callout */ };
	static const struct {
		const char *regex, *text;
		int64_t work;
	} rows[] = {
		/* The bytes up to the callout after the digits; if digits are
		 * given back, 3 callouts. */
		{ "a\\d+[by]", "a123b", C + 4 },
		{ "a\\d+[by]", "a123c", C + 4 }, /* digits are not given back */
		{ "a.*?[by]", "a123c", 5 * C + 5 }, /* a byte more each time */
		{ "a.*[by]", "a123c", 5 * C + 5 },  /* a byte less each time */
		{ "a\\S+ [by]", "a1 a23 c", 2 * C + 2 + 3 }, /* two starts */
		{ "ax*b", "ab", C + 1 },
		{ "ax{2,31}[by]", "axx-", 0 }, /* bounded: not metered */
		{ "ax{2,32}[by]", "axxc", C + 3 },
		/* A lookahead counts whether it matches or not. */
		{ "a(?=\\d*x)1", "a123x", C + 4 },
		{ "a(?!\\d*y)1", "a123x", C + 4 },
		/* An optional part that fails counts, too. */
		{ "a\\d+(?:,\\d*+[by])?", "a1,2345", 2 * C + 7 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		void *code = metered_code_new(rows[i].regex);

		printf("# %s on %s\n", rows[i].regex, rows[i].text);
		CHECK_INT(code != NULL, rows[i].work > 0);
		pcre2_code_free(code);
		if (rows[i].work > 0)
			CHECK_INT(
			    work_of(rows[i].regex, rows[i].text), rows[i].work);
	}
}

static void
test_long_expression(void)
{
	char regex[700], text[700];

	snprintf(regex, sizeof regex, "%0515d\\d+[by]", 0);
	snprintf(text, sizeof text, "%0515d123b", 0);
	CHECK_INT(work_of(regex, text), 1 + 518);
}

/* Unsupported syntax has no metered form: its text must not be changed. */
static void
test_not_understood(void)
{
	static const char *const regexes[] = { "a\\Qb+\\Ec+", "a(?#b+)c+",
		"(?x) a + b" };

	for (size_t i = 0; i < sizeof regexes / sizeof *regexes; i++) {
		printf("# %s\n", regexes[i]);
		CHECK(metered_code_new(regexes[i]) == NULL);
	}
}

/* All patterns of a format give the same matches with and without metering. */
static void
check_text(const struct format *f, const char *text, size_t len, size_t *n)
{
	for (size_t i = 0; i < f->n_patterns; i++) {
		const struct pattern *p = &f->patterns[i];
		void *m = p->code != NULL ? pattern_code(p)->metered : NULL;
		size_t a[512], b[512];
		int rc;

		if (m == NULL)
			continue;
		rc = match_code(p->code->code, text, len, a);
		begin_count(INT64_MAX / 2);
		CHECK_INT(match_code(m, text, len, b), rc);
		for (int k = 0; k < 2 * rc; k++)
			CHECK_INT(b[k], a[k]);
		*n += rc > 0;
	}
}

static void
test_same_matches(void)
{
	size_t n = 0, n_not = 0;

	for (size_t i = 0; i < built_in.formats.n; i++) {
		const struct format *f = built_in.formats.items[i];

		for (size_t j = 0; j < f->n_samples; j++) {
			const struct format_sample *x = &f->samples[j],
						   *y = &f->samples[0];
			struct strbuf sb;

			strbuf_init(&sb, 1 << 20);
			strbuf_add(&sb, x->text, x->len - x->len / 3);
			strbuf_add(&sb, y->text, y->len);
			check_text(f, x->text, x->len, &n);
			check_text(f, sb.buf, sb.len, &n);
			strbuf_release(&sb);
		}
		for (size_t j = 0; j < f->n_patterns; j++) {
			const struct pattern *p = &f->patterns[j];

			if (p->code == NULL ||
			    pattern_code(p)->metered != NULL ||
			    strpbrk(p->text, "*+") == NULL)
				continue;
			printf("# not metered: %s of %s: %s\n", p->name,
			    f->name, p->text);
			n_not++;
		}
	}
	printf("# %zu matches are the same\n", n);
	CHECK(n > 1000);
	CHECK_INT(n_not, 0);
}

/* A line above the limit is reported; the lines around it are read. The limit
 * grows with the length of the line. */
static void
test_line_limit(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind rate\n"
		"step h A.*?B.*?C (?<samples_per_s>\\d+)$\n"
		"sample A B C 2\nexpect h\n"
	};
	static const int pairs[] = { 0, 200, 10 },
			 dashes[] = { 300, 300, 3000 };
	struct scan_options options = { NULL, 1, 0, 0 };
	struct strbuf sb;
	struct own own;
	struct log log;

	own_init(&own, texts, 1);
	strbuf_init(&sb, 1 << 20);
	for (int i = 0; i < 3; i++) {
		strbuf_addstr(&sb, "A B C 7\n");
		/* Tried from each A to each B and to the end. */
		for (int k = 0; k < pairs[i]; k++)
			strbuf_addstr(&sb, "A B ");
		strbuf_addchars(&sb, '-', dashes[i]);
		strbuf_addstr(&sb, "A B C 8 C \n");
	}
	strbuf_addstr(&sb, "A B C 9\n");
	put_file("log", sb.buf, sb.len);
	scan_with(&own.set, &options, &log);
	CHECK_INT(log.samples.n, 4);
	CHECK_INT(log.n_match_limit, 1);
	CHECK_INT(log.match_limit_line, 4);
	log_release(&log);
	strbuf_release(&sb);
	own_release(&own);
}

/* Lines of no format that use up the share of each format, until detection
 * stops. That is flagged, unlike a shorter log of such lines. */
static void
check_detection(int lines, int cut)
{
	struct scan_options options = { NULL, 1, 0, 0 };
	struct strbuf sb;
	struct log log;

	strbuf_init(&sb, 1 << 22);
	for (int i = 0; i < lines; i++) {
		for (int k = 0; k < 40; k++)
			strbuf_printf(&sb, "DLLL {%c", 'a' + (i + k) % 26);
		strbuf_printf(&sb,
		    "\"datetime\": \"2020-01-01 10:11:12\", \"step\": [1, 2], "
		    "\"data\": {\"average_loss\" %c%c%c\n",
		    'a' + i % 26, 'a' + i / 26 % 26, 'a' + i / 676 % 26);
	}
	put_file("log", sb.buf, sb.len);
	scan_with(&built_in, &options, &log);
	CHECK(log.format == NULL);
	CHECK_INT(log.detection_cut, cut);
	log_release(&log);
	strbuf_release(&sb);
}

static void
test_detection_limit(void)
{
	check_detection(20, 0);
	check_detection(8000, 1);
}

/* Long lines before any step that look like settings: they are searched for
 * metadata up to a limit; beyond it the log is flagged. */
static void
check_metadata(int lines, int flagged)
{
	struct scan_options options = { NULL, 1, 0, 0 };
	struct strbuf sb;
	struct log log;

	options.forced = format_get(&built_in, "pytorch-imagenet", NULL);
	CHECK(options.forced != NULL);
	strbuf_init(&sb, 1 << 22);
	for (int i = 0; i < lines; i++) {
		strbuf_addstr(&sb,
		    "dlscale: fusion first_mib=  rest_mib=  threshold_mib= "
		    " cycle_ms=  cache_capacity=  compression= ");
		for (int k = 0; k < 100; k++)
			strbuf_printf(&sb, " -x %c%c=%c%c", 'A' + i % 26,
			    'A' + k % 26, 'a' + i / 26 % 26, 'a' + k % 25);
		strbuf_addstr(&sb, "\n");
	}
	put_file("log", sb.buf, sb.len);
	scan_with(&built_in, &options, &log);
	printf("# %d lines: from line %ld on\n", lines,
	    (long)log.match_limit_line);
	CHECK_INT(log.n_match_limit > 0, flagged);
	log_release(&log);
	strbuf_release(&sb);
}

static void
test_metadata_limit(void)
{
	check_metadata(20, 0);
	check_metadata(3000, 1);
}

/* Callouts in a format's own patterns have no effect. All lines are read, also
 * long ones, although their patterns are not metered. */
static void
test_own_callouts(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind step-time\n"
		"step h (?C7)i=(?C3)(?<iter>\\d+) (?C7).*?(?<step_s>\\d+)s$\n"
		"sample i=1 5s\nexpect h iter=1 step_s=5\n"
	};
	struct scan_options options = { NULL, 1, 0, 0 };
	struct own own;
	struct log log;
	struct strbuf sb;

	own_init(&own, texts, 1);
	options.forced = own.formats[0];
	strbuf_init(&sb, 1 << 16);
	for (int i = 0; i < 9; i++)
		strbuf_printf(&sb, "i=%d i=i=%*s 5s\n", i, i > 4 ? 400 : 0, "");
	put_file("log", sb.buf, sb.len);
	scan_with(&own.set, &options, &log);
	CHECK_INT(log.samples.n, 9);
	log_release(&log);
	strbuf_release(&sb);
	own_release(&own);
}

static const struct tap_test tests[] = {
	TEST(test_count),
	TEST(test_long_expression),
	TEST(test_not_understood),
	TEST(test_own_callouts),
	TEST(test_same_matches),
	TEST(test_line_limit),
	TEST(test_detection_limit),
	TEST(test_metadata_limit),
};

int
main(void)
{
	return scanning_main("test_work_meter", tests, N_TESTS(tests));
}
