/* Expands the groups of a sweep into an ordered list of runs. */
#include <config.h>

#include "trainer/launch/plan.h"

#include <assert.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text.h"

/* Parse a number that sweep_read() has checked. */
static long
word_number(const struct word *w)
{
	long x = 0;
	const int rc = parse_long(w->text, 1, SWEEP_MAX_COUNT, &x);

	assert(rc == 0);
	return rc == 0 ? x : 1;
}

/* Number of combinations of nodes and devices in a group. */
static size_t
count_topologies(const struct group *g)
{
	if (g->set[SWEEP_TOPOLOGY].n > 0)
		return g->set[SWEEP_TOPOLOGY].n;
	return g->set[SWEEP_NODES].n * g->set[SWEEP_DEVICES].n;
}

static void
get_topology(const struct group *g, size_t i, long *nodes, long *devices)
{
	const struct setting *topologies = &g->set[SWEEP_TOPOLOGY];
	const size_t n = g->set[SWEEP_DEVICES].n;

	if (topologies->n > 0) {
		const int rc =
		    topology_parse(topologies->words[i].text, nodes, devices);

		assert(rc == 0);
		(void)rc;
		return;
	}
	*nodes = word_number(&g->set[SWEEP_NODES].words[i / n]);
	*devices = word_number(&g->set[SWEEP_DEVICES].words[i % n]);
}

/* True if --only selects this log. */
static int
is_wanted(const char *log, const char *only)
{
	const char *part = log;

	if (only == NULL || fnmatch(only, log, 0) == 0)
		return 1;
	while (part != NULL) {
		char name[512];
		const size_t len = strcspn(part, "/");

		if (len < sizeof name) {
			memcpy(name, part, len);
			name[len] = '\0';
			if (fnmatch(only, name, 0) == 0)
				return 1;
		}
		part = part[len] == '/' ? part + len + 1 : NULL;
	}
	return 0;
}

static int
add_run(struct plan *p, const struct sweep *s, const struct site *site,
    struct run r, const char *only, struct error *e)
{
	const char *why;

	r.name = r.group->set[SWEEP_NAME].words[0].text;
	r.log = arena_printf(&p->arena, "%s/%ldn%ldg/%s_b%ld_%s_%ld.log",
	    r.name, r.nodes, r.devices, r.model, r.batch, r.precision, r.run);
	if (!is_wanted(r.log, only))
		return 0;
	if (r.nodes * r.devices > SWEEP_MAX_COUNT)
		return sweep_error(s, &r.group->set[SWEEP_NAME].words[0], e,
		    "%ldn%ldg: more than %d devices", r.nodes, r.devices,
		    SWEEP_MAX_COUNT);
	why = run_lacks(&p->arena, site, &r);
	if (why != NULL && site->leaves_out) {
		if (r.run > 1)
			return 0;
		p->left_out = vec_grow(p->left_out, p->n_left_out,
		    &p->alloc_left_out, sizeof *p->left_out);
		p->left_out[p->n_left_out++] = (struct left_out){ r, why };
		return 0;
	}
	if (command_make(&p->arena, s, site, &r, e) != 0)
		return -1;
	p->runs = vec_grow(p->runs, p->n, &p->alloc, sizeof *p->runs);
	p->runs[p->n++] = r;
	return 0;
}

static size_t
count_combinations(const struct group *g)
{
	return g->set[SWEEP_MODEL].n * g->set[SWEEP_BATCH].n *
	    g->set[SWEEP_PRECISION].n * count_topologies(g);
}

static long
runs_of(const struct group *g)
{
	return word_number(&g->set[SWEEP_RUNS].words[0]);
}

/* Reject an absurd number of runs before planning them. */
static int
check_number(const struct sweep *s, struct error *e)
{
	double all = 0; /* exact below the limit */

	for (size_t i = 0; i < s->n_groups; i++)
		all += (double)count_combinations(&s->groups[i]) *
		    (double)runs_of(&s->groups[i]);
	if (all > PLAN_MAX_RUNS)
		return error_set(e, ERROR_LIMIT, "%s: more than %d runs",
		    s->path, PLAN_MAX_RUNS);
	return 0;
}

/* Ranks of the largest run. */
static long
most_ranks(const struct sweep *s)
{
	long most = 1;

	for (size_t i = 0; i < s->n_groups; i++)
		for (size_t k = 0; k < count_topologies(&s->groups[i]); k++) {
			long nodes, devices;

			get_topology(&s->groups[i], k, &nodes, &devices);
			if (nodes * devices > most)
				most = nodes * devices;
		}
	return most;
}

/* Set r to combination i of its group. */
static void
set_combination(struct run *r, size_t i)
{
	const struct setting *set = r->group->set;
	const struct setting *batch = &set[SWEEP_BATCH];
	const struct setting *precision = &set[SWEEP_PRECISION];
	const size_t topologies = count_topologies(r->group);

	get_topology(r->group, i % topologies, &r->nodes, &r->devices);
	i /= topologies;
	r->precision = precision->words[i % precision->n].text;
	i /= precision->n;
	r->batch = word_number(&batch->words[i % batch->n]);
	i /= batch->n;
	r->model = set[SWEEP_MODEL].words[i].text;
}

/* Add run number `run` of all combinations: group by group, or the groups take
 * turns at each combination. */
static int
add_runs(struct plan *p, const struct sweep *s, const struct site *site,
    const char *only, int take_turns, long run, struct error *e)
{
	size_t most = 0, outer, inner;

	for (size_t k = 0; k < s->n_groups; k++) {
		const size_t n = count_combinations(&s->groups[k]);

		most = n > most ? n : most;
	}
	outer = take_turns ? most : s->n_groups;
	inner = take_turns ? s->n_groups : most;
	for (size_t a = 0; a < outer; a++)
		for (size_t b = 0; b < inner; b++) {
			const size_t k = take_turns ? b : a;
			const size_t i = take_turns ? a : b;
			struct run r = { .group = &s->groups[k],
				.combination = i,
				.run = run,
				.most_ranks = most_ranks(s) };

			if (i >= count_combinations(r.group) ||
			    run > runs_of(r.group))
				continue;
			set_combination(&r, i);
			for (size_t j = 0; j < k; j++)
				r.combination +=
				    count_combinations(&s->groups[j]);
			if (add_run(p, s, site, r, only, e) != 0)
				return -1;
		}
	return 0;
}

static int
compare_logs(const void *a, const void *b)
{
	const struct run *x = *(const struct run *const *)a;
	const struct run *y = *(const struct run *const *)b;

	return strcmp(x->log, y->log);
}

/* Reject two runs with the same log. */
static int
check_logs(const struct plan *p, const struct sweep *s, struct error *e)
{
	const struct run **order = xcalloc(p->n + 1, sizeof *order);
	int rc = 0;

	for (size_t i = 0; i < p->n; i++)
		order[i] = &p->runs[i];
	qsort(order, p->n, sizeof *order, compare_logs);
	for (size_t i = 1; i < p->n && rc == 0; i++) {
		if (strcmp(order[i - 1]->log, order[i]->log) == 0)
			rc = sweep_error(s,
			    &order[i]->group->set[SWEEP_NAME].words[0], e,
			    "two runs would write '%s'", order[i]->log);
	}
	free(order);
	return rc;
}

int
plan_make(const struct sweep *s, const struct site *site, const char *only,
    int take_turns, struct plan *p, struct error *e)
{
	long runs = 0;
	int rc = check_number(s, e);

	*p = (struct plan){ .arena = ARENA_INIT };
	for (size_t i = 0; i < s->n_groups; i++)
		if (runs_of(&s->groups[i]) > runs)
			runs = runs_of(&s->groups[i]);
	for (long run = 1; run <= runs && rc == 0; run++)
		rc = add_runs(p, s, site, only, take_turns, run, e);
	if (rc == 0)
		rc = check_logs(p, s, e);
	if (rc == 0 && p->n == 0 && p->n_left_out > 0)
		rc = error_set(e, ERROR_EMPTY,
		    "%s: nothing can be run here: %s: %s", s->path,
		    p->left_out[0].run.log, p->left_out[0].why);
	else if (rc == 0 && p->n == 0)
		rc = error_set(e, ERROR_EMPTY,
		    "--only: no run of '%s' is called '%s'", s->path, only);
	if (rc != 0)
		plan_release(p);
	return rc;
}

void
plan_release(struct plan *p)
{
	free(p->runs);
	free(p->left_out);
	arena_release(&p->arena);
	*p = (struct plan){ .arena = ARENA_INIT };
}
