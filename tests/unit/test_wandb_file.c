/* Logs of W&B against the values written by its writer, as its reader gives
 * them (tests/data/stores/make_wandb.py); truncated and damaged files. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/input/encoding/records.h"
#include "tests/store_pieces.h"
#include "tests/tap.h"

enum { BLOCK = 32768 };

static struct strbuf stored, expected;

static void
load(const char *name, struct strbuf *out)
{
	const char *top = getenv("top_srcdir");
	char *path =
	    xasprintf("%s/tests/data/stores/%s", top != NULL ? top : ".", name);
	char buf[4096];
	size_t n;
	FILE *f = fopen(path, "rb");

	free(path);
	strbuf_init(out, 1 << 20);
	if (f == NULL)
		return;
	while ((n = fread(buf, 1, sizeof buf, f)) > 0)
		strbuf_add(out, buf, n);
	fclose(f);
}

/* Read data in pieces; out receives the lines. Returns 1 if the data are
 * complete. */
static int
read_all(const char *data, size_t len, size_t piece, struct strbuf *out)
{
	int cut;

	strbuf_reset(out);
	CHECK_INT(store_pieces_read(
		      wandb_file_read, data, len, piece, out, &cut, NULL),
	    0);
	return !cut;
}

static void
test_crc(void)
{
	struct crc32_table t;

	crc32_init(&t, CRC32_ZIP);
	CHECK_INT(crc32_add(&t, 0, "123456789", 9), 0xcbf43926);
	CHECK_INT(
	    crc32_add(&t, crc32_add(&t, 0, "1234", 4), "56789", 5), 0xcbf43926);
	crc32_init(&t, CRC32_CASTAGNOLI);
	CHECK_INT(crc32_add(&t, 0, "123456789", 9), 0xe3069283);
}

static void
test_whole(void)
{
	struct strbuf out;

	strbuf_init(&out, 1 << 20);
	CHECK(stored.len > (size_t)2 * BLOCK);
	CHECK(wandb_file_is(stored.buf, 7));
	CHECK(!wandb_file_is(stored.buf, 6));
	CHECK(read_all(stored.buf, stored.len, stored.len, &out));
	CHECK_STR(out.buf, expected.buf);
	CHECK(read_all(stored.buf, stored.len, 1, &out));
	CHECK_STR(out.buf, expected.buf);
	strbuf_release(&out);
}

/* Records before a cut are read; a cut between records is not detected. */
static void
test_cut(void)
{
	struct strbuf out;
	size_t n_ends = 0;

	strbuf_init(&out, 1 << 20);
	for (size_t len = 7; len < 4000; len++) {
		n_ends += (size_t)read_all(stored.buf, len, len, &out);
		CHECK(strncmp(out.buf, expected.buf, out.len) == 0);
	}
	CHECK(n_ends > 20 && n_ends < 100);
	strbuf_release(&out);
}

static size_t
count_lines(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += *text == '\n';
	return n;
}

/* A wrong byte loses only its own block, and is reported. */
static void
test_damaged(void)
{
	struct strbuf out;
	const size_t all = count_lines(expected.buf);

	strbuf_init(&out, 1 << 20);
	for (size_t at = 100; at < stored.len; at += 997) {
		const char *last = NULL;

		stored.buf[at] ^= 1;
		CHECK(!read_all(stored.buf, stored.len, 4096, &out));
		stored.buf[at] ^= 1;
		CHECK(count_lines(out.buf) < all ||
		    /* The damaged record may have no lines. */
		    strcmp(out.buf, expected.buf) == 0);
		if (at < BLOCK)
			last = strstr(out.buf, "\"_step\":150");
		CHECK(at >= BLOCK || last != NULL);
	}
	strbuf_release(&out);
}

/* Append a field of bytes to a message: len < 128, number < 32. */
static void
put_bytes(struct strbuf *out, unsigned number, const char *data, size_t len)
{
	CHECK(len < 128 && number < 32);
	if (number < 16) {
		strbuf_addch(out, (char)(number << 3 | 2));
	} else {
		strbuf_addch(out, (char)((number << 3 & 0x7f) | 0x82));
		strbuf_addch(out, 1);
	}
	strbuf_addch(out, (char)len);
	strbuf_add(out, data, len);
}

/* Read a file with one record. Returns 1 if it is a message. */
static int
read_record(const char *data, size_t len, struct strbuf *out)
{
	struct strbuf file;
	int sound;

	strbuf_init(&file, 1 << 10);
	store_put_wandb(&file, data, len);
	sound = read_all(file.buf, file.len, file.len, out);
	strbuf_release(&file);
	return sound;
}

/* Read a row with one item; out receives its lines. */
static void
add_row(const char *key, const char *value, struct strbuf *out)
{
	struct strbuf item, row, record;

	strbuf_init(&item, 1 << 10);
	strbuf_init(&row, 1 << 10);
	strbuf_init(&record, 1 << 10);
	put_bytes(&item, 1, key, strlen(key));
	put_bytes(&item, 16, value, strlen(value));
	put_bytes(&row, 1, item.buf, item.len);
	put_bytes(&record, 2, row.buf, row.len);
	/* Without its last byte it is not a message. */
	CHECK(!read_record(record.buf, record.len - 1, out));
	CHECK(read_record(record.buf, record.len, out));
	strbuf_release(&item);
	strbuf_release(&row);
	strbuf_release(&record);
}

/* Values that are not JSON, or would end the line, are left out. */
static void
test_hostile(void)
{
	static const char *const refused[] = { "1,\"_step\":9", "1\n2", "",
		"\"a", "\"a\" \"b\"", "{\"a\":1}", "[1]", "1 2", "}",
		"\"a\tb\"", "a/b" };
	static const char *const kept[] = { "1", "-1.5e-9", "\"a b\"", "null",
		"true", "NaN", "Infinity", "\"a\\\"b\"" };
	struct strbuf out;

	strbuf_init(&out, 1 << 10);
	for (int i = 0; i < N_TESTS(refused); i++) {
		add_row("a", refused[i], &out);
		CHECK_STR(out.buf, "");
	}
	for (int i = 0; i < N_TESTS(kept); i++) {
		char *want = xasprintf("{\"a\":%s}\n", kept[i]);

		add_row("a", kept[i], &out);
		CHECK_STR(out.buf, want);
		free(want);
	}
	add_row("a\"\n", "7", &out);
	CHECK_STR(out.buf, "{\"a\\\"\\u000a\":7}\n");
	strbuf_release(&out);
}

/* Only the name of the GPUs is read from the environment. */
static void
test_environment(void)
{
	struct strbuf environment, record, out;

	strbuf_init(&environment, 1 << 10);
	strbuf_init(&record, 1 << 10);
	strbuf_init(&out, 1 << 10);
	put_bytes(&environment, 12, "host-7", 6);
	put_bytes(&environment, 18, "NVIDIA \"X\"", 10);
	put_bytes(&record, 26, environment.buf, environment.len);
	CHECK(read_record(record.buf, record.len, &out));
	CHECK_STR(out.buf, "{\"gpu_type\":\"NVIDIA \\\"X\\\"\"}\n");
	strbuf_release(&environment);
	strbuf_release(&record);
	strbuf_release(&out);
}

static const struct tap_test tests[] = {
	TEST(test_crc),
	TEST(test_whole),
	TEST(test_cut),
	TEST(test_damaged),
	TEST(test_hostile),
	TEST(test_environment),
};

int
main(void)
{
	int rc;

	load("run.wandb", &stored);
	load("run.expected", &expected);
	rc = tap_main(tests, N_TESTS(tests));
	strbuf_release(&stored);
	strbuf_release(&expected);
	return rc;
}
