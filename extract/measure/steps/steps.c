/* From the samples of a run to its steps, one after the other: members of a
 * group become one value, running means and points in time become differences,
 * a mean since the line before speaks for the iterations that it covers.
 * Called by window.c, audit*.c and measure_run.c through a cursor, as often as
 * they like; it must know neither the window nor what a figure is for. */
#include <config.h>

#include "extract/measure/steps/steps.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/result/result.h"
#include "common/stats/stats.h"
#include "extract/log/log_works.h"
#include "extract/measure/steps/print_distances.h"

/* What the functions below hand on while steps are made. */
struct step_builder {
	struct steps *s;
	size_t alloc_flags, alloc_epochs;
};

static void
builder_flag(struct step_builder *b, struct remark flag)
{
	struct steps *s = b->s;

	s->flags =
	    vec_grow(s->flags, s->n_flags, &b->alloc_flags, sizeof *s->flags);
	s->flags[s->n_flags++] = flag;
}

/* What all steps of straight instants have in common. */
static const struct step alone = { .ranks = 1, .imbalance = NAN };

/* --- From samples to a step ------------------------------------------------*/

/* How much of the job a group of c values states, as what they are to be
 * multiplied with: 1 / c is their mean. */
static double
group_factor(struct steps_cursor *cursor, size_t c)
{
	const struct steps *s = cursor->steps;
	long parts;

	if (!s->is_rate || s->scope == SCOPE_GLOBAL)
		return 1.0 / (double)c;
	if (s->scope == SCOPE_RANKS)
		return 1.0;
	parts = s->scope == SCOPE_NODE ? s->nodes : s->world;
	if (parts == RESULT_UNKNOWN) {
		cursor->unscaled = 1;
		return 1.0;
	}
	if ((size_t)parts > c)
		cursor->scaled = 1;
	return (double)parts / (double)c;
}

/* What a member of a group states; lines and bad values are noted.
 *
 * shift   seconds that put its clock right
 * source  index of its log */
static inline double
read_member(const struct steps *s, const struct sample *x, double shift,
    int32_t source, struct step *out)
{
	double v = s->by_mean ? x->second : x->value;

	if (s->points && s->meaning->kind != VALUE_ELAPSED)
		v = x->stamp + shift;
	else if (s->points)
		v = x->value;
	if (out->bad_line == 0 &&
	    (s->points ? !isfinite(v) : !steps_value_ok(v, s->is_rate))) {
		out->bad_line = x->line;
		out->source = source;
	}
	if (x->line < out->first_line)
		out->first_line = x->line;
	if (x->line > out->last_line)
		out->last_line = x->line;
	return v;
}

/* The members of a group added up. */
struct group_sums {
	struct stats_sum values, times; /* times: of rates only */
	double slowest, also;
};

static inline void
group_add(const struct steps *s, const struct sample *x, double v,
    struct group_sums *sums)
{
	const double t = s->is_rate ? 1 / v : v;

	sums->also += x->second;
	stats_sum_add(&sums->values, v);
	if (s->is_rate)
		stats_sum_add(&sums->times, t);
	if (t > sums->slowest)
		sums->slowest = t;
}

/* The c members from the i-th entry on of a group become one step; its
 * iterations are filled in later.
 *
 * first    the i-th entry
 * members  [c] their samples, if they lie next to each other and no clock was
 *          put right; else NULL */
static void
merge_group(struct steps_cursor *cursor, size_t i, size_t c,
    const struct sample_index_entry *first, const struct sample *members,
    struct step *out)
{
	const struct steps *s = cursor->steps;
	struct group_sums sums = { STATS_SUM_INIT, STATS_SUM_INIT, 0, 0 };

	*out = alone;
	out->ranks = (int32_t)c;
	out->first_line = INT64_MAX;
	out->also_s = NAN;
	out->source = first->source;
	if (c == 1) {
		const double v = read_member(
		    s, &first->sample, first->shift, first->source, out);

		out->also_s = first->sample.second;

		/* As the sum of one has it. */
		out->value = (isfinite(v) ? v : NAN) *
		    (s->points ? 1.0 : group_factor(cursor, 1));
		out->record = out->value;
		if (cursor->ranks == 0)
			cursor->ranks = 1;
		return;
	}
	for (size_t k = 0; members != NULL && k < c; k++)
		group_add(s, &members[k],
		    read_member(s, &members[k], 0, first->source, out), &sums);
	for (size_t k = i; members == NULL && k < i + c; k++) {
		const struct sample_index_entry x =
		    sample_index_at(&cursor->reader, k);

		group_add(s, &x.sample,
		    read_member(s, &x.sample, x.shift, x.source, out), &sums);
	}
	out->value = stats_sum_value(&sums.values) *
	    (s->points ? 1.0 / (double)c : group_factor(cursor, c));
	out->record = out->value;
	out->also_s = sums.also / (double)c;
	if (!s->points)
		out->imbalance = sums.slowest * (double)c /
			stats_sum_value(
			    s->is_rate ? &sums.times : &sums.values) -
		    1;
	if ((long)c > cursor->ranks)
		cursor->ranks = (long)c;
}

/* Iterations done before a window that does not state where it starts: those up
 * to the line before it, or as many as the format states. */
static long
window_start(const struct steps *s, const struct step *before, long done)
{
	if (s->meaning->window > 0 &&
	    s->meaning->statistic == STATISTIC_WINDOW_MEAN)
		return done - s->meaning->window;
	if (before == NULL)
		return 0;
	/* A mean since the last line, of which one was lost, speaks for as many
	 * iterations as the others. */
	if (s->meaning->statistic == STATISTIC_WINDOW_MEAN && s->spacing > 0 &&
	    done - before->done >= 2 * s->spacing &&
	    (done - before->done) % s->spacing == 0)
		return done - s->spacing;
	return before->done;
}

/* Fill in the iterations of a step.
 *
 * before  the step before it in its epoch, or NULL */
static void
place_step(const struct steps *s, struct step *step,
    const struct sample *sample, long iter, const struct steps_epoch *epoch,
    const struct step *before)
{
	const int window = !s->instant && !s->points;
	const long base = epoch->base, start = epoch->start;

	step->last = step->first = step->printed = iter;
	step->done = steps_instant_done(epoch, iter);
	step->from = step->done - 1;
	if (window && s->meaning->statistic == STATISTIC_WINDOW_MEAN &&
	    sample->iter_from != SAMPLE_NONE) {
		/* "[20-40]": the numbers are bounds, not iterations. */
		step->first = step->printed = sample->iter_from;
		step->done = iter - base - start;
		step->from = step->first - base - start;
		if (step->from >= step->done) { /* "[40-20]" */
			step->from = step->done - 1;
			step->bad_line = sample->line;
		}
		return;
	}
	if (!window)
		return;
	step->from = window_start(s, before, step->done);
	if (step->from < 0)
		step->from = 0;
	step->first = iter - (step->done - step->from) + 1;
}

/* Make the step whose first entry it is.
 *
 * before  as for place_step
 *
 * Returns the entry after it. */
static size_t
make_step(struct steps_cursor *c, size_t i,
    const struct sample_index_entry *entry, const struct steps_epoch *epoch,
    const struct step *before, struct step *out)
{
	size_t n, end;
	const struct sample *members = sample_index_members(&c->reader, i, &n);

	end = members != NULL ? i + n
			      : sample_index_group_end(&c->reader, i, entry);
	merge_group(c, i, end - i, entry, members, out);
	out->first_entry = i;
	out->end_entry = end;
	place_step(c->steps, out, &entry->sample, entry->iter, epoch, before);
	return end;
}

/* --- Going along -----------------------------------------------------------*/

/* A run that goes on from a checkpoint: its first window cannot reach back to
 * the start of all. */
static void
trim_first_window(
    const struct steps *s, const struct steps_epoch *epoch, struct step *first)
{
	if (s->instant || s->by_mean ||
	    s->meaning->statistic != STATISTIC_WINDOW_MEAN ||
	    epoch->end - epoch->first < 2 || first->from > 0 ||
	    first->done <= 2 * s->spacing)
		return;
	first->from = first->done - s->spacing;
	first->first = first->last - s->spacing + 1;
}

/* Does the first line of an epoch come so late that its mean is of more
 * iterations than a line's: those before a checkpoint, with the compilation, or
 * of the epochs before?  It is where the next difference begins. */
static int
begins_late(const struct steps_cursor *c, const struct step *first)
{
	const struct steps *s = c->steps;
	const struct steps_epoch *epoch = &s->epochs[c->epoch];

	return (s->meaning->mean_start > 0 && epoch->start > 0) ||
	    (epoch->end - epoch->first > 1 && first->done > 2 * s->spacing);
}

/* A mean since the start of the epoch becomes one since the line before: the
 * difference of the sums. */
static void
difference_mean(struct steps_cursor *c, struct step *step)
{
	/* The plain mean of rates is differenced as a mean of times is. */
	const struct steps *s = c->steps;
	const int is_rate = s->is_rate && !steps_mean_is_plain(s);
	const long shift = steps_mean_shift(s, c->epoch);
	const double n = (double)(step->done + shift);
	const double seconds = is_rate ? n / step->value : n * step->value;
	const double t = (seconds - c->seconds) / (n - c->work);

	if (step->bad_line != 0)
		return; /* the next one reaches over it */
	if (!(n > 0) || (!(c->work > 0) && begins_late(c, step))) {
		step->empty = 1;
		step->value = NAN;
		step->from = step->done - 1;
		step->first = step->last;
	} else {
		step->from = (long)c->work - shift;
		step->value = is_rate ? 1 / t : t;
	}
	if (n > 0) {
		c->work = n;
		c->seconds = seconds;
	}
}

/* A point in time becomes the time since the one before it.
 *
 * before  as it was printed; NULL: there is none */
static void
difference_point(struct step *step, const struct step *before)
{
	if (before == NULL) {
		step->value = NAN;
		step->empty = 1;
		return;
	}
	step->value =
	    (step->value - before->value) / (double)(step->done - before->done);
	step->from = before->done;
	step->first = step->printed = before->last;
	step->first_line = before->first_line;
	if (step->bad_line == 0 && !steps_value_ok(step->value, 0))
		step->bad_line = step->last_line;
}

void
steps_open(const struct steps *s, struct steps_cursor *c)
{
	*c = (struct steps_cursor){ .steps = s, .step = alone };
	sample_index_reader_init(&c->reader, &s->index);
	steps_seek(c, 0);
}

void
steps_close(struct steps_cursor *c)
{
	sample_index_reader_release(&c->reader);
}

void
steps_seek(struct steps_cursor *c, size_t epoch)
{
	const struct steps *s = c->steps;

	c->epoch = epoch;
	c->next = epoch < s->n_epochs ? s->epochs[epoch].first : s->n;
	c->entry = epoch < s->n_epochs ? s->epochs[epoch].entry : s->index.n;
	c->work = c->seconds = 0;
	c->has_before = 0;
	c->n_ahead = 0;
}

/* Does the step lack ranks that its neighbours have?  Clocks of ranks differ,
 * and so do their means: it is passed over; the next one reaches over it. */
static int
lacks_ranks(const struct steps *s, const struct step *step)
{
	return (s->points || s->by_mean) && step->ranks < s->full;
}

/* What make_step has, of a step that is a sample and speaks for itself, without
 * what can only happen to others.  Logs of 10^8 lines are read so, several
 * times.
 *
 * index  of the step, which is that of its entry too */
static inline void
fill_straight(const struct steps *s, size_t epoch, size_t index,
    const struct sample *x, struct step *out)
{
	out->bad_line = steps_value_ok(x->value, s->is_rate) ? 0 : x->line;
	out->value = steps_straight_value(s, x);
	out->record = out->value;
	out->also_s = x->second;
	out->first = out->last = out->printed = x->iter;
	out->done = steps_instant_done(&s->epochs[epoch], x->iter);
	out->from = out->done - 1;
	out->first_line = out->last_line = x->line;
	out->first_entry = index;
	out->end_entry = index + 1;
}

struct step
steps_straight_step(
    const struct steps *s, size_t epoch, size_t index, const struct sample *x)
{
	struct step step = alone;

	fill_straight(s, epoch, index, x, &step);
	return step;
}

/* The samples from the cursor's entry on. */
static inline void
look_ahead(struct steps_cursor *c)
{
	if (c->n_ahead == 0)
		c->ahead =
		    sample_index_straight(&c->reader, c->entry, &c->n_ahead);
}

const struct sample *
steps_next_run(struct steps_cursor *c, size_t max, size_t *n)
{
	const struct steps *s = c->steps;
	const struct sample *run;

	assert(s->straight && s->instant);
	*n = 0;
	if (c->next == s->n)
		return NULL;
	if (c->next == s->epochs[c->epoch].end)
		steps_seek(c, c->epoch + 1);
	look_ahead(c);
	*n = s->epochs[c->epoch].end - c->next;
	if (*n > c->n_ahead)
		*n = c->n_ahead;
	if (*n > max)
		*n = max;
	run = c->ahead;
	c->index = c->next;
	c->ahead += *n;
	c->n_ahead -= *n;
	c->entry += *n;
	c->next += *n;
	return run;
}

const struct sample *
steps_members(struct steps_cursor *c, size_t *n)
{
	return sample_index_members(&c->reader, c->step.first_entry, n);
}

static struct steps_row
row_of(const struct steps_cursor *c, const struct sample_row *found)
{
	const struct steps_epoch *epoch = &c->steps->epochs[c->epoch];

	return (struct steps_row){ found->iter,
		steps_instant_done(epoch, found->iter), (long)found->step,
		found->n };
}

int
steps_row_ahead(const struct steps_cursor *c, struct steps_row *row)
{
	const struct steps *s = c->steps;
	const size_t left = s->epochs[c->epoch].end - c->next;
	struct sample_row found;

	assert(s->straight && s->instant);
	if (c->n_ahead > 0 || left == 0 ||
	    !sample_index_row(&s->index, c->entry, &found))
		return 0;
	assert(found.n <= left); /* it is in one epoch, as they are */
	*row = row_of(c, &found);
	return 1;
}

void
steps_skip(struct steps_cursor *c, size_t n)
{
	c->index = c->next;
	c->entry += n;
	c->next += n;
}

int
steps_next_values(
    struct steps_cursor *c, size_t max, double *values, struct steps_row *row)
{
	const struct steps *s = c->steps;
	struct sample_row found;

	assert(s->straight && s->instant);
	if (c->n_ahead > 0 || max < SAMPLE_STORE_BLOCK || c->next == s->n)
		return 0;
	if (c->next == s->epochs[c->epoch].end)
		steps_seek(c, c->epoch + 1);
	if (sample_index_row_values(&s->index, c->entry, &found, values) == 0)
		return 0;
	assert(found.n <= s->epochs[c->epoch].end - c->next);
	*row = row_of(c, &found);
	for (size_t i = 0; i < row->n; i++)
		values[i] = (isfinite(values[i]) ? values[i] : NAN) * s->alone;
	steps_skip(c, row->n);
	return 1;
}

int
steps_are_straight(const struct steps *s)
{
	return s->straight && s->instant;
}

/* The next of steps that are a sample each and speak for themselves. */
static const struct step *
next_straight(struct steps_cursor *c)
{
	look_ahead(c);
	fill_straight(c->steps, c->epoch, c->entry, c->ahead, &c->step);
	c->ahead++;
	c->n_ahead--;
	c->entry++;
	c->index = c->next++;
	return &c->step;
}

const struct step *
steps_next(struct steps_cursor *c)
{
	const struct steps *s = c->steps;
	const struct steps_epoch *epoch;
	const struct step *before;
	struct step printed;
	struct sample_index_entry entry;

	if (c->next == s->n)
		return NULL;
	if (c->next == s->epochs[c->epoch].end)
		steps_seek(c, c->epoch + 1);
	if (s->straight && s->instant)
		return next_straight(c);
	epoch = &s->epochs[c->epoch];
	before = c->has_before ? &c->before : NULL;
	entry = sample_index_at(&c->reader, c->entry);
	c->entry = make_step(c, c->entry, &entry, epoch, before, &c->step);
	if (s->instant) {
		c->index = c->next++;
		return &c->step;
	}
	printed = c->step;
	if (lacks_ranks(s, &c->step)) {
		c->step.empty = 1;
		c->step.bad_line = 0;
		c->step.value = NAN;
		c->index = c->next++;
		return &c->step;
	}
	if (before == NULL)
		trim_first_window(s, epoch, &c->step);
	if (s->points)
		difference_point(&c->step, before);
	else if (s->by_mean ||
	    s->meaning->statistic == STATISTIC_CUMULATIVE_MEAN)
		difference_mean(c, &c->step);
	c->before = printed;
	c->has_before = 1;
	c->index = c->next++;
	return &c->step;
}

/* --- Making ----------------------------------------------------------------*/

/* Number of the first iteration of an epoch: 0 where the log prints one,
 * against what the format states too. */
static long
steps_base(const struct steps *s)
{
	if (!s->index.numbered)
		return s->meaning->base == BASE_AUTO ? 0 : s->meaning->base;
	if (s->meaning->base == BASE_AUTO)
		return !s->index.has_zero;
	return s->index.first_has_zero ? 0 : s->meaning->base;
}

/* Count a step of an epoch in.
 *
 * iters  of the epoch, as its line has it */
static void
look_at_step(struct steps *s, struct steps_epoch *epoch,
    struct print_distances *d, const struct step *step, long iters)
{
	d->ranks[step->ranks < 255 ? step->ranks : 255]++;
	if (s->n++ == 0) {
		s->first_printed = step->printed;
		s->first_done = step->done;
	} else
		print_distances_add(
		    d, step->done - s->last_done, 1, s->index.n);
	s->last = step->last;
	s->last_done = step->done;
	if (step->done > epoch->length)
		epoch->length = step->done;
	if (!s->counts_on && iters > epoch->length)
		epoch->length = iters;
}

/* Count the steps of a row in, all but its first. */
static void
look_at_row(struct steps *s, struct steps_epoch *epoch,
    struct print_distances *d, const struct sample_row *row)
{
	const size_t more = row->n - 1;

	if (more == 0)
		return;
	d->ranks[1] += more;
	print_distances_add(d, (long)row->step, more, s->index.n);
	s->n += more;
	s->last += (long)row->step * (long)more;
	s->last_done += (long)row->step * (long)more;
	if (s->last_done > epoch->length)
		epoch->length = s->last_done;
}

/* The same as look_at_epoch of straight instants. */
static void
look_straight(struct steps_cursor *c, struct steps *s,
    struct steps_epoch *epoch, struct print_distances *d)
{
	struct step step = alone;
	struct sample_row row;
	size_t n = 0;

	for (; c->entry < s->index.n; c->entry++, n--) {
		const struct sample *x;

		if (n == 0 && sample_index_row(&s->index, c->entry, &row)) {
			if (row.epoch != epoch->number)
				break;
			step.printed = step.last = row.iter;
			step.done = steps_instant_done(epoch, row.iter);
			look_at_step(s, epoch, d, &step, row.iters);
			look_at_row(s, epoch, d, &row);
			c->entry += row.n - 1;
			n = 1;
			continue;
		}
		if (n == 0)
			c->ahead =
			    sample_index_straight(&c->reader, c->entry, &n);
		x = c->ahead++;
		if (x->epoch != epoch->number)
			break;
		step.printed = step.last = x->iter;
		step.done = steps_instant_done(epoch, x->iter);
		look_at_step(s, epoch, d, &step, x->iters);
	}
	epoch->end = s->n;
}

/* What make_step has of a step, but for its values: whoever counts steps asks
 * for none. */
static size_t
look_at_group(struct steps_cursor *c, size_t i,
    const struct sample_index_entry *entry, const struct steps_epoch *epoch,
    const struct step *before, struct step *out)
{
	size_t n, end;

	end = sample_index_members(&c->reader, i, &n) != NULL
	    ? i + n
	    : sample_index_group_end(&c->reader, i, entry);
	if (!c->steps->points)
		(void)group_factor(c, end - i);
	if ((long)(end - i) > c->ranks)
		c->ranks = (long)(end - i);
	*out = (struct step){ .ranks = (int32_t)(end - i) };
	place_step(c->steps, out, &entry->sample, entry->iter, epoch, before);
	return end;
}

/* Look at the steps of the epoch that begins at the cursor: how many they are,
 * and what they have in common. */
static void
look_at_epoch(struct steps_cursor *c, struct steps *s,
    struct steps_epoch *epoch, struct print_distances *d)
{
	struct step step, before = { 0 };
	struct sample_index_entry entry = sample_index_at(&c->reader, c->entry);
	const int32_t number = entry.epoch;
	size_t i = c->entry;

	for (; i < s->index.n; before = step) {
		entry = sample_index_at(&c->reader, i);
		if (entry.epoch != number)
			break;
		i = look_at_group(c, i, &entry, epoch,
		    s->n > epoch->first ? &before : NULL, &step);
		look_at_step(s, epoch, d, &step, entry.sample.iters);
	}
	epoch->end = s->n;
	c->entry = i;
}

/* Iterations done before an epoch, by its first sample.
 *
 * from   where its line states that it begins, or SAMPLE_NONE
 * iter   where it ends
 * start  by those of the epochs before it */
static long
epoch_start(
    const struct steps *s, int32_t from, int32_t iter, long base, long start)
{
	const long number = from != SAMPLE_NONE && from < iter ? from : iter;

	if (!s->counts_on)
		return 0;
	/* Numbers that do not run on, whatever the format states. */
	return number - base < start ? number - base : start;
}

/* Begin an epoch with the cursor's entry; from, iter, start as epoch_start has
 * them. */
static struct steps_epoch *
begin_epoch(struct step_builder *b, const struct steps_cursor *c, long number,
    int32_t from, int32_t iter, long start)
{
	struct steps *s = b->s;
	const long base = steps_base(s);
	struct steps_epoch *epoch;

	s->epochs = vec_grow(
	    s->epochs, s->n_epochs, &b->alloc_epochs, sizeof *s->epochs);
	epoch = &s->epochs[s->n_epochs++];
	*epoch = (struct steps_epoch){ number, 0, s->n, s->n, c->entry, base,
		epoch_start(s, from, iter, base, start) };
	return epoch;
}

/* Look at straight instants that are rows. */
static void
look_at_rows(struct step_builder *b, struct steps_cursor *c,
    struct print_distances *d, const struct sample_row *rows, size_t n)
{
	struct steps_epoch *epoch = NULL;
	struct steps *s = b->s;
	struct step step = alone;
	long start = 0;

	for (const struct sample_row *row = rows; row < rows + n; row++) {
		if (epoch == NULL || row->epoch != epoch->number) {
			start += epoch != NULL ? epoch->length : 0;
			epoch = begin_epoch(
			    b, c, row->epoch, SAMPLE_NONE, row->iter, start);
		}
		step.printed = step.last = row->iter;
		step.done = steps_instant_done(epoch, row->iter);
		look_at_step(s, epoch, d, &step, row->iters);
		look_at_row(s, epoch, d, row);
		c->entry += row->n;
		epoch->end = s->n;
	}
}

/* Look at all steps, epoch by epoch. */
static void
look_at_epochs(
    struct step_builder *b, struct steps_cursor *c, struct print_distances *d)
{
	struct steps *s = b->s;
	long start = 0;

	while (c->entry < s->index.n) {
		const struct sample_index_entry first =
		    sample_index_at(&c->reader, c->entry);
		struct steps_epoch *epoch =
		    begin_epoch(b, c, s->index.epochs[first.epoch],
			first.sample.iter_from, first.iter, start);

		if (s->straight && s->instant)
			look_straight(c, s, epoch, d);
		else
			look_at_epoch(c, s, epoch, d);
		start += epoch->length;
	}
}

static void
look_at_all(struct step_builder *b, struct steps_cursor *c)
{
	struct steps *s = b->s;
	struct print_distances d = PRINT_DISTANCES_INIT;
	const struct sample_row *rows = NULL;
	size_t n_rows;

	if (s->straight && s->instant)
		rows = sample_index_rows(&s->index, &n_rows);
	if (rows != NULL)
		look_at_rows(b, c, &d, rows, n_rows);
	else
		look_at_epochs(b, c, &d);
	s->spacing = print_distances_usual(&d);
	/* Two lines show one distance, which lost lines may have widened: where
	 * the first stands as far from the start as it divides that, it is the
	 * usual one. */
	if (s->n == 2 && s->n_epochs == 1 && s->first_done > 1 &&
	    s->first_done < s->spacing && s->spacing % s->first_done == 0 &&
	    s->meaning->statistic == STATISTIC_WINDOW_MEAN && !s->points)
		s->spacing = s->first_done;
	if (s->spacing == 0) /* one line an epoch, or in all */
		s->spacing = s->first_done > 0 ? s->first_done : 1;
	s->full = print_distances_ranks(&d, s->n);
	print_distances_release(&d);
}

static void
builder_flags(struct step_builder *b, const struct steps_cursor *c)
{
	struct steps *s = b->s;

	if (s->index.flag != REMARK_NONE)
		builder_flag(b, remark_plain(s->index.flag));
	if (s->points && s->index.hours > 0)
		builder_flag(b, remark_plain(REMARK_CLOCK_SET));
	if (!s->numbered)
		builder_flag(b, remark_plain(REMARK_UNNUMBERED));
	if (s->meaning->statistic == STATISTIC_CUMULATIVE_MEAN && !s->points)
		builder_flag(b, remark_plain(REMARK_MEAN_DIFFERENCES));
	if (c->scaled)
		builder_flag(b,
		    REMARK(REMARK_SCALED_UP, remark_number((double)s->ranks),
			remark_number((double)(s->scope == SCOPE_NODE
				? s->nodes
				: s->world)),
			remark_name(
			    s->scope == SCOPE_NODE ? "nodes" : "ranks")));
	s->unscaled = c->unscaled;
	if (c->unscaled)
		builder_flag(b,
		    REMARK(REMARK_COUNT_UNKNOWN,
			remark_name(s->scope == SCOPE_NODE ? "nodes" : "ranks"),
			remark_number((double)s->ranks)));
}

/* Bytes that a run may take are 16 a sample; some are taken. */
static size_t
room_of(const struct steps *s)
{
	size_t taken = s->index.keys != NULL ? 8 * s->index.n : 0;

	for (size_t i = 0; i < s->index.n_sources; i++)
		taken += sample_store_bytes(&s->logs[i]->samples);
	return taken < 16 * s->index.n ? 16 * s->index.n - taken : 0;
}

static void
builder_make_all(struct step_builder *b)
{
	struct steps *s = b->s;
	struct steps_cursor c;

	steps_open(s, &c);
	c.entry = 0;
	s->straight = sample_index_is_straight(&s->index);
	if (s->straight) {
		c.ranks = 1;
		s->alone = s->points ? 1.0 : group_factor(&c, 1);
	}
	look_at_all(b, &c);
	s->ranks = c.ranks;
	s->room = room_of(s);
	builder_flags(b, &c);
	steps_close(&c);
}

static int
exclude_empty(const struct steps *s, struct exclusion *x)
{
	int64_t untimed = 0;

	for (size_t i = 0; i < s->index.n_sources; i++)
		untimed += s->logs[i]->n_untimed;
	return exclude(x,
	    untimed > 0
		? REMARK(REMARK_NO_TIMES, remark_number((double)untimed))
		: remark_plain(REMARK_NO_STEPS));
}

/* All samples, unless the job was started again: then 1 is returned, and tries
 * filled. */
static int
look_for_attempts(
    struct steps *s, const struct steps_source *from, struct exclusion *x)
{
	sample_index_collect(&s->index, s->logs, from->n_logs, NULL, NULL);
	s->numbered = s->index.numbered;
	if (s->index.n == 0)
		return exclude_empty(s, x);
	return sample_index_check(&s->index, from->world, &s->tries, x);
}

/* Of a job that was started again, only the samples of one attempt. */
static int
choose_attempt(
    struct steps *s, const struct steps_source *from, struct exclusion *x)
{
	const size_t *starts;
	int verdict = 1;

	s->attempts = 1;
	if (from->known != NULL) {
		s->tries = *from->known;
		*from->known = (struct attempts){ .n = 0 };
		s->numbered = 1; /* or there were no attempts */
	} else {
		verdict = look_for_attempts(s, from, x);
	}
	if (verdict != 1)
		return verdict;
	assert(from->back < s->tries.n);
	s->attempts = s->tries.n;
	starts = s->tries.starts + (s->tries.n - 1 - from->back) * from->n_logs;
	sample_index_release(&s->index);
	sample_index_collect(
	    &s->index, s->logs, from->n_logs, starts, starts + from->n_logs);
	if (s->index.n == 0)
		return exclude_empty(s, x);
	return sample_index_check(&s->index, from->world, NULL, x);
}

int
steps_make(
    const struct steps_source *from, struct steps *s, struct exclusion *x)
{
	const struct meaning *meaning = from->logs[0]->meaning;
	struct step_builder b = { .s = s };

	*s = (struct steps){ .arena = ARENA_INIT,
		.is_rate = meaning->kind == VALUE_RATE,
		.points = meaning->kind == VALUE_STAMP ||
		    meaning->kind == VALUE_ELAPSED,
		.instant = meaning->statistic == STATISTIC_INSTANT,
		.counts_on = meaning->iter_global,
		.meaning = meaning,
		.scope = from->scope >= 0 ? (enum value_scope)from->scope
					  : meaning->scope,
		.world = from->world,
		.nodes = from->nodes };
	s->instant = s->instant && !s->points;
	s->logs = arena_calloc(&s->arena, from->n_logs, sizeof *s->logs);
	for (size_t i = 0; i < from->n_logs; i++) {
		s->logs[i] = from->logs[i];
		log_units_join(&s->units, &from->logs[i]->units);
	}
	if (choose_attempt(s, from, x) != 0)
		return -1;
	builder_make_all(&b);
	return 0;
}

void
steps_read_means(struct steps *s, int on)
{
	assert(steps_print_means(s));
	s->by_mean = on;
	s->instant = !on;
}

int
steps_print_means(const struct steps *s)
{
	return s->meaning->second == SECOND_MEAN ||
	    s->meaning->second == SECOND_MEAN_OF_RATES;
}

int
steps_mean_is_plain(const struct steps *s)
{
	return s->by_mean && s->meaning->second == SECOND_MEAN_OF_RATES;
}

long
steps_mean_shift(const struct steps *s, size_t epoch)
{
	const long start = s->meaning->mean_start;

	return start > 0 ? s->epochs[epoch].start - start : 0;
}

long
steps_before_means(const struct steps *s, size_t epoch)
{
	struct steps_cursor c;
	long done;

	if (s->meaning->mean_start > 0)
		return 0;
	steps_open(s, &c);
	steps_seek(&c, epoch);
	done = steps_next(&c)->done;
	steps_close(&c);
	return done > s->spacing ? done - 1 : 0;
}

double
steps_work(const struct steps *s, const struct step *step, const char *key)
{
	return log_works_at(s->logs[step->source], key, step->first_line);
}

void
steps_release(struct steps *s)
{
	sample_index_release(&s->index);
	attempts_release(&s->tries);
	free(s->epochs);
	free(s->flags);
	arena_release(&s->arena);
	*s = (struct steps){ .arena = ARENA_INIT };
}
