#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/images.h"
#include "tests/tap.h"
#include "trainer/data/dataset.h"
#include "trainer/data/resize.h"

enum { W = 90, H = 70 };

static struct resizer *resizer;
static uint8_t *scene; /* [H][W][3] and RESIZE_PAD bytes */

/* The filter as resize.h defines it, computed directly in double precision. */
static double
naive(const struct resize_side *s, int o, int i)
{
	const double scale = s->length / s->out;
	const double half = scale > 1 ? scale : 1;
	const double centre = s->start + (o + 0.5) * scale;
	double sum = 0;

	for (int k = s->low; k < s->high; k++)
		sum += fmax(0, 1 - fabs(k + 0.5 - centre) / half);
	return fmax(0, 1 - fabs(i + 0.5 - centre) / half) / sum;
}

static double
naive_pixel(const struct resize_side *rows, const struct resize_side *columns,
    int y, int x, int c)
{
	double sum = 0;

	for (int i = rows->low; i < rows->high; i++) {
		const double a = naive(rows, rows->first + y, i);

		for (int k = columns->low; a > 0 && k < columns->high; k++)
			sum += a * naive(columns, columns->first + x, k) *
			    scene[(i * W + k) * 3 + c];
	}
	return sum;
}

/* Rounded once, from single precision: errors of half a level and a little. */
static void
compare(const struct resize_side *rows, const struct resize_side *columns,
    int mirror)
{
	uint8_t *out = xcalloc((size_t)rows->n * (size_t)columns->n, 3);
	uint8_t *more = xcalloc((size_t)rows->n * (size_t)columns->n, 3);
	struct resize_side r = *rows, k = *columns;

	/* The smallest sufficient input. */
	resize_span(rows, &r.low, &r.high);
	resize_span(columns, &k.low, &k.high);
	resizer_run(resizer, scene + (r.low * W + k.low) * 3, W * 3, &r, &k,
	    mirror, out);
	/* More input than that has no effect. */
	resizer_run(resizer, scene + (rows->low * W + columns->low) * 3, W * 3,
	    rows, columns, mirror, more);
	CHECK(memcmp(out, more, (size_t)rows->n * (size_t)columns->n * 3) == 0);
	for (int y = 0; y < rows->n; y++)
		for (int x = 0; x < columns->n; x++)
			for (int c = 0; c < 3; c++) {
				const int at = mirror ? columns->n - 1 - x : x;

				CHECK_NEAR(out[(y * columns->n + at) * 3 + c],
				    naive_pixel(rows, columns, y, x, c), 0.501);
			}
	free(more);
	free(out);
}

static void
test_against_definition(void)
{
	/* start, length, low, high, out, first, n */
	static const struct resize_side sides[][2] = {
		{ { 0, H, 0, H, 32, 0, 32 }, { 0, W, 0, W, 32, 0, 32 } },
		{ { 0, H, 0, H, H, 0, H }, { 0, W, 0, W, W, 0, W } },
		{ { 0, H, 0, H, 100, 0, 100 }, { 0, W, 0, W, 95, 0, 95 } },
		{ { 10, 40, 10, 50, 37, 0, 37 }, { 7, 60, 7, 67, 37, 0, 37 } },
		{ { 3, 2, 3, 5, 9, 0, 9 }, { 88, 2, 88, 90, 9, 0, 9 } },
		{ { 5, 1, 5, 6, 4, 0, 4 }, { 0, 1, 0, 1, 4, 0, 4 } },
		{ { 0, H, 0, H, 36, 4, 28 }, { 0, W, 0, W, 46, 9, 28 } },
		{ { 0, H, 0, H, 1, 0, 1 }, { 0, W, 0, W, 3, 1, 1 } },
		/* filters of four and of five pixels */
		{ { 0, 55, 0, 55, 25, 0, 25 }, { 0, 55, 0, 55, 25, 0, 25 } },
		{ { 2.5, 30.25, 2, 33, 20, 0, 20 },
		    { 11.125, 44.5, 11, 56, 20, 0, 20 } },
	};

	for (int i = 0; i < N_TESTS(sides); i++)
		for (int mirror = 0; mirror <= 1; mirror++) {
			printf("# case %d, mirror %d\n", i, mirror);
			compare(&sides[i][0], &sides[i][1], mirror);
		}
}

/* The same size gives the same bytes; a flat image stays flat. */
static void
test_identity_and_flat(void)
{
	const struct resize_side r = { 0, H, 0, H, H, 0, H };
	const struct resize_side k = { 0, W, 0, W, W, 0, W };
	const struct resize_side r9 = { 0, H, 0, H, 9, 0, 9 };
	const struct resize_side k200 = { 0, W, 0, W, 200, 0, 200 };
	static uint8_t out[W * H * 3], flat[W * H * 3 + RESIZE_PAD];
	static uint8_t big[9 * 200 * 3];

	resizer_run(resizer, scene, W * 3, &r, &k, 0, out);
	CHECK(memcmp(out, scene, sizeof out) == 0);
	for (int level = 0; level < 256; level++) {
		memset(flat, level, sizeof flat);
		resizer_run(resizer, flat, W * 3, &r9, &k200, 0, big);
		for (size_t i = 0; i < sizeof big; i++)
			CHECK_INT(big[i], level);
	}
}

/* Every instruction set gives the same bytes, also in the rows after the last
 * full group of rows. */
static void
test_instruction_sets(void)
{
	static const struct resize_side sides[][2] = {
		{ { 2, 60, 2, 62, 31, 0, 31 }, { 3, 80, 3, 83, 45, 0, 45 } },
		{ { 0, H, 0, H, 90, 0, 90 }, { 0, W, 0, W, 100, 0, 100 } },
		{ { 0, H, 0, H, 5, 0, 5 }, { 0, W, 0, W, 6, 0, 6 } },
		{ { 0, 55, 0, 55, 25, 0, 25 }, { 0, 55, 0, 55, 25, 0, 25 } },
	};
	enum { MOST = 100 * 100 * 3 };
	uint8_t *best = xcalloc(MOST, 1), *out = xcalloc(MOST, 1);
	struct resizer *other;

	for (int k = 1; (other = resizer_new_at(k)) != NULL; k++) {
		for (int i = 0; i < N_TESTS(sides); i++)
			for (int mirror = 0; mirror <= 1; mirror++) {
				const struct resize_side *s = sides[i];
				const uint8_t *from =
				    scene + (s[0].low * W + s[1].low) * 3;

				memset(best, 1, MOST);
				memset(out, 1, MOST);
				resizer_run(resizer, from, W * 3, &s[0], &s[1],
				    mirror, best);
				resizer_run(other, from, W * 3, &s[0], &s[1],
				    mirror, out);
				CHECK(memcmp(best, out, MOST) == 0);
			}
		resizer_free(other);
	}
	free(best);
	free(out);
}

static void
check_crop(const struct crop *c, int x, int y, int w, int h)
{
	CHECK_INT(c->x, x);
	CHECK_INT(c->y, y);
	CHECK_INT(c->w, w);
	CHECK_INT(c->h, h);
}

/* Values: torchvision 0.14.1, Resize(256) and CenterCrop(224) or Resize(73)
 * and CenterCrop(64) of torch.zeros(3, h, w). */
static void
test_crop_middle(void)
{
	static const struct {
		int w, h, size, out_w, out_h, left, top;
	} cases[] = { { 500, 375, 224, 341, 256, 58, 16 },
		{ 375, 500, 224, 256, 341, 16, 58 },
		{ 640, 480, 64, 97, 73, 16, 4 },
		{ 256, 256, 224, 256, 256, 16, 16 },
		{ 1, 3, 224, 256, 768, 16, 272 } };

	for (int i = 0; i < N_TESTS(cases); i++) {
		const struct crop c =
		    crop_middle(cases[i].w, cases[i].h, cases[i].size);

		check_crop(&c, 0, 0, cases[i].w, cases[i].h);
		CHECK_INT(c.out_w, cases[i].out_w);
		CHECK_INT(c.out_h, cases[i].out_h);
		CHECK_INT(c.left, cases[i].left);
		CHECK_INT(c.top, cases[i].top);
		CHECK_INT(c.size, cases[i].size);
		CHECK_INT(c.mirror, 0);
	}
}

/* Ranges and means.  The ratio's logarithm is symmetric around 0 with a
 * deviation of at most 0.166, so 20,000 of them have a mean of 0 +- 0.0012.
 */
static void
test_crop_random(void)
{
	enum { N = 20000, SIDE = 1000 };
	const struct rng r = { 42, RNG_STREAM_DATA, 3 };
	double area = 0, ratio = 0, left = 0;
	int mirrored = 0, seen_small = 0;

	for (uint64_t i = 0; i < N; i++) {
		const struct crop c =
		    crop_random(SIDE, SIDE, 224, &r, i * CROP_BLOCKS);
		const double a = (double)c.w * c.h / SIDE / SIDE;
		const double q = (double)c.w / c.h;

		CHECK(c.x >= 0 && c.y >= 0 && c.w >= 1 && c.h >= 1);
		CHECK(c.x + c.w <= SIDE && c.y + c.h <= SIDE);
		CHECK(a > 0.079 && a <= 1);
		CHECK(q > 0.746 && q < 1.341);
		CHECK(c.out_w == 224 && c.out_h == 224 && c.size == 224);
		CHECK(c.left == 0 && c.top == 0);
		area += a / N;
		ratio += log(q) / N;
		if (a < 0.5) {
			left += (double)c.x / (SIDE - c.w);
			seen_small++;
		}
		mirrored += c.mirror;
	}
	/* The mean of 100,000 calls of torchvision 0.14.1's get_params for
	 * the same image; 20,000 have a standard error of 0.0018. */
	CHECK_NEAR(area, 0.4772, 0.006);
	CHECK_NEAR(ratio, 0, 0.005);
	CHECK_NEAR(left / seen_small, 0.5, 0.01);
	CHECK_NEAR(mirrored, N / 2, 5 * sqrt(N / 4.0));
}

/* Another epoch, seed or image changes the crop; the same key does not. */
static void
test_crop_keys(void)
{
	const struct rng a = { 1, RNG_STREAM_DATA, 0 };
	const struct rng b = { 1, RNG_STREAM_DATA, 1 };
	const struct rng d = { 2, RNG_STREAM_DATA, 0 };
	const struct crop one = crop_random(500, 375, 64, &a, 0);
	const struct crop same = crop_random(500, 375, 64, &a, 0);
	const struct crop epoch = crop_random(500, 375, 64, &b, 0);
	const struct crop seed = crop_random(500, 375, 64, &d, 0);
	const struct crop next = crop_random(500, 375, 64, &a, CROP_BLOCKS);

	CHECK(memcmp(&one, &same, sizeof one) == 0);
	CHECK(memcmp(&one, &epoch, sizeof one) != 0);
	CHECK(memcmp(&one, &seed, sizeof one) != 0);
	CHECK(memcmp(&one, &next, sizeof one) != 0);
}

/* The box is the first of up to ten tries, one block of numbers each, that
 * fits into the image. */
static void
test_crop_tries(void)
{
	const struct rng r = { 7, RNG_STREAM_DATA, 1 };
	int later = 0;

	for (uint64_t first = 0; first < 500; first++) {
		const struct crop c = crop_random(900, 400, 224, &r, first);

		for (uint64_t i = 0; i < 10; i++) {
			uint32_t four[4];
			double area, ratio;
			int w, h;

			rng_block(&r, first + i, four);
			area = 900 * 400 * (0.08 + 0.92 * four[0] / 0x1p32);
			ratio = 0.75 * pow(16 / 9.0, four[1] / 0x1p32);
			w = (int)rint(sqrt(area * ratio));
			h = (int)rint(sqrt(area / ratio));
			if (w > 900 || h > 400)
				continue;
			CHECK_INT(c.w, w);
			CHECK_INT(c.h, h);
			later += i > 0;
			break;
		}
	}
	CHECK(later > 100);
}

/* An image that is too long uses torchvision's "fallback to central crop". */
static void
test_crop_of_extremes(void)
{
	const struct rng r = { 1, RNG_STREAM_DATA, 0 };
	struct crop c = crop_random(1000, 10, 64, &r, 0);

	check_crop(&c, 493, 0, 13, 10);
	c = crop_random(10, 1000, 64, &r, 0);
	check_crop(&c, 0, 493, 10, 13);
	c = crop_random(1, 1, 64, &r, 0);
	check_crop(&c, 0, 0, 1, 1);
}

int
main(void)
{
	static const struct tap_test tests[] = {
		TEST(test_against_definition),
		TEST(test_identity_and_flat),
		TEST(test_instruction_sets),
		TEST(test_crop_middle),
		TEST(test_crop_random),
		TEST(test_crop_keys),
		TEST(test_crop_tries),
		TEST(test_crop_of_extremes),
	};
	uint8_t *painted = image_paint(W, H, 5, 60);

	resizer = resizer_new();
	scene = xcalloc(W * H * 3 + RESIZE_PAD, 1);
	memcpy(scene, painted, W * H * 3);
	tap_main(tests, N_TESTS(tests));
	resizer_free(resizer);
	free(painted);
	free(scene);
	return 0;
}
