/* Lines of one template that follow each other give the samples that each of
 * them gives alone. */
#include <config.h>

#include "extract/scan/scanner_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "extract/scan/detect/digit_mask.h"
#include "tests/unit/scanning.h"

static size_t n_samples; /* that were compared */
static int64_t n_known;  /* files of which all lines were */

static unsigned
next_random(unsigned below)
{
	static unsigned state = 7;

	state = state * 1103515245 + 12345;
	return (state >> 16) % below;
}

/* A line of a sample with other free digits. */
static void
add_variant(struct strbuf *sb, const struct format_sample *x)
{
	unsigned char most[4096];
	char masked[4096];

	assert(x->len <= sizeof most);
	digit_mask_places(x->text, x->len, masked, most);
	for (size_t i = 0; i < x->len; i++)
		strbuf_addch(sb,
		    most[i] > 0 && next_random(3) > 0
			? (char)('0' + (int)next_random(10))
			: x->text[i]);
}

/* Scan scratch_path three times: with each line matched anew, as a file with
 * nothing known, and again by a scanner that has seen such lines. */
static void
check_ways(struct scanner *s, const struct format_set *set, const char *what)
{
	const struct scan_options plain = { .no_hash = 1, .no_templates = 1 };
	const struct scan_options usual = { .no_hash = 1 };
	struct log want, got;

	scan_with(set, &plain, &want);
	for (int way = 0; way < 2; way++) {
		size_t n;

		if (way == 0)
			scan_with(set, &usual, &got);
		else
			CHECK_INT(
			    scanner_scan(s, scratch_path, "shown", &got), 0);
		n = log_differences(&want, &got) +
		    tail_differences(&want, &got);
		if (n > 0)
			printf("# %s, way %d\n", what, way);
		CHECK_INT(n, 0);
		n_samples += got.samples.n;
		log_release(&got);
	}
	log_release(&want);
}

/* How long runs are: some longer than the lines that are read together. */
static unsigned
run_length(void)
{
	static const unsigned lengths[] = { 1, 2, 3, 5, 8, 31,
		NUMBER_COLUMN - 1, NUMBER_COLUMN, NUMBER_COLUMN + 1,
		2 * NUMBER_COLUMN + 3 };

	return lengths[next_random(sizeof lengths / sizeof *lengths)];
}

static void
add_run(struct strbuf *sb, const struct format_sample *x, const char *end)
{
	for (unsigned n = run_length(); n > 0; n--) {
		const size_t start = sb->len;

		add_variant(sb, x);
		strbuf_addstr(sb, end);
		/* Some formats print each twice. */
		if (next_random(8) == 0) {
			char *again =
			    xstrndup(sb->buf + start, sb->len - start);

			strbuf_addstr(sb, again);
			free(again);
		}
	}
}

/* Logs of runs of lines, with others between them. */
static void
check_format(const struct format *f, const struct format *other)
{
	static const char *const between[] = { "", "", "a note\n", "\n", "\r\n",
		"\xc3\xa4\n", "[rank3] INFO loader: worker 2 waits\n" };
	const struct scan_options usual = { .no_hash = 1 };
	struct scanner *s = scanner_new(&built_in, &usual);

	for (int k = 0; k < 6 && f->n_samples > 0; k++) {
		struct strbuf sb;

		strbuf_init(&sb, 1 << 22);
		for (unsigned n = 0; n < 6; n++) {
			add_run(&sb,
			    &f->samples[next_random((unsigned)f->n_samples)],
			    k == 2 ? "\r\n" : "\n");
			strbuf_addstr(&sb,
			    between[next_random(
				sizeof between / sizeof *between)]);
		}
		if (k == 4 && other->n_samples > 0)
			add_run(&sb, &other->samples[0], "\n");
		if (k % 3 == 1)
			sb.len--; /* the last line has no end */
		put_file("log", sb.buf, sb.len);
		strbuf_release(&sb);
		check_ways(s, &built_in, f->name);
	}
	n_known += s->n_known;
	scanner_free(s);
}

static void
test_formats(void)
{
	const size_t n = built_in.n_formats;

	CHECK_INT(format_set_ready(&built_in, NULL), 0);
	for (size_t i = 0; i < n; i++)
		check_format(
		    built_in.formats[i], built_in.formats[(i * 5 + 2) % n]);
	/* Or it would prove little. */
	CHECK(n_samples > 100000);
	CHECK(n_known > 100);
	printf("# %ld known\n", (long)n_known);
}

/* Numbers of each kind that a sample has, some in other units; and formats of
 * which a line alone is no sample. */
static void
test_kinds(void)
{
	static const char *const steps[] = {
		"kind step-time\nstep h ^at (?<epoch>\\d+) (?<iter>\\d+) of "
		"(?<iters>\\d+) took (?<step_s>\\S+) "
		"(?<mean_step_s>\\S+)\n",
		"kind step-time\nstep h ^at (?<epoch>\\d+) (?<iter>\\d+) of "
		"(?<iters>\\d+) took (?<step_ms>\\S+) \\S+\n",
		"kind step-time\nstep h ^at (?<iter_from>\\d+) "
		"(?<iter>\\d+) of (?<rank>\\d+) took (?<step_s>\\S+) \\S+\n",
		"kind rate\nstep h ^at (?<epoch>\\d+) (?<iter>\\d+) of "
		"(?<iters>\\d+) took (?<samples_per_s>\\S+) "
		"(?<mean_samples_per_s>\\S+)\n",
		"kind rate\nstep h ^at (?<epoch>\\d+) (?<iter>\\d+) of "
		"(?<iters>\\d+) took (?<samples_per_s>\\S+) "
		"(?<also_iterations_per_s>\\S+)\n",
		/* Without a value in some lines. */
		"kind step-time\nstep h ^at (?<epoch>\\d+) (?<iter>\\d+) of "
		"(?<iters>\\d+) took (?:none|(?<step_s>\\S+))\n",
		/* One key twice. */
		"kind step-time\nstep h ^at (?<epoch>\\d+) (?<iter>\\d+) of "
		"(?<iters>\\d+) took (?<step_s>\\S+)\n"
		"detail d took (?<data_s>0\\.\\d+) (?<data_ms>\\d\\.\\S+)\n",
	};

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		const struct scan_options usual = { .no_hash = 1 };
		struct strbuf text, log;
		const char *texts[1];
		struct scanner *s;
		struct own own;

		strbuf_init(&text, 1 << 12);
		strbuf_printf(&text,
		    "name a\ndescription d\n%s"
		    "sample at 1 2 of 3 took 0.5 0.25\nexpect h%s\n",
		    steps[i], strstr(steps[i], "detail") ? "\nexpect d" : "");
		texts[0] = text.buf;
		own_init(&own, texts, 1);
		strbuf_release(&text);
		s = scanner_new(&own.set, &usual);
		for (int k = 0; k < 8; k++) {
			strbuf_init(&log, 1 << 20);
			for (unsigned n = 1; n < 400; n++) {
				strbuf_printf(&log, "at %u %03u of 100 took ",
				    n / 100, n % 100);
				if (k > 4 && n % 70 < 9)
					strbuf_addstr(&log, "none ");
				else
					strbuf_printf(
					    &log, "0.%03u ", next_random(1000));
				if (k % 2 == 0)
					strbuf_printf(&log, "0.%03u\n",
					    next_random(1000));
				else
					strbuf_printf(&log, "1.5e-%02u\n",
					    next_random(40));
				if (next_random(40) == 0)
					strbuf_addstr(&log, "a note\n");
			}
			put_file("log", log.buf, log.len);
			strbuf_release(&log);
			check_ways(s, &own.set, steps[i]);
		}
		CHECK(s->n_known >= 4);
		scanner_free(s);
		own_release(&own);
	}
}

static const struct tap_test tests[] = {
	TEST(test_formats),
	TEST(test_kinds),
};

int
main(void)
{
	return scanning_main("test_sample_run", tests, N_TESTS(tests));
}
