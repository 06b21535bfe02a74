/* Images stored as one long row of pixels with zero borders, so that a
 * convolution is a sum of products of shifted rows.
 *
 * A pixel is 32 bf16 (one channel block, 64 bytes). With stride 1, `border`
 * zero pixels precede every row and `border` zero rows every image; the border
 * on the right and at the bottom is that of the next row or image. Output pixel
 * (y, x) has the number q = y * pitch + x, and weight (r, t) multiplies the
 * pixel at q + stream_tap(r, t). Results at numbers with x beyond the output's
 * width are discarded.
 *
 * With a larger stride the padded image is split into stride * stride planes of
 * this form, (row % stride, column % stride).
 */
#ifndef TRAINER_DEVICE_CPU_CPU_STREAM_H
#define TRAINER_DEVICE_CPU_CPU_STREAM_H

#include <stddef.h>
#include <stdint.h>

enum { STREAM_PIXEL = 64 /* bytes */ };

struct pixel_stream {
	int h, w;          /* size of an image */
	int stride, pad;   /* parameters of the convolution */
	int planes;        /* planes in each direction */
	long first;        /* position of pixel (0, 0); one plane only */
	long pitch, image; /* distance between rows, images */
	long plane;        /* pixels of a plane */
	int images;        /* in a stream */
	long reach;        /* largest tap */
};

/* Describe the input of a convolution with stride 1: one plane.
 *
 * border  >= pad and >= kernel - 1 - pad */
void stream_init_border(
    struct pixel_stream *s, int h, int w, int pad, int border);

/* Describe the input of a strided convolution.
 *
 * out_h, out_w  size of its output */
void stream_init_planes(struct pixel_stream *s, int h, int w, int kernel,
    int stride, int pad, int out_h, int out_w);

/* Describe pixels numbered like another stream's output, without a border
 * before the first one. */
void stream_init_output(
    struct pixel_stream *s, int h, int w, const struct pixel_stream *like);

/* Set the number of images, after reach is known. */
void stream_set_images(struct pixel_stream *s, int images);

/* Offset from pixel q of the pixel for weight (r, t), including its plane. */
long stream_tap(const struct pixel_stream *s, int r, int t);

/* Bytes of a stream with one channel block. */
size_t stream_bytes(const struct pixel_stream *s);

/* Write the stream of n images of one channel block.
 *
 * dense  [n][h][w] pixels
 * out    stream_bytes(); every pixel is written */
void stream_build(
    const struct pixel_stream *s, const char *dense, int n, char *out);

/* Valid pixels of a result and their positions. */
struct stream_map {
	int rows, columns;       /* valid pixels: y < rows, x < columns */
	long size, base, dy, dx; /* position of (image, y, x): image * size +
	                            base + y * dy + x * dx */
};

/* Set out[q] to the position of pixel q by map, or -1 if q is not valid.
 *
 * n  length of out: stream_numbers() */
void stream_where(const struct pixel_stream *s, const struct stream_map *map,
    int32_t *out, long n);

/* Number of pixels q up to the last valid one of n images. */
long stream_numbers(
    const struct pixel_stream *s, const struct stream_map *map, int n);

#endif
