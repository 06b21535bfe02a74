/* What --select admits: series by the keys of a configuration, cases by those
 * of their shape; and the error where nothing is left. */
#include <config.h>

#include "common/series/series_parts.h"

#include <limits.h>
#include <string.h>

#include "common/strbuf.h"
#include "common/text.h"
#include "common/units/units.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* Keys of a case that no series has; bits after those of the keys. */
static const char *const shape_keys[] = { "nodes", "gpus", "gpus_per_node",
	"case" };

/* The key that "key=value" names, and its value; SERIES_MAX_KEYS if no case
 * has such a key. */
static size_t
selection_key(
    const struct series_set *set, const char *text, const char **value)
{
	const char *eq = strchr(text, '=');
	size_t len = (size_t)(eq - text);

	*value = eq + 1;
	for (size_t i = 0; i < set->n_keys; i++)
		if (strlen(set->keys[i]) == len &&
		    memcmp(set->keys[i], text, len) == 0)
			return i;
	return SERIES_MAX_KEYS;
}

/* True if "nodes=2" selects the case; -1 if the key is none of a shape. */
static int
shape_selected(const char *text, const struct result_case *c, size_t *key)
{
	const long counts[] = { c->nodes, c->gpus, c->gpus_per_node };
	const size_t len = strcspn(text, "=");
	const char *value = text + len + 1;
	long x;

	for (*key = 0; *key < COUNT(shape_keys); (*key)++) {
		if (strlen(shape_keys[*key]) != len ||
		    memcmp(shape_keys[*key], text, len) != 0)
			continue;
		if (*key == COUNT(counts))
			return text_same(c->name, value);
		return whole_parse(value, strlen(value), 1, LONG_MAX, &x) ==
		    UNITS_OK &&
		    x == counts[*key];
	}
	return -1;
}

static int
is_shape_key(const char *text)
{
	const struct result_case none = { .nodes = RESULT_UNKNOWN };
	size_t key;

	return shape_selected(text, &none, &key) >= 0;
}

int
series_is_selected(const struct series_set *set, const struct opt_list *select,
    const char *const *values)
{
	uint64_t asked = 0, met = 0;
	const char *value;

	for (size_t i = 0; select != NULL && i < select->n; i++) {
		size_t key = selection_key(set, select->items[i], &value);

		if (key == SERIES_MAX_KEYS && is_shape_key(select->items[i]))
			continue;
		if (key == SERIES_MAX_KEYS)
			return 0;
		asked |= SERIES_BIT(key);
		if (text_same(values[key], value))
			met |= SERIES_BIT(key);
	}
	return asked == met;
}

/* The same of keys of a shape, of which a label may take the name. */
int
series_case_is_selected(const struct series_set *set,
    const struct opt_list *select, const struct result_case *c)
{
	uint64_t asked = 0, met = 0;
	const char *value;
	size_t shape;

	for (size_t i = 0; select != NULL && i < select->n; i++) {
		int is;

		if (selection_key(set, select->items[i], &value) !=
		    SERIES_MAX_KEYS)
			continue;
		is = shape_selected(select->items[i], c, &shape);
		if (is >= 0)
			asked |= SERIES_BIT(shape);
		if (is > 0)
			met |= SERIES_BIT(shape);
	}
	return asked == met;
}

int
series_selection_check(const struct opt_list *select, struct error *e)
{
	for (size_t i = 0; select != NULL && i < select->n; i++) {
		const char *eq = strchr(select->items[i], '=');

		if (eq == NULL || eq == select->items[i])
			return error_set(e, ERROR_USAGE,
			    "--select: '%s' is not key=value",
			    select->items[i]);
	}
	return 0;
}

/* What could have been selected by the keys that were asked for. */
int
series_nothing_selected(const struct series_set *all,
    const struct opt_list *select, struct error *e)
{
	struct strbuf sb;
	const char *value;
	int rc;

	strbuf_init(&sb, 1024);
	for (size_t i = 0; i < select->n; i++) {
		size_t key = selection_key(all, select->items[i], &value);

		strbuf_printf(
		    &sb, "%s'%s'", i > 0 ? ", " : "", select->items[i]);
		if (key == SERIES_MAX_KEYS && is_shape_key(select->items[i])) {
			strbuf_addstr(&sb, " (no such case)");
			continue;
		}
		if (key == SERIES_MAX_KEYS) {
			strbuf_addstr(&sb, " (no such key; there are:");
			for (size_t k = 0; k < all->n_keys; k++)
				strbuf_printf(&sb, " %s", all->keys[k]);
			for (size_t k = 0; k < COUNT(shape_keys); k++)
				strbuf_printf(&sb, " %s", shape_keys[k]);
			strbuf_addstr(&sb, ")");
			continue;
		}
		strbuf_addstr(&sb, " (there are:");
		for (size_t k = 0; k < all->n; k++) {
			const char *v = all->items[k].values[key];
			size_t j = 0;

			while (
			    j < k && !text_same(all->items[j].values[key], v))
				j++;
			if (j == k && v != NULL)
				strbuf_printf(&sb, " '%s'", v);
		}
		strbuf_addstr(&sb, ")");
	}
	rc = error_set(e, ERROR_EMPTY, "no case is selected by %s", sb.buf);
	strbuf_release(&sb);
	return rc;
}
