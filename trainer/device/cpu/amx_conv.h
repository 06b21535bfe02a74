/* Convolutions in bf16 on AMX, without oneDNN: see cpu_stream.h for how images
 * lie, amx.h for the products.
 *
 * Activations are (C / 32, n, h, w, 32).  Weights are 16 x 16 tiles of fp32,
 * [out block][in block][tap][four tiles]; where both channel numbers are whole
 * blocks, that is how they lie in the arenas, and the weight gradient is
 * written there at once.  Otherwise (the first layer) the arena holds PyTorch's
 * order and tiles are kept aside.
 */
#ifndef TRAINER_DEVICE_CPU_AMX_CONV_H
#define TRAINER_DEVICE_CPU_AMX_CONV_H

#include "trainer/device/cpu/cpu.h"
#include "trainer/device/cpu/cpu_stream.h"
#include "trainer/device/cpu/kernels/amx.h"

/* Results at every stride-th row and column from one place on, made of some
 * of the taps: all of them in the forward pass, a part in the data gradient of
 * a strided convolution. */
struct amx_part {
	int n_taps;
	int *taps;         /* [n_taps] r * kernel + t */
	ptrdiff_t *pieces; /* [steps] */
	int steps;         /* n_taps * blocks of the left side */
	struct stream_map map;
	int32_t *where; /* NULL: every number is a pixel */
	size_t panels;  /* bf16 before its weights */
};

/* A pass that makes activations: forward or data gradient. */
struct amx_pass {
	int left, right;            /* channel blocks read and written */
	struct pixel_stream stream; /* of what is read */
	int direct; /* it is read as it is: 1x1 without stride */
	struct amx_part *parts;
	int n_parts;
	uint16_t *weights; /* [part][right][left][tap] panels */
	size_t weights_bytes;
	int turned; /* tiles are turned into panels */
	int holes;  /* some results have no tap: clear them first */
	long chunk; /* direct: rows of a unit */
	int splits; /* of the right blocks */
};

/* The weight gradient, a stretch of pixels at a time.  A stretch is of lines,
 * which are pixels, or rows of a narrow one's output; or of whole images. */
struct amx_gram_pass {
	int by_pixels;              /* a thread has its own stretches of all
	                              blocks, and not all stretches of its
	                              own blocks: */
	int pair_parts, turn_parts; /* the sides' blocks are divided into so
	                               many parts, the threads have each a pair
	                               of them */
	struct pixel_stream x, dy;  /* of x.images whole images */
	long chunk;                 /* lines of a stretch, 0: images */
	long line, width;           /* of a line: numbers, even where it is no
	                              pixel, and pixels */
	long units;                 /* stretches in all */
	long piece;                 /* steps that are multiplied by all blocks
	                               before others */
	int planes, copies;         /* of each block's pairs */
	int pairs, turned;          /* blocks paired, blocks turned */
	int own_pairs, own_turned;  /* the most of them that a thread has */
	size_t plane_pairs;         /* bf16 of half a plane's pairs */
	long numbers;               /* pixels of a turned block */
	size_t pairs_bytes;         /* of a thread's pairs */
	size_t packed_bytes;        /* of its pairs and turned blocks */
	size_t scratch_bytes;       /* of a thread, before its packed ones */
};

struct amx_conv {
	int in_blocks, out_blocks, taps;
	int dense;        /* the arenas hold tiles */
	int swapped;      /* tiles are (in, out) and not (out, in) */
	int narrow;       /* few channels (that many); taps
	                     is 1, a window is in_blocks wide */
	size_t row_bytes; /* narrow: from a window to the next */
	struct amx_pass forward, data;
	struct amx_gram_pass gram;
	float *weight_tiles, *grad_tiles; /* arenas or kept aside */
	float *bias;                      /* [out_blocks * 32] or NULL */
	int bias_padded;                  /* it is a copy of the parameter */
	size_t tiles;                     /* floats of either */
};

extern const struct cpu_op_kind_ops cpu_amx_conv_ops;

/* Copy between the arena's weights (or gradients) and PyTorch's order. */
void amx_copy_weights(const struct amx_conv *a, const struct cpu *d,
    const struct node *n, float *tiles, float *plain, int to_tiles);

/* Of few channels: where the windows of a line of the output begin, counted
 * over all images: window x lies x * a->row_bytes further, and its blocks where
 * the forward pass's pieces state it. */
const char *amx_narrow_line(
    const struct cpu *d, const struct cpu_op *op, long line);

/* The weight and bias gradients. */
void amx_weight_gradient(struct cpu *d, struct cpu_op *op);

/* Plan amx_weight_gradient. */
void amx_gram_prepare(struct cpu *d, struct cpu_op *op);

#endif
