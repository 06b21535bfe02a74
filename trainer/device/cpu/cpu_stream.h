/* Images as one long row of pixels, with zeros around them, so that a
 * convolution is a sum of products of shifted rows.
 *
 * A pixel is 32 bf16 (one channel block, 64 bytes).  With stride 1 every row
 * of an image is led by `border` zero pixels and every image by `border` zero
 * rows; the zeros on the right and at the bottom are those that lead what
 * follows.  Output pixel (y, x) has the number q = y * pitch + x, and the pixel
 * that weight (r, t) meets lies at q + stream_tap(r, t).  Numbers with x beyond
 * the output's width are garbage that no one keeps.
 *
 * With a larger stride the padded image is split into stride * stride planes,
 * (row % stride, column % stride), in which the same holds.
 */
#ifndef TRAINER_DEVICE_CPU_CPU_STREAM_H
#define TRAINER_DEVICE_CPU_CPU_STREAM_H

#include <stddef.h>
#include <stdint.h>

enum { STREAM_PIXEL = 64 /* bytes */ };

struct pixel_stream {
	int h, w;          /* of the images */
	int stride, pad;   /* of the convolution */
	int planes;        /* in each direction */
	long first;        /* where pixel (0, 0) lies; one plane only */
	long pitch, image; /* pixels from row to row, image to image */
	long plane;        /* pixels of a plane */
	int images;        /* in a stream */
	long reach;        /* the largest tap */
};

/* The input of a convolution with one plane.
 *
 * border  >= pad and >= kernel - 1 - pad */
void stream_init_border(
    struct pixel_stream *s, int h, int w, int pad, int border);

/* The input of a strided convolution.
 *
 * out_h, out_w  of its output */
void stream_init_planes(struct pixel_stream *s, int h, int w, int kernel,
    int stride, int pad, int out_h, int out_w);

/* Pixels numbered as another stream's output: no zeros before the first. */
void stream_init_output(
    struct pixel_stream *s, int h, int w, const struct pixel_stream *like);

/* Report how many images there are, once reach is known. */
void stream_set_images(struct pixel_stream *s, int images);

/* How far pixel q's partner under weight (r, t) is, its plane included. */
long stream_tap(const struct pixel_stream *s, int r, int t);

/* Bytes of a stream of one channel block. */
size_t stream_bytes(const struct pixel_stream *s);

/* Make the stream of n images, one channel block.
 *
 * dense  [n][h][w] pixels
 * out    stream_bytes(); every pixel is written */
void stream_build(
    const struct pixel_stream *s, const char *dense, int n, char *out);

/* Which pixels of the result are valid, and where each goes. */
struct stream_map {
	int rows, columns; /* valid y and x: 0 .. rows - 1, 0 .. columns - 1 */
	long size, base, dy, dx; /* pixel of (image, y, x): image * size +
	                            base + y * dy + x * dx */
};

/* Where the results go: out[q] is the pixel of map for a valid q, else -1.
 *
 * n  numbers in out: stream_numbers() */
void stream_where(const struct pixel_stream *s, const struct stream_map *map,
    int32_t *out, long n);

/* Numbers q up to the last valid one of n images. */
long stream_numbers(
    const struct pixel_stream *s, const struct stream_map *map, int n);

#endif
