/* Products of bf16 matrices in AMX tiles (Intel 64 and IA-32 Architectures
 * Software Developer's Manual, volume 1, chapter 18), and the repacking that
 * they need.  One thread each; the convolutions of amx_conv.c are made of them.
 *
 * A tile holds 16 rows of 64 bytes.  TDPBF16PS adds to a 16 x 16 fp32 tile the
 * product of a 16 x 32 tile (rows of 32 bf16) and a 32 x 16 tile whose bf16 lie
 * in pairs of rows: 16 rows, each 16 times (even row, odd row).
 *
 * Sizes here come in blocks of 32: AMX_BLOCK rows or columns, two tiles wide.
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_AMX_H
#define TRAINER_DEVICE_CPU_KERNELS_AMX_H

#include <stddef.h>
#include <stdint.h>

enum {
	AMX_BLOCK = 32,
	AMX_PANEL = 1024,                         /* bf16 of a 32 x 32 block */
	AMX_PRODUCTS_FLOP = 4 * 2 * 16 * 16 * 32, /* of amx_products(1) */
	AMX_TILES = 1024 /* fp32 of a 32 x 32 block: four tiles, (row half,
	                     column half), each 16 x 16 */
};

/* True if this CPU and kernel have AMX.  Asks the kernel for permission, once
 * for the process. */
int amx_available(void);

/* Before and after a thread's use of the functions below. */
void amx_begin(void);
void amx_end(void);

/* Products of tiles in registers, n times four of them, whose result is thrown
 * away: the rate of the tile unit, with numbers as others have, as a CPU may be
 * faster with zeros. */
void amx_products(long n);

/* A matrix product, 32 rows by 32 columns at a time.
 *
 * Row m of the left matrix is made of `steps` pieces of 32 bf16: piece s lies
 * at left + m * row_bytes + pieces[s].  The right matrix is `rights` blocks of
 * 32 columns, each `steps` panels of 32 x 32 in pairs of rows,
 * [block][step][column half][16][16][2].  The result is 32 bf16 a row of each
 * block. */
struct amx_product {
	const char *left;
	size_t row_bytes;
	const ptrdiff_t *pieces; /* bytes */
	int steps, rights;
	const uint16_t *right;
	const int32_t *where; /* row m of the result goes to out + 32 *
	                         where[m], nowhere if that is < 0; NULL: to
	                         out + 32 * m */
	uint16_t *out;
	size_t out_step;   /* bf16 from a block of the result to the next */
	const float *bias; /* [rights * 32], or NULL */
	int relu;
	float *sums; /* if not NULL: add the result's distances from pivot and
	                their squares, [rights][2][32] */
	const float *pivot; /* [rights * 32] */
	int past; /* write past the caches: where[] leaves no line out that is
	             read soon, and out is aligned to 64 bytes */
};

/* Rows first .. last - 1; up to 31 rows more are read (and must be there, as
 * finite numbers or not), not written. */
void amx_multiply(const struct amx_product *p, long first, long last);

/* tiles (+)= left * right, summed over 32 * steps.
 *
 * left   [steps][row half][16][32]
 * right  two column halves of [16 * steps][16][2]
 * tiles  [row half][column half][16][16]
 * add    0: start from zero
 * next   tiles of the next call, which are fetched meanwhile */
void amx_gram(int steps, const uint16_t *left, const uint16_t *right_low,
    const uint16_t *right_high, int add, float *tiles, const float *next);

/* Two rows of 32 into pairs: out[half][16][2], the halves apart.
 *
 * rows        how many rows are read; an even number is written, with zeros
 * row_bytes   from one row to the next
 * low, high   [rows / 2][16][2] for columns 0 .. 15 and 16 .. 31 */
void amx_pair_rows(
    const char *in, size_t row_bytes, long rows, uint16_t *low, uint16_t *high);

/* Rows of 32 turned: out[step][half][16][32] holds columns as rows of 32; rows
 * is padded with zeros to whole steps. */
void amx_turn(const char *in, size_t row_bytes, long rows, uint16_t *out);

/* fp32 tiles of weights to a panel of pairs: of rows, [column half][16 row
 * pairs][16][2], or turned, [row half][16 column pairs][16][2].  They go past
 * the caches, amx_fence() is to follow; panel is aligned to 64 bytes. */
void amx_pack_rows(const float *tiles, uint16_t *panel);
void amx_pack_turned(const float *tiles, uint16_t *panel);

/* What the calling thread wrote past the caches is there for all before what it
 * writes next. */
void amx_fence(void);

#endif
