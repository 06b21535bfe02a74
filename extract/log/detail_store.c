/* Losses, accuracies and the like of a log, packed as they come.  Filled by
 * the scanner, read by the records; keys are pointers and never compared by
 * letters. */
#include <config.h>

#include "extract/log/detail_store.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

/* A detail begins with a byte: how its value is stored, and what differs from
 * the detail before it.  The number of its key, those differences and the value
 * follow. */
enum {
	VALUE_RAW = 15, /* 8 bytes; less: so many decimals, a whole number */
	VALUE_BITS = 15,
	HAS_LINE = 16,
	HAS_SAMPLE = 32,
	HAS_SIGN = 64
};

enum {
	CHUNK_BYTES = 64 << 10,
	DETAIL_BYTES = 48, /* at most: 2 + 10 + 10 + 10 */
	MAX_DECIMALS = DETAIL_STORE_DECIMALS,
	MAX_KEYS = 256
};

static const double powers[MAX_DECIMALS + 1] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5,
	1e6, 1e7, 1e8, 1e9 };

/* 7 bits a byte, the lowest first. */
static unsigned char *
put_whole(unsigned char *p, uint64_t u)
{
	for (; u >= 128; u >>= 7)
		*p++ = (unsigned char)(u | 128);
	*p++ = (unsigned char)u;
	return p;
}

static const unsigned char *
get_whole(const unsigned char *p, uint64_t *u)
{
	unsigned shift = 0;

	*u = 0;
	for (; *p >= 128; shift += 7)
		*u |= (uint64_t)(*p++ & 127) << shift;
	*u |= (uint64_t)*p++ << shift;
	return p;
}

/* A whole number of either sign, the sign in the lowest bit. */
static uint64_t
zigzag_encode(int64_t x)
{
	return (uint64_t)x << 1 ^ (x < 0 ? UINT64_MAX : 0);
}

static int64_t
zigzag_decode(uint64_t u)
{
	return (int64_t)(u >> 1 ^ (u & 1 ? UINT64_MAX : 0));
}

/* Is size the whole number m with d decimals, to the last bit? */
static inline int
is_decimal(double size, unsigned d, uint64_t *m)
{
	const double shifted = size * powers[d] + 0.5;

	if (!(shifted < 4294967295.0))
		return 0;
	*m = (uint64_t)shifted;
	return (double)*m / powers[d] >= size && (double)*m / powers[d] <= size;
}

/* decimals  to try first: those of the last one; set */
static unsigned char *
put_value(
    unsigned char *p, unsigned char *head, double x, unsigned char *decimals)
{
	const double size = fabs(x);
	unsigned d = *decimals;
	uint64_t m;

	if (!is_decimal(size, d, &m)) {
		d = 0;
		while (d <= MAX_DECIMALS && !is_decimal(size, d, &m))
			d++;
	}
	if (d <= MAX_DECIMALS) {
		*decimals = (unsigned char)d;
		*head |= (unsigned char)(d | (signbit(x) ? HAS_SIGN : 0));
		return put_whole(p, m);
	}
	*head |= VALUE_RAW;
	memcpy(p, &x, sizeof x);
	return p + sizeof x;
}

static const unsigned char *
get_value(const unsigned char *p, unsigned head, struct packed_detail *x)
{
	x->decimals = head & VALUE_BITS;
	x->negative = (head & HAS_SIGN) != 0;
	if (x->decimals != VALUE_RAW)
		return get_whole(p, &x->digits);
	memcpy(&x->raw, p, sizeof x->raw);
	return p + sizeof x->raw;
}

double
packed_detail_value(const struct packed_detail *x)
{
	double size;

	if (x->decimals > MAX_DECIMALS)
		return x->raw;
	size = (double)x->digits / powers[x->decimals];
	return x->negative ? -size : size;
}

static unsigned char
key_number(struct detail_store *all, const char *key)
{
	size_t k = all->last_key;

	/* They come in turns. */
	for (size_t i = 0; i < all->n_keys; i++) {
		k = k + 1 < all->n_keys ? k + 1 : 0;
		if (all->keys[k].name == key) {
			all->last_key = k;
			return (unsigned char)k;
		}
	}
	assert(all->n_keys < MAX_KEYS);
	all->keys = vec_grow(
	    all->keys, all->n_keys, &all->alloc_keys, sizeof *all->keys);
	all->last_key = all->n_keys;
	all->keys[all->n_keys++] = (struct detail_store_key){ key, 0 };
	return (unsigned char)all->last_key;
}

/* All of a detail but its value.  Returns the byte that it begins with; the
 * value goes to *to. */
static unsigned char *
begin_detail(
    struct detail_store *all, const struct log_detail *x, unsigned char **to)
{
	struct detail_store_chunk *c =
	    all->n_chunks > 0 ? &all->chunks[all->n_chunks - 1] : NULL;
	unsigned char *head, *p;

	if (c == NULL || CHUNK_BYTES - c->len < DETAIL_BYTES) {
		all->chunks = vec_grow(all->chunks, all->n_chunks,
		    &all->alloc_chunks, sizeof *all->chunks);
		c = &all->chunks[all->n_chunks++];
		*c = (struct detail_store_chunk){ xmalloc(CHUNK_BYTES), 0 };
	}
	head = c->bytes + c->len;
	p = head + 1;
	*head = 0;
	*p++ = key_number(all, x->key);
	if (x->line != all->line) {
		*head |= HAS_LINE;
		p = put_whole(p, zigzag_encode(x->line - all->line));
	} else {
		all->mixed |= x->sample < all->sample;
	}
	if (x->sample != all->sample) {
		*head |= HAS_SAMPLE;
		p = put_whole(p, zigzag_encode(x->sample - all->sample));
	}
	*to = p;
	return head;
}

/* The detail ends at end. */
static void
end_detail(struct detail_store *all, const struct log_detail *x,
    const unsigned char *end)
{
	struct detail_store_chunk *c = &all->chunks[all->n_chunks - 1];

	all->line = x->line;
	all->sample = x->sample;
	c->len = (size_t)(end - c->bytes);
	all->n++;
}

void
detail_store_add(struct detail_store *all, const struct log_detail *x)
{
	unsigned char *p, *head = begin_detail(all, x, &p);

	p = put_value(p, head, x->value, &all->keys[head[1]].decimals);
	end_detail(all, x, p);
}

void
detail_store_add_decimal(struct detail_store *all, const struct log_detail *x,
    uint64_t digits, unsigned decimals)
{
	unsigned char *p, *head = begin_detail(all, x, &p);

	assert(decimals <= MAX_DECIMALS);
	*head |= (unsigned char)decimals;
	all->keys[head[1]].decimals = (unsigned char)decimals;
	end_detail(all, x, put_whole(p, digits));
}

struct detail_store_reader
detail_store_read(const struct detail_store *all)
{
	return (struct detail_store_reader){ .all = all };
}

int
detail_store_next(struct detail_store_reader *r, struct packed_detail *x)
{
	const struct detail_store_chunk *c;
	const unsigned char *p;
	uint64_t u;
	unsigned head;

	if (r->chunk == r->all->n_chunks)
		return 0;
	c = &r->all->chunks[r->chunk];
	p = c->bytes + r->at;
	head = *p++;
	x->key = *p++;
	if (head & HAS_LINE) {
		p = get_whole(p, &u);
		r->line += zigzag_decode(u);
	}
	if (head & HAS_SAMPLE) {
		p = get_whole(p, &u);
		r->sample += zigzag_decode(u);
	}
	p = get_value(p, head, x);
	x->line = r->line;
	x->sample = r->sample;
	r->at = (size_t)(p - c->bytes);
	if (r->at == c->len) {
		r->chunk++;
		r->at = 0;
	}
	return 1;
}

void
detail_store_release(struct detail_store *all)
{
	for (size_t i = 0; i < all->n_chunks; i++)
		free(all->chunks[i].bytes);
	free(all->chunks);
	free(all->keys);
	*all = (struct detail_store)DETAIL_STORE_INIT;
}
