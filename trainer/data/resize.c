#include <config.h>

#include "trainer/data/resize.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

enum {
	CHANNELS = 3,
	STEP = 16 /* numbers of a row that are worked on together */
};

/* The weights of one side: output pixel k is the sum over i < count[k] of
 * weight[k * most + i] * input[low[k] + i]. */
struct weights {
	int *low, *count; /* [n] */
	float *weight;    /* [n][most] */
	int most;
	size_t n_alloc, weight_alloc;
};

struct resizer {
	struct weights rows, columns;
	float *sum;   /* [row_alloc] a row of sums */
	uint8_t *row; /* [row_alloc] a row of results */
	size_t row_alloc;
};

struct resizer *
resizer_new(void)
{
	return xcalloc(1, sizeof(struct resizer));
}

static void
weights_release(struct weights *w)
{
	free(w->low);
	free(w->count);
	free(w->weight);
}

void
resizer_free(struct resizer *r)
{
	if (r == NULL)
		return;
	weights_release(&r->rows);
	weights_release(&r->columns);
	free(r->sum);
	free(r->row);
	free(r);
}

/* Half the filter's width in input pixels. */
static double
support(const struct resize_side *s)
{
	const double scale = s->length / s->out;

	return scale > 1 ? scale : 1;
}

/* The input pixels whose centres lie inside the filter around centre. */
static void
reach(const struct resize_side *s, double centre, int *low, int *high)
{
	const double half = support(s);

	*low = (int)floor(centre - half + 0.5);
	*high = (int)floor(centre + half + 0.5);
	if (*low < s->low)
		*low = s->low;
	if (*high > s->high)
		*high = s->high;
	/* A box that starts or ends within a pixel. */
	if (*low >= s->high)
		*low = s->high - 1;
	if (*high <= *low)
		*high = *low + 1;
}

static double
centre_of(const struct resize_side *s, int o)
{
	return s->start + (o + 0.5) * s->length / s->out;
}

void
resize_span(const struct resize_side *s, int *low, int *high)
{
	int unused;

	assert(s->n >= 1 && s->low < s->high && s->length > 0);
	reach(s, centre_of(s, s->first), low, &unused);
	reach(s, centre_of(s, s->first + s->n - 1), &unused, high);
}

static void
weights_set(struct weights *w, const struct resize_side *s)
{
	const double half = support(s);

	w->most = (int)ceil(half) * 2 + 1;
	if (w->n_alloc < (size_t)s->n) {
		w->n_alloc = (size_t)s->n;
		w->low = xreallocarray(w->low, w->n_alloc, sizeof *w->low);
		w->count =
		    xreallocarray(w->count, w->n_alloc, sizeof *w->count);
	}
	if (w->weight_alloc < (size_t)s->n * (size_t)w->most) {
		w->weight_alloc = (size_t)s->n * (size_t)w->most;
		w->weight = xreallocarray(
		    w->weight, w->weight_alloc, sizeof *w->weight);
	}
	for (int k = 0; k < s->n; k++) {
		const double centre = centre_of(s, s->first + k);
		float *out = w->weight + (size_t)k * (size_t)w->most;
		double sum = 0;
		int low, high;

		reach(s, centre, &low, &high);
		assert(high - low <= w->most);
		for (int i = low; i < high; i++)
			sum += fmax(0, 1 - fabs(i + 0.5 - centre) / half);
		for (int i = low; i < high; i++)
			out[i - low] = sum > 0
			    ? (float)(fmax(0,
					  1 - fabs(i + 0.5 - centre) / half) /
				  sum)
			    : 1.0f / (float)(high - low);
		w->low[k] = low - s->low;
		w->count[k] = high - low;
	}
}

/* sum[i] = weight * row[i], or sum[i] += ..., for whole steps. */
static void
row_scale(
    float *restrict sum, const uint8_t *restrict row, float weight, size_t n)
{
	for (size_t i = 0; i < n; i += STEP)
		for (int k = 0; k < STEP; k++)
			sum[i + (size_t)k] = weight * row[i + (size_t)k];
}

static void
row_add(
    float *restrict sum, const uint8_t *restrict row, float weight, size_t n)
{
	for (size_t i = 0; i < n; i += STEP)
		for (int k = 0; k < STEP; k++)
			sum[i + (size_t)k] += weight * row[i + (size_t)k];
}

/* One row of results from a row of sums.  Four numbers are worked on for every
 * pixel, as many as a vector register holds; the fourth is overwritten by the
 * pixel behind it. */
static void
columns_add(const struct weights *w, int n, int mirror,
    const float *restrict sum, uint8_t *restrict out)
{
	for (int k = 0; k < n; k++) {
		const int from = mirror ? n - 1 - k : k;
		const float *weight =
		    w->weight + (size_t)from * (size_t)w->most;
		const float *in = sum + (size_t)w->low[from] * CHANNELS;
		float x[4] = { 0.5f, 0.5f, 0.5f, 0.5f };

		for (int i = 0; i < w->count[from]; i++, in += CHANNELS)
			for (int c = 0; c < 4; c++)
				x[c] += weight[i] * in[c];
		for (int c = 0; c < 4; c++)
			out[k * CHANNELS + c] = (uint8_t)(int)x[c];
	}
}

void
resizer_run(struct resizer *r, const uint8_t *rgb, size_t stride,
    const struct resize_side *rows, const struct resize_side *columns,
    int mirror, uint8_t *out)
{
	const size_t out_bytes = (size_t)columns->n * CHANNELS;
	int low, high;
	size_t n, need;

	weights_set(&r->rows, rows);
	weights_set(&r->columns, columns);
	/* Only the columns that are used, rounded up to whole steps. */
	resize_span(columns, &low, &high);
	n = (size_t)(high - low) * CHANNELS;
	n = (n + STEP - 1) / STEP * STEP;
	need = (n > out_bytes ? n : out_bytes) + STEP;
	if (r->row_alloc < need) {
		r->row_alloc = need;
		r->sum = xreallocarray(r->sum, need, sizeof *r->sum);
		r->row = xreallocarray(r->row, need, 1);
		memset(r->sum, 0, need * sizeof *r->sum);
	}
	low -= columns->low;
	for (int k = 0; k < columns->n; k++)
		r->columns.low[k] -= low;
	rgb += (size_t)low * CHANNELS;
	for (int k = 0; k < rows->n; k++) {
		const float *weight =
		    r->rows.weight + (size_t)k * (size_t)r->rows.most;
		const uint8_t *in = rgb + (size_t)r->rows.low[k] * stride;

		row_scale(r->sum, in, weight[0], n);
		for (int i = 1; i < r->rows.count[k]; i++)
			row_add(r->sum, in + (size_t)i * stride, weight[i], n);
		columns_add(&r->columns, columns->n, mirror, r->sum, r->row);
		memcpy(out + (size_t)k * out_bytes, r->row, out_bytes);
	}
}
