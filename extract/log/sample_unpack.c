/* Samples unpacked: one, a block, the values of a row.  Called by the measuring
 * code; it knows nothing of where numbers come from. */
#include <config.h>

#include "extract/log/sample_packing.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* --- Numbers of some bytes -------------------------------------------------*/

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

static const unsigned char *
get_double(const unsigned char *p, double *x)
{
	memcpy(x, p, sizeof *x);
	return p + sizeof *x;
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
	s->before.value = m / sample_powers[s->decimals];
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
	s->before.second =
	    (double)s->second / sample_powers[s->second_decimals];
	return p;
}

/* The next sample becomes s->before. */
static const unsigned char *
get_sample(struct sample_store_state *s, const unsigned char *p)
{
	const unsigned head = *p++;
	struct sample *y = &s->before;
	const int32_t rank = y->rank;

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
	y->rank = (int32_t)expected_rank(s);
	if (head & HAS_OTHER) {
		const unsigned which = *p++;

		if (which & OTHER_EPOCH)
			p = get_int32(p, &y->epoch);
		if (which & OTHER_ITERS)
			p = get_int32(p, &y->iters);
		if (which & OTHER_RANK) {
			p = get_int32(p, &y->rank);
			note_rank(s, rank, y->rank);
		}
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
	const double power = sample_powers[s->decimals],
		     second_power = sample_powers[s->second_decimals];
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
	const double power = sample_powers[s->decimals],
		     second_power = sample_powers[s->second_decimals];
	struct sample x = s->before;
	int64_t line_step = s->line_step, iter_step = s->iter_step;
	int64_t second = s->second, micros = s->micros, difference;
	int64_t rank_step = x.rank == SAMPLE_NONE ? 0 : s->rank_step;
	const unsigned char *at = *p;
	uint32_t m;

	if (x.iter_from != SAMPLE_NONE)
		return j;
	for (; j < n; out[j++] = x, *p = at) {
		const unsigned head = *at++;
		unsigned which = 0;

		if (head == 0 || (head == HAS_OTHER && *at == OTHER_SECOND)) {
			x.rank = (int32_t)(x.rank + rank_step);
			x.second = x.stamp = NAN;
			if (head != 0) {
				at = get_whole(at + 1, &difference);
				second += difference;
				x.second = (double)second / second_power;
			}
			memcpy(&m, at, sizeof m);
			at += sizeof m;
			x.value = m / power;
			x.line += line_step;
			x.iter = (int32_t)(x.iter + iter_step);
			continue;
		}
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
		if (which & OTHER_RANK) {
			const int32_t rank = x.rank;

			at = get_int32(at, &x.rank);
			note_rank(s, rank, x.rank);
			rank_step = x.rank == SAMPLE_NONE ? 0 : s->rank_step;
		} else {
			x.rank = (int32_t)(x.rank + rank_step);
		}
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

/* Values of samples that get_sample would give, from out[j] on; what else they
 * hold is passed over, as nothing of it says how a value is kept.
 *
 * Returns how many of the block there are then; the next is for get_sample. */
static size_t
get_values(struct sample_store_state *s, const unsigned char **p, double *out,
    size_t j, size_t n)
{
	const double power = sample_powers[s->decimals];
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
	for (b = i + 1; b < all->n_blocks && b < i + SAMPLE_STORE_ROW &&
	     goes_on(row, &all->heads[b]);
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

const struct sample_row *
sample_store_rows(const struct sample_store *all, size_t *n)
{
	*n = all->rows.none ? 0 : all->rows.n;
	return *n > 0 ? all->rows.items : NULL;
}

struct sample
sample_store_get(const struct sample_store *all, size_t i)
{
	struct sample block[SAMPLE_STORE_BLOCK];
	size_t first;

	sample_store_block(all, sample_store_block_of(all, i, &first), block);
	return block[i - first];
}
