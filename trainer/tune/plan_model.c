/* Plans simulated, and ranked. trainer/run/autotune.c measures what is put in,
 * and tries the best. */
#include <config.h>

#include "trainer/tune/plan_model.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

enum { MIB = 1 << 20 };

struct fusion
plan_model_fusion(const struct plan_model *m, const struct plan_choice *c)
{
	struct fusion f = c->f;

	f.ready_s = m->ready_s;
	f.alpha_s = m->routes[c->route].alpha_s;
	f.beta_s_per_byte = m->routes[c->route].beta_s_per_byte;
	return f;
}

static double
backward_end(const struct plan_model *m)
{
	return m->ready_s[m->graph->n_params - 1];
}

/* When the first cycle begins that finds something ready, after one that began
 * at a time.  Each is at least as long as agreeing takes. */
static double
next_cycle(double begin, double step, double ready)
{
	double n;

	if (ready <= begin)
		return begin;
	if (step <= 0)
		return ready;
	n = ceil((ready - begin) / step);
	return begin + n * step;
}

/* Horovod: at each cycle the ranks agree on what is ready, at the price of an
 * empty allreduce, and sum it, fused; the next cycle begins when its time has
 * come and the sums are done.  Returns when the last one is. */
static double
simulate_cycles(
    const struct plan_model *m, const struct fusion *f, struct plan_choice *c)
{
	const int n = m->graph->n_params;
	const double step = c->cycle_s > f->alpha_s ? c->cycle_s : f->alpha_s;
	const struct fusion each = { .policy = "tensor" };
	struct fusion_plan tensors;
	double begin = 0, now = 0;
	int done = 0, ready = 0;

	fusion_plan_make(&each, m->graph, m->element, &tensors);
	while (done < n) {
		begin = next_cycle(begin, step, m->ready_s[done]);
		while (ready < n && m->ready_s[ready] <= begin)
			ready++;
		now = begin + f->alpha_s;
		while (done < ready) {
			const int k = fusion_plan_fuse(
			    &tensors, done, ready, f->threshold);

			now += f->alpha_s;
			for (int i = done; i < done + k; i++)
				now += f->beta_s_per_byte *
				    (double)tensors.buckets[i].bytes;
			done += k;
			c->allreduces++;
		}
		begin = now > begin + step ? now : begin + step;
	}
	fusion_plan_release(&tensors);
	return now;
}

void
plan_model_simulate(const struct plan_model *m, struct plan_choice *c)
{
	const struct fusion f = plan_model_fusion(m, c);
	struct fusion_plan p;
	double end;

	c->allreduces = 0;
	if (strcmp(f.policy, "horovod") == 0) {
		end = simulate_cycles(m, &f, c);
	} else {
		fusion_plan_make(&f, m->graph, m->element, &p);
		end = fusion_plan_end(&f, &p);
		c->allreduces = p.n;
		fusion_plan_release(&p);
	}
	end -= backward_end(m);
	c->exposed_s = end > 0 ? end : 0;
}

/* The plans of one route that are looked at. */
struct choice_list {
	const struct plan_model *m;
	struct plan_choice *choices;
	uint64_t hashes[PLAN_MODEL_CHOICES];
	int n;
};

/* A number that differs for choices that do different things. */
static uint64_t
hash_choice(const struct plan_model *m, const struct plan_choice *c)
{
	const struct fusion f = plan_model_fusion(m, c);
	struct fusion_plan p;
	uint64_t hash;

	if (strcmp(f.policy, "horovod") == 0)
		return (uint64_t)f.threshold * 31 +
		    (uint64_t)(c->cycle_s * 1e6) * 4 + (uint64_t)c->route + 1;
	fusion_plan_make(&f, m->graph, m->element, &p);
	hash = fusion_plan_hash(&p) + (uint64_t)c->route;
	fusion_plan_release(&p);
	return hash;
}

static void
add_choice(struct choice_list *l, int route, struct fusion f, double cycle_s)
{
	struct plan_choice *c = &l->choices[l->n];
	uint64_t hash;

	assert(l->n < PLAN_MODEL_CHOICES);
	*c = (struct plan_choice){ .f = f, .cycle_s = cycle_s, .route = route };
	hash = hash_choice(l->m, c);
	for (int i = 0; i < l->n; i++)
		if (l->hashes[i] == hash)
			return;
	plan_model_simulate(l->m, c);
	l->hashes[l->n++] = hash;
}

static void
add_choices(struct choice_list *l, int route)
{
	static const size_t mib[] = { 1, 2, 4, 8, 16, 25, 32, 64, 128 };
	static const double cycles[] = { 1e-3, 5e-3 };
	const int n = (int)(sizeof mib / sizeof mib[0]);

	add_choice(l, route, (struct fusion){ .policy = "mgwfbp" }, 0);
	for (int i = 0; i < n; i++) {
		const size_t bytes = mib[i] * MIB;

		add_choice(l, route,
		    (struct fusion){
			.policy = "ddp", .first = MIB, .rest = bytes },
		    0);
		add_choice(l, route,
		    (struct fusion){
			.policy = "ddp", .first = bytes, .rest = bytes },
		    0);
		for (int k = 0; k < 2; k++)
			add_choice(l, route,
			    (struct fusion){
				.policy = "horovod", .threshold = bytes },
			    cycles[k]);
	}
	add_choice(l, route, (struct fusion){ .policy = "tensor" }, 0);
	add_choice(l, route, (struct fusion){ .policy = "all" }, 0);
}

static int
compare_choices(const void *a, const void *b)
{
	const struct plan_choice *x = a, *y = b;

	if (x->exposed_s != y->exposed_s)
		return x->exposed_s < y->exposed_s ? -1 : 1;
	if (x->allreduces != y->allreduces)
		return x->allreduces - y->allreduces;
	/* Whatever is left must come out alike on all ranks. */
	if (x->route != y->route)
		return x->route - y->route;
	if (strcmp(x->f.policy, y->f.policy) != 0)
		return strcmp(x->f.policy, y->f.policy);
	if (x->f.rest + x->f.threshold != y->f.rest + y->f.threshold)
		return x->f.rest + x->f.threshold < y->f.rest + y->f.threshold
		    ? -1
		    : 1;
	return (x->f.first > y->f.first) - (x->f.first < y->f.first);
}

int
plan_model_rank(const struct plan_model *m, struct plan_choice *choices)
{
	struct choice_list l = { .m = m, .choices = choices };

	for (int i = 0; i < m->n_routes; i++)
		add_choices(&l, i);
	qsort(choices, (size_t)l.n, sizeof *choices, compare_choices);
	return l.n;
}

int
plan_model_best(
    const struct plan_choice *choices, int n, int most, struct plan_choice *few)
{
	int found = 0;

	for (int i = 0; i < n && found < most; i++) {
		int k = 0;

		while (k < found &&
		    (few[k].route != choices[i].route ||
			strcmp(few[k].f.policy, choices[i].f.policy) != 0))
			k++;
		if (k == found)
			few[found++] = choices[i];
	}
	return found;
}

void
plan_choice_name(const struct plan_choice *c, struct strbuf *sb)
{
	const char *policy = c->f.policy;

	strbuf_addstr(sb, policy);
	if (strcmp(policy, "ddp") == 0)
		strbuf_printf(sb, "-first%g-rest%g", (double)c->f.first / MIB,
		    (double)c->f.rest / MIB);
	if (strcmp(policy, "horovod") == 0)
		strbuf_printf(sb, "-threshold%g-cycle%g",
		    (double)c->f.threshold / MIB, c->cycle_s * 1e3);
}
