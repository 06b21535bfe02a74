/* Files written in pieces, byte by byte, wherever they begin and end. */
#include <config.h>

#include "common/files/piece_writer.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "tests/tap.h"

enum { MOST = 9 * PIECE_BYTES, SLACK = 700 };

static char *wanted; /* [MOST + SLACK] no piece of it like another */

static void
make_wanted(void)
{
	uint64_t x = 88172645463325252u;

	wanted = xmalloc(MOST + SLACK);
	for (size_t i = 0; i < MOST + SLACK; i++) {
		x ^= x << 13; /* Marsaglia's xorshift */
		x ^= x >> 7;
		x ^= x << 17;
		wanted[i] = (char)(x >> 56);
	}
}

/* Write the bytes from at to end, some at a time. */
static void
write_bytes(FILE *f, size_t at, size_t end)
{
	struct piece_writer *w = piece_writer_new(f, SLACK / 7);
	size_t used, n = 1;
	char *room = piece_writer_room(w, &used);

	while (at < end) {
		if (at > end / 2)
			room = piece_writer_slack(w, SLACK, used);
		n = n % (at > end / 2 ? SLACK : SLACK / 7) + 1;
		if (n > end - at)
			n = end - at;
		memcpy(room + used, wanted + at, n);
		used += n;
		at += n;
		if (used >= PIECE_BYTES)
			room = piece_writer_put(w, &used);
	}
	piece_writer_finish(w, used);
}

/* Is the file wanted's first bytes? */
static int
is_wanted(FILE *f, size_t bytes)
{
	char *got = xmalloc(MOST + SLACK);
	int same;

	rewind(f);
	same = fread(got, 1, MOST + SLACK, f) == bytes &&
	    memcmp(got, wanted, bytes) == 0;
	free(got);
	return same;
}

/* A file with and without a buffer of its own. */
static void
check_file(size_t before, size_t bytes, int buffered)
{
	FILE *f = tmpfile();

	CHECK(f != NULL);
	if (!buffered)
		setvbuf(f, NULL, _IONBF, 0);
	CHECK_INT(fwrite(wanted, 1, before, f), before);
	write_bytes(f, before, bytes);
	CHECK(!ferror(f));
	CHECK_INT(ftell(f), bytes);
	CHECK_INT(fputc(wanted[bytes], f), (unsigned char)wanted[bytes]);
#ifdef O_DIRECT
	/* What is written next need not be whole sectors. */
	CHECK_INT(fcntl(fileno(f), F_GETFL) & O_DIRECT, 0);
#endif
	CHECK(is_wanted(f, bytes + 1));
	fclose(f);
}

static void
test_lengths(void)
{
	static const size_t all[] = { 0, 1, 4095, 4096, PIECE_BYTES - 1,
		PIECE_BYTES, PIECE_BYTES + 1, 2 * PIECE_BYTES + 4096,
		7 * PIECE_BYTES + 5000, MOST };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (int buffered = 0; buffered < 2; buffered++)
			check_file(0, all[i], buffered);
}

static void
test_later_start(void)
{
	static const size_t all[] = { 1, 4095, 4096, 5000, PIECE_BYTES };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		check_file(all[i], all[i] + 3, 0);
		check_file(all[i], 3 * PIECE_BYTES + 17, i % 2);
	}
}

/* One after the other into the same file. */
static void
test_turns(void)
{
	static const size_t ends[] = { 10, 3 * PIECE_BYTES, 3 * PIECE_BYTES + 9,
		4 * PIECE_BYTES, 8 * PIECE_BYTES + 1 };
	FILE *f = tmpfile();
	size_t at = 0;

	CHECK(f != NULL);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		write_bytes(f, at, ends[i]);
		at = ends[i];
	}
	CHECK(is_wanted(f, at));
	fclose(f);
}

/* What cannot be written is the stream's to report. */
static void
test_failure(void)
{
	FILE *f = fopen("/dev/full", "w");

	if (f == NULL)
		SKIP("no /dev/full here");
	write_bytes(f, 0, MOST);
	CHECK(ferror(f));
	fclose(f);
}

static void
test_no_room(void)
{
	const struct rlimit most = { 3 * PIECE_BYTES + 100, RLIM_INFINITY };
	struct rlimit before;
	FILE *f = tmpfile();
	struct stat st;

	CHECK(f != NULL);
	setvbuf(f, NULL, _IONBF, 0);
	CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &most), 0);
	write_bytes(f, 0, MOST);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
	CHECK(ferror(f));
	CHECK_INT(fstat(fileno(f), &st), 0);
	CHECK(st.st_size <= (off_t)most.rlim_cur);
	fclose(f);
}

static const struct tap_test tests[] = {
	TEST(test_lengths),
	TEST(test_later_start),
	TEST(test_turns),
	TEST(test_failure),
	TEST(test_no_room),
};

int
main(void)
{
	make_wanted();
	tap_main(tests, N_TESTS(tests));
	free(wanted);
	return 0;
}
