/* Detection of a log's format, and of steps of other programs. */
#include <config.h>

#include "extract/scan/detect/detect.h"

#include <assert.h>
#include <ctype.h>

#include "common/alloc.h"
#include "tests/unit/scanning.h"

#define STEPS_OF(name, word) \
	"name " name "\ndescription d\nkind rate\n" \
	"step h ^" word " (?<iter>\\d+) (?<samples_per_s>\\S+)$\n" \
	"sample " word " 1 5\nexpect h\n"

/* Two programs, a generic format, and a benchmark. */
static const char *const four[] = {
	STEPS_OF("a", "it") "ignore i ^at \\d+ 77$\n"
			    "sample at 1 77\nexpect i\n"
			    "summary s ^it took (?<samples_per_s>\\S+)$\n"
			    "sample it took 5\nexpect s\n"
			    "result r ^it lost (?<loss>\\S+)$\n"
			    "sample it lost 5\nexpect r\n",
	STEPS_OF("b", "at") "signature g ^b begins\n"
			    "sample b begins\nexpect g\n",
	STEPS_OF("c", "ct") "generic yes\n"
			    "summary s ^total (?<samples_per_s>\\S+)$\n"
			    "sample total 5\nexpect s\n",
	"name d\ndescription d\nkind rate\nunit GB/s\n"
	"context t ^test of (?<collective>\\w+)$\n"
	"sample test of sum\nexpect t\n"
	"collective c ^row (?<message_bytes>\\d+) (?<message_us>\\S+)$\n"
	"sample row 8 5\nexpect c\n",
};

#define FIVE_STEPS "ct 1 5\nct 2 5\nct 3 5\nct 4 5\nct 5 5\n"

/* Three programs; b also matches the lines of c. */
static const char *const alike[] = { STEPS_OF("a", "it"),
	STEPS_OF("b", "[ao]t"), STEPS_OF("c", "at") };

static struct own own;
static struct matcher *matcher;
static struct detector *detector;

static void
open_detector(const char *const *texts, size_t n)
{
	own_init(&own, texts, n);
	matcher = matcher_new(&own.set);
	detector = detector_new(&own.set, matcher);
}

static void
close_detector(void)
{
	detector_free(detector);
	matcher_free(matcher);
	own_release(&own);
}

static const char *
name_of(const struct candidate *c)
{
	return c->format != NULL ? c->format->name : "";
}

static struct detection
detect(const char *text)
{
	struct detection x;

	detector_new_file(detector);
	detector_run(detector, text, strlen(text), &x);
	return x;
}

/* A single step of a second program is enough to report it; matches of a
 * generic format are not. */
static void
test_alone(void)
{
	static const struct {
		const char *text, *best, *next;
		int alone;
	} cases[] = {
		{ "it 1 5\nit 2 5\n", "a", "", 1 },
		{ "at 1 5\n", "b", "", 1 },
		{ "it 1 5\nit 2 5\nat 1 5\n", "a", "b", 0 },
		{ "at 1 5\nat 2 5\nit 1 5\n", "b", "a", 0 },
		{ "it 1 5\nct 1 5\nct 2 5\n", "a", "c", 1 },
		{ "ct 1 5\n", "c", "", 1 },
		{ "ct 1 5\ntotal 5\n", "c", "", 1 },
		{ "it took 5\nct 1 5\n", "a", "c", 1 },
		/* A benchmark that ran before the training. */
		{ "test of sum\n" FIVE_STEPS "total 5\n", "c", "d", 0 },
		{ "test of sum\n" FIVE_STEPS, "d", "c", 1 },
		/* A run that was timed from outside. */
		{ "it 1 5\nct took 5\ntotal 5\n", "c", "a", 0 },
		{ "it lost 5\nb begins\n", "a", "", 1 },
		{ "b begins\n", "", "", 1 },
		{ "", "", "", 1 },
	};

	open_detector(four, 4);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct detection x = detect(cases[i].text);

		printf("# case %zu\n", i);
		CHECK_STR(name_of(&x.best), cases[i].best);
		CHECK_STR(name_of(&x.runner_up), cases[i].next);
		CHECK_INT(x.alone, cases[i].alone);
	}
	close_detector();
}

/* Compare with a detector that has seen no log. Returns the detection. */
static struct detection
check_like_fresh(const char *text)
{
	struct detector *fresh = detector_new(&own.set, matcher);
	const struct detection x = detect(text);
	struct detection y;

	detector_new_file(fresh);
	detector_run(fresh, text, strlen(text), &y);
	detector_free(fresh);
	CHECK_STR(name_of(&x.best), name_of(&y.best));
	CHECK_STR(name_of(&x.runner_up), name_of(&y.runner_up));
	CHECK_INT(x.alone, y.alone);
	CHECK_INT(x.n_lines, y.n_lines);
	CHECK_INT(x.best.n_steps, y.best.n_steps);
	CHECK_INT(x.best.n_summaries, y.best.n_summaries);
	CHECK_INT(x.best.n_results, y.best.n_results);
	CHECK_INT(x.best.n_signatures, y.best.n_signatures);
	CHECK_INT(x.runner_up.n_steps, y.runner_up.n_steps);
	return x;
}

/* Line types known from earlier logs do not change any count, whether all types
 * of a log are known or some. */
static void
test_known_kinds(void)
{
	static const char *const texts[] = {
		"it 1 5\nit 2 6\nat 3 5\nit took 5\n",
		"it 1 5\nit 2 6\nat 3 5\nit took 5\n",
		"it 1 5\nit 2 6\nit 10 5\nat 3 5\nat 3 5.5\nit took 5\n",
		"it took 5\nit took 6\nit took 5.25\n",
		/* Some types of one program are known, others are new. */
		"it 1 5\nit 2 6\nit 300 5\nit took 5\nit took 5.125\n",
		"it 300 5\nit 300 6\nit 3000 5\n",
		"at 1 5\nat 2 5\nb begins\n",
		"b begins\nat 1 5\nat 2 5.125\n",
		"ct 1 5\nct 1 5.5\ntotal 5\nct 2 5\ntotal 5\n",
		"ct 1 5\ntotal 5.25\nit lost 5\n",
		"it lost 5\nit lost 6\nit lost 5.25\n",
		"it lost 5\nit lost 6\nit lost 5.125\n",
	};

	open_detector(four, 4);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		printf("# text %zu\n", i);
		CHECK(check_like_fresh(texts[i]).best.format != NULL);
	}
	close_detector();
}

/* Formats that depend on the digits of a line, or read rows of a table, are
 * also tried on line types that are known for other formats. */
static void
test_unsure_kinds(void)
{
	static const char *const three[] = {
		STEPS_OF("a", "n"),
		"name b\ndescription d\nkind rate\n"
		"step h ^n [01],(?<iter>\\d+) (?<samples_per_s>\\S+)$\n"
		"sample n 1,1 5\nexpect h\n",
		"name c\ndescription d\nkind step-time\n"
		"csv step row iter=it step_s=t\n"
		"sample it,t\nexpect nothing\nsample 7,0.5\nexpect row\n",
	};
	static const struct {
		const char *text, *best;
		int n_steps;
	} cases[] = {
		{ "n 1,1 5\nn 2,1 5\nother 3\n", "b", 1 },
		{ "n 1,1 5\nn 2,1 5\nother 3\n", "b", 1 },
		{ "n 1,1 5\nn 0,1 5\nother 3\n", "b", 2 },
		{ "n 7,1 5\nn 2,1 5\nother 3\n", "", 0 },
		{ "n 1 5\nn 0,1 5\nother 3\n", "a", 1 },
		{ "n 1 5\nn 5,1 5\nother 3\n", "a", 1 },
		/* Rows of a table, without their header, and with it. */
		{ "7,0.5\n8,0.5\n", "", 0 },
		{ "it,t\n7,0.5\n8,0.5\n", "c", 2 },
		{ "7,0.5\n8,0.5\n", "", 0 },
		{ "other 4\nit,t\n7,0.5\n", "c", 1 },
		{ "it,t\nother 4\n", "", 0 },
		{ "it,t\nother 4\n7,0.5\n9,0.5\n1,0.5\n", "c", 3 },
	};

	open_detector(three, 3);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct detection x = check_like_fresh(cases[i].text);

		printf("# case %zu\n", i);
		CHECK_STR(name_of(&x.best), cases[i].best);
		CHECK_INT(x.best.n_steps, cases[i].n_steps);
	}
	close_detector();
}

static unsigned
next_random(unsigned below)
{
	static unsigned state = 1;

	state = state * 1103515245 + 12345;
	return (state >> 16) % below;
}

/* Add some sample lines of a format, with some digits changed. */
static void
add_samples(struct strbuf *sb, const struct format *f)
{
	for (unsigned n = next_random(6); n > 0 && f->n_samples > 0; n--) {
		const struct format_sample *x =
		    &f->samples[next_random((unsigned)f->n_samples)];
		const unsigned changes = next_random(3);

		for (size_t i = 0; i < x->len; i++)
			strbuf_addch(sb,
			    isdigit((unsigned char)x->text[i]) && changes > 0 &&
				    next_random(3) == 0
				? (char)('0' + (int)next_random(10))
				: x->text[i]);
		strbuf_addch(sb, '\n');
	}
}

/* With most line types known from earlier logs of the same formats, a detector
 * finds the same as a fresh one, for all formats. */
static void
test_formats_again(void)
{
	const size_t n = built_in.formats.n;

	own.set = built_in;
	matcher = matcher_new(&built_in);
	for (size_t i = 0; i < n; i++) {
		detector = detector_new(&built_in, matcher);
		for (int k = 0; k < 12; k++) {
			struct strbuf sb;

			strbuf_init(&sb, 1 << 20);
			add_samples(&sb, built_in.formats.items[i]);
			add_samples(
			    &sb, built_in.formats.items[(i * 7 + 3) % n]);
			add_samples(&sb, built_in.formats.items[i]);
			check_like_fresh(sb.buf);
			strbuf_release(&sb);
		}
		detector_free(detector);
	}
	matcher_free(matcher);
}

/* Lines that differ only in digits are counted individually.
 */
static void
test_counts(void)
{
	struct detection x;

	open_detector(four, 4);
	x = detect("it 1 5\nit 2 6\nit 10 5\nit took 5\nit took 6\nat 1 5\n");
	CHECK_INT(x.n_lines, 6);
	CHECK_INT(x.best.n_steps, 3);
	CHECK_INT(x.best.n_summaries, 2);
	CHECK_INT(x.runner_up.n_steps, 1);
	x = detect("b begins\nat 1 5\nat 2 5\nb begins\n");
	CHECK_INT(x.best.n_steps, 2);
	CHECK_INT(x.best.n_signatures, 2);
	x = detect("it lost 5\nit lost 6\nit lost 6.5\n");
	CHECK_INT(x.best.n_results, 3);
	close_detector();
}

/* --- Another program's steps -----------------------------------------------*/

/* An unmatched line and how often it occurs. The i-th one, from 1, first occurs
 * on line 10 * i. */
struct unread {
	char text[16];
	int64_t times;
};

static struct other_steps
find_other(const char *chosen, struct unread *unread, size_t n)
{
	struct line_type lines[4];
	const struct line_types types = { .items = lines, .n = n };
	struct other_steps x;

	for (size_t i = 0; i < n; i++)
		lines[i] =
		    (struct line_type){ unread[i].text, strlen(unread[i].text),
			    (int64_t)i * 10 + 10, unread[i].times, 0, 1 };
	detector_find_other(
	    detector, format_get(&own.set, chosen, NULL), &types, &x);
	return x;
}

static void
check_other(const char *chosen, struct unread *unread, size_t n,
    const char *other, int64_t steps, int64_t first)
{
	const struct other_steps x = find_other(chosen, unread, n);

	printf("# %s\n", n > 0 ? unread[0].text : "no line");
	CHECK_STR(x.format != NULL ? x.format->name : "", other);
	if (x.format == NULL)
		return;
	CHECK_INT(x.steps, steps);
	CHECK_INT(x.first_line, first);
}

static void
test_other(void)
{
	static struct unread few[] = { { "at 1 5.25", 4 } };
	static struct unread enough[] = { { "at 1 5.25", 5 } };
	static struct unread sum[] = { { "nothing", 9 }, { "at 1 5.25", 1 },
		{ "at 10 5.25", 4 } };
	static struct unread first[] = { { "it 1 5.25", 5 } };
	static struct unread any[] = { { "ct 1 5.25", 99 } };
	static struct unread ignored[] = { { "at 1 77", 99 },
		{ "at 1 78", 6 } };
	static struct unread both[] = { { "at 1 77", 99 }, { "at 1 78", 4 } };

	open_detector(four, 4);
	CHECK_INT(DETECT_FEW, 5);
	check_other("a", few, 0, "", 0, 0);
	check_other("a", few, 1, "", 0, 0);
	check_other("a", enough, 1, "b", 5, 10);
	check_other("a", sum, 3, "b", 5, 20);
	check_other("b", first, 1, "a", 5, 10);
	check_other("d", first, 1, "a", 5, 10);
	/* Its own steps, and lines of a generic format. */
	check_other("a", first, 1, "", 0, 0);
	check_other("a", any, 1, "", 0, 0);
	/* Lines that it matches, in any role. */
	check_other("a", ignored, 2, "b", 6, 20);
	check_other("a", both, 2, "", 0, 0);
	check_other("d", both, 2, "b", 103, 10);
	close_detector();
}

/* Of two other programs, the one with more steps or else the first. */
static void
test_most_others(void)
{
	static struct unread equal[] = { { "at 1 5.25", 7 } };
	static struct unread more[] = { { "ot 1 5.25", 1 },
		{ "at 1 5.25", 7 } };
	static struct unread last[] = { { "at 1 5.25", 7 },
		{ "it 1 5.25", 8 } };
	static struct unread fewer[] = { { "it 1 5.25", 6 },
		{ "at 1 5.25", 5 } };

	open_detector(alike, 3);
	check_other("a", equal, 1, "b", 7, 10);
	check_other("b", equal, 1, "", 0, 0);
	check_other("c", more, 2, "", 0, 0);
	check_other("a", more, 2, "b", 8, 10);
	check_other("c", last, 2, "a", 8, 20);
	check_other("c", fewer, 2, "a", 6, 10);
	close_detector();
}

/* --- Pieces ----------------------------------------------------------------*/

/* Few steps in many lines are source code, or another program's output. */
static void
test_sparse(void)
{
	open_detector(four, 4);
	for (int lines = 998; lines <= 1002; lines++)
		for (int steps = 4; steps <= 6; steps++) {
			struct detection x;
			struct strbuf sb;

			strbuf_init(&sb, 1 << 20);
			for (int i = 0; i < lines; i++)
				strbuf_addstr(&sb,
				    i < steps ? "it 1 5\n" : "nothing here\n");
			x = detect(sb.buf);
			CHECK_INT(x.n_lines, lines);
			CHECK_INT(x.best.n_steps, steps);
			CHECK_INT(detection_is_vague(&x),
			    lines >= DETECT_MANY_LINES &&
				steps * DETECT_SPARSE < lines);
			strbuf_release(&sb);
		}
	close_detector();
}

/* Detect in n lines of 1 MiB, each of its own type, with a common start. */
static struct detection
detect_long_lines(const char *begin, int n)
{
	const size_t len = 1 << 20;
	struct detection x;
	struct strbuf sb;

	strbuf_init(&sb, 64 << 20);
	strbuf_addstr(&sb, "it 1 5\n");
	for (int i = 0; i < n; i++) {
		strbuf_addstr(&sb, begin);
		strbuf_addchars(&sb, 'x', len + (size_t)i);
		strbuf_addch(&sb, '\n');
	}
	detector_new_file(detector);
	detector_run(detector, sb.buf, sb.len, &x);
	strbuf_release(&sb);
	return x;
}

/* Lines that no format can match cost no work. After too many bytes of other
 * lines, no further piece is examined until the next file. */
static void
test_work(void)
{
	const int enough = DETECT_WORK / (1 << 20) + 1;

	open_detector(four, 4);
	CHECK_INT(detect_long_lines("", enough).best.n_steps, 1);
	CHECK(detector_may_look(detector, 0));
	CHECK(!detector_was_cut(detector));
	CHECK_INT(detect_long_lines("it took ", enough).best.n_steps, 1);
	CHECK(!detector_may_look(detector, 0));
	CHECK(detector_was_cut(detector));
	detector_new_file(detector);
	CHECK(!detector_was_cut(detector));
	CHECK(detector_may_look(detector, 0));
	close_detector();
}

static const struct tap_test tests[] = {
	TEST(test_alone),
	TEST(test_known_kinds),
	TEST(test_unsure_kinds),
	TEST(test_formats_again),
	TEST(test_counts),
	TEST(test_other),
	TEST(test_most_others),
	TEST(test_sparse),
	TEST(test_work),
};

int
main(void)
{
	return scanning_main("test_detect", tests, N_TESTS(tests));
}
