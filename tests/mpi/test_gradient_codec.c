/* Gradient allreduce on real ranks: fp16, bf16 and levels. Levels need several
 * machines: run with DLSCALE_RANKS_PER_NODE=2 on four ranks. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/host_staging_memory.h"
#include "tests/mpi/mpi_tap.h"
#include "trainer/sync/gradient_reducer.h"

/* Above a million elements, some are sent while others are converted. */
static const size_t sizes[] = { 0, 1, 2, 3, 1023, 100003, 2500009 };
enum { MOST = 2500009 };

/* Whole multiples of the ranks, small enough for bf16: exact in any order. */
static float
gradient(size_t i, int rank)
{
	return (float)(world->size * ((int)(i % 13) - 6 + rank));
}

static float
sum_of(size_t i)
{
	float sum = 0;

	for (int r = 0; r < world->size; r++)
		sum += gradient(i, r);
	return sum;
}

static void
try_sums(enum dtype wire, int hierarchical)
{
	const struct gradient_codec_config config = { .wire = wire,
		.hierarchical = hierarchical };
	const int levels =
	    hierarchical && world->n_nodes > 1 && world->local_size > 1;
	const int compressed = wire != DTYPE_FP32;
	struct error e = ERROR_INIT;
	struct gradient_codec *c;

	ALL(gradient_codec_open(world, DTYPE_FP32, MOST, &config, &c, &e) == 0);
	ALL(gradient_codec_is_hierarchical(c) == levels);
	ALL(gradient_codec_element(c) == (compressed ? 2 : 4));
	ALL(gradient_codec_scale(c) == (compressed ? 1 : 1.0 / world->size));
	for (int k = 0; k < N_TESTS(sizes); k++) {
		const size_t n = sizes[k];
		float *f = xcalloc(n + 1, sizeof *f);
		int wrong = 0;

		for (size_t i = 0; i <= n; i++)
			f[i] = gradient(i, world->rank);
		wrong |= gradient_codec_allreduce(c, f, n, &e);
		for (size_t i = 0; i < n; i++)
			wrong |= f[i] * (float)gradient_codec_scale(c) !=
			    sum_of(i) / (float)world->size;
		wrong |= f[n] != gradient(n, world->rank);
		free(f);
		ALL(!wrong);
	}
	gradient_codec_close(c);
}

static void
test_flat(void)
{
	try_sums(DTYPE_FP32, 0);
	try_sums(DTYPE_FP16, 0);
	try_sums(DTYPE_BF16, 0);
}

/* True if machines have different numbers of ranks. */
static int
is_uneven(void)
{
	return !all_ranks(world->n_nodes * world->local_size == world->size);
}

static void
test_levels(void)
{
	if (is_uneven())
		SKIP("not as many ranks on each machine");
	try_sums(DTYPE_FP32, 1);
	try_sums(DTYPE_FP16, 1);
	try_sums(DTYPE_BF16, 1);
}

/* Return the calls and bytes of a level in an allreduce of n gradients. */
static struct comm_count
count_of(enum dtype wire, int hierarchical, int level, size_t n)
{
	const struct gradient_codec_config config = { .wire = wire,
		.hierarchical = hierarchical };
	static float f[1000];
	struct comm_count before, after;
	struct gradient_codec *c;

	gradient_codec_open(world, DTYPE_FP32, 1000, &config, &c, NULL);
	before = gradient_codec_count(c, level);
	gradient_codec_allreduce(c, f, n, NULL);
	after = gradient_codec_count(c, level);
	gradient_codec_close(c);
	return (struct comm_count){ after.calls - before.calls,
		after.bytes - before.bytes };
}

static uint64_t
bytes_of(enum dtype wire, int hierarchical, int level)
{
	return count_of(wire, hierarchical, level, 1000).bytes;
}

/* fp16 and bf16 take half of the bytes, to the byte, on each level. */
static void
test_bytes(void)
{
	ALL(bytes_of(DTYPE_FP32, 0, GRADIENT_CODEC_ALL) == 4000);
	ALL(bytes_of(DTYPE_FP16, 0, GRADIENT_CODEC_ALL) == 2000);
	ALL(bytes_of(DTYPE_BF16, 0, GRADIENT_CODEC_ALL) == 2000);
	ALL(bytes_of(DTYPE_FP32, 0, GRADIENT_CODEC_CROSS) == 0);
	if (is_uneven() || world->n_nodes == 1 || world->local_size != 2)
		SKIP("one machine, or not two ranks on each");
	ALL(bytes_of(DTYPE_FP32, 1, GRADIENT_CODEC_ALL) == 0);
	ALL(bytes_of(DTYPE_FP32, 1, GRADIENT_CODEC_LOCAL) == 2 * 4000);
	ALL(bytes_of(DTYPE_FP32, 1, GRADIENT_CODEC_CROSS) == 2000);
	ALL(bytes_of(DTYPE_FP16, 1, GRADIENT_CODEC_CROSS) == 1000);
	/* One gradient cannot be split: all ranks sum it in one call. */
	ALL(count_of(DTYPE_FP32, 1, GRADIENT_CODEC_ALL, 1).calls == 1);
	ALL(count_of(DTYPE_FP32, 1, GRADIENT_CODEC_LOCAL, 1).calls == 0);
	ALL(count_of(DTYPE_FP32, 1, GRADIENT_CODEC_CROSS, 1).calls == 0);
	ALL(count_of(DTYPE_FP32, 1, GRADIENT_CODEC_ALL, 3).calls == 1);
	ALL(count_of(DTYPE_FP32, 1, GRADIENT_CODEC_LOCAL, 3).calls == 2);
}

/* Gradients are divided first: fp16 can hold their mean, but not their sum. */
static void
test_no_overflow(void)
{
	const struct gradient_codec_config config = { .wire = DTYPE_FP16 };
	struct gradient_codec *c;
	float x = 60000;

	ALL(gradient_codec_open(world, DTYPE_FP32, 1, &config, &c, NULL) == 0);
	ALL(gradient_codec_allreduce(c, &x, 1, NULL) == 0);
	ALL(x > 59900 && x < 60100);
	gradient_codec_close(c);
}

/* Gradients outside host memory, in bf16, level by level: the counts show the
 * effect of each of the three. */
static void
test_all_together(void)
{
	enum { N = 3001, PIECE = 1000 /* bytes */ };
	static struct bucket buckets[] = { { 0, 1001, 3, 4004 },
		{ 1001, 500, 1, 2000 }, { 1501, 1500, 2, 6000 } };
	static const struct fusion_plan plan = { buckets, N_TESTS(buckets) };
	static float arena[N];
	const struct gradient_codec_config config = { .wire = DTYPE_BF16,
		.hierarchical = 1 };
	struct device_ops ops = { .staging = &host_staging_memory };
	struct device d = { .ops = &ops, .grads = { arena, N, DTYPE_FP32 } };
	struct reducer_config reduction = {
		.comm = world, .grads = d.grads, .plan = &plan
	};
	struct error e = ERROR_INIT;
	struct reducer *r;
	struct gradient_codec *c;
	struct host_staging *s;
	int wrong = 0;

	if (is_uneven() || world->n_nodes == 1 || world->local_size == 1)
		SKIP("one level");
	for (size_t i = 0; i < N; i++)
		arena[i] = gradient(i, world->rank);
	ALL(gradient_codec_open(world, DTYPE_FP32, N, &config, &c, &e) == 0);
	ALL(host_staging_open(&d, &plan, PIECE, &s, &e) == 0);
	reduction.codec = c;
	reduction.staging = s;
	ALL(reducer_open(&reduction, &r, &e) == 0);
	reducer_begin(r, 0, 0);
	reducer_ready(r, 0, N);
	wrong |= reducer_wait(r, &e) != 0;
	for (size_t i = 0; i < N; i++)
		wrong |= arena[i] != sum_of(i) / (float)world->size;
	ALL(!wrong);
	ALL(host_staging_calls.out == host_staging_calls.in);
	ALL(host_staging_calls.out == 5 + 2 + 6);
	/* Two bytes each in both directions; the odd gradient is not split. */
	ALL(gradient_codec_count(c, GRADIENT_CODEC_LOCAL).bytes ==
	    2 * 2 * (N - 1));
	ALL(gradient_codec_count(c, GRADIENT_CODEC_CROSS).bytes ==
	    (uint64_t)(2 * (N - 1) / world->local_size));
	reducer_close(r);
	host_staging_close(s);
	gradient_codec_close(c);
}

static void
test_refused(void)
{
	const struct gradient_codec_config compressed = { .wire = DTYPE_FP16 },
					   levels = { .wire = DTYPE_FP32,
						   .hierarchical = 1 };
	struct error e = ERROR_INIT;
	struct gradient_codec *c;

	ALL(gradient_codec_open(world, DTYPE_FP64, 1, &compressed, &c, &e) ==
	    -1);
	ALL(e.code == ERROR_USAGE);
	if (!is_uneven())
		SKIP("as many ranks on each machine");
	ALL(gradient_codec_open(world, DTYPE_FP32, 1, &levels, &c, &e) == -1);
	ALL(strcmp(e.message,
		"--hierarchical needs as many processes on each machine, but "
		"one has 2 and another 1") == 0);
}

static const struct tap_test tests[] = {
	TEST(test_flat),
	TEST(test_levels),
	TEST(test_bytes),
	TEST(test_no_overflow),
	TEST(test_all_together),
	TEST(test_refused),
};

int
main(void)
{
	return mpi_tap_main(tests, N_TESTS(tests));
}
