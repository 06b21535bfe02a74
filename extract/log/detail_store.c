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
 * follow.  A row begins with a byte, too; the number of its shape, mostly both
 * differences, and its digits, 4 bytes each, or words of text follow. */
enum {
	VALUE_RAW = 15, /* 8 bytes; less: so many decimals, a whole number */
	VALUE_BITS = 15,
	HAS_LINE = 16,
	HAS_SAMPLE = 32,
	HAS_SIGN = 64,
	IS_ROW = 128,
	/* Of a row: */
	IS_PRINTED = 1,
	IS_NEXT = 2 /* line and sample are one more than before */
};

enum {
	CHUNK_BYTES = 64 << 10,
	DETAIL_BYTES = 160, /* at most: 2 + 10 + 10 + 8 * PRINTED_WORDS */
	MAX_DECIMALS = DETAIL_STORE_DECIMALS,
	MAX_KEYS = 256,
	MAX_SHAPES = 256
};

static const double powers[MAX_DECIMALS + 1] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5,
	1e6, 1e7, 1e8, 1e9 };

/* power <= 22, so that it is exact */
static double
power_of_ten(int power)
{
	double x = 1;

	for (; power > MAX_DECIMALS; power -= MAX_DECIMALS)
		x *= powers[MAX_DECIMALS];
	return x * powers[power];
}

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

/* Begin a row with a byte and the number of its shape.  Returns where the rest
 * goes. */
static inline unsigned char *
begin_row(struct detail_store *all, unsigned head, size_t shape, int64_t line,
    int64_t sample)
{
	struct detail_store_chunk *c = roomy_chunk(all);
	unsigned char *p = c->bytes + c->len;

	p[0] = (unsigned char)head;
	p[1] = (unsigned char)shape;
	p += 2;
	if (line == all->line + 1 && sample == all->sample + 1) {
		p[-2] |= IS_NEXT;
	} else {
		all->mixed |= line == all->line && sample < all->sample;
		p = put_whole(p, zigzag_encode(line - all->line));
		p = put_whole(p, zigzag_encode(sample - all->sample));
	}
	all->line = line;
	all->sample = sample;
	return p;
}

static inline void
end_row(struct detail_store *all, const unsigned char *end)
{
	struct detail_store_chunk *c = &all->chunks[all->n_chunks - 1];

	c->len = (size_t)(end - c->bytes);
}

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
	p = begin_row(all, IS_ROW, shape, row->line, row->sample);
	memcpy(p, row->digits, row->n * sizeof *row->digits);
	end_row(all, p + row->n * sizeof *row->digits);
	all->n += row->n;
}

/* --- Printed rows ----------------------------------------------------------*/

static int
is_same_number(const struct printed_number *x, const struct printed_number *y)
{
	return x->key == y->key && !(x->divisor < y->divisor) &&
	    !(x->divisor > y->divisor) && x->len == y->len &&
	    x->decimals == y->decimals && x->exponent == y->exponent;
}

int
detail_store_printed_shape(
    struct detail_store *all, const struct printed_number *numbers, size_t n)
{
	struct printed_shape *made;

	for (size_t i = 0, j; i < all->n_printed; i++) {
		const struct printed_shape *shape = &all->printed[i];

		if (shape->n != n)
			continue;
		for (j = 0; j < n; j++)
			if (!is_same_number(&shape->numbers[j], &numbers[j]))
				break;
		if (j == n)
			return (int)i;
	}
	if (all->n_printed == MAX_SHAPES)
		return -1;
	all->printed = vec_grow(all->printed, all->n_printed,
	    &all->alloc_printed, sizeof *all->printed);
	made = &all->printed[all->n_printed];
	*made = (struct printed_shape){ .n = n };
	for (size_t i = 0; i < n; i++) {
		assert(numbers[i].len >= 1 && numbers[i].len <= PRINTED_BYTES);
		assert(numbers[i].decimals == 0 ||
		    numbers[i].decimals + 2 <= numbers[i].len);
		made->numbers[i] = numbers[i];
		made->n_words += 1 + (numbers[i].exponent != 0);
		if (numbers[i].key != NULL)
			made->keys[i] = key_number(all, numbers[i].key);
	}
	assert(n > 0 && made->n_words <= PRINTED_WORDS);
	return (int)all->n_printed++;
}

void
detail_store_add_printed(struct detail_store *all, int shape, int64_t line,
    int64_t sample, const uint64_t *words)
{
	const struct printed_shape *of = &all->printed[shape];
	unsigned char *p =
	    begin_row(all, IS_ROW | IS_PRINTED, (size_t)shape, line, sample);

	if (of->n_words <= PRINTED_WORDS / 2)
		memcpy(p, words, PRINTED_WORDS / 2 * sizeof *words);
	else
		memcpy(p, words, PRINTED_WORDS * sizeof *words);
	end_row(all, p + of->n_words * sizeof *words);
	all->n += of->n - (of->numbers[0].key == NULL);
}

/* The digits in the last len bytes of a word, of which one may be a point. */
static uint64_t
printed_digits(uint64_t word, unsigned len)
{
	uint64_t digits = 0;

	for (unsigned i = PRINTED_BYTES - len; i < PRINTED_BYTES; i++) {
		const unsigned c = word >> (8 * i) & 255;

		if (c != '.')
			digits = 10 * digits + (c - '0');
	}
	return digits;
}

void
packed_detail_printed(struct packed_detail *x,
    const struct printed_number *number, const unsigned char *words)
{
	int power = -(int)number->decimals;

	x->digits = printed_digits(packed_row_word(words), number->len);
	x->negative = 0;
	if (number->exponent != 0)
		power += number->exponent *
		    (int)printed_digits(
			packed_row_word(words + PRINTED_BYTES), 1);
	if (power <= 0 && power >= -MAX_DECIMALS && !(number->divisor > 1) &&
	    !(number->divisor < 1)) {
		x->decimals = (unsigned)-power;
		return;
	}
	x->decimals = VALUE_RAW;
	/* Digits and power are exact, so that one operation gives the nearest
	 * number, as strtod does. */
	x->raw = (double)x->digits;
	if (power < 0)
		x->raw /= power_of_ten(-power);
	else
		x->raw *= power_of_ten(power);
	x->raw /= number->divisor;
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
	unsigned head;

	if (r->in_row > 0 || r->chunk == r->all->n_chunks)
		return 0;
	p = r->all->chunks[r->chunk].bytes + r->at;
	if (!(*p & IS_ROW))
		return 0;
	row->shape = NULL;
	row->printed = NULL;
	if (*p & IS_PRINTED)
		row->printed = &r->all->printed[p[1]];
	else
		row->shape = &r->all->shapes[p[1]];
	head = *p;
	p += 2;
	if (head & IS_NEXT) {
		r->line++;
		r->sample++;
	} else {
		p = get_whole(p, &line);
		p = get_whole(p, &sample);
		r->line += zigzag_decode(line);
		r->sample += zigzag_decode(sample);
	}
	row->line = r->line;
	row->sample = r->sample;
	row->digits = p;
	p += row->printed != NULL ? row->printed->n_words * PRINTED_BYTES
				  : row->shape->n * sizeof(uint32_t);
	move_on(r, p);
	return 1;
}

/* The next value of the printed row that was begun. */
static void
next_of_printed(struct detail_store_reader *r, struct packed_detail *x)
{
	const struct printed_shape *of = r->row.printed;
	const struct printed_number *number = &of->numbers[r->in_row - 1];

	if (number->key == NULL) { /* it is no detail */
		r->row.digits += PRINTED_BYTES;
		number = &of->numbers[r->in_row++];
	}
	x->key = of->keys[r->in_row - 1];
	packed_detail_printed(x, number, r->row.digits);
	r->row.digits += PRINTED_BYTES * (1 + (number->exponent != 0));
	r->in_row = r->in_row < of->n ? r->in_row + 1 : 0;
}

/* The next value of the row that was begun. */
static void
next_of_row(struct detail_store_reader *r, struct packed_detail *x)
{
	const struct detail_shape *shape = r->row.shape;
	const size_t i = r->in_row - 1;

	*x = (struct packed_detail){ .line = r->line, .sample = r->sample };
	if (r->row.printed != NULL) {
		next_of_printed(r, x);
		return;
	}
	x->key = shape->keys[i];
	x->digits = packed_row_digits(&r->row, i);
	x->decimals = shape->decimals[i];
	r->in_row = r->in_row < shape->n ? r->in_row + 1 : 0;
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
		r->row = row;
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
	taken.alloc_printed = taken.n_printed;
	taken.printed = xcalloc(taken.n_printed + 1, sizeof *taken.printed);
	if (taken.n_printed > 0)
		memcpy(taken.printed, all->printed,
		    taken.n_printed * sizeof *taken.printed);
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
	free(all->printed);
	*all = (struct detail_store)DETAIL_STORE_INIT;
}
