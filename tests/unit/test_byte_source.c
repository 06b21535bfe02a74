/* Read a plain file in pieces, of which the consumer leaves a part. */
#include <config.h>

#include "common/alloc.h"
#include "extract/input/byte_source.h"
#include "tests/tap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/dlscale-bytes-XXXXXX";

/* Make a file whose bytes depend on their position. Returns the bytes. */
static char *
make_file(size_t n)
{
	char *bytes = xmalloc(n);
	const int fd = mkstemp(path);

	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)(i * 2654435761u >> 13);
	CHECK(fd >= 0);
	CHECK_INT(write(fd, bytes, n), (ssize_t)n);
	close(fd);
	return bytes;
}

static void
end_file(char *bytes)
{
	unlink(path);
	memcpy(path + sizeof path - 7, "XXXXXX", 6);
	free(bytes);
}

/* True if r has the bytes of its position in the file. */
static int
is_right(const struct byte_source *r, const char *bytes)
{
	const int64_t at = r->raw - (int64_t)r->len;

	return memcmp(r->data, bytes + at, r->len) == 0;
}

/* Read the whole file, leaving `rest` bytes each time. */
static void
read_with_rest(size_t n, size_t rest)
{
	char *bytes = make_file(n);
	struct byte_source r;
	struct error e = ERROR_INIT;
	size_t seen = 0, used = 1;
	int wrong = 0, rc = 1;

	byte_source_init(&r);
	CHECK(byte_source_open(&r, path, 0, &e) == 0);
	while (rc == 1) {
		wrong += !is_right(&r, bytes);
		seen = (size_t)r.raw;
		used = r.len > rest ? r.len - rest : 0;
		rc = byte_source_next(&r, used, &e);
	}
	CHECK_INT(rc, 0);
	CHECK_INT(wrong, 0);
	CHECK_INT(seen, n);
	CHECK_INT(r.bytes, n);
	byte_source_release(&r);
	end_file(bytes);
}

static void
test_rests(void)
{
	static const size_t rests[] = { 0, 1, 63, 64, 65, 139, 4097, 300000 };

	for (int i = 0; i < N_TESTS(rests); i++) {
		read_with_rest(1500007, rests[i]);
		read_with_rest(100, rests[i]);
		read_with_rest(BYTE_SOURCE_CHUNK + 1, rests[i]);
	}
}

/* The buffer grows if the consumer takes nothing. */
static void
test_growing(void)
{
	read_with_rest(5000011, 5000011);
}

int
main(void)
{
	static const struct tap_test tests[] = {
		TEST(test_rests),
		TEST(test_growing),
	};

	return tap_main(tests, N_TESTS(tests));
}
