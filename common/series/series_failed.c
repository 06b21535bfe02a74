/* Runs that failed, as points of series: the cell of a case that ran out of
 * memory states so.  series_collect calls it after it has grouped the cases
 * that were measured; a case with a run that counts keeps its number. */
#include <config.h>

#include "common/series/series_parts.h"

#include <stdint.h>
#include <string.h>

static int
is_failed(const struct result_excluded *x)
{
	return x->failed.gpus != RESULT_UNKNOWN &&
	    (strcmp(x->reason, EXCLUDED_OUT_OF_MEMORY) == 0 ||
		strcmp(x->reason, EXCLUDED_CRASHED) == 0);
}

/* True if no known value of the two differs. */
static int
may_be_same(const char *failed, const char *series)
{
	return failed == NULL || series == NULL || strcmp(failed, series) == 0;
}

/* The value of a failed run's label; NULL: it has none. */
static const char *
failed_label(const struct result_failed *f, const char *key)
{
	for (size_t i = 0; i < f->n_labels; i++)
		if (strcmp(f->labels[i].key, key) == 0)
			return f->labels[i].value;
	return NULL;
}

/* The first point that was measured, of this source; NULL: there is none. */
static const struct series_point *
measured_point(const struct series *s, const struct result_file *source)
{
	for (size_t i = 0; i < s->n_points; i++)
		if (s->points[i].source == source &&
		    s->points[i].failed == NULL)
			return &s->points[i];
	return NULL;
}

/* True if the failed run can be a case of the series.  What it does not state
 * matches anything, and so does a label that the series lacks. */
static int
may_be_of(const struct series_set *set, const struct series *s,
    const struct result_file *source, const char *const *values,
    const struct result_failed *f)
{
	static const enum series_key keys[] = { SERIES_FRAMEWORK, SERIES_MODEL,
		SERIES_PRECISION, SERIES_BATCH, SERIES_GLOBAL_BATCH };

	if (measured_point(s, source) == NULL)
		return 0;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!may_be_same(values[keys[i]], s->values[keys[i]]))
			return 0;
	for (size_t k = SERIES_LABELS; k < set->n_keys; k++)
		if (!may_be_same(failed_label(f, set->keys[k]), s->values[k]))
			return 0;
	return 1;
}

/* The only series that the run may be of; NULL: none, or several. */
static struct series *
series_of_failed(struct series_set *set, const struct result_file *source,
    const char *const *values, const struct result_failed *f, int *several)
{
	struct series *found = NULL;

	*several = 0;
	for (size_t i = 0; i < set->n; i++) {
		if (!may_be_of(set, &set->items[i], source, values, f))
			continue;
		*several = found != NULL;
		if (*several)
			return NULL;
		found = &set->items[i];
	}
	return found;
}

/* A case without runs. */
static struct result_case *
case_of_failed(struct series_set *set, const struct result_failed *f,
    const struct series_point *like)
{
	struct result_case *c = arena_alloc(&set->arena, sizeof *c);

	result_case_init(c);
	c->name = f->name;
	c->framework = f->framework;
	c->model = f->model;
	c->precision = f->precision;
	c->batch_size_per_device = f->batch_size_per_device;
	c->nodes = f->nodes;
	c->gpus_per_node = f->gpus_per_node;
	c->gpus = f->gpus;
	c->unit = like->c->unit;
	c->rule = like->c->rule;
	c->n = 0;
	return c;
}

static int
has_case(const struct series *s, const struct result_case *c)
{
	for (size_t i = 0; i < s->n_points; i++)
		if (case_shape_same(
			case_shape_of(s->points[i].c), case_shape_of(c)))
			return 1;
	return 0;
}

static int
add_failed(struct series_set *set, const struct result_file *source,
    const struct result_excluded *x, const struct series_how *how,
    struct error *e)
{
	const struct series_point *like = NULL;
	const char *values[SERIES_MAX_KEYS];
	struct result_case *c;
	struct series *s;
	int several;

	for (size_t i = 0; i < set->n && like == NULL; i++)
		like = measured_point(&set->items[i], source);
	if (like == NULL)
		return 0;
	c = case_of_failed(set, &x->failed, like);
	if (series_case_values(set, source, c, how->by_source, values, e) != 0)
		return -1;
	s = series_of_failed(set, source, values, &x->failed, &several);
	if (several ||
	    (s == NULL && (c->framework == NULL || c->model == NULL)))
		return 0;
	if (!series_is_selected(set, how->select,
		s != NULL ? (const char *const *)s->values : values))
		return 0;
	if (s == NULL)
		s = series_add(set, values);
	if (!has_case(s, c))
		series_add_point(s,
		    &(struct series_point){ .source = source,
			.index = SIZE_MAX,
			.c = c,
			.text = message(
			    strcmp(x->reason, EXCLUDED_OUT_OF_MEMORY) == 0
				? MESSAGE_OOM
				: MESSAGE_FAILED,
			    how->lang),
			.failed = x });
	return 0;
}

int
series_add_failed(struct series_set *set, const struct result_set *l,
    const struct series_how *how, struct error *e)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct result *r = &l->items[i].result;

		for (size_t k = 0; k < r->n_excluded; k++)
			if (is_failed(&r->excluded[k]) &&
			    add_failed(set, &l->items[i], &r->excluded[k], how,
				e) != 0)
				return -1;
	}
	return 0;
}
