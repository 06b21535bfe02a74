#include <config.h>

#include "tests/tap.h"
#include "trainer/bucket.h"
#include "trainer/model.h"

enum { MIB = 1 << 20 };

/* The buckets cover the arena without holes. */
static void
check_cover(const struct bucket_plan *p, const struct graph *g)
{
	size_t at = 0;
	int tensors = 0;

	for (int i = 0; i < p->n; i++) {
		CHECK_INT(p->buckets[i].offset, at);
		at += p->buckets[i].n;
		tensors += p->buckets[i].n_tensors;
	}
	CHECK_INT(at, g->arena_size);
	CHECK_INT(tensors, g->n_params);
}

/* Buckets of DistributedDataParallel with its defaults (1 and 25 MiB): MiB with
 * two decimals, and tensors.  Computed apart from our code by
 * compute_bucket_assignment_by_size's rule over torchvision's parameters. */
static const struct {
	const char *model;
	int n;
	struct {
		double mib;
		int tensors;
	} buckets[8];
} plans[] = {
	{ "resnet50", 5,
	    { { 7.82, 2 }, { 30.04, 15 }, { 25.04, 12 }, { 25.32, 51 },
		{ 9.27, 81 } } },
	{ "vgg16", 6,
	    { { 15.63, 2 }, { 64.02, 2 }, { 392.02, 2 }, { 27.01, 6 },
		{ 27.01, 10 }, { 2.12, 10 } } },
};

static void
test_ddp(void)
{
	for (int i = 0; i < N_TESTS(plans); i++) {
		struct bucket_plan p;
		struct graph g;

		CHECK_INT(graph_build(model_find(plans[i].model, NULL), 1000,
			      224, &g, NULL),
		    0);
		bucket_plan_ddp(&g, 4, 1 * MIB, 25 * MIB, &p);
		CHECK_INT(p.n, plans[i].n);
		for (int k = 0; k < p.n; k++) {
			CHECK_NEAR((double)p.buckets[k].bytes / MIB,
			    plans[i].buckets[k].mib, 0.0051);
			CHECK_INT(p.buckets[k].n_tensors,
			    plans[i].buckets[k].tensors);
		}
		check_cover(&p, &g);
		bucket_plan_release(&p);
		graph_release(&g);
	}
}

/* A limit of 0 leaves each tensor alone, a huge one takes all; a bucket that
 * holds exactly its limit is closed. */
static void
test_limits(void)
{
	struct bucket_plan p;
	struct graph g;
	int fc;

	graph_start(&g, (struct shape){ 3, 4, 4 });
	fc = graph_conv(&g, "a", 0, 8, 1, 1, 0, 1);
	fc = graph_linear(&g, "b", fc, 10);
	graph_finish(&g);
	(void)fc;
	bucket_plan_ddp(&g, 4, 0, 0, &p);
	CHECK_INT(p.n, 4);
	check_cover(&p, &g);
	CHECK_INT(p.buckets[0].bytes, 10 * 4); /* b.bias comes first */
	CHECK_INT(p.buckets[0].n, GRAPH_ALIGN);
	CHECK_INT(p.buckets[1].bytes, 10 * 128 * 4);
	bucket_plan_release(&p);
	bucket_plan_ddp(&g, 8, (size_t)-1, 0, &p);
	CHECK_INT(p.n, 1);
	CHECK_INT(p.buckets[0].bytes, 8 * (10 + 1280 + 8 + 24));
	bucket_plan_release(&p);
	bucket_plan_ddp(&g, 4, 10 * 4, 10 * 128 * 4 + 1, &p);
	CHECK_INT(p.n, 3);
	CHECK_INT(p.buckets[0].n_tensors, 1);
	CHECK_INT(p.buckets[1].n_tensors, 2);
	CHECK_INT(p.buckets[2].n_tensors, 1);
	check_cover(&p, &g);
	bucket_plan_release(&p);
	graph_release(&g);
}

static const struct tap_test tests[] = {
	TEST(test_ddp),
	TEST(test_limits),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
