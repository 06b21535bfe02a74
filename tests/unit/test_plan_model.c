#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "tests/tap.h"
#include "trainer/graph/model.h"
#include "trainer/tune/plan_model.h"

enum { MIB = 1 << 20 };

/* ResNet-18, whose gradients become ready in even steps over a second. */
struct model_case {
	struct graph g;
	double *ready;
	struct plan_model m;
};

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
		.routes = { { "flat", alpha_s, beta_s_per_byte } },
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

/* By hand: one allreduce after the backward pass is alpha + beta times all
 * bytes; when the wire is the bottleneck, separate ones end when the first is
 * ready (at 0) and all are sent one after the other. */
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
	CHECK_NEAR(all.exposed_s, 0.25 + 1e-7 * bytes, 1e-9);
	plan_model_simulate(&c.m, &each);
	CHECK_INT(each.allreduces, 62);
	CHECK_NEAR(each.exposed_s, 62 * 0.25 + 1e-7 * bytes - 1, 1e-9);
	drop_case(&c);
	/* A free wire: nothing is exposed but the last alpha. */
	make_case(&c, 1e-3, 0);
	plan_model_simulate(&c.m, &each);
	CHECK_NEAR(each.exposed_s, 1e-3, 1e-12);
	drop_case(&c);
}

/* Cycles: with one as long as the pass, the first finds the first gradient
 * alone (at 0), the second all others, at 1 s: twice alpha each, and the bytes;
 * a threshold of 0 sends 62. */
static void
test_cycles(void)
{
	struct plan_choice one = { .f = { .policy = "horovod",
				       .threshold = 64 * MIB },
		.cycle_s = 1 };
	struct plan_choice each = { .f = { .policy = "horovod" },
		.cycle_s = 1 };
	struct model_case c;
	double first, bytes;

	make_case(&c, 0.01, 1e-10);
	bytes = all_bytes(&c.g);
	first = 4 * (double)c.g.params[c.g.n_params - 1].n;
	plan_model_simulate(&c.m, &one);
	CHECK_INT(one.allreduces, 2);
	CHECK_NEAR(one.exposed_s, 0.02 + 1e-10 * (bytes - first), 1e-9);
	plan_model_simulate(&c.m, &each);
	CHECK_INT(each.allreduces, 62);
	CHECK_NEAR(each.exposed_s, 62 * 0.01 + 1e-10 * (bytes - first), 1e-9);
	drop_case(&c);
	/* Cycles of nothing: a gradient is sent when it is ready. */
	make_case(&c, 0, 0);
	each.cycle_s = 0;
	plan_model_simulate(&c.m, &each);
	CHECK_NEAR(each.exposed_s, 0, 1e-12);
	drop_case(&c);
	/* A cycle of 0.3 s: the last gradient, at 1 s, waits until 1.2 s. */
	make_case(&c, 0, 0);
	each.cycle_s = 0.3;
	plan_model_simulate(&c.m, &each);
	CHECK_NEAR(each.exposed_s, 0.2, 1e-9);
	drop_case(&c);
}

/* When the last of n allreduces ends if they are sent in an order, each after
 * the one before it and when its gradients are ready. */
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

/* The least over all orders of the rest. */
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

/* No order of the buckets ends earlier than the one in which they become ready,
 * which is the only one that is simulated. */
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
		CHECK_NEAR(1 + choice.exposed_s,
		    fmax(1, least_end(order, 0, ready, s, p.n)), 1e-9);
		fusion_plan_release(&p);
		drop_case(&c);
	}
}

/* The best of all is mgwfbp, or as good; the list is in order and holds no plan
 * twice. */
static void
test_rank(void)
{
	static const double costs[][2] = { { 1e-5, 1e-9 }, { 1e-2, 1e-9 },
		{ 1e-5, 1e-7 }, { 1e-1, 1e-8 }, { 0, 0 } };
	static struct plan_choice all[PLAN_MODEL_CHOICES];

	for (int k = 0; k < N_TESTS(costs); k++) {
		struct plan_choice best = { .f = { .policy = "mgwfbp" } };
		struct plan_choice few[3];
		struct model_case c;
		int n;

		make_case(&c, costs[k][0], costs[k][1]);
		n = plan_model_rank(&c.m, all);
		CHECK(n > 20 && n <= PLAN_MODEL_CHOICES);
		plan_model_simulate(&c.m, &best);
		for (int i = 0; i < n; i++) {
			if (strcmp(all[i].f.policy, "horovod") != 0)
				CHECK(
				    all[i].exposed_s >= best.exposed_s - 1e-12);
			CHECK(
			    i == 0 || all[i].exposed_s >= all[i - 1].exposed_s);
			CHECK(i == 0 ||
			    all[i].exposed_s > all[i - 1].exposed_s ||
			    all[i].allreduces >= all[i - 1].allreduces);
		}
		CHECK_INT(plan_model_best(all, n, 3, few), 3);
		for (int i = 0; i < 3; i++)
			for (int j = 0; j < i; j++)
				CHECK(strcmp(few[i].f.policy,
					  few[j].f.policy) != 0);
		CHECK_NEAR(few[0].exposed_s, all[0].exposed_s, 0);
		drop_case(&c);
	}
}

/* A route of half the bytes comes first; where it costs more to begin, and the
 * wire is fast, it does not. */
static void
test_routes(void)
{
	static struct plan_choice all[PLAN_MODEL_CHOICES];
	struct plan_choice few[3];
	struct model_case c;
	int n;

	make_case(&c, 1e-4, 1e-7);
	c.m.routes[1] = (struct plan_route){ "half", 1e-4, 5e-8 };
	c.m.n_routes = 2;
	n = plan_model_rank(&c.m, all);
	CHECK_INT(all[0].route, 1);
	CHECK_INT(plan_model_best(all, n, 3, few), 3);
	c.m.routes[1] = (struct plan_route){ "half", 1e-2, 5e-8 };
	c.m.routes[0].beta_s_per_byte = 1e-11;
	plan_model_rank(&c.m, all);
	CHECK_INT(all[0].route, 0);
	drop_case(&c);
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
	TEST(test_routes),
	TEST(test_names),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
