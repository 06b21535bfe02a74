/* Samples packed as differences from what the ones before lead to expect, so
 * that a log of 10^8 steps fits into memory.  Filled by the scanner, read by
 * the measuring code; it knows nothing of where numbers come from. */
#include <config.h>

#include "extract/log/sample_packing.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

enum {
	CHUNK_BYTES = 64 << 10,
	/* After so many bytes in chunks: as many as a large page has. */
	LARGE_AFTER = 1 << 20,
	LARGE_CHUNK_BYTES = 2 << 20,
	ROWS_SURE = 64,    /* rows that may be short */
	LANES = 4,         /* numbers that compilers take together */
	SAMPLE_BYTES = 80, /* at most: 1 + 10 + 5 + 5 + 16 + 11 + 9 + 10 */
};

/* --- Numbers of some bytes -------------------------------------------------*/

/* With the sign in the lowest bit, so that small numbers have few bits. */
static inline uint64_t
signed_last(int64_t x)
{
	return (uint64_t)x << 1 ^ (x < 0 ? UINT64_MAX : 0);
}

/* 7 bits a byte, the lowest first. */
static unsigned char *
put_whole(unsigned char *p, int64_t x)
{
	uint64_t u = signed_last(x);

	for (; u >= 128; u >>= 7)
		*p++ = (unsigned char)(u | 128);
	*p++ = (unsigned char)u;
	return p;
}

static unsigned char *
put_double(unsigned char *p, double x)
{
	memcpy(p, &x, sizeof x);
	return p + sizeof x;
}

/* --- Rows ------------------------------------------------------------------*/

/* Begin another row with x, unless rows are short. */
static void
begin_row(struct sample_store *all, const struct sample *x)
{
	struct sample_rows *rows = &all->rows;

	if (rows->n > ROWS_SURE + all->n / SAMPLE_STORE_BLOCK) {
		rows->none = 1;
		return;
	}
	rows->items =
	    vec_grow(rows->items, rows->n, &rows->alloc, sizeof *rows->items);
	rows->items[rows->n++] =
	    (struct sample_row){ x->epoch, x->iters, x->iter, 1, 1 };
}

/* x is added: it goes on in the last row or begins one. */
static inline void
note_row(struct sample_store *all, const struct sample *x)
{
	struct sample_rows *rows = &all->rows;
	struct sample_row *row;
	int64_t step;

	if (rows->none)
		return;
	if (x->rank != SAMPLE_NONE || x->iter_from != SAMPLE_NONE ||
	    x->iter < 0 || !isnan(x->stamp)) {
		rows->none = 1;
		return;
	}
	if (rows->n == 0) {
		begin_row(all, x);
		return;
	}
	row = &rows->items[rows->n - 1];
	step = x->iter - (row->iter + row->step * (int64_t)(row->n - 1));
	if (x->epoch != row->epoch || x->iters != row->iters || step <= 0 ||
	    (row->n > 1 && step != row->step)) {
		begin_row(all, x);
		return;
	}
	row->step = step;
	row->n++;
}

static void
note_rows(struct sample_store *all, const struct sample *x, size_t n)
{
	for (size_t i = 0; i < n && !all->rows.none; i++)
		note_row(all, &x[i]);
}

/* --- Packing ---------------------------------------------------------------*/

/* Is x the whole number m with that many decimals, to the last bit? */
static inline int
is_decimal(double x, unsigned decimals, uint32_t *m)
{
	const double shifted = x * sample_powers[decimals] + 0.5;

	if (!(shifted >= 0.5 && shifted < 4294967295.0))
		return 0;
	*m = (uint32_t)shifted;
	return *m / sample_powers[decimals] <= x &&
	    *m / sample_powers[decimals] >= x;
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
		decimals = s->likely_decimals;
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
		s->second_decimals = s->likely_decimals = decimals;
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
	if (x->rank != expected_rank(s)) {
		*which |= OTHER_RANK;
		p = put_whole(p, x->rank);
		note_rank(s, y->rank, x->rank);
	}
	if (!isnan(x->second))
		p = put_second(s, p, which, x->second);
	return p;
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
	    x->rank != expected_rank(s) || !isnan(x->second)) {
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
add_chunk(struct sample_store *all)
{
	const int large = all->in_chunks >= LARGE_AFTER;
	const size_t size = large ? LARGE_CHUNK_BYTES : CHUNK_BYTES;
	struct sample_store_chunk *chunk =
	    large ? xmalloc_large(size) : xmalloc(size);

	chunk->before = all->chunks;
	all->chunks = chunk;
	all->n_chunks++;
	all->at = (unsigned char *)(chunk + 1);
	all->end = (unsigned char *)chunk + size;
	all->bytes += size;
	all->in_chunks += size;
}

static void
make_room(struct sample_store *all)
{
	if (all->end - all->at < SAMPLE_STORE_BLOCK * SAMPLE_BYTES)
		add_chunk(all);
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

/* Samples were put into the block: so many are the first that they are to its
 * head. */
static void
note_block(struct sample_store *all, unsigned filled)
{
	struct sample_store_head *head = &all->heads[all->n_blocks - 1];

	if (filled <= 2)
		note_head(head, &all->state);
	if (all->state.no_row) {
		*all->blocks[all->n_blocks - 1] &= (unsigned char)~BLOCK_ROW;
		head->step = 0;
	}
}

void
sample_store_add(struct sample_store *all, const struct sample *x)
{
	assert(all->n_segments == 0);
	if (all->n++ % SAMPLE_STORE_BLOCK == 0)
		make_room(all);
	note_row(all, x);
	all->at = put_sample(&all->state, all->at, x);
	note_block(all, all->state.filled);
	assert(all->at <= all->end);
}

/* How x differs from what the one before it leads to expect, by which of its
 * whole numbers: HAS_LINE, HAS_ITER, HAS_OTHER (its rank), or DIFFERS. */
static inline unsigned
whole_differences(const struct sample_store_state *s, const struct sample *y,
    const struct sample *x)
{
	const int64_t rank =
	    y->rank == SAMPLE_NONE ? y->rank : y->rank + s->rank_step;
	const int64_t line = (x->line - y->line) ^ s->line_step;
	const int64_t iter = ((int64_t)x->iter - y->iter) ^ s->iter_step;
	const int64_t other = (x->epoch ^ y->epoch) | (x->iters ^ y->iters) |
	    (x->iter_from ^ SAMPLE_NONE);

	if ((line | iter | other | (x->rank ^ rank)) == 0)
		return 0;
	return (line != 0 ? HAS_LINE : 0) | (iter != 0 ? HAS_ITER : 0) |
	    (x->rank != rank ? HAS_OTHER : 0) | (other != 0 ? DIFFERS : 0);
}

/* Can its values be put with as many decimals as those of the one before?
 *
 * m       out: its value without the point
 * second  the same, where it has one; then which gets OTHER_SECOND */
static inline int
has_usual_values(const struct sample_store_state *s, const struct sample *x,
    uint32_t *m, uint32_t *second, unsigned *which)
{
	if (!isnan(x->stamp) || !is_decimal(x->value, s->decimals, m) ||
	    signbit(x->value))
		return 0;
	if (isnan(x->second))
		return 1;
	*which |= OTHER_SECOND;
	return is_decimal(x->second, s->second_decimals, second) &&
	    !signbit(x->second);
}

/* Put the whole numbers that differ. */
static inline unsigned char *
put_differences(struct sample_store_state *s, unsigned char *p, unsigned odd,
    unsigned which, const struct sample *y, const struct sample *x)
{
	*p++ = (unsigned char)(odd | (which ? HAS_OTHER : 0));
	if (odd & HAS_LINE) {
		s->line_step = x->line - y->line;
		p = put_whole(p, s->line_step);
	}
	if (odd & HAS_ITER) {
		s->iter_step = (int64_t)x->iter - y->iter;
		p = put_whole(p, s->iter_step);
	}
	if (which != 0)
		*p++ = (unsigned char)which;
	if (which & OTHER_RANK) {
		p = put_whole(p, x->rank);
		note_rank(s, y->rank, x->rank);
	}
	return p;
}

/* Put those of x [n] into the block that are what the one before leads to
 * expect, but for their values and lines and, in what is no row, iteration and
 * rank.  Returns how many these are. */
static size_t
put_expected(struct sample_store *all, const struct sample *x, size_t n)
{
	struct sample_store_state *s = &all->state;
	const size_t room = SAMPLE_STORE_BLOCK - s->filled;
	const unsigned may = s->no_row && s->filled > 1
	    ? HAS_LINE | HAS_ITER | HAS_OTHER
	    : HAS_LINE;
	const struct sample *y = &s->before;
	unsigned char *p = all->at;
	size_t i = 0;

	if (y->iter_from != SAMPLE_NONE)
		return 0;
	for (; i < n && i < room; y = &x[i++]) {
		const unsigned odd = whole_differences(s, y, &x[i]);
		unsigned which = odd & HAS_OTHER ? OTHER_RANK : 0;
		uint32_t m, second = 0;

		if ((odd & ~may) ||
		    !has_usual_values(s, &x[i], &m, &second, &which))
			break;
		p = put_differences(s, p, odd, which, y, &x[i]);
		if (which & OTHER_SECOND) {
			p = put_whole(p, (int64_t)second - s->second);
			s->second = second;
		}
		memcpy(p, &m, sizeof m);
		p += sizeof m;
	}
	note_rows(all, x, i);
	if (i > 0)
		s->before = x[i - 1];
	s->filled += (unsigned)i;
	all->at = p;
	all->n += i;
	return i;
}

static void
add_all(struct sample_store *all, const struct sample *x, size_t n)
{
	for (size_t i = 0; i < n;) {
		sample_store_add(all, &x[i++]);
		if (all->n % SAMPLE_STORE_BLOCK != 0)
			i += put_expected(all, x + i, n - i);
	}
}

/* --- Packing columns -------------------------------------------------------*/

static inline int
only_digits(const double *numbers, const int32_t *digits)
{
	return numbers == NULL && digits != NULL;
}

static inline int
has_second(const struct sample_columns *c)
{
	return c->second != NULL || c->second_digits != NULL;
}

/* n of them, from the i-th on. */
static void
samples_at(const struct sample_columns *c, size_t i, size_t n, struct sample *x)
{
	for (size_t k = 0; k < n; k++) {
		x[k] = c->same;
		x[k].line = c->line[i + k];
	}
	for (size_t k = 0; c->epoch != NULL && k < n; k++)
		x[k].epoch = c->epoch[i + k];
	for (size_t k = 0; c->iter != NULL && k < n; k++)
		x[k].iter = c->iter[i + k];
	for (size_t k = 0; c->iter_from != NULL && k < n; k++)
		x[k].iter_from = c->iter_from[i + k];
	for (size_t k = 0; c->iters != NULL && k < n; k++)
		x[k].iters = c->iters[i + k];
	for (size_t k = 0; c->rank != NULL && k < n; k++)
		x[k].rank = c->rank[i + k];
	for (size_t k = 0; c->value != NULL && k < n; k++)
		x[k].value = c->value[i + k];
	for (size_t k = 0; only_digits(c->value, c->value_digits) && k < n; k++)
		x[k].value =
		    c->value_digits[i + k] / sample_powers[c->value_decimals];
	for (size_t k = 0; c->second != NULL && k < n; k++)
		x[k].second = c->second[i + k];
	for (size_t k = 0; only_digits(c->second, c->second_digits) && k < n;
	     k++)
		x[k].second =
		    c->second_digits[i + k] / sample_powers[c->second_decimals];
}

/* n >= 1 numbers, that are compared as bytes with those one place on. */
static int
is_one(const int32_t *column, size_t n)
{
	return column == NULL ||
	    memcmp(column, column + 1, (n - 1) * sizeof *column) == 0;
}

/* Does each of n >= 1 numbers lie at that distance from the one before? */
static int
has_step(const int32_t *column, size_t n, int64_t step)
{
	const uint32_t low = (uint32_t)step;
	uint32_t next = (uint32_t)column[0], want[LANES], other[LANES] = { 0 };
	size_t i = 0;

	/* If the last is where it should be, so are all of which the low bits
	 * are: in between they would have left the range for good. */
	if ((int64_t)column[n - 1] - column[0] != step * (int64_t)(n - 1))
		return 0;
	for (int k = 0; k < LANES; k++, next += low)
		want[k] = next;
	for (; i + LANES <= n; i += LANES)
		for (int k = 0; k < LANES; k++) {
			other[k] |= (uint32_t)column[i + (size_t)k] ^ want[k];
			want[k] += LANES * low;
		}
	for (int k = 0; i < n; i++, k++)
		other[k] |= (uint32_t)column[i] ^ want[k];
	return (other[0] | other[1] | other[2] | other[3]) == 0;
}

/* Do they follow each other as steps of one epoch and no rank do, as far as
 * they alone show it?  Then only their lines, values and second values have to
 * be put.
 *
 * step  out: from one iteration to the next; of one alone, 0 */
static int
is_steady(const struct sample_columns *c, int64_t *step)
{
	if (c->value_digits == NULL || c->iter == NULL ||
	    c->iter_from != NULL || c->rank != NULL ||
	    c->same.rank != SAMPLE_NONE || c->same.iter_from != SAMPLE_NONE ||
	    !isnan(c->same.stamp) ||
	    (has_second(c) ? c->second_digits == NULL : !isnan(c->same.second)))
		return 0;
	*step = c->n > 1 ? (int64_t)c->iter[1] - c->iter[0] : 0;
	return has_step(c->iter, c->n, *step) && is_one(c->epoch, c->n) &&
	    is_one(c->iters, c->n);
}

/* Is the i-th of a steady run what the one before it leads to expect, and all
 * after it?  A block's second may be at any distance. */
static int
goes_on(const struct sample_store_state *s, const struct sample_columns *c,
    size_t i, int64_t step)
{
	const struct sample *const y = &s->before;
	const int64_t here = (int64_t)c->iter[i] - y->iter;

	return (here == s->iter_step || s->filled == 1) &&
	    (i + 1 == c->n || step == here) &&
	    (c->epoch != NULL ? c->epoch[i] : c->same.epoch) == y->epoch &&
	    (c->iters != NULL ? c->iters[i] : c->same.iters) == y->iters &&
	    y->rank == SAMPLE_NONE && y->iter_from == SAMPLE_NONE &&
	    c->value_decimals == (int)s->decimals &&
	    (!has_second(c) || c->second_decimals == (int)s->second_decimals);
}

/* The same as note_row for n samples that go on as the last two of the block
 * did, the last of which is in the state. */
static void
go_on_row(
    struct sample_store *all, const struct sample_store_state *s, size_t n)
{
	struct sample_row *row = &all->rows.items[all->rows.n - 1];
	struct sample x;

	if (s->iter_step > 0 && (row->n == 1 || row->step == s->iter_step)) {
		row->step = s->iter_step;
		row->n += n;
		return;
	}
	for (x = s->before; n > 0 && !all->rows.none; n--) {
		x.iter =
		    (int32_t)(s->before.iter - s->iter_step * (int64_t)(n - 1));
		note_row(all, &x);
	}
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SHORT_WORKS 1
#else
#define SHORT_WORKS 0
#endif

/* Where put_short stands. */
struct short_place {
	unsigned char *at;
	int64_t line, second; /* of the sample before, as in the state */
};

/* Put those of a steady run from the i-th to before end that are what most
 * samples are, whose bytes are put as one word, the first lowest: of a line
 * that is expected, with a second value that takes a byte, or none.
 *
 * Returns the first that is not. */
static size_t
put_short(struct short_place *place, const struct sample_columns *c, size_t i,
    size_t end, int64_t line_step)
{
	const int32_t *digits = c->value_digits, *seconds = c->second_digits;
	const int64_t *lines = c->line;
	int64_t line = place->line + line_step, second = place->second;
	unsigned char *p = place->at;
	uint64_t x;

	for (; seconds == NULL && i < end && lines[i] == line;
	     i++, line += line_step) {
		x = (uint64_t)(uint32_t)digits[i] << 8;
		memcpy(p, &x, sizeof x);
		p += 5;
	}
	for (; seconds != NULL && i < end && lines[i] == line;
	     i++, line += line_step) {
		const uint64_t d = signed_last(seconds[i] - second);

		if (d > 127)
			break;
		second = seconds[i];
		x = (uint64_t)(uint32_t)digits[i] << 24 | d << 16 |
		    OTHER_SECOND << 8 | HAS_OTHER;
		memcpy(p, &x, sizeof x);
		p += 7;
	}
	*place = (struct short_place){ p, line - line_step, second };
	return i;
}

/* The i-th of a steady run is the last that was put. */
static void
end_steady(
    struct sample_store_state *s, const struct sample_columns *c, size_t i)
{
	struct sample *x = &s->before;

	x->line = c->line[i];
	x->iter = c->iter[i];
	x->stamp = c->same.stamp;
	x->second = c->same.second;
	x->value = c->value != NULL
	    ? c->value[i]
	    : c->value_digits[i] / sample_powers[s->decimals];
	if (has_second(c))
		x->second = c->second != NULL
		    ? c->second[i]
		    : c->second_digits[i] / sample_powers[s->second_decimals];
}

/* Put the i-th of a steady run, which is one of a block's first two.  Decimals
 * that are stated are not looked for. */
static void
begin_steady(struct sample_store *all, const struct sample_columns *c, size_t i)
{
	struct sample x;

	if (all->n % SAMPLE_STORE_BLOCK == 0 &&
	    c->value_decimals <= MAX_DECIMALS)
		all->state.decimals = (unsigned)c->value_decimals;
	if (has_second(c) && c->second_decimals <= MAX_DECIMALS)
		all->state.likely_decimals = (unsigned)c->second_decimals;
	samples_at(c, i, 1, &x);
	sample_store_add(all, &x);
}

/* Put those of a steady run from the i-th on for which the block has room.
 * Returns the one after them. */
static size_t
put_steady(struct sample_store *all, const struct sample_columns *c, size_t i)
{
	struct sample_store_state *s = &all->state;
	const size_t room = SAMPLE_STORE_BLOCK - s->filled;
	const size_t end = c->n - i < room ? c->n : i + room;
	const unsigned char other = has_second(c) ? HAS_OTHER : 0;
	const size_t from = i;
	const int second = s->filled == 1;
	const int64_t iter_step = (int64_t)c->iter[i] - s->before.iter;
	struct short_place place = { all->at, s->before.line, s->second };
	int64_t line_step = s->line_step;

	all->n += end - i;
	s->filled += (unsigned)(end - i);
	for (;; i++) {
		unsigned char *p, *head;
		int64_t now;

		if (SHORT_WORKS && iter_step == s->iter_step)
			i = put_short(&place, c, i, end, line_step);
		if (i == end)
			break;
		now = c->line[i] - place.line;
		place.line = c->line[i];
		head = p = place.at;
		*p++ = other;
		if (now != line_step) {
			*head |= HAS_LINE;
			p = put_whole(p, now);
			line_step = now;
		}
		if (iter_step != s->iter_step) {
			*head |= HAS_ITER;
			p = put_whole(p, iter_step);
			s->iter_step = iter_step;
		}
		if (other) {
			*p++ = OTHER_SECOND;
			p = put_whole(p, c->second_digits[i] - place.second);
			place.second = c->second_digits[i];
		}
		memcpy(p, &c->value_digits[i], sizeof c->value_digits[i]);
		place.at = p + sizeof c->value_digits[i];
	}
	all->at = place.at;
	s->line_step = line_step;
	s->second = place.second;
	end_steady(s, c, end - 1);
	if (second)
		note_block(all, 2);
	if (!all->rows.none)
		go_on_row(all, s, end - from);
	return end;
}

void
sample_store_add_columns(
    struct sample_store *all, const struct sample_columns *c)
{
	struct sample x[SAMPLE_STORE_BLOCK];
	int64_t step = 0;
	size_t i = 0, n;

	for (int steady = is_steady(c, &step); steady && i < c->n;) {
		const size_t filled = all->n % SAMPLE_STORE_BLOCK;

		if (filled > 0 && goes_on(&all->state, c, i, step)) {
			i = put_steady(all, c, i);
		} else if (filled < 2) {
			begin_steady(all, c, i++);
		} else {
			steady = 0;
		}
	}
	for (; i < c->n; i += n) {
		n = c->n - i < SAMPLE_STORE_BLOCK ? c->n - i
						  : SAMPLE_STORE_BLOCK;
		samples_at(c, i, n, x);
		add_all(all, x, n);
	}
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

/* No sample is added any more: what is left of the last chunk was never written
 * to. */
static void
end_blocks(struct sample_store *all)
{
	if (all->n_blocks > 0 && all->n_segments == 0)
		all->heads[all->n_blocks - 1].n =
		    (uint32_t)block_length(all, all->n_blocks - 1);
	all->bytes -= (size_t)(all->end - all->at);
	all->at = all->end = NULL;
}

void
sample_store_go_on(struct sample_store *all, struct sample_store *before)
{
	unsigned char *const at = before->at, *const end = before->end;

	assert(all->n == 0 && all->n_chunks == 0 && before->n_segments == 0);
	end_blocks(before);
	all->at = at;
	all->end = end;
	all->bytes = (size_t)(end - at);
	all->in_chunks = before->in_chunks;
}

/* As vec_grow, for n members more. */
static void *
grow_by(void *items, size_t n, size_t more, size_t *alloc, size_t size)
{
	if (n + more <= *alloc)
		return items;
	*alloc += *alloc / 2;
	if (*alloc < n + more)
		*alloc = n + more;
	return xreallocarray(items, *alloc, size);
}

static void
join_blocks(struct sample_store *all, const struct sample_store *more)
{
	const size_t n = more->n_blocks;

	if (n == 0)
		return;
	all->blocks = grow_by(all->blocks, all->n_blocks, n, &all->alloc_blocks,
	    sizeof *all->blocks);
	all->heads = grow_by(all->heads, all->n_blocks, n, &all->alloc_heads,
	    sizeof *all->heads);
	memcpy(
	    all->blocks + all->n_blocks, more->blocks, n * sizeof *all->blocks);
	memcpy(all->heads + all->n_blocks, more->heads, n * sizeof *all->heads);
	all->n_blocks += n;
}

static void
join_rows(struct sample_store *all, const struct sample_store *more)
{
	struct sample_rows *rows = &all->rows;
	const size_t n = more->rows.n;

	rows->none |= more->rows.none;
	if (rows->none || n == 0)
		return;
	rows->items =
	    grow_by(rows->items, rows->n, n, &rows->alloc, sizeof *rows->items);
	memcpy(
	    rows->items + rows->n, more->rows.items, n * sizeof *rows->items);
	rows->n += n;
}

/* All chunks of more come after the others. */
static void
join_chunks(struct sample_store *all, struct sample_store *more)
{
	struct sample_store_chunk **first = &more->chunks;

	while (*first != NULL)
		first = &(*first)->before;
	*first = all->chunks;
	all->chunks = more->chunks;
	all->n_chunks += more->n_chunks;
	more->chunks = NULL;
	more->n_chunks = 0;
}

/* Free the last chunk. */
static void
free_chunk(struct sample_store *all)
{
	struct sample_store_chunk *const chunk = all->chunks;

	all->chunks = chunk->before;
	all->n_chunks--;
	free(chunk);
}

void
sample_store_join(
    struct sample_store *all, struct sample_store *more, int64_t lines)
{
	assert(more->n_segments == 0);
	end_blocks(all);
	end_blocks(more);
	if (more->n > 0 && all->n > 0 && all->n_segments == 0) {
		const struct sample_store_segment start = { 0, 0, 0 };

		add_segment(all, 0);
		all->segments[0] = start;
	}
	if (more->n > 0)
		add_segment(all, lines);
	join_blocks(all, more);
	join_rows(all, more);
	join_chunks(all, more);
	all->n += more->n;
	all->bytes += more->bytes;
	sample_store_release(more);
}

void
sample_store_unjoin(struct sample_store *all, const struct sample_store *before)
{
	assert(before->n_segments == 0);
	while (all->n_chunks > before->n_chunks)
		free_chunk(all);
	all->n = before->n;
	all->n_blocks = before->n_blocks;
	all->n_segments = 0;
	all->rows.n = before->rows.n;
	all->rows.none = before->rows.none;
	all->bytes = before->bytes;
	all->at = before->at;
	all->end = before->end;
}

size_t
sample_store_bytes(const struct sample_store *all)
{
	return all->bytes + all->alloc_blocks * sizeof *all->blocks +
	    all->alloc_heads * sizeof *all->heads +
	    all->rows.alloc * sizeof *all->rows.items;
}

void
sample_store_release(struct sample_store *all)
{
	while (all->n_chunks > 0)
		free_chunk(all);
	free(all->blocks);
	free(all->heads);
	free(all->rows.items);
	free(all->segments);
	*all = (struct sample_store)SAMPLE_STORE_INIT;
}
