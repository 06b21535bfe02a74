/* Our own kernels: everything in a step except convolutions. Their meaning is
 * documented at the kinds of calls in program.h; tests/cuda_host_calls.c has
 * the same in plain C.
 *
 * Tensors are (rows, c), channels last, rows = batch * h * w, of type t (fp32,
 * fp16, bf16). All pointers are device memory. Functions queue their work in
 * the stream and return. Sums have a fixed order, so that equal input gives
 * equal bytes. Errors are reported by the next cudaGetLastError().
 */
#ifndef TRAINER_DEVICE_CUDA_KERNELS_H
#define TRAINER_DEVICE_CUDA_KERNELS_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "trainer/device/cuda/loss_scale.h"
#include "trainer/device/cuda/planning/weight_piece.h"
#include "trainer/base/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KERNEL_PARTS = 512 }; /* maximum number of partial sums of a reduction */

/* Floats of scratch memory for reductions over rows of c channels. */
size_t kernel_scratch(size_t c);

/* Vectors of a normalisation (enum norm_vector), its weights and its running
 * statistics. */
struct norm_vectors {
	float *sum, *squares, *mean, *invstd, *scale, *shift;
	const float *gamma, *beta;
	float *running_mean, *running_var;
	double count; /* elements of a channel */
};

/* Window that slides over (h, w) and gives (p, q). */
struct pool_window {
	int batch, c, h, w, p, q, kernel, stride, pad;
};

/* Result of the loss; see struct loss_result. */
struct kernel_loss {
	double loss;
	int n, top1, top5;
};

/* Check that this GPU can run the compiled kernels. */
cudaError_t kernel_check(void);

/* Fill memory with fp16 values of either sign and magnitude between 0.5 and 1;
 * the bytes are finite as fp32 and bf16 too. */
void kernel_fill_random(cudaStream_t s, void *x, size_t bytes);

/* Ring of the last losses. */
enum { KERNEL_LOSSES = 256 };
struct kernel_losses {
	unsigned n;                             /* number so far, modulo 2^32 */
	struct kernel_loss last[KERNEL_LOSSES]; /* loss i at i modulo size */
};

/* Convert images to the input tensor: fp32 unchanged, bytes normalised with
 * ImageNet's constants. Images n .. batch - 1 and padding channels are 0.
 *
 * nhwc    order of x; x has `channels` channels, the tensor `padded`
 * mirror  [n] 1: swap left and right, for bytes only; NULL: none
 * width   pixels per row */
void kernel_load(cudaStream_t s, enum dtype from, int nhwc, const void *x,
    const uint8_t *mirror, int width, int n, int batch, int channels,
    int pixels, int padded, enum dtype t, void *out);

/* x += bias, then ReLU, in place. */
void kernel_bias(cudaStream_t s, enum dtype t, void *x, const float *bias,
    size_t rows, int c, int relu);

/* grad[c] = sum over rows of dy, or if y is not NULL, of dx, which is dy where
 * y > 0, else 0. */
void kernel_bias_grad(cudaStream_t s, enum dtype t, const void *dy,
    const void *y, size_t rows, int c, float *scratch, float *grad, void *dx);

/* Write sums and sums of squares over rows to v. */
void kernel_norm_sums(cudaStream_t s, enum dtype t, const void *x, size_t rows,
    int c, float *scratch, const struct norm_vectors *v);

/* Write mean, invstd, scale and shift.
 *
 * train  1: use the sums and update running statistics; 0: use the latter */
void kernel_norm_finish(
    cudaStream_t s, int train, int c, const struct norm_vectors *v);

/* The same for first and second, then apply them.
 *
 * z, second  may be NULL */
void kernel_norm_apply(cudaStream_t s, enum dtype t, const void *x,
    const struct norm_vectors *first, const void *z,
    const struct norm_vectors *second, int train, size_t rows, int c, int relu,
    void *y);

/* Arguments of kernel_norm_reduce(): out = dy + dy2, masked by y > 0, or if y
 * is NULL and relu is set by the normalised x > 0; then gradients of gamma and
 * beta, also for a second normalisation if x2 is not NULL. out may be NULL: dy
 * is used unchanged. */
struct norm_reduce {
	const void *dy, *dy2, *x, *y, *x2;
	void *out;
	const struct norm_vectors *first, *second;
	float *gamma[2], *beta[2];
	int relu;
};

/* scratch  [kernel_scratch(c)] */
void kernel_norm_reduce(cudaStream_t s, enum dtype t,
    const struct norm_reduce *r, size_t rows, int c, float *scratch);

/* Operands of a normalisation's backward pass: the input x and its gradient dx,
 * the vectors, and the gradients of the weights. */
struct norm_back {
	const void *x;
	void *dx;
	struct norm_vectors v;
	const float *gamma_grad, *beta_grad;
};

/* second  other normalisation of a sum, with the same dy; or NULL
 * train   0: the statistics are constants */
void kernel_norm_back(cudaStream_t s, enum dtype t, const void *dy,
    const struct norm_back *first, const struct norm_back *second, int train,
    size_t rows, int c);

/* y = x + z, ReLU; z may be NULL. */
void kernel_sum(cudaStream_t s, enum dtype t, const void *x, const void *z,
    size_t n, int relu, void *y);
void kernel_relu_back(cudaStream_t s, enum dtype t, const void *dy,
    const void *y, size_t n, void *dx);

enum { POOL_NOWHERE = 255 };

/* Maximum of each window and its place in the window, counted row by row. If
 * shift is not NULL, x is replaced by relu(x * scale + shift) with vectors of c
 * floats (scale NULL: 1), and a maximum of 0 has the place POOL_NOWHERE.
 * Windows have fewer than POOL_NOWHERE places. */
void kernel_maxpool(cudaStream_t s, enum dtype t, const void *x,
    const float *scale, const float *shift, const struct pool_window *w,
    void *y, uint8_t *places);

/* Gradient of the windows, dy + dy2 (may be NULL). */
struct pool_gradient {
	const void *dy, *dy2;
	const uint8_t *places;
};

/* Pass the gradient to the places of the maxima. */
void kernel_maxpool_back(cudaStream_t s, enum dtype t,
    const struct pool_gradient *g, const struct pool_window *w, void *dx);

/* Means over the windows of torch.nn.AdaptiveAvgPool2d. */
void kernel_avgpool(cudaStream_t s, enum dtype t, const void *x,
    const struct pool_window *w, void *y);

/* Spread each window's gradient evenly. */
void kernel_avgpool_back(cudaStream_t s, enum dtype t, const void *dy,
    const struct pool_window *w, void *dx);

/* step    in device memory, so that a captured graph can be replayed
 * stream  of random numbers; see rng.h
 * first   index of the first element in PyTorch's order */
void kernel_dropout(cudaStream_t s, enum dtype t, const void *x, int train,
    float p, uint64_t seed, uint32_t stream, const uint32_t *step,
    uint64_t first, int batch, int c, int pixels, void *y);

/* Copy n pieces: gradients of working weights to the arena, or weights of the
 * arena to the working weights. All pieces must have working weights. */
void kernel_weight_out(cudaStream_t s, enum dtype t,
    const struct weight_piece *pieces, int n, const void *work, float *grads);
void kernel_weight_in(cudaStream_t s, enum dtype t,
    const struct weight_piece *pieces, int n, const float *weights, void *work);

/* Cross entropy of n images.
 *
 * dy       gradient times the loss scale, 0 for images n .. batch - 1; NULL:
 *          none
 * scratch  [batch] */
void kernel_loss(cudaStream_t s, enum dtype t, const void *logits,
    const int32_t *labels, int n, int batch, int classes,
    struct loss_scale *scale, struct kernel_loss *scratch,
    struct kernel_losses *out, void *dy);

/* Memory that the optimiser reads and writes. */
struct kernel_arenas {
	float *weights, *momenta;
	const float *grads;
	size_t n; /* elements of each */
	void *work;
	const struct weight_piece *pieces; /* cover each weight once */
	int n_pieces;
	/* lr, momentum, weight decay, gradient scale, in device memory */
	const float *hyper;
	struct loss_scale *scale;
};

/* One step of the optimiser, see struct sgd. Also updates the working weights,
 * of type t. */
void kernel_update(cudaStream_t s, enum dtype t, const struct kernel_arenas *a);

/* half = x * scale, rounded to type t (fp16, bf16); or back, x = half. */
void kernel_compress(cudaStream_t s, enum dtype t, const float *x, size_t n,
    float scale, void *half);
void kernel_decompress(
    cudaStream_t s, enum dtype t, const void *half, size_t n, float *x);

#ifdef __cplusplus
}
#endif

#endif
