/* Cases are sorted by what a baseline shares with the cases that are compared
 * with it, so that in a sweep of many labels few are looked at for each. */
#include <config.h>

#include "extract/measure/cases/case_baseline.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/result/work_rate.h"
#include "extract/log/natural.h"
#include "extract/measure/cases/case_label.h"

/* With more labels that a baseline may lack, all cases are looked at. */
enum { MAX_LACKING = 6 };

/* --- What may be a baseline ------------------------------------------------*/

/* The device of all runs; NULL: unknown, or not one. */
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

static int
same_text(const char *a, const char *b)
{
	return natural_compare(a, b) == 0;
}

static const struct result_pair *
find_label(const struct result_pair *labels, size_t n, const char *key)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (same_text(labels[i].key, key))
			return &labels[i];
	return NULL;
}

/* True if b has the labels of c.  On a single GPU there is nothing between GPUs
 * that could be varied: it may lack what the logs of c state was varied.
 *
 * run  one of c */
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
		else if (other == NULL || !same_text(own->value, other->value))
			return 0;
	}
	return c->n_labels == b->n_labels + missing;
}

/* The same batch per device, or in all where scaling is strong; any where the
 * time to train is measured. */
static int
same_batch(const struct result_case *c, const struct result_case *b, int strong)
{
	const long x = c->batch_size_per_device, y = b->batch_size_per_device;

	/* Time to train is to a target; each size takes the batch that is
	 * best for it. */
	if (strcmp(c->unit, "min") == 0)
		return 1;
	if (!strong)
		return x == y;
	/* Counts of any size: a product may be too large for a whole number. */
	return x != RESULT_UNKNOWN && y != RESULT_UNKNOWN &&
	    (c->gpus == b->gpus ? x == y
				: (double)x * (double)c->gpus ==
			(double)y * (double)b->gpus);
}

/* True if both state their devices, and these differ. */
static int
other_device(const struct result_case *c, const struct result_case *b)
{
	return !case_same_device(device_of(c), device_of(b));
}

/* True if b may be the baseline of c, of which run is one. */
static int
comparable_baseline(const struct result_case *c, const struct case_run *run,
    const struct result_case *b, const struct case_options *o)
{
	if (b->gpus == RESULT_UNKNOWN || c->gpus == RESULT_UNKNOWN)
		return 0;
	if (!o->allow_mixed && strcmp(c->rule, b->rule) != 0)
		return 0;
	/* What goes through the runs comes last. */
	return same_batch(c, b, o->strong) &&
	    same_text(c->framework, b->framework) &&
	    same_text(c->model, b->model) &&
	    same_text(c->precision, b->precision) && same_labels(c, b, run) &&
	    unit_is_alike(c->unit, b->unit) && work_is_alike(c, b) &&
	    (o->allow_mixed || !other_device(c, b));
}

/* True if x is a better baseline for c than y: it has fewer GPUs, then the same
 * rule, then fewer nodes. */
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

/* --- Where they stand ------------------------------------------------------*/

/* What a case and its baseline share, before all labels. */
struct baseline_key {
	const char *framework, *model, *precision;
	double batch; /* 0 where it may be any, -1 where it is unknown */
	const struct result_pair *labels;
	size_t n_labels;
};

struct baseline_place {
	struct baseline_key key;
	const struct result_case *c;
};

struct baseline_index {
	const struct result *result;
	const struct case_options *options;
	int any_batch; /* 1: times to train are compared */
	int ordered;   /* 0: labels are not in order, so that all cases have to
	                  be looked at */
	struct baseline_place *places; /* [n_cases] by key, then GPUs, then
	                                  their own order */
};

static struct baseline_key
baseline_key_of(const struct baseline_index *x, const struct result_case *c)
{
	double batch = (double)c->batch_size_per_device;

	if (c->batch_size_per_device == RESULT_UNKNOWN)
		batch = -1;
	else if (x->options->strong)
		batch *= (double)c->gpus;
	return (struct baseline_key){ c->framework, c->model, c->precision,
		x->any_batch ? 0 : batch, c->labels, c->n_labels };
}

static int
compare_keys(const struct baseline_key *x, const struct baseline_key *y)
{
	int d = natural_compare(x->framework, y->framework);

	if (d == 0)
		d = natural_compare(x->model, y->model);
	if (d == 0)
		d = natural_compare(x->precision, y->precision);
	if (d == 0)
		d = (x->batch > y->batch) - (x->batch < y->batch);
	for (size_t i = 0; d == 0 && i < x->n_labels && i < y->n_labels; i++) {
		d = strcmp(x->labels[i].key, y->labels[i].key);
		if (d == 0)
			d = natural_compare(
			    x->labels[i].value, y->labels[i].value);
	}
	return d != 0
	    ? d
	    : (x->n_labels > y->n_labels) - (x->n_labels < y->n_labels);
}

static int
by_key(const void *a, const void *b)
{
	const struct baseline_place *x = a, *y = b;
	int d = compare_keys(&x->key, &y->key);

	if (d == 0)
		d = (x->c->gpus > y->c->gpus) - (x->c->gpus < y->c->gpus);
	return d != 0 ? d : (x->c > y->c) - (x->c < y->c);
}

static int
labels_are_ordered(const struct result_case *c)
{
	for (size_t i = 1; i < c->n_labels; i++)
		if (strcmp(c->labels[i - 1].key, c->labels[i].key) >= 0)
			return 0;
	return 1;
}

struct baseline_index *
baseline_index_new(const struct result *r, const struct case_options *o)
{
	struct baseline_index *x = xcalloc(1, sizeof *x);

	*x = (struct baseline_index){ .result = r, .options = o, .ordered = 1 };
	x->places = xcalloc(r->n_cases + 1, sizeof *x->places);
	for (size_t i = 0; i < r->n_cases; i++) {
		x->any_batch |= strcmp(r->cases[i].unit, "min") == 0;
		x->ordered &= labels_are_ordered(&r->cases[i]);
	}
	for (size_t i = 0; i < r->n_cases; i++)
		x->places[i] =
		    (struct baseline_place){ baseline_key_of(x, &r->cases[i]),
			    &r->cases[i] };
	qsort(x->places, r->n_cases, sizeof *x->places, by_key);
	return x;
}

void
baseline_index_free(struct baseline_index *x)
{
	free(x->places);
	free(x);
}

/* The first place whose key is not before one. */
static size_t
first_place(const struct baseline_index *x, const struct baseline_key *key)
{
	size_t low = 0, high = x->result->n_cases;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare_keys(&x->places[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The better of two: best, or b if that may be one and is. */
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
	/* The cases' order decides where nothing else does. */
	return b < best && !better_baseline(c, best, b) ? b : best;
}

/* The best of those with a key, and one found before. */
static const struct result_case *
best_of_key(const struct baseline_index *x, const struct result_case *c,
    const struct case_run *run, const struct result_case *best,
    const struct baseline_key *key)
{
	for (size_t i = first_place(x, key); i < x->result->n_cases; i++) {
		const struct baseline_place *p = &x->places[i];

		if (compare_keys(&p->key, key) != 0 ||
		    (best != NULL && p->c->gpus > best->gpus))
			break;
		best = better_of(x, c, run, best, p->c);
	}
	return best;
}

/* The labels of a case that a baseline may lack, as their numbers.  Returns how
 * many there are; at most MAX_LACKING are kept. */
static size_t
find_lacking(const struct result_case *c, const struct case_run *run,
    size_t lacking[MAX_LACKING])
{
	const struct metadata *f = &run->metadata;
	size_t n = 0;

	for (size_t i = 0; i < c->n_labels; i++)
		if (find_label(f->varied, f->n_varied, c->labels[i].key) !=
		    NULL) {
			if (n < MAX_LACKING)
				lacking[n] = i;
			n++;
		}
	return n;
}

const struct result_case *
baseline_index_find(const struct baseline_index *x, const struct result_case *c,
    const struct case_run *run)
{
	size_t lacking[MAX_LACKING];
	const size_t n = find_lacking(c, run, lacking);
	struct baseline_key key = baseline_key_of(x, c);
	const struct result_case *best = NULL;
	struct result_pair *labels;

	if (!x->ordered || n > MAX_LACKING) {
		for (size_t i = 0; i < x->result->n_cases; i++)
			best = better_of(x, c, run, best, &x->result->cases[i]);
		return best;
	}
	labels = xcalloc(c->n_labels + 1, sizeof *labels);
	/* With all of them, and without each set of those. */
	for (unsigned set = 0; set < 1U << n; set++) {
		key.n_labels = 0;
		for (size_t i = 0, k = 0; i < c->n_labels; i++) {
			const int lacks =
			    k < n && lacking[k] == i && (set >> k & 1);

			k += k < n && lacking[k] == i;
			if (!lacks)
				labels[key.n_labels++] = c->labels[i];
		}
		key.labels = labels;
		best = best_of_key(x, c, run, best, &key);
	}
	free(labels);
	return best;
}
