/* Matrix products in AMX tiles, compiled with AMX instructions: call it only if
 * amx_available() returned 1. */
#include <config.h>

#include "trainer/device/cpu/kernels/amx.h"

#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trainer/device/cpu/kernels/transpose.h"

/* arch_prctl(2) */
enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };

/* Bytes of a right matrix that fit the L2 cache with part of the left one. */
enum { CACHED_PANELS = 5 << 18 };

int
amx_available(void)
{
	unsigned a, b, c, d;

	if (!__builtin_cpu_supports("avx512f") ||
	    !__builtin_cpu_supports("avx512bw") ||
	    !__builtin_cpu_supports("avx512dq") ||
	    !__builtin_cpu_supports("avx512vl") ||
	    !__builtin_cpu_supports("avx512bf16"))
		return 0;
	/* CPUID leaf 7: EDX bit 22 is AMX-BF16, bit 24 AMX-TILE. */
	__asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(7), "c"(0));
	if ((d & 1u << 22) == 0 || (d & 1u << 24) == 0)
		return 0;
	return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

/* Eight tiles of 16 rows of 64 bytes. Static: GCC 12 does not know that
 * _tile_loadconfig reads all 64 bytes and would drop stores to a local. */
static const struct {
	uint8_t palette, start;
	uint8_t reserved[14];
	uint16_t columns[16];
	uint8_t rows[16];
} config __attribute__((aligned(64))) = {
	.palette = 1,
	.columns = { 64, 64, 64, 64, 64, 64, 64, 64 },
	.rows = { 16, 16, 16, 16, 16, 16, 16, 16 },
};

void
amx_begin(void)
{
	_tile_loadconfig(&config);
}

void
amx_end(void)
{
	_tile_release();
}

/* bf16 of both signs between 2^-7 and 2^-6, with varied mantissas, whose sums
 * of products stay small. */
static void
fill_operands(uint16_t *to, int n)
{
	uint32_t x = 1;

	for (int i = 0; i < n; i++) {
		x = x * UINT32_C(1664525) + UINT32_C(1013904223);
		to[i] = (uint16_t)(0x3c00 | (x >> 16 & 0x807f));
	}
	__asm__ volatile("" ::: "memory"); /* read by _tile_loadd */
}

void
amx_products(long n)
{
	uint16_t operands[4][512] __attribute__((aligned(64)));

	fill_operands(operands[0], 4 * 512);
	_tile_zero(0);
	_tile_zero(1);
	_tile_zero(2);
	_tile_zero(3);
	_tile_loadd(4, operands[0], 64);
	_tile_loadd(5, operands[1], 64);
	_tile_loadd(6, operands[2], 64);
	_tile_loadd(7, operands[3], 64);
	for (long i = 0; i < n; i++) {
		_tile_dpbf16ps(0, 4, 6);
		_tile_dpbf16ps(1, 4, 7);
		_tile_dpbf16ps(2, 5, 6);
		_tile_dpbf16ps(3, 5, 7);
	}
}

/* Store a line with a non-temporal store. */
static inline void
put_past(uint16_t *out, __m512i line)
{
	_mm512_stream_si512((__m512i *)(void *)out, line);
}

/* A block of a product, in the order of computation. Results of one block are
 * finished while the tiles of the next are multiplied. */
struct block {
	long row;  /* first row */
	int right; /* block of columns */
	int n;     /* number of rows, at most 32 */
};

typedef float block_tiles[4][256];

/* Steps of finishing a block. Each function is compiled for a constant set, so
 * that unused steps cost nothing. */
enum { FINISH_SUMS = 1, FINISH_MORE = 2 /* where, bias, ReLU */ };

/* Column sums of a block: for half h of the columns, differences in of[h],
 * squares in of[2 + h]. */
struct column_sums {
	__m512 of[4], pivot[2];
};

static inline __attribute__((always_inline)) void
start_sums(
    const struct amx_product *p, const struct block *at, struct column_sums *s)
{
	for (int i = 0; i < 4; i++)
		s->of[i] = _mm512_setzero_ps();
	for (int h = 0; h < 2; h++)
		s->pivot[h] =
		    _mm512_loadu_ps(p->pivot + at->right * AMX_BLOCK + 16 * h);
}

static inline __attribute__((always_inline)) void
add_row(struct column_sums *s, __m512 a, __m512 b)
{
	const __m512 da = _mm512_sub_ps(a, s->pivot[0]);
	const __m512 db = _mm512_sub_ps(b, s->pivot[1]);

	s->of[0] = _mm512_add_ps(s->of[0], da);
	s->of[1] = _mm512_add_ps(s->of[1], db);
	s->of[2] = _mm512_fmadd_ps(da, da, s->of[2]);
	s->of[3] = _mm512_fmadd_ps(db, db, s->of[3]);
}

static inline __attribute__((always_inline)) void
keep_sums(const struct amx_product *p, const struct block *at,
    const struct column_sums *s)
{
	float *to = p->sums + at->right * 2 * AMX_BLOCK;

	for (int i = 0; i < 4; i++)
		_mm512_storeu_ps(to + 16 * i,
		    _mm512_add_ps(_mm512_loadu_ps(to + 16 * i), s->of[i]));
}

/* Round rows from .. to - 1 of a block and store them. */
static inline __attribute__((always_inline)) void
finish_rows(const struct amx_product *p, const float (*tiles)[256],
    const struct block *at, int from, int to, struct column_sums *sums,
    const int how)
{
	const int more = how & FINISH_MORE;
	uint16_t *out = p->out + (size_t)at->right * p->out_step;
	const float *bias =
	    !more || p->bias == NULL ? NULL : p->bias + at->right * AMX_BLOCK;

	for (int i = from; i < to; i++) {
		const float *low = tiles[i / 16 * 2] + i % 16 * 16;
		__m512 a = _mm512_load_ps(low), b = _mm512_load_ps(low + 256);
		long row = at->row + i;
		__m512i both;

		if (more && p->where != NULL) {
			row = p->where[row];
			if (row < 0)
				continue;
		}
		if (bias != NULL) {
			a = _mm512_add_ps(a, _mm512_loadu_ps(bias));
			b = _mm512_add_ps(b, _mm512_loadu_ps(bias + 16));
		}
		if (more && p->relu) {
			a = _mm512_max_ps(_mm512_setzero_ps(), a);
			b = _mm512_max_ps(_mm512_setzero_ps(), b);
		}
		if (how & FINISH_SUMS)
			add_row(sums, a, b);
		both = (__m512i)_mm512_cvtne2ps_pbh(b, a);
		if (p->past)
			put_past(out + 32 * row, both);
		else
			_mm512_storeu_si512(out + 32 * row, both);
	}
}

/* Multiply a block into `tiles` while finishing the one before. */
static inline __attribute__((always_inline)) void
multiply_block(const struct amx_product *p, const struct block *at,
    float (*tiles)[256], const struct block *before, const float (*done)[256],
    const int how)
{
	const char *left = p->left + (size_t)at->row * p->row_bytes;
	const uint16_t *right =
	    p->right + (size_t)at->right * (size_t)p->steps * AMX_PANEL;
	const size_t row = p->row_bytes;
	const int each = (32 + p->steps - 1) / p->steps;
	struct column_sums sums;
	int finished = 0;

	if (how & FINISH_SUMS)
		start_sums(p, before, &sums);
	_tile_zero(0);
	_tile_zero(1);
	_tile_zero(2);
	_tile_zero(3);
	for (int s = 0; s < p->steps; s++, right += AMX_PANEL) {
		const char *a = left + p->pieces[s];
		int to = finished + each;

		_tile_loadd(4, a, row);
		_tile_loadd(6, right, 64);
		_tile_loadd(5, a + 16 * row, row);
		_tile_loadd(7, right + AMX_PANEL / 2, 64);
		_tile_dpbf16ps(0, 4, 6);
		_tile_dpbf16ps(1, 4, 7);
		_tile_dpbf16ps(2, 5, 6);
		_tile_dpbf16ps(3, 5, 7);
		to = to < before->n ? to : before->n;
		finish_rows(p, done, before, finished, to, &sums, how);
		finished = to;
	}
	if (how & FINISH_SUMS)
		keep_sums(p, before, &sums);
	_tile_stored(0, tiles[0], 64);
	_tile_stored(1, tiles[1], 64);
	_tile_stored(2, tiles[2], 64);
	_tile_stored(3, tiles[3], 64);
}

/* Finish the last block. */
static inline __attribute__((always_inline)) void
finish_last(const struct amx_product *p, const struct block *at,
    const float (*tiles)[256], const int how)
{
	struct column_sums sums;

	if (how & FINISH_SUMS)
		start_sums(p, at, &sums);
	finish_rows(p, tiles, at, 0, at->n, &sums, how);
	if (how & FINISH_SUMS)
		keep_sums(p, at, &sums);
}

/* Multiply rows first .. last - 1 by blocks right .. end - 1, by 32 rows. */
static inline __attribute__((always_inline)) void
multiply_rows(const struct amx_product *job, long first, long last, int right,
    int end, const int how)
{
	const struct amx_product p = *job;
	block_tiles tiles[2] __attribute__((aligned(64)));
	struct block before = { first, right, 0 };
	int which = 0;

	for (long m = first; m < last; m += 32)
		for (int r = right; r < end; r++, which = 1 - which) {
			const struct block now = { m, r,
				last - m < 32 ? (int)(last - m) : 32 };

			multiply_block(&p, &now, tiles[which], &before,
			    (const float(*)[256])tiles[1 - which], how);
			before = now;
		}
	finish_last(&p, &before, (const float(*)[256])tiles[1 - which], how);
	if (p.past)
		_mm_sfence();
}

void
amx_multiply(const struct amx_product *p, long first, long last)
{
	const int sums = p->sums != NULL;
	const int more = p->where != NULL || p->bias != NULL || p->relu;
	const size_t panels = (size_t)p->rights * (size_t)p->steps;
	const int step = panels * AMX_PANEL * sizeof *p->right <= CACHED_PANELS
	    ? p->rights
	    : 1;

	for (int r = 0; r < p->rights; r += step)
		if (sums && more)
			multiply_rows(p, first, last, r, r + step,
			    FINISH_SUMS | FINISH_MORE);
		else if (sums)
			multiply_rows(p, first, last, r, r + step, FINISH_SUMS);
		else if (more)
			multiply_rows(p, first, last, r, r + step, FINISH_MORE);
		else
			multiply_rows(p, first, last, r, r + step, 0);
}

void
amx_gram(int steps, const uint16_t *left, const uint16_t *right_low,
    const uint16_t *right_high, int add, float *tiles, const float *next)
{
	const int each = (AMX_TILES / 16 + steps - 1) / steps;
	int fetched = 0;

	if (add) {
		_tile_loadd(0, tiles, 64);
		_tile_loadd(1, tiles + 256, 64);
		_tile_loadd(2, tiles + 512, 64);
		_tile_loadd(3, tiles + 768, 64);
	} else {
		_tile_zero(0);
		_tile_zero(1);
		_tile_zero(2);
		_tile_zero(3);
	}
	for (int s = 0; s < steps; s++) {
		_tile_loadd(4, left, 64);
		_tile_loadd(6, right_low, 64);
		_tile_loadd(5, left + 512, 64);
		_tile_loadd(7, right_high, 64);
		_tile_dpbf16ps(0, 4, 6);
		_tile_dpbf16ps(1, 4, 7);
		_tile_dpbf16ps(2, 5, 6);
		_tile_dpbf16ps(3, 5, 7);
		for (int i = 0; i < each && fetched < AMX_TILES / 16; i++)
			__builtin_prefetch(next + 16 * fetched++, 1);
		left += AMX_PANEL;
		right_low += 512;
		right_high += 512;
	}
	_tile_stored(0, tiles, 64);
	_tile_stored(1, tiles + 256, 64);
	_tile_stored(2, tiles + 512, 64);
	_tile_stored(3, tiles + 768, 64);
}

/* Indexes that interleave two rows of 32 words, the second counted from 32:
 * weave_low takes columns 0 .. 15 of both, weave_high columns 16 .. 31. */
#define WEAVE(c) (c), (c) + 32
#define WEAVE4(c) WEAVE(c), WEAVE((c) + 1), WEAVE((c) + 2), WEAVE((c) + 3)

static const uint16_t weave_low[32] __attribute__((aligned(64))) = { WEAVE4(0),
	WEAVE4(4), WEAVE4(8), WEAVE4(12) };
static const uint16_t weave_high[32] __attribute__((
    aligned(64))) = { WEAVE4(16), WEAVE4(20), WEAVE4(24), WEAVE4(28) };

void
amx_pair_rows(
    const char *in, size_t row_bytes, long rows, uint16_t *low, uint16_t *high)
{
	const __m512i wl = _mm512_load_si512(weave_low);
	const __m512i wh = _mm512_load_si512(weave_high);

	for (long i = 0; i < rows; i += 2) {
		__m512i a = _mm512_loadu_si512(in + (size_t)i * row_bytes);
		__m512i b = i + 1 < rows
		    ? _mm512_loadu_si512(in + (size_t)(i + 1) * row_bytes)
		    : _mm512_setzero_si512();

		_mm512_storeu_si512(
		    low + i * 16, _mm512_permutex2var_epi16(a, wl, b));
		_mm512_storeu_si512(
		    high + i * 16, _mm512_permutex2var_epi16(a, wh, b));
	}
}

void
amx_turn(const char *in, size_t row_bytes, long rows, uint16_t *out)
{
	const __m512i wl = _mm512_load_si512(weave_low);
	const __m512i wh = _mm512_load_si512(weave_high);

	for (long first = 0; first < rows; first += 32, out += AMX_PANEL) {
		__m512i low[16], high[16];

		for (long i = 0; i < 16; i++) {
			const long row = first + 2 * i;
			__m512i a = _mm512_setzero_si512(), b = a;

			if (row < rows)
				a = _mm512_loadu_si512(
				    in + (size_t)row * row_bytes);
			if (row + 1 < rows)
				b = _mm512_loadu_si512(
				    in + (size_t)(row + 1) * row_bytes);
			low[i] = _mm512_permutex2var_epi16(a, wl, b);
			high[i] = _mm512_permutex2var_epi16(a, wh, b);
		}
		transpose_16(low);
		transpose_16(high);
		for (int i = 0; i < 16; i++) {
			_mm512_storeu_si512(out + 32 * i, low[i]);
			_mm512_storeu_si512(out + 512 + 32 * i, high[i]);
		}
	}
}

void
amx_fence(void)
{
	_mm_sfence();
}

void
amx_pack_rows(const float *tiles, uint16_t *panel)
{
	const __m512i wl = _mm512_load_si512(weave_low);

	for (int half = 0; half < 2; half++)
		for (int pair = 0; pair < 16; pair++) {
			const float *row =
			    tiles + pair / 8 * 512 + half * 256 + pair % 8 * 32;
			__m512i both = (__m512i)_mm512_cvtne2ps_pbh(
			    _mm512_loadu_ps(row + 16), _mm512_loadu_ps(row));

			/* second row: words 16 .. 31 */
			both = _mm512_permutex2var_epi16(
			    both, wl, _mm512_shuffle_i64x2(both, both, 0x0e));
			put_past(panel + half * 512 + pair * 32, both);
		}
}

void
amx_pack_turned(const float *tiles, uint16_t *panel)
{
	for (int half = 0; half < 2; half++) {
		__m512i r[16];

		for (int i = 0; i < 16; i++) {
			const float *row = tiles + half * 512 + i * 16;

			r[i] = (__m512i)_mm512_cvtne2ps_pbh(
			    _mm512_loadu_ps(row + 256), _mm512_loadu_ps(row));
		}
		transpose_16(r);
		for (int i = 0; i < 16; i++)
			put_past(panel + half * 512 + i * 32, r[i]);
	}
}
