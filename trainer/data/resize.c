/* Computes the weights of the filter and applies it in two passes. */
#include <config.h>

#include "trainer/data/resize.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "trainer/base/isa.h"

enum { CHANNELS = 3 };

struct resizer {
	const struct resize_kernels *kernels;
	struct resize_weights rows, columns;
	float *sum;     /* [RESIZE_ROWS][row_alloc] sums of rows */
	float *row;     /* [RESIZE_ROWS][row_alloc] sums of columns */
	uint8_t *bytes; /* [RESIZE_ROWS][row_alloc] rounded row */
	size_t row_alloc;
};

/* Fastest first. */
static const struct {
	int (*runs)(void);
	const struct resize_kernels *kernels;
} tables[] = {
#ifdef HAVE_X86_FLAGS
	{ isa_runs_avx512, &resize_kernels_avx512 },
	{ isa_runs_avx2, &resize_kernels_avx2 },
#endif
	{ isa_runs_plain, &resize_kernels_plain },
};

struct resizer *
resizer_new_at(int i)
{
	for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++)
		if (tables[k].runs() && i-- == 0) {
			struct resizer *r = xcalloc(1, sizeof *r);

			r->kernels = tables[k].kernels;
			return r;
		}
	return NULL;
}

struct resizer *
resizer_new(void)
{
	return resizer_new_at(0);
}

void
resizer_free(struct resizer *r)
{
	if (r == NULL)
		return;
	for (int i = 0; i < 2; i++) {
		struct resize_weights *w = i == 0 ? &r->rows : &r->columns;

		free(w->low);
		free(w->count);
		free(w->weight);
	}
	free(r->sum);
	free(r->row);
	free(r->bytes);
	free(r);
}

/* Half of the filter's width in input pixels. */
static double
filter_support(const struct resize_side *s)
{
	const double scale = s->length / s->out;

	return scale > 1 ? scale : 1;
}

/* The input pixels whose centres lie inside the filter around centre. */
static void
filter_reach(const struct resize_side *s, double centre, int *low, int *high)
{
	const double half = filter_support(s);

	*low = (int)floor(centre - half + 0.5);
	*high = (int)floor(centre + half + 0.5);
	if (*low < s->low)
		*low = s->low;
	if (*high > s->high)
		*high = s->high;
	/* The box may start or end within a pixel. */
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
	filter_reach(s, centre_of(s, s->first), low, &unused);
	filter_reach(s, centre_of(s, s->first + s->n - 1), &unused, high);
}

static void
weights_set(struct resize_weights *w, const struct resize_side *s)
{
	const double half = filter_support(s);
	const size_t n = (size_t)s->n;
	int most = 1, low, high;

	for (int k = 0; k < s->n; k++) {
		filter_reach(s, centre_of(s, s->first + k), &low, &high);
		if (most < high - low)
			most = high - low;
	}
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
	for (int k = 0; k < s->n; k++) {
		const double centre = centre_of(s, s->first + k);
		float *out = w->weight + (size_t)k * (size_t)most;
		double sum = 0;

		filter_reach(s, centre, &low, &high);
		for (int i = 0; i < most; i++) {
			const double x =
			    1 - fabs(low + i + 0.5 - centre) / half;

			out[i] = x > 0 && i < high - low ? (float)x : 0;
			sum += out[i];
		}
		/* A box that starts or ends within a pixel may reach no pixel
		 * centre: use equal weights. */
		for (int i = 0; i < high - low; i++)
			out[i] = sum > 0 ? (float)(out[i] / sum)
					 : 1.0f / (float)(high - low);
		w->low[k] = low - s->low;
		w->count[k] = high - low;
	}
}

void
resizer_run(struct resizer *r, const uint8_t *rgb, size_t stride,
    const struct resize_side *rows, const struct resize_side *columns,
    int mirror, uint8_t *out)
{
	const struct resize_weights *w = &r->rows;
	const size_t out_bytes = (size_t)columns->n * CHANNELS;
	int low, high;
	size_t n, row;

	weights_set(&r->rows, rows);
	weights_set(&r->columns, columns);
	/* The used columns only, rounded up to whole steps. */
	resize_span(columns, &low, &high);
	n = (size_t)(high - low) * CHANNELS;
	n = (n + RESIZE_STEP - 1) / RESIZE_STEP * RESIZE_STEP;
	row = (n > out_bytes ? n : out_bytes) +
	    (size_t)r->columns.most * CHANNELS + RESIZE_STEP;
	if (r->row_alloc < row) {
		r->row_alloc = row;
		row *= RESIZE_ROWS;
		r->sum = xreallocarray(r->sum, row, sizeof *r->sum);
		r->row = xreallocarray(r->row, row, sizeof *r->row);
		r->bytes = xreallocarray(r->bytes, row, 1);
		/* Data after a row or in unused rows is read, with weight 0 or
		 * without effect, so it must be finite. */
		memset(r->sum, 0, row * sizeof *r->sum);
		memset(r->row, 0, row * sizeof *r->row);
	}
	low -= columns->low;
	for (int k = 0; k < columns->n; k++)
		r->columns.low[k] -= low;
	rgb += (size_t)low * CHANNELS;
	for (int k = 0; k < rows->n; k += RESIZE_ROWS) {
		const int left = rows->n - k;
		const int count = left < RESIZE_ROWS ? left : RESIZE_ROWS;

		for (int i = 0; i < count; i++)
			r->kernels->add_rows(r->sum + (size_t)i * r->row_alloc,
			    rgb + (size_t)w->low[k + i] * stride, stride,
			    w->weight + (size_t)(k + i) * (size_t)w->most,
			    w->count[k + i], n);
		r->kernels->add_columns(&r->columns, columns->n, mirror, r->sum,
		    r->row, r->row_alloc, r->bytes);
		for (int i = 0; i < count; i++)
			memcpy(out + (size_t)(k + i) * out_bytes,
			    r->bytes + (size_t)i * r->row_alloc, out_bytes);
	}
}
