/* A hash table of the first bytes of literals. */
#include <config.h>

#include "extract/format/matcher.h"

#include <stdint.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "extract/format/patterns/pattern.h"

enum {
	GRAM = 4, /* bytes per lookup */
	HASH_BITS = 13,
	N_HEADS = 1 << HASH_BITS
};

struct literal_entry {
	const struct pattern *p;
	size_t format;
	uint32_t next; /* next in the list, from 1; 0: none */
};

struct literal_index {
	struct literal_entry *entries;
	uint32_t n;
	/* Heads of lists of entries, from 1: by hash of the first bytes; of
	 * shorter literals. */
	uint32_t heads[N_HEADS], rest;
};

static uint32_t
gram_hash(uint32_t gram)
{
	return (gram * UINT32_C(2654435761)) >> (32 - HASH_BITS);
}

struct literal_index *
literal_index_new(struct format *const *formats, size_t n)
{
	struct literal_index *x = xcalloc(1, sizeof *x);
	size_t n_patterns = 0;

	for (size_t i = 0; i < n; i++)
		n_patterns += formats[i]->n_patterns;
	x->entries = xcalloc(n_patterns + 1, sizeof *x->entries);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < formats[i]->n_patterns; k++) {
			const struct pattern *p = &formats[i]->patterns[k];
			uint32_t gram = 0, *head = &x->rest;

			for (size_t c = 0; c < GRAM && p->n_literal >= GRAM;
			     c++)
				gram = gram << 8 |
				    text_digits_as_one(p->literal[c]);
			if (p->n_literal >= GRAM)
				head = &x->heads[gram_hash(gram)];
			x->entries[x->n++] =
			    (struct literal_entry){ p, i, *head };
			*head = x->n;
		}
	return x;
}

void
literal_index_free(struct literal_index *x)
{
	if (x == NULL)
		return;
	free(x->entries);
	free(x);
}

void
literal_index_find(const struct literal_index *x, const char *text, size_t len,
    literal_consumer *consume, void *arg)
{
	struct text_set made = { { 0 } };
	const struct literal_entry *entry;
	uint32_t gram = 0, k;

	text_set_add_text(&made, text, len);
	for (k = x->rest; k > 0; k = entry->next) {
		entry = &x->entries[k - 1];
		if (text_set_holds(&made, &entry->p->need))
			consume(arg, entry->format, entry->p);
	}
	for (size_t end = 1; end <= len; end++) {
		gram = gram << 8 | text_digits_as_one(text[end - 1]);
		k = end >= GRAM ? x->heads[gram_hash(gram)] : 0;
		for (; k > 0; k = entry->next) {
			const char *at = text + end - GRAM;
			const struct pattern *p;
			size_t i = 0;

			entry = &x->entries[k - 1];
			p = entry->p;
			while (i < p->n_literal && at + i < text + len &&
			    text_digits_as_one(at[i]) ==
				text_digits_as_one(p->literal[i]))
				i++;
			if (i == p->n_literal &&
			    text_set_holds(&made, &p->need))
				consume(arg, entry->format, p);
		}
	}
}
