/* Adds matches to the log. */
#include <config.h>

#include "extract/scan/scanner_state.h"

#include "common/alloc.h"
#include "common/units/units.h"
#include "extract/log/log.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_WORKERS = 1 << 16,      /* texts that identify ranks, per log */
	CONTEXT_MAX_RANKS = 1 << 16 /* higher ranks have no context */
};

/* Epoch numbers that differ by at least this count samples (or tokens). */
#define COUNTS_SAMPLES 1000.0

/* A pair of events. */
struct interval_pair {
	double seconds;
	int32_t iter; /* last iteration in it, or SAMPLE_NONE */
	int32_t span; /* iterations in it, at least 1 */
	double work;  /* work per iteration, or NAN */
	double steps; /* training steps per iteration, or NAN */
	int forget;   /* 1: earlier intervals have no work */
};

static int
is_worker(const void *list, size_t i, const void *key)
{
	const struct worker *x = (const struct worker *)list + i, *y = key;

	return x->len == y->len && memcmp(x->text, y->text, x->len) == 0;
}

/* Number of a text that identifies a rank, or SAMPLE_NONE if there are too
 * many. */
static int32_t
worker_number(struct scanner *s, const char *text, size_t len)
{
	const struct worker key = { text, len };
	const size_t n = s->now.n_workers;
	const uint32_t hash = hash_bytes(0, text, len);
	size_t i = hash_index_find(
	    &s->now.worker_index, hash, is_worker, s->now.workers, &key);

	s->now.log->named_ranks = 1;
	if (i != HASH_INDEX_NONE)
		return (int32_t)i;
	if (n == MAX_WORKERS)
		return SAMPLE_NONE;
	s->now.workers = vec_grow(
	    s->now.workers, n, &s->now.alloc_workers, sizeof *s->now.workers);
	s->now.workers[n] =
	    (struct worker){ arena_strndup(&s->now.log->arena, text, len),
		    len };
	hash_index_add(&s->now.worker_index, hash, s->now.n_workers++);
	return (int32_t)n;
}

/* --- Records that span several lines --------------------------------------*/

/* Set *to to a captured number if it is a count. */
static void
take_count(double value, int32_t *to)
{
	if (value >= 0 && value <= SAMPLE_MAX)
		*to = (int32_t)value;
}

/* Update a rank's context, the epoch and iteration of the following step lines,
 * from a match of a context pattern. Fields that the pattern does not capture
 * keep their values. */
static void
update_context(struct scanner *s, const struct match *match)
{
	const int32_t rank = match->worker == NULL
	    ? match->rank
	    : worker_number(s, match->worker, match->worker_len);
	const struct pattern *p = match->pattern;
	struct scan_state *m = &s->now;
	double fields[N_PATTERN_FIELDS];
	struct context *x;
	size_t len;

	if (rank >= CONTEXT_MAX_RANKS)
		return;
	while (m->n_contexts < (size_t)(rank + 2)) {
		m->contexts = vec_grow(m->contexts, m->n_contexts,
		    &m->alloc_contexts, sizeof *m->contexts);
		m->contexts[m->n_contexts++] = (struct context){ SAMPLE_NONE,
			SAMPLE_NONE, SAMPLE_NONE, NAN };
	}
	x = &m->contexts[rank + 1];
	match_numbers(match, fields);
	take_count(fields[FIELD_EPOCH], &x->epoch);
	take_count(fields[FIELD_ITER], &x->iter);
	take_count(fields[FIELD_ITERS], &x->iters);
	for (size_t i = 0; i < p->n_captures; i++) {
		const struct capture *c = &p->captures[i];
		const char *text = match_text(match, c, &len);

		if (c->field == FIELD_STAMP &&
		    (text == NULL ||
			stamp_parse(text, len, &x->stamp) == STAMP_BAD))
			x->stamp = NAN;
	}
}

/* Fill in fields of a sample that its own line does not print. */
static void
fill_from_context(const struct scan_state *m, struct sample *s)
{
	const struct context *x;

	if ((size_t)(s->rank + 1) >= m->n_contexts)
		return;
	x = &m->contexts[s->rank + 1];
	if (s->epoch == SAMPLE_NONE)
		s->epoch = x->epoch;
	if (s->iter == SAMPLE_NONE)
		s->iter = x->iter;
	if (s->iters == SAMPLE_NONE)
		s->iters = x->iters;
	if (isnan(s->stamp))
		s->stamp = x->stamp;
}

/* Read the fields of an event. Returns 0, or -1 without a time. */
static int
read_event(const struct match *match, struct pair_begin *x)
{
	double fields[N_PATTERN_FIELDS];

	match_numbers(match, fields);
	*x = (struct pair_begin){ .pattern = match->pattern,
		.seconds = fields[FIELD_MOMENT],
		.done = fields[FIELD_DONE],
		.steps = fields[FIELD_STEPS_DONE],
		.number = NAN,
		.ended = NAN,
		.counted = NAN,
		.iter = SAMPLE_NONE,
		.span = SAMPLE_NONE };
	take_count(fields[FIELD_SPAN], &x->span);
	take_count(fields[FIELD_ITER], &x->iter);
	if (x->iter != SAMPLE_NONE)
		x->number = fields[FIELD_ITER];
	return isnan(x->seconds) ? -1 : 0;
}

static struct pair_begin *
find_begin(const struct scan_state *m, const struct pattern *pattern)
{
	for (size_t i = 0; i < m->n_pairs; i++)
		if (m->pairs[i].pattern == pattern)
			return &m->pairs[i];
	return NULL;
}

/* Add a match of a begin pattern. A repetition before the end, as when each
 * rank prints it, is the same event unless its iteration differs. */
static void
begin_interval(struct scan_state *m, const struct match *match)
{
	struct pair_begin *b = find_begin(m, match->pattern), x;

	if (read_event(match, &x) != 0)
		return;
	if (b == NULL) {
		m->pairs = vec_grow(
		    m->pairs, m->n_pairs, &m->alloc_pairs, sizeof *m->pairs);
		b = &m->pairs[m->n_pairs++];
	} else if (!b->closed && b->iter == x.iter) {
		return;
	} else {
		x.ended = b->ended;
		x.counted = b->counted;
		x.begun = b->begun;
	}
	*b = x;
}

/* Derive the work from epoch numbers. Some programs number epochs by the
 * samples (or tokens) done so far: the only epoch of BERT stops at 2,840,576,
 * OpenFold's are 3840, 7680, ... Others stop within an epoch, at 0.83.
 *
 * stopped  the number at the end, or NAN */
static void
count_by_number(struct pair_begin *b, double stopped, struct interval_pair *out)
{
	const double before = b->counted;

	out->work = NAN;
	out->forget = 0;
	b->counted = isnan(stopped) ? b->number : stopped;
	if (out->span >= COUNTS_SAMPLES) {
		out->work = out->span;
		out->span = 1;
	} else if (stopped - b->number >= COUNTS_SAMPLES) {
		out->work = stopped - b->number;
	} else if (isnan(before) && b->number >= COUNTS_SAMPLES) {
		out->work = b->number;
	} else if (b->number - before >= COUNTS_SAMPLES) {
		out->work = b->number - before;
		/* If the log begins in the middle, its first number is not the
		 * work of an epoch. */
		out->forget = !b->begun && before > 2 * out->work;
		b->begun = 1;
	} else if (stopped > floor(stopped)) {
		out->seconds /= stopped > b->number ? stopped - b->number
						    : fmod(stopped, 1);
	}
}

/* Complete an interval with a match of an end or interval pattern. Returns 0,
 * or -1 if there was no begin, the times are inconsistent, or the counted
 * samples are not those of the interval. */
static int
end_interval(const struct scan_state *m, const struct match *match,
    struct interval_pair *out)
{
	struct pair_begin *b = find_begin(m, match->pattern->begin), x;

	assert(match->pattern->begin != NULL);
	/* With a smaller number the end belongs to another interval, whose
	 * begin is missing. */
	if (b == NULL || read_event(match, &x) != 0 ||
	    !(x.seconds > b->seconds) || ceil(x.number) < b->number)
		return -1;
	b->closed = 1;
	out->seconds = x.seconds - b->seconds;
	out->span = x.span != SAMPLE_NONE ? x.span : b->span;
	if (out->span < 1)
		out->span = 1;
	out->steps = (x.steps - b->steps) / out->span;
	count_by_number(b, x.number, out);
	out->iter = b->iter != SAMPLE_NONE ? b->iter : x.iter;
	if (out->iter > SAMPLE_MAX - out->span)
		return -1;
	if (b->iter != SAMPLE_NONE)
		out->iter += out->span - 1;
	if (isnan(x.done) && isnan(b->done))
		return 0;
	out->work = (x.done - fmax(b->done, b->ended)) / out->span;
	b->ended = x.done;
	/* Equal counts at both ends are not the work of the interval. */
	return out->work > 0 ? 0 : -1;
}

/* --- Matches to log -------------------------------------------------------*/

/* True if x repeats the previous sample, as when a program prints records
 * through two loggers, or if a progress bar, whose values are means from its
 * start, has not advanced. */
static int
is_repeat(const struct log *log, const struct sample *x, enum echo echo)
{
	const size_t n = log->samples.n;
	const struct sample *y = &log->samples.items[n > 0 ? n - 1 : 0];

	if (echo == ECHO_BAR && (!(x->value > 0) || x->iter == SAMPLE_NONE))
		return 1; /* at its start */
	if (n == 0 || x->iter == SAMPLE_NONE || x->epoch != y->epoch ||
	    x->rank != y->rank)
		return 0;
	if (echo == ECHO_YES)
		return x->iter == y->iter && x->iter_from == y->iter_from &&
		    !(x->value < y->value) && !(x->value > y->value);
	return x->iters == y->iters &&
	    (x->iter == y->iter ||
		(x->iter > y->iter &&
		    x->value * x->iter < y->value * y->iter + 0.5));
}

/* Set the name of this collective and those that follow. */
static void
note_collective_name(struct scanner *s, const struct match *match)
{
	for (size_t i = 0; i < match->pattern->n_captures; i++) {
		const struct capture *c = &match->pattern->captures[i];
		size_t len;
		const char *text;

		if (c->field != FIELD_COLLECTIVE ||
		    (text = match_text(match, c, &len)) == NULL)
			continue;
		if (s->now.collective == NULL ||
		    strlen(s->now.collective) != len ||
		    memcmp(s->now.collective, text, len) != 0)
			s->now.collective =
			    arena_strndup(&s->now.log->arena, text, len);
	}
}

static int
is_stated(const void *list, size_t i, const void *key)
{
	const struct log_metadata *x = (const struct log_metadata *)list + i,
				  *y = key;

	return strcmp(x->key, y->key) == 0 && strcmp(x->value, y->value) == 0;
}

void
scanner_add_metadata(struct scanner *s, const char *key, const char *value)
{
	struct log *log = s->now.log;
	const struct log_metadata item = { key, value, s->now.line,
		LOG_PROGRAM };
	const uint32_t hash = hash_text(hash_text(0, key), value);

	/* Fields set by the format are the first ones. */
	if (scanner_metadata_place(log, s->now.format->n_gives, &item) ==
		HASH_INDEX_NONE &&
	    hash_index_find(&s->now.metadata_index, hash, is_stated,
		log->metadata, &item) == HASH_INDEX_NONE &&
	    scanner_append_metadata(log, &item))
		hash_index_add(
		    &s->now.metadata_index, hash, log->n_metadata - 1);
}

/* Add the work that the line states: the total so far, and the batch of a step
 * if it has changed. The first batch is also metadata of the log. */
static void
emit_work(struct scanner *s, const struct match *match)
{
	struct log *log = s->now.log;

	for (size_t i = 0; i < match->pattern->n_captures; i++) {
		const struct capture *c = &match->pattern->captures[i];
		const int batch =
		    c->field == FIELD_WORK && match->pattern->role == ROLE_STEP;
		double amount, before;

		if ((!batch && c->field != FIELD_DONE) ||
		    match_number(match, c, &amount) != 0)
			continue;
		before = log_works_at(log, c->name, INT64_MAX);
		if (batch && (!(amount > 0) || amount == before))
			continue;
		if (batch && isnan(before))
			scanner_add_metadata(s, c->name,
			    arena_printf(&log->arena, "%.0f", amount));
		log_works_add(log, c->word->name, amount, s->now.line);
	}
}

/* Add a summary, up to the maximum. */
static void
add_summary(struct log *log, const struct log_summary *x)
{
	if (log->n_summaries == SCANNER_MAX_SUMMARIES)
		return;
	log->summaries = vec_grow(log->summaries, log->n_summaries,
	    &log->alloc_summaries, sizeof *log->summaries);
	log->summaries[log->n_summaries++] = *x;
}

static void
emit_sample(struct scanner *s, const struct match *match)
{
	struct log *log = s->now.log;
	struct sample *x = sample_store_next(&log->samples);
	struct log_units units;

	if (sample_from_match(x, &units, s->now.line, log->meaning, match) !=
	    0) {
		s->now.dropped++;
		return;
	}
	if (match->worker != NULL && x->rank == SAMPLE_NONE)
		x->rank = worker_number(s, match->worker, match->worker_len);
	if (s->now.format->has_context)
		fill_from_context(&s->now, x);
	if (log->meaning->has_work || log->meaning->has_total)
		emit_work(s, match);
	if (s->now.format->echo != ECHO_NO &&
	    is_repeat(log, x, s->now.format->echo)) {
		log->n_untimed +=
		    s->now.format->echo == ECHO_BAR && !(x->value > 0);
		s->now.dropped++;
		return;
	}
	log->samples.n++;
	log->stamped |= !isnan(x->stamp);
	log_units_join(&log->units, &units);
	/* The best trial so far is the result of the run. */
	if (!log->meaning->trials ||
	    (log->n_summaries > 0 && !(x->value > log->summaries[0].value)))
		return;
	log->n_summaries = 0;
	add_summary(log,
	    &(struct log_summary){ x->value, log->meaning->unit, s->now.line, 0,
		0, arena_strndup(&log->arena, match->text, match->len) });
}

static void
emit_metadata(struct scanner *s, const struct match *match)
{
	const struct pattern *p = match->pattern;

	if (p->in != NULL &&
	    (s->now.section == NULL || strcmp(p->in, s->now.section) != 0))
		return;
	emit_work(s, match);
	for (size_t i = 0; i < p->n_captures; i++) {
		const struct capture *c = &p->captures[i];
		size_t len;
		const char *text = match_text(match, c, &len);
		char *value;

		if (text == NULL || len == 0 ||
		    scanner_is_placeholder(text, len) || c->field == FIELD_DONE)
			continue;
		if (!(c->word->roles & FIELD_NAME_IN(ROLE_METADATA)))
			continue;
		value = arena_strndup(&s->now.log->arena, text, len);
		if (c->word->lowercase)
			text_lowercase(value);
		if (c->word->type == FIELD_NAME_COUNT) /* "491,520" */
			for (char *at = value; (at = strchr(at, ',')) != NULL;)
				memmove(at, at + 1, strlen(at));
		scanner_add_metadata(s, c->name, value);
	}
	for (size_t i = 0; i < p->n_gives; i++)
		scanner_add_metadata(s, p->gives[i].key,
		    arena_strdup(&s->now.log->arena, p->gives[i].value));
}

static void
emit_summary(struct scanner *s, const struct match *match)
{
	struct log *log = s->now.log;
	const struct capture *c = match->pattern->captures;
	const struct capture *end = c + match->pattern->n_captures;
	double value = NAN;
	size_t len;

	while (c < end &&
	    (c->field != FIELD_VALUE || match_text(match, c, &len) == NULL))
		c++;
	if (c == end || match_number(match, c, &value) != 0 || !isfinite(value))
		return;
	/* The format's unit may be more specific than the field's: images are
	 * samples, but tokens are not. */
	add_summary(log,
	    &(struct log_summary){ value,
		log->meaning->kind == VALUE_RATE &&
			strcmp(c->word->unit, "samples/s") == 0 &&
			strcmp(log->meaning->unit, "tokens/s") != 0
		    ? log->meaning->unit
		    : c->word->unit,
		s->now.line, 0, strstr(c->name, "_per_s_per_device") != NULL,
		NULL });
}

static int
is_last(const struct tail_value *x, int64_t size)
{
	return size <= TAIL_VALUES_BYTES || x->at > size - TAIL_VALUES_BYTES;
}

void
scanner_fill_tail(struct scanner *s)
{
	struct log *log = s->now.log;

	for (size_t i = 0; i < s->now.n_tail; i++) {
		const struct tail_value *x = &s->now.tail[i];
		const char *key =
		    x->word->key != NULL ? x->word->key : x->word->name;
		struct log_tail_value *v;
		size_t k = 0;

		if (!is_last(x, s->now.data_at))
			continue;
		while (k < log->n_tail && strcmp(log->tail[k].key, key) != 0)
			k++;
		v = &log->tail[k];
		/* The first non-finite loss since the last finite one. */
		if (!isfinite(x->value) && strcmp(key, "loss") == 0 &&
		    (log->nan_loss_line == 0 ||
			(k < log->n_tail && v->last_line > log->nan_loss_line)))
			log->nan_loss_line = x->line;
		if (!isfinite(x->value) || k == LOG_MAX_TAIL)
			continue;
		if (k == log->n_tail) {
			*v = (struct log_tail_value){ .key = key,
				.first_line = x->line };
			log->n_tail++;
		}
		v->last = x->value;
		v->last_line = x->line;
		if (x->word->tail != FIELD_NAME_ALL)
			continue;
		v->max = v->n == 0 || x->value > v->max ? x->value : v->max;
		v->sum += x->value;
		v->n++;
	}
}

/* Add the other values of a line to the tail values and, if the line has a
 * sample and details are requested, to the details. */
static void
emit_details(struct scanner *s, const struct match *match)
{
	const int keep =
	    s->options.details && match->step >= 0 && !s->now.dropped;
	struct captured found[FORMAT_MAX_GROUPS];
	struct scan_state *m = &s->now;
	const struct captured *c;
	size_t first = 0;

	/* If there are more values than the tail can hold, at two bytes each,
	 * those of much earlier lines are dropped. */
	if (m->n_tail >= TAIL_VALUES_BYTES) {
		while (
		    first < m->n_tail && !is_last(&m->tail[first], m->tail_at))
			first++;
		m->n_tail -= first;
		memmove(m->tail, m->tail + first, m->n_tail * sizeof *m->tail);
	}
	for (size_t n = captured_list(match, found, &c); n > 0; n--, c++) {
		const struct field_name *word = c->capture->word;
		const int tail =
		    s->now.in_tail && word->tail != FIELD_NAME_NOT_ASKED;
		double value;

		if (word->field != FIELD_NONE || !(keep || tail) ||
		    captured_number(match, c, &value) != 0)
			continue;
		if (keep)
			detail_store_add(&s->now.log->details,
			    &(struct log_detail){ value,
				(uint32_t)(word - field_name_at(0)),
				(uint32_t)s->now.first_sample +
				    (uint32_t)match->step });
		if (!tail)
			continue;
		m->tail = vec_grow(
		    m->tail, m->n_tail, &m->alloc_tail, sizeof *m->tail);
		m->tail[m->n_tail++] =
		    (struct tail_value){ word, value, m->line, m->tail_at };
	}
}

static void
emit_interval(struct scanner *s, const struct match *match)
{
	struct log *log = s->now.log;
	const struct pattern *of = s->now.interval_of;
	struct interval_pair x;
	struct sample sample = { NAN, NAN, s->now.line, SAMPLE_NONE,
		SAMPLE_NONE, SAMPLE_NONE, SAMPLE_NONE, match->rank, NAN };

	/* Use only intervals of the format's first interval pattern, because
	 * epochs are nested in blocks. */
	if (end_interval(&s->now, match, &x) != 0 ||
	    (of != NULL && of < match->pattern))
		return;
	if (of != NULL && (x.forget || of > match->pattern)) {
		sample_store_release(&log->samples);
		log_works_clear(log);
	}
	s->now.interval_of = match->pattern;
	sample.value = x.seconds / x.span;
	sample.iter = x.iter;
	if (x.iter != SAMPLE_NONE) {
		/* The first block covers (0, span]. */
		sample.iter = x.iter + 1;
		sample.iter_from = x.iter + 1 - x.span;
	}
	if (!isnan(x.work))
		log_works_add(log, "epoch_samples", x.work, s->now.line);
	if (x.steps > 0)
		log_works_add(log, "epoch_batches", x.steps, s->now.line);
	*sample_store_next(&log->samples) = sample;
	log->samples.n++;
}

/* Add a collective, and a bucket if the line states its number. */
static void
emit_collective(struct scanner *s, const struct match *match)
{
	struct log *log = s->now.log;
	double f[N_PATTERN_FIELDS];
	struct log_collective x;
	struct log_bucket b;

	note_collective_name(s, match);
	match_numbers(match, f);
	x = (struct log_collective){ s->now.collective, match->pattern->name,
		f[FIELD_BYTES], f[FIELD_TIME], f[FIELD_ALGORITHM], f[FIELD_BUS],
		f[FIELD_COUNT], s->now.line };
	if (f[FIELD_BUCKET] >= 0 && f[FIELD_BUCKET] < 1e6 && !isnan(x.bytes) &&
	    !isnan(x.time_s)) {
		b = (struct log_bucket){ lround(f[FIELD_BUCKET]), x.bytes,
			f[FIELD_READY], f[FIELD_START], x.time_s };
		log_buckets_add(log, &b, x.collective);
	}
	log_collectives_add(log, &x, s->now.format->n_step_patterns > 0);
}

void
scanner_emit_match(void *arg, const struct match *match)
{
	struct scanner *s = arg;
	struct interval_pair x;

	switch (match->pattern->role) {
	case ROLE_STEP:
		emit_sample(s, match);
		/* fall through */
	case ROLE_DETAIL:
	case ROLE_RESULT:
		if (s->options.details || s->now.in_tail)
			emit_details(s, match);
		break;
	case ROLE_SECTION:
		s->now.section = match->pattern->name;
		break;
	case ROLE_CONTEXT:
		update_context(s, match);
		note_collective_name(s, match);
		break;
	case ROLE_BEGIN:
		begin_interval(&s->now, match);
		break;
	case ROLE_END:
		if (end_interval(&s->now, match, &x) != 0)
			break;
		emit_metadata(s, match);
		add_summary(s->now.log,
		    &(struct log_summary){
			x.seconds, "s", s->now.line, 1, 0, NULL });
		break;
	case ROLE_COLLECTIVE:
		emit_collective(s, match);
		break;
	case ROLE_INTERVAL:
		emit_interval(s, match);
		break;
	case ROLE_METADATA:
		emit_metadata(s, match);
		break;
	case ROLE_SUMMARY:
		emit_summary(s, match);
		break;
	default:
		break;
	}
}
