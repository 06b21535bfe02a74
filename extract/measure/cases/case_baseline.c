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

/* A case with the key that it shares with its baseline, see put_key. */
struct baseline_place {
	const char *key;
	const struct result_case *c;
};

/* The device of all runs; NULL: unknown or different. */
static const char *
device_of(const struct result_case *c)
{
	for (size_t i = 0; i < c->n_runs; i++)
		if (c->runs[i].device == NULL ||
		    !case_same_device(c->runs[i].device, c->runs[0].device))
			return NULL;
	return c->runs[0].device;
}

/* True if b, which has the key of c, may be its baseline.
 *
 * lacks  1: b lacks labels of c, which one GPU may, since it has no
 *        communication to vary */
static int
comparable_baseline(const struct result_case *c, const struct result_case *b,
    int lacks, const struct case_options *o)
{
	if (b->gpus == RESULT_UNKNOWN || c->gpus == RESULT_UNKNOWN ||
	    (lacks && b->gpus != 1) ||
	    (!o->allow_mixed && strcmp(c->rule, b->rule) != 0) ||
	    (o->baseline != NULL && strcmp(o->baseline, b->name) != 0))
		return 0;
	if (o->strong && c->batch_size_per_device == RESULT_UNKNOWN &&
	    strcmp(c->unit, "min") != 0)
		return 0;
	/* The loop over the runs comes last. */
	return unit_is_alike(c->unit, b->unit) && work_is_alike(c, b) &&
	    (o->allow_mixed || case_same_device(device_of(c), device_of(b)));
}

/* True if x is a better baseline for c than y: fewer GPUs, then the same rule,
 * then fewer nodes, then the first of the cases. */
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
	return x->nodes != y->nodes ? x->nodes < y->nodes : x < y;
}

static int
by_label(const void *a, const void *b)
{
	const struct result_pair *x = *(const struct result_pair *const *)a;
	const struct result_pair *y = *(const struct result_pair *const *)b;

	return strcmp(x->key, y->key);
}

/* Write framework, model, precision, batch and labels of a case as one text.
 * The batch is that per device, the global one if scaling is strong, and none
 * for times to train: each size uses that with which it reaches the target
 * best.
 *
 * without  [c->n_labels] 1: omit that label; NULL: omit none */
static void
put_key(struct strbuf *sb, const struct result_case *c, int strong,
    const char *without)
{
	const struct result_pair **labels =
	    xcalloc(c->n_labels + 1, sizeof *labels);
	const double scale = strong ? (double)c->gpus : 1;
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
	if (strcmp(c->unit, "min") != 0 &&
	    c->batch_size_per_device != RESULT_UNKNOWN)
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

/* Find the baseline of a case among n sorted places. */
static const struct result_case *
find_baseline(const struct baseline_place *places, size_t n,
    const struct result_case *c, const struct metadata *f,
    const struct case_options *o)
{
	const struct result_case *best = NULL;
	size_t lacking[MAX_LACKING], n_lacking = 0, low;
	char *without = xcalloc(c->n_labels + 1, 1);
	struct strbuf key;

	strbuf_init(&key, MAX_KEY);
	for (size_t i = 0; i < c->n_labels; i++)
		if (n_lacking < MAX_LACKING &&
		    result_pair_value(
			f->varied, f->n_varied, c->labels[i].key) != NULL)
			lacking[n_lacking++] = i;
	/* Try every subset of the labels that may be missing. */
	for (unsigned set = 0; set < 1U << n_lacking; set++) {
		for (size_t k = 0; k < n_lacking; k++)
			without[lacking[k]] = set >> k & 1;
		low = 0;
		put_key(&key, c, o->strong, without);
		for (size_t high = n, middle; low < high;) {
			middle = low + (high - low) / 2;
			if (strcmp(places[middle].key, key.buf) < 0)
				low = middle + 1;
			else
				high = middle;
		}
		for (size_t i = low; i < n; i++) {
			const struct result_case *b = places[i].c;

			if (strcmp(places[i].key, key.buf) != 0 ||
			    (best != NULL && b->gpus > best->gpus))
				break;
			if (comparable_baseline(c, b, set != 0, o) &&
			    (best == NULL || better_baseline(c, b, best)))
				best = b;
		}
	}
	strbuf_release(&key);
	free(without);
	return best;
}

void
case_baselines(const struct result *r, const struct case_options *o,
    const struct case_run *const *runs, const size_t *first,
    const struct result_case **baselines)
{
	struct baseline_place *places = xcalloc(r->n_cases, sizeof *places);
	struct arena a = ARENA_INIT;
	struct strbuf key;

	strbuf_init(&key, MAX_KEY);
	for (size_t i = 0; i < r->n_cases; i++) {
		put_key(&key, &r->cases[i], o->strong, NULL);
		places[i] = (struct baseline_place){ arena_strdup(&a, key.buf),
			&r->cases[i] };
	}
	strbuf_release(&key);
	if (r->n_cases > 1)
		qsort(places, r->n_cases, sizeof *places, by_key);
	for (size_t i = 0; i < r->n_cases; i++)
		baselines[i] = find_baseline(places, r->n_cases, &r->cases[i],
		    &runs[first[i]]->metadata, o);
	arena_release(&a);
	free(places);
}
