#include <config.h>

#include "trainer/device/loss.h"

#include <assert.h>
#include <math.h>

/* Number of classes that precede the label's in descending order of logits. */
static int
rank_of(const double *logits, int classes, int label)
{
	const double own = logits[label];
	int before = 0;

	for (int i = 0; i < classes; i++)
		if (!(logits[i] < own) && i != label &&
		    (logits[i] > own || i < label || isnan(logits[i])))
			before++;
	return isnan(own) ? classes : before;
}

void
loss_add_image(const double *logits, int classes, int label, double scale,
    double *grad, struct loss_result *r)
{
	double most = logits[0], sum = 0;
	int rank = rank_of(logits, classes, label);

	for (int i = 1; i < classes; i++)
		if (logits[i] > most)
			most = logits[i];
	for (int i = 0; i < classes; i++)
		sum += exp(logits[i] - most);
	r->loss += log(sum) + most - logits[label];
	r->n++;
	r->top1 += rank < 1;
	r->top5 += rank < 5;
	if (grad == NULL)
		return;
	for (int i = 0; i < classes; i++)
		grad[i] = scale *
		    (exp(logits[i] - most) / sum - (i == label ? 1 : 0));
}

void
images_plane(const struct images *im, int image, int channel, int channels,
    size_t pixels, float *out)
{
	const int turn = im->mirror != NULL && im->mirror[image];
	const int planar = im->order == IMAGES_NCHW;
	const size_t step = planar ? 1 : (size_t)channels;
	const size_t first = (size_t)image * (size_t)channels * pixels +
	    (size_t)channel * (planar ? pixels : 1);

	if (im->type == DTYPE_FP32) {
		const float *x = (const float *)im->data + first;

		for (size_t i = 0; i < pixels; i++)
			out[i] = x[i * step];
		assert(!turn);
	} else {
		const uint8_t *x = (const uint8_t *)im->data + first;

		assert(im->type == DTYPE_U8 && channels == 3);
		for (size_t i = 0; i < pixels && !turn; i++)
			out[i] = pixel_value(x[i * step], channel);
		for (size_t i = 0; i < pixels && turn; i++)
			out[i] = pixel_value(x[step *
						 pixel_source((uint32_t)i,
						     (uint32_t)im->width, 1)],
			    channel);
	}
}
