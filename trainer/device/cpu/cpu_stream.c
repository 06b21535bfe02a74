/* Positions of pixels in a stream of rows with borders. */
#include <config.h>

#include "trainer/device/cpu/cpu_stream.h"

#include <assert.h>
#include <string.h>

enum { SLACK = 64 }; /* pixels that may be read past the end */

void
stream_init_border(struct pixel_stream *s, int h, int w, int pad, int border)
{
	assert(border >= pad);
	memset(s, 0, sizeof *s);
	s->h = h;
	s->w = w;
	s->stride = s->planes = 1;
	s->pad = pad;
	s->pitch = w + border;
	s->image = (h + border) * s->pitch;
	s->first = border * s->pitch + border;
	s->reach = stream_tap(s, border + pad, border + pad);
}

void
stream_init_planes(struct pixel_stream *s, int h, int w, int kernel, int stride,
    int pad, int out_h, int out_w)
{
	const int reach = (kernel - 1) / stride;

	memset(s, 0, sizeof *s);
	s->h = h;
	s->w = w;
	s->stride = stride;
	s->pad = pad;
	s->planes = kernel < stride ? kernel : stride;
	s->pitch = out_w + reach;
	s->image = (out_h + reach) * s->pitch;
	s->reach = reach * s->pitch + reach;
}

void
stream_init_output(
    struct pixel_stream *s, int h, int w, const struct pixel_stream *like)
{
	assert(like->pitch >= w && like->image >= h * like->pitch);
	*s = *like;
	s->h = h;
	s->w = w;
	s->stride = s->planes = 1;
	s->pad = 0;
	s->first = 0;
	s->reach = 0;
}

void
stream_set_images(struct pixel_stream *s, int images)
{
	s->images = images;
	s->plane = images * s->image + s->reach + SLACK;
	s->plane += s->plane % 2;
}

long
stream_tap(const struct pixel_stream *s, int r, int t)
{
	if (s->planes == 1 && s->stride == 1)
		return s->first + (r - s->pad) * s->pitch + (t - s->pad);
	return ((long)(r % s->stride) * s->planes + t % s->stride) * s->plane +
	    r / s->stride * s->pitch + t / s->stride;
}

size_t
stream_bytes(const struct pixel_stream *s)
{
	return (size_t)s->planes * (size_t)s->planes * (size_t)s->plane *
	    STREAM_PIXEL;
}

static char *
put_zeros(char *out, long pixels)
{
	memset(out, 0, (size_t)pixels * STREAM_PIXEL);
	return out + pixels * STREAM_PIXEL;
}

static void
build_bordered(
    const struct pixel_stream *s, const char *dense, int n, char *out)
{
	const size_t row = (size_t)s->w * STREAM_PIXEL;
	const char *end = out + stream_bytes(s);
	const long gap = s->pitch - s->w;
	const long between = s->image - (s->h - 1) * s->pitch - s->w;

	out = put_zeros(out, s->first);
	for (int i = 0; i < n; i++)
		for (int y = 0; y < s->h; y++, dense += row) {
			const int last = y == s->h - 1;

			memcpy(out, dense, row);
			out += row;
			if (!last)
				out = put_zeros(out, gap);
			else if (i < n - 1)
				out = put_zeros(out, between);
		}
	put_zeros(out, (end - out) / STREAM_PIXEL);
}

/* Build one plane: padded rows and columns with remainders (py, px). */
static void
build_plane(const struct pixel_stream *s, const char *dense, int n, int py,
    int px, char *out)
{
	const char *end = out + (size_t)s->plane * STREAM_PIXEL;
	const long rows = s->image / s->pitch;

	for (int i = 0; i < n; i++)
		for (long row = 0; row < rows; row++) {
			const long y = row * s->stride + py - s->pad;
			const char *from = dense +
			    ((i * (long)s->h + y) * s->w) * STREAM_PIXEL;

			if (y < 0 || y >= s->h) {
				out = put_zeros(out, s->pitch);
				continue;
			}
			for (long c = 0; c < s->pitch; c++) {
				const long x = c * s->stride + px - s->pad;

				if (x < 0 || x >= s->w)
					memset(out, 0, STREAM_PIXEL);
				else
					memcpy(out, from + x * STREAM_PIXEL,
					    STREAM_PIXEL);
				out += STREAM_PIXEL;
			}
		}
	put_zeros(out, (end - out) / STREAM_PIXEL);
}

void
stream_build(const struct pixel_stream *s, const char *dense, int n, char *out)
{
	assert(n <= s->images);
	if (s->planes == 1 && s->stride == 1) {
		build_bordered(s, dense, n, out);
		return;
	}
	for (int py = 0; py < s->planes; py++)
		for (int px = 0; px < s->planes; px++) {
			build_plane(s, dense, n, py, px, out);
			out += (size_t)s->plane * STREAM_PIXEL;
		}
}

void
stream_where(const struct pixel_stream *s, const struct stream_map *map,
    int32_t *out, long n)
{
	for (long q = 0; q < n; q++) {
		const long image = q / s->image, y = q % s->image / s->pitch;
		const long x = q % s->image % s->pitch;

		out[q] = y < map->rows && x < map->columns
		    ? (int32_t)(image * map->size + map->base + y * map->dy +
			  x * map->dx)
		    : -1;
	}
}

long
stream_numbers(
    const struct pixel_stream *s, const struct stream_map *map, int n)
{
	return (n - 1) * s->image + (map->rows - 1) * s->pitch + map->columns;
}
