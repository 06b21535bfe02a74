/* Files like those before are read as if none had been before. */
#include <config.h>

#include "extract/scan/known_file.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "common/strbuf.h"
#include "extract/scan/detect/digit_mask.h"
#include "tests/unit/scanning.h"

static size_t n_known, n_read; /* files, so far */

static unsigned
next_random(unsigned below)
{
	static unsigned state = 1;

	state = state * 1103515245 + 12345;
	return (state >> 16) % below;
}

static size_t
different_details(const struct log *a, const struct log *b)
{
	struct detail_store_reader p = detail_store_read(&a->details);
	struct detail_store_reader q = detail_store_read(&b->details);
	struct log_detail x, y;
	size_t n = a->details.n != b->details.n;

	while (n == 0 && next_detail(&p, &x) && next_detail(&q, &y))
		n += memcmp(&x.value, &y.value, sizeof x.value) != 0 ||
		    strcmp(x.key, y.key) != 0 || x.line != y.line ||
		    x.sample != y.sample;
	return n;
}

static const char *
text_of(const char *s)
{
	return s != NULL ? s : "";
}

/* Scan scratch_path by s, and by a scanner that has read nothing. */
static void
check_like_fresh(struct scanner *s, const struct format_set *set,
    const struct scan_options *options, const char *what)
{
	const int64_t known = s->n_known;
	struct log a, b;
	size_t n;

	CHECK_INT(scanner_scan(s, scratch_path, "shown", &a), 0);
	scan_with(set, options, &b);
	n = log_differences(&a, &b) + tail_differences(&a, &b) +
	    different_details(&a, &b);
	if (n > 0)
		printf("# %s\n", what);
	CHECK_INT(n, 0);
	CHECK(a.runner_up == b.runner_up);
	CHECK_STR(text_of(a.other_name), text_of(b.other_name));
	CHECK_INT(a.other_steps, b.other_steps);
	CHECK_INT(a.other_line, b.other_line);
	CHECK_INT(a.detection_cut, b.detection_cut);
	CHECK_INT(a.long_start, b.long_start);
	n_known += s->n_known > known;
	n_read++;
	log_release(&a);
	log_release(&b);
}

/* A line of a sample with other free digits.
 *
 * odd  1: now and then with others, with bytes that need to be looked at, with
 *      an end of some other kind */
static void
add_variant(struct strbuf *sb, const struct format_sample *x, int odd)
{
	const int names_too = odd && next_random(20) == 0;
	unsigned char most[4096];
	char masked[4096];

	assert(x->len <= sizeof most);
	digit_mask_places(x->text, x->len, masked, most);
	for (size_t i = 0; i < x->len; i++)
		strbuf_addch(sb,
		    (most[i] > 0 ||
			(names_too && isdigit((unsigned char)x->text[i]))) &&
			    next_random(3) > 0
			? (char)('0' + (int)next_random(10))
			: x->text[i]);
	switch (odd ? next_random(9) : 9) {
	case 0:
		strbuf_addstr(sb, " \xc3\xa4\n");
		break;
	case 1:
		strbuf_addstr(sb, " \xff\n");
		break;
	case 2:
		strbuf_addstr(sb, "\r");
		break;
	case 3:
		strbuf_addstr(sb, "\r\n\n");
		break;
	case 4:
		strbuf_addstr(sb, "\nshort\n");
		break;
	default:
		strbuf_addch(sb, '\n');
	}
}

/* Logs of one program after another, some with lines of a second one. */
static void
check_format(const struct format *f, const struct format *other, int details)
{
	const struct scan_options options = { NULL, 1, details, 0 };
	struct scanner *s = scanner_new(&built_in, &options);

	for (int k = 0; k < 14; k++) {
		struct strbuf sb;

		strbuf_init(&sb, 1 << 20);
		for (unsigned n = 0; n < 12 && f->n_samples > 0; n++)
			add_variant(&sb, &f->samples[n % f->n_samples], k > 6);
		if (k % 4 == 3 && other->n_samples > 0)
			for (int n = 0; n < 7; n++)
				add_variant(&sb, &other->samples[0], 0);
		/* A last line without its end, or with half of one. */
		if (k % 5 == 4)
			sb.len--;
		if (k == 12)
			sb.buf[sb.len - 1] = '\r';
		put_file("log", sb.buf, sb.len);
		strbuf_release(&sb);
		check_like_fresh(s, &built_in, &options, f->name);
	}
	scanner_free(s);
}

static void
test_formats(void)
{
	const size_t n = built_in.n_formats;

	CHECK_INT(format_set_ready(&built_in, NULL), 0);
	for (size_t i = 0; i < n; i++)
		for (int details = 0; details < 2; details++)
			check_format(built_in.formats[i],
			    built_in.formats[(i * 7 + 3) % n], details);
	/* Or it would prove little. */
	CHECK(n_known > n_read / 4);
	CHECK(n_known < n_read);
}

static void
scan_text(struct scanner *s, const struct format_set *set, const char *text)
{
	const struct scan_options options = { NULL, 1, 0, 0 };

	put_file("log", text, strlen(text));
	check_like_fresh(s, set, &options, text);
}

/* A log of the same kinds of line, but more of another program's, is that
 * program's. */
static void
test_other_format(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind rate\n"
		"step h ^step of a (?<iter>\\d+) (?<samples_per_s>\\S+)\n"
		"sample step of a 3 5\nexpect h\n",
		"name b\ndescription d\nkind rate\n"
		"step h ^step of b (?<iter>\\d+) (?<samples_per_s>\\S+)\n"
		"sample step of b 3 5\nexpect h\n",
	};
	static const char a[] = "step of a 1 5.25\n", b[] = "step of b 1 5.5\n";
	const struct scan_options options = { NULL, 1, 0, 0 };
	struct scanner *s;
	struct own own;

	own_init(&own, texts, 2);
	s = scanner_new(&own.set, &options);
	for (int k = 0; k < 20; k++) {
		struct strbuf sb;

		strbuf_init(&sb, 1 << 10);
		for (int i = 0; i < 7; i++) {
			strbuf_addstr(&sb, i < k % 8 ? a : b);
			strbuf_addstr(&sb, "nothing else is here\n");
		}
		scan_text(s, &own.set, sb.buf);
		strbuf_release(&sb);
	}
	/* Each follows one of its own format, and has no new line. */
	CHECK(s->n_known > 8);
	CHECK(s->n_known < 19);
	scanner_free(s);
	own_release(&own);
}

/* Values of the end have other places in a log whose lines come in another
 * order, or in which some cannot be read. */
static void
test_other_places(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind rate\n"
		"step h ^step of a (?<iter>\\d+) (?<samples_per_s>\\d+)\n"
		"detail loss ^step of a .* loss (?<loss>\\S+)\n"
		"detail power ^step of a .* power (?<power_w>\\S+)\n"
		"detail mfu ^step of a .* mfu (?<mfu>\\S+)\n"
		"sample step of a 3 5 mfu 5 loss 3 power 2\nexpect h\n"
		"expect loss\nexpect power\nexpect mfu\n",
	};
	/* What stands before and after two numbers. */
	static const char *const lines[][2] = {
		{ "step of a ", " 5 with" },
		{ "step of a ", " 5 and a loss " },
		{ "step of a ", " 5 and a power 3." },
		{ "step of a ", " 5 and mfu 0.5 loss 2." },
		{ "step of a ", " 5 and a loss 1.5e-9" },
	};
	const struct scan_options options = { NULL, 1, 0, 0 };
	struct scanner *s;
	struct own own;

	own_init(&own, texts, 1);
	s = scanner_new(&own.set, &options);
	for (int k = 0; k < 60; k++) {
		struct strbuf sb;

		strbuf_init(&sb, 1 << 10);
		for (int i = 0; i < 30; i++) {
			const char *const *x =
			    lines[i < 2 ? 0 : next_random(5)];

			strbuf_printf(&sb, "%s%u%s%u\n", x[0],
			    1 + next_random(9), x[1], 1 + next_random(9));
		}
		scan_text(s, &own.set, sb.buf);
		strbuf_release(&sb);
	}
	CHECK(s->n_known > 30);
	scanner_free(s);
	own_release(&own);
}

/* Files that are not tried: of too many lines, empty, new again and again. */
static void
test_not_tried(void)
{
	const struct scan_options options = { NULL, 1, 0, 0 };
	struct scanner *s = scanner_new(&built_in, &options);
	struct strbuf sb;
	int64_t known;

	strbuf_init(&sb, 1 << 20);
	strbuf_addstr(&sb, STEP("0", "  1", "0.500") "\n");
	scan_text(s, &built_in, sb.buf);
	scan_text(s, &built_in, sb.buf);
	CHECK_INT(s->n_known, 1);
	for (int i = 0; i < 2047; i++)
		strbuf_addstr(&sb, "a\n");
	scan_text(s, &built_in, sb.buf);
	scan_text(s, &built_in, sb.buf);
	CHECK_INT(s->n_known, 2);
	strbuf_addstr(&sb, "a\n");
	scan_text(s, &built_in, sb.buf);
	CHECK_INT(s->n_known, 2);
	strbuf_release(&sb);
	for (int i = 0; i < 40; i++) {
		char line[80];

		snprintf(line, sizeof line, STEP("0", "  1", "0.5") "\n%c%c\n",
		    'a' + i % 26, 'a' + i / 26);
		scan_text(s, &built_in, line);
	}
	/* Known again, once it is tried again. */
	known = s->n_known;
	for (int i = 0; i < 20; i++)
		scan_text(s, &built_in, STEP("0", "  7", "0.5") "\n");
	CHECK(s->n_known > known + 6);
	CHECK(s->n_known < known + 20);
	scanner_free(s);
}

static const struct tap_test tests[] = {
	TEST(test_formats),
	TEST(test_other_format),
	TEST(test_other_places),
	TEST(test_not_tried),
};

int
main(void)
{
	return scanning_main("test_known_file", tests, N_TESTS(tests));
}
