/* Samples packed as differences from what the ones before lead to expect, so
 * that a log of 10^8 steps fits into memory.  Filled by the scanner, read by
 * the measuring code; it knows nothing of where numbers come from. */
#include <config.h>

#include "extract/log/sample_store.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

/* A sample begins with a byte of these; what it names follows in this order. */
enum {
	HAS_LINE = 1,  /* the step of line, from then on */
	HAS_ITER = 2,  /* the step of iter, from then on */
	HAS_FROM = 4,  /* iter_from */
	HAS_OTHER = 8, /* a byte of OTHER_..., and those */
	VALUE_RAW = 16,
	VALUE_NAN = 32,
	VALUE_DECIMALS = 48, /* a byte of decimals, from then on; a value */
	VALUE_KINDS = 48,    /* none of them: a value */
	STAMP_MICROS = 64,   /* the difference to the last */
	STAMP_RAW = 128,
	STAMP_KINDS = 192 /* none of them: no stamp */
};

/* A second value is the difference of its digits to those of the one before;
 * after a byte of decimals where they change; or raw. */
enum {
	OTHER_EPOCH = 1,
	OTHER_ITERS = 2,
	OTHER_RANK = 4,
	OTHER_SECOND = 8,
	OTHER_DECIMALS = 16,
	OTHER_RAW = 32
};

/* A block begins with a byte: the decimals of its first value, and whether its
 * samples are a row. */
enum { BLOCK_ROW = 128 };

enum {
	CHUNK_BYTES = 64 << 10,
	SAMPLE_BYTES = 80, /* at most: 1 + 10 + 5 + 5 + 16 + 11 + 9 + 10 */
	MAX_DECIMALS = 9
};

static const double powers[MAX_DECIMALS + 1] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5,
	1e6, 1e7, 1e8, 1e9 };

/* --- Numbers of some bytes -------------------------------------------------*/

/* 7 bits a byte, the lowest first; the sign in the lowest bit. */
static unsigned char *
put_whole(unsigned char *p, int64_t x)
{
	uint64_t u = (uint64_t)x << 1 ^ (x < 0 ? UINT64_MAX : 0);

	for (; u >= 128; u >>= 7)
		*p++ = (unsigned char)(u | 128);
	*p++ = (unsigned char)u;
	return p;
}

static const unsigned char *
get_whole(const unsigned char *p, int64_t *x)
{
	uint64_t u = 0;
	unsigned shift = 0;

	for (; *p >= 128; shift += 7)
		u |= (uint64_t)(*p++ & 127) << shift;
	u |= (uint64_t)*p++ << shift;
	*x = (int64_t)(u >> 1 ^ (u & 1 ? UINT64_MAX : 0));
	return p;
}

static const unsigned char *
get_int32(const unsigned char *p, int32_t *x)
{
	int64_t y;

	p = get_whole(p, &y);
	*x = (int32_t)y;
	return p;
}

static unsigned char *
put_double(unsigned char *p, double x)
{
	memcpy(p, &x, sizeof x);
	return p + sizeof x;
}

static const unsigned char *
get_double(const unsigned char *p, double *x)
{
	memcpy(x, p, sizeof *x);
	return p + sizeof *x;
}

/* --- Packing ---------------------------------------------------------------*/

/* The state before the first sample of a block.  Field by field: as one value
 * of more than 64 bytes it would be set by an instruction that takes longer
 * than a sample. */
static inline void
start_block(struct sample_store_state *s, unsigned decimals)
{
	struct sample *y = &s->before;

	y->value = y->stamp = 0;
	y->line = 0;
	y->epoch = y->iter_from = y->iters = y->rank = SAMPLE_NONE;
	y->iter = 0;
	y->second = NAN;
	s->line_step = s->iter_step = 1;
	s->micros = s->second = 0;
	s->decimals = decimals;
	s->stubborn = s->second_decimals = s->filled = 0;
	s->no_row = 0;
}

/* Is x the whole number m with that many decimals, to the last bit? */
static inline int
is_decimal(double x, unsigned decimals, uint32_t *m)
{
	const double shifted = x * powers[decimals] + 0.5;

	if (!(shifted >= 0.5 && shifted < 4294967295.0))
		return 0;
	*m = (uint32_t)shifted;
	return *m / powers[decimals] <= x && *m / powers[decimals] >= x;
}

/* Find decimals for a value that the last did not suit. */
static int
find_decimals(struct sample_store_state *s, double x, uint32_t *m)
{
	if (s->stubborn)
		return 0;
	for (unsigned d = 0; d <= MAX_DECIMALS; d++) {
		if (is_decimal(x, d, m)) {
			s->decimals = d;
			return 1;
		}
	}
	s->stubborn = 1;
	return 0;
}

static unsigned char *
put_value(struct sample_store_state *s, unsigned char *p, unsigned char *head,
    double x)
{
	uint32_t m;

	if (is_decimal(x, s->decimals, &m) && !signbit(x)) {
		memcpy(p, &m, sizeof m);
		return p + sizeof m;
	}
	if (isnan(x)) {
		*head |= VALUE_NAN;
		return p;
	}
	if (!signbit(x) && find_decimals(s, x, &m)) {
		*head |= VALUE_DECIMALS;
		*p++ = (unsigned char)s->decimals;
		memcpy(p, &m, sizeof m);
		return p + sizeof m;
	}
	*head |= VALUE_RAW;
	return put_double(p, x);
}

static unsigned char *
put_stamp(struct sample_store_state *s, unsigned char *p, unsigned char *head,
    double x)
{
	double micros;

	if (isnan(x))
		return p;
	s->no_row = 1;
	micros = floor(x * 1e6 + 0.5);
	if (fabs(micros) < 9e15 && micros / 1e6 <= x && micros / 1e6 >= x &&
	    !(signbit(x) && micros >= 0)) {
		*head |= STAMP_MICROS;
		p = put_whole(p, (int64_t)micros - s->micros);
		s->micros = (int64_t)micros;
		return p;
	}
	*head |= STAMP_RAW;
	return put_double(p, x);
}

/* A second value that is there. */
static unsigned char *
put_second(struct sample_store_state *s, unsigned char *p, unsigned char *which,
    double x)
{
	unsigned decimals = s->second_decimals;
	uint32_t m = 0;

	if (signbit(x) || !is_decimal(x, decimals, &m))
		for (decimals = 0; decimals <= MAX_DECIMALS; decimals++)
			if (!signbit(x) && is_decimal(x, decimals, &m))
				break;
	if (decimals > MAX_DECIMALS) {
		*which |= OTHER_RAW;
		return put_double(p, x);
	}
	*which |= OTHER_SECOND;
	if (decimals != s->second_decimals) {
		*which |= OTHER_DECIMALS;
		*p++ = (unsigned char)decimals;
		s->second_decimals = decimals;
	}
	p = put_whole(p, (int64_t)m - s->second);
	s->second = m;
	return p;
}

static unsigned char *
put_other(
    struct sample_store_state *s, unsigned char *p, const struct sample *x)
{
	const struct sample *y = &s->before;
	unsigned char *which = p++;

	*which = 0;
	s->no_row |= x->rank != SAMPLE_NONE ||
	    (s->filled > 0 && (x->epoch != y->epoch || x->iters != y->iters));
	if (x->epoch != y->epoch) {
		*which |= OTHER_EPOCH;
		p = put_whole(p, x->epoch);
	}
	if (x->iters != y->iters) {
		*which |= OTHER_ITERS;
		p = put_whole(p, x->iters);
	}
	if (x->rank != y->rank) {
		*which |= OTHER_RANK;
		p = put_whole(p, x->rank);
	}
	if (!isnan(x->second))
		p = put_second(s, p, which, x->second);
	return p;
}

/* The start of a window as it is expected. */
static inline int64_t
expected_from(const struct sample_store_state *s)
{
	return s->before.iter_from == SAMPLE_NONE
	    ? SAMPLE_NONE
	    : s->before.iter_from + s->iter_step;
}

static unsigned char *
put_sample(
    struct sample_store_state *s, unsigned char *p, const struct sample *x)
{
	const struct sample *y = &s->before;
	const int64_t line_step = x->line - y->line;
	const int64_t iter_step = (int64_t)x->iter - y->iter;
	unsigned char *head = p++;

	*head = 0;
	if (line_step != s->line_step) {
		*head |= HAS_LINE;
		p = put_whole(p, line_step);
		s->line_step = line_step;
	}
	if (iter_step != s->iter_step) {
		*head |= HAS_ITER;
		p = put_whole(p, iter_step);
		s->iter_step = iter_step;
		s->no_row |= s->filled > 1;
	}
	if (x->iter_from != expected_from(s)) {
		*head |= HAS_FROM;
		s->no_row = 1;
		p = put_whole(p, x->iter_from);
	}
	if (x->epoch != y->epoch || x->iters != y->iters ||
	    x->rank != y->rank || !isnan(x->second)) {
		*head |= HAS_OTHER;
		p = put_other(s, p, x);
	}
	p = put_value(s, p, head, x->value);
	p = put_stamp(s, p, head, x->stamp);
	s->before = *x;
	s->filled++;
	return p;
}

static void
make_room(struct sample_store *all)
{
	if (all->end - all->at < SAMPLE_STORE_BLOCK * SAMPLE_BYTES) {
		all->chunks = vec_grow(all->chunks, all->n_chunks,
		    &all->alloc_chunks, sizeof *all->chunks);
		all->at = xmalloc(CHUNK_BYTES);
		all->end = all->at + CHUNK_BYTES;
		all->chunks[all->n_chunks++] = all->at;
	}
	all->blocks = vec_grow(all->blocks, all->n_blocks, &all->alloc_blocks,
	    sizeof *all->blocks);
	all->heads = vec_grow(
	    all->heads, all->n_blocks, &all->alloc_heads, sizeof *all->heads);
	if (all->n_blocks > 0)
		all->heads[all->n_blocks - 1].n = SAMPLE_STORE_BLOCK;
	all->blocks[all->n_blocks++] = all->at;
	start_block(&all->state, all->state.decimals);
	/* A block holds its own decimals. */
	*all->at++ = (unsigned char)(all->state.decimals | BLOCK_ROW);
}

/* What the first two samples of a block show of it. */
static void
note_head(struct sample_store_head *head, const struct sample_store_state *s)
{
	if (s->filled == 1) {
		head->epoch = s->before.epoch;
		head->iter = s->before.iter;
		head->iters = s->before.iters;
		head->step = 1;
	} else {
		head->step = s->iter_step > 0 && s->iter_step <= INT32_MAX
		    ? (int32_t)s->iter_step
		    : 0;
	}
}

void
sample_store_add(struct sample_store *all, const struct sample *x)
{
	assert(all->n_segments == 0);
	if (all->n++ % SAMPLE_STORE_BLOCK == 0)
		make_room(all);
	all->at = put_sample(&all->state, all->at, x);
	if (all->state.filled <= 2)
		note_head(&all->heads[all->n_blocks - 1], &all->state);
	if (all->state.no_row) {
		*all->blocks[all->n_blocks - 1] &= (unsigned char)~BLOCK_ROW;
		all->heads[all->n_blocks - 1].step = 0;
	}
	assert(all->at <= all->end);
}

/* Put those of x [n] into the block that are what the one before leads to
 * expect, but for their values.  Returns how many these are. */
static size_t
put_expected(struct sample_store *all, const struct sample *x, size_t n)
{
	struct sample_store_state *s = &all->state;
	const size_t room = SAMPLE_STORE_BLOCK - s->filled;
	const struct sample *y = &s->before;
	unsigned char *p = all->at;
	size_t i = 0;
	uint32_t m, second;

	if (y->iter_from != SAMPLE_NONE)
		return 0;
	for (; i < n && i < room; y = &x[i++]) {
		if (x[i].line - y->line != s->line_step ||
		    (int64_t)x[i].iter - y->iter != s->iter_step ||
		    x[i].epoch != y->epoch || x[i].iters != y->iters ||
		    x[i].rank != y->rank || x[i].iter_from != SAMPLE_NONE ||
		    !isnan(x[i].stamp) ||
		    !is_decimal(x[i].value, s->decimals, &m) ||
		    signbit(x[i].value))
			break;
		if (isnan(x[i].second)) {
			*p++ = 0;
		} else {
			if (!is_decimal(
				x[i].second, s->second_decimals, &second) ||
			    signbit(x[i].second))
				break;
			*p++ = HAS_OTHER;
			*p++ = OTHER_SECOND;
			p = put_whole(p, (int64_t)second - s->second);
			s->second = second;
		}
		memcpy(p, &m, sizeof m);
		p += sizeof m;
	}
	if (i > 0)
		s->before = x[i - 1];
	s->filled += (unsigned)i;
	all->at = p;
	all->n += i;
	return i;
}

void
sample_store_add_all(struct sample_store *all, const struct sample *x, size_t n)
{
	for (size_t i = 0; i < n;) {
		sample_store_add(all, &x[i++]);
		if (all->n % SAMPLE_STORE_BLOCK != 0)
			i += put_expected(all, x + i, n - i);
	}
}

/* --- Unpacking -------------------------------------------------------------*/

static const unsigned char *
get_value(struct sample_store_state *s, const unsigned char *p, unsigned head)
{
	uint32_t m;

	switch (head & VALUE_KINDS) {
	case VALUE_RAW:
		return get_double(p, &s->before.value);
	case VALUE_NAN:
		s->before.value = NAN;
		return p;
	case VALUE_DECIMALS:
		s->decimals = *p++;
		break;
	}
	memcpy(&m, p, sizeof m);
	s->before.value = m / powers[s->decimals];
	return p + sizeof m;
}

static const unsigned char *
get_stamp(struct sample_store_state *s, const unsigned char *p, unsigned head)
{
	int64_t difference;

	if ((head & STAMP_KINDS) == STAMP_RAW)
		return get_double(p, &s->before.stamp);
	s->before.stamp = NAN;
	if ((head & STAMP_KINDS) == 0)
		return p;
	p = get_whole(p, &difference);
	s->micros += difference;
	s->before.stamp = (double)s->micros / 1e6;
	return p;
}

static const unsigned char *
get_second(struct sample_store_state *s, const unsigned char *p, unsigned which)
{
	int64_t difference;

	if (which & OTHER_RAW)
		return get_double(p, &s->before.second);
	if (which & OTHER_DECIMALS)
		s->second_decimals = *p++;
	p = get_whole(p, &difference);
	s->second += difference;
	s->before.second = (double)s->second / powers[s->second_decimals];
	return p;
}

/* The next sample becomes s->before. */
static const unsigned char *
get_sample(struct sample_store_state *s, const unsigned char *p)
{
	const unsigned head = *p++;
	struct sample *y = &s->before;

	if (head & HAS_LINE)
		p = get_whole(p, &s->line_step);
	if (head & HAS_ITER)
		p = get_whole(p, &s->iter_step);
	y->line += s->line_step;
	y->iter = (int32_t)(y->iter + s->iter_step);
	if (head & HAS_FROM)
		p = get_int32(p, &y->iter_from);
	else
		y->iter_from = (int32_t)expected_from(s);
	y->second = NAN;
	if (head & HAS_OTHER) {
		const unsigned which = *p++;

		if (which & OTHER_EPOCH)
			p = get_int32(p, &y->epoch);
		if (which & OTHER_ITERS)
			p = get_int32(p, &y->iters);
		if (which & OTHER_RANK)
			p = get_int32(p, &y->rank);
		if (which & (OTHER_SECOND | OTHER_RAW))
			p = get_second(s, p, which);
	}
	p = get_value(s, p, head);
	return get_stamp(s, p, head);
}

/* What the samples to come are, where they are what those before them lead to
 * expect: a value alone, or with a second one; 0: something else. */
static unsigned
expected_head(const struct sample_store_state *s, const unsigned char *p)
{
	if (s->before.iter_from != SAMPLE_NONE)
		return 0;
	if (p[0] == 0)
		return 1;
	return p[0] == HAS_OTHER && p[1] == OTHER_SECOND ? 2 : 0;
}

/* Such samples, from out[j] on: as get_sample makes them, without questions.
 * Returns how many of the block there are then. */
static size_t
get_expected(struct sample_store_state *s, const unsigned char **p,
    struct sample *out, size_t j, size_t n)
{
	const unsigned bytes = j < n ? expected_head(s, *p) : 0;
	const double power = powers[s->decimals],
		     second_power = powers[s->second_decimals];
	const unsigned char *at = *p;
	unsigned char head;
	struct sample x;
	uint32_t m;

	if (bytes == 0)
		return j;
	head = at[0];
	x = s->before;
	x.second = x.stamp = NAN;
	while (
	    j < n && at[0] == head && (bytes == 1 || at[1] == OTHER_SECOND)) {
		at += bytes;
		if (bytes == 2) {
			int64_t difference;

			at = get_whole(at, &difference);
			s->second += difference;
			x.second = (double)s->second / second_power;
		}
		memcpy(&m, at, sizeof m);
		at += sizeof m;
		x.value = m / power;
		x.line += s->line_step;
		x.iter = (int32_t)(x.iter + s->iter_step);
		out[j++] = x;
	}
	s->before = x;
	*p = at;
	return j;
}

/* The samples from out[j] on of what most logs hold, as get_sample makes them
 * but without a call and a copy each: in an epoch, with decimals as before.
 *
 * Returns how many of the block there are then; the one after them is for
 * get_sample. */
static size_t
get_usual(struct sample_store_state *s, const unsigned char **p,
    struct sample *out, size_t j, size_t n)
{
	const unsigned usual = HAS_LINE | HAS_ITER | HAS_OTHER | STAMP_MICROS;
	const double power = powers[s->decimals],
		     second_power = powers[s->second_decimals];
	struct sample x = s->before;
	int64_t line_step = s->line_step, iter_step = s->iter_step;
	int64_t second = s->second, micros = s->micros, difference;
	const unsigned char *at = *p;
	uint32_t m;

	if (x.iter_from != SAMPLE_NONE)
		return j;
	for (; j < n; out[j++] = x, *p = at) {
		const unsigned head = *at++;
		unsigned which = 0;

		if (head & ~usual)
			break;
		if (head & HAS_OTHER) {
			/* What stands before it is seldom there. */
			const unsigned char *other = at;

			if (head & HAS_LINE)
				other = get_whole(other, &difference);
			if (head & HAS_ITER)
				other = get_whole(other, &difference);
			which = *other;
			if (which & ~(unsigned)(OTHER_RANK | OTHER_SECOND))
				break;
		}
		if (head & HAS_LINE)
			at = get_whole(at, &line_step);
		if (head & HAS_ITER)
			at = get_whole(at, &iter_step);
		at += (head & HAS_OTHER) != 0;
		if (which & OTHER_RANK)
			at = get_int32(at, &x.rank);
		x.second = NAN;
		if (which & OTHER_SECOND) {
			at = get_whole(at, &difference);
			second += difference;
			x.second = (double)second / second_power;
		}
		memcpy(&m, at, sizeof m);
		at += sizeof m;
		x.value = m / power;
		x.stamp = NAN;
		if (head & STAMP_MICROS) {
			at = get_whole(at, &difference);
			micros += difference;
			x.stamp = (double)micros / 1e6;
		}
		x.line += line_step;
		x.iter = (int32_t)(x.iter + iter_step);
	}
	s->before = x;
	s->line_step = line_step;
	s->iter_step = iter_step;
	s->second = second;
	s->micros = micros;
	return j;
}

static size_t
segment_start(const struct sample_store_segment *x, int is_block)
{
	return is_block ? x->first_block : x->first;
}

/* The segment that holds sample i, or block i. */
static const struct sample_store_segment *
segment_of(const struct sample_store *all, size_t i, int is_block)
{
	const size_t n = is_block ? all->n_blocks : all->n;
	size_t low = 0, high = all->n_segments;
	/* They are parts of a file, mostly as long as each other. */
	const size_t guess = (size_t)((double)i / (double)n * (double)high);

	for (size_t k = guess - (guess > 0); k < high && k <= guess + 2; k++)
		if (segment_start(&all->segments[k], is_block) <= i)
			low = k;
		else
			high = k;
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (segment_start(&all->segments[middle], is_block) <= i)
			low = middle;
		else
			high = middle;
	}
	return &all->segments[low];
}

size_t
sample_store_block_of(const struct sample_store *all, size_t i, size_t *first)
{
	const struct sample_store_segment *x;
	size_t in_segment;

	assert(i < all->n);
	if (all->n_segments == 0) {
		*first = i / SAMPLE_STORE_BLOCK * SAMPLE_STORE_BLOCK;
		return i / SAMPLE_STORE_BLOCK;
	}
	x = segment_of(all, i, 0);
	in_segment = (i - x->first) / SAMPLE_STORE_BLOCK;
	*first = x->first + in_segment * SAMPLE_STORE_BLOCK;
	return x->first_block + in_segment;
}

/* Begin to unpack block i.
 *
 * p  set to the first byte of its first sample
 *
 * Returns how many samples it has. */
static size_t
open_block(const struct sample_store *all, size_t i,
    struct sample_store_state *s, const unsigned char **p)
{
	size_t first = i * SAMPLE_STORE_BLOCK, end = all->n;

	assert(i < all->n_blocks);
	start_block(s, *all->blocks[i] & ~(unsigned)BLOCK_ROW);
	if (all->n_segments > 0) {
		const struct sample_store_segment *x = segment_of(all, i, 1);

		first = x->first + (i - x->first_block) * SAMPLE_STORE_BLOCK;
		if (x + 1 < all->segments + all->n_segments)
			end = x[1].first;
		s->before.line = x->lines;
	}
	*p = all->blocks[i] + 1;
	return end - first < SAMPLE_STORE_BLOCK ? end - first
						: SAMPLE_STORE_BLOCK;
}

static void
unpack_block(struct sample_store_state *s, const unsigned char *p, size_t n,
    int row, struct sample out[SAMPLE_STORE_BLOCK])
{
	for (size_t j = 0; j < n;) {
		p = get_sample(s, p);
		out[j++] = s->before;
		j = row ? get_expected(s, &p, out, j, n)
			: get_usual(s, &p, out, j, n);
	}
}

size_t
sample_store_block(const struct sample_store *all, size_t i,
    struct sample out[SAMPLE_STORE_BLOCK])
{
	struct sample_store_state s;
	const unsigned char *p;
	const size_t n = open_block(all, i, &s, &p);

	unpack_block(&s, p, n, *all->blocks[i] & BLOCK_ROW, out);
	return n;
}

struct sample_block
sample_store_share(const struct sample_store *all, size_t i)
{
	const size_t left = all->n - i * SAMPLE_STORE_BLOCK;

	assert(all->n_segments == 0 && i < all->n_blocks);
	return (struct sample_block){ all->blocks[i], *all->blocks[i],
		left < SAMPLE_STORE_BLOCK ? left : SAMPLE_STORE_BLOCK };
}

size_t
sample_block_read(
    const struct sample_block *b, struct sample out[SAMPLE_STORE_BLOCK])
{
	struct sample_store_state s;

	start_block(&s, b->first & ~(unsigned)BLOCK_ROW);
	unpack_block(&s, b->bytes + 1, b->n, (int)(b->first & BLOCK_ROW), out);
	return b->n;
}

/* Samples of block i. */
static size_t
block_length(const struct sample_store *all, size_t i)
{
	return all->n_segments == 0 && i + 1 == all->n_blocks
	    ? all->n - i * SAMPLE_STORE_BLOCK
	    : all->heads[i].n;
}

/* Values of samples that get_sample would give, from out[j] on; what else they
 * hold is passed over, as nothing of it says how a value is kept.
 *
 * Returns how many of the block there are then; the next is for get_sample. */
static size_t
get_values(struct sample_store_state *s, const unsigned char **p, double *out,
    size_t j, size_t n)
{
	const double power = powers[s->decimals];
	const unsigned char *at = *p;
	uint32_t m;

	for (; j < n; j++) {
		if (at[0] == HAS_OTHER && at[1] == OTHER_SECOND) {
			for (at += 2; *at >= 128; at++)
				;
		} else if (at[0] != 0) {
			break;
		}
		at++;
		memcpy(&m, at, sizeof m);
		at += sizeof m;
		out[j] = m / power;
	}
	*p = at;
	return j;
}

size_t
sample_store_row_values(const struct sample_store *all, size_t i,
    struct sample_row *row, double out[SAMPLE_STORE_BLOCK])
{
	const struct sample_store_head *head = &all->heads[i];
	const size_t n = block_length(all, i);
	struct sample_store_state s;
	const unsigned char *p = all->blocks[i] + 1;

	if (head->step <= 0 || head->iter < 0)
		return 0;
	*row = (struct sample_row){ head->epoch, head->iters, head->iter,
		head->step, n };
	start_block(&s, *all->blocks[i] & ~(unsigned)BLOCK_ROW);
	for (size_t j = 0; j < n;) {
		p = get_sample(&s, p);
		out[j++] = s.before.value;
		j = get_values(&s, &p, out, j, n);
	}
	return n;
}

/* Does a row go on in that block, as far as its first sample shows? */
static int
goes_on(const struct sample_row *row, const struct sample_store_head *head)
{
	return head->epoch == row->epoch && head->iters == row->iters &&
	    head->iter == row->iter + row->step * (int64_t)row->n;
}

size_t
sample_store_row(
    const struct sample_store *all, size_t i, struct sample_row *row)
{
	const struct sample_store_head *head = &all->heads[i];
	size_t b = i;

	if (head->step <= 0 || head->iter < 0)
		return 0;
	row->epoch = head->epoch;
	row->iters = head->iters;
	row->iter = head->iter;
	row->n = block_length(all, i);
	row->step = head->step;
	for (b = i + 1; b < all->n_blocks && goes_on(row, &all->heads[b]);
	     b++) {
		const size_t n = block_length(all, b);

		/* One of one sample has no steps of its own. */
		if (all->heads[b].step == 0 ||
		    (n > 1 && all->heads[b].step != row->step))
			break;
		row->n += n;
	}
	return b - i;
}

struct sample
sample_store_get(const struct sample_store *all, size_t i)
{
	struct sample block[SAMPLE_STORE_BLOCK];
	size_t first;

	sample_store_block(all, sample_store_block_of(all, i, &first), block);
	return block[i - first];
}

/* --- Joining ---------------------------------------------------------------*/

static void
add_segment(struct sample_store *all, int64_t lines)
{
	all->segments = vec_grow(all->segments, all->n_segments,
	    &all->alloc_segments, sizeof *all->segments);
	all->segments[all->n_segments++] =
	    (struct sample_store_segment){ all->n, all->n_blocks, lines };
}

/* No sample is added any more to the last block. */
static void
end_last_block(struct sample_store *all)
{
	if (all->n_blocks > 0)
		all->heads[all->n_blocks - 1].n =
		    (uint32_t)block_length(all, all->n_blocks - 1);
}

void
sample_store_join(
    struct sample_store *all, struct sample_store *more, int64_t lines)
{
	assert(more->n_segments == 0);
	if (more->n > 0 && all->n == 0)
		sample_store_release(all);
	end_last_block(all);
	end_last_block(more);
	if (more->n > 0 && all->n > 0 && all->n_segments == 0) {
		const struct sample_store_segment start = { 0, 0, 0 };

		add_segment(all, 0);
		all->segments[0] = start;
	}
	if (more->n > 0)
		add_segment(all, lines);
	for (size_t i = 0; i < more->n_blocks; i++) {
		all->blocks = vec_grow(all->blocks, all->n_blocks,
		    &all->alloc_blocks, sizeof *all->blocks);
		all->heads = vec_grow(all->heads, all->n_blocks,
		    &all->alloc_heads, sizeof *all->heads);
		all->heads[all->n_blocks] = more->heads[i];
		all->blocks[all->n_blocks++] = more->blocks[i];
	}
	for (size_t i = 0; i < more->n_chunks; i++) {
		all->chunks = vec_grow(all->chunks, all->n_chunks,
		    &all->alloc_chunks, sizeof *all->chunks);
		all->chunks[all->n_chunks++] = more->chunks[i];
	}
	all->n += more->n;
	more->n_chunks = 0;
	sample_store_release(more);
}

size_t
sample_store_bytes(const struct sample_store *all)
{
	return all->n_chunks * CHUNK_BYTES +
	    all->alloc_blocks * sizeof *all->blocks +
	    all->alloc_heads * sizeof *all->heads +
	    all->alloc_chunks * sizeof *all->chunks;
}

void
sample_store_release(struct sample_store *all)
{
	for (size_t i = 0; i < all->n_chunks; i++)
		free(all->chunks[i]);
	free(all->chunks);
	free(all->blocks);
	free(all->heads);
	free(all->segments);
	*all = (struct sample_store)SAMPLE_STORE_INIT;
}
