/* One large file shared out to threads gives what one thread gives. */
#include <config.h>

#include "extract/scan/scanner_state.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "tests/unit/scanning.h"

static size_t n_files, n_shared; /* that were compared; that were shared out */

/* Scan a file with so many threads.  Returns 1 if it was shared out. */
static int
scan_shared(const struct format_set *set, const char *path,
    const struct format *forced, const struct scan_parts *parts,
    struct log *log)
{
	const struct scan_options options = { forced, 0, 0, 0 };
	struct scanner *s = scanner_new(set, &options);
	int helped;

	scanner_share(s, parts);
	scanner_scan(s, path, "shown", log);
	helped = s->n_helpers == parts->threads;
	scanner_free(s);
	return helped;
}

static void
check_set(
    const struct format_set *set, const char *path, const struct format *forced)
{
	static const struct scan_parts one = { 1, 1000, 400 };
	static const struct scan_parts ways[] = { { 2, 64, 400 },
		{ 3, 301, 400 }, { 4, 1000, 400 } };
	struct log want, got;

	scan_shared(set, path, forced, &one, &want);
	n_files++;
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		n_shared += scan_shared(set, path, forced, &ways[i], &got) != 0;
		if (log_differences(&want, &got) != 0)
			printf(
			    "# %s with %zu threads\n", path, ways[i].threads);
		CHECK_INT(log_differences(&want, &got), 0);
		log_release(&got);
	}
	log_release(&want);
}

static void
check_file(const char *path, const struct format *forced)
{
	check_set(&built_in, path, forced);
}

/* The samples of each format, so often that there are parts of them. */
static void
test_formats(void)
{
	for (size_t i = 0; i < built_in.n_formats; i++) {
		const struct format *f = built_in.formats[i];
		char *text;
		size_t len = 0, at = 0;

		CHECK_INT(format_ready(f), 0);
		for (size_t j = 0; j < f->n_samples; j++)
			len += f->samples[j].len + 1;
		text = xcalloc(len + 1, 20);
		for (int k = 0; k < 20; k++)
			for (size_t j = 0; j < f->n_samples; j++) {
				memcpy(text + at, f->samples[j].text,
				    f->samples[j].len);
				at += f->samples[j].len;
				text[at++] = j % 11 == 7 ? '\r' : '\n';
			}
		put_file("log", text, at);
		free(text);
		check_file(scratch_path, f);
		check_file(scratch_path, NULL);
	}
	CHECK(n_shared > n_files);
}

/* What is odd at the seams. */
static void
test_seams(void)
{
	static const char *const lines[] = { STEP("0", "1", "0.5") "\n", "\n",
		"\n\n\n", "\r\n", STEP("0", "2", "0.25") "\r\n",
		"\033[1m" STEP("0", "3", "0.125") "\033[0m\n",
		"\xff\xfe not text\n", STEP("0", "4", "nan") "\n",
		"a line that is longer than some parts are, and in which there "
		"is nothing that anyone would want to know of it\n",
		"bar 1\rbar 2\rbar 3\r", STEP("1", "5", "0.75") "\n" };
	enum { N = sizeof lines / sizeof *lines };
	char text[60000];
	unsigned state = 1;

	for (int k = 0; k < 40; k++) {
		size_t at = 0;

		n_shared = 0;
		while (at + 300 < sizeof text / (size_t)(k % 4 + 1)) {
			const char *line;

			state = state * 1103515245 + 12345;
			line = lines[(state >> 16) % N];
			if (at < 600)
				line = lines[0]; /* finds the format */
			memcpy(text + at, line, strlen(line));
			at += strlen(line);
		}
		text[at / 2] = '\0';
		at -= (size_t)(k % 3);
		put_file("log", text, at);
		check_file(scratch_path, NULL);
		CHECK(n_shared > 0);
	}
}

#define WORKER "(RayTrainWorker pid=9, ip=10.0.0.1) "

/* A line that no part can read without those before it, in the last part. */
static void
test_dependent_parts(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind rate\n"
		"step h r (?<samples_per_s>\\d+) (?:\\w+\\s?)+$\n"
		"sample r 2 x\nexpect h\n",
		"name b\ndescription d\nkind rate\n"
		"metadata f ^uses (?<model>\\S+)\n"
		"step h ^n (?<samples_per_s>\\d+)$\n"
		"collective c ^got (?<message_bytes>\\d+) (?<message_us>\\d+)\n"
		"sample n 2\nexpect h\n"
		"sample uses it\nexpect f\n"
		"sample got 4 5\nexpect c\n",
	};
	static const struct {
		const char *usual, *odd;
	} cases[] = {
		{ "r 1 aaa\n", /* gives up */
		    "r 2 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-\n" },
		{ "n 7\n", "uses another\n" },
		{ "n 7\n", "got 1024 10\n" },
		{ "n 7\n", WORKER "n 8\n" },
	};
	struct own own;

	own_init(&own, texts, 2);
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const char *other = NULL;
		struct strbuf sb;

		strbuf_init(&sb, 1 << 16);
		/* Another rank than that of the line far below. */
		if (strncmp(cases[k].odd, WORKER, strlen(WORKER)) == 0)
			other = "(RayTrainWorker pid=4) n 9\n";
		for (; sb.len < 4000; strbuf_addstr(&sb, cases[k].usual))
			if (sb.len > 1500 && other != NULL) {
				strbuf_addstr(&sb, other);
				other = NULL;
			}
		strbuf_addstr(&sb, cases[k].odd);
		strbuf_addstr(&sb, cases[k].usual);
		put_file("own", sb.buf, sb.len);
		strbuf_release(&sb);
		n_shared = 0;
		check_set(&own.set, scratch_path, NULL);
		if (n_shared != 3)
			printf("# %s", cases[k].odd);
		CHECK_INT(n_shared, 3);
	}
	own_release(&own);
}

/* Of trials each part has a best one, with its line: the best of these is that
 * of the log. */
static void
test_trials(void)
{
	static const char *const texts[] = {
		"name a\ndescription d\nkind rate\ntrials yes\nrule summary\n"
		"step h ^try (?<iter>\\d+) gives (?<samples_per_s>\\d+)$\n"
		"sample try 1 gives 5\nexpect h\n"
	};
	static const struct scan_parts parts = { 2, 4000, 400 };
	const struct log_summary *best;
	struct own own;
	struct strbuf sb;
	struct log log;

	own_init(&own, texts, 1);
	strbuf_init(&sb, 1 << 20);
	for (int i = 1; i <= 2000; i++)
		strbuf_printf(&sb, "try %d gives %d\n", i,
		    i == 1234 ? 5000 : i * 37 % 1000);
	put_file("own", sb.buf, sb.len);
	strbuf_release(&sb);
	CHECK(scan_shared(&own.set, scratch_path, NULL, &parts, &log));
	CHECK_INT(log.samples.n, 2000);
	CHECK(log.n_summaries > 3);
	best = &log.summaries[0];
	for (size_t i = 0; i < log.n_summaries; i++) {
		const struct log_summary *x = &log.summaries[i];
		char text[64];

		snprintf(text, sizeof text, "try %d gives %d", (int)x->line,
		    (int)x->value);
		CHECK_STR(x->text, text);
		if (x->value > best->value)
			best = x;
	}
	CHECK_INT(best->line, 1234);
	CHECK_NEAR(best->value, 5000, 0);
	log_release(&log);
	own_release(&own);
}

/* A file that has become shorter since it was opened is for one thread, which
 * reports it. */
static void
test_cut_parts(void)
{
	enum { LINES = 8000 };
	const struct scan_parts parts = { 2, 4000, 400 };
	const struct scan_options options = {
		format_find(&built_in, "pytorch-imagenet"), 1, 0, 0
	};
	struct strbuf sb;

	strbuf_init(&sb, 1 << 21);
	for (int i = 0; i < LINES; i++)
		strbuf_printf(&sb, STEP("0", "%3d", "0.5") "\n", i % 130);
	for (int cut = 0; cut < 2; cut++) {
		struct scanner *s = scanner_new(&built_in, &options);
		struct error e = ERROR_INIT;
		struct line_walker w;
		size_t at = 0;
		struct detection head;
		struct log log;

		put_file("log", sb.buf, sb.len);
		scanner_share(s, &parts);
		scanner_begin_log(s, scratch_path, "shown", &log);
		CHECK_INT(byte_source_open(&s->reader, scratch_path, 1, &e), 0);
		CHECK_INT(scanner_find_format(s, &head, &e), 0);
		scanner_set_format(s);
		CHECK(scanner_parts_allowed(s));
		if (cut)
			CHECK_INT(truncate(scratch_path, 16384), 0);
		line_walker_init(&w, SCAN_MAX_LINE);
		CHECK_INT(scanner_scan_parts(s, &w, &at, &e), !cut);
		if (!cut)
			CHECK_INT(log.samples.n, LINES);
		else /* its start only */
			CHECK(log.samples.n < LINES / 2);
		CHECK_INT(log.lines, cut ? 0 : LINES);
		byte_source_close(&s->reader);
		log_release(&log);
		scanner_free(s);
	}
	strbuf_release(&sb);
}

/* Lines so short that metadata are still looked for where the first part has
 * begun: one thread goes on. */
static void
test_short_lines(void)
{
	struct strbuf sb;

	strbuf_init(&sb, 1 << 16);
	strbuf_addstr(&sb, STEP("0", "1", "0.5") "\n");
	for (int i = 0; i < 2000; i++)
		strbuf_addstr(&sb, "\n");
	strbuf_addstr(&sb, "=> creating model 'resnet18'\n");
	while (sb.len < 9000)
		strbuf_addstr(&sb, STEP("0", "2", "0.25") "\n");
	put_file("log", sb.buf, sb.len);
	strbuf_release(&sb);
	n_shared = 0;
	check_file(scratch_path, NULL);
	CHECK_INT(n_shared, 3);
}

/* The start of the file reaches beyond what is read of it at first, so that
 * its thread puts more into the hash while others scan; and what was read for
 * the start, so in the hash, reaches beyond the first of the parts. */
static void
test_late_start(void)
{
	static const struct scan_parts one = { 1, 1000, 300000 };
	static const struct scan_parts ways[] = { { 2, 1000, 300000 },
		{ 3, 20000, 300000 }, { 2, 300000, 1 }, { 4, 2000, 100 },
		{ 8, 300, 100 } };
	struct log want, got;
	struct strbuf sb;
	unsigned state = 7;

	strbuf_init(&sb, 1 << 21);
	for (int i = 0; sb.len < 1000000; i++) {
		state = state * 1103515245 + 12345;
		strbuf_printf(&sb, STEP("0", "%3d", "0.%u") "\n", i % 130,
		    (state >> 16) % 900 + 100);
	}
	put_file("log", sb.buf, sb.len);
	strbuf_release(&sb);
	scan_shared(&built_in, scratch_path, NULL, &one, &want);
	CHECK(want.hash[0] != '\0');
	for (size_t i = 0; i < 10 * (sizeof ways / sizeof *ways); i++) {
		CHECK(scan_shared(
		    &built_in, scratch_path, NULL, &ways[i / 10], &got));
		CHECK_INT(log_differences(&want, &got), 0);
		CHECK_STR(got.hash, want.hash);
		log_release(&got);
	}
	log_release(&want);
}

static void
check_folder(const char *path, int depth)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL) {
		char *inner;
		struct stat st;

		if (entry->d_name[0] == '.')
			continue;
		inner = xasprintf("%s/%s", path, entry->d_name);
		if (stat(inner, &st) == 0 && S_ISDIR(st.st_mode) && depth < 8)
			check_folder(inner, depth + 1);
		else if (stat(inner, &st) == 0 && S_ISREG(st.st_mode) &&
		    st.st_size < 300000)
			check_file(inner, NULL);
		free(inner);
	}
	closedir(dir);
}

static void
test_shipped_logs(void)
{
	const char *top = getenv("top_srcdir");
	char *path = xasprintf("%s/logs", top != NULL ? top : ".");

	n_files = n_shared = 0;
	check_folder(path, 0);
	free(path);
	CHECK(n_files > 10);
	CHECK(n_shared > 10);
}

static void
test_corpus(void)
{
	const char *top = getenv("top_srcdir"), *env = getenv("DLSCALE_CORPUS");
	char *path = env != NULL
	    ? xstrdup(env)
	    : xasprintf("%s/../shared/corpus", top != NULL ? top : ".");

	n_files = n_shared = 0;
	check_folder(path, 0);
	free(path);
	if (n_files == 0)
		SKIP("no corpus");
	printf("# %zu files, %zu times shared out\n", n_files, n_shared);
	CHECK(n_shared > 100);
}

/* Samples that were joined stand where they would have stood: after parts of
 * one length, and where one has most of them, first, last or between. */
static void
test_join(void)
{
	static const size_t sizes[] = { 0, 1, 63, 64, 65, 0, 200, 1, 9000, 2, 3,
		1, 70, 1, 1, 130, 1, 1, 1, 64, 1, 1, 2, 1, 5000, 5000, 5000 };
	struct sample_store want = SAMPLE_STORE_INIT, got = SAMPLE_STORE_INIT;
	int64_t line = 0;

	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		struct sample_store more = SAMPLE_STORE_INIT;

		for (size_t i = 0; i < sizes[k]; i++) {
			struct sample x = { 0.001 * (double)i, NAN,
				(int64_t)i + 1, (int32_t)k, (int32_t)i,
				SAMPLE_NONE, 500, SAMPLE_NONE, NAN };

			sample_store_add(&more, &x);
			x.line += line;
			sample_store_add(&want, &x);
		}
		sample_store_join(&got, &more, line);
		CHECK_INT(more.n, 0);
		line += (int64_t)sizes[k];
	}
	CHECK_INT(got.n, want.n);
	for (size_t i = 0; i < got.n; i++)
		CHECK(samples_equal(&want.items[i], &got.items[i]));
	sample_store_release(&got);
	sample_store_release(&want);
}

static const struct tap_test tests[] = {
	TEST(test_join),
	TEST(test_formats),
	TEST(test_seams),
	TEST(test_dependent_parts),
	TEST(test_trials),
	TEST(test_cut_parts),
	TEST(test_short_lines),
	TEST(test_late_start),
	TEST(test_shipped_logs),
	TEST(test_corpus),
};

int
main(void)
{
	return scanning_main(
	    "test_scan_parallel", tests, sizeof tests / sizeof *tests);
}
