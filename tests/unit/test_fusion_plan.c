#include <config.h>

#include "tests/tap.h"
#include "trainer/graph/fusion_plan.h"
#include "trainer/graph/graph.h"

enum { MIB = 1 << 20 };

/* The buckets cover the arena without holes. */
static void
check_cover(const struct fusion_plan *p, const struct graph *g)
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
 * two decimals, and number of tensors. Computed independently by the rule of
 * compute_bucket_assignment_by_size from torchvision's parameters. */
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

static const struct fusion ddp = {
	.policy = "ddp", .first = 1 * MIB, .rest = 25 * MIB
};

static void
test_ddp(void)
{
	for (int i = 0; i < N_TESTS(plans); i++) {
		struct fusion_plan p;
		struct graph g;

		CHECK_INT(graph_build(model_find(plans[i].model, NULL), 1000,
			      224, &g, NULL),
		    0);
		CHECK_INT(fusion_plan_make(&ddp, &g, 4, &p), 0);
		CHECK_INT(p.n, plans[i].n);
		for (int k = 0; k < p.n; k++) {
			CHECK_NEAR((double)p.buckets[k].bytes / MIB,
			    plans[i].buckets[k].mib, 0.0051);
			CHECK_INT(p.buckets[k].n_tensors,
			    plans[i].buckets[k].tensors);
		}
		check_cover(&p, &g);
		fusion_plan_release(&p);
		graph_release(&g);
	}
}

static void
make(const struct graph *g, size_t element, struct fusion f,
    struct fusion_plan *p)
{
	CHECK_INT(fusion_plan_make(&f, g, element, p), 0);
}

static void
build(const char *model, struct graph *g)
{
	CHECK_INT(graph_build(model_find(model, NULL), 1000, 224, g, NULL), 0);
}

/* A limit of 0 gives one bucket per tensor, a huge one a single bucket; a
 * bucket of exactly its limit is closed. */
static void
test_limits(void)
{
	struct fusion_plan p;
	struct graph g;
	int fc;

	graph_start(&g, (struct shape){ 3, 4, 4 });
	fc = graph_conv(&g, "a", 0, 8, 1, 1, 0, 1);
	fc = graph_linear(&g, "b", fc, 10);
	graph_finish(&g);
	(void)fc;
	make(&g, 4, (struct fusion){ .policy = "ddp" }, &p);
	CHECK_INT(p.n, 4);
	check_cover(&p, &g);
	CHECK_INT(p.buckets[0].bytes, 10 * 4); /* b.bias comes first */
	CHECK_INT(p.buckets[0].n, GRAPH_ALIGN);
	CHECK_INT(p.buckets[1].bytes, 10 * 128 * 4);
	fusion_plan_release(&p);
	make(
	    &g, 8, (struct fusion){ .policy = "ddp", .first = (size_t)-1 }, &p);
	CHECK_INT(p.n, 1);
	CHECK_INT(p.buckets[0].bytes, 8 * (10 + 1280 + 8 + 24));
	fusion_plan_release(&p);
	make(&g, 4,
	    (struct fusion){
		.policy = "ddp", .first = 10 * 4, .rest = 10 * 128 * 4 + 1 },
	    &p);
	CHECK_INT(p.n, 3);
	CHECK_INT(p.buckets[0].n_tensors, 1);
	CHECK_INT(p.buckets[1].n_tensors, 2);
	CHECK_INT(p.buckets[2].n_tensors, 1);
	check_cover(&p, &g);
	fusion_plan_release(&p);
	graph_release(&g);
}

/* Tensors by size, published for Horovod without fusion, 400 steps of ResNet-50
 * and VGG-16-BN on four GPUs: number and mean MiB per step in the bins up to 1
 * KiB, 1, 10, 20, 60, 70, 350 and 400 MiB. */
static void
test_tensors(void)
{
	static const double limits[] = { 0, 1.0 / 1024, 1, 10, 20, 60, 70, 350,
		400 };
	static const struct {
		const char *model;
		int n[8];
		double mean[8];
	} published[] = {
		{ "resnet50", { 62, 81, 18 }, { 0.001, 0.21, 4.46 } },
		{ "vgg16_bn", { 21, 25, 9, 1, 0, 1, 0, 1 },
		    { 0.001, 0.04, 6.13, 15.62, 0, 64, 0, 392 } },
	};

	for (int i = 0; i < N_TESTS(published); i++) {
		int n[8] = { 0 };
		double sum[8] = { 0 };
		struct fusion_plan p;
		struct graph g;

		build(published[i].model, &g);
		make(&g, 4, (struct fusion){ .policy = "tensor" }, &p);
		CHECK_INT(p.n, g.n_params);
		check_cover(&p, &g);
		for (int k = 0; k < p.n; k++) {
			const double mib = (double)p.buckets[k].bytes / MIB;
			int bin = 7;

			while (mib <= limits[bin])
				bin--;
			n[bin]++;
			sum[bin] += mib;
		}
		for (int k = 0; k < 8; k++) {
			CHECK_INT(n[k], published[i].n[k]);
			if (n[k] > 0)
				CHECK_NEAR(sum[k] / n[k], published[i].mean[k],
				    k == 0 ? 0.0005 : 0.0051);
		}
		fusion_plan_release(&p);
		graph_release(&g);
	}
}

/* Horovod with 64 MiB and all tensors ready, in MiB. Computed independently by
 * the rule of FuseResponses from torchvision's parameters. */
static void
test_horovod(void)
{
	static const struct {
		const char *model;
		int n;
		double mib[5];
	} all_ready[] = {
		{ "resnet50", 2, { 62.90, 34.59 } },
		{ "vgg16", 5, { 15.64, 64, 0.02, 392, 56.13 } },
	};

	for (int i = 0; i < N_TESTS(all_ready); i++) {
		struct fusion_plan p, tensors;
		struct graph g;
		int at = 0;

		build(all_ready[i].model, &g);
		make(&g, 4,
		    (struct fusion){
			.policy = "horovod", .threshold = 64 * MIB },
		    &p);
		make(&g, 4, (struct fusion){ .policy = "tensor" }, &tensors);
		CHECK_INT(p.n, all_ready[i].n);
		check_cover(&p, &g);
		for (int k = 0; k < p.n; k++) {
			CHECK_NEAR((double)p.buckets[k].bytes / MIB,
			    all_ready[i].mib[k], 0.0051);
			/* Fusion of ready tensors follows the same rule. */
			CHECK_INT(
			    fusion_plan_fuse(&tensors, at, tensors.n, 64 * MIB),
			    p.buckets[k].n_tensors);
			at += p.buckets[k].n_tensors;
		}
		CHECK_INT(fusion_plan_fuse(&tensors, 0, 1, 64 * MIB), 1);
		CHECK_INT(fusion_plan_fuse(&tensors, 0, 2, 64 * MIB), 2);
		fusion_plan_release(&tensors);
		fusion_plan_release(&p);
		graph_release(&g);
	}
}

/* Buckets of at most the threshold; 0 fuses nothing. */
static void
test_horovod_limits(void)
{
	struct fusion_plan p, q;
	struct graph g;

	build("alexnet", &g);
	make(&g, 4, (struct fusion){ .policy = "horovod" }, &p);
	CHECK_INT(p.n, g.n_params);
	make(&g, 4,
	    (struct fusion){ .policy = "horovod",
		.threshold = p.buckets[0].bytes + p.buckets[1].bytes },
	    &q);
	CHECK_INT(q.buckets[0].n_tensors, 2);
	fusion_plan_release(&q);
	make(&g, 4,
	    (struct fusion){ .policy = "horovod",
		.threshold = p.buckets[0].bytes + p.buckets[1].bytes - 1 },
	    &q);
	CHECK_INT(q.buckets[0].n_tensors, 1);
	fusion_plan_release(&q);
	fusion_plan_release(&p);
	make(&g, 4, (struct fusion){ .policy = "all" }, &p);
	CHECK_INT(p.n, 1);
	CHECK_INT(p.buckets[0].n_tensors, g.n_params);
	check_cover(&p, &g);
	fusion_plan_release(&p);
	CHECK_INT(
	    fusion_plan_make(&(struct fusion){ .policy = "none" }, &g, 4, &p),
	    -1);
	graph_release(&g);
	CHECK_INT(fusion_round_threshold(0, 4), 0);
	CHECK_INT(fusion_round_threshold(1, 1), 512);
	CHECK_INT(fusion_round_threshold(64 * MIB, 3), 67109376);
	CHECK_INT(fusion_round_threshold(64 * MIB, 4), 64 * MIB);
}

/* The plan of mgwfbp ends first among all 128 plans of eight tensors. */
static void
test_mgwfbp(void)
{
	/* Ready all at once, one by one, and in bursts. */
	static const double ready[3][8] = { { 1, 1, 1, 1, 1, 1, 1, 1 },
		{ 1, 2, 3, 4, 5, 6, 7, 8 }, { 0, 0, 0, 5, 5, 5.5, 9, 9.1 } };
	static const double costs[4][2] = { { 0, 1e-3 }, { 2, 1e-6 },
		{ 0.5, 5e-4 }, { 1, 1e-2 } };
	struct fusion_plan p, q;
	struct graph g;
	int at;

	graph_start(&g, (struct shape){ 3, 8, 8 });
	at = graph_conv(&g, "a", 0, 8, 3, 1, 1, 1);
	at = graph_conv(&g, "b", at, 16, 3, 1, 1, 1);
	at = graph_conv(&g, "c", at, 4, 1, 1, 0, 1);
	graph_linear(&g, "d", at, 10);
	graph_finish(&g);
	CHECK_INT(g.n_params, 8);
	for (int i = 0; i < 12; i++) {
		const struct fusion f = { .policy = "mgwfbp",
			.ready_s = ready[i % 3],
			.alpha_s = costs[i / 3][0],
			.beta_s_per_byte = costs[i / 3][1] };
		double best = 1e9;

		make(&g, 4, (struct fusion){ .policy = "tensor" }, &q);
		for (int cuts = 0; cuts < 128; cuts++) {
			struct bucket tries[8] = { { 0 } };
			const struct fusion_plan one = { tries,
				1 + __builtin_popcount((unsigned)cuts) };
			double end;

			for (int k = 0, b = 0; k < 8; k++) {
				tries[b].n_tensors++;
				tries[b].bytes += q.buckets[k].bytes;
				b += cuts >> k & 1;
			}
			end = fusion_plan_end(&f, &one);
			best = end < best ? end : best;
		}
		make(&g, 4, f, &p);
		check_cover(&p, &g);
		CHECK_NEAR(fusion_plan_end(&f, &p), best, 1e-12);
		fusion_plan_release(&p);
		fusion_plan_release(&q);
	}
	graph_release(&g);
}

/* Without a cost per allreduce a tensor that never waits stays alone; with only
 * that cost all tensors share a bucket. */
static void
test_mgwfbp_ends(void)
{
	static const double ready[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
		13, 14, 15, 16 };
	struct fusion_plan p;
	struct graph g;

	build("alexnet", &g);
	CHECK_INT(g.n_params, 16);
	make(&g, 4,
	    (struct fusion){ .policy = "mgwfbp",
		.ready_s = ready,
		.beta_s_per_byte = 1e-12 },
	    &p);
	CHECK_INT(p.buckets[p.n - 1].n_tensors, 1);
	fusion_plan_release(&p);
	make(&g, 4,
	    (struct fusion){
		.policy = "mgwfbp", .ready_s = ready, .alpha_s = 100 },
	    &p);
	CHECK_INT(p.n, 1);
	fusion_plan_release(&p);
	graph_release(&g);
}

static void
test_hash(void)
{
	struct fusion_plan p, q;
	struct graph g;

	build("resnet18", &g);
	make(&g, 4, ddp, &p);
	make(&g, 4, ddp, &q);
	CHECK(fusion_plan_hash(&p) == fusion_plan_hash(&q));
	q.buckets[1].n_tensors++;
	CHECK(fusion_plan_hash(&p) != fusion_plan_hash(&q));
	q.buckets[1].n_tensors--;
	q.n--;
	CHECK(fusion_plan_hash(&p) != fusion_plan_hash(&q));
	fusion_plan_release(&p);
	fusion_plan_release(&q);
	graph_release(&g);
}

static const struct tap_test tests[] = {
	TEST(test_tensors),
	TEST(test_horovod),
	TEST(test_horovod_limits),
	TEST(test_mgwfbp),
	TEST(test_mgwfbp_ends),
	TEST(test_hash),
	TEST(test_ddp),
	TEST(test_limits),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
