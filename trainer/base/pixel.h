/* Normalisation of a pixel: the same C code on the host and in kernels.
 *
 * A byte x of channel c becomes (x / 255 - mean[c]) / deviation[c] with
 * ImageNet's constants, computed as x * scale + shift. A mirrored image has its
 * columns reversed.
 */
#ifndef TRAINER_BASE_PIXEL_H
#define TRAINER_BASE_PIXEL_H

#include <stdint.h>

#ifdef __CUDACC__
#define PIXEL_FN static inline __host__ __device__
#else
#define PIXEL_FN static inline
#endif

#define IMAGENET_MEAN \
	{ \
		0.485f, 0.456f, 0.406f \
	}
#define IMAGENET_DEVIATION \
	{ \
		0.229f, 0.224f, 0.225f \
	}

/* channel  0, 1, 2: red, green, blue */
PIXEL_FN float
pixel_scale(int channel)
{
	const float deviation[] = IMAGENET_DEVIATION;

	return 1 / (255 * deviation[channel]);
}

PIXEL_FN float
pixel_shift(int channel)
{
	const float mean[] = IMAGENET_MEAN;
	const float deviation[] = IMAGENET_DEVIATION;

	return -mean[channel] / deviation[channel];
}

PIXEL_FN float
pixel_value(uint8_t x, int channel)
{
	return x * pixel_scale(channel) + pixel_shift(channel);
}

/* Index of the source pixel of pixel i (row by row) in an image of the given
 * width. */
PIXEL_FN uint32_t
pixel_source(uint32_t i, uint32_t width, int mirror)
{
	const uint32_t column = i % width;

	return mirror ? i - column + (width - 1 - column) : i;
}

#endif
