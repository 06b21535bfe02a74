/* Simulation and ranking of plans. */
#include <config.h>

#include "trainer/tune/plan_model.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/stats/stats.h"

enum { MIB = 1 << 20 };

/* Least overlap of samples under load; greatest of samples at rest. */
static const double mostly = 0.9, hardly = 0.1;
/* Limit of the ratio of two routes' CPU times, against bad measurements. */
static const double most_ratio = 4;

static double
cost_of(const struct plan_cost *c, double bytes)
{
	return c->alpha_s + c->beta_s_per_byte * bytes;
}

double
plan_model_cpu_share(double cores, int threads, double ran)
{
	const double spare = cores * ran - threads;
	const double share = spare < 0 ? 1 : spare > 1 ? 0 : 1 - spare;
	const double had = cores < ran * threads ? cores : ran * threads;

	return had < 1 ? share / had : share;
}

/* Ratio of measured CPU times, which may be near zero, within limits. */
static double
ratio_or_1(double a, double b)
{
	const double ratio = a > 0 && b > 0 ? a / b : 1;

	return ratio < 1 / most_ratio ? 1 / most_ratio
	    : ratio > most_ratio      ? most_ratio
				      : ratio;
}

/* Add the cost increase of the route in use, scaled by the CPU times. */
static void
add_longer(struct plan_cost *c, const struct plan_cost *cpu,
    const struct plan_cost *used_cpu, const struct plan_cost *from,
    const struct plan_cost *to)
{
	c->alpha_s += (to->alpha_s - from->alpha_s) *
	    ratio_or_1(cpu->alpha_s, used_cpu->alpha_s);
	c->beta_s_per_byte += (to->beta_s_per_byte - from->beta_s_per_byte) *
	    ratio_or_1(cpu->beta_s_per_byte, used_cpu->beta_s_per_byte);
}

/* Least-squares line, but never below rest. */
static struct plan_cost
fit_loaded(const struct plan_cost *rest, const struct plan_sample *s, int n)
{
	double k = 0, bytes = 0, seconds = 0, at_rest = 0, xx = 0, xy = 0;
	struct plan_cost c = *rest;

	for (int i = 0; i < n; i++) {
		if (s[i].overlap < mostly)
			continue;
		k++;
		bytes += s[i].bytes;
		seconds += s[i].seconds;
		at_rest += cost_of(rest, s[i].bytes);
	}
	if (k == 0)
		return c;
	for (int i = 0; i < n; i++) {
		const double x = s[i].bytes - bytes / k;

		if (s[i].overlap < mostly)
			continue;
		xx += x * x;
		xy += x * (s[i].seconds - seconds / k);
	}
	if (xx > 0) {
		c.beta_s_per_byte = fmax(xy / xx, rest->beta_s_per_byte);
		c.alpha_s = fmax(
		    (seconds - c.beta_s_per_byte * bytes) / k, rest->alpha_s);
	} else if (seconds > at_rest && at_rest > 0) {
		c.alpha_s *= seconds / at_rest;
		c.beta_s_per_byte *= seconds / at_rest;
	}
	return c;
}

void
plan_routes_fit(struct plan_route *routes, int n_routes, int used,
    const struct plan_sample *samples, int n)
{
	const struct plan_cost probed = routes[used].rest;
	const struct plan_cost cpu = routes[used].cpu;
	struct plan_cost rest = probed, loaded;
	double bytes = 0, seconds = 0;

	for (int i = 0; i < n; i++) {
		if (samples[i].overlap > hardly)
			continue;
		bytes += samples[i].bytes;
		seconds += samples[i].seconds - rest.alpha_s;
	}
	if (bytes > 0)
		rest.beta_s_per_byte =
		    fmax(rest.beta_s_per_byte, seconds / bytes);
	loaded = fit_loaded(&rest, samples, n);
	for (int i = 0; i < n_routes; i++) {
		struct plan_route *r = &routes[i];

		add_longer(&r->rest, &r->cpu, &cpu, &probed, &rest);
		r->loaded = r->rest;
		add_longer(&r->loaded, &r->cpu, &cpu, &rest, &loaded);
		/* A slowdown by cold memory is CPU time; if the network is the
		 * limit, cpu is small anyway. */
		if (probed.alpha_s > 0)
			r->cpu.alpha_s *= rest.alpha_s / probed.alpha_s;
		if (probed.beta_s_per_byte > 0)
			r->cpu.beta_s_per_byte *=
			    rest.beta_s_per_byte / probed.beta_s_per_byte;
	}
	routes[used].rest = rest;
	routes[used].loaded = loaded;
}

void
plan_model_ready_alone(double *ready_s, int n_params,
    const struct plan_span *spans, int n, const struct plan_cost *cpu)
{
	for (int i = 0; i < n_params; i++) {
		double taken = 0;

		for (int k = 0; k < n && spans[k].start_s < ready_s[i]; k++) {
			const double took = spans[k].end_s - spans[k].start_s;
			const double ran = ready_s[i] - spans[k].start_s;
			const double c = cost_of(cpu, spans[k].bytes);

			/* No more than the duration. */
			taken += (c < took ? c : took) *
			    (ran < took ? ran / took : 1);
		}
		ready_s[i] -= taken;
	}
}

struct fusion
plan_model_fusion(const struct plan_model *m, const struct plan_choice *c)
{
	const struct plan_cost *loaded = &m->routes[c->route].loaded;
	struct fusion f = c->f;

	f.ready_s = m->ready_s;
	f.alpha_s = loaded->alpha_s * (c->merge > 1 ? c->merge : 1);
	f.beta_s_per_byte = loaded->beta_s_per_byte;
	return f;
}

/* A queue of allreduces during the backward pass. */
struct allreduce_queue {
	const struct plan_route *route;
	double total; /* duration of the pass without allreduces, s */
	double now;   /* end of the last allreduce */
	double work;  /* progress of the pass at that time, <= total */
};

/* The pass has ended if less than this remains. */
static const double instant = 1e-9;

/* Advance time without an allreduce, while the pass runs at a rate <= 1. */
static void
queue_wait(struct allreduce_queue *q, double seconds, double rate)
{
	q->now += seconds;
	q->work += rate * seconds;
	q->work = q->work < q->total - instant ? q->work : q->total;
}

/* Add an allreduce: under load until the pass ends, then at rest. */
static void
queue_allreduce(struct allreduce_queue *q, double bytes)
{
	const double rest = cost_of(&q->route->rest, bytes);
	const double loaded = cost_of(&q->route->loaded, bytes);
	const double cpu = cost_of(&q->route->cpu, bytes);
	/* Work of the pass done during the whole allreduce, and work left. */
	const double done = cpu < loaded ? loaded - cpu : 0;
	const double left = q->total - q->work;
	double share = 1; /* fraction of the allreduce under load */

	if (left < instant)
		share = 0;
	else if (done > left)
		share = left / done;
	q->now += share * loaded + (1 - share) * rest;
	q->work += share * done;
	q->work = q->work < q->total - instant ? q->work : q->total;
}

/* Horovod: at each cycle the ranks negotiate ready tensors, at the cost of an
 * empty allreduce, and sum them, fused; the next cycle starts when it is due
 * and the sums are done. */
static void
simulate_cycles(const struct plan_model *m, const struct fusion *f,
    struct allreduce_queue *q, struct plan_choice *c)
{
	const int n = m->graph->n_params;
	const double step = fmax(c->cycle_s, q->route->loaded.alpha_s);
	/* Rate of the backward pass during empty cycles, which cost CPU time.
	 * The worst case is two threads on one core. */
	const double rate =
	    fmax(step > 0 ? 1 - q->route->cpu.alpha_s / step : 1, 0.5);
	const struct fusion each = { .policy = "tensor" };
	struct fusion_plan tensors;
	double begin = 0;
	int done = 0, ready = 0;

	fusion_plan_make(&each, m->graph, m->element, &tensors);
	while (done < n) {
		const double lacks = fmax(m->ready_s[done] - q->work, 0);

		const double then = q->now + lacks / rate;

		/* The first cycle that finds a ready tensor. */
		if (then > begin)
			begin = step > 0
			    ? begin + ceil((then - begin) / step) * step
			    : then;
		queue_wait(q, begin - q->now, rate);
		/* At least one is ready, whatever the rounding. */
		ready = ready > done ? ready : done + 1;
		while (ready < n && m->ready_s[ready] <= q->work + instant)
			ready++;
		queue_allreduce(q, 0);
		while (done < ready) {
			const int k = fusion_plan_fuse(
			    &tensors, done, ready, f->threshold);
			double bytes = 0;

			for (int i = done; i < done + k; i++)
				bytes += (double)tensors.buckets[i].bytes;
			queue_allreduce(q, bytes);
			done += k;
			c->allreduces++;
		}
		begin = fmax(q->now, begin + step);
	}
	fusion_plan_release(&tensors);
}

void
plan_model_simulate(const struct plan_model *m, struct plan_choice *c)
{
	const struct fusion f = plan_model_fusion(m, c);
	struct allreduce_queue q = { .route = &m->routes[c->route],
		.total = m->ready_s[m->graph->n_params - 1] };
	struct fusion_plan p;

	c->allreduces = 0;
	if (strcmp(f.policy, "horovod") == 0) {
		const double cycles[] = { (double)f.threshold, c->cycle_s };

		simulate_cycles(m, &f, &q, c);
		c->hash = XXH3_64bits(cycles, sizeof cycles);
	} else {
		fusion_plan_make(&f, m->graph, m->element, &p);
		for (int i = 0, tensor = 0; i < p.n; i++) {
			double lacks;

			tensor += p.buckets[i].n_tensors;
			lacks = m->ready_s[tensor - 1] - q.work;
			if (lacks > 0)
				queue_wait(&q, lacks, 1);
			queue_allreduce(&q, (double)p.buckets[i].bytes);
		}
		c->allreduces = p.n;
		c->hash = fusion_plan_hash(&p);
		fusion_plan_release(&p);
	}
	c->hash = XXH3_64bits_withSeed(&c->route, sizeof c->route, c->hash);
	c->added_s = fmax(q.now - q.total, 0);
}

/* Add a choice to choices[*n] unless its plan is present. */
static void
add_choice(const struct plan_model *m, const struct plan_choice *c,
    struct plan_choice *choices, int *n)
{
	struct plan_choice *to = &choices[*n];
	int i = 0;

	assert(*n < PLAN_MODEL_CHOICES);
	*to = *c;
	plan_model_simulate(m, to);
	while (choices[i].hash != to->hash)
		i++;
	*n += i == *n;
}

static int
compare_choices(const void *a, const void *b)
{
	const struct plan_choice *x = a, *y = b;

	if (x->added_s != y->added_s)
		return x->added_s < y->added_s ? -1 : 1;
	if (x->allreduces != y->allreduces)
		return x->allreduces - y->allreduces;
	/* Break ties equally on all ranks. */
	if (x->route != y->route)
		return x->route - y->route;
	return (x->hash > y->hash) - (x->hash < y->hash);
}

int
plan_model_rank(const struct plan_model *m, struct plan_choice *choices)
{
	static const size_t mib[] = { 1, 2, 4, 8, 16, 25, 32, 64, 128 };
	static const double cycles[] = { 1e-3, 5e-3 };
	int n = 0;

	for (int route = 0; route < m->n_routes; route++) {
		const struct plan_choice none = { .route = route };
		struct plan_choice c = none;

		c.f.policy = "tensor";
		add_choice(m, &c, choices, &n);
		c.f.policy = "all";
		add_choice(m, &c, choices, &n);
		c.f.policy = "mgwfbp";
		for (c.merge = 1; c.merge <= 16; c.merge *= 2)
			add_choice(m, &c, choices, &n);
		for (size_t i = 0; i < sizeof mib / sizeof mib[0]; i++) {
			const size_t bytes = mib[i] * MIB;

			c = none;
			c.f = (struct fusion){ "ddp", .first = MIB,
				.rest = bytes };
			add_choice(m, &c, choices, &n);
			c.f.first = bytes;
			add_choice(m, &c, choices, &n);
			c.f = (struct fusion){ "horovod", .threshold = bytes };
			for (int k = 0; k < 2; k++) {
				c.cycle_s = cycles[k];
				add_choice(m, &c, choices, &n);
			}
		}
	}
	qsort(choices, (size_t)n, sizeof *choices, compare_choices);
	return n;
}

/* True if no element of few has the route and policy of c. */
static int
is_new(const struct plan_choice *few, int n, const struct plan_choice *c)
{
	for (int i = 0; i < n; i++)
		if (few[i].route == c->route &&
		    strcmp(few[i].f.policy, c->f.policy) == 0)
			return 0;
	return 1;
}

int
plan_model_best(const struct plan_model *m, const struct plan_choice *choices,
    int n, const struct plan_choice *first, int most, struct plan_choice *few)
{
	/* The best choice; for each kind, the best that differs from first in
	 * it, unless one is included already; then the next best. */
	static const unsigned kinds[] = { 0, PLAN_ROUTE_LEVELS, PLAN_ROUTE_HALF,
		0 };
	const unsigned used_kind = m->routes[first->route].kind;
	struct plan_choice used = *first;
	int k = 0;

	assert(most >= 3);
	plan_model_simulate(m, &used);
	for (int round = 0; round < 4; round++) {
		const unsigned kind = kinds[round];
		const int until = round < 3 ? k + 1 : most;
		unsigned found = 0;

		for (int i = 0; i < k; i++)
			found |=
			    (m->routes[few[i].route].kind ^ used_kind) & kind;
		for (int i = 0; i < n && k < until && !found; i++) {
			const struct plan_choice *c = &choices[i];

			if (((m->routes[c->route].kind ^ used_kind) & kind) ==
				kind &&
			    c->hash != used.hash && is_new(few, k, c))
				few[k++] = *c;
		}
	}
	return k;
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
	if (c->merge > 1)
		strbuf_printf(sb, "-alpha%d", c->merge);
}

/* --- Choice by trials ----------------------------------------------------- */

/* Fractions of a step: least gain to leave the first plan, loss to return to
 * it, drift to start again. */
static const double gain = 0.01, loss = 0.03, drift = 0.2;

enum { CHECKED = 10 }; /* steps until the decision is checked */

void
plan_tuner_start(struct plan_tuner *p)
{
	memset(p, 0, sizeof *p);
	p->n = -1;
}

/* Reorders the array. */
static double
upper_median(double *x, int n)
{
	return stats_value_at(x, (size_t)n, (size_t)n / 2, 0);
}

/* End of the second round: the two plans have three steps each. */
static enum plan_tuner_event
decide_plan(struct plan_tuner *p)
{
	p->plan = 0;
	if (p->n > 0) {
		const double best_s = plan_tuner_time(p, p->best);

		p->first_s = plan_tuner_time(p, 0);
		p->noise_s = sqrt(
		    (stats_variance(p->times[0].s, PLAN_TUNER_TIMES) +
			stats_variance(p->times[p->best].s, PLAN_TUNER_TIMES)) /
		    2);
		if (best_s < (1 - gain) * p->first_s &&
		    p->first_s - best_s > p->noise_s)
			p->plan = p->best;
	}
	p->kept = 1;
	p->n_seconds = 0;
	return PLAN_TUNER_DECIDED;
}

enum plan_tuner_event
plan_tuner_propose(struct plan_tuner *p, int n)
{
	assert(n >= 0 && n <= PLAN_TUNER_CANDIDATES && p->n < 0);
	p->n = n;
	return n == 0 ? decide_plan(p) : PLAN_TUNER_USE;
}

/* Record a step of a trial: one step of each plan, then of the first, two of
 * the fastest candidate, and of the first again. */
static enum plan_tuner_event
next_trial(struct plan_tuner *p, double seconds)
{
	struct plan_times *t = &p->times[p->plan];
	const int before = p->plan;
	int second; /* step number in the second round */

	assert(p->n > 0 && t->n < PLAN_TUNER_TIMES);
	t->s[t->n++] = seconds;
	second = ++p->trials - (p->n + 1);
	if (second == PLAN_TUNER_FINAL)
		return decide_plan(p);
	if (second == 0) {
		p->best = 1;
		for (int i = 2; i <= p->n; i++)
			if (p->times[i].s[0] < p->times[p->best].s[0])
				p->best = i;
	}
	p->plan = second < 0             ? p->trials
	    : second == 1 || second == 2 ? p->best
					 : 0;
	return p->plan != before ? PLAN_TUNER_USE : PLAN_TUNER_NOTHING;
}

enum plan_tuner_event
plan_tuner_step(struct plan_tuner *p, double seconds)
{
	double median;

	if (p->step++ < PLAN_TUNER_WARM)
		return p->step == PLAN_TUNER_WARM ? PLAN_TUNER_PROBE
						  : PLAN_TUNER_NOTHING;
	assert(p->n >= 0);
	if (!p->kept)
		return next_trial(p, seconds);
	/* Check the plan in use. */
	p->seconds[p->n_seconds++] = seconds;
	if (p->usual == 0 && p->plan != 0 && p->n_seconds == CHECKED &&
	    upper_median(p->seconds, p->n_seconds) >
		p->first_s + fmax(loss * p->first_s, p->noise_s)) {
		p->plan = 0;
		p->n_seconds = 0;
		return PLAN_TUNER_DECIDED;
	}
	if (p->n_seconds < PLAN_TUNER_WATCH)
		return PLAN_TUNER_NOTHING;
	median = upper_median(p->seconds, p->n_seconds);
	p->n_seconds = 0;
	if (p->usual == 0) {
		p->usual = median;
		return PLAN_TUNER_NOTHING;
	}
	if (median <= (1 + drift) * p->usual)
		return PLAN_TUNER_NOTHING;
	plan_tuner_start(p);
	return PLAN_TUNER_AGAIN;
}

double
plan_tuner_time(const struct plan_tuner *p, int plan)
{
	struct plan_times t = p->times[plan];

	return t.n > 0 ? upper_median(t.s, t.n) : 0;
}
