#include <config.h>

#include "common/json/json_duplicate_keys.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

/* A key: the bytes between its quotes. */
struct key {
	const char *s;
	size_t len;
};

struct keys {
	struct key *items;
	size_t n, alloc;
	size_t *open; /* of each object and array that is open: where its keys
	                 begin among all */
	size_t n_open, alloc_open;
	struct key repeated; /* the first one that was found; s NULL: none */
};

static int
compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	const int order = memcmp(x->s, y->s, x->len < y->len ? x->len : y->len);

	if (order != 0)
		return order;
	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return (x->s > y->s) - (x->s < y->s);
}

static int
same_key(const struct key *x, const struct key *y)
{
	return x->len == y->len && memcmp(x->s, y->s, x->len) == 0;
}

static void
open_level(struct keys *k)
{
	k->open = vec_grow(k->open, k->n_open, &k->alloc_open, sizeof *k->open);
	k->open[k->n_open++] = k->n;
}

/* Compare the keys of the innermost object, and forget them. */
static void
close_level(struct keys *k)
{
	size_t first;

	if (k->n_open == 0)
		return;
	first = k->open[--k->n_open];
	if (k->n - first > 1)
		qsort(k->items + first, k->n - first, sizeof *k->items,
		    compare_keys);
	for (size_t i = first + 1; i < k->n; i++)
		if (same_key(&k->items[i - 1], &k->items[i]) &&
		    (k->repeated.s == NULL || k->items[i].s < k->repeated.s))
			k->repeated = k->items[i];
	k->n = first;
}

/* The string whose quote opens at i.  Returns the offset after it. */
static size_t
skip_string(const char *text, size_t len, size_t i, struct key *key)
{
	const size_t from = ++i;

	while (i < len && text[i] != '"')
		i += text[i] == '\\' ? 2 : 1;
	if (i > len)
		i = len;
	*key = (struct key){ text + from, i - from };
	return i + 1;
}

/* A string followed by a colon is a key. */
static int
before_colon(const char *text, size_t len, size_t i)
{
	while (i < len && memchr(" \t\r\n", text[i], 4) != NULL)
		i++;
	return i < len && text[i] == ':';
}

size_t
json_duplicate_key(const char *text, size_t len, size_t *key_len)
{
	struct keys k = { .items = NULL };
	size_t i = 0;

	while (i < len) {
		struct key key;

		if (text[i] == '"') {
			i = skip_string(text, len, i, &key);
			if (!before_colon(text, len, i))
				continue;
			k.items =
			    vec_grow(k.items, k.n, &k.alloc, sizeof *k.items);
			k.items[k.n++] = key;
			continue;
		}
		if (text[i] == '{' || text[i] == '[')
			open_level(&k);
		else if (text[i] == '}' || text[i] == ']')
			close_level(&k);
		i++;
	}
	free(k.items);
	free(k.open);
	*key_len = k.repeated.len;
	return k.repeated.s != NULL ? (size_t)(k.repeated.s - text) - 1 : len;
}
