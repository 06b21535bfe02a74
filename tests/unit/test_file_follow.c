/* One scanner that goes from one growing log to another and back. */
#include <config.h>

#include "extract/scan/file_follow.h"

#include <stdlib.h>

#include "common/strbuf.h"
#include "tests/unit/scanning.h"

enum { TIMES = 9 }; /* the samples of a format in its log */

/* Where the lines of a format's samples end when they stand there TIMES. */
static void
write_samples(struct strbuf *sb, const struct format *f, int times)
{
	strbuf_reset(sb);
	for (int k = 0; k < times; k++)
		for (size_t j = 0; j < f->n_samples; j++) {
			strbuf_add(sb, f->samples[j].text, f->samples[j].len);
			strbuf_addstr(sb, "\n");
		}
}

/* Leave the first len bytes of the log in its file and go on with it. */
static void
go_on(struct file_follow *all, struct scanner *s, const char *name,
    const struct strbuf *sb, size_t len, const struct format *f,
    struct log *log)
{
	put_file(name, sb->buf, len);
	scanner_force(s, f);
	if (file_follow_scan(all, s, scratch_path, 0, f->name, 1, log) != 0)
		printf("# %s\n", log->problem.message);
	CHECK_STR(log->problem.message, "");
}

static void
check_whole(
    const char *name, const struct format *f, const struct log *followed)
{
	const struct scan_options options = { f, 1, 0, 0 };
	struct log whole;

	snprintf(
	    scratch_path, sizeof scratch_path, "%s/%s", scratch_folder, name);
	scan_with(&built_in, &options, &whole);
	if (log_differences(&whole, followed) != 0)
		printf("# %s\n", f->name);
	CHECK_INT(log_differences(&whole, followed), 0);
	log_release(&whole);
}

/* Two logs in turn, cut in the midst of lines.  Nothing is read again: neither
 * becomes twice as long, and none is said to end. */
static void
check_pair(const struct format *f, const struct format *g)
{
	const struct scan_options options = { NULL, 1, 0, 0 };
	struct scanner *s = scanner_new(&built_in, &options);
	struct file_follow *all = file_follow_new();
	struct strbuf a, b;
	struct log log;

	strbuf_init(&a, 1 << 24);
	strbuf_init(&b, 1 << 24);
	write_samples(&a, f, TIMES);
	write_samples(&b, g, TIMES);
	for (size_t k = 6; k < 10; k++) {
		go_on(all, s, "own", &a, k * a.len / 10, f, &log);
		log_release(&log);
		go_on(all, s, "log", &b, k * b.len / 10, g, &log);
		log_release(&log);
	}
	go_on(all, s, "own", &a, a.len, f, &log);
	check_whole("own", f, &log);
	log_release(&log);
	go_on(all, s, "log", &b, b.len, g, &log);
	check_whole("log", g, &log);
	log_release(&log);
	file_follow_sweep(all);
	file_follow_free(all);
	scanner_free(s);
	strbuf_release(&a);
	strbuf_release(&b);
}

/* What a log left with the scanner (contexts, pairs, workers, times) is there
 * again when it goes on, and nothing of the log between. */
static void
test_swap(void)
{
	const size_t n = built_in.n_formats;

	CHECK(n > 100);
	for (size_t i = 0; i < n; i++) {
		const struct format *f = built_in.formats[i];

		check_pair(f, built_in.formats[(i + 1) % n]);
		check_pair(f, f);
	}
}

/* A log of that many bytes of which a step stands in every 500th line: too
 * few to be sure of its format. */
static void
write_sparse(struct strbuf *sb, size_t len)
{
	strbuf_reset(sb);
	for (int i = 0; sb->len < len; i++)
		strbuf_addstr(sb,
		    i % 500 == 0 ? STEP("0", "1", "0.5") "\n"
				 : "another line of 32 bytes, noise\n");
	sb->len = len;
}

/* Bytes that are read of a log of that many bytes at first, then. */
static long long
bytes_when_it_grows(size_t first, size_t then)
{
	const struct scan_options options = { NULL, 1, 0, 0 };
	struct scanner *s = scanner_new(&built_in, &options);
	struct file_follow *all = file_follow_new();
	const size_t len[] = { first, then };
	long long read[2];
	struct strbuf sb;
	struct log log;

	strbuf_init(&sb, 1 << 24);
	for (int k = 0; k < 2; k++) {
		write_sparse(&sb, len[k]);
		put_file("sparse", sb.buf, len[k]);
		CHECK_INT(file_follow_scan(
			      all, s, scratch_path, 0, "sparse", 1, &log),
		    0);
		CHECK_STR(log.problem.message, "");
		CHECK(log.format != NULL && log.samples.n > 0);
		read[k] = file_follow_bytes(all);
		log_release(&log);
	}
	file_follow_sweep(all);
	file_follow_free(all);
	scanner_free(s);
	strbuf_release(&sb);
	return read[1] - read[0];
}

/* While its format is in doubt, a log is read again from its start when it
 * becomes as long as what formats are looked for in, and twice as long as it
 * was then; otherwise what was appended is read, and the mark before it. */
static void
test_looked_at_again(void)
{
	const size_t head = SCAN_HEAD_BYTES, little = 1024;

	CHECK(bytes_when_it_grows(head - 1, head) >= (long long)head);
	CHECK(bytes_when_it_grows(head - 1, head + 1) >= (long long)head);
	CHECK(bytes_when_it_grows(head, head + 1) <= (long long)little);
	CHECK(bytes_when_it_grows(head - 2, head - 1) <= (long long)little);
	CHECK(bytes_when_it_grows(head, 2 * head - 1) <=
	    (long long)(head + little));
	CHECK(bytes_when_it_grows(head, 2 * head) >= (long long)(2 * head));
}

static const struct tap_test tests[] = {
	TEST(test_swap),
	TEST(test_looked_at_again),
};

int
main(void)
{
	return scanning_main("test_file_follow", tests, N_TESTS(tests));
}
