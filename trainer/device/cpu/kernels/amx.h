/* Products of bf16 matrices in AMX tiles (Intel 64 and IA-32 Architectures
 * Software Developer's Manual, volume 1, chapter 18), and the repacking that
 * they need. Each function runs in one thread.
 *
 * A tile holds 16 rows of 64 bytes.  TDPBF16PS adds to a 16 x 16 fp32 tile the
 * product of a 16 x 32 tile (rows of 32 bf16) and a 32 x 16 tile whose bf16 lie
 * in pairs of rows: 16 rows, each 16 times (even row, odd row).
 *
 * Sizes are multiples of AMX_BLOCK, 32 rows or columns, two tiles wide.
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_AMX_H
#define TRAINER_DEVICE_CPU_KERNELS_AMX_H

#include <stddef.h>
#include <stdint.h>

enum {
	AMX_BLOCK = 32,
	AMX_PANEL = 1024,                         /* bf16 elements of 32 x 32 */
	AMX_PRODUCTS_FLOP = 4 * 2 * 16 * 16 * 32, /* for amx_products(1) */
	AMX_TILES = 1024 /* fp32 elements of a 32 x 32 block: four tiles, (row
	                    half, column half), each 16 x 16 */
};

/* True if CPU and kernel support AMX. Requests permission once per process. */
int amx_available(void);

/* Call before and after a thread uses the functions below. */
void amx_begin(void);
void amx_end(void);

/* 4 n products of tiles in registers, without result, to measure the peak rate.
 * Operands are not zero, as a CPU may be faster with zeros. */
void amx_products(long n);

/* A matrix product, 32 rows by 32 columns at a time.
 *
 * Row m of the left matrix consists of `steps` pieces of 32 bf16; piece s is at
 * left + m * row_bytes + pieces[s]. The right matrix is `rights` blocks of 32
 * columns, each `steps` panels of 32 x 32 in pairs of rows,
 * [block][step][column half][16][16][2]. The result has rows of 32 bf16 for
 * each block. */
struct amx_product {
	const char *left;
	size_t row_bytes;
	const ptrdiff_t *pieces; /* bytes */
	int steps, rights;
	const uint16_t *right;
	const int32_t *where; /* row m of the result is stored at out + 32 *
	                         where[m], or not at all if where[m] < 0; NULL:
	                         at out + 32 * m */
	uint16_t *out;
	size_t out_step;   /* distance between blocks, in bf16 */
	const float *bias; /* [rights * 32], or NULL */
	int relu;
	float *sums;        /* if not NULL: add differences from pivot and their
	                       squares, [rights][2][32] */
	const float *pivot; /* [rights * 32] */
	int past; /* use non-temporal stores; out is aligned to 64 bytes, and
	             where[] skips no line that is read soon */
};

/* Compute rows first .. last - 1. Up to 31 more rows are read, which must exist
 * but may hold any value; they are not stored. */
void amx_multiply(const struct amx_product *p, long first, long last);

/* tiles (+)= left * right, summed over 32 * steps.
 *
 * left   [steps][row half][16][32]
 * right  two column halves of [16 * steps][16][2]
 * tiles  [row half][column half][16][16]
 * add    0: start from zero
 * next   tiles of the next call, which are prefetched */
void amx_gram(int steps, const uint16_t *left, const uint16_t *right_low,
    const uint16_t *right_high, int add, float *tiles, const float *next);

/* Interleave pairs of rows of 32: out[half][16][2], the halves separate.
 *
 * rows        rows to read; an odd number is padded with a row of zeros
 * row_bytes   distance between rows
 * low, high   [rows / 2][16][2] for columns 0 .. 15 and 16 .. 31 */
void amx_pair_rows(
    const char *in, size_t row_bytes, long rows, uint16_t *low, uint16_t *high);

/* Transpose rows of 32: out[step][half][16][32] holds columns as rows of 32;
 * rows are padded with zeros to whole steps. */
void amx_turn(const char *in, size_t row_bytes, long rows, uint16_t *out);

/* Pack fp32 tiles of weights into a panel of pairs: of rows, [column half][16
 * row pairs][16][2], or transposed, [row half][16 column pairs][16][2]. Uses
 * non-temporal stores: call amx_fence() afterwards. panel is aligned to 64
 * bytes. */
void amx_pack_rows(const float *tiles, uint16_t *panel);
void amx_pack_turned(const float *tiles, uint16_t *panel);

/* Order the thread's non-temporal stores before its later stores. */
void amx_fence(void);

#endif
