#include <config.h>

#include "trainer/data/resize.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

enum {
	CHANNELS = 3,
	STEP = 64 /* rows are a multiple of these many numbers long */
};

/* The weights of one side: output pixel k is the sum over i < count[k] of
 * weight[k * most + i] * input[low[k] + i]; those behind are 0. */
struct weights {
	int *low, *count; /* [n] */
	float *weight;    /* [n][most] */
	int most;
	size_t n_alloc, weight_alloc;
};

struct resizer {
	struct weights rows, columns;
	float *sum;     /* [row_alloc] a row of sums over rows */
	float *row;     /* [row_alloc] of those, sums over columns */
	uint8_t *bytes; /* [row_alloc] the same rounded */
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
	free(r->bytes);
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

/* Room for n pixels of most weights each. */
static void
weights_grow(struct weights *w, size_t n, int most)
{
	w->most = most;
	if (w->n_alloc < n) {
		w->n_alloc = n;
		w->low = xreallocarray(w->low, n, sizeof *w->low);
		w->count = xreallocarray(w->count, n, sizeof *w->count);
	}
	if (w->weight_alloc < n * (size_t)most) {
		w->weight_alloc = n * (size_t)most;
		w->weight = xreallocarray(
		    w->weight, w->weight_alloc, sizeof *w->weight);
	}
}

/* The weights of input pixels low .. low + count - 1, and zeros behind them. */
static void
weigh(double centre, double half, int low, int count, int most, float *out)
{
	double sum = 0;

	for (int i = 0; i < count; i++) {
		const double x = 1 - fabs(low + i + 0.5 - centre) / half;

		out[i] = x > 0 ? (float)x : 0;
		sum += out[i];
	}
	/* A box that starts or ends within a pixel may have none in reach. */
	for (int i = 0; i < count; i++)
		out[i] = sum > 0 ? (float)(out[i] / sum) : 1.0f / (float)count;
	for (int i = count; i < most; i++)
		out[i] = 0;
}

static void
weights_set(struct weights *w, const struct resize_side *s)
{
	const double half = support(s);
	int most = 1, low, high;

	for (int k = 0; k < s->n; k++) {
		reach(s, centre_of(s, s->first + k), &low, &high);
		if (most < high - low)
			most = high - low;
	}
	weights_grow(w, (size_t)s->n, most);
	for (int k = 0; k < s->n; k++) {
		const double centre = centre_of(s, s->first + k);

		reach(s, centre, &low, &high);
		weigh(centre, half, low, high - low, most,
		    w->weight + (size_t)k * (size_t)most);
		w->low[k] = low - s->low;
		w->count[k] = high - low;
	}
}

/* sum[i] = the weighted sum of 2, 3 or 4 rows, n a multiple of STEP: loops that
 * compilers turn into vector instructions. */
static void
add_2(float *restrict sum, const uint8_t *restrict in, size_t stride,
    const float *restrict weight, size_t n)
{
	const float w0 = weight[0], w1 = weight[1];
	const uint8_t *a = in, *b = a + stride;

	n = n / STEP * STEP; /* it is; saying so saves the loop for a rest */
	for (size_t i = 0; i < n; i++)
		sum[i] = w0 * a[i] + w1 * b[i];
}

static void
add_3(float *restrict sum, const uint8_t *restrict in, size_t stride,
    const float *restrict weight, size_t n)
{
	const float w0 = weight[0], w1 = weight[1], w2 = weight[2];
	const uint8_t *a = in, *b = a + stride, *c = b + stride;

	n = n / STEP * STEP;
	for (size_t i = 0; i < n; i++)
		sum[i] = w0 * a[i] + w1 * b[i] + w2 * c[i];
}

static void
add_4(float *restrict sum, const uint8_t *restrict in, size_t stride,
    const float *restrict weight, size_t n)
{
	const float w0 = weight[0], w1 = weight[1];
	const float w2 = weight[2], w3 = weight[3];
	const uint8_t *a = in, *b = a + stride, *c = b + stride;
	const uint8_t *d = c + stride;

	n = n / STEP * STEP;
	for (size_t i = 0; i < n; i++)
		sum[i] = w0 * a[i] + w1 * b[i] + w2 * c[i] + w3 * d[i];
}

/* sum[i] += weight * in[i] */
static void
add_more(
    float *restrict sum, const uint8_t *restrict in, float weight, size_t n)
{
	n = n / STEP * STEP;
	for (size_t i = 0; i < n; i++)
		sum[i] += weight * in[i];
}

static void
add_rows(float *restrict sum, const uint8_t *restrict in, size_t stride,
    const float *restrict weight, int count, size_t n)
{
	if (count == 1)
		memset(sum, 0, n * sizeof *sum);
	else if (count == 2)
		add_2(sum, in, stride, weight, n);
	else if (count == 3)
		add_3(sum, in, stride, weight, n);
	else
		add_4(sum, in, stride, weight, n);
	for (int t = count == 1 ? 0 : 4; t < count; t++)
		add_more(sum, in + (size_t)t * stride, weight[t], n);
}

/* One row of results from a row of sums.  Four numbers are worked on for every
 * pixel, as many as a vector register holds; the fourth is overwritten by the
 * pixel behind it. */
static inline void
add_columns(const struct weights *w, int n, int mirror, int count,
    const float *restrict sum, float *restrict row)
{
	for (int k = 0; k < n; k++) {
		const int from = mirror ? n - 1 - k : k;
		const float *weight =
		    w->weight + (size_t)from * (size_t)w->most;
		const float *in = sum + (size_t)w->low[from] * CHANNELS;
		float x[4] = { 0.5f, 0.5f, 0.5f, 0.5f };

		for (int t = 0; t < count; t++)
			for (int c = 0; c < 4; c++)
				x[c] += weight[t] * in[t * CHANNELS + c];
		for (int c = 0; c < 4; c++)
			row[k * CHANNELS + c] = x[c];
	}
}

static void
finish_row(const struct weights *w, int n, int mirror,
    const float *restrict sum, float *restrict row, uint8_t *restrict out)
{
	if (w->most == 2)
		add_columns(w, n, mirror, 2, sum, row);
	else if (w->most == 3)
		add_columns(w, n, mirror, 3, sum, row);
	else if (w->most == 4)
		add_columns(w, n, mirror, 4, sum, row);
	else
		add_columns(w, n, mirror, w->most, sum, row);
	for (int i = 0; i < (n * CHANNELS + STEP - 1) / STEP * STEP; i++)
		out[i] = (uint8_t)(int)row[i];
}

/* Room for rows of n numbers. */
static void
rows_grow(struct resizer *r, size_t n)
{
	if (r->row_alloc >= n)
		return;
	r->row_alloc = n;
	r->sum = xreallocarray(r->sum, n, sizeof *r->sum);
	r->row = xreallocarray(r->row, n, sizeof *r->row);
	r->bytes = xreallocarray(r->bytes, n, 1);
	/* What is read behind a row counts with weight 0, so it must be a
	 * number. */
	memset(r->sum, 0, n * sizeof *r->sum);
	memset(r->row, 0, n * sizeof *r->row);
}

void
resizer_run(struct resizer *r, const uint8_t *rgb, size_t stride,
    const struct resize_side *rows, const struct resize_side *columns,
    int mirror, uint8_t *out)
{
	const size_t out_bytes = (size_t)columns->n * CHANNELS;
	int low, high;
	size_t n;

	weights_set(&r->rows, rows);
	weights_set(&r->columns, columns);
	/* Only the columns that are used, rounded up to whole steps. */
	resize_span(columns, &low, &high);
	n = (size_t)(high - low) * CHANNELS;
	n = (n + STEP - 1) / STEP * STEP;
	rows_grow(r,
	    (n > out_bytes ? n : out_bytes) +
		(size_t)r->columns.most * CHANNELS + STEP);
	low -= columns->low;
	for (int k = 0; k < columns->n; k++)
		r->columns.low[k] -= low;
	rgb += (size_t)low * CHANNELS;
	for (int k = 0; k < rows->n; k++) {
		add_rows(r->sum, rgb + (size_t)r->rows.low[k] * stride, stride,
		    r->rows.weight + (size_t)k * (size_t)r->rows.most,
		    r->rows.count[k], n);
		finish_row(
		    &r->columns, columns->n, mirror, r->sum, r->row, r->bytes);
		memcpy(out + (size_t)k * out_bytes, r->bytes, out_bytes);
	}
}
