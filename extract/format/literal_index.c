/* A hash table of the first bytes of literals. */
#include <config.h>

#include "extract/format/literal_index.h"

#include <stdint.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "extract/format/patterns/regex_text.h"

enum {
	GRAM = 4, /* bytes that are looked up together */
	HASH_BITS = 12,
	N_HEADS = 1 << HASH_BITS
};

struct literal_entry {
	const struct pattern *p;
	size_t format;
	uint32_t next; /* in its list, from 1; 0: none */
};

struct literal_index {
	struct literal_entry *entries;
	uint32_t n;
	/* Lists of entries, from 1: by the hash of their first bytes, and of
	 * shorter literals. */
	uint32_t heads[N_HEADS], rest;
};

static uint32_t
gram_hash(uint32_t gram)
{
	return (gram * UINT32_C(2654435761)) >> (32 - HASH_BITS);
}

/* A byte, with all digits as one. */
static uint32_t
digits_as_one(char c)
{
	return text_is_digit(c) ? '0' : (unsigned char)c;
}

static void
add_pattern(struct literal_index *x, const struct pattern *p, size_t format)
{
	struct literal_entry *entry = &x->entries[x->n++];
	uint32_t gram = 0, *head = &x->rest;

	for (size_t i = 0; i < GRAM && p->n_literal >= GRAM; i++)
		gram = gram << 8 | digits_as_one(p->literal[i]);
	if (p->n_literal >= GRAM)
		head = &x->heads[gram_hash(gram)];
	*entry = (struct literal_entry){ p, format, *head };
	*head = x->n;
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
		for (size_t k = 0; k < formats[i]->n_patterns; k++)
			add_pattern(x, &formats[i]->patterns[k], i);
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

static int
begins_with(const char *text, size_t len, const struct pattern *p)
{
	size_t i = 0;

	while (i < len && i < p->n_literal &&
	    digits_as_one(text[i]) == digits_as_one(p->literal[i]))
		i++;
	return i == p->n_literal;
}

/* Does a literal of less than GRAM bytes stand in the text? */
static int
holds_short(const char *text, size_t len, const struct pattern *p)
{
	if (p->n_literal == 0)
		return 1;
	for (size_t i = 0; i < len; i++)
		if (digits_as_one(text[i]) == digits_as_one(p->literal[0]) &&
		    begins_with(text + i, len - i, p))
			return 1;
	return 0;
}

void
literal_index_find(const struct literal_index *x, const char *text, size_t len,
    literal_consumer *consume, void *arg)
{
	uint32_t gram = 0;

	for (uint32_t k = x->rest; k > 0; k = x->entries[k - 1].next) {
		const struct literal_entry *entry = &x->entries[k - 1];

		if (holds_short(text, len, entry->p))
			consume(arg, entry->format, entry->p);
	}
	for (size_t i = 0; i < len; i++) {
		const size_t from = i + 1 - GRAM;

		gram = gram << 8 | digits_as_one(text[i]);
		if (i + 1 < GRAM)
			continue;
		for (uint32_t k = x->heads[gram_hash(gram)]; k > 0;
		     k = x->entries[k - 1].next) {
			const struct literal_entry *entry = &x->entries[k - 1];

			if (begins_with(text + from, len - from, entry->p))
				consume(arg, entry->format, entry->p);
		}
	}
}
