#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/images.h"
#include "tests/tap.h"
#include "trainer/data/decode.h"
#include "trainer/base/rng.h"

enum { W = 157, H = 119 };

static const struct {
	const char *name;
	struct encode_options o;
} kinds[] = {
	{ "jpeg 4:4:4", { IMAGE_FORMAT_JPEG, ENCODE_RGB, 90, 1, 1, 0 } },
	{ "jpeg 4:2:2", { IMAGE_FORMAT_JPEG, ENCODE_RGB, 90, 2, 1, 0 } },
	{ "jpeg 4:2:0", { IMAGE_FORMAT_JPEG, ENCODE_RGB, 90, 2, 2, 0 } },
	{ "jpeg 4:4:0", { IMAGE_FORMAT_JPEG, ENCODE_RGB, 90, 1, 2, 0 } },
	{ "jpeg 4:1:1", { IMAGE_FORMAT_JPEG, ENCODE_RGB, 90, 4, 1, 0 } },
	{ "jpeg grey", { IMAGE_FORMAT_JPEG, ENCODE_GREY, 90, 0, 0, 0 } },
	{ "jpeg cmyk", { IMAGE_FORMAT_JPEG, ENCODE_CMYK, 90, 0, 0, 0 } },
	{ "jpeg ycck", { IMAGE_FORMAT_JPEG, ENCODE_YCCK, 90, 2, 2, 0 } },
	{ "progressive 4:2:0", { IMAGE_FORMAT_JPEG, ENCODE_RGB, 90, 2, 2, 1 } },
	{ "progressive grey", { IMAGE_FORMAT_JPEG, ENCODE_GREY, 90, 0, 0, 1 } },
	{ "png", { IMAGE_FORMAT_PNG, ENCODE_RGB, 0, 0, 0, 0 } },
	{ "png interlaced", { IMAGE_FORMAT_PNG, ENCODE_RGB, 0, 0, 0, 1 } },
	{ "png grey", { IMAGE_FORMAT_PNG, ENCODE_GREY, 0, 0, 0, 0 } },
	{ "png palette", { IMAGE_FORMAT_PNG, ENCODE_PALETTE, 0, 0, 0, 0 } },
	{ "png opacity", { IMAGE_FORMAT_PNG, ENCODE_RGBA, 0, 0, 0, 0 } },
	{ "png 16 bits", { IMAGE_FORMAT_PNG, ENCODE_RGB16, 0, 0, 0, 0 } },
};

static struct decoder *decoder;
static uint8_t *scene; /* [H][W][3] */

/* Decode a box into out, [rows][columns][3] without gaps. */
static int
decode(const uint8_t *data, size_t len, int scale, const struct decode_box *box,
    uint8_t *out, struct error *e)
{
	const size_t row = (size_t)(box->x1 - box->x0) * 3;
	struct decode_pixels p;
	int w, h;

	if (decoder_open(decoder, data, len, &w, &h, e) != 0)
		return -1;
	CHECK_INT(w, W);
	CHECK_INT(h, H);
	if (decoder_read(decoder, scale, box, &p, e) != 0)
		return -1;
	for (int y = 0; y < box->y1 - box->y0; y++)
		memcpy(
		    out + (size_t)y * row, p.rgb + (size_t)y * p.stride, row);
	return 0;
}

static const struct decode_box whole = { 0, 0, W, H };

/* Images are restored: exactly from PNG, and from JPEG within the loss of
 * quality 90 (largest for 4:1:1 and for the black of CMYK). */
static void
test_whole(void)
{
	uint8_t *out = xcalloc(W * H, 3), want[3];

	for (int k = 0; k < N_TESTS(kinds); k++) {
		size_t len;
		uint8_t *data = image_encode(scene, W, H, &kinds[k].o, &len);
		const int png = kinds[k].o.format == IMAGE_FORMAT_PNG;
		double square = 0;

		printf("# %s\n", kinds[k].name);
		CHECK_INT(decode(data, len, 1, &whole, out, NULL), 0);
		for (int i = 0; i < W * H * 3; i++) {
			image_decoded_pixel(
			    kinds[k].o.colour, scene + i / 3 * 3, want);
			square += (out[i] - want[i % 3]) *
			    (double)(out[i] - want[i % 3]);
		}
		CHECK(png ? square == 0 : sqrt(square / (W * H * 3)) < 6);
		free(data);
	}
	free(out);
}

/* A box has the same bytes as in the whole image. */
static void
test_part(void)
{
	const struct rng r = { 1, 0, 0 };
	uint8_t *full = xcalloc(W * H, 3), *part = xcalloc(W * H, 3);

	for (int k = 0; k < N_TESTS(kinds); k++) {
		size_t len;
		uint8_t *data = image_encode(scene, W, H, &kinds[k].o, &len);

		printf("# %s\n", kinds[k].name);
		CHECK_INT(decode(data, len, 1, &whole, full, NULL), 0);
		for (uint64_t i = 0; i < 200; i++) {
			struct decode_box b;
			size_t row;

			b.x0 = (int)(rng_uniform(&r, 4 * i) * W);
			b.y0 = (int)(rng_uniform(&r, 4 * i + 1) * H);
			b.x1 =
			    W - (int)(rng_uniform(&r, 4 * i + 2) * (W - b.x0));
			b.y1 =
			    H - (int)(rng_uniform(&r, 4 * i + 3) * (H - b.y0));
			row = (size_t)(b.x1 - b.x0) * 3;
			CHECK_INT(decode(data, len, 1, &b, part, NULL), 0);
			for (int y = b.y0; y < b.y1; y++)
				CHECK(memcmp(part + (size_t)(y - b.y0) * row,
					  full + (y * W + b.x0) * 3, row) == 0);
		}
		free(data);
	}
	free(full);
	free(part);
}

/* Images scaled down by 2, 4 and 8 are close to the mean of the merged pixels;
 * boxes agree with the whole here, too. */
static void
test_scale(void)
{
	uint8_t *full = xcalloc(W * H, 3), *small = xcalloc(W * H, 3);
	uint8_t *part = xcalloc(W * H, 3);
	const struct encode_options o = kinds[2].o;
	size_t len;
	uint8_t *data = image_encode(scene, W, H, &o, &len);

	CHECK_INT(decode(data, len, 1, &whole, full, NULL), 0);
	for (int s = 2; s <= 8; s *= 2) {
		const int w = (W + s - 1) / s, h = (H + s - 1) / s;
		const struct decode_box all = { 0, 0, w, h };
		const struct decode_box some = { w / 3, h / 4, w - 2, h - 3 };
		const size_t row = (size_t)(some.x1 - some.x0) * 3;
		double square = 0;

		CHECK_INT(decode(data, len, s, &all, small, NULL), 0);
		for (int y = 0; y < H / s; y++)
			for (int i = 0; i < W / s * 3; i++) {
				double mean = 0;

				for (int k = 0; k < s * s; k++)
					mean += full[((y * s + k / s) * W +
							 i / 3 * s + k % s) *
						3 +
					    i % 3];
				mean = mean / (s * s) - small[y * w * 3 + i];
				square += mean * mean;
			}
		square = sqrt(square / (W / s * (H / s) * 3));
		printf("# 1/%d: root mean square difference %.2f\n", s, square);
		CHECK(square < 4);
		CHECK_INT(decode(data, len, s, &some, part, NULL), 0);
		for (int y = some.y0; y < some.y1; y++)
			CHECK(memcmp(part + (size_t)(y - some.y0) * row,
				  small + (y * w + some.x0) * 3, row) == 0);
	}
	CHECK_INT(
	    decoder_open(decoder, data, len, &(int){ 0 }, &(int){ 0 }, NULL),
	    0);
	CHECK_INT(decoder_scale(decoder, 0.5), 1);
	CHECK_INT(decoder_scale(decoder, 1.99), 1);
	CHECK_INT(decoder_scale(decoder, 2), 2);
	CHECK_INT(decoder_scale(decoder, 7.9), 4);
	CHECK_INT(decoder_scale(decoder, 100), 8);
	free(data);
	free(full);
	free(small);
	free(part);
}

static void
expect_error(const uint8_t *data, size_t len, const char *want)
{
	static uint8_t out[W * H * 3];
	struct error e = ERROR_INIT;
	uint8_t *tight = xmalloc(len); /* lets sanitizers detect overruns */
	int rc;

	memcpy(tight, data, len);
	rc = decode(tight, len, 1, &whole, out, &e);
	free(tight);
	CHECK_INT(rc, -1);
	CHECK_INT(e.code, ERROR_INPUT);
	if (want != NULL)
		CHECK_STR(e.message, want);
	CHECK(strlen(e.message) > 0);
}

/* Truncated files are refused. */
static void
test_truncated(void)
{
	for (int k = 0; k < N_TESTS(kinds); k++) {
		size_t len, step;
		uint8_t *data = image_encode(scene, W, H, &kinds[k].o, &len);

		printf("# %s\n", kinds[k].name);
		step = len / 200 + 1;
		for (size_t n = 3; n < len - 8; n += n < 64 ? 1 : step)
			expect_error(data, n, NULL);
		expect_error(data,
		    len - 2 - 6 * (kinds[k].o.format == IMAGE_FORMAT_PNG),
		    "is truncated: no end of image");
		/* The last chunk is replaced by another empty one. */
		data[len - 8] ^= 1;
		if (kinds[k].o.format == IMAGE_FORMAT_PNG)
			expect_error(
			    data, len, "is truncated: no end of image");
		free(data);
	}
}

static void
test_foreign(void)
{
	static const uint8_t gif[] = "GIF89a\1\0\1\0\0\0\0;";

	expect_error(gif, sizeof gif, "is neither JPEG nor PNG");
	expect_error(gif, 1, "is neither JPEG nor PNG");
	expect_error(gif, 0, "is empty");
	expect_error((const uint8_t *)"\xff\xd8\xff\xd9", 4, NULL);
	expect_error((const uint8_t *)"\x89PNG\r\n\x1a\n", 8,
	    "is truncated: no end of image");
}

/* Find marker FF xx in the head of a JPEG file. */
static uint8_t *
marker(uint8_t *data, unsigned code)
{
	uint8_t *p = data + 2;

	while (p[1] != code)
		p += 2 + (p[2] << 8 | p[3]);
	return p;
}

/* CRC of PNG over a chunk's type and data. */
static uint32_t
crc(const uint8_t *p, size_t n)
{
	uint32_t c = 0xffffffff;

	for (size_t i = 0; i < n; i++) {
		c ^= p[i];
		for (int k = 0; k < 8; k++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
	}
	return ~c;
}

static void
test_huge(void)
{
	size_t len;
	uint8_t *data = image_encode(scene, W, H, &kinds[2].o, &len);
	uint8_t *p = marker(data, 0xc0) + 5;
	uint32_t c;

	memcpy(p, "\xff\xdc\xff\xdc", 4);
	expect_error(
	    data, len, "65500 x 65500 pixels are more than 134 million");
	memcpy(p, "\xff\xff\xff\xff", 4);
	expect_error(
	    data, len, "Maximum supported image dimension is 65500 pixels");
	memcpy(p, "\0\1\0\0", 4);
	expect_error(data, len, NULL);
	free(data);
	data = image_encode(scene, W, H, &kinds[10].o, &len);
	memcpy(data + 16, "\1\0\0\0\0\0\0\x10", 8);
	c = crc(data + 12, 17);
	for (int i = 0; i < 4; i++)
		data[29 + i] = (uint8_t)(c >> (24 - 8 * i));
	expect_error(
	    data, len, "16777216 x 16 pixels are more than 134 million");
	free(data);
}

/* Other programs clip 16-bit grey to 255, so such a file is refused. */
static void
test_grey16(void)
{
	size_t len;
	uint8_t *data = image_encode(scene, W, H, &kinds[12].o, &len);
	uint32_t c;

	data[24] = 16;
	c = crc(data + 12, 17);
	for (int i = 0; i < 4; i++)
		data[29 + i] = (uint8_t)(c >> (24 - 8 * i));
	expect_error(data, len,
	    "has 16 bits per grey pixel, which other programs clip at 255; "
	    "save it with 8");
	free(data);
}

/* Images of one pixel more than the limit are refused before decoding. */
static void
test_limit(void)
{
	static uint8_t out[W * H * 3];

	for (int k = 0; k < N_TESTS(kinds); k++) {
		size_t len;
		uint8_t *data = image_encode(scene, W, H, &kinds[k].o, &len);

		decoder_limit(decoder, W * H - 1);
		expect_error(data, len,
		    "157 x 119 pixels are more than --max-pixels=18682");
		decoder_limit(decoder, W * H);
		CHECK_INT(decode(data, len, 1, &whole, out, NULL), 0);
		decoder_limit(decoder, DECODE_MAX_PIXELS);
		free(data);
	}
}

/* Damaged data, for which libjpeg only warns. */
static void
test_corrupt(void)
{
	size_t len;
	uint8_t *data = image_encode(scene, W, H, &kinds[2].o, &len);

	memset(data + len / 2, 0xff, 40);
	expect_error(data, len, NULL);
	free(data);
	data = image_encode(scene, W, H, &kinds[10].o, &len);
	data[len / 2] ^= 1;
	expect_error(data, len, NULL);
	free(data);
}

/* A file without tables does not use those of the previous file. */
static void
test_tables_are_not_kept(void)
{
	static uint8_t out[W * H * 3];
	size_t len, n;
	uint8_t *data = image_encode(scene, W, H, &kinds[2].o, &len), *p;

	CHECK_INT(decode(data, len, 1, &whole, out, NULL), 0);
	p = marker(data, 0xdb);
	n = 2 + (size_t)(p[2] << 8 | p[3]);
	memmove(p, p + n, len - n - (size_t)(p - data));
	expect_error(data, len - n, NULL);
	free(data);
}

/* A progressive file with 300 copies of its first scan. */
static void
test_many_scans(void)
{
	enum { TIMES = 300 };
	static uint8_t out[W * H * 3];
	size_t len, n, head;
	uint8_t *data = image_encode(scene, W, H, &kinds[9].o, &len);
	uint8_t *scan = marker(data, 0xda), *end = scan + 2, *many;

	CHECK_INT(decode(data, len, 1, &whole, out, NULL), 0);
	while (end[0] != 0xff || end[1] == 0)
		end++;
	n = (size_t)(end - scan);
	head = (size_t)(scan - data);
	many = xmalloc(len + TIMES * n);
	memcpy(many, data, head);
	for (size_t i = 0; i < TIMES; i++)
		memcpy(many + head + i * n, scan, n);
	memcpy(many + head + TIMES * n, scan, len - head);
	expect_error(many, len + TIMES * n, "has more than 200 scans");
	free(many);
	free(data);
}

int
main(void)
{
	static const struct tap_test tests[] = {
		TEST(test_whole),
		TEST(test_part),
		TEST(test_scale),
		TEST(test_truncated),
		TEST(test_foreign),
		TEST(test_huge),
		TEST(test_grey16),
		TEST(test_limit),
		TEST(test_corrupt),
		TEST(test_tables_are_not_kept),
		TEST(test_many_scans),
	};

	if (!decode_has(IMAGE_FORMAT_JPEG) || !decode_has(IMAGE_FORMAT_PNG)) {
		printf("1..0 # SKIP needs libjpeg and libpng\n");
		return 0;
	}
	decoder = decoder_new();
	scene = image_paint(W, H, 3, 20);
	tap_main(tests, N_TESTS(tests));
	free(scene);
	decoder_free(decoder);
	return 0;
}
