/* Names of series and cases. */
#include <config.h>

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/result/case_text.h"
#include "common/series/series.h"
#include "common/strbuf.h"
#include "common/text.h"

/* Text for the value of a key; '@' is replaced by the value, or by name and
 * value of a label. */
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

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

void
series_set_init(struct series_set *set)
{
	*set = (struct series_set){ .n_keys = SERIES_LABELS };
	for (size_t i = 0; i < SERIES_LABELS; i++)
		set->keys[i] = fixed_keys[i].name;
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

const char *
series_measured_text(
    struct arena *a, const struct series *s, enum language lang)
{
	return measured_text(
	    a, &s->points[0].source->result.rule, s->points[0].c->rule, lang);
}

/* The rule's name; if other rules of the set have the same name, with the
 * measured quantity, or with all options if that is not unique either. */
static const char *
short_rule(struct series_set *set, const struct series *s, enum language lang)
{
	const char *rule = s->values[SERIES_RULE];
	const char *text = series_measured_text(&set->arena, s, lang);
	const int len = (int)strcspn(rule, " ");
	int shared = 0;

	for (size_t i = 0; i < set->n; i++) {
		const char *other = set->items[i].values[SERIES_RULE];

		if (other == NULL || strcmp(other, rule) == 0 ||
		    (int)strcspn(other, " ") != len ||
		    memcmp(other, rule, (size_t)len) != 0)
			continue;
		shared = 1;
		if (strcmp(text,
			series_measured_text(
			    &set->arena, &set->items[i], lang)) == 0)
			return rule;
	}
	if (!shared)
		return arena_strndup(&set->arena, rule, (size_t)len);
	return arena_printf(&set->arena, "%.*s: %s", len, rule, text);
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

/* Fill sb with the values of the keys in mask. Unknown ones are named.
 *
 * rule  the rule's text */
static void
add_values(struct strbuf *sb, const struct series_set *set,
    const struct series *s, uint64_t mask, const char *rule, enum language lang)
{
	size_t order[SERIES_MAX_KEYS], n = 0;

	for (size_t i = 0; i < COUNT(named); i++) {
		const size_t end =
		    named[i] == SERIES_LABELS ? set->n_keys : named[i] + 1;

		for (size_t k = named[i]; k < end; k++)
			order[n++] = k;
	}
	strbuf_reset(sb);
	for (size_t i = 0; i < n; i++) {
		const size_t key = order[i];
		const char *value = s->values[key];

		if ((mask & SERIES_BIT(key)) == 0)
			continue;
		if (sb->len > 0)
			strbuf_addstr(sb, message(MESSAGE_COMMA, lang));
		if (value == NULL) {
			strbuf_printf(sb, "%s %s", set->keys[key],
			    message(MESSAGE_UNKNOWN, lang));
		} else if (key < SERIES_LABELS) {
			const char *shown = fixed_keys[key].shown[lang];
			const int at = (int)strcspn(shown, "@");

			if (key == SERIES_RULE)
				value = rule;
			else if (key == SERIES_KIND)
				value = message(series_is_published(s)
					? MESSAGE_PUBLISHED
					: MESSAGE_MEASURED,
				    lang);
			strbuf_printf(
			    sb, "%.*s%s%s", at, shown, value, shown + at + 1);
		} else if (names_itself(set, mask, key, value)) {
			strbuf_addstr(sb, value);
		} else {
			strbuf_printf(sb, "%s=%s", set->keys[key], value);
		}
	}
}

/* True if the known values are a unique text in the set.
 *
 * part  1: part of a name, may be empty */
static int
known_is_enough(const struct series_set *set, const struct series *s,
    uint64_t mask, int part)
{
	struct strbuf own = STRBUF_INIT(SIZE_MAX / 2),
		      other = STRBUF_INIT(SIZE_MAX / 2);
	int enough = 1;

	if (!part && (s->known & mask) == 0)
		return 0;
	if ((set->partly & mask) == 0)
		return 1;
	add_values(
	    &own, set, s, mask & s->known, s->values[SERIES_RULE], LANGUAGE_EN);
	/* Series with the same known keys cannot be confused. */
	for (size_t i = 0; i < set->n && enough; i++) {
		const struct series *x = &set->items[i];

		if (((x->known ^ s->known) & mask) == 0)
			continue;
		add_values(&other, set, x, mask & x->known,
		    x->values[SERIES_RULE], LANGUAGE_EN);
		enough = strcmp(own.buf, other.buf) != 0;
	}
	strbuf_release(&own);
	strbuf_release(&other);
	return enough;
}

/* part 1: part of a name, may be empty */
static const char *
make_text(struct series_set *set, const struct series *s, uint64_t mask,
    int part, enum language lang)
{
	const uint64_t unknown =
	    known_is_enough(set, s, mask, part) ? 0 : set->partly;
	const char *rule = NULL;
	struct strbuf sb = STRBUF_INIT(1 << 20);

	mask &= s->known | unknown;
	if ((mask & s->known & SERIES_BIT(SERIES_RULE)) != 0)
		rule = short_rule(set, s, lang);
	add_values(&sb, set, s, mask, rule, lang);
	return strbuf_finish(&sb, &set->arena);
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
