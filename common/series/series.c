/* Series of results: cases of several files, grouped by configuration, selected
 * and checked. */
#include <config.h>

#include "common/series/series.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/hash_index.h"
#include "common/result/case_text.h"
#include "common/result/work_rate.h"
#include "common/text.h"
#include "common/units/units.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* --- keys ----------------------------------------------------------------- */

/* Text for the value of a key, in each language; '@' stands for the value. */
static const struct {
	const char *name;
	const char *column; /* in tables for programs; NULL: the name */
	const char *shown[N_LANGUAGES];
} fixed_keys[SERIES_LABELS] = {
	[SERIES_FRAMEWORK] = { "framework", NULL, { "@", "@" } },
	[SERIES_MODEL] = { "model", NULL, { "@", "@" } },
	[SERIES_PRECISION] = { "precision", NULL, { "@", "@" } },
	[SERIES_BATCH] = { "batch", "batch_size_per_device",
	    { "batch @ per device", "每卡批大小@" } },
	[SERIES_GLOBAL_BATCH] = { "global-batch", "global_batch_size",
	    { "global batch @", "总批大小@" } },
	[SERIES_UNIT] = { "unit", NULL, { "@", "@" } },
	[SERIES_WORK] = { "work", "work_unit", { "iterations of @", "每步@" } },
	[SERIES_RULE] = { "rule", NULL, { "rule @", "规则@" } },
	[SERIES_KIND] = { "kind", NULL, { "@", "@" } },
	[SERIES_SOURCE] = { "source", NULL, { "@", "@" } },
};

/* Order of values in names: subject first. SERIES_LABELS stands for all
 * labels. */
static const enum series_key named[] = { SERIES_MODEL, SERIES_FRAMEWORK,
	SERIES_PRECISION, SERIES_BATCH, SERIES_GLOBAL_BATCH, SERIES_LABELS,
	SERIES_KIND, SERIES_UNIT, SERIES_WORK, SERIES_RULE, SERIES_SOURCE };

/* --- values --------------------------------------------------------------- */

/* The rule with the options that change what it measures, for comparison; NULL:
 * unknown. */
static const char *
rule_text(struct arena *a, const struct result *r, const struct result_case *c)
{
	const struct result_rule *rule = &r->rule;
	const char *name = c->rule != NULL ? c->rule : rule->rule;
	const struct {
		const char *of, *name;
		long value;
	} counts[] = { { "window", "skip", rule->skip_iterations },
		{ "window", "warm-up", rule->warmup_batches },
		{ "window", "train", rule->train_batches },
		{ "all", "from", rule->from_iteration } };
	const int is_summary = text_same(name, "summary");
	const char *const words[][2] = { { "epoch",
					     is_summary ? NULL : rule->epoch },
		{ "by", is_summary ? NULL : rule->aggregate },
		{ "protocol",
		    text_same(rule->protocol, DEFAULT_PROTOCOL)
			? NULL
			: rule->protocol } };
	struct strbuf sb = STRBUF_INIT(4096);

	if (name == NULL)
		return NULL;
	strbuf_addstr(&sb, name);
	for (size_t i = 0; i < COUNT(counts); i++)
		if (strcmp(name, counts[i].of) == 0 &&
		    counts[i].value != RESULT_UNKNOWN)
			strbuf_printf(
			    &sb, " %s %ld", counts[i].name, counts[i].value);
	for (size_t i = 0; i < COUNT(words); i++)
		if (words[i][1] != NULL)
			strbuf_printf(&sb, " %s %s", words[i][0], words[i][1]);
	return strbuf_finish(&sb, a);
}

/* Set the values of the keys for a case of a source.
 *
 * Returns 0, or -1 with ERROR_LIMIT for too many label names. */
static int
case_values(struct series_set *set, const struct result_file *s,
    const struct result_case *c, int by_source,
    const char *values[SERIES_MAX_KEYS], struct error *e)
{
	const struct result_rule *rule = &s->result.rule;
	const long batch = c->batch_size_per_device;

	memset(values, 0, SERIES_MAX_KEYS * sizeof values[0]);
	values[SERIES_FRAMEWORK] = c->framework;
	values[SERIES_MODEL] = c->model;
	values[SERIES_PRECISION] = c->precision;
	if (batch != RESULT_UNKNOWN && result_rule_is_strong(rule) &&
	    c->gpus != RESULT_UNKNOWN)
		values[SERIES_GLOBAL_BATCH] = arena_printf(
		    &set->arena, "%lld", (long long)batch * c->gpus);
	else if (batch != RESULT_UNKNOWN)
		values[SERIES_BATCH] = arena_printf(&set->arena, "%ld", batch);
	values[SERIES_UNIT] =
	    text_same(rule->metric, "throughput") || rule->metric == NULL
	    ? c->unit
	    : arena_join(&set->arena, rule->metric, " ",
		  c->unit != NULL ? c->unit : "?");
	if (work_kind_is_per_step(work_kind_of(c->unit)))
		values[SERIES_WORK] =
		    c->work_unit != NULL ? c->work_unit : "samples";
	values[SERIES_RULE] = rule_text(&set->arena, &s->result, c);
	values[SERIES_KIND] = s->values != NULL ? "published" : "measured";
	values[SERIES_SOURCE] = by_source ? s->name : NULL;
	for (size_t i = 0; i < c->n_labels; i++) {
		size_t key = SERIES_LABELS;

		while (key < set->n_keys &&
		    strcmp(set->keys[key], c->labels[i].key) != 0)
			key++;
		if (key == SERIES_MAX_KEYS)
			return error_set(e, ERROR_LIMIT,
			    "more than %d names of labels",
			    SERIES_MAX_KEYS - SERIES_LABELS);
		if (key == set->n_keys)
			set->keys[set->n_keys++] =
			    arena_strdup(&set->arena, c->labels[i].key);
		values[key] = c->labels[i].value;
	}
	return 0;
}

/* Add a series with these values. Invalidates pointers to other series. */
static struct series *
series_add(struct series_set *set, const char *const *values)
{
	struct series *x;

	set->items =
	    arena_grow(&set->arena, set->items, set->n, sizeof *set->items);
	x = &set->items[set->n++];
	*x = (struct series){ .n_points = 0 };
	memcpy(x->values, values, sizeof x->values);
	return x;
}

static void
add_point(struct arena *a, struct series *s, const struct series_point *p)
{
	s->points = arena_grow(a, s->points, s->n_points, sizeof *p);
	s->points[s->n_points++] = *p;
}

/* --- selection ------------------------------------------------------------ */

/* True if a case of a series with these values has the value of "key=value".
 * Topology keys refer to the case unless a label has that name.
 *
 * c  NULL: any case of the series */
static int
has_value(struct series_set *set, const char *const *values,
    const struct result_case *c, const char *text)
{
	static const char *const names[] = { "case", "nodes", "gpus",
		"gpus_per_node" };
	const size_t len = strcspn(text, "=");
	const char *key = arena_strndup(&set->arena, text, len);
	const char *value = text + len + 1;
	size_t k = 0;
	long x;

	for (; k < set->n_keys; k++)
		if (strcmp(set->keys[k], key) == 0)
			return text_same(values[k], value);
	for (k = 0; k < COUNT(names) && strcmp(names[k], key) != 0;)
		k++;
	if (k == COUNT(names) || c == NULL)
		return k < COUNT(names);
	if (k == 0)
		return text_same(c->name, value);
	return whole_parse(value, strlen(value), 1, LONG_MAX, &x) == UNITS_OK &&
	    x == (const long[]){ c->nodes, c->gpus, c->gpus_per_node }[k - 1];
}

/* True if a selection matches. Values of one key are alternatives; all keys
 * must match.
 *
 * select  NULL or empty: match all
 * c       as for has_value */
static int
is_selected(struct series_set *set, const struct opt_list *select,
    const char *const *values, const struct result_case *c)
{
	for (size_t i = 0; select != NULL && i < select->n; i++) {
		const size_t len = strcspn(select->items[i], "=") + 1;
		int any = 0;

		for (size_t k = 0; k < select->n && !any; k++)
			any = strncmp(select->items[k], select->items[i],
				  len) == 0 &&
			    has_value(set, values, c, select->items[k]);
		if (!any)
			return 0;
	}
	return 1;
}

/* --- grouping ------------------------------------------------------------- */

/* True if series i has these values. */
static int
series_has_values(const void *all, size_t i, const void *values)
{
	const struct series *x = (const struct series *)all + i;

	return series_values_same(x->values, values, UINT64_MAX);
}

/* Unknown counts come last: RESULT_UNKNOWN has the sign bit. */
static int
compare_counts(long a, long b)
{
	const unsigned long x = (unsigned long)a, y = (unsigned long)b;

	return (x > y) - (x < y);
}

int
case_shape_order(const struct result_case *a, const struct result_case *b)
{
	int order = compare_counts(a->gpus, b->gpus);

	if (order == 0)
		order = compare_counts(a->nodes, b->nodes);
	if (order == 0 && a->gpus == RESULT_UNKNOWN)
		order = text_order(a->name, b->name);
	return order;
}

static int
compare_points(const void *pa, const void *pb)
{
	const struct series_point *a = pa, *b = pb;
	int order = case_shape_order(a->c, b->c);

	if (order == 0)
		order = (a->source > b->source) - (a->source < b->source);
	return order != 0 ? order
			  : (a->index > b->index) - (a->index < b->index);
}

/* Sort the points of all series. Returns the second of two points for the same
 * case, after the first, or NULL. */
static const struct series_point *
sort_points(struct series_set *set)
{
	const struct series_point *again = NULL;

	for (size_t i = 0; i < set->n; i++) {
		struct series_point *p = set->items[i].points;
		const size_t n = set->items[i].n_points;

		qsort(p, n, sizeof *p, compare_points);
		for (size_t k = 1; again == NULL && k < n; k++)
			if (case_shape_order(p[k - 1].c, p[k].c) == 0)
				again = &p[k];
	}
	return again;
}

/* Group the cases of all sources whose series are selected. Returns like
 * case_values.
 *
 * again  set as by sort_points */
static int
group_cases(const struct result_set *l, const struct series_how *how,
    struct series_set *set, const struct series_point **again, struct error *e)
{
	const char *values[SERIES_MAX_KEYS];
	/* A document may have a configuration per row. */
	struct hash_index by_values = HASH_INDEX_INIT;
	int rc = 0;

	*set = (struct series_set){ .n_keys = SERIES_LABELS };
	for (size_t i = 0; i < SERIES_LABELS; i++)
		set->keys[i] = fixed_keys[i].name;
	for (size_t i = 0; i < l->n; i++) {
		const struct result_file *s = &l->items[i];

		for (size_t k = 0; rc == 0 && k < s->result.n_cases; k++) {
			const struct series_point p = { .source = s,
				.index = k,
				.c = &s->result.cases[k],
				.text = s->values != NULL ? s->values[k].text
							  : NULL };
			uint32_t hash;
			size_t at;

			rc =
			    case_values(set, s, p.c, how->by_source, values, e);
			if (rc != 0 ||
			    !is_selected(set, how->select, values, NULL))
				continue;
			hash = series_values_hash(0, values, UINT64_MAX);
			at = hash_index_find(&by_values, hash,
			    series_has_values, set->items, values);
			if (at == HASH_INDEX_NONE) {
				at = set->n;
				hash_index_add(&by_values, hash, at);
				series_add(set, values);
			}
			add_point(&set->arena, &set->items[at], &p);
		}
	}
	hash_index_release(&by_values);
	*again = sort_points(set);
	return rc;
}

/* --- failed runs ---------------------------------------------------------- */

/* True if the values are equal or one is unknown. */
static int
may_be_same(const char *a, const char *b)
{
	return a == NULL || b == NULL || strcmp(a, b) == 0;
}

/* The first measured point of this source in a series, or NULL. */
static const struct series_point *
measured_point(const struct series *s, const struct result_file *source)
{
	for (size_t i = 0; i < s->n_points; i++)
		if (s->points[i].source == source &&
		    s->points[i].failed == NULL)
			return &s->points[i];
	return NULL;
}

/* True if the failed run can be a case of the series. Unknown values and labels
 * that the series lacks match anything. */
static int
may_be_of(const struct series_set *set, const struct series *s,
    const struct result_file *source, const char *const *values,
    const struct result_failed *f)
{
	if (measured_point(s, source) == NULL)
		return 0;
	for (size_t k = 0; k <= SERIES_GLOBAL_BATCH; k++)
		if (!may_be_same(values[k], s->values[k]))
			return 0;
	for (size_t i = 0; i < f->n_labels; i++)
		for (size_t k = SERIES_LABELS; k < set->n_keys; k++)
			if (strcmp(set->keys[k], f->labels[i].key) == 0 &&
			    !may_be_same(f->labels[i].value, s->values[k]))
				return 0;
	return 1;
}

/* Add a point for a failed run of a case without successful runs, unless its
 * series is ambiguous. The points are unsorted afterwards. */
static void
add_failed(struct series_set *set, const struct result_file *source,
    const struct result_excluded *x, const struct series_how *how)
{
	const int oom = strcmp(x->reason, EXCLUDED_OUT_OF_MEMORY) == 0;
	struct series_point p = { .source = source,
		.index = SIZE_MAX,
		.text = message(oom ? MESSAGE_OOM : MESSAGE_FAILED, how->lang),
		.failed = x };
	const struct series_point *like = NULL;
	const char *values[SERIES_MAX_KEYS];
	const struct result_failed *f = &x->failed;
	struct result_case *c;
	struct series *s = NULL;
	size_t n = 0; /* series that match */

	for (size_t i = 0; like == NULL && i < set->n; i++)
		like = measured_point(&set->items[i], source);
	if (like == NULL || f->gpus == RESULT_UNKNOWN ||
	    (!oom && strcmp(x->reason, EXCLUDED_CRASHED) != 0))
		return;
	p.c = c = arena_calloc(&set->arena, 1, sizeof *c);
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
	/* c has no labels: may_be_of compares those of f. */
	case_values(set, source, c, how->by_source, values, NULL);
	for (size_t i = 0; i < set->n; i++)
		if (may_be_of(set, &set->items[i], source, values, f)) {
			s = &set->items[i];
			n++;
		}
	if (n > 1 ||
	    (n == 0 && (p.c->framework == NULL || p.c->model == NULL)) ||
	    !is_selected(set, how->select,
		n > 0 ? (const char *const *)s->values : values, NULL))
		return;
	if (n == 0)
		s = series_add(set, values);
	for (size_t i = 0; i < s->n_points; i++)
		if (case_shape_order(s->points[i].c, p.c) == 0)
			return;
	add_point(&set->arena, s, &p);
}

/* --- speedups over several files ------------------------------------------ */

/* Recompute the speedups of a series that comes from several files or from a
 * table of another program. Replace each case by a copy, allocated in a, whose
 * baseline is the smallest case of the series on the same device, or the one
 * named by --baseline; if there is none, the case has no speedup. */
static void
fill_speedups(struct series *s, struct arena *a)
{
	int own = 1;

	for (size_t i = 0; i < s->n_points; i++)
		own &= s->points[i].source == s->points[0].source &&
		    !s->points[i].source->result.without_baselines;
	for (size_t i = 0; !own && i < s->n_points; i++) {
		struct series_point *p = &s->points[i];
		const struct result_rule *rule = &p->source->result.rule;
		const int strong = result_rule_is_strong(rule);
		const struct result_case *base = NULL;
		struct result_case *c = arena_calloc(a, 1, sizeof *c);
		struct work_scale scale;

		/* Take the first case that may be the baseline. */
		for (size_t k = 0; base == NULL && k < s->n_points; k++) {
			const struct result_case *b = s->points[k].c;

			if ((rule->baseline == NULL ||
				text_same(rule->baseline, b->name)) &&
			    may_be_same(result_case_device(p->c),
				result_case_device(b)) &&
			    isfinite(b->median_speed) &&
			    work_scale_of(p->c, b, strong, &scale))
				base = k == i ? c : b;
		}
		*c = *p->c;
		p->c = c;
		result_case_clear_speedup(c);
		if (base == NULL || !isfinite(c->median_speed) ||
		    !case_speedup_over(
			c, base, strong, result_confidence(rule)))
			continue;
		c->baseline_flag = rule->baseline == NULL && base->gpus != 1;
		if (p->source->values == NULL)
			case_flag_speedup(c, base, a);
	}
}

/* --- checks --------------------------------------------------------------- */

/* True if rule is name followed by options, which may be unknown for the other.
 * A protocol is always known, so it distinguishes the rules. */
static int
is_name_of(const char *name, const char *rule)
{
	const size_t n = strlen(name);

	return strncmp(rule, name, n) == 0 && rule[n] == ' ' &&
	    strncmp(rule + n, " protocol ", 10) != 0;
}

/* Report an error if known values of the key differ between series. */
static int
check_alike(const struct series_set *set, enum series_key key, int never_mixed,
    struct error *e)
{
	const struct series *first = NULL;
	char a[SERIES_PLACE_SIZE], b[SERIES_PLACE_SIZE];

	for (size_t i = 0; i < set->n; i++) {
		const struct series *x = &set->items[i];
		const char *value = x->values[key], *other;

		if (value == NULL)
			continue;
		if (first == NULL)
			first = x;
		other = first->values[key];
		if (strcmp(value, other) != 0 &&
		    (key != SERIES_RULE ||
			(!is_name_of(value, other) &&
			    !is_name_of(other, value))))
			return error_set(e, ERROR_INPUT,
			    "different %ss: %s has '%s', %s has '%s'; choose "
			    "by --select%s",
			    set->keys[key],
			    series_point_place(a, first->points), other,
			    series_point_place(b, x->points), value,
			    never_mixed
				? ""
				: ", or show them together by --allow-mixed");
	}
	return 0;
}

/* Name of the counted devices, from the devices named in the logs; "GPUs" if
 * none is named. */
static enum message
devices_named(const struct series_set *set)
{
	static const struct {
		const char *word;
		enum message devices;
	} kinds[] = { { "tpu", MESSAGE_TPU_CHIPS }, { "npu", MESSAGE_NPUS },
		{ "ascend", MESSAGE_NPUS }, { "cpu", MESSAGE_CPU_PROCESSES },
		{ "xeon", MESSAGE_CPU_PROCESSES },
		{ "epyc", MESSAGE_CPU_PROCESSES }, { "", MESSAGE_GPUS } };
	int all = -1;

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const char *device =
			    result_case_device(set->items[i].points[k].c);
			size_t m = 0;

			while (strcasestr(device != NULL ? device : "",
				   kinds[m].word) == NULL)
				m++;
			if (all >= 0 && all != (int)kinds[m].devices)
				return MESSAGE_DEVICES;
			all = (int)kinds[m].devices;
		}
	return all >= 0 ? (enum message)all : MESSAGE_GPUS;
}

void
series_set_find_differing(struct series_set *set)
{
	const struct series **list =
	    arena_calloc(&set->arena, set->n + 1, sizeof *list);
	uint64_t some = 0, all = UINT64_MAX;

	for (size_t i = 0; i < set->n; i++) {
		struct series *s = &set->items[i];

		s->known = 0;
		for (size_t k = 0; k < SERIES_MAX_KEYS; k++)
			if (s->values[k] != NULL)
				s->known |= SERIES_BIT(k);
		some |= s->known;
		all &= s->known;
		list[i] = s;
	}
	set->differing = series_differing(list, set->n);
	set->devices = devices_named(set);
	set->partly = some & ~all;
}

/* Drop points and series that are not selected. ERROR_EMPTY if none is left. */
static int
keep_selected(struct series_set *set, const struct opt_list *select,
    const struct result_set *l, struct error *e)
{
	const char *what = NULL, *keys = NULL;
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		struct series x = set->items[i];
		const size_t all = x.n_points;

		x.n_points = 0;
		for (size_t k = 0; k < all; k++)
			if (is_selected(set, select,
				(const char *const *)x.values, x.points[k].c))
				x.points[x.n_points++] = x.points[k];
		if (x.n_points > 0)
			set->items[n++] = x;
	}
	set->n = n;
	if (n > 0)
		return 0;
	if (select == NULL || select->n == 0)
		return error_set(e, ERROR_EMPTY, "%s: no cases in it",
		    l->n > 0 ? l->items[0].path : "no file");
	for (size_t i = 0; i < select->n; i++)
		what = arena_join(&set->arena, what, ", ",
		    arena_printf(&set->arena, "'%s'", select->items[i]));
	for (size_t i = 0; i < set->n_keys; i++)
		keys = arena_join(&set->arena, keys, ", ", set->keys[i]);
	return error_set(e, ERROR_EMPTY,
	    "no case is selected by %s; its keys are: %.600s, nodes, gpus, "
	    "gpus_per_node, case",
	    what, keys);
}

/* Group the cases with failed runs and speedups, select by size, and check.
 * Returns 0 or -1. */
static int
collect_points(const struct result_set *l, struct series_how *how,
    struct series_set *set, struct error *e)
{
	const struct series_point *again;
	char a[SERIES_PLACE_SIZE], b[SERIES_PLACE_SIZE];

	for (size_t i = 0; i < l->n; i++)
		how->by_source |= l->items[i].label != NULL;
	if (group_cases(l, how, set, &again, e) != 0)
		return -1;
	if (again != NULL && !how->by_source &&
	    again[-1].source != again->source) {
		series_release(set);
		how->by_source = 1;
		if (group_cases(l, how, set, &again, e) != 0)
			return -1;
	}
	if (again != NULL)
		return error_set(e, ERROR_INPUT,
		    "%s: the same case as %s; give their files different "
		    "labels (label=path) or leave one out",
		    series_point_place(a, again),
		    series_point_place(b, again - 1));
	for (size_t i = 0; how->with_failed && i < l->n; i++) {
		const struct result_file *f = &l->items[i];

		for (size_t k = 0; k < f->result.n_excluded; k++)
			add_failed(set, f, &f->result.excluded[k], how);
	}
	sort_points(set);
	/* This precedes keep_selected, which may drop the baseline. */
	for (size_t i = 0; i < set->n; i++)
		fill_speedups(&set->items[i], &set->arena);
	if (keep_selected(set, how->select, l, e) != 0)
		return -1;
	for (size_t i = 0; how->need_gpus && i < set->n; i++) {
		const struct series *x = &set->items[i];
		/* Unknown counts come last. */
		const struct series_point *p = &x->points[x->n_points - 1];

		if (p->c->gpus == RESULT_UNKNOWN)
			return error_set(e, ERROR_INPUT,
			    "%s: unknown number of GPUs; set it with "
			    "extract_logs --nodes=N --gpus-per-node=N",
			    series_point_place(a, p));
	}
	if (how->allow_mixed)
		return 0;
	return check_alike(set, SERIES_UNIT, how->need_gpus, e) != 0
	    ? -1
	    : check_alike(set, SERIES_RULE, how->need_gpus, e);
}

int
series_collect(const struct result_set *l, const struct series_how *how,
    struct series_set *set, struct error *e)
{
	const struct opt_list *select = how->select;
	struct series_how own = *how;

	for (size_t i = 0; select != NULL && i < select->n; i++)
		if (strcspn(select->items[i], "=") == 0 ||
		    strchr(select->items[i], '=') == NULL)
			return error_set(e, ERROR_USAGE,
			    "--select: '%s' is not key=value",
			    select->items[i]);
	if (collect_points(l, &own, set, e) != 0) {
		series_release(set);
		return -1;
	}
	series_set_find_differing(set);
	return 0;
}

/* --- texts ---------------------------------------------------------------- */

const struct series_point *
series_baseline(const struct series *s, const struct result_case *c)
{
	for (size_t i = 0; i < s->n_points && c->baseline != NULL; i++)
		if (s->points[i].c->name != NULL &&
		    strcmp(s->points[i].c->name, c->baseline) == 0)
			return &s->points[i];
	return NULL;
}

int
series_is_published(const struct series *s)
{
	return s->points[0].source->values != NULL;
}

uint64_t
series_differing(const struct series *const *list, size_t n)
{
	const char *rule = NULL;
	uint64_t mask = 0;

	for (size_t i = 0; i < n; i++) {
		const char *const *own = list[i]->values;

		if (rule == NULL)
			rule = own[SERIES_RULE];
		for (size_t k = 0; k < SERIES_MAX_KEYS; k++)
			if (k == SERIES_RULE
				? own[k] != NULL && strcmp(rule, own[k]) != 0
				: !text_same(list[0]->values[k], own[k]))
				mask |= SERIES_BIT(k);
	}
	return mask;
}

static const char *
rule_in_words(
    struct series_set *set, const struct series *s, enum language lang)
{
	const struct series_point *p = &s->points[0];

	return measured_text(
	    &set->arena, &p->source->result.rule, p->c->rule, lang);
}

/* The name of the rule. If another rule of the set has the same name, a text on
 * what it measures follows or, if both texts are equal, the rule's options. */
static const char *
short_rule(struct series_set *set, const struct series *s, enum language lang)
{
	const char *rule = s->values[SERIES_RULE];
	const size_t len = strcspn(rule, " ");
	const char *name = arena_strndup(&set->arena, rule, len), *words;

	for (size_t i = 0; i < set->n; i++) {
		const char *other = set->items[i].values[SERIES_RULE];

		if (other == NULL || strcmp(other, rule) == 0 ||
		    strcspn(other, " ") != len || memcmp(other, rule, len) != 0)
			continue;
		words = rule_in_words(set, s, lang);
		return strcmp(
			   words, rule_in_words(set, &set->items[i], lang)) == 0
		    ? rule
		    : arena_join(&set->arena, name, ": ", words);
	}
	return name;
}

/* True if a label's value needs no key before it: it is the only label among
 * the keys in mask, all series have it, and it is a word such as "mxnet", or
 * the name of a folder. */
static int
names_itself(
    const struct series_set *set, uint64_t mask, size_t key, const char *value)
{
	static const char *const states[] = { "true", "false", "yes", "no",
		"on", "off", "none", "auto", "default" };
	const uint64_t labels = mask & ~(SERIES_BIT(SERIES_LABELS) - 1);

	if (labels != SERIES_BIT(key) || (set->partly & labels) != 0)
		return 0;
	for (size_t i = 0; i < COUNT(states); i++)
		if (strcasecmp(value, states[i]) == 0)
			return 0;
	return strcmp(set->keys[key], "folder") == 0 ||
	    isalpha((unsigned char)value[0]) || (value[0] & 0x80) != 0;
}

/* The value of a key in words: "batch 128 per device".
 *
 * mask  keys of the text */
static const char *
key_text(struct series_set *set, const struct series *s, uint64_t mask,
    size_t key, enum language lang)
{
	struct arena *a = &set->arena;
	const char *value = s->values[key];

	if (value == NULL)
		return arena_join(
		    a, set->keys[key], " ", message(MESSAGE_UNKNOWN, lang));
	if (key >= SERIES_LABELS)
		return names_itself(set, mask, key, value)
		    ? value
		    : arena_printf(a, "%s=%s", set->keys[key], value);
	if (key == SERIES_RULE)
		value = short_rule(set, s, lang);
	if (key == SERIES_KIND)
		value = message(series_is_published(s) ? MESSAGE_PUBLISHED
						       : MESSAGE_MEASURED,
		    lang);
	return text_fill(a, fixed_keys[key].shown[lang], value);
}

const char *
series_text(struct series_set *set, const struct series *s, uint64_t mask,
    enum language lang)
{
	const uint64_t own =
	    mask & ((s->known & mask) != 0 ? s->known : set->partly);
	struct strbuf sb = STRBUF_INIT(1 << 20);

	for (size_t i = 0; i < COUNT(named); i++) {
		const size_t end =
		    named[i] == SERIES_LABELS ? set->n_keys : named[i] + 1;

		for (size_t k = named[i]; k < end; k++)
			if ((own & SERIES_BIT(k)) != 0)
				strbuf_printf(&sb, "%s%s",
				    sb.len > 0 ? message(MESSAGE_COMMA, lang)
					       : "",
				    key_text(set, s, own, k, lang));
	}
	return strbuf_finish(&sb, &set->arena);
}

const char *
series_name_part(struct series_set *set, const struct series *s, uint64_t mask,
    enum language lang)
{
	return (s->known & mask) != 0 ? series_text(set, s, mask, lang) : "";
}

const char *
series_case_name(
    struct arena *a, const struct result_case *c, enum language lang)
{
	if (lang == LANGUAGE_ZH && c->nodes != RESULT_UNKNOWN &&
	    c->gpus != RESULT_UNKNOWN)
		return arena_printf(a, "%ld机%ld卡", c->nodes, c->gpus);
	return c->name != NULL ? c->name : "?";
}

const char *
series_key_column(const struct series_set *set, size_t key)
{
	return key < SERIES_LABELS && fixed_keys[key].column != NULL
	    ? fixed_keys[key].column
	    : set->keys[key];
}

/* --- the set -------------------------------------------------------------- */

const char *
series_point_place(char place[SERIES_PLACE_SIZE], const struct series_point *p)
{
	const struct result_file *s = p->source;
	const char *name = p->c->name != NULL ? p->c->name : "?";

	if (p->index >= s->result.n_cases)
		snprintf(place, SERIES_PLACE_SIZE, "%s", s->path);
	else if (s->values != NULL)
		snprintf(place, SERIES_PLACE_SIZE, "%s:%ld (%s)", s->path,
		    s->values[p->index].line, name);
	else
		snprintf(place, SERIES_PLACE_SIZE, "%s: cases[%zu] (%s)",
		    s->path, p->index, name);
	return place;
}

const struct result_file *
series_next_source(const struct series_set *set, const struct result_file *last)
{
	const struct result_file *next = NULL;

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct result_file *s =
			    set->items[i].points[k].source;

			if ((last == NULL || s > last) &&
			    (next == NULL || s < next))
				next = s;
		}
	return next;
}

int
series_need_speeds(
    const struct series_set *set, const char *what, struct error *e)
{
	for (const struct result_file *f = NULL;
	     (f = series_next_source(set, f)) != NULL;) {
		const struct run_metric *m =
		    run_metric_find(f->result.rule.metric);

		if (m != NULL)
			return error_set(e, ERROR_INPUT,
			    "%s: holds the metric %s, but %s needs speeds",
			    f->path, m->name, what);
	}
	return 0;
}

void
series_release(struct series_set *set)
{
	arena_release(&set->arena);
	*set = (struct series_set){ 0 };
}
