/* Measures the peak rates of the cpu device with loops on all threads at once:
 * products in registers, reads and updates in each cache, and reads, updates
 * and a triad in memory. */
#include <config.h>

#ifdef HAVE_AMX_FLAGS
#include <immintrin.h>
#endif
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/process.h"
#include "trainer/base/parallel.h"
#include "trainer/device/cpu/kernels/cpu_kernels.h"
#include "trainer/device/memory_plan.h"
#ifdef HAVE_AMX_FLAGS
#include "trainer/device/cpu/kernels/amx.h"
#endif

/* Duration of a run: long compared with the start of the threads, short
 * compared with the time slices of other processes. */
static const double RUN_S = 0.001;
static const double LEAST_S = 0.1, MOST_S = 4; /* s to find a best run */

enum { LEAST_RUNS = 32, CHUNKS = 16 };
enum { ARRAYS = 3, LEAST_BYTES = 192 << 20, MOST_BYTES = 1 << 30 };

/* Loops to time. */
enum roof_run { RUN_PRODUCTS, RUN_READ, RUN_TRIAD, RUN_UPDATE };

struct measurement {
	const struct cpu_kernels *loops;
	float (*products)(long n);
	int threads;
	float *sums;  /* [threads] results, so that no loop is optimised away */
	float *array; /* cpu_roof_bytes() bytes */
	long chunks;  /* parts of array */
	cpu_set_t cpus;
};

#ifdef HAVE_AMX_FLAGS

enum { DOT_SUMS = 12 };

/* As cpu_kernels.products; each lane accumulates two products of bf16. */
__attribute__((target("avx512f,avx512bf16"))) static float
dot_products(long n)
{
	/* 2^-64 and 1 in both halves of each lane: small sums, not denormal. */
	const __m512bh x = (__m512bh)_mm512_set1_epi32(0x1f801f80);
	const __m512bh y = (__m512bh)_mm512_set1_epi32(0x3f803f80);
	__m512 s[DOT_SUMS], all = _mm512_setzero_ps();

#pragma GCC unroll 12
	for (int k = 0; k < DOT_SUMS; k++)
		s[k] = _mm512_set1_ps((float)k);
	for (long i = 0; i < n; i++)
#pragma GCC unroll 12
		for (int k = 0; k < DOT_SUMS; k++)
			s[k] = _mm512_dpbf16_ps(s[k], x, y);
#pragma GCC unroll 12
	for (int k = 0; k < DOT_SUMS; k++)
		all = _mm512_add_ps(all, s[k]);
	return _mm512_cvtss_f32(all);
}

static float
tile_products(long n)
{
	amx_begin();
	amx_products(n);
	amx_end();
	return 0;
}

#endif

/* Choose the products: AMX tiles or dot products for bf16; without them bf16 is
 * multiplied as fp32. */
static void
choose_products(
    struct measurement *m, enum isa isa, enum dtype type, struct cpu_roof *out)
{
	m->loops = cpu_kernels_find(DTYPE_FP32, isa);
	m->products = m->loops->products;
	out->isa = m->loops->isa;
	out->flop = 2.0 * m->loops->sums * m->loops->lanes;
#ifdef HAVE_AMX_FLAGS
	if (type == DTYPE_BF16 && isa == ISA_AMX) {
		m->products = tile_products;
		out->isa = "AMX";
		out->flop = AMX_PRODUCTS_FLOP;
	} else if (type == DTYPE_BF16 && isa == ISA_AVX512_BF16) {
		m->products = dot_products;
		out->isa = "AVX-512 bf16";
		out->flop = 4.0 * DOT_SUMS * CPU_LANES;
	}
#endif
	(void)type;
}

/* Run rounds first .. first + n - 1 on each thread. Each round uses the next of
 * the m->chunks parts of the array. */
static void
run(const struct measurement *m, enum roof_run what, long first, long n,
    size_t floats)
{
	const size_t third = floats / ARRAYS;

	PARALLEL_FOR
	for (int t = 0; t < m->threads; t++) {
		float sum = 0;

		if (what == RUN_PRODUCTS)
			sum = m->products(n);
		for (long i = first; what != RUN_PRODUCTS && i < first + n;
		     i++) {
			float *a = m->array +
			    ((size_t)(i % m->chunks) * (size_t)m->threads +
				(size_t)t) *
				floats;

			if (what == RUN_READ)
				sum += m->loops->read(a, floats);
			else if (what == RUN_TRIAD)
				m->loops->triad(
				    a, a + third, a + 2 * third, third);
			else
				m->loops->update(
				    a, a + third, a + 2 * third, third);
		}
		m->sums[t] = sum;
	}
}

/* Bind each thread to a CPU if there are as many threads as CPUs: on a busy
 * machine two threads may share one for seconds. */
static void
bind_threads(const struct measurement *m, int bind)
{
	const cpu_set_t all = m->cpus;

	if (CPU_COUNT(&all) != m->threads)
		return;
	PARALLEL_FOR
	for (int t = 0; t < m->threads; t++) {
		cpu_set_t set;
		int cpu = -1;

		CPU_ZERO(&set);
		for (int k = 0; k <= t; k++)
			do
				cpu++;
			while (!CPU_ISSET(cpu, &all));
		CPU_SET(cpu, &set);
		sched_setaffinity(0, sizeof set, bind ? &set : &all);
	}
}

/* Seconds per round in the best run. If other processes use the CPUs, most runs
 * are too long, so at least LEAST_RUNS are made. */
static double
best_round(const struct measurement *m, enum roof_run what, size_t floats)
{
	const double begin = seconds_now();
	double best = 0;
	long n = 1, first = 0;

	/* the first run wakes the threads and loads the caches */
	run(m, what, first, n, floats);
	for (int runs = 0; runs < LEAST_RUNS || seconds_now() - begin < LEAST_S;
	     runs++) {
		const double start = seconds_now();
		double s;

		if (start - begin > MOST_S)
			break;
		run(m, what, first += n, n, floats);
		s = seconds_now() - start;
		if (best <= 0 || s / (double)n < best)
			best = s / (double)n;
		if (s < RUN_S / 2) {
			n *= 2;
			runs = 0;
		}
	}
	return best > 0 ? best : 1;
}

/* Read a number from a file in /sys; "32768K" is in bytes. */
static double
read_number(int index, const char *name)
{
	char path[100], unit = ' ';
	double n = 0;
	FILE *f;

	snprintf(path, sizeof path,
	    "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, name);
	f = fopen(path, "r");
	if (f == NULL)
		return 0;
	if (fscanf(f, "%lf%c", &n, &unit) < 1)
		n = 0;
	fclose(f);
	return unit == 'K' ? 1024 * n : n;
}

/* Size of a data cache in bytes, as reported by the kernel (sysconf() counts
 * some CPUs' last level once per core); 0: unknown. */
static double
cache_size(int level)
{
	for (int i = 0; i < 8; i++)
		if ((int)read_number(i, "level") == level)
			return read_number(i, "size");
	return 0;
}

size_t
cpu_roof_bytes(void)
{
	const double want = 4 * cache_size(3);

	if (want <= LEAST_BYTES)
		return LEAST_BYTES;
	return want < MOST_BYTES ? (size_t)want : MOST_BYTES;
}

/* Floats per thread for a total number of bytes. */
static size_t
thread_floats(const struct measurement *m, double bytes)
{
	return (size_t)(bytes / sizeof(float) / m->threads /
		   (ROOF_ALIGN * ARRAYS)) *
	    ROOF_ALIGN * ARRAYS;
}

/* Bytes per second of all threads. */
static double
best_rate(const struct measurement *m, enum roof_run what, size_t floats)
{
	return (double)floats * sizeof(float) * m->threads /
	    best_round(m, what, floats);
}

/* Read rate or, if higher, update rate: some memories do both at once. */
static double
best_reads(const struct measurement *m, size_t floats)
{
	const double read = best_rate(m, RUN_READ, floats);
	const double update = best_rate(m, RUN_UPDATE, floats) * 5 / ARRAYS;

	return read > update ? read : update;
}

/* Read half of a cache repeatedly. */
static void
measure_cache(struct measurement *m, double size, struct roof *r)
{
	const size_t floats = thread_floats(m, size / 2);

	m->chunks = 1;
	if (floats == 0 || size / 2 > (double)cpu_roof_bytes())
		return;
	r->caches[r->n_caches++] =
	    (struct roof_cache){ size, best_reads(m, floats) };
}

void
cpu_roof_measure(
    enum isa isa, enum dtype type, int threads, struct cpu_roof *out)
{
	const size_t bytes = cpu_roof_bytes();
	struct measurement m = { .threads = threads };
	size_t floats;
	double read, triad;

	choose_products(&m, isa, type, out);
	m.sums = xcalloc((size_t)m.threads, sizeof *m.sums);
	m.array = memory_plan_map(bytes);
	CPU_ZERO(&m.cpus);
	sched_getaffinity(0, sizeof m.cpus, &m.cpus);
	bind_threads(&m, 1);
	/* Write all pages: unwritten ones map to the same zero page. */
	PARALLEL_FOR
	for (size_t i = 0; i < bytes / sizeof(float); i++)
		m.array[i] = 1;
	out->roof = (struct roof){ 0 };
	out->roof.flop_per_s =
	    out->flop * m.threads / best_round(&m, RUN_PRODUCTS, 0);
	measure_cache(&m, cache_size(2) * m.threads, &out->roof);
	measure_cache(&m, cache_size(3), &out->roof);
	/* Cycle through the whole array, so that no part is still cached when
	 * it is read again. Parts are short, so that some run is
	 * undisturbed. */
	m.chunks = CHUNKS;
	floats = thread_floats(&m, (double)bytes / CHUNKS);
	read = best_reads(&m, floats);
	triad = best_rate(&m, RUN_TRIAD, floats);
	out->roof.bytes_per_s = read > triad ? read : triad;
	bind_threads(&m, 0);
	memory_plan_unmap(m.array, bytes);
	free(m.sums);
}
