#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/tap.h"
#include "trainer/graph/graph.h"
#include "trainer/tune/plan_model.h"

enum { MIB = 1 << 20 };

/* ResNet-18 whose gradients become ready at even intervals over 1 s. */
struct model_case {
	struct graph g;
	double *ready;
	struct plan_model m;
};

/* A route of ranks with an idle core: allreduces do not slow the pass down. */
static struct plan_route
spare_route(const char *name, double alpha_s, double beta_s_per_byte)
{
	const struct plan_cost c = { alpha_s, beta_s_per_byte };

	return (struct plan_route){ .name = name, .rest = c, .loaded = c };
}

static void
make_case(struct model_case *c, double alpha_s, double beta_s_per_byte)
{
	memset(c, 0, sizeof *c);
	CHECK_INT(
	    graph_build(model_find("resnet18", NULL), 1000, 224, &c->g, NULL),
	    0);
	c->ready = xcalloc((size_t)c->g.n_params, sizeof *c->ready);
	for (int i = 0; i < c->g.n_params; i++)
		c->ready[i] = (double)i / (c->g.n_params - 1);
	c->m = (struct plan_model){ .graph = &c->g,
		.element = 4,
		.ready_s = c->ready,
		.routes = { spare_route("flat", alpha_s, beta_s_per_byte) },
		.n_routes = 1 };
}

static void
drop_case(struct model_case *c)
{
	free(c->ready);
	graph_release(&c->g);
}

static double
all_bytes(const struct graph *g)
{
	double bytes = 0;

	for (int i = 0; i < g->n_params; i++)
		bytes += 4 * (double)g->params[i].n;
	return bytes;
}

/* By hand. One allreduce after the backward pass takes alpha plus beta times
 * all bytes. If the wire is the bottleneck, separate allreduces begin when the
 * first gradient is ready (at 0) and follow each other without a gap. */
static void
test_by_hand(void)
{
	struct plan_choice all = { .f = { .policy = "all" } };
	struct plan_choice each = { .f = { .policy = "tensor" } };
	struct model_case c;
	double bytes;

	make_case(&c, 0.25, 1e-7);
	bytes = all_bytes(&c.g);
	plan_model_simulate(&c.m, &all);
	CHECK_INT(all.allreduces, 1);
	CHECK_NEAR(all.added_s, 0.25 + 1e-7 * bytes, 1e-9);
	plan_model_simulate(&c.m, &each);
	CHECK_INT(each.allreduces, 62);
	CHECK_NEAR(each.added_s, 62 * 0.25 + 1e-7 * bytes - 1, 1e-9);
	drop_case(&c);
	/* Without beta only the last alpha is exposed. */
	make_case(&c, 1e-3, 0);
	plan_model_simulate(&c.m, &each);
	CHECK_NEAR(each.added_s, 1e-3, 1e-12);
	drop_case(&c);
}

/* With a cycle as long as the pass, the first cycle finds only the first
 * gradient (at 0) and the second, at 1 s, all others: two alphas plus the
 * bytes. A threshold of 0 gives 62 allreduces. */
static void
test_cycles(void)
{
	struct plan_choice one = { .f = { .policy = "horovod",
				       .threshold = 64 * MIB },
		.cycle_s = 1 };
	struct plan_choice each = { .f = { .policy = "horovod" },
		.cycle_s = 1 };
	struct plan_choice tensor = { .f = { .policy = "tensor" } };
	struct model_case c;
	double first, bytes;

	make_case(&c, 0.01, 1e-10);
	bytes = all_bytes(&c.g);
	first = 4 * (double)c.g.params[c.g.n_params - 1].n;
	plan_model_simulate(&c.m, &one);
	CHECK_INT(one.allreduces, 2);
	CHECK_NEAR(one.added_s, 0.02 + 1e-10 * (bytes - first), 1e-9);
	plan_model_simulate(&c.m, &each);
	CHECK_INT(each.allreduces, 62);
	CHECK_NEAR(each.added_s, 62 * 0.01 + 1e-10 * (bytes - first), 1e-9);
	drop_case(&c);
	/* With a cycle time of 0 a gradient is sent when it is ready. */
	make_case(&c, 0, 0);
	each.cycle_s = 0;
	plan_model_simulate(&c.m, &each);
	CHECK_NEAR(each.added_s, 0, 1e-12);
	drop_case(&c);
	/* A cycle time of 0 costs the same as no cycles on a slow wire, too. */
	make_case(&c, 0, 1e-8);
	plan_model_simulate(&c.m, &each);
	plan_model_simulate(&c.m, &tensor);
	CHECK(tensor.added_s > 0);
	CHECK_NEAR(each.added_s, tensor.added_s, 1e-9);
	drop_case(&c);
	/* A cycle of 0.3 s: the last gradient, at 1 s, waits until 1.2 s. */
	make_case(&c, 0, 0);
	each.cycle_s = 0.3;
	plan_model_simulate(&c.m, &each);
	CHECK_NEAR(each.added_s, 0.2, 1e-9);
	drop_case(&c);
}

/* End of the last of n allreduces if they are sent in the given order, each
 * after the previous one and after its own gradients are ready. */
static double
end_in_order(const int *order, const double *ready, const double *s, int n)
{
	double end = 0;

	for (int i = 0; i < n; i++) {
		const int k = order[i];

		end = (end > ready[k] ? end : ready[k]) + s[k];
	}
	return end;
}

/* The least end over all orders of the remaining allreduces. */
static double
least_end(int *order, int done, const double *ready, const double *s, int n)
{
	double least = 1e9;

	if (done == n)
		return end_in_order(order, ready, s, n);
	for (int i = done; i < n; i++) {
		const int k = order[i];
		double end;

		order[i] = order[done];
		order[done] = k;
		end = least_end(order, done + 1, ready, s, n);
		least = end < least ? end : least;
		order[done] = order[i];
		order[i] = k;
	}
	return least;
}

/* No order of the buckets ends earlier than that in which they become ready,
 * the only order that is simulated. */
static void
test_order(void)
{
	static const double costs[][2] = { { 1e-2, 1e-9 }, { 0.1, 1e-8 },
		{ 1e-3, 5e-8 }, { 0, 3e-8 } };

	for (int k = 0; k < N_TESTS(costs); k++) {
		struct plan_choice choice = {
			.f = { .policy = "ddp", .first = MIB, .rest = 8 * MIB }
		};
		double ready[8], s[8];
		int order[8], tensor = 0;
		struct fusion_plan p;
		struct model_case c;

		make_case(&c, costs[k][0], costs[k][1]);
		fusion_plan_make(&choice.f, &c.g, 4, &p);
		CHECK(p.n > 3 && p.n <= 8);
		for (int i = 0; i < p.n && p.n <= 8; i++) {
			tensor += p.buckets[i].n_tensors;
			order[i] = i;
			ready[i] = c.ready[tensor - 1];
			s[i] = costs[k][0] +
			    costs[k][1] * (double)p.buckets[i].bytes;
		}
		plan_model_simulate(&c.m, &choice);
		CHECK_NEAR(1 + choice.added_s,
		    fmax(1, least_end(order, 0, ready, s, p.n)), 1e-9);
		fusion_plan_release(&p);
		drop_case(&c);
	}
}

/* mgwfbp is at least as good as each plan without cycles. The list is in order,
 * and the selected plans differ in policy. */
static void
test_rank(void)
{
	static const double costs[][2] = { { 1e-5, 1e-9 }, { 1e-2, 1e-9 },
		{ 1e-5, 1e-7 }, { 1e-1, 1e-8 }, { 0, 0 } };
	static struct plan_choice all[PLAN_MODEL_CHOICES];

	for (int k = 0; k < N_TESTS(costs); k++) {
		struct plan_choice best = { .f = { .policy = "mgwfbp" } };
		const struct plan_choice odd = {
			.f = { .policy = "ddp", .first = 3 * MIB, .rest = 9 }
		};
		struct plan_choice few[3];
		struct model_case c;
		int n;

		make_case(&c, costs[k][0], costs[k][1]);
		n = plan_model_rank(&c.m, all);
		CHECK(n > 20 && n <= PLAN_MODEL_CHOICES);
		plan_model_simulate(&c.m, &best);
		for (int i = 0; i < n; i++) {
			if (strcmp(all[i].f.policy, "horovod") != 0)
				CHECK(all[i].added_s >= best.added_s - 1e-12);
			CHECK(i == 0 || all[i].added_s >= all[i - 1].added_s);
			CHECK(i == 0 || all[i].added_s > all[i - 1].added_s ||
			    all[i].allreduces >= all[i - 1].allreduces);
		}
		CHECK_INT(plan_model_best(&c.m, all, n, &odd, 3, few), 3);
		for (int i = 0; i < 3; i++)
			for (int j = 0; j < i; j++)
				CHECK(strcmp(few[i].f.policy,
					  few[j].f.policy) != 0);
		CHECK_NEAR(few[0].added_s, all[0].added_s, 0);
		/* The plan in use is not a candidate. */
		best = all[0];
		CHECK_INT(plan_model_best(&c.m, all, n, &best, 3, few), 3);
		CHECK_NEAR(few[0].added_s, all[1].added_s, 0);
		drop_case(&c);
	}
}

/* True if the list has a ddp choice with all buckets of `mib` MiB. */
static int
has_size(const struct plan_choice *all, int n, int mib)
{
	const size_t bytes = (size_t)mib * MIB;
	int found = 0;

	for (int i = 0; i < n; i++)
		found |= strcmp(all[i].f.policy, "ddp") == 0 &&
		    all[i].f.first == bytes && all[i].f.rest == bytes;
	return found;
}

/* The bucket sizes that are tried. Larger buckets would hold all 45 MiB. */
static void
test_sizes(void)
{
	static const int mib[] = { 1, 2, 4, 8, 16, 25, 32 };
	static struct plan_choice all[PLAN_MODEL_CHOICES];
	struct model_case c;
	int n, found = 0;

	make_case(&c, 1e-4, 1e-9);
	n = plan_model_rank(&c.m, all);
	for (int i = 0; i < N_TESTS(mib); i++)
		CHECK(has_size(all, n, mib[i]));
	for (int size = 1; size < 64; size++)
		found += has_size(all, n, size);
	CHECK_INT(found, N_TESTS(mib));
	drop_case(&c);
}

static int
has_kind(const struct model_case *c, const struct plan_choice *few, int n,
    unsigned kind)
{
	int found = 0;

	for (int i = 0; i < n; i++)
		found |= (c->m.routes[few[i].route].kind & kind) == kind;
	return found;
}

/* The candidates include the best plan, one with levels and one in half
 * precision, however slow the model rates these. */
static void
test_candidates(void)
{
	static const double slower[] = { 1, 1.5, 20, 0.5 };
	static struct plan_choice all[PLAN_MODEL_CHOICES];

	for (int k = 0; k < N_TESTS(slower); k++) {
		struct plan_choice few[3],
		    first = { .f = { .policy = "ddp",
				  .first = MIB,
				  .rest = 25 * MIB } };
		struct model_case c;
		int n;

		make_case(&c, 1e-3, 1e-8);
		c.m.routes[1] =
		    spare_route("hierarchical", 2e-3, slower[k] * 1e-8);
		c.m.routes[1].kind = PLAN_ROUTE_LEVELS;
		c.m.n_routes = 2;
		n = plan_model_rank(&c.m, all);
		CHECK_INT(plan_model_best(&c.m, all, n, &first, 3, few), 3);
		CHECK_NEAR(few[0].added_s, all[0].added_s, 0);
		CHECK(has_kind(&c, few, 3, PLAN_ROUTE_LEVELS));
		c.m.routes[2] = spare_route("flat-compressed", 0.1, 1e-7);
		c.m.routes[2].kind = PLAN_ROUTE_HALF;
		c.m.routes[3] = spare_route("both", 0.1, 1e-7);
		c.m.routes[3].kind = PLAN_ROUTE_LEVELS | PLAN_ROUTE_HALF;
		c.m.n_routes = 4;
		n = plan_model_rank(&c.m, all);
		CHECK_INT(plan_model_best(&c.m, all, n, &first, 3, few), 3);
		CHECK_NEAR(few[0].added_s, all[0].added_s, 0);
		CHECK(has_kind(&c, few, 3, PLAN_ROUTE_LEVELS));
		CHECK(has_kind(&c, few, 3, PLAN_ROUTE_HALF));
		/* If the plan in use has levels, one without them is tried. */
		first.route = 1;
		CHECK_INT(plan_model_best(&c.m, all, n, &first, 3, few), 3);
		CHECK(!has_kind(&c, few, 1, PLAN_ROUTE_LEVELS) ||
		    !has_kind(&c, few + 1, 1, PLAN_ROUTE_LEVELS) ||
		    !has_kind(&c, few + 2, 1, PLAN_ROUTE_LEVELS));
		drop_case(&c);
	}
}

/* A route with half the bytes is best, unless its alpha is larger and the wire
 * is fast. */
static void
test_routes(void)
{
	static struct plan_choice all[PLAN_MODEL_CHOICES];
	struct model_case c;

	make_case(&c, 1e-4, 1e-7);
	c.m.routes[1] = spare_route("half", 1e-4, 5e-8);
	c.m.n_routes = 2;
	plan_model_rank(&c.m, all);
	CHECK_INT(all[0].route, 1);
	c.m.routes[1] = spare_route("half", 1e-2, 5e-8);
	c.m.routes[0] = spare_route("flat", 1e-4, 1e-11);
	plan_model_rank(&c.m, all);
	CHECK_INT(all[0].route, 0);
	drop_case(&c);
}

/* By hand, two allreduces without beta: ddp sends the classifier's bias and
 * weight, ready at 1/61 s, and then all others, ready at the end, 1 s. */
static void
test_cpu_by_hand(void)
{
	struct plan_choice two = {
		.f = { .policy = "ddp", .first = MIB, .rest = 128 * MIB }
	};
	const double left = 60.0 / 61;
	struct model_case c;
	double share;

	make_case(&c, 0.01, 0);
	/* The first takes 0.3 s under load, 0.1 s of it from the pass, which
	 * therefore ends at 1.1 s; the second one runs at rest. */
	c.m.routes[0].loaded.alpha_s = 0.3;
	c.m.routes[0].cpu.alpha_s = 0.1;
	plan_model_simulate(&c.m, &two);
	CHECK_INT(two.allreduces, 2);
	CHECK_NEAR(two.added_s, 0.1 + 0.01, 1e-12);
	/* Under load the first would take 2 s, 0.5 s of them from the pass. The
	 * pass ends after `share` of it; the remainder runs at rest. */
	c.m.routes[0].loaded.alpha_s = 2;
	c.m.routes[0].cpu.alpha_s = 0.5;
	share = left / (2 - 0.5);
	plan_model_simulate(&c.m, &two);
	CHECK_NEAR(two.added_s,
	    1 - left + share * 2 + (1 - share) * 0.01 + 0.01 - 1, 1e-12);
	/* All of it is CPU time: the pass stops meanwhile. */
	c.m.routes[0].cpu.alpha_s = 2;
	plan_model_simulate(&c.m, &two);
	CHECK_NEAR(two.added_s, 2 + 0.01, 1e-12);
	/* CPU time beyond the duration has no effect. */
	c.m.routes[0].cpu.alpha_s = 3;
	plan_model_simulate(&c.m, &two);
	CHECK_NEAR(two.added_s, 2 + 0.01, 1e-12);
	drop_case(&c);
}

static int
in_cycles(const struct plan_choice *c)
{
	return strcmp(c->f.policy, "horovod") == 0;
}

static const double some_costs[][2] = { { 1e-5, 1e-9 }, { 1e-2, 1e-9 },
	{ 1e-5, 1e-7 }, { 1e-1, 1e-8 }, { 3e-3, 3e-9 } };

/* With an idle core a plan costs what MG-WFBP's model predicts. */
static void
test_spare_core(void)
{
	static struct plan_choice all[PLAN_MODEL_CHOICES];

	for (int k = 0; k < N_TESTS(some_costs); k++) {
		struct model_case c;
		int n;

		make_case(&c, some_costs[k][0], some_costs[k][1]);
		n = plan_model_rank(&c.m, all);
		for (int i = 0; i < n; i++) {
			struct fusion f = plan_model_fusion(&c.m, &all[i]);
			struct fusion_plan p;

			if (in_cycles(&all[i]))
				continue;
			fusion_plan_make(&f, &c.g, 4, &p);
			f.alpha_s = some_costs[k][0]; /* no merge factor */
			CHECK_NEAR(all[i].added_s,
			    fmax(0, fusion_plan_end(&f, &p) - 1), 1e-8);
			fusion_plan_release(&p);
		}
		drop_case(&c);
	}
}

/* Without an idle core and with nothing to wait for, a plan adds the CPU time
 * of its allreduces, alpha for each and beta for all bytes, however they
 * overlap; so the plan with the fewest is best. */
static void
test_all_cpu(void)
{
	static struct plan_choice all[PLAN_MODEL_CHOICES];

	for (int k = 0; k < N_TESTS(some_costs); k++) {
		struct model_case c;
		double bytes;
		int n;

		make_case(&c, some_costs[k][0], some_costs[k][1]);
		c.m.routes[0].cpu = c.m.routes[0].rest;
		bytes = all_bytes(&c.g);
		n = plan_model_rank(&c.m, all);
		for (int i = 0; i < n; i++) {
			const double want =
			    all[i].allreduces * some_costs[k][0] +
			    bytes * some_costs[k][1];

			if (!in_cycles(&all[i]))
				CHECK_NEAR(all[i].added_s, want, 1e-9 * want);
		}
		CHECK_INT(all[0].allreduces, 1);
		drop_case(&c);
	}
}

/* A higher CPU cost never makes a plan faster. */
static void
test_monotone(void)
{
	static struct plan_choice all[PLAN_MODEL_CHOICES];

	for (int k = 0; k < N_TESTS(some_costs); k++) {
		struct model_case c;
		int n;

		make_case(&c, some_costs[k][0], some_costs[k][1]);
		c.m.routes[0].loaded.alpha_s *= 1.5;
		c.m.routes[0].loaded.beta_s_per_byte *= 2;
		n = plan_model_rank(&c.m, all);
		for (int tenth = 0; tenth <= 20; tenth++) {
			struct plan_cost *cpu = &c.m.routes[0].cpu;

			if (tenth <= 10)
				cpu->alpha_s = tenth * 0.1 * some_costs[k][0];
			else
				cpu->beta_s_per_byte =
				    (tenth - 10) * 0.1 * some_costs[k][1];
			for (int i = 0; i < n; i++) {
				const double before = all[i].added_s;

				if (in_cycles(&all[i]))
					continue;
				plan_model_simulate(&c.m, &all[i]);
				CHECK(all[i].added_s >= before - 1e-8);
			}
		}
		drop_case(&c);
	}
}

/* Negotiating each cycle costs CPU time, too: 1/4 of a cycle of 1/8 s. */
static void
test_asking(void)
{
	struct plan_choice c = { .f = { .policy = "horovod",
				     .threshold = 64 * MIB },
		.cycle_s = 0.125 };
	const double alpha = 1.0 / 32;
	struct model_case m;

	make_case(&m, alpha, 0);
	/* All gradients but the first become ready at the end and are summed in
	 * the cycle that begins then. */
	for (int i = 1; i < m.g.n_params; i++)
		m.ready[i] = 1;
	plan_model_simulate(&m.m, &c);
	CHECK_INT(c.allreduces, 2);
	CHECK_NEAR(c.added_s, 2 * alpha, 1e-9);
	/* Two alphas, then 1 s at 3/4 of its speed end at 1.4 s, and the next
	 * cycle begins at 1.5 s. */
	m.m.routes[0].cpu.alpha_s = alpha;
	plan_model_simulate(&m.m, &c);
	CHECK_NEAR(c.added_s, 0.5 + 2 * alpha, 1e-9);
	drop_case(&m);
}

/* A larger merge factor gives fewer allreduces, which is best where small
 * allreduces cost CPU time. */
static void
test_merge(void)
{
	static struct plan_choice all[PLAN_MODEL_CHOICES];
	struct model_case c;
	int before = 0, merges = 0, n;
	double added[2];

	make_case(&c, 1e-2, 1e-9);
	for (int merge = 1; merge <= 16; merge *= 4) {
		struct plan_choice p = { .f = { .policy = "mgwfbp" },
			.merge = merge };

		plan_model_simulate(&c.m, &p);
		CHECK(merge == 1 || p.allreduces < before);
		before = p.allreduces;
	}
	c.m.routes[0].cpu.alpha_s = 1e-2;
	for (int i = 0; i < 2; i++) {
		struct plan_choice p = { .f = { .policy = "mgwfbp" },
			.merge = i == 0 ? 1 : 4 };

		plan_model_simulate(&c.m, &p);
		added[i] = p.added_s;
	}
	CHECK(added[1] < added[0]);
	n = plan_model_rank(&c.m, all);
	for (int i = 0; i < n; i++)
		merges |= all[i].merge;
	CHECK_INT(merges & (4 | 16), 4 | 16);
	drop_case(&c);
}

static void
test_cpu_share(void)
{
	static const struct {
		double cores;
		int threads;
		double ran, share;
	} cases[] = { { 1, 1, 1, 1 }, { 2, 1, 1, 0 }, { 1.25, 1, 1, 0.75 },
		{ 1.999, 1, 1, 0.001 }, { 8, 4, 1, 0 }, { 8, 7, 1, 0 },
		{ 8, 8, 1, 1 }, { 8, 16, 1, 1 },
		/* Two ranks on a core; a rank beside a program that never
		 * sleeps; a quota, which does not count as waiting: one second
		 * of CPU time takes two. */
		{ 0.5, 1, 0.5, 2 }, { 1, 1, 0.5, 2 }, { 0.5, 1, 1, 2 },
		{ 0.25, 1, 0.5, 4 }, { 1, 1, 0.9, 1 / 0.9 },
		/* An idle core of which others take a part, or all. */
		{ 2, 1, 0.9, 0.2 / 0.9 }, { 2, 1, 0.4, 1 / 0.4 },
		{ 8, 4, 0.9, 0 },
		/* Threads of a rank that wait for each other fill the core. */
		{ 1, 2, 0.5, 1 }, { 1, 4, 0.25, 1 }, { 1, 2, 0.25, 2 } };

	for (int i = 0; i < N_TESTS(cases); i++)
		CHECK_NEAR(plan_model_cpu_share(
			       cases[i].cores, cases[i].threads, cases[i].ran),
		    cases[i].share, 1e-9);
}

/* Costs of one route, corrected by up to two samples of it. */
static void
test_fit(void)
{
	static const struct {
		struct plan_sample s[2];
		int n;
		struct plan_cost rest, loaded, cpu;
	} cases[] = {
		{ { { 0, 0, 0 } }, 0, { 1e-3, 1e-9 }, { 1e-3, 1e-9 },
		    { 1e-4, 5e-10 } },
		/* After the pass: 30 ms for 10 MB, three times beta. */
		{ { { 1e7, 0.031, 0 } }, 1, { 1e-3, 3e-9 }, { 1e-3, 3e-9 },
		    { 1e-4, 15e-10 } },
		{ { { 1e7, 0.031, 0.1 } }, 1, { 1e-3, 3e-9 }, { 1e-3, 3e-9 },
		    { 1e-4, 15e-10 } },
		/* No change: faster than probed, or overlapping in part. */
		{ { { 1e7, 0.005, 0 } }, 1, { 1e-3, 1e-9 }, { 1e-3, 1e-9 },
		    { 1e-4, 5e-10 } },
		{ { { 1e7, 0.031, 0.11 }, { 1e7, 0.05, 0.89 } }, 2,
		    { 1e-3, 1e-9 }, { 1e-3, 1e-9 }, { 1e-4, 5e-10 } },
		/* The line through two samples. */
		{ { { 1e6, 0.005, 1 }, { 11e6, 0.035, 0.9 } }, 2,
		    { 1e-3, 1e-9 }, { 2e-3, 3e-9 }, { 1e-4, 5e-10 } },
		/* The line is neither flatter than at rest nor below it. */
		{ { { 1e6, 0.020, 1 }, { 11e6, 0.015, 1 } }, 2, { 1e-3, 1e-9 },
		    { 11.5e-3, 1e-9 }, { 1e-4, 5e-10 } },
		{ { { 1e6, 0.0005, 1 }, { 11e6, 0.0305, 1 } }, 2,
		    { 1e-3, 1e-9 }, { 1e-3, 3e-9 }, { 1e-4, 5e-10 } },
		/* Samples of one size: twice the 2 ms at rest, or no slower. */
		{ { { 1e6, 0.004, 1 } }, 1, { 1e-3, 1e-9 }, { 2e-3, 2e-9 },
		    { 1e-4, 5e-10 } },
		{ { { 1e6, 0.001, 1 } }, 1, { 1e-3, 1e-9 }, { 1e-3, 1e-9 },
		    { 1e-4, 5e-10 } },
		{ { { 1e6, 0.004, 0.9 } }, 1, { 1e-3, 1e-9 }, { 2e-3, 2e-9 },
		    { 1e-4, 5e-10 } },
		/* Samples during the pass and after it. */
		{ { { 1e6, 0.008, 1 }, { 1e7, 0.031, 0 } }, 2, { 1e-3, 3e-9 },
		    { 2e-3, 6e-9 }, { 1e-4, 15e-10 } },
	};

	for (int i = 0; i < N_TESTS(cases); i++) {
		struct plan_route r[4] = { { "other", .rest = { 4e-3, 2e-9 },
					       .cpu = { 2e-4, 2.5e-10 } },
			{ "used", .rest = { 1e-3, 1e-9 },
			    .cpu = { 1e-4, 5e-10 } },
			{ "spare", .rest = { 4e-3, 2e-9 } },
			{ "apart", .rest = { 4e-3, 2e-9 },
			    .cpu = { 1, 1e-15 } } };

		plan_routes_fit(r, 4, 1, cases[i].s, cases[i].n);
		CHECK_NEAR(r[1].rest.alpha_s, cases[i].rest.alpha_s, 1e-12);
		CHECK_NEAR(r[1].rest.beta_s_per_byte,
		    cases[i].rest.beta_s_per_byte, 1e-18);
		CHECK_NEAR(r[1].loaded.alpha_s, cases[i].loaded.alpha_s, 1e-12);
		CHECK_NEAR(r[1].loaded.beta_s_per_byte,
		    cases[i].loaded.beta_s_per_byte, 1e-18);
		CHECK_NEAR(r[1].cpu.alpha_s, cases[i].cpu.alpha_s, 1e-12);
		CHECK_NEAR(r[1].cpu.beta_s_per_byte,
		    cases[i].cpu.beta_s_per_byte, 1e-18);
		/* The correction of another route is scaled by the ratio of CPU
		 * times: 2, 1/2, 1 if unknown, and within 1/4 .. 4. */
		CHECK_NEAR(r[0].rest.alpha_s,
		    4e-3 + 2 * (r[1].rest.alpha_s - 1e-3), 1e-12);
		CHECK_NEAR(r[0].rest.beta_s_per_byte,
		    2e-9 + 0.5 * (r[1].rest.beta_s_per_byte - 1e-9), 1e-18);
		CHECK_NEAR(r[0].loaded.alpha_s,
		    4e-3 + 2 * (r[1].loaded.alpha_s - 1e-3), 1e-12);
		CHECK_NEAR(r[0].loaded.beta_s_per_byte,
		    2e-9 + 0.5 * (r[1].loaded.beta_s_per_byte - 1e-9), 1e-18);
		CHECK_NEAR(r[2].loaded.alpha_s,
		    4e-3 + r[1].loaded.alpha_s - 1e-3, 1e-12);
		CHECK_NEAR(r[2].loaded.beta_s_per_byte,
		    2e-9 + r[1].loaded.beta_s_per_byte - 1e-9, 1e-18);
		CHECK_NEAR(r[2].cpu.alpha_s, 0, 0);
		CHECK_NEAR(r[3].loaded.alpha_s,
		    4e-3 + 4 * (r[1].loaded.alpha_s - 1e-3), 1e-12);
		CHECK_NEAR(r[3].loaded.beta_s_per_byte,
		    2e-9 + 0.25 * (r[1].loaded.beta_s_per_byte - 1e-9), 1e-18);
	}
}

/* An allreduce from 0.1 s to 0.3 s of a step delayed what became ready after it
 * by its CPU time, and what became ready in its middle by half of that. */
static void
test_ready_alone(void)
{
	static const struct plan_span spans[] = { { 1e6, 0.1, 0.3 },
		{ 2e6, 0.3, 0.4 } };
	static const struct {
		int n;
		struct plan_cost cpu;
		double ready_s[5];
	} cases[] = {
		{ 0, { 0.01, 1e-8 }, { 0, 0.1, 0.2, 0.3, 0.5 } },
		{ 1, { 0, 0 }, { 0, 0.1, 0.2, 0.3, 0.5 } },
		{ 1, { 0.01, 1e-8 }, { 0, 0.1, 0.19, 0.28, 0.48 } },
		/* The second allreduce took another 0.03 s. */
		{ 2, { 0.01, 1e-8 }, { 0, 0.1, 0.19, 0.28, 0.45 } },
		/* At most the durations, 0.2 s and 0.1 s, are subtracted. */
		{ 2, { 1, 0 }, { 0, 0.1, 0.1, 0.1, 0.2 } },
	};

	for (int i = 0; i < N_TESTS(cases); i++) {
		double ready_s[5] = { 0, 0.1, 0.2, 0.3, 0.5 };

		plan_model_ready_alone(
		    ready_s, 5, spans, cases[i].n, &cases[i].cpu);
		for (int k = 0; k < 5; k++)
			CHECK_NEAR(ready_s[k], cases[i].ready_s[k], 1e-12);
	}
}

static void
test_names(void)
{
	static const struct {
		struct plan_choice c;
		const char *name;
	} cases[] = {
		{ { .f = { .policy = "ddp", .first = MIB, .rest = 25 * MIB } },
		    "ddp-first1-rest25" },
		{ { .f = { .policy = "horovod", .threshold = 64 * MIB },
		      .cycle_s = 5e-3 },
		    "horovod-threshold64-cycle5" },
		{ { .f = { .policy = "mgwfbp" } }, "mgwfbp" },
		{ { .f = { .policy = "mgwfbp" }, .merge = 1 }, "mgwfbp" },
		{ { .f = { .policy = "mgwfbp" }, .merge = 4 },
		    "mgwfbp-alpha4" },
	};

	for (int i = 0; i < N_TESTS(cases); i++) {
		struct strbuf sb;

		strbuf_init(&sb, 256);
		plan_choice_name(&cases[i].c, &sb);
		CHECK_STR(sb.buf, cases[i].name);
		strbuf_release(&sb);
	}
}

static const struct tap_test tests[] = {
	TEST(test_by_hand),
	TEST(test_cycles),
	TEST(test_order),
	TEST(test_rank),
	TEST(test_sizes),
	TEST(test_candidates),
	TEST(test_routes),
	TEST(test_cpu_by_hand),
	TEST(test_spare_core),
	TEST(test_all_cpu),
	TEST(test_monotone),
	TEST(test_asking),
	TEST(test_merge),
	TEST(test_cpu_share),
	TEST(test_fit),
	TEST(test_ready_alone),
	TEST(test_names),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
