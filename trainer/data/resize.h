/* Resizing with a triangle filter that grows with the reduction ("bilinear with
 * antialias"), as Pillow and torchvision do: output pixel o of a side that is
 * resized from length to out pixels is the mean of the input pixels around c =
 * start + (o + 1/2) * length / out, weighted with max(0, 1 - |i + 1/2 - c| /
 * s), s = max(1, length / out).
 *
 * Sums are in single precision, rows first and columns second, rounded once.
 */
#ifndef TRAINER_DATA_RESIZE_H
#define TRAINER_DATA_RESIZE_H

#include <stddef.h>
#include <stdint.h>

enum {
	RESIZE_PAD = 64 /* readable bytes after the last row */
};

/* One dimension of the resizing. */
struct resize_side {
	double start, length; /* the box in input pixels; length > 0 */
	int low, high;        /* input pixels low .. high - 1 exist */
	int out;              /* pixels of the resized box, >= 1 */
	int first, n;         /* output pixels to compute */
};

/* Input pixels that the output pixels depend on: *low .. *high - 1.
 */
void resize_span(const struct resize_side *s, int *low, int *high);

struct resizer; /* weights and buffers, for one thread */

/* Create a resizer; free it with resizer_free. */
struct resizer *resizer_new(void);

/* Create a resizer with the i-th fastest instruction set of this machine (0: as
 * resizer_new), or return NULL. All give equal bytes. */
struct resizer *resizer_new_at(int i);

/* Free it; r may be NULL. */
void resizer_free(struct resizer *r);

/* Resize.
 *
 * rgb     pixel (row->low, column->low) of the input, 3 bytes a pixel;
 *         RESIZE_PAD bytes after the last pixel must be readable
 * stride  bytes from a row to the next
 * mirror  1: columns are written from right to left
 * out     [rows->n][columns->n][3] set */
void resizer_run(struct resizer *r, const uint8_t *rgb, size_t stride,
    const struct resize_side *rows, const struct resize_side *columns,
    int mirror, uint8_t *out);

#endif
