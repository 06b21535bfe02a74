/* Results side by side: cases of several files as points of series, grouped by
 * what they are of, checked and named. */
#include <config.h>

#include "common/series/series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/hash_index.h"
#include "common/result/measured_text.h"
#include "common/series/series_parts.h"
#include "common/strbuf.h"
#include "common/text.h"

/* How a key's values are shown in running text; '@' is the value, or the name
 * of the key before its value for a label. */
static const struct {
	const char *name;
	const char *shown[N_LANGUAGES];
} fixed_keys[SERIES_LABELS] = {
	[SERIES_FRAMEWORK] = { "framework", { "@", "@" } },
	[SERIES_MODEL] = { "model", { "@", "@" } },
	[SERIES_PRECISION] = { "precision", { "@", "@" } },
	[SERIES_BATCH] = { "batch", { "batch @ per device", "每卡批大小@" } },
	[SERIES_GLOBAL_BATCH] = { "global-batch",
	    { "global batch @", "总批大小@" } },
	[SERIES_UNIT] = { "unit", { "@", "@" } },
	[SERIES_WORK] = { "work", { "iterations of @", "每步@" } },
	[SERIES_RULE] = { "rule", { "rule @", "规则@" } },
	[SERIES_KIND] = { "kind", { "@", "@" } },
	[SERIES_SOURCE] = { "source", { "@", "@" } },
};

/* The order in which values are named: what it is of first. */
static const enum series_key named_first[] = { SERIES_MODEL, SERIES_FRAMEWORK,
	SERIES_PRECISION, SERIES_BATCH, SERIES_GLOBAL_BATCH };
static const enum series_key named_last[] = { SERIES_KIND, SERIES_UNIT,
	SERIES_WORK, SERIES_RULE, SERIES_SOURCE };

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* --- grouping ------------------------------------------------------------- */

/* True if series i has these values. */
static int
series_has_values(const void *all, size_t i, const void *values)
{
	const struct series *x = (const struct series *)all + i;

	return series_values_same(x->values, values, UINT64_MAX);
}

/* by_values  finds the series of the set by their values: a document may have a
 *            configuration a row */
static void
add_case(struct series_set *set, struct hash_index *by_values,
    const struct result_file *s, size_t at, const char *const *values)
{
	const struct series_point p = { .source = s,
		.index = at,
		.c = &s->result.cases[at],
		.text = s->texts != NULL ? s->texts[at] : NULL };
	const uint32_t hash = series_values_hash(0, values, UINT64_MAX);
	size_t i = hash_index_find(
	    by_values, hash, series_has_values, set->items, values);

	if (i == HASH_INDEX_NONE) {
		i = set->n;
		series_add(set, values);
		hash_index_add(by_values, hash, i);
	}
	series_add_point(&set->items[i], &p);
}

static int
add_all(const struct result_set *l, const struct opt_list *select,
    int by_source, struct series_set *set, struct error *e)
{
	const char *values[SERIES_MAX_KEYS];
	struct hash_index by_values = HASH_INDEX_INIT;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < l->n; i++)
		for (size_t k = 0; k < l->items[i].result.n_cases; k++) {
			rc = series_case_values(set, &l->items[i],
			    &l->items[i].result.cases[k], by_source, values, e);
			if (rc != 0)
				break;
			if (series_is_selected(set, select, values))
				add_case(
				    set, &by_values, &l->items[i], k, values);
		}
	hash_index_release(&by_values);
	return rc;
}

/* Drop the points of other sizes, and series that have none left. */
static void
keep_selected(struct series_set *set, const struct opt_list *select)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		struct series *x = &set->items[i];
		size_t kept = 0;

		/* Asked again, for only now all names of labels are known. */
		for (size_t k = 0; k < x->n_points; k++)
			if (series_is_selected(
				set, select, (const char *const *)x->values) &&
			    series_case_is_selected(
				set, select, x->points[k].c))
				x->points[kept++] = x->points[k];
		x->n_points = kept;
		if (kept == 0)
			free(x->points);
		else
			set->items[n++] = *x;
	}
	set->n = n;
}

/* Unknown counts come last. */
static int
compare_counts(long a, long b)
{
	if (a == b)
		return 0;
	if (a == RESULT_UNKNOWN)
		return 1;
	if (b == RESULT_UNKNOWN)
		return -1;
	return a < b ? -1 : 1;
}

static int
compare_points(const void *pa, const void *pb)
{
	const struct series_point *a = pa, *b = pb;
	int d = compare_counts(a->c->gpus, b->c->gpus);

	if (d == 0)
		d = compare_counts(a->c->nodes, b->c->nodes);
	if (d == 0 && a->source != b->source)
		d = a->source < b->source ? -1 : 1;
	if (d == 0)
		d = a->index < b->index ? -1 : a->index > b->index;
	return d;
}

static void
sort_all(struct series_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		qsort(set->items[i].points, set->items[i].n_points,
		    sizeof *set->items[i].points, compare_points);
}

/* A case that stands in a series twice, from one file or two. */
struct repeated_case {
	const struct series_point *first, *again; /* NULL: there is none */
};

static int
point_has_shape(const void *points, size_t i, const void *shape)
{
	const struct series_point *p = (const struct series_point *)points + i;

	return case_shape_same(
	    case_shape_of(p->c), *(const struct case_shape *)shape);
}

/* Where the GPUs are not known, names make cases the same, and these need not
 * follow each other. */
static struct repeated_case
find_repeated(const struct series *x)
{
	struct repeated_case found = { NULL, NULL };
	struct hash_index by_shape = HASH_INDEX_INIT;

	for (size_t i = 0; i < x->n_points && x->n_points > 1; i++) {
		const struct case_shape shape = case_shape_of(x->points[i].c);
		const uint32_t hash = case_shape_hash(0, shape);
		const size_t k = hash_index_find(
		    &by_shape, hash, point_has_shape, x->points, &shape);

		if (k != HASH_INDEX_NONE) {
			found.first = &x->points[k];
			found.again = &x->points[i];
			break;
		}
		hash_index_add(&by_shape, hash, i);
	}
	hash_index_release(&by_shape);
	return found;
}

/* The first series' that has one. */
static struct repeated_case
find_any_repeated(const struct series_set *set)
{
	struct repeated_case found = { NULL, NULL };

	for (size_t i = 0; i < set->n && found.again == NULL; i++)
		found = find_repeated(&set->items[i]);
	return found;
}

static void
set_init(struct series_set *set)
{
	*set = (struct series_set){ .n_keys = SERIES_LABELS };
	for (size_t i = 0; i < SERIES_LABELS; i++)
		set->keys[i] = fixed_keys[i].name;
}

static int
has_label(const struct result_set *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].label != NULL)
			return 1;
	return 0;
}

static int
group_cases(const struct result_set *l, const struct series_how *how,
    struct series_set *set, struct error *e)
{
	const struct opt_list *select = how->select;
	struct repeated_case twice;
	char *first, *second;

	for (int by_source = how->by_source || has_label(l); by_source < 2;
	     by_source++) {
		set_init(set);
		if (add_all(l, select, by_source, set, e) != 0)
			goto fail;
		sort_all(set);
		twice = find_any_repeated(set);
		if (twice.again == NULL && how->with_failed) {
			struct series_how own = *how;

			own.by_source = by_source;
			if (series_add_failed(set, l, &own, e) != 0)
				goto fail;
			sort_all(set);
		}
		if (twice.again == NULL)
			return 0;
		if (twice.first->source == twice.again->source || by_source)
			break;
		series_release(set);
	}
	first = result_file_place(twice.first->source, twice.first->index);
	second = result_file_place(twice.again->source, twice.again->index);
	error_set(e, ERROR_INPUT,
	    "%s: the same case as %s; give their files different labels "
	    "(label=path) or leave one out",
	    second, first);
	free(first);
	free(second);
fail:
	series_release(set);
	return -1;
}

/* --- checks --------------------------------------------------------------- */

static int
check_gpus(const struct series_set *set, struct error *e)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct series *x = &set->items[i];
		const struct series_point *p = &x->points[x->n_points - 1];
		char *place;

		if (p->c->gpus != RESULT_UNKNOWN)
			continue;
		place = result_file_place(p->source, p->index);
		error_set(e, ERROR_INPUT,
		    "%s: the number of GPUs is unknown; extract_logs "
		    "--nodes=N --gpus-per-node=N states it",
		    place);
		free(place);
		return -1;
	}
	return 0;
}

/* Equal, or the one is the rule's name and the other has its options too. */
static int
alike_rules(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b);
	size_t n = na < nb ? na : nb;

	if (memcmp(a, b, n) != 0)
		return 0;
	return na == nb || (na < nb ? b : a)[n] == ' ';
}

/* Two series whose values of key are known and differ: an error. */
static int
check_alike(const struct series_set *set, enum series_key key, int never_mixed,
    struct error *e)
{
	const struct series *first = NULL;

	for (size_t i = 0; i < set->n; i++) {
		const struct series *x = &set->items[i];
		char *a, *b;

		if (x->values[key] == NULL)
			continue;
		if (first == NULL)
			first = x;
		if (key == SERIES_RULE
			? alike_rules(first->values[key], x->values[key])
			: text_same(first->values[key], x->values[key]))
			continue;
		a = result_file_place(
		    first->points[0].source, first->points[0].index);
		b = result_file_place(x->points[0].source, x->points[0].index);
		error_set(e, ERROR_INPUT,
		    "different %ss: %s has '%s', %s has '%s'; choose by "
		    "--select%s",
		    set->keys[key], a, first->values[key], b, x->values[key],
		    never_mixed ? ""
				: ", or show them together by --allow-mixed");
		free(a);
		free(b);
		return -1;
	}
	return 0;
}

void
series_set_find_differing(struct series_set *set)
{
	const struct series **list = xcalloc(set->n + 1, sizeof *list);
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
	set->partly = some & ~all;
	free(list);
}

int
series_collect(const struct result_set *l, const struct series_how *how,
    struct series_set *set, struct error *e)
{
	if (series_selection_check(how->select, e) != 0)
		return -1;
	if (group_cases(l, how, set, e) != 0)
		return -1;
	/* Over all cases of a series: a selection of sizes must not take the
	 * baseline away from those that it leaves. */
	for (size_t i = 0; i < set->n; i++)
		series_speedup(&set->items[i], &set->arena);
	keep_selected(set, how->select);
	if (set->n == 0 && how->select != NULL && how->select->n > 0) {
		series_release(set);
		set_init(set);
		if (add_all(l, NULL, 0, set, e) == 0 && set->n > 0) {
			series_nothing_selected(set, how->select, e);
			goto fail;
		}
	}
	if (set->n == 0) {
		error_set(e, ERROR_EMPTY, "%s: no cases in it",
		    l->n > 0 ? l->items[0].path : "no file");
		goto fail;
	}
	if (how->need_gpus && check_gpus(set, e) != 0)
		goto fail;
	if (!how->allow_mixed &&
	    (check_alike(set, SERIES_UNIT, how->never_mixed, e) != 0 ||
		check_alike(set, SERIES_RULE, how->never_mixed, e) != 0))
		goto fail;
	series_set_find_differing(set);
	return 0;
fail:
	series_release(set);
	return -1;
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

void
series_release(struct series_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		free(set->items[i].points);
	free(set->items);
	arena_release(&set->arena);
	*set = (struct series_set){ 0 };
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
	return s->points[0].source->texts != NULL;
}

uint64_t
series_differing(const struct series *const *list, size_t n)
{
	const char *rule = NULL;
	uint64_t mask = 0;

	for (size_t i = 0; i < n; i++) {
		const char *own = list[i]->values[SERIES_RULE];

		for (size_t k = 0; k < SERIES_MAX_KEYS; k++)
			if (k != SERIES_RULE &&
			    !text_same(list[0]->values[k], list[i]->values[k]))
				mask |= SERIES_BIT(k);
		if (rule == NULL)
			rule = own;
		else if (own != NULL && strcmp(rule, own) != 0)
			mask |= SERIES_BIT(SERIES_RULE);
	}
	return mask;
}

/* Bytes of the rule's name, without its options. */
static size_t
rule_name_len(const char *rule)
{
	return strcspn(rule, " ");
}

static const char *
series_measured_text(
    struct series_set *set, const struct series *s, enum language lang)
{
	const struct series_point *point = &s->points[0];

	return measured_text(
	    &set->arena, &point->source->result.rule, point->c->rule, lang);
}

/* The rule's name alone; where another rule of the set has it too, also what it
 * measured, or all its options if that does not set them apart. */
static const char *
short_rule(struct series_set *set, const struct series *s, enum language lang)
{
	const char *rule = s->values[SERIES_RULE];
	const char *text = series_measured_text(set, s, lang);
	const int len = (int)rule_name_len(rule);
	int shared = 0;

	for (size_t i = 0; i < set->n; i++) {
		const char *other = set->items[i].values[SERIES_RULE];

		if (other == NULL || strcmp(other, rule) == 0 ||
		    (int)rule_name_len(other) != len ||
		    memcmp(other, rule, (size_t)len) != 0)
			continue;
		shared = 1;
		if (strcmp(text,
			series_measured_text(set, &set->items[i], lang)) == 0)
			return rule;
	}
	if (!shared)
		return arena_strndup(&set->arena, rule, (size_t)len);
	return arena_printf(&set->arena, "%.*s: %s", len, rule, text);
}

static void
add_shown(struct strbuf *sb, const char *shown, const char *value)
{
	for (; *shown != '\0'; shown++) {
		if (*shown == '@')
			strbuf_addstr(sb, value);
		else
			strbuf_addch(sb, *shown);
	}
}

/* The keys in the order in which values are named.  Returns how many they are.
 *
 * order  [SERIES_MAX_KEYS] to be filled */
static size_t
naming_order(const struct series_set *set, size_t *order)
{
	size_t n = 0;

	for (size_t i = 0; i < COUNT(named_first); i++)
		order[n++] = named_first[i];
	for (size_t k = SERIES_LABELS; k < set->n_keys; k++)
		order[n++] = k;
	for (size_t i = 0; i < COUNT(named_last); i++)
		order[n++] = named_last[i];
	return n;
}

/* True if two values of such keys look the same.  Some keys show only the
 * value. */
static int
looks_same(size_t key, const char *value, size_t other_key, const char *other)
{
	if (key != other_key &&
	    (key >= SERIES_LABELS || other_key >= SERIES_LABELS ||
		strcmp(fixed_keys[key].shown[LANGUAGE_EN],
		    fixed_keys[other_key].shown[LANGUAGE_EN]) != 0))
		return 0;
	return strcmp(value, other) == 0;
}

/* The next key from i on that is in the mask and whose value is known; n: there
 * is none. */
static size_t
next_known(const struct series *s, uint64_t mask, const size_t *order, size_t n,
    size_t i)
{
	while (i < n &&
	    ((mask & SERIES_BIT(order[i])) == 0 || s->values[order[i]] == NULL))
		i++;
	return i;
}

/* True if two different series share a text that names known values only. */
static int
known_looks_same(const struct series *a, const struct series *b, uint64_t mask,
    const size_t *order, size_t n)
{
	size_t i = next_known(a, mask, order, n, 0);
	size_t k = next_known(b, mask, order, n, 0);
	int differ = 0;

	while (i < n && k < n &&
	    looks_same(
		order[i], a->values[order[i]], order[k], b->values[order[k]])) {
		differ |= i != k;
		i = next_known(a, mask, order, n, i + 1);
		k = next_known(b, mask, order, n, k + 1);
	}
	return i == n && k == n && differ;
}

/* True if known values make a text that no other series of the set has.
 *
 * part  1: the text is only part of a name, and may be empty */
static int
known_is_enough(const struct series_set *set, const struct series *s,
    uint64_t mask, int part)
{
	size_t order[SERIES_MAX_KEYS];
	const size_t n = naming_order(set, order);

	if (!part && (s->known & mask) == 0)
		return 0;
	/* Values of the same keys are never taken for others. */
	for (size_t i = 0; i < set->n && (set->partly & mask) != 0; i++)
		if (((set->items[i].known ^ s->known) & mask) != 0 &&
		    known_looks_same(s, &set->items[i], mask, order, n))
			return 0;
	return 1;
}

static void
add_key(struct strbuf *sb, struct series_set *set, const struct series *s,
    size_t key, enum language lang)
{
	const char *value = s->values[key];

	if (sb->len > 0)
		strbuf_addstr(sb, message(MESSAGE_COMMA, lang));
	if (value == NULL) {
		strbuf_printf(sb, "%s %s", set->keys[key],
		    message(MESSAGE_UNKNOWN, lang));
		return;
	}
	if (key == SERIES_RULE)
		value = short_rule(set, s, lang);
	else if (key == SERIES_KIND)
		value =
		    message(strcmp(value, "published") == 0 ? MESSAGE_PUBLISHED
							    : MESSAGE_MEASURED,
			lang);
	if (key < SERIES_LABELS)
		add_shown(sb, fixed_keys[key].shown[lang], value);
	else
		strbuf_printf(sb, "%s=%s", set->keys[key], value);
}

/* part  1: it is only part of a name, and may be empty */
static const char *
make_text(struct series_set *set, const struct series *s, uint64_t mask,
    int part, enum language lang)
{
	const int known = known_is_enough(set, s, mask, part);
	size_t order[SERIES_MAX_KEYS];
	const size_t n = naming_order(set, order);
	struct strbuf sb;
	const char *text;

	strbuf_init(&sb, 1 << 20);
	for (size_t i = 0; i < n; i++) {
		const size_t key = order[i];

		if ((mask & SERIES_BIT(key)) != 0 &&
		    (s->values[key] != NULL ||
			(!known && (set->partly & SERIES_BIT(key)) != 0)))
			add_key(&sb, set, s, key, lang);
	}
	text = arena_strdup(&set->arena, sb.buf);
	strbuf_release(&sb);
	return text;
}

const char *
series_text(struct series_set *set, const struct series *s, uint64_t mask,
    enum language lang)
{
	return make_text(set, s, mask, 0, lang);
}

const char *
series_name_part(struct series_set *set, const struct series *s, uint64_t mask,
    enum language lang)
{
	return make_text(set, s, mask, 1, lang);
}

const struct result_file *
series_first_source(const struct series_set *set)
{
	const struct result_file *first = set->items[0].points[0].source;

	for (size_t i = 1; i < set->n; i++)
		if (set->items[i].points[0].source < first)
			first = set->items[i].points[0].source;
	return first;
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

/* --- devices -------------------------------------------------------------- */

static enum message
devices_of(const char *device)
{
	static const struct {
		const char *word;
		enum message devices;
	} kinds[] = { { "tpu", MESSAGE_TPU_CHIPS }, { "npu", MESSAGE_NPUS },
		{ "ascend", MESSAGE_NPUS }, { "cpu", MESSAGE_CPU_PROCESSES },
		{ "xeon", MESSAGE_CPU_PROCESSES },
		{ "epyc", MESSAGE_CPU_PROCESSES } };

	for (size_t i = 0; device && i < sizeof kinds / sizeof *kinds; i++)
		if (strcasestr(device, kinds[i].word) != NULL)
			return kinds[i].devices;
	return MESSAGE_GPUS;
}

enum message
series_devices(const struct series_set *set)
{
	enum message all = MESSAGE_GPUS;
	int any = 0;

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct result_case *c = set->items[i].points[k].c;

			/* A published figure has no run. */
			for (size_t r = 0; r == 0 || r < c->n_runs; r++) {
				const enum message m = devices_of(
				    c->n_runs > 0 ? c->runs[r].device : NULL);

				if (any && m != all)
					return MESSAGE_DEVICES;
				all = m;
				any = 1;
			}
		}
	return all;
}
