/* Logs that grow are read again when their files have changed. */
#include <config.h>

#include "extract/scan/scan_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/unit/scanning.h"

#define LINE STEP("0", "1", "0.500") "\n"

struct followed {
	struct file_follow *all;
	struct scanner *scanner;
};

/* Scan scratch_path. Returns the number of samples; *read: if it was read. */
static size_t
look(struct followed *f, int *read)
{
	const int64_t before = f->all->bytes;
	struct log log;
	size_t n;

	CHECK_INT(file_follow_scan(
		      f->all, f->scanner, scratch_path, 0, "shown", &log),
	    0);
	CHECK_STR(log.problem.message, "");
	n = log.samples.n;
	*read = f->all->bytes > before;
	log_release(&log);
	return n;
}

/* Write text to the file with this modification time. */
static void
put_at(const char *text, long time)
{
	const struct timespec times[2] = { { time, 0 }, { time, 0 } };

	put_file("own", text, strlen(text));
	CHECK_INT(utimensat(AT_FDCWD, scratch_path, times, 0), 0);
}

static void
test_changes(void)
{
	const struct scan_options options = { NULL, 1, 0, 0 };
	struct followed f = { file_follow_new(),
		scanner_new(&built_in, &options) };
	int read;

	put_at(LINE LINE "Epoch: [0][ 3/130]\tTime", 1000);
	CHECK_INT(look(&f, &read), 2);
	CHECK(read);
	CHECK_INT(look(&f, &read), 2);
	CHECK(!read);
	/* The file grows by the rest of a line and an unterminated line. */
	put_at(LINE LINE LINE STEP("0", "4", "0.500"), 1000);
	CHECK_INT(look(&f, &read), 3);
	CHECK(read);
	/* Other contents with a new modification time. */
	put_at("x\n" LINE LINE STEP("0", "4", "0.5"), 1001);
	put_at("x\n" LINE LINE STEP("0", "4", "0.5"), 1002);
	CHECK_INT(look(&f, &read), 2);
	CHECK(read);
	/* A file is kept over one sweep after a look, but not over two. */
	file_follow_sweep(f.all);
	CHECK_INT(look(&f, &read), 2);
	CHECK(!read);
	file_follow_sweep(f.all);
	file_follow_sweep(f.all);
	CHECK_INT(look(&f, &read), 2);
	CHECK(read);
	/* The last look also reads the unterminated line. */
	f.all->end = 1;
	CHECK_INT(look(&f, &read), 3);
	CHECK(read);
	file_follow_free(f.all);
	scanner_free(f.scanner);
}

static const struct tap_test tests[] = {
	TEST(test_changes),
};

int
main(void)
{
	return scanning_main("test_file_follow", tests, N_TESTS(tests));
}
