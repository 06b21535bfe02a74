/* Compare event files written by TensorBoard's own writer with the values that
 * its own reader reports (tests/data/events/make_events.py). */
#include <config.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "extract/input/encoding/records.h"
#include "tests/store_pieces.h"
#include "tests/tap.h"

static char values[4096];
static size_t n_values;

/* The lines that values.expected becomes. */
static const char want[] =
    "{\"wall_time\":1700000000.250000,\"step\":1,\"loss\":0.100000001}\n"
    "{\"wall_time\":1700000000.500000,\"step\":2,\"f32\":0.333333343}\n"
    "{\"wall_time\":1700000000.750000,\"step\":3,"
    "\"f64\":0.33333333333333331}\n"
    "{\"wall_time\":1700000001.000000,\"step\":4,\"i32\":-5}\n"
    "{\"wall_time\":1700000001.250000,\"step\":5,\"i64\":1099511627776}\n"
    "{\"wall_time\":1700000001.750000,\"step\":7,\"nan\":NaN}\n"
    "{\"wall_time\":1700000002.000000,\"step\":8,\"infinite\":-Infinity}\n"
    "{\"wall_time\":1700000002.250000,\"step\":9,"
    "\"note/text_summary\":\"a \\\"b\\\"\\u000a\\\\c\"}\n"
    "{\"wall_time\":1700000002.500000,\"step\":-1,\"before\":7}\n"
    "{\"wall_time\":1700000002.750000,\"step\":1099511627776,\"late\":8}\n"
    "{\"wall_time\":1700000003.000000,\"step\":10,"
    "\"a \\\"tag\\\" \\\\\":9}\n"
    "{\"wall_time\":1700000003.250000,\"step\":11,\"session\":\"start\"}\n";

static void
load(void)
{
	const char *top = getenv("top_srcdir");
	char path[1024];
	FILE *f;

	snprintf(path, sizeof path, "%s/tests/data/events/values.tfevents",
	    top != NULL ? top : ".");
	f = fopen(path, "rb");
	CHECK(f != NULL);
	n_values = fread(values, 1, sizeof values, f);
	fclose(f);
	CHECK(n_values > 500 && n_values < sizeof values);
}

/* Read data in pieces into lines. Returns 1 if the data are complete. */
static int
read_all(const char *data, size_t len, size_t piece, struct strbuf *out)
{
	int cut;

	strbuf_reset(out);
	CHECK_INT(store_pieces_read(
		      event_file_read, data, len, piece, out, &cut, NULL),
	    0);
	return !cut;
}

static void
test_crc(void)
{
	char zeros[32] = "";
	struct crc32_table t;
	uint32_t x;

	crc32_init(&t, CRC32_CASTAGNOLI);
	CHECK(crc32_add(&t, 0, "123456789", 9) == 0xe3069283u);
	/* RFC 3720, appendix B.4 */
	CHECK(crc32_add(&t, 0, zeros, 32) == 0x8a9136aau);
	x = crc32_add(&t, 0, "1234", 4);
	CHECK(crc32_add(&t, x, "56789", 5) == 0xe3069283u);
	CHECK(crc32_add(&t, 0, "", 0) == 0);
	/* The mask of 0 is the constant. */
	CHECK(crc32_masked(0) == 0xa282ead8u);
	CHECK(crc32_masked(0x8000u) == 0xa282ead9u);
}

static void
test_values(void)
{
	static const size_t pieces[] = { 1, 7, 12, 13, 4096 };
	struct strbuf out;

	load();
	CHECK(event_file_is(values, n_values));
	CHECK(event_file_is(values, 12));
	CHECK(!event_file_is(values, 11));
	CHECK(!event_file_is("Epoch: [0][  1/100]", 19));
	strbuf_init(&out, 1 << 20);
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		CHECK(read_all(values, n_values, pieces[i], &out));
		CHECK_STR(out.buf, want);
	}
	strbuf_release(&out);
}

/* Cut anywhere: whole frames are read, and the file is complete only if it is
 * cut between two frames. */
static void
test_cut(void)
{
	struct strbuf out;
	int n_ends = 0;

	load();
	strbuf_init(&out, 1 << 20);
	for (size_t n = 0; n < n_values; n++) {
		n_ends += read_all(values, n, 64, &out);
		CHECK(strncmp(out.buf, want, out.len) == 0);
		CHECK(out.len == 0 || out.buf[out.len - 1] == '\n');
	}
	/* 14 frames: the empty file and the ends of all but the last. */
	CHECK_INT(n_ends, 14);
	strbuf_release(&out);
}

/* A flipped bit anywhere gives neither a wrong line nor a complete file. */
static void
test_flips(void)
{
	struct strbuf out;

	load();
	strbuf_init(&out, 1 << 20);
	for (size_t i = 0; i < 8 * n_values; i++) {
		const char *at, *line;

		values[i / 8] ^= (char)(1 << i % 8);
		CHECK(!read_all(values, n_values, 4096, &out));
		/* The lines are a subset of those of the intact file. */
		at = want;
		for (line = out.buf; *line != '\0'; line++) {
			const size_t len = strcspn(line, "\n") + 1;

			while (*at != '\0' && strncmp(at, line, len) != 0)
				at += strcspn(at, "\n") + 1;
			CHECK(*at != '\0');
			line += len - 1;
		}
		values[i / 8] ^= (char)(1 << i % 8);
	}
	strbuf_release(&out);
}

/* Read a file with one message. Returns 1 if the message is valid. */
static int
read_message(const char *data, size_t len, struct strbuf *out)
{
	struct strbuf file;
	int sound;

	strbuf_init(&file, 1 << 10);
	store_put_event(&file, data, len);
	sound = read_all(file.buf, file.len, file.len, out);
	strbuf_release(&file);
	return sound;
}

/* Invalid messages, made by hand: a field without a number, a varint without an
 * end, lengths that exceed the message. */
static void
test_messages(void)
{
	static const struct {
		const char *data;
		size_t len;
		int sound;
	} cases[] = {
		{ "", 0, 1 },
		{ "\x10\x05", 2, 1 },
		{ "\x00", 1, 0 },
		{ "\x10\xff", 2, 0 },
		{ "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12, 0 },
		{ "\x2a\x05\x0a", 3, 0 },
		{ "\x2a\x02\x0a\x09", 4, 0 },
		{ "\x0f", 1, 0 },
	};
	struct strbuf out;

	strbuf_init(&out, 1 << 20);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		CHECK_INT(read_message(cases[i].data, cases[i].len, &out),
		    cases[i].sound);
		CHECK_INT(out.len, 0);
	}
	/* Step and time may follow the summary. */
	CHECK(read_message("\x2a\x0a\x0a\x08\x0a\x01x\x15\x00\x00\x80\x3f"
			   "\x10\x07\x09\x00\x00\x00\x00\x00\x00\xf8\x3f",
	    23, &out));
	CHECK_STR(out.buf, "{\"wall_time\":1.500000,\"step\":7,\"x\":1}\n");
	/* A time before 1970 becomes 0. */
	CHECK(read_message("\x2a\x0a\x0a\x08\x0a\x01x\x15\x00\x00\x80\x3f"
			   "\x10\x07\x09\x00\x00\x00\x00\x00\x00\xf8\xbf",
	    23, &out));
	CHECK_STR(out.buf, "{\"wall_time\":0.000000,\"step\":7,\"x\":1}\n");
	strbuf_release(&out);
}

static const struct tap_test tests[] = {
	TEST(test_crc),
	TEST(test_values),
	TEST(test_cut),
	TEST(test_flips),
	TEST(test_messages),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
