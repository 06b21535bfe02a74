/* Expands the groups of a sweep into an ordered list of runs. */
#include <config.h>

#include "trainer/launch/plan.h"

#include <assert.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text.h"

/* Combinations of all groups, each a run without a number. */
struct combinations {
	struct run *items;
	size_t n, alloc;
};

/* Parse a number that sweep_read() has checked. */
static long
word_number(const struct word *w)
{
	long x = 0;
	const int rc = parse_long(w->text, 1, SWEEP_MAX_COUNT, &x);

	assert(rc == 0);
	return rc == 0 ? x : 1;
}

static long
runs_of(const struct group *g)
{
	return word_number(&g->set[SWEEP_RUNS].words[0]);
}

/* True if --only selects this log. */
static int
is_wanted(struct arena *a, const char *log, const char *only)
{
	char *parts = arena_strdup(a, log), *part;

	if (only == NULL || fnmatch(only, log, 0) == 0)
		return 1;
	while ((part = strsep(&parts, "/")) != NULL)
		if (fnmatch(only, part, 0) == 0)
			return 1;
	return 0;
}

static int
add_run(struct plan *p, const struct sweep *s, const struct site *site,
    struct run r, const char *only, struct error *e)
{
	const char *why;

	r.log = arena_printf(&p->arena, "%s/%ldn%ldg/%s_b%ld_%s_%ld.log",
	    r.name, r.nodes, r.devices, r.model, r.batch, r.precision, r.run);
	if (!is_wanted(&p->arena, r.log, only))
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

/* Add all combinations of a group; topologies vary fastest. */
static void
add_group(struct combinations *c, const struct group *g)
{
	const struct setting *set = g->set;
	const struct setting *model = &set[SWEEP_MODEL];
	const struct setting *batch = &set[SWEEP_BATCH];
	const struct setting *topologies = &set[SWEEP_TOPOLOGY];
	const size_t n = set[SWEEP_PRECISION].n;
	const size_t n_devices = set[SWEEP_DEVICES].n;
	const size_t n_topologies =
	    topologies->n > 0 ? topologies->n : set[SWEEP_NODES].n * n_devices;
	struct run r = { .group = g, .name = set[SWEEP_NAME].words[0].text };

	for (size_t i = 0; i < model->n * batch->n * n; i++) {
		r.model = model->words[i / n / batch->n].text;
		r.batch = word_number(&batch->words[i / n % batch->n]);
		r.precision = set[SWEEP_PRECISION].words[i % n].text;
		for (size_t k = 0; k < n_topologies; k++) {
			if (topologies->n > 0) {
				topology_parse(topologies->words[k].text,
				    &r.nodes, &r.devices);
			} else {
				r.nodes = word_number(
				    &set[SWEEP_NODES].words[k / n_devices]);
				r.devices = word_number(
				    &set[SWEEP_DEVICES].words[k % n_devices]);
			}
			c->items =
			    vec_grow(c->items, c->n, &c->alloc, sizeof r);
			r.combination = c->n;
			c->items[c->n++] = r;
		}
	}
}

/* Reject an absurd number of runs before planning them. */
static int
check_number(const struct sweep *s, struct error *e)
{
	double all = 0; /* exact below the limit */

	for (size_t i = 0; i < s->n_groups; i++) {
		const struct setting *set = s->groups[i].set;
		const size_t n = set[SWEEP_TOPOLOGY].n;

		all += (double)set[SWEEP_MODEL].n * (double)set[SWEEP_BATCH].n *
		    (double)set[SWEEP_PRECISION].n *
		    (n > 0 ? (double)n
			   : (double)set[SWEEP_NODES].n *
				(double)set[SWEEP_DEVICES].n) *
		    (double)runs_of(&s->groups[i]);
	}
	if (all > PLAN_MAX_RUNS)
		return error_set(e, ERROR_LIMIT, "%s: more than %d runs",
		    s->path, PLAN_MAX_RUNS);
	return 0;
}

/* Order by the place in the group, then by group. */
static int
compare_places(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->combination < y->combination ? -1 : 1;
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
check_logs(struct plan *p, const struct sweep *s, struct error *e)
{
	const struct run **order =
	    arena_calloc(&p->arena, p->n + 1, sizeof *order);

	for (size_t i = 0; i < p->n; i++)
		order[i] = &p->runs[i];
	qsort(order, p->n, sizeof *order, compare_logs);
	for (size_t i = 1; i < p->n; i++)
		if (strcmp(order[i - 1]->log, order[i]->log) == 0)
			return sweep_error(s,
			    &order[i]->group->set[SWEEP_NAME].words[0], e,
			    "two runs would write '%s'", order[i]->log);
	return 0;
}

int
plan_make(const struct sweep *s, const struct site *site, const char *only,
    int take_turns, struct plan *p, struct error *e)
{
	struct combinations c = { NULL, 0, 0 };
	long runs = 0, most_ranks = 1;
	int rc = check_number(s, e);

	*p = (struct plan){ .arena = ARENA_INIT };
	for (size_t i = 0; i < s->n_groups && rc == 0; i++) {
		const size_t first = c.n;

		add_group(&c, &s->groups[i]);
		for (size_t k = first; k < c.n; k++) {
			const long ranks =
			    c.items[k].nodes * c.items[k].devices;

			c.items[k].place = k - first;
			most_ranks = ranks > most_ranks ? ranks : most_ranks;
		}
		if (runs_of(&s->groups[i]) > runs)
			runs = runs_of(&s->groups[i]);
	}
	p->n_combinations = c.n;
	if (take_turns && c.n > 1)
		qsort(c.items, c.n, sizeof *c.items, compare_places);
	for (long run = 1; run <= runs && rc == 0; run++)
		for (size_t i = 0; i < c.n && rc == 0; i++) {
			struct run r = c.items[i];

			r.run = run;
			r.most_ranks = most_ranks;
			if (run <= runs_of(r.group))
				rc = add_run(p, s, site, r, only, e);
		}
	free(c.items);
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
