/* The loops by which the cpu device finds out what its cores can do. Each is
 * compiled for its own instructions, so one file has them all; cpu_roof.c asks
 * which this CPU can run. */
#include <config.h>

#include "trainer/device/cpu/kernels/roof_loops.h"

#include <stdint.h>

#include "trainer/base/isa.h"
#ifdef HAVE_X86_FLAGS
#include <immintrin.h>
#endif
#ifdef HAVE_AMX_FLAGS
#include "trainer/device/cpu/kernels/amx.h"
#endif

/* Twelve sums hide the latency of any multiply-add so far (four or five cycles
 * at two a cycle), and fit with two factors into sixteen registers. */
#define EACH_SUM(do) \
	do \
	(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7) do(8) do(9) do(10) do(11)
enum { SUMS = 12 };

/* Sums of products begin apart, or the compiler would compute one for all. */
#define NEW_SUM(k) VEC s##k = SET((float)(k));
#define NO_SUM(k) VEC s##k = SET(0.0F);
#define MULTIPLY(k) s##k = MULTIPLY_ADD(s##k, x, y);
#define ADD_READ(k) s##k = ADD(s##k, LOAD(a + i + (k)*LANES));
#define ADD_UP(k) all = ADD(all, s##k);

/* The loops in one set of instructions; sums of products go to 2 and are never
 * denormal. */
#define ROOF_LOOPS(isa) \
	TARGET static float products_##isa(long n) \
	{ \
		const VEC x = SET(0.5F), y = SET(1.0F); \
		VEC all = SET(0.0F); \
		EACH_SUM(NEW_SUM) \
		for (long i = 0; i < n; i++) { \
			EACH_SUM(MULTIPLY) \
		} \
		EACH_SUM(ADD_UP) \
		return FIRST(all); \
	} \
	TARGET static float read_##isa(const float *a, size_t n) \
	{ \
		VEC all = SET(0.0F); \
		size_t i = 0; \
		EACH_SUM(NO_SUM) \
		for (; i + SUMS * LANES <= n; i += SUMS * LANES) { \
			EACH_SUM(ADD_READ) \
		} \
		for (; i < n; i += LANES) \
			all = ADD(all, LOAD(a + i)); \
		EACH_SUM(ADD_UP) \
		return FIRST(all); \
	} \
	TARGET static void triad_##isa( \
	    float *a, const float *b, const float *c, size_t n) \
	{ \
		const VEC x = SET(0.5F); \
		for (size_t i = 0; i < n; i += LANES) \
			STREAM( \
			    a + i, MULTIPLY_ADD(LOAD(b + i), x, LOAD(c + i))); \
		FENCE(); \
	} \
	TARGET static void update_##isa( \
	    float *a, float *b, const float *c, size_t n) \
	{ \
		const VEC x = SET(0.5F), y = SET(-0.25F); \
		for (size_t i = 0; i < n; i += LANES) { \
			const VEC v = \
			    MULTIPLY_ADD(LOAD(b + i), x, LOAD(c + i)); \
			STORE(b + i, v); \
			STORE(a + i, MULTIPLY_ADD(v, y, LOAD(a + i))); \
		} \
	}

typedef float vec4 __attribute__((vector_size(16)));

#define TARGET
#define VEC vec4
#define LANES 4
#define SET(f) ((vec4){ 0 } + (f))
#define MULTIPLY_ADD(s, x, y) ((s) * (x) + (y))
#define ADD(a, b) ((a) + (b))
#define LOAD(p) (*(const vec4 *)(const void *)(p))
#define STORE(p, v) (*(vec4 *)(void *)(p) = (v))
#define STREAM STORE
#define FENCE() ((void)0)
#define FIRST(v) ((v)[0])
ROOF_LOOPS(plain)

static const struct roof_loops plain = { "plain", products_plain,
	2.0 * SUMS *LANES, read_plain, triad_plain, update_plain };

#ifdef HAVE_X86_FLAGS
#undef TARGET
#undef VEC
#undef LANES
#undef SET
#undef MULTIPLY_ADD
#undef ADD
#undef LOAD
#undef STORE
#undef STREAM
#undef FENCE
#undef FIRST
#define TARGET __attribute__((target("avx2,fma")))
#define VEC __m256
#define LANES 8
#define SET _mm256_set1_ps
#define MULTIPLY_ADD _mm256_fmadd_ps
#define ADD _mm256_add_ps
#define LOAD _mm256_load_ps
#define STORE _mm256_store_ps
#define STREAM _mm256_stream_ps
#define FENCE _mm_sfence
#define FIRST _mm256_cvtss_f32
ROOF_LOOPS(avx2)

static const struct roof_loops avx2 = { "AVX2", products_avx2,
	2.0 * SUMS *LANES, read_avx2, triad_avx2, update_avx2 };

#undef TARGET
#undef VEC
#undef LANES
#undef SET
#undef MULTIPLY_ADD
#undef ADD
#undef LOAD
#undef STORE
#undef STREAM
#undef FIRST
#define TARGET __attribute__((target("avx512f")))
#define VEC __m512
#define LANES 16
#define SET _mm512_set1_ps
#define MULTIPLY_ADD _mm512_fmadd_ps
#define ADD _mm512_add_ps
#define LOAD _mm512_load_ps
#define STORE _mm512_store_ps
#define STREAM _mm512_stream_ps
#define FIRST _mm512_cvtss_f32
ROOF_LOOPS(avx512)

static const struct roof_loops avx512 = { "AVX-512", products_avx512,
	2.0 * SUMS *LANES, read_avx512, triad_avx512, update_avx512 };
#endif

#ifdef HAVE_AMX_FLAGS
/* Each lane of a sum gets two products of bf16. */
#define DOT(k) s##k = _mm512_dpbf16_ps(s##k, x, y);

__attribute__((target("avx512f,avx512bf16"))) static float
products_bf16(long n)
{
	/* 2^-64 and 1 in both halves of each lane: sums stay small, and are no
	 * denormals. */
	const __m512bh x = (__m512bh)_mm512_set1_epi32(0x1f801f80);
	const __m512bh y = (__m512bh)_mm512_set1_epi32(0x3f803f80);
	VEC all = SET(0.0F);

	EACH_SUM(NEW_SUM)
	for (long i = 0; i < n; i++) {
		EACH_SUM(DOT)
	}
	EACH_SUM(ADD_UP)
	return FIRST(all);
}

static float
products_tiles(long n)
{
	amx_begin();
	amx_products(n);
	amx_end();
	return 0;
}

static const struct roof_loops dot = { "AVX-512 bf16", products_bf16,
	4.0 * SUMS *LANES, read_avx512, triad_avx512, update_avx512 };
static const struct roof_loops tiles = { "AMX", products_tiles,
	AMX_PRODUCTS_FLOP, read_avx512, triad_avx512, update_avx512 };
#endif

const struct roof_loops *
roof_loops_find(enum dtype type, int has_tiles)
{
#ifdef HAVE_AMX_FLAGS
	if (type == DTYPE_BF16 && has_tiles)
		return &tiles;
	if (type == DTYPE_BF16 && isa_runs_avx512() &&
	    __builtin_cpu_supports("avx512bf16"))
		return &dot;
#endif
	(void)type;
	(void)has_tiles;
#ifdef HAVE_X86_FLAGS
	if (isa_runs_avx512())
		return &avx512;
	if (isa_runs_avx2())
		return &avx2;
#endif
	return &plain;
}
