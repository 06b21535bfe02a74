/* Convolutions in bf16 on AMX, without oneDNN. See cpu_stream.h for the layout
 * of images, amx.h for the products.
 *
 * Activations are (C / 32, n, h, w, 32). Weights are 16 x 16 tiles of fp32,
 * [out block][in block][tap][four tiles]; if both channel counts are multiples
 * of a block, the arenas hold tiles, and the weight gradient is written there
 * directly. Otherwise (first layer) the arenas are in PyTorch's order and tiles
 * are separate.
 */
#ifndef TRAINER_DEVICE_CPU_AMX_CONV_H
#define TRAINER_DEVICE_CPU_AMX_CONV_H

#include "trainer/device/cpu/cpu.h"
#include "trainer/device/cpu/cpu_stream.h"
#include "trainer/device/cpu/kernels/amx.h"

/* Results at every stride-th row and column from an offset, computed from some
 * of the taps: all of them in the forward pass, a subset in the data gradient
 * of a strided convolution. */
struct amx_part {
	int n_taps;
	int *taps;         /* [n_taps] r * kernel + t */
	ptrdiff_t *pieces; /* [steps] */
	int steps;         /* n_taps * left blocks */
	struct stream_map map;
	int32_t *where; /* row of each result; NULL: all rows are pixels */
	size_t panels;  /* offset of its weights in bf16 elements */
};

/* A pass that computes activations: forward or data gradient. */
struct amx_pass {
	int left, right;            /* channel blocks read and written */
	struct pixel_stream stream; /* layout of the input */
	int direct;                 /* read in place: 1x1 without stride */
	struct amx_part *parts;
	int n_parts;
	uint16_t *weights; /* [part][right][left][tap] panels */
	size_t weights_bytes;
	int turned; /* panels are transposed tiles */
	int holes;  /* some results have no tap and are cleared first */
	long chunk; /* direct: rows per unit */
	int splits; /* parts of the right blocks */
};

/* Weight gradient, computed by stretches of pixels. A stretch consists of lines
 * (single pixels, or output rows in the narrow case), or of whole images. */
struct amx_gram_pass {
	int by_pixels;              /* 1: a thread computes all blocks for some
	                               stretches; 0: some blocks for all */
	int pair_parts, turn_parts; /* each side's blocks are divided into
	                               parts; a thread has one of each */
	struct pixel_stream x, dy;  /* streams of x.images whole images */
	long chunk;                 /* lines per stretch, 0: images */
	long line, width;           /* pixels of a line with padding, without */
	long units;                 /* number of stretches */
	long piece;                 /* steps multiplied by all blocks at once */
	int planes, copies;         /* per block of the paired side */
	int pairs, turned;          /* paired blocks, transposed blocks */
	int own_pairs, own_turned;  /* maximum of these per thread */
	size_t plane_pairs;         /* bf16 elements in half of a plane's
	                               pairs */
	long numbers;               /* pixels of a transposed block */
	size_t pairs_bytes;         /* pairs of a thread */
	size_t packed_bytes;        /* pairs and transposed blocks together */
	size_t scratch_bytes;       /* scratch of a thread before these */
};

struct amx_conv {
	int in_blocks, out_blocks, taps;
	int dense;        /* the arenas hold tiles */
	int swapped;      /* tiles are (in, out) instead of (out, in) */
	int narrow;       /* number of channels if few, else 0; taps is then 1,
	                     a window is in_blocks wide */
	size_t row_bytes; /* narrow: distance between windows */
	struct amx_pass forward, data;
	struct amx_gram_pass gram;
	float *weight_tiles, *grad_tiles; /* in the arenas or separate */
	float *bias;                      /* [out_blocks * 32] or NULL */
	int bias_padded;                  /* bias is a padded copy */
	size_t tiles;                     /* floats per array of tiles */
};

extern const struct cpu_op_kind_ops cpu_amx_conv_ops;

/* Copy weights or gradients between tiles and PyTorch's order. */
void amx_copy_weights(const struct amx_conv *a, const struct cpu *d,
    const struct node *n, float *tiles, float *plain, int to_tiles);

/* Narrow case: start of the windows of an output line, counted over all images.
 * Window x is at x * a->row_bytes, its blocks at the forward pass's pieces. */
const char *amx_narrow_line(
    const struct cpu *d, const struct cpu_op *op, long line);

/* Compute the gradients of weights and bias. */
void amx_weight_gradient(struct cpu *d, struct cpu_op *op);

/* Plan amx_weight_gradient. */
void amx_gram_prepare(struct cpu *d, struct cpu_op *op);

#endif
