/* Adds matches to the log. */
#include <config.h>

#include "extract/scan/scanner_state.h"

#include "common/alloc.h"
#include "extract/log/log.h"
#include "extract/scan/samples/sample_from_match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_WORKERS = 1 << 16 /* maximum texts that identify ranks, per log */
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

/* True if x repeats the previous sample, as when a program prints records
 * through two loggers. */
static int
is_echo(const struct log *log, const struct sample *x)
{
	const struct sample *y;

	if (log->samples.n == 0 || x->iter == SAMPLE_NONE)
		return 0;
	y = &log->samples.items[log->samples.n - 1];
	return x->iter == y->iter && x->iter_from == y->iter_from &&
	    x->epoch == y->epoch && x->rank == y->rank &&
	    !(x->value < y->value) && !(x->value > y->value);
}

/* True if a progress bar has not advanced. Its values are means from its
 * start. */
static int
is_still(const struct log *log, const struct sample *x)
{
	const struct sample *y;

	if (!(x->value > 0) || x->iter == SAMPLE_NONE)
		return 1; /* at its start */
	if (log->samples.n == 0)
		return 0;
	y = &log->samples.items[log->samples.n - 1];
	if (x->epoch != y->epoch || x->rank != y->rank ||
	    x->iters != y->iters || x->iter < y->iter)
		return 0;
	return x->iter == y->iter ||
	    x->value * x->iter < y->value * y->iter + 0.5;
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

/* Set the epoch and iteration of the following step lines. */
static void
emit_context(struct scanner *s, const struct match *match)
{
	int32_t rank = match->rank;

	if (match->worker != NULL)
		rank = worker_number(s, match->worker, match->worker_len);
	contexts_update(&s->now.contexts, match, rank);
	note_collective_name(s, match);
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
		before = log_works_last(log, c->name);
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

/* Keep the best trial so far as the result of the run. */
static void
emit_trial(struct scanner *s, const struct match *match, double value)
{
	struct log *log = s->now.log;

	if (log->n_summaries > 0 && !(value > log->summaries[0].value))
		return;
	log->n_summaries = 0;
	add_summary(log,
	    &(struct log_summary){ value, log->meaning->unit, s->now.line, 0, 0,
		arena_strndup(&log->arena, match->text, match->len) });
}

static void
emit_sample(struct scanner *s, const struct match *match)
{
	struct log *log = s->now.log;
	struct sample *x = sample_store_next(&log->samples);
	struct log_units units;

	if (sample_from_match(x, &units, s->now.line, log->meaning, match,
		&s->now.stamps) != 0) {
		log->n_bad_values++;
		s->now.dropped++;
		return;
	}
	if (match->worker != NULL && x->rank == SAMPLE_NONE)
		x->rank = worker_number(s, match->worker, match->worker_len);
	if (s->now.format->has_context)
		contexts_fill(&s->now.contexts, x);
	if (log->meaning->has_work || log->meaning->has_total)
		emit_work(s, match);
	if ((s->now.format->echo == ECHO_YES && is_echo(log, x)) ||
	    (s->now.format->echo == ECHO_BAR && is_still(log, x))) {
		log->n_untimed +=
		    s->now.format->echo == ECHO_BAR && !(x->value > 0);
		s->now.dropped++;
		return;
	}
	log->samples.n++;
	log_units_join(&log->units, &units);
	if (log->meaning->trials)
		emit_trial(s, match, x->value);
}

/* "491,520" */
static void
drop_commas(char *s)
{
	char *to = s;

	for (; *s != '\0'; s++)
		if (*s != ',')
			*to++ = *s;
	*to = '\0';
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
		if (c->word->type == FIELD_NAME_COUNT)
			drop_commas(value);
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
	const struct capture *c;
	double value;

	if (summary_from_match(&value, &c, match) != 0) {
		log->n_bad_values++;
		return;
	}
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

/* Add a detail in the order of the samples, which may take turns on a line. */
static void
add_detail(struct detail_store *all, struct log_detail x)
{
	size_t i = all->n;

	detail_store_add(all, &x);
	for (; i > 0 && all->items[i - 1].sample > x.sample; i--)
		all->items[i] = all->items[i - 1];
	all->items[i] = x;
}

static int
is_last(const struct tail_value *x, int64_t size)
{
	return size <= TAIL_VALUES_BYTES || x->at > size - TAIL_VALUES_BYTES;
}

/* Add a value of the current line to the tail. If there are more than the tail
 * can hold, at two bytes each, those of much earlier lines are dropped. */
static void
add_tail_value(
    struct scan_state *m, const struct field_name *word, double value)
{
	size_t first = 0;

	if (m->n_tail >= TAIL_VALUES_BYTES) {
		while (
		    first < m->n_tail && !is_last(&m->tail[first], m->tail_at))
			first++;
		m->n_tail -= first;
		memmove(m->tail, m->tail + first, m->n_tail * sizeof *m->tail);
	}
	m->tail = vec_grow(m->tail, m->n_tail, &m->alloc_tail, sizeof *m->tail);
	m->tail[m->n_tail++] =
	    (struct tail_value){ word, value, m->line, m->tail_at };
}

void
scanner_fill_tail(struct scanner *s)
{
	struct log *log = s->now.log;

	for (size_t i = 0, k; i < s->now.n_tail; i++) {
		const struct tail_value *x = &s->now.tail[i];
		const char *key =
		    x->word->key != NULL ? x->word->key : x->word->name;
		struct log_tail_value *v = log->tail;

		if (!is_last(x, s->now.data_at))
			continue;
		for (k = 0; k < log->n_tail && strcmp(v->key, key) != 0; k++)
			v++;
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

/* Add the other values of the line of a sample to the details, if requested,
 * and those of any line to the tail values. */
static void
emit_details(struct scanner *s, const struct match *match)
{
	const int keep =
	    s->options.details && match->step >= 0 && !s->now.dropped;
	struct captured found[FORMAT_MAX_GROUPS];
	const struct captured *c;

	for (size_t n = captured_list(match, found, &c); n > 0; n--, c++) {
		const struct field_name *word = c->capture->word;
		double value;

		if (word->field != FIELD_NONE ||
		    captured_number(match, c, &value) != 0)
			continue;
		if (keep)
			add_detail(&s->now.log->details,
			    (struct log_detail){ value,
				(uint32_t)(word - field_name_at(0)),
				(uint32_t)s->now.first_sample +
				    (uint32_t)match->step });
		if (s->now.in_tail && word->tail != FIELD_NAME_NOT_ASKED)
			add_tail_value(&s->now, word, value);
	}
}

/* Use only intervals of the format's first interval pattern, because epochs are
 * nested in blocks. Returns 0 to reject this one.
 *
 * forget  1: discard the intervals so far */
static int
prefer_interval(struct scanner *s, const struct pattern *p, int forget)
{
	if (s->now.interval_of != NULL && s->now.interval_of < p)
		return 0;
	if (s->now.interval_of != NULL && (forget || s->now.interval_of > p)) {
		sample_store_release(&s->now.log->samples);
		s->now.log->n_works = 0;
	}
	s->now.interval_of = p;
	return 1;
}

static void
emit_interval(struct scanner *s, const struct match *match)
{
	struct log *log = s->now.log;
	struct interval_pair x;
	struct sample sample = { .stamp = NAN,
		.second = NAN,
		.line = s->now.line,
		.epoch = SAMPLE_NONE,
		.iter_from = SAMPLE_NONE,
		.iters = SAMPLE_NONE,
		.rank = match->rank };

	if (interval_pairs_end(&s->now.pairs, match, &x) != 0 ||
	    !prefer_interval(s, match->pattern, x.forget))
		return;
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
	sample_store_add(&log->samples, &sample);
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
	if (log_collectives_add(log, &x, s->now.format->n_step_patterns > 0) !=
	    0)
		log->n_bad_values++;
}

static void
emit_end(struct scanner *s, const struct match *match)
{
	struct interval_pair x;

	if (interval_pairs_end(&s->now.pairs, match, &x) != 0)
		return;
	emit_metadata(s, match);
	add_summary(s->now.log,
	    &(struct log_summary){ x.seconds, "s", s->now.line, 1, 0, NULL });
}

void
scanner_emit_match(void *arg, const struct match *match)
{
	struct scanner *s = arg;

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
		emit_context(s, match);
		break;
	case ROLE_BEGIN:
		interval_pairs_begin(&s->now.pairs, match);
		break;
	case ROLE_END:
		emit_end(s, match);
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
