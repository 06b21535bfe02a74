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
 * follow.  A row begins with a byte, too; the number of its shape, both
 * differences, and its digits, 4 bytes each, follow. */
enum {
	VALUE_RAW = 15, /* 8 bytes; less: so many decimals, a whole number */
	VALUE_BITS = 15,
	HAS_LINE = 16,
	HAS_SAMPLE = 32,
	HAS_SIGN = 64,
	IS_ROW = 128
};

enum {
	CHUNK_BYTES = 64 << 10,
	DETAIL_BYTES = 96, /* at most: 2 + 10 + 10 + 4 * DETAIL_ROW */
	MAX_DECIMALS = DETAIL_STORE_DECIMALS,
	MAX_KEYS = 256,
	MAX_SHAPES = 256
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

/* A chunk with room for one. */
static struct detail_store_chunk *
roomy_chunk(struct detail_store *all)
{
	struct detail_store_chunk *c =
	    all->n_chunks > 0 ? &all->chunks[all->n_chunks - 1] : NULL;

	if (c == NULL || CHUNK_BYTES - c->len < DETAIL_BYTES) {
		all->chunks = vec_grow(all->chunks, all->n_chunks,
		    &all->alloc_chunks, sizeof *all->chunks);
		c = &all->chunks[all->n_chunks++];
		*c = (struct detail_store_chunk){ xmalloc(CHUNK_BYTES), 0 };
	}
	return c;
}

/* All of a detail but its value.  Returns the byte that it begins with; the
 * value goes to *to. */
static unsigned char *
begin_detail(
    struct detail_store *all, const struct log_detail *x, unsigned char **to)
{
	const struct detail_store_chunk *c = roomy_chunk(all);
	unsigned char *head, *p;

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

/* --- Rows ------------------------------------------------------------------*/

static int
has_shape(const struct detail_store *all, const struct detail_shape *shape,
    const struct detail_row *row)
{
	if (shape->n != row->n ||
	    memcmp(shape->decimals, row->decimals, row->n) != 0)
		return 0;
	for (size_t i = 0; i < row->n; i++)
		if (all->keys[shape->keys[i]].name != row->keys[i])
			return 0;
	return 1;
}

/* The number of the row's shape; MAX_SHAPES: there are too many. */
static size_t
shape_number(struct detail_store *all, const struct detail_row *row)
{
	struct detail_shape *made;

	for (size_t i = 0; i < all->n_shapes; i++)
		if (has_shape(all, &all->shapes[i], row))
			return all->last_shape = i;
	if (all->n_shapes == MAX_SHAPES)
		return MAX_SHAPES;
	all->shapes = vec_grow(all->shapes, all->n_shapes, &all->alloc_shapes,
	    sizeof *all->shapes);
	made = &all->shapes[all->n_shapes];
	made->n = row->n;
	memcpy(made->decimals, row->decimals, row->n);
	for (size_t i = 0; i < row->n; i++)
		made->keys[i] = key_number(all, row->keys[i]);
	return all->last_shape = all->n_shapes++;
}

static void
add_one_by_one(struct detail_store *all, const struct detail_row *row)
{
	for (size_t i = 0; i < row->n; i++) {
		const struct log_detail x = { row->keys[i], 0, row->line,
			row->sample };

		detail_store_add_decimal(
		    all, &x, row->digits[i], row->decimals[i]);
	}
}

void
detail_store_add_row(struct detail_store *all, const struct detail_row *row)
{
	struct detail_store_chunk *c;
	unsigned char *p;
	size_t shape = all->last_shape;

	assert(row->n <= DETAIL_ROW);
	if (row->n == 0)
		return;
	if (all->n_shapes == 0 || !has_shape(all, &all->shapes[shape], row))
		shape = shape_number(all, row);
	if (shape == MAX_SHAPES) {
		add_one_by_one(all, row);
		return;
	}
	c = roomy_chunk(all);
	p = c->bytes + c->len;
	*p++ = IS_ROW;
	*p++ = (unsigned char)shape;
	all->mixed |= row->line == all->line && row->sample < all->sample;
	p = put_whole(p, zigzag_encode(row->line - all->line));
	p = put_whole(p, zigzag_encode(row->sample - all->sample));
	memcpy(p, row->digits, row->n * sizeof *row->digits);
	p += row->n * sizeof *row->digits;
	c->len = (size_t)(p - c->bytes);
	all->line = row->line;
	all->sample = row->sample;
	all->n += row->n;
}

/* The reader has come to at in its chunk. */
static void
move_on(struct detail_store_reader *r, const unsigned char *at)
{
	const struct detail_store_chunk *c = &r->all->chunks[r->chunk];

	r->at = (size_t)(at - c->bytes);
	if (r->at == c->len) {
		r->chunk++;
		r->at = 0;
	}
}

int
detail_store_next_row(struct detail_store_reader *r, struct packed_row *row)
{
	const unsigned char *p;
	uint64_t line, sample;

	if (r->in_row > 0 || r->chunk == r->all->n_chunks)
		return 0;
	p = r->all->chunks[r->chunk].bytes + r->at;
	if (!(*p & IS_ROW))
		return 0;
	row->shape = &r->all->shapes[p[1]];
	p = get_whole(p + 2, &line);
	p = get_whole(p, &sample);
	row->line = r->line += zigzag_decode(line);
	row->sample = r->sample += zigzag_decode(sample);
	row->digits = p;
	move_on(r, p + row->shape->n * sizeof(uint32_t));
	return 1;
}

/* The next value of the row that was begun. */
static void
next_of_row(struct detail_store_reader *r, struct packed_detail *x)
{
	const struct packed_row row = { r->line, r->sample, r->shape,
		r->digits };
	const size_t i = r->in_row - 1;

	*x = (struct packed_detail){ row.shape->keys[i], row.line, row.sample,
		packed_row_digits(&row, i), row.shape->decimals[i], 0, 0 };
	r->in_row = r->in_row < row.shape->n ? r->in_row + 1 : 0;
}

/* --- Reading ---------------------------------------------------------------*/

struct detail_store_reader
detail_store_read(const struct detail_store *all)
{
	return (struct detail_store_reader){ .all = all };
}

int
detail_store_next(struct detail_store_reader *r, struct packed_detail *x)
{
	const unsigned char *p;
	struct packed_row row;
	uint64_t u;
	unsigned head;

	if (detail_store_next_row(r, &row)) {
		r->shape = row.shape;
		r->digits = row.digits;
		r->in_row = 1;
	}
	if (r->in_row > 0) {
		next_of_row(r, x);
		return 1;
	}
	if (r->chunk == r->all->n_chunks)
		return 0;
	p = r->all->chunks[r->chunk].bytes + r->at;
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
	move_on(r, p);
	return 1;
}

struct detail_store
detail_store_take(struct detail_store *all)
{
	struct detail_store taken = *all;

	taken.alloc_keys = taken.n_keys;
	taken.keys = xcalloc(taken.n_keys + 1, sizeof *taken.keys);
	if (taken.n_keys > 0)
		memcpy(
		    taken.keys, all->keys, taken.n_keys * sizeof *taken.keys);
	taken.alloc_shapes = taken.n_shapes;
	taken.shapes = xcalloc(taken.n_shapes + 1, sizeof *taken.shapes);
	if (taken.n_shapes > 0)
		memcpy(taken.shapes, all->shapes,
		    taken.n_shapes * sizeof *taken.shapes);
	all->chunks = NULL;
	all->n_chunks = all->alloc_chunks = 0;
	all->n = 0;
	all->line = all->sample = 0;
	all->mixed = 0;
	return taken;
}

void
detail_store_release(struct detail_store *all)
{
	for (size_t i = 0; i < all->n_chunks; i++)
		free(all->chunks[i].bytes);
	free(all->chunks);
	free(all->keys);
	free(all->shapes);
	*all = (struct detail_store)DETAIL_STORE_INIT;
}
