/* Layers in plain C, for the type `real`: float, or double if REFERENCE_FP64 is
 * 1. Included by reference.c only. Tensors are (n, c, h, w).
 *
 * Gradients are added to those of activations and parameters, which the device
 * clears first.
 */
#ifndef TRAINER_DEVICE_REFERENCE_REFERENCE_KERNELS_H
#define TRAINER_DEVICE_REFERENCE_REFERENCE_KERNELS_H

#include <math.h>
#include <string.h>

#include "trainer/graph/graph.h"
#include "trainer/base/parallel.h"
#include "trainer/base/rng.h"

#ifndef REFERENCE_FP64
#define REFERENCE_FP64 0
#endif
#if REFERENCE_FP64
typedef double real;
#else
typedef float real;
#endif

enum { GEMM_COLUMNS = 256, GEMM_ROWS = 4 };

/* Compute rows i0 .. i1 - 1 and columns j0 .. j1 - 1 of gemm(). */
static inline void
gemm_tile(int i0, int i1, size_t j0, size_t j1, size_t depth, const real *a,
    size_t ai, size_t ak, const real *b, size_t ldb, real *c, size_t ldc)
{
	for (size_t k = 0; k < depth; k++)
		for (int i = i0; i < i1; i++) {
			const real x = a[(size_t)i * ai + k * ak];
			real *y = c + (size_t)i * ldc;

			SIMD_FOR
			for (size_t j = j0; j < j1; j++)
				y[j] += x * b[k * ldb + j];
		}
}

/* c[i][j] += sum over k of a(i, k) * b[k][j], with a(i, k) = a[i * ai + k *
 * ak].
 *
 * The order of the sum over k does not depend on the number of threads. */
static inline void
gemm(int rows, size_t columns, size_t depth, const real *a, size_t ai,
    size_t ak, const real *b, size_t ldb, real *c, size_t ldc)
{
	const int row_tiles = (rows + GEMM_ROWS - 1) / GEMM_ROWS;
	const int column_tiles =
	    (int)((columns + GEMM_COLUMNS - 1) / GEMM_COLUMNS);

	PARALLEL_FOR_2
	for (int jt = 0; jt < column_tiles; jt++)
		for (int it = 0; it < row_tiles; it++) {
			int i0 = it * GEMM_ROWS, i1 = i0 + GEMM_ROWS;
			size_t j0 = (size_t)jt * GEMM_COLUMNS;
			size_t j1 = j0 + GEMM_COLUMNS;

			gemm_tile(i0, i1 < rows ? i1 : rows, j0,
			    j1 < columns ? j1 : columns, depth, a, ai, ak, b,
			    ldb, c, ldc);
		}
}

/* to[j][i] = from[i][j] */
static inline void
transpose(int rows, int columns, const real *from, real *to)
{
	PARALLEL_FOR
	for (int j = 0; j < columns; j++)
		for (int i = 0; i < rows; i++)
			to[(size_t)j * (size_t)rows + (size_t)i] =
			    from[(size_t)i * (size_t)columns + (size_t)j];
}

/* Unfold one image: col[(c * k + r) * k + s][oy * ow + ox] is the pixel that
 * weight (c, r, s) multiplies at output (oy, ox), 0 in the padding. back: add
 * col to the pixels instead. */
static inline void
unfold(const struct node *n, struct shape in, real *x, real *col, int back)
{
	const int k = n->kernel, rows = in.c * k * k;
	const size_t out = (size_t)n->out.h * (size_t)n->out.w;

	PARALLEL_FOR
	for (int channel = 0; channel < in.c; channel++) {
		real *plane = x + (size_t)channel * (size_t)(in.h * in.w);

		for (int row = channel * k * k;
		     row < rows && row < (channel + 1) * k * k; row++) {
			real *to = col + (size_t)row * out;
			int dy = row / k % k - n->pad, dx = row % k - n->pad;

			for (int oy = 0; oy < n->out.h; oy++)
				for (int ox = 0; ox < n->out.w; ox++, to++) {
					int y = oy * n->stride + dy;
					int z = ox * n->stride + dx;
					int inside = y >= 0 && y < in.h &&
					    z >= 0 && z < in.w;

					if (back && inside)
						plane[y * in.w + z] += *to;
					else if (!back)
						*to = inside
						    ? plane[y * in.w + z]
						    : 0;
				}
		}
	}
}

/* Elements of scratch for convolutions. */
static inline size_t
conv_scratch(const struct node *n, struct shape in)
{
	return 2 * (size_t)in.c * (size_t)(n->kernel * n->kernel) *
	    (size_t)n->out.h * (size_t)n->out.w;
}

static inline void
conv_forward(const struct node *n, struct shape in, int batch, real *x,
    const real *w, const real *bias, real *y, real *scratch)
{
	const size_t pixels = (size_t)n->out.h * (size_t)n->out.w;
	const size_t depth = (size_t)in.c * (size_t)(n->kernel * n->kernel);

	for (int i = 0; i < batch; i++) {
		real *to = y + (size_t)i * shape_size(n->out);

		unfold(n, in, x + (size_t)i * shape_size(in), scratch, 0);
		for (int c = 0; c < n->out.c; c++)
			for (size_t p = 0; p < pixels; p++)
				to[(size_t)c * pixels + p] =
				    bias != NULL ? bias[c] : 0;
		gemm(n->out.c, pixels, depth, w, depth, 1, scratch, pixels, to,
		    pixels);
	}
}

static inline void
conv_backward_weights(const struct node *n, struct shape in, int batch, real *x,
    const real *dy, real *dw, real *dbias, real *scratch)
{
	const size_t pixels = (size_t)n->out.h * (size_t)n->out.w;
	const size_t depth = (size_t)in.c * (size_t)(n->kernel * n->kernel);
	real *turned = scratch + depth * pixels;

	for (int i = 0; i < batch; i++) {
		const real *from = dy + (size_t)i * shape_size(n->out);

		unfold(n, in, x + (size_t)i * shape_size(in), scratch, 0);
		transpose((int)depth, (int)pixels, scratch, turned);
		gemm(n->out.c, depth, pixels, from, pixels, 1, turned, depth,
		    dw, depth);
		for (int c = 0; dbias != NULL && c < n->out.c; c++)
			for (size_t p = 0; p < pixels; p++)
				dbias[c] += from[(size_t)c * pixels + p];
	}
}

static inline void
conv_backward_data(const struct node *n, struct shape in, int batch,
    const real *w, const real *dy, real *dx, real *scratch)
{
	const size_t pixels = (size_t)n->out.h * (size_t)n->out.w;
	const size_t depth = (size_t)in.c * (size_t)(n->kernel * n->kernel);

	for (int i = 0; i < batch; i++) {
		memset(scratch, 0, depth * pixels * sizeof *scratch);
		gemm((int)depth, pixels, (size_t)n->out.c, w, 1, depth,
		    dy + (size_t)i * shape_size(n->out), pixels, scratch,
		    pixels);
		unfold(n, in, dx + (size_t)i * shape_size(in), scratch, 1);
	}
}

#define BATCHNORM_EPS 1e-5
#define BATCHNORM_MOMENTUM 0.1

/* Compute mean and invstd of each channel over the batch and update the running
 * ones with the unbiased variance (torch.nn.BatchNorm2d). */
static inline void
batchnorm_statistics(struct shape s, int batch, const real *x, double *mean,
    double *invstd, real *running_mean, real *running_var)
{
	const size_t pixels = (size_t)s.h * (size_t)s.w;
	const double count = (double)pixels * batch;

	PARALLEL_FOR
	for (int c = 0; c < s.c; c++) {
		double sum = 0, squares = 0, m, v;

		for (int i = 0; i < batch; i++)
			for (size_t p = 0; p < pixels; p++)
				sum += x[((size_t)i * (size_t)s.c + (size_t)c) *
					pixels +
				    p];
		m = sum / count;
		for (int i = 0; i < batch; i++)
			for (size_t p = 0; p < pixels; p++) {
				double d =
				    x[((size_t)i * (size_t)s.c + (size_t)c) *
					    pixels +
					p] -
				    m;

				squares += d * d;
			}
		v = squares / count;
		mean[c] = m;
		invstd[c] = 1 / sqrt(v + BATCHNORM_EPS);
		running_mean[c] +=
		    (real)(BATCHNORM_MOMENTUM * (m - (double)running_mean[c]));
		running_var[c] += (real)(BATCHNORM_MOMENTUM *
		    (squares / (count - 1) - (double)running_var[c]));
	}
}

static inline void
batchnorm_forward(struct shape s, int batch, const real *x, const double *mean,
    const double *invstd, const real *gamma, const real *beta, real *y)
{
	const size_t pixels = (size_t)s.h * (size_t)s.w;

	PARALLEL_FOR_2
	for (int i = 0; i < batch; i++)
		for (int c = 0; c < s.c; c++) {
			size_t at =
			    ((size_t)i * (size_t)s.c + (size_t)c) * pixels;

			for (size_t p = at; p < at + pixels; p++)
				y[p] = (real)((x[p] - mean[c]) * invstd[c] *
					(double)gamma[c] +
				    (double)beta[c]);
		}
}

/* With xh = (x - mean) * invstd and sums over batch and pixels:
 * dbeta = sum dy, dgamma = sum dy * xh,
 * dx = gamma * invstd * (dy - dbeta / count - xh * dgamma / count); without
 * batch statistics the last two terms vanish. */
static inline void
batchnorm_backward(struct shape s, int batch, const real *x, const double *mean,
    const double *invstd, const real *gamma, const real *dy,
    int batch_statistics, real *dgamma, real *dbeta, real *dx)
{
	const size_t pixels = (size_t)s.h * (size_t)s.w;
	const double count = (double)pixels * batch;

	PARALLEL_FOR
	for (int c = 0; c < s.c; c++) {
		double sum = 0, dot = 0;

		for (int i = 0; i < batch; i++) {
			size_t at =
			    ((size_t)i * (size_t)s.c + (size_t)c) * pixels;

			for (size_t p = at; p < at + pixels; p++) {
				sum += dy[p];
				dot += dy[p] * (x[p] - mean[c]) * invstd[c];
			}
		}
		dbeta[c] += (real)sum;
		dgamma[c] += (real)dot;
		if (!batch_statistics)
			sum = dot = 0;
		for (int i = 0; i < batch; i++) {
			size_t at =
			    ((size_t)i * (size_t)s.c + (size_t)c) * pixels;

			for (size_t p = at; p < at + pixels; p++)
				dx[p] += (real)((double)gamma[c] * invstd[c] *
				    (dy[p] - sum / count -
					(x[p] - mean[c]) * invstd[c] * dot /
					    count));
		}
	}
}

/* Maximum of each window; ties go to the first, as in PyTorch. where[] keeps
 * its position in the plane. */
static inline void
maxpool_forward(const struct node *n, struct shape in, int planes,
    const real *x, real *y, int *where)
{
	PARALLEL_FOR
	for (int plane = 0; plane < planes; plane++) {
		const real *from = x + (size_t)plane * (size_t)(in.h * in.w);
		size_t at = (size_t)plane * (size_t)(n->out.h * n->out.w);

		for (int o = 0; o < n->out.h * n->out.w; o++, at++) {
			int y0 = o / n->out.w * n->stride - n->pad;
			int x0 = o % n->out.w * n->stride - n->pad;
			int best = -1;

			for (int k = 0; k < n->kernel * n->kernel; k++) {
				int yy = y0 + k / n->kernel;
				int xx = x0 + k % n->kernel;

				if (yy >= 0 && yy < in.h && xx >= 0 &&
				    xx < in.w &&
				    (best < 0 ||
					from[yy * in.w + xx] > from[best] ||
					isnan(from[yy * in.w + xx])))
					best = yy * in.w + xx;
			}
			y[at] = from[best];
			where[at] = best;
		}
	}
}

static inline void
maxpool_backward(const struct node *n, struct shape in, int planes,
    const real *dy, const int *where, real *dx)
{
	const size_t out = (size_t)n->out.h * (size_t)n->out.w;

	PARALLEL_FOR
	for (int plane = 0; plane < planes; plane++) {
		real *to = dx + (size_t)plane * (size_t)(in.h * in.w);

		for (size_t o = (size_t)plane * out;
		     o < (size_t)(plane + 1) * out; o++)
			to[where[o]] += dy[o];
	}
}

/* Adaptive average pooling: output o of n covers inputs floor(o * in / n) ..
 * ceil((o + 1) * in / n) - 1 in each direction. back: spread gradients in y. */
static inline void
avgpool(
    struct shape in, struct shape out, int planes, real *x, real *y, int back)
{
	PARALLEL_FOR
	for (int plane = 0; plane < planes; plane++) {
		real *from = x + (size_t)plane * (size_t)(in.h * in.w);
		real *to = y + (size_t)plane * (size_t)(out.h * out.w);

		for (int o = 0; o < out.h * out.w; o++) {
			int oy = o / out.w, ox = o % out.w;
			int y0 = oy * in.h / out.h, x0 = ox * in.w / out.w;
			int y1 = ((oy + 1) * in.h + out.h - 1) / out.h;
			int x1 = ((ox + 1) * in.w + out.w - 1) / out.w;
			double area = (double)(y1 - y0) * (x1 - x0), sum = 0;

			for (int yy = y0; yy < y1; yy++)
				for (int xx = x0; xx < x1; xx++)
					if (back)
						from[yy * in.w + xx] +=
						    (real)(to[o] / area);
					else
						sum += from[yy * in.w + xx];
			if (!back)
				to[o] = (real)(sum / area);
		}
	}
}

/* y += x * mask, for values and gradients. */
static inline void
dropout(const struct rng *r, double p, size_t first, size_t n, const real *x,
    real *y)
{
	const real scale = (real)(1 / (1 - p));

	for (size_t i = 0; i < n; i++)
		y[i] += rng_uniform(r, first + i) >= p ? x[i] * scale : 0;
}

#endif
