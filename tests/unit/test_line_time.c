/* Time to read hostile lines. Whatever the bytes of a file, extract_logs takes
 * at most MOST times as long as for a plain log of the same size, with its
 * start included in both. Lines consist of samples of all formats and their
 * beginnings, repeated, concatenated, nested and never closed, or combined at
 * random. LINE_TIME_ALL=1 tries all of them at more sizes,
 * LINE_TIME_ONLY=megatron only samples of that format, LINE_TIME_SEED other
 * random lines. */
#include <config.h>

#include "common/alloc.h"
#include "tests/unit/scanning.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* MOST is a multiple of the time for a plain log, which templates read without
 * patterns. With sanitizers the ratio depends on how many accesses each path
 * checks: the limit only detects time that grows faster than the file. By
 * default one in SHORT_EACH pieces is tried, and COMPOSED random lines. */
#ifdef __SANITIZE_ADDRESS__
enum { MOST = 150, SHORT_EACH = 69, COMPOSED = 12 };
#else
enum { MOST = 20, SHORT_EACH = 23, COMPOSED = 40 };
#endif

enum {
	TRIES = 3,  /* the fastest counts: the machine may be busy */
	ROUNDS = 5, /* for a line that seems slow; each reads the plain log too,
	                   since a busy machine slows both */
	COMPOSED_ALL = 1000
};

static double start_s; /* CPU time of the start and end of extract_logs */

static int all_of_them;
static const char *only_format; /* whose samples are tried; NULL: all */
static size_t n_lines, n_slow;
static size_t line_bytes; /* minimum length of lines; 0: a single line */
static double highest;    /* ratio of a test's lines */
static char highest_line[200];

static double
cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* CPU seconds to read the file at scratch_path. */
static double
read_time(struct scanner *s)
{
	const double start = cpu_now();
	struct log log;

	scanner_scan(s, scratch_path, "shown", &log);
	log_release(&log);
	return cpu_now() - start;
}

static void
put_plain(size_t size)
{
	struct strbuf sb;

	strbuf_init(&sb, size + 4096);
	for (int i = 0; sb.len < size; i++)
		strbuf_printf(&sb,
		    "Epoch: [%d][%3d/5005]\tTime %6.3f ( 0.484)\t"
		    "Data  0.008 ( 0.010)\tLoss 6.9e+00 (7.1e+00)\n",
		    i / 5005, i % 5005, 0.3 + 0.001 * (i % 7));
	put_file("log", sb.buf, sb.len);
	strbuf_release(&sb);
}

/* The same for a plain log of that size, with the start of the program. */
static double
plain_time(struct scanner *s, size_t size)
{
	double best = 1e9;

	put_plain(size);
	for (int i = 0; i < TRIES; i++) {
		const double t = read_time(s);

		best = t < best ? t : best;
	}
	return best + start_s;
}

/* Time of a line relative to a plain log of its size: the median of ROUNDS
 * rounds. Each round reads the plain log at least half as long as the line. */
static double
fair_ratio(struct scanner *s, const struct strbuf *line, size_t size)
{
	double ratios[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		double t, plain = 0;
		int n = 0, at = i;

		put_file("log", line->buf, line->len);
		t = start_s + read_time(s);
		put_plain(size);
		for (; n == 0 || plain < t / 2; n++)
			plain += read_time(s);
		t /= plain / n + start_s;
		for (; at > 0 && ratios[at - 1] > t; at--)
			ratios[at] = ratios[at - 1];
		ratios[at] = t;
	}
	return ratios[ROUNDS / 2];
}

/* CPU time of a run of extract_logs on scratch_path, or 0 if it cannot run. */
static double
run_time(void)
{
	const char *dir = getenv("bindir");
	char program[512], out[sizeof scratch_path + 8];
	struct rusage used;
	int status, null;
	pid_t pid;

	snprintf(program, sizeof program, "%s/extract_logs",
	    dir != NULL ? dir : ".");
	snprintf(out, sizeof out, "%s.json", scratch_path);
	pid = fork();
	if (pid == 0) {
		null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execl(program, program, "-j1", "--nodes=1", "--gpus-per-node=1",
		    "--batch-size-per-device=1", "-o", out, scratch_path,
		    (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid)
		return 0;
	unlink(out);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return 0;
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	    1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* Measure the time of a run apart from reading. */
static void
test_start(void)
{
	const struct scan_options options = { NULL, 1, 0, 0 };
	struct scanner *s = scanner_new(&built_in, &options);
	double least = 1e9, read = 1e9;

	put_plain(64000);
	for (int i = 0; i < 3 * TRIES; i++) {
		double t = run_time();

		CHECK(t > 0);
		least = t < least ? t : least;
		t = read_time(s);
		read = t < read ? t : read;
	}
	start_s = least > read ? least - read : 0;
	printf("# a run's start and end: %.1f ms\n", 1e3 * start_s);
	scanner_free(s);
}

/* Time a file that consists of head, then the piece repeated. */
static void
check_line(struct scanner *s, const char *what, const char *head,
    const char *piece, size_t len, size_t size, double plain)
{
	struct strbuf sb;
	double best = 1e9, ratio;

	strbuf_init(&sb, size + len + 4096);
	strbuf_addstr(&sb, head);
	for (size_t line = 0; sb.len < size;) {
		strbuf_add(&sb, piece, len);
		if (line_bytes > 0 && sb.len / line_bytes > line)
			strbuf_printf(&sb, "\n%zu %s", line++, head);
	}
	put_file("log", sb.buf, sb.len);
	for (int i = 0; i < TRIES && best > MOST * plain; i++) {
		const double t = start_s + read_time(s);

		best = t < best ? t : best;
		if (best > 200 * plain)
			break;
	}
	n_lines++;
	ratio = best / plain;
	if (ratio > MOST) {
		if (ratio <= 200)
			ratio = fair_ratio(s, &sb, size);
		n_slow += ratio > MOST;
		printf("# %s, %zu kB of '%.60s', lines of %zu: %.0f ms, "
		       "%.1f times\n",
		    what, size / 1000, piece, line_bytes, 1e3 * best, ratio);
	}
	if (ratio > highest) {
		highest = ratio;
		snprintf(highest_line, sizeof highest_line,
		    "%.30s, %zu kB of '%.60s', lines of %zu", what, size / 1000,
		    piece, line_bytes);
	}
	strbuf_release(&sb);
}

/* Check the lines so far, and start anew. */
static void
conclude(void)
{
	printf("# %zu lines; %.1f times at most: %s\n", n_lines, highest,
	    highest_line);
	CHECK_INT(n_slow, 0);
	highest = 0;
	n_slow = 0;
}

/* Time a sample of a format, whole and cut short. */
static void
check_sample(struct scanner *s, const struct format *f,
    const struct format_sample *x, size_t size, double plain)
{
	/* Beginnings end after words, numbers, brackets. */
	const char *const ends = " :([{=,0123456789";
	size_t step = 1 + x->len / 8;

	check_line(s, f->name, "", x->text, x->len, size, plain);
	for (size_t i = 1; i < x->len; i++) {
		if (strchr(ends, x->text[i - 1]) == NULL)
			continue;
		check_line(s, f->name, "", x->text, i, size, plain);
		i += step;
	}
}

static void
check_size(struct scanner *s, size_t size)
{
	const double plain = plain_time(s, size);
	size_t n = 0;

	for (size_t i = 0; i < built_in.formats.n; i++) {
		const struct format *f = built_in.formats.items[i];

		if (only_format != NULL && strcmp(f->name, only_format) != 0)
			continue;
		for (size_t j = 0; j < f->n_samples; j++)
			if (all_of_them || n++ % SHORT_EACH == 0)
				check_sample(s, f, &f->samples[j], size, plain);
	}
}

static void
test_samples(void)
{
	struct scan_options options = { NULL, 1, 0, 0 };
	struct scanner *s = scanner_new(&built_in, &options);

	check_size(s, 64000);
	if (all_of_them)
		check_size(s, 1000000);
	conclude();
	scanner_free(s);
}

/* --- Lines put together at random ------------------------------------------*/

/* A number below n. */
static size_t
random_below(size_t n)
{
	return (size_t)(random_uniform() * (double)n);
}

static const struct format_sample *
random_sample(void)
{
	for (;;) {
		const struct format *f =
		    built_in.formats.items[random_below(built_in.formats.n)];

		if (f->n_samples > 0)
			return &f->samples[random_below(f->n_samples)];
	}
}

/* Add a sample, its beginning, its end, a part of it, or a short token. */
static void
add_random_part(struct strbuf *sb)
{
	static const char *const signs[] = { "{", "[", "\"", "{\"a\":", "}",
		"]", "'", "\\", "(", " ", "\t", "0", "1.5e", "=", ":", ",", "|",
		"\r" };
	const struct format_sample *x = random_sample();
	const size_t at = random_below(x->len),
		     n = 1 + random_below(x->len - at);

	switch (random_below(6)) {
	case 0:
		strbuf_add(sb, x->text, x->len);
		break;
	case 1:
	case 2:
		strbuf_add(sb, x->text, at + 1);
		break;
	case 3:
		strbuf_add(sb, x->text + at, x->len - at);
		break;
	case 4:
		strbuf_add(sb, x->text + at, n);
		break;
	default:
		strbuf_addstr(
		    sb, signs[random_below(sizeof signs / sizeof *signs)]);
	}
}

/* A few parts, repeated after up to two that occur once, in one line or in
 * lines of a random length. */
static void
check_composed(struct scanner *s, size_t size, double plain)
{
	struct strbuf head, piece;

	strbuf_init(&head, 1 << 22);
	strbuf_init(&piece, 1 << 22);
	for (size_t i = random_below(3); i > 0; i--)
		add_random_part(&head);
	for (size_t i = 1 + random_below(4); i > 0; i--)
		add_random_part(&piece);
	line_bytes = random_below(3) == 0
	    ? 1 + random_below((size_t)8 << random_below(11))
	    : 0;
	check_line(s, "composed", head.buf, piece.buf, piece.len, size, plain);
	line_bytes = 0;
	strbuf_release(&head);
	strbuf_release(&piece);
}

static void
test_composed(void)
{
	const size_t sizes[] = { 64000, 256000, 1000000, 4000000 };
	const char *seed = getenv("LINE_TIME_SEED");
	struct scan_options options = { NULL, 1, 0, 0 };
	struct scanner *s = scanner_new(&built_in, &options);
	const size_t rounds = all_of_them ? COMPOSED_ALL : COMPOSED;

	random_state += seed != NULL ? 2 * strtoull(seed, NULL, 10) : 0;
	for (size_t i = 0; i < (all_of_them ? 4 : 3); i++) {
		const double plain = plain_time(s, sizes[i]);

		for (size_t k = 0; k < rounds / (i + 1); k++)
			check_composed(s, sizes[i], plain);
	}
	conclude();
	scanner_free(s);
}

/* Known slow lines, at sizes where their time matters. */
static void
test_known(void)
{
	static const struct {
		const char *head, *piece;
	} cases[] = {
		{ "", "{\"a\":" },
		{ "", "{" },
		{ "", "[" },
		{ "", "{\"a\": [" },
		{ "", "{'a': 1, " },
		{ "", "{\"time\": 1, \"mode\": \"train\", \"iter\": " },
		{ "", "\"" },
		{ "{", "\"a\": 1, " },
		{ "", "\\\"" },
		{ "", "{\"iteration\": 7, \"time/step\": \"812.5\"}" },
		{ "",
		    "[batch=40/50]: Train loss/train/total: 0.3505  "
		    "throughput/to" },
		{ "", ":::MLLOG {" },
		{ "", ":::MLLOG {\"key\": \"epoch_start\", " },
		{ "", "Epoch: [0][  1/100]" },
		{ "", "Epoch: [0][  1/100]\tTime  0.5 ( 0.4)\t" },
		{ "",
		    "DLL 2020-06-30 21:03:08 - Iteration: 1 loss Evaluation: "
		    " [ 10/391] " },
		{ "", "[1,0]<stdout>:" },
		{ "", "0: " },
		{ "", "1" },
		{ "", " " },
		{ "", "1 " },
		{ "", "1," },
		{ "", "a=" },
		{ "", "it/s" },
		{ "", "100%|#| 1/1 [00:01<00:00, 1.0it/s]" },
		{ "step,", "loss,time," },
		/* Each first part combines with each second part ... */
		{ "",
		    "DLLL {DLLL {DLLL {DLLL {DLLL {DLLL {DLLL {DLLL {DLLL {"
		    "\"datetime\": \"2020-01-01 10:11:12\""
		    "\"datetime\": \"2020-01-01 10:11:12\""
		    "\"step\": [1, 2], \"data\": {\"step\": [1, 2], \"data\": {"
		    "\"average_los\": \"average_loss\"; " },
		{ "",
		    "1111111111111111111111111111111111111111111111111111111"
		    "1111111111111111111111111111111111111111111111111111/" },
		{ "",
		    "DLL 2020-02-11 12:00:07.000111 - () "
		    "best_train_throughput : " },
		/* An object that matches, then one that is never closed. */
		{ "",
		    "{\"iteration\": 19, \"time\": 0.3321, "
		    "\"total_loss\": 2.115}{\"a\":" },
		/* Short lines of one kind that many formats try. */
		{ "", "atch{\"a\":\r" },
		/* Each record looks ahead for text that no record holds. */
		{ "",
		    "2021-01-19 07:02:44 [INFO]\t[TRAIN] epoch=1, iter=10/100, "
		    "loss=2.2684, lr=0.009286, batch_cost=0.62" },
		{ "",
		    "DLL 2020-02-11 12:00:07.000111 - () "
		    "best_train_throughput : 7.31e+07 best_epoch" },
	};
	struct scan_options options = { NULL, 1, 0, 0 };
	struct scanner *s = scanner_new(&built_in, &options);
	const size_t sizes[] = { 64000, 256000, 2000000, 4000000 };
	const size_t lines[] = { 0, 4000, 1000, 1 };

	for (size_t i = 0; i < (all_of_them ? 4 : 3); i++) {
		const double plain = plain_time(s, sizes[i]);

		printf("# %zu kB of a plain log: %.1f ms\n", sizes[i] / 1000,
		    1e3 * plain);

		for (size_t j = 0; j < sizeof cases / sizeof cases[0]; j++) {
			const size_t len = strlen(cases[j].piece);

			for (size_t k = 0; k < 4; k++) {
				line_bytes = lines[k];
				check_line(s, "known", cases[j].head,
				    cases[j].piece, len, sizes[i], plain);
			}
			line_bytes = 0;
		}
	}
	conclude();
	scanner_free(s);
}

/* The limits lose no match of a line that programs could print: all steps on
 * one line of 2 MB are found, wherever windows end, and objects of 60 kB too.
 * If a limit takes effect, the log records the line. */
static void
test_nothing_lost(void)
{
	struct strbuf sb;
	struct log log;
	char text[64];

	strbuf_init(&sb, 1 << 22);
	for (int i = 0; i < 10000; i++) {
		snprintf(text, sizeof text,
		    "Epoch: [0][%d/10000]\tTime %d.25 ( 0.5)\t", i, i % 9);
		strbuf_addstr(&sb, text);
		strbuf_addchars(&sb, '-', (size_t)(i * 7 % 90));
		if (i % 20 == 0) /* windows without a step */
			strbuf_addchars(&sb, '-', (size_t)(i * 31 % 6000));
	}
	scan_bytes(sb.buf, sb.len, &log);
	CHECK_INT(log.samples.n, 10000);
	for (size_t i = 0; i < log.samples.n; i++) {
		const struct sample x = log.samples.items[i];

		CHECK_INT(x.iter, (long)i);
		CHECK_NEAR(x.value, (double)(i % 9) + 0.25, 1e-12);
	}
	CHECK_INT(log.n_match_limit, 0);
	log_release(&log);

	strbuf_reset(&sb);
	for (int i = 0; i < 10; i++) {
		strbuf_printf(&sb,
		    "{\"mode\": \"train\", \"epoch\": 1, "
		    "\"iter\": %d, \"lr\": 0.1, \"pad\": [",
		    i);
		for (int j = 0; j < 5000; j++)
			strbuf_printf(&sb, "{\"a\": %d}, ", j);
		strbuf_addstr(&sb, "0], \"data_time\": 0.1, \"time\": 0.5}\n");
	}
	scan_bytes(sb.buf, sb.len, &log);
	CHECK_INT(log.samples.n, 10);
	CHECK_INT(log.n_match_limit, 0);
	log_release(&log);
	for (int j = 0; j < 50000; j++)
		strbuf_addstr(&sb, "{\"mode\": \"train\", \"a\":");
	/* Without these keys no object is searched for. */
	strbuf_addstr(&sb, " \"iter\": \"time\": \"epoch\":");
	scan_bytes(sb.buf, sb.len, &log);
	CHECK_INT(log.samples.n, 10);
	CHECK_INT(log.match_limit_line, 11);
	log_release(&log);
	strbuf_release(&sb);
}

static const struct tap_test tests[] = {
	TEST(test_nothing_lost),
	TEST(test_start),
	TEST(test_known),
	TEST(test_samples),
	TEST(test_composed),
};

int
main(void)
{
	all_of_them = getenv("LINE_TIME_ALL") != NULL;
	only_format = getenv("LINE_TIME_ONLY");
	return scanning_main("test_line_time", tests, N_TESTS(tests));
}
