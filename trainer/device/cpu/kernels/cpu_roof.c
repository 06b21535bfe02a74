/* The roofs of the cpu device: loops of products in registers, of reading and
 * updating in each cache, and of these and a triad in memory, on all threads at
 * once. cpu.c has them measured before a run that is profiled. */
#include <config.h>

#include "trainer/device/cpu/kernels/cpu_roof.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/process.h"
#include "trainer/base/parallel.h"
#include "trainer/device/cpu/kernels/roof_loops.h"
#include "trainer/device/memory_plan.h"

/* Long against the start of a loop's threads, short against the slices of time
 * that other processes take. */
static const double RUN_S = 0.001;
static const double LEAST_S = 0.1, MOST_S = 4; /* for the best run of a kind */

enum { LEAST_RUNS = 100, CHUNKS = 16 };
enum { ARRAYS = 3, LEAST_BYTES = 192 << 20, MOST_BYTES = 1 << 30 };

struct measurement {
	const struct roof_loops *loops;
	int threads;
	float *sums;  /* [threads] keeps what is computed */
	float *array; /* of cpu_roof_bytes() */
	long chunks;  /* parts of it */
	cpu_set_t cpus;
};

/* What a run does: rounds first .. first + n - 1 of some kind on each thread,
 * each on the next of m->chunks parts of the array. */
typedef void (*run_fn)(
    const struct measurement *m, long first, long n, size_t floats);

static void
run_products(const struct measurement *m, long first, long n, size_t floats)
{
	(void)first;
	(void)floats;
	PARALLEL_FOR
	for (int t = 0; t < m->threads; t++)
		m->sums[t] = m->loops->products(n);
}

/* Where a thread's floats of a round begin. */
static float *
round_floats(const struct measurement *m, int thread, long i, size_t floats)
{
	const size_t chunk = (size_t)(i % m->chunks);

	return m->array +
	    (chunk * (size_t)m->threads + (size_t)thread) * floats;
}

static void
run_read(const struct measurement *m, long first, long n, size_t floats)
{
	PARALLEL_FOR
	for (int t = 0; t < m->threads; t++) {
		float sum = 0;

		for (long i = first; i < first + n; i++)
			sum += m->loops->read(
			    round_floats(m, t, i, floats), floats);
		m->sums[t] = sum;
	}
}

static void
run_triad(const struct measurement *m, long first, long n, size_t floats)
{
	const size_t third = floats / ARRAYS;

	PARALLEL_FOR
	for (int t = 0; t < m->threads; t++)
		for (long i = first; i < first + n; i++) {
			float *a = round_floats(m, t, i, floats);

			m->loops->triad(a, a + third, a + 2 * third, third);
		}
}

static void
run_update(const struct measurement *m, long first, long n, size_t floats)
{
	const size_t third = floats / ARRAYS;

	PARALLEL_FOR
	for (int t = 0; t < m->threads; t++)
		for (long i = first; i < first + n; i++) {
			float *a = round_floats(m, t, i, floats);

			m->loops->update(a, a + third, a + 2 * third, third);
		}
}

/* Where the threads take all CPUs that they may run on, each has one for itself
 * while it is measured: on a busy machine two may share one for seconds, until
 * the kernel moves one of them. */
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

/* Pages that were never written are all the same one. */
static void
fill_array(const struct measurement *m, size_t n)
{
	PARALLEL_FOR
	for (size_t i = 0; i < n; i++)
		m->array[i] = 1;
}

/* Seconds of a round in the best run.  Where other work takes the CPUs most
 * runs are too long, so some number of them are made in any case. */
static double
best_round(const struct measurement *m, run_fn run, size_t floats)
{
	const double begin = seconds_now();
	double best = 0;
	long n = 1, first = 0;

	run(m, first, n,
	    floats); /* wakes the threads, brings data to the caches */
	for (int runs = 0; runs < LEAST_RUNS || seconds_now() - begin < LEAST_S;
	     runs++) {
		const double start = seconds_now();
		double s;

		if (start - begin > MOST_S)
			break;
		run(m, first += n, n, floats);
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

/* A number in a file of the kernel's; "32768K" are bytes. */
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

/* Bytes of a cache of data, as the kernel reports it (sysconf() counts some
 * CPUs' last level once for each core); 0: not known. */
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

/* Floats of a thread's part of so many bytes. */
static size_t
thread_floats(const struct measurement *m, double bytes)
{
	return (size_t)(bytes / sizeof(float) / m->threads /
		   (ROOF_LOOPS_ALIGN * ARRAYS)) *
	    ROOF_LOOPS_ALIGN * ARRAYS;
}

/* Bytes a second of all threads. */
static double
best_rate(const struct measurement *m, run_fn run, size_t floats)
{
	return (double)floats * sizeof(float) * m->threads /
	    best_round(m, run, floats);
}

/* The same where numbers that were read are written back: some memories take
 * them while they give others. */
static double
best_reads(const struct measurement *m, size_t floats)
{
	const double read = best_rate(m, run_read, floats);
	const double update = best_rate(m, run_update, floats) * 5 / ARRAYS;

	return read > update ? read : update;
}

/* Half of a cache is read again and again. */
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

/* All of the array in turns, so that a part is no longer in a cache when it is
 * read again; parts are short, so that some run is one that nothing delays. */
static void
measure_memory(struct measurement *m, struct roof *r)
{
	size_t floats;
	double read, triad;

	m->chunks = CHUNKS;
	floats = thread_floats(m, (double)cpu_roof_bytes() / CHUNKS);
	read = best_reads(m, floats);
	triad = best_rate(m, run_triad, floats);
	r->bytes_per_s = read > triad ? read : triad;
}

void
cpu_roof_measure(const struct device_config *c, int tiles, struct cpu_roof *out)
{
	const size_t bytes = cpu_roof_bytes();
	struct measurement m = { .loops = roof_loops_find(c->precision, tiles),
		.threads = c->threads };

	m.sums = xcalloc((size_t)m.threads, sizeof *m.sums);
	m.array = memory_plan_map(bytes);
	CPU_ZERO(&m.cpus);
	sched_getaffinity(0, sizeof m.cpus, &m.cpus);
	bind_threads(&m, 1);
	fill_array(&m, bytes / sizeof(float));
	out->roof = (struct roof){ 0 };
	out->isa = m.loops->name;
	out->roof.flop_per_s =
	    m.loops->flop * m.threads / best_round(&m, run_products, 0);
	measure_cache(&m, cache_size(2) * m.threads, &out->roof);
	measure_cache(&m, cache_size(3), &out->roof);
	measure_memory(&m, &out->roof);
	bind_threads(&m, 0);
	memory_plan_unmap(m.array, bytes);
	free(m.sums);
}
