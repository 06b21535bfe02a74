/* The order of iterations over the samples of all logs of a run, without a copy
 * of them: a sorted key of 8 bytes each where the logs are not in order yet,
 * and a few unpacked blocks for each reader.  Clocks that start anew or are set
 * are put right here.  Called by steps.c only; whether repeats are ranks is for
 * restart_check.c, where attempts begin for attempts.c. */
#include <config.h>

#include "extract/measure/steps/sample_index.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/measure/steps/radix_sort.h"

enum {
	DAY_S = 86400,
	LEAP_YEAR_S = 366 * DAY_S,
	/* Unpacked blocks of samples that a reader keeps. */
	MIN_BLOCKS = 64,
	MAX_BLOCKS = 1024,
	HOUR_S = 3600,
	/* Steps that far apart hide what an hour's jump would be. */
	MAX_DISTANCE_S = 60,
	/* More jumps are the clocks of ranks that differ by an hour. */
	MAX_HOURS = 4
};

/* Stamps below lie in 1972, the year that stands for "no year". */
#define YEARLESS_END_S (3.0 * 365 * DAY_S + 1.0 * DAY_S)

/* Where a sample stands in the order of iterations; only where a key is too
 * small for it. */
struct index_place {
	int32_t epoch, iter;
	size_t index; /* of all samples, by log and line */
};

/* How a clock goes on in one log. */
struct clock_course {
	double before;   /* the last stamp, as put right; or NAN */
	double distance; /* between the last two that differ by little */
	double shift;    /* to be added to a stamp */
	int32_t hours;   /* jumps of an hour so far */
};

struct index_block {
	size_t source, block;
	size_t first, end; /* entries in the order of the logs */
	struct sample items[SAMPLE_STORE_BLOCK];
	double shift[SAMPLE_STORE_BLOCK];
};

/* --- Epochs by their numbers -----------------------------------------------*/

static int
is_epoch(const void *epochs, size_t i, const void *number)
{
	return ((const int32_t *)epochs)[i] == *(const int32_t *)number;
}

static size_t
epoch_find(const struct sample_index *r, int32_t number)
{
	return hash_index_find(&r->by_number,
	    hash_bytes(0, &number, sizeof number), is_epoch, r->epochs,
	    &number);
}

int32_t
sample_index_epoch(const struct sample_index *r, int32_t number, int32_t last)
{
	/* Lines of the same epoch follow each other. */
	if (r->epochs[last] == number)
		return last;
	return (int32_t)epoch_find(r, number);
}

static int32_t
epoch_add(struct sample_index *r, int32_t number, int32_t last)
{
	size_t i;

	if (r->n_epochs > 0 && r->epochs[last] == number)
		return last;
	i = epoch_find(r, number);
	if (i == HASH_INDEX_NONE) {
		i = r->n_epochs++;
		r->epochs =
		    vec_grow(r->epochs, i, &r->alloc_epochs, sizeof *r->epochs);
		r->epochs[i] = number;
		hash_index_add(
		    &r->by_number, hash_bytes(0, &number, sizeof number), i);
	}
	return (int32_t)i;
}

/* --- Clocks ----------------------------------------------------------------*/

/* After how many seconds a clock that shows stamp starts anew; 0: never. */
static double
clock_period(double stamp)
{
	if (stamp < DAY_S)
		return DAY_S;
	return stamp < YEARLESS_END_S ? LEAP_YEAR_S : 0;
}

/* Is d an hour, or an hour back, to within what steps take? */
static int
is_hour(const struct clock_course *c, double d)
{
	const double slack = 5 * c->distance > 2 ? 5 * c->distance : 2;

	return c->distance > 0 && fabs(fabs(d) - HOUR_S) < slack;
}

/* Put a clock right that starts anew at midnight or new year, or is set by an
 * hour: daylight saving begins and ends while jobs run, and an hour to within a
 * few steps is hardly anything else.  Ranks that overtake each other step back
 * by seconds only; one that is still in the old day goes back by it.
 *
 * hours  1: jumps of an hour are put right too */
static void
follow_clock(struct clock_course *c, double stamp, int hours)
{
	const double period = clock_period(stamp);
	double d;

	if (isnan(stamp))
		return;
	d = stamp + c->shift - c->before;
	if (period > 0 && d < -period / 2) {
		c->shift += period;
	} else if (period > 0 && c->shift >= period && d > period / 2) {
		c->shift -= period;
	} else if (hours && is_hour(c, d)) {
		c->shift -= d > 0 ? HOUR_S : -HOUR_S;
		c->hours++;
	} else if (d > 0 && d < MAX_DISTANCE_S) {
		c->distance = d;
	}
	c->before = stamp + c->shift;
}

/* A clock started anew: note how it stands before each block. */
static void
note_clocks(struct sample_index *r)
{
	size_t n = 0;

	r->first_blocks = xcalloc(r->n_sources, sizeof *r->first_blocks);
	for (size_t i = 0; i < r->n_sources; i++) {
		r->first_blocks[i] = n;
		n += r->logs[i]->samples.n_blocks;
	}
	r->clocks = xcalloc(n, sizeof *r->clocks);
	for (size_t i = 0; i < r->n_sources; i++) {
		const struct sample_store *all = &r->logs[i]->samples;
		struct clock_course clock = { NAN, 0, 0, 0 };
		struct sample block[SAMPLE_STORE_BLOCK];

		for (size_t b = 0; b < all->n_blocks; b++) {
			const size_t m = sample_store_block(all, b, block);

			r->clocks[r->first_blocks[i] + b] = clock;
			for (size_t j = 0; j < m; j++)
				follow_clock(
				    &clock, block[j].stamp, r->hours > 0);
		}
	}
}

/* --- Reading ---------------------------------------------------------------*/

void
sample_index_reader_init(
    struct sample_index_reader *reader, const struct sample_index *r)
{
	/* In order a block is read once, and the next one where a group may
	 * reach into it; else ranks stand in blocks of their own. */
	size_t n = r->most > 1 ? 2 : 1;

	if (r->keys != NULL)
		for (n = MIN_BLOCKS; n < 2 * r->n_sources && n < MAX_BLOCKS;)
			n *= 2;
	*reader = (struct sample_index_reader){ .index = r, .n_blocks = n };
	reader->blocks = xreallocarray(NULL, n, sizeof *reader->blocks);
	for (size_t i = 0; i < n; i++) {
		reader->blocks[i].source = SIZE_MAX;
		memset(
		    reader->blocks[i].shift, 0, sizeof reader->blocks[i].shift);
	}
	reader->last = &reader->blocks[0];
	reader->last->first = reader->last->end = 0;
}

void
sample_index_reader_release(struct sample_index_reader *reader)
{
	free(reader->blocks);
	*reader = (struct sample_index_reader){ .index = NULL };
}

static void
index_block_unpack(const struct sample_index *r, size_t source, size_t block,
    size_t first, struct index_block *b)
{
	const size_t n =
	    sample_store_block(&r->logs[source]->samples, block, b->items);

	b->source = source;
	b->block = block;
	b->first = r->starts[source] + first;
	b->end = b->first + n;
	if (r->clocks != NULL) { /* else all shifts stay 0 */
		struct clock_course clock =
		    r->clocks[r->first_blocks[source] + block];

		for (size_t i = 0; i < n; i++) {
			follow_clock(&clock, b->items[i].stamp, r->hours > 0);
			b->shift[i] = clock.shift;
		}
	}
}

/* The log that sample index is of. */
static size_t
source_of(const struct sample_index *r, size_t index)
{
	size_t low = 0, high = r->n_sources;

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (r->starts[middle] <= index)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static size_t
index_at(const struct sample_index *r, size_t i)
{
	return r->keys != NULL
	    ? (size_t)(r->keys[i] & (((uint64_t)1 << r->index_bits) - 1))
	    : i;
}

/* The unpacked block that holds it. */
static struct index_block *
block_of(struct sample_index_reader *reader, size_t index)
{
	const struct sample_index *r = reader->index;
	const size_t source = r->n_sources > 1 ? source_of(r, index) : 0;
	size_t first;
	const size_t block = sample_store_block_of(
	    &r->logs[source]->samples, index - r->starts[source], &first);
	struct index_block *b =
	    &reader->blocks[(block + source * 17) & (reader->n_blocks - 1)];

	if (b->source != source || b->block != block)
		index_block_unpack(r, source, block, first, b);
	return b;
}

struct sample_index_entry
sample_index_at(struct sample_index_reader *reader, size_t i)
{
	const struct sample_index *r = reader->index;
	const size_t index = index_at(r, i);
	const struct index_block *b = reader->last;
	struct sample_index_entry entry;

	if (index < b->first || index >= b->end)
		b = reader->last = block_of(reader, index);
	entry.sample = b->items[index - b->first];
	entry.shift = b->shift[index - b->first];
	entry.source = (int32_t)b->source;
	entry.epoch = 0;
	/* Without numbers each log counts its own. */
	entry.iter = (int32_t)(index - r->starts[b->source]);
	if (r->numbered) {
		entry.epoch =
		    sample_index_epoch(r, entry.sample.epoch, reader->epoch);
		entry.iter = entry.sample.iter;
		reader->epoch = entry.epoch;
	}
	return entry;
}

int
sample_index_is_straight(const struct sample_index *r)
{
	return r->n_sources == 1 && r->numbered && r->keys == NULL &&
	    r->most <= 1 && r->clocks == NULL;
}

const struct sample *
sample_index_straight(struct sample_index_reader *reader, size_t i, size_t *n)
{
	const struct index_block *b = reader->last;

	if (i < b->first || i >= b->end)
		b = reader->last = block_of(reader, i);
	*n = b->end - i;
	return b->items + (i - b->first);
}

int
sample_index_row(const struct sample_index *r, size_t i, struct sample_row *row)
{
	const struct sample_store *all = &r->logs[0]->samples;
	size_t first;
	const size_t block = sample_store_block_of(all, i, &first);

	return r->from == NULL && first == i &&
	    sample_store_row(all, block, row) > 0;
}

const struct sample_row *
sample_index_rows(const struct sample_index *r, size_t *n)
{
	return r->from == NULL && sample_index_is_straight(r)
	    ? sample_store_rows(&r->logs[0]->samples, n)
	    : NULL;
}

size_t
sample_index_row_values(
    const struct sample_index *r, size_t i, struct sample_row *row, double *out)
{
	const struct sample_store *all = &r->logs[0]->samples;
	size_t first;
	const size_t block = sample_store_block_of(all, i, &first);

	return r->from == NULL && first == i
	    ? sample_store_row_values(all, block, row, out)
	    : 0;
}

/* Does a block of the only log begin with one more of that group? */
static int
begins_block(
    const struct sample_index *r, size_t block, const struct sample *of)
{
	const struct sample_store_head *head =
	    &r->logs[0]->samples.heads[block];

	return head->iter == of->iter && head->epoch == of->epoch;
}

const struct sample *
sample_index_members(struct sample_index_reader *reader, size_t i, size_t *n)
{
	const struct sample_index *r = reader->index;
	const struct index_block *b = reader->last;
	const struct sample *first, *x, *end;

	if (r->keys != NULL || !r->numbered || r->clocks != NULL)
		return NULL;
	if (i < b->first || i >= b->end)
		b = reader->last = block_of(reader, i);
	first = b->items + (i - b->first);
	end = b->items + (b->end - b->first);
	for (x = first + 1; x < end; x++)
		if (x->iter != first->iter || x->epoch != first->epoch)
			break;
	if (x == end && b->end < r->n &&
	    (r->n_sources > 1 || begins_block(r, b->block + 1, first)))
		return NULL;
	*n = (size_t)(x - first);
	return first;
}

size_t
sample_index_group_end(struct sample_index_reader *reader, size_t i,
    const struct sample_index_entry *first)
{
	const struct sample_index *r = reader->index;

	if (r->keys != NULL) {
		const uint64_t group = r->keys[i] >> r->index_bits;

		while (++i < r->n && r->keys[i] >> r->index_bits == group)
			;
		return i;
	}
	if (r->most <= 1)
		return i + 1;
	while (++i < r->n) {
		const struct sample_index_entry entry =
		    sample_index_at(reader, i);

		if (entry.iter != first->iter || entry.epoch != first->epoch)
			break;
	}
	return i;
}

int32_t
sample_index_label(
    const struct sample_index *r, const struct sample_index_entry *entry)
{
	return r->n_sources > 1 ? entry->source : entry->sample.rank;
}

/* --- Putting in order ------------------------------------------------------*/

static int
index_place_order(const void *a, const void *b)
{
	const struct index_place *x = a, *y = b;

	if (x->epoch != y->epoch)
		return x->epoch < y->epoch ? -1 : 1;
	if (x->iter != y->iter)
		return x->iter < y->iter ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* What look_at_log learns of all logs. */
struct index_look {
	struct index_place last;
	size_t members; /* of the group of last */
	int sorted;     /* 1: all are in order */
	int shifted;    /* 1: a clock started anew, or was set */
	int32_t hours;  /* most jumps of an hour in a log */
};

/* Is it one more of the same group, of which nothing else is to be learned? */
static inline int
is_one_more(const struct sample_index *r, const struct sample *s,
    const struct index_look *look)
{
	return look->members > 0 && s->iter == look->last.iter && s->iter > 0 &&
	    s->epoch == r->epochs[look->last.epoch] && s->iter_from != 0 &&
	    s->rank >= 0 && s->rank <= r->max_label;
}

static void
look_at_new(
    struct sample_index *r, const struct sample *s, struct index_look *look)
{
	struct index_place place = { epoch_add(r, s->epoch, look->last.epoch),
		s->iter, look->last.index + 1 };

	if (s->iter == SAMPLE_NONE)
		r->numbered = 0;
	if (s->iter == 0 || s->iter_from == 0) {
		r->has_zero = 1;
		r->first_has_zero |= place.epoch == 0;
	}
	if (s->rank == SAMPLE_NONE)
		r->labelled = 0;
	else if (s->rank > r->max_label)
		r->max_label = s->rank;
	if (look->members > 0 && place.epoch == look->last.epoch &&
	    place.iter == look->last.iter)
		look->members++;
	else
		look->members = 1;
	if (look->members > r->most)
		r->most = look->members;
	if (look->last.index > 0 && index_place_order(&look->last, &place) > 0)
		look->sorted = 0;
	look->last = place;
}

static inline void
look_at_sample(
    struct sample_index *r, const struct sample *s, struct index_look *look)
{
	if (!is_one_more(r, s, look)) {
		look_at_new(r, s, look);
		return;
	}
	look->last.index++;
	if (++look->members > r->most)
		r->most = look->members;
}

/* Is sample index of that log one of those that are to be put in order? */
static int
is_asked(const struct sample_index *r, size_t source, size_t index)
{
	return r->from == NULL ||
	    (index >= r->from[source] && index < r->to[source]);
}

static void
look_at_clock(struct clock_course *clock, double stamp, struct index_look *look)
{
	follow_clock(clock, stamp, 1);
	look->shifted |= fabs(clock->shift) > 0;
	if (look->hours < clock->hours)
		look->hours = clock->hours;
}

/* The same of all samples of a row. */
static void
look_at_row(struct sample_index *r, const struct sample_row *row,
    struct index_look *look)
{
	const size_t more = row->n - 1;
	const struct sample first = { NAN, NAN, 0, row->epoch, row->iter,
		SAMPLE_NONE, row->iters, SAMPLE_NONE, NAN };

	look_at_sample(r, &first, look);
	r->n += row->n;
	if (more == 0)
		return;
	look->members = 1;
	look->last.iter += (int32_t)(row->step * (int64_t)more);
	look->last.index += more;
}

static void
look_at_log(struct sample_index *r, size_t source, struct index_look *look)
{
	const struct sample_store *all = &r->logs[source]->samples;
	struct clock_course clock = { NAN, 0, 0, 0 };
	struct sample block[SAMPLE_STORE_BLOCK];
	const struct sample_row *rows;
	struct sample_row row;
	size_t n_rows;

	rows = r->from == NULL ? sample_store_rows(all, &n_rows) : NULL;
	for (size_t i = 0; rows != NULL && i < n_rows; i++)
		look_at_row(r, &rows[i], look);
	if (rows != NULL)
		return;
	for (size_t b = 0, index = 0; b < all->n_blocks;) {
		size_t n = r->from == NULL ? sample_store_row(all, b, &row) : 0;

		b += n > 0 ? n : 1;
		if (n > 0) {
			look_at_row(r, &row, look);
			index += row.n;
			continue;
		}
		n = sample_store_block(all, b - 1, block);
		for (size_t i = 0; i < n; i++, index++) {
			if (!isnan(block[i].stamp))
				look_at_clock(&clock, block[i].stamp, look);
			if (!is_asked(r, source, index))
				continue;
			look_at_sample(r, &block[i], look);
			r->n++;
		}
	}
}

/* Bits that numbers below n take. */
static unsigned
bits_below(uint64_t n)
{
	unsigned bits = 0;

	for (n -= n > 0; n > 0; n >>= 1)
		bits++;
	return bits;
}

/* Given each place in turn, by log and line; slot counts them. */
typedef void place_visitor(struct sample_index *r,
    const struct index_place *place, size_t slot, void *arg);

static void
each_place(struct sample_index *r, place_visitor *visit, void *arg)
{
	struct sample block[SAMPLE_STORE_BLOCK];
	struct index_place place = { 0, 0, 0 };
	int32_t epoch = 0;
	size_t slot = 0;

	for (size_t source = 0; source < r->n_sources; source++) {
		const struct sample_store *all = &r->logs[source]->samples;

		int32_t counted = 0;

		place.index = r->starts[source];
		for (size_t b = 0; b < all->n_blocks; b++) {
			const size_t n = sample_store_block(all, b, block);

			for (size_t i = 0; i < n; i++, place.index++) {
				if (!is_asked(r, source,
					place.index - r->starts[source]))
					continue;
				epoch = sample_index_epoch(
				    r, block[i].epoch, epoch);
				place.epoch = r->numbered ? epoch : 0;
				place.iter =
				    r->numbered ? block[i].iter : counted++;
				visit(r, &place, slot++, arg);
			}
		}
	}
}

/* Iterations of an epoch, and the number of its lowest one in an order of all
 * that the epochs could have. */
struct epoch_room {
	int32_t low, high;
	uint64_t first;
};

static void
epoch_room_widen(struct sample_index *r, const struct index_place *place,
    size_t slot, void *arg)
{
	struct epoch_room *room = (struct epoch_room *)arg + place->epoch;

	(void)r;
	(void)slot;
	if (place->iter < room->low)
		room->low = place->iter;
	if (place->iter > room->high)
		room->high = place->iter;
}

static void
put_key(struct sample_index *r, const struct index_place *place, size_t slot,
    void *arg)
{
	const struct epoch_room *room =
	    (const struct epoch_room *)arg + place->epoch;
	const uint64_t group =
	    room->first + (uint64_t)((int64_t)place->iter - room->low);

	r->keys[slot] = group << r->index_bits | place->index;
}

static void
put_place(struct sample_index *r, const struct index_place *place, size_t slot,
    void *arg)
{
	(void)r;
	((struct index_place *)arg)[slot] = *place;
}

/* Numbers so far apart that group and index do not fit into one. */
static void
put_keys_by_places(struct sample_index *r)
{
	struct index_place *places = xcalloc(r->n, sizeof *places);
	uint64_t group = 0;

	each_place(r, put_place, places);
	qsort(places, r->n, sizeof *places, index_place_order);
	for (size_t i = 0; i < r->n; i++) {
		group += i > 0 &&
		    (places[i].epoch != places[i - 1].epoch ||
			places[i].iter != places[i - 1].iter);
		r->keys[i] = group << r->index_bits | places[i].index;
	}
	free(places);
}

static void
put_in_order(struct sample_index *r)
{
	struct epoch_room *rooms = xcalloc(r->n_epochs, sizeof *rooms);
	uint64_t n = 0;

	r->keys = xreallocarray(NULL, r->n, sizeof *r->keys);
	r->index_bits = bits_below(r->starts[r->n_sources]);
	for (size_t e = 0; e < r->n_epochs; e++)
		rooms[e] = (struct epoch_room){ INT32_MAX, INT32_MIN, 0 };
	each_place(r, epoch_room_widen, rooms);
	for (size_t e = 0; e < r->n_epochs; e++) {
		rooms[e].first = n;
		if (rooms[e].low <= rooms[e].high)
			n += (uint64_t)((int64_t)rooms[e].high - rooms[e].low) +
			    1;
	}
	if (bits_below(n) + r->index_bits <= 64) {
		each_place(r, put_key, rooms);
		radix_sort(r->keys, r->n);
	} else {
		put_keys_by_places(r);
	}
	free(rooms);
}

/* Members of the largest group after put_in_order. */
static size_t
largest_group(const struct sample_index *r)
{
	size_t most = 0, members = 0;

	for (size_t i = 0; i < r->n; i++) {
		members = i > 0 &&
			r->keys[i] >> r->index_bits ==
			    r->keys[i - 1] >> r->index_bits
		    ? members + 1
		    : 1;
		if (members > most)
			most = members;
	}
	return most;
}

void
sample_index_collect(struct sample_index *r, const struct log *const *logs,
    size_t n_logs, const size_t *from, const size_t *to)
{
	struct index_look look = { { 0, 0, 0 }, 0, 1, 0, 0 };

	*r = (struct sample_index){ .n_sources = n_logs,
		.logs = logs,
		.from = from,
		.to = to,
		.numbered = 1,
		.labelled = 1,
		.max_label = -1 };
	r->starts = xcalloc(n_logs + 1, sizeof *r->starts);
	for (size_t i = 0; i < n_logs; i++)
		r->starts[i + 1] = r->starts[i] + logs[i]->samples.n;
	for (size_t i = 0; i < n_logs; i++)
		look_at_log(r, i, &look);
	r->hours = look.hours <= MAX_HOURS ? look.hours : 0;
	if (look.shifted)
		note_clocks(r);
	if (n_logs > 1) {
		r->labelled = 1;
		r->max_label = (int32_t)n_logs - 1;
	}
	if (r->numbered ? !look.sorted || from != NULL : n_logs > 1) {
		put_in_order(r);
		r->most = largest_group(r);
	} else if (!r->numbered) {
		r->most = r->n > 0;
	}
}

void
sample_index_release(struct sample_index *r)
{
	free(r->starts);
	free(r->keys);
	free(r->first_blocks);
	free(r->clocks);
	hash_index_release(&r->by_number);
	free(r->epochs);
	*r = (struct sample_index){ .n = 0 };
}
