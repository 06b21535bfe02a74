/* Which series a case is of: the values that state it, and the points and
 * shapes of a series that is being made. */
#include <config.h>

#include "common/series/series_parts.h"

#include <string.h>

#include "common/alloc.h"
#include "common/result/work_rate.h"
#include "common/strbuf.h"
#include "common/text.h"

static int
is_known(long x)
{
	return x != RESULT_UNKNOWN;
}

static void
add_option(struct strbuf *sb, const char *name, long value)
{
	if (is_known(value))
		strbuf_printf(sb, " %s %ld", name, value);
}

static void
add_word(struct strbuf *sb, const char *name, const char *value)
{
	if (value != NULL)
		strbuf_printf(sb, " %s %s", name, value);
}

/* The rule with the options that change what it measures: two cases are alike
 * when these texts are equal.  NULL: unknown. */
static const char *
rule_text(struct arena *a, const struct result *r, const struct result_case *c)
{
	const struct result_rule *rule = &r->rule;
	const char *name = c->rule != NULL ? c->rule : rule->rule, *text;
	struct strbuf sb;

	if (name == NULL)
		return NULL;
	strbuf_init(&sb, 4096);
	strbuf_addstr(&sb, name);
	if (strcmp(name, "window") == 0) {
		add_option(&sb, "skip", rule->skip_iterations);
		add_option(&sb, "warm-up", rule->warmup_batches);
		add_option(&sb, "train", rule->train_batches);
	} else if (strcmp(name, "all") == 0) {
		add_option(&sb, "from", rule->from_iteration);
	}
	if (strcmp(name, "summary") != 0) {
		add_word(&sb, "epoch", rule->epoch);
		add_word(&sb, "by", rule->aggregate);
	}
	text = arena_strdup(a, sb.buf);
	strbuf_release(&sb);
	return text;
}

static const char *
unit_text(struct arena *a, const struct result *r, const struct result_case *c)
{
	const char *metric = r->rule.metric;

	if (metric == NULL || strcmp(metric, "throughput") == 0)
		return c->unit;
	if (c->unit != NULL && c->unit[0] == '\0')
		return metric;
	return arena_printf(
	    a, "%s %s", metric, c->unit != NULL ? c->unit : "?");
}

static void
batch_values(struct arena *a, const struct result *r,
    const struct result_case *c, const char **values)
{
	long batch = c->batch_size_per_device;

	if (!is_known(batch))
		return;
	if (!result_rule_is_strong(&r->rule))
		values[SERIES_BATCH] = arena_printf(a, "%ld", batch);
	else if (is_known(c->gpus))
		values[SERIES_GLOBAL_BATCH] =
		    arena_printf(a, "%lld", (long long)batch * c->gpus);
}

/* The index of a label's key, added if it is new; 0 if there is no room. */
static size_t
label_key(struct series_set *set, const char *name)
{
	for (size_t i = SERIES_LABELS; i < set->n_keys; i++)
		if (strcmp(set->keys[i], name) == 0)
			return i;
	if (set->n_keys == SERIES_MAX_KEYS)
		return 0;
	set->keys[set->n_keys] = arena_strdup(&set->arena, name);
	return set->n_keys++;
}

int
series_case_values(struct series_set *set, const struct result_file *s,
    const struct result_case *c, int by_source,
    const char *values[SERIES_MAX_KEYS], struct error *e)
{
	memset(values, 0, SERIES_MAX_KEYS * sizeof values[0]);
	values[SERIES_FRAMEWORK] = c->framework;
	values[SERIES_MODEL] = c->model;
	values[SERIES_PRECISION] = c->precision;
	batch_values(&set->arena, &s->result, c, values);
	values[SERIES_UNIT] = unit_text(&set->arena, &s->result, c);
	if (work_kind_is_per_step(work_kind_of(c->unit)))
		values[SERIES_WORK] =
		    c->work_unit != NULL ? c->work_unit : "samples";
	values[SERIES_RULE] = rule_text(&set->arena, &s->result, c);
	values[SERIES_KIND] = s->texts != NULL ? "published" : "measured";
	values[SERIES_SOURCE] = by_source ? s->name : NULL;
	for (size_t i = 0; i < c->n_labels; i++) {
		size_t key = label_key(set, c->labels[i].key);

		if (key == 0)
			return error_set(e, ERROR_LIMIT,
			    "more than %d names of labels",
			    SERIES_MAX_KEYS - SERIES_LABELS);
		values[key] = c->labels[i].value;
	}
	return 0;
}

struct series *
series_add(struct series_set *set, const char *const *values)
{
	struct series *x;

	set->items =
	    vec_grow(set->items, set->n, &set->alloc, sizeof *set->items);
	x = &set->items[set->n++];
	memset(x, 0, sizeof *x);
	memcpy(x->values, values, sizeof x->values);
	return x;
}

void
series_add_point(struct series *s, const struct series_point *p)
{
	s->points =
	    vec_grow(s->points, s->n_points, &s->alloc_points, sizeof *p);
	s->points[s->n_points++] = *p;
}
