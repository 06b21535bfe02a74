/* Baselines of cases.  Cases are sorted by the keys that they share with their
 * baseline, so that a sweep over many labels needs few comparisons per case. */
#include <config.h>

#include "extract/measure/cases/case.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/work_rate.h"
#include "common/strbuf.h"
#include "common/text.h"

enum {
	/* Labels that a baseline may lack; it must have any others. */
	MAX_LACKING = 16,
	MAX_KEY = 1 << 20 /* bytes */
};

/* --- Valid baselines -------------------------------------------------------*/

/* The device of all runs; NULL: unknown or different. */
static const char *
device_of(const struct result_case *c)
{
	size_t i;

	for (i = 0; i < c->n_runs; i++)
		if (c->runs[i].device == NULL ||
		    !case_same_device(c->runs[i].device, c->runs[0].device))
			return NULL;
	return c->runs[0].device;
}

static const struct result_pair *
find_label(const struct result_pair *labels, size_t n, const char *key)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (text_same(labels[i].key, key))
			return &labels[i];
	return NULL;
}

/* True if b has the labels of c.  A baseline on one GPU may lack labels that
 * the logs of c state as varied, since it has no communication to vary.
 *
 * run  a run of c */
static int
same_labels(const struct result_case *c, const struct result_case *b,
    const struct case_run *run)
{
	const struct metadata *f = &run->metadata;
	size_t i, missing = 0;

	for (i = 0; i < c->n_labels; i++) {
		const struct result_pair *own = &c->labels[i], *other;

		other = find_label(b->labels, b->n_labels, own->key);
		if (other == NULL && b->gpus == 1 &&
		    find_label(f->varied, f->n_varied, own->key) != NULL)
			missing++;
		else if (other == NULL || !text_same(own->value, other->value))
			return 0;
	}
	return c->n_labels == b->n_labels + missing;
}

/* True for the same batch per device, or the same global batch if scaling is
 * strong.  Any batch is accepted for times to train. */
static int
same_batch(const struct result_case *c, const struct result_case *b, int strong)
{
	const long x = c->batch_size_per_device, y = b->batch_size_per_device;

	/* Each size uses the batch with which it reaches the target best. */
	if (strcmp(c->unit, "min") == 0)
		return 1;
	if (!strong)
		return x == y;
	/* Use double: the product may exceed a long. */
	return x != RESULT_UNKNOWN && y != RESULT_UNKNOWN &&
	    (c->gpus == b->gpus ? x == y
				: (double)x * (double)c->gpus ==
			(double)y * (double)b->gpus);
}

/* True if both devices are known and differ. */
static int
other_device(const struct result_case *c, const struct result_case *b)
{
	return !case_same_device(device_of(c), device_of(b));
}

/* True if b may be the baseline of c, which has this run. */
static int
comparable_baseline(const struct result_case *c, const struct case_run *run,
    const struct result_case *b, const struct case_options *o)
{
	if (b->gpus == RESULT_UNKNOWN || c->gpus == RESULT_UNKNOWN)
		return 0;
	if (!o->allow_mixed && strcmp(c->rule, b->rule) != 0)
		return 0;
	/* Expensive checks, which loop over the runs, come last. */
	return same_batch(c, b, o->strong) &&
	    text_same(c->framework, b->framework) &&
	    text_same(c->model, b->model) &&
	    text_same(c->precision, b->precision) && same_labels(c, b, run) &&
	    unit_is_alike(c->unit, b->unit) && work_is_alike(c, b) &&
	    (o->allow_mixed || !other_device(c, b));
}

/* True if x is a better baseline for c than y: fewer GPUs, then the same rule,
 * then fewer nodes. */
static int
better_baseline(const struct result_case *c, const struct result_case *x,
    const struct result_case *y)
{
	const int same_x = strcmp(x->rule, c->rule) == 0;
	const int same_y = strcmp(y->rule, c->rule) == 0;

	if (x->gpus != y->gpus)
		return x->gpus < y->gpus;
	if (same_x != same_y)
		return same_x;
	return x->nodes < y->nodes;
}

/* --- Index -----------------------------------------------------------------*/

/* A case with the key that it shares with its baseline, see put_key. */
struct baseline_place {
	const char *key;
	const struct result_case *c;
};

struct baseline_index {
	struct arena arena;
	const struct result *result;
	const struct case_options *options;
	int any_batch;                 /* 1: times to train are compared */
	struct baseline_place *places; /* [n_cases] by key, GPUs, order of the
	                                  cases */
};

static int
by_label(const void *a, const void *b)
{
	const struct result_pair *x = *(const struct result_pair *const *)a;
	const struct result_pair *y = *(const struct result_pair *const *)b;

	return strcmp(x->key, y->key);
}

/* Write framework, model, precision, batch and labels of a case as one text.
 *
 * without  [c->n_labels] 1: omit that label; NULL: omit none */
static void
put_key(struct strbuf *sb, const struct baseline_index *x,
    const struct result_case *c, const char *without)
{
	const struct result_pair **labels =
	    xcalloc(c->n_labels + 1, sizeof *labels);
	const double scale = x->options->strong ? (double)c->gpus : 1;
	size_t n = 0;

	for (size_t i = 0; i < c->n_labels; i++)
		if (without == NULL || !without[i])
			labels[n++] = &c->labels[i];
	qsort(labels, n, sizeof *labels, by_label);
	strbuf_reset(sb);
	strbuf_printf(sb, "%s\n%s\n%s",
	    c->framework != NULL ? c->framework : "",
	    c->model != NULL ? c->model : "",
	    c->precision != NULL ? c->precision : "");
	if (!x->any_batch && c->batch_size_per_device != RESULT_UNKNOWN)
		strbuf_printf(
		    sb, "\n%.17g", scale * (double)c->batch_size_per_device);
	for (size_t i = 0; i < n; i++)
		strbuf_printf(sb, "\n%s=%s", labels[i]->key, labels[i]->value);
	free(labels);
}

static int
by_key(const void *a, const void *b)
{
	const struct baseline_place *x = a, *y = b;
	int d = strcmp(x->key, y->key);

	if (d == 0)
		d = (x->c->gpus > y->c->gpus) - (x->c->gpus < y->c->gpus);
	return d != 0 ? d : (x->c > y->c) - (x->c < y->c);
}

struct baseline_index *
baseline_index_new(const struct result *r, const struct case_options *o)
{
	struct baseline_index *x = xcalloc(1, sizeof *x);
	struct strbuf key;

	*x = (struct baseline_index){
		.arena = ARENA_INIT, .result = r, .options = o
	};
	x->places = arena_calloc(&x->arena, r->n_cases + 1, sizeof *x->places);
	for (size_t i = 0; i < r->n_cases; i++)
		x->any_batch |= strcmp(r->cases[i].unit, "min") == 0;
	strbuf_init(&key, MAX_KEY);
	for (size_t i = 0; i < r->n_cases; i++) {
		put_key(&key, x, &r->cases[i], NULL);
		x->places[i] =
		    (struct baseline_place){ arena_strdup(&x->arena, key.buf),
			    &r->cases[i] };
	}
	strbuf_release(&key);
	qsort(x->places, r->n_cases, sizeof *x->places, by_key);
	return x;
}

void
baseline_index_free(struct baseline_index *x)
{
	arena_release(&x->arena);
	free(x);
}

/* The first place with a key not less than this one. */
static size_t
first_place(const struct baseline_index *x, const char *key)
{
	size_t low = 0, high = x->result->n_cases;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strcmp(x->places[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The better of best and b; b only if it is a possible baseline. */
static const struct result_case *
better_of(const struct baseline_index *x, const struct result_case *c,
    const struct case_run *run, const struct result_case *best,
    const struct result_case *b)
{
	const char *name = x->options->baseline;

	if (!comparable_baseline(c, run, b, x->options) ||
	    (name != NULL && strcmp(name, b->name) != 0))
		return best;
	if (best == NULL || better_baseline(c, b, best))
		return b;
	/* Ties are decided by the order of the cases. */
	return b < best && !better_baseline(c, best, b) ? b : best;
}

const struct result_case *
baseline_index_find(const struct baseline_index *x, const struct result_case *c,
    const struct case_run *run)
{
	const struct result_case *best = NULL;
	const struct metadata *f = &run->metadata;
	size_t lacking[MAX_LACKING], n = 0;
	char *without = xcalloc(c->n_labels + 1, 1);
	struct strbuf key;

	strbuf_init(&key, MAX_KEY);
	for (size_t i = 0; i < c->n_labels && n < MAX_LACKING; i++)
		if (find_label(f->varied, f->n_varied, c->labels[i].key) !=
		    NULL)
			lacking[n++] = i;
	/* Try every subset of the labels that may be missing. */
	for (unsigned set = 0; set < 1U << n; set++) {
		for (size_t k = 0; k < n; k++)
			without[lacking[k]] = set >> k & 1;
		put_key(&key, x, c, without);
		for (size_t i = first_place(x, key.buf); i < x->result->n_cases;
		     i++) {
			const struct baseline_place *p = &x->places[i];

			if (strcmp(p->key, key.buf) != 0 ||
			    (best != NULL && p->c->gpus > best->gpus))
				break;
			best = better_of(x, c, run, best, p->c);
		}
	}
	strbuf_release(&key);
	free(without);
	return best;
}
