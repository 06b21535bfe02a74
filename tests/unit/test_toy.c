#include <config.h>

#include <stdlib.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/data/dataset.h"
#include "trainer/data/resize.h"
#include "trainer/tools/toy.h"

enum {
	CLASSES = 10,
	SIDE = 24, /* pixels per side of the linear model's input */
	INPUTS = SIDE * SIDE * 3 + 1,
	TRAIN = 80, /* images per class */
	VAL = 30
};

/* Equal arguments give equal pixels, different ones different pixels. */
static void
test_function_of_arguments(void)
{
	static const struct toy toys[] = { { 0, 0, 32, 0 }, { 1, 0, 32, 0 },
		{ 0, 1, 32, 0 }, { 0, 0, 32, 1 } };
	int w, h, w2, h2;
	uint8_t *a = toy_paint(&toys[0], 3, 7, &w, &h);
	uint8_t *b = toy_paint(&toys[0], 3, 7, &w2, &h2);
	size_t n = (size_t)w * (size_t)h * 3, least;

	CHECK_INT(w, w2);
	CHECK_INT(h, h2);
	CHECK(w >= 32 && w <= 43 && h >= 32 && h <= 43);
	CHECK(memcmp(a, b, n) == 0);
	free(b);
	for (int i = 1; i < 6; i++) {
		b = toy_paint(&toys[i < 4 ? i : 0], i == 4 ? 4 : 3,
		    i == 5 ? 8 : 7, &w2, &h2);
		least = (size_t)w2 * (size_t)h2 * 3;
		least = least < n ? least : n;
		CHECK(memcmp(a, b, least) != 0);
		free(b);
	}
	free(a);
}

static void
test_names_ascend(void)
{
	for (int i = 1; i < TOY_MAX_CLASSES; i++)
		CHECK(strcmp(toy_class(i - 1), toy_class(i)) < 0);
}

/* An image as input of the linear model: -1 .. 1, and a constant. */
static void
look(const struct toy *t, int label, int i, struct resizer *r, float *x)
{
	int w, h;
	uint8_t *rgb = toy_paint(t, label, i, &w, &h), small[SIDE * SIDE * 3];
	uint8_t *padded = xcalloc((size_t)w * (size_t)h * 3 + RESIZE_PAD, 1);
	const struct resize_side rows = { 0, h, 0, h, SIDE, 0, SIDE };
	const struct resize_side columns = { 0, w, 0, w, SIDE, 0, SIDE };

	memcpy(padded, rgb, (size_t)w * (size_t)h * 3);
	resizer_run(r, padded, (size_t)w * 3, &rows, &columns, 0, small);
	for (int k = 0; k < INPUTS - 1; k++)
		x[k] = (float)(small[k] / 127.5 - 1);
	x[INPUTS - 1] = 1;
	free(padded);
	free(rgb);
}

/* n images of each class, one class after the other. */
static float *
look_at_all(int part, int n, int plain)
{
	const struct toy t = { 5, part, 32, plain };
	struct resizer *r = resizer_new();
	float *x = xcalloc((size_t)(n * CLASSES) * INPUTS, sizeof *x);

	for (int k = 0; k < n * CLASSES; k++)
		look(&t, k / n, k % n, r, x + (size_t)k * INPUTS);
	resizer_free(r);
	return x;
}

static void
scores(const float *weights, const float *x, double *p)
{
	for (int c = 0; c < CLASSES; c++) {
		const float *w = weights + (size_t)c * INPUTS;
		float sum = 0;

		for (int i = 0; i < INPUTS; i++)
			sum += w[i] * x[i];
		p[c] = sum;
	}
}

/* Gradient descent on the cross entropy, one image after the other. */
static void
learn(float *weights, const float *x, int n)
{
	const float rate = 0.0003f;

	for (int epoch = 0; epoch < 60; epoch++)
		for (int k = 0; k < n * CLASSES; k++) {
			/* 37 is coprime to the number: all images are used. */
			const int at = k * 37 % (n * CLASSES);
			const float *in = x + (size_t)at * INPUTS;
			double p[CLASSES], sum = 0;

			scores(weights, in, p);
			for (int c = 0; c < CLASSES; c++)
				sum += p[c] = exp(p[c]);
			for (int c = 0; c < CLASSES; c++) {
				const float g =
				    rate * (float)(p[c] / sum - (c == at / n));
				float *w = weights + (size_t)c * INPUTS;

				for (int i = 0; i < INPUTS; i++)
					w[i] -= g * in[i];
			}
		}
}

static double
accuracy(const float *weights, const float *x, int n)
{
	int right = 0;

	for (int k = 0; k < n * CLASSES; k++) {
		double p[CLASSES];
		int best = 0;

		scores(weights, x + (size_t)k * INPUTS, p);
		for (int c = 1; c < CLASSES; c++)
			if (p[c] > p[best])
				best = c;
		right += best == k / n;
	}
	return 100.0 * right / (n * CLASSES);
}

/* Softmax regression on the pixels memorises the training images and fails on
 * others. With 5,000 training images of 96 pixels (torch's Adam, 60 epochs,
 * three weight decays) it reaches 13.0 % at best. */
static void
linear_model_fails(int plain)
{
	float *train = look_at_all(0, TRAIN, plain);
	float *val = look_at_all(1, VAL, plain);
	float *weights = xcalloc(CLASSES * INPUTS, sizeof *weights);
	double on_train, on_val;

	learn(weights, train, TRAIN);
	on_train = accuracy(weights, train, TRAIN);
	on_val = accuracy(weights, val, VAL);
	printf("# linear model: %.1f %% of the training images, %.1f %% of "
	       "others (chance: 10 %%)\n",
	    on_train, on_val);
	CHECK(on_train > 45); /* it does learn */
	CHECK(on_val < 25);
	free(train);
	free(val);
	free(weights);
}

static void
test_linear_model_fails(void)
{
	linear_model_fails(0);
}

static void
test_linear_model_fails_on_plain_ones(void)
{
	linear_model_fails(1);
}

int
main(void)
{
	static const struct tap_test tests[] = {
		TEST(test_function_of_arguments),
		TEST(test_names_ascend),
		TEST(test_linear_model_fails),
		TEST(test_linear_model_fails_on_plain_ones),
	};

	return tap_main(tests, N_TESTS(tests));
}
