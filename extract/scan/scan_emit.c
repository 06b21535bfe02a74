/* The scanner's way from matches to the log. */
#include <config.h>

#include "extract/scan/scanner_state.h"

#include "common/alloc.h"
#include "extract/log/log_collectives.h"
#include "extract/log/log_works.h"
#include "extract/scan/samples/number_plan.h"
#include "extract/scan/samples/sample_from_match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_WORKERS = 1 << 16 /* texts that stand for ranks, of one log */
};

static int
is_worker(const void *list, size_t i, const void *key)
{
	const struct worker *x = (const struct worker *)list + i, *y = key;

	return x->len == y->len && memcmp(x->text, y->text, x->len) == 0;
}

/* The number of a text that stands for a rank; SAMPLE_NONE if there are too
 * many of them. */
static int32_t
worker_number(struct scanner *s, const char *text, size_t len)
{
	const struct worker key = { text, len };
	const size_t n = s->now.n_workers;
	uint32_t hash;
	size_t i;

	s->now.log->named_ranks = 1;
	/* Ranks tend to come again, or one after the other. */
	for (size_t k = 0; k < 2 && k < n; k++) {
		i = (s->now.last_worker + k) % n;
		if (is_worker(s->now.workers, i, &key)) {
			s->now.last_worker = i;
			return (int32_t)i;
		}
	}
	hash = hash_bytes(0, text, len);
	i = hash_index_find(
	    &s->now.worker_index, hash, is_worker, s->now.workers, &key);
	if (i == HASH_INDEX_NONE && n == MAX_WORKERS)
		return SAMPLE_NONE;
	if (i == HASH_INDEX_NONE) {
		i = s->now.n_workers++;
		s->now.workers = vec_grow(s->now.workers, n,
		    &s->now.alloc_workers, sizeof *s->now.workers);
		s->now.workers[i] = (struct worker){
			arena_strndup(&s->now.log->arena, text, len), len
		};
		hash_index_add(&s->now.worker_index, hash, i);
	}
	s->now.last_worker = i;
	return (int32_t)i;
}

/* Does x state what the sample before it stated, as records do that a program
 * prints through two loggers? */
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

/* Has a progress bar not moved on?  The values are means since it began. */
static int
is_still(const struct log *log, const struct sample *x)
{
	const struct sample *y;

	if (!(x->value > 0) || x->iter == SAMPLE_NONE)
		return 1; /* it just began */
	if (log->samples.n == 0)
		return 0;
	y = &log->samples.items[log->samples.n - 1];
	if (x->epoch != y->epoch || x->rank != y->rank ||
	    x->iters != y->iters || x->iter < y->iter)
		return 0;
	return x->iter == y->iter ||
	    x->value * x->iter < y->value * y->iter + 0.5;
}

/* The name of the collectives that follow, or of this one. */
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

/* The epoch and iteration of the step lines that follow. */
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

	/* Those that the format sets stand first. */
	if (scanner_metadata_place(log, s->now.format->n_gives, &item) ==
		HASH_INDEX_NONE &&
	    hash_index_find(&s->now.metadata_index, hash, is_stated,
		log->metadata, &item) == HASH_INDEX_NONE &&
	    scanner_append_metadata(log, &item))
		hash_index_add(
		    &s->now.metadata_index, hash, log->n_metadata - 1);
}

/* The batch that a step's line prints, where it is not that of the line before.
 * The first is also what the log states about itself. */
static void
emit_work(struct scanner *s, const struct match *match)
{
	struct log *log = s->now.log;

	for (size_t i = 0; i < match->pattern->n_captures; i++) {
		const struct capture *c = &match->pattern->captures[i];
		double amount, before;

		if (c->field != FIELD_WORK ||
		    match_number(match, c, &amount) != 0)
			continue;
		before = log_works_last(log, c->name);
		if (!(amount > 0) ||
		    (!isnan(before) && !(amount < before) &&
			!(amount > before)))
			continue;
		if (isnan(before))
			scanner_add_metadata(s, c->name,
			    arena_printf(&log->arena, "%.0f", amount));
		log_works_add(log, c->word->name, amount, s->now.line);
	}
}

/* The work that the run has done so far. */
static void
emit_totals(struct scanner *s, const struct match *match)
{
	for (size_t i = 0; i < match->pattern->n_captures; i++) {
		const struct capture *c = &match->pattern->captures[i];
		double amount;

		if (c->field == FIELD_DONE &&
		    match_number(match, c, &amount) == 0)
			log_works_add(
			    s->now.log, c->word->name, amount, s->now.line);
	}
}

/* The best of the trials so far is the figure of the run. */
static void
emit_trial(struct scanner *s, const struct match *match, double value)
{
	struct log *log = s->now.log;

	if (log->n_summaries > 0 && !(value > log->summaries[0].value))
		return;
	if (log->n_summaries == 0) {
		log->summaries = vec_grow(log->summaries, log->n_summaries,
		    &log->alloc_summaries, sizeof *log->summaries);
		log->n_summaries = 1;
	}
	log->summaries[0] =
	    (struct log_summary){ value, log->meaning->unit, s->now.line, 0, 0,
		    arena_strndup(&log->arena, match->text, match->len) };
}

static void
emit_sample(struct scanner *s, const struct match *match)
{
	struct log *log = s->now.log;
	struct sample x;

	if (sample_from_match(
		&x, s->now.line, log->meaning, match, &s->now.stamps) != 0) {
		log->n_bad_values++;
		s->now.dropped++;
		return;
	}
	if (match->worker != NULL && x.rank == SAMPLE_NONE)
		x.rank = worker_number(s, match->worker, match->worker_len);
	if (s->now.format->has_context)
		contexts_fill(&s->now.contexts, &x);
	if (s->now.format->meaning.has_work)
		emit_work(s, match);
	if (s->now.format->meaning.has_total)
		emit_totals(s, match);
	if ((s->now.format->echo == ECHO_YES && is_echo(log, &x)) ||
	    (s->now.format->echo == ECHO_BAR && is_still(log, &x))) {
		log->n_untimed +=
		    s->now.format->echo == ECHO_BAR && !(x.value > 0);
		s->now.dropped++;
		return;
	}
	sample_store_add(&log->samples, &x);
	log_units_note(&log->units, log->meaning, match);
	if (log->meaning->trials)
		emit_trial(s, match, x.value);
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
	emit_totals(s, match);
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

	if (log->n_summaries == SCANNER_MAX_SUMMARIES)
		return;
	if (summary_from_match(&value, &c, match) != 0) {
		log->n_bad_values++;
		return;
	}
	log->summaries = vec_grow(log->summaries, log->n_summaries,
	    &log->alloc_summaries, sizeof *log->summaries);
	/* The format's unit refines that of the word: images are samples, but
	 * tokens are not. */
	log->summaries[log->n_summaries++] = (struct log_summary){ value,
		log->meaning->kind == VALUE_RATE &&
			strcmp(c->word->unit, "samples/s") == 0 &&
			strcmp(log->meaning->unit, "tokens/s") != 0
		    ? log->meaning->unit
		    : c->word->unit,
		s->now.line, 0, strstr(c->name, "_per_s_per_device") != NULL,
		NULL };
}

/* The sample that the details of the match are of: which is not known where one
 * was dropped. */
static inline int64_t
detail_sample(const struct scanner *s, const struct match *match)
{
	return match->step >= 0 && !s->now.dropped
	    ? (int64_t)s->now.first_sample + match->step
	    : -1;
}

static struct log_detail
detail_of(const struct scanner *s, const struct match *match,
    const struct field_name *word, double value)
{
	return (struct log_detail){ word->key != NULL ? word->key : word->name,
		value, s->now.line, detail_sample(s, match) };
}

static void
add_detail(struct scanner *s, const struct match *match,
    const struct field_name *word, double value)
{
	const struct log_detail x = detail_of(s, match, word, value);

	detail_store_add(&s->now.log->details, &x);
}

/* Can what was printed be kept as it was, in the unit that is kept? */
static inline int
is_kept_as_printed(const struct field_name *word, int power)
{
	return power <= 0 && power >= -DETAIL_STORE_DECIMALS &&
	    !(word->divisor > 1) && !(word->divisor < 1);
}

/* Digits that are kept as they were printed: with those next to them, if they
 * are few. */
static inline void
add_printed_detail(struct scanner *s, const struct match *match,
    const struct field_name *word, uint64_t digits, unsigned decimals,
    struct detail_row *row)
{
	struct detail_store *all = &s->now.log->details;

	if (row->n == DETAIL_ROW || digits > UINT32_MAX) {
		detail_store_add_row(all, row);
		row->n = 0;
	}
	if (digits > UINT32_MAX) {
		const struct log_detail x = detail_of(s, match, word, 0);

		detail_store_add_decimal(all, &x, digits, decimals);
		return;
	}
	row->keys[row->n] = word->key != NULL ? word->key : word->name;
	row->decimals[row->n] = (unsigned char)decimals;
	row->digits[row->n++] = (uint32_t)digits;
}

/* Is it kept as it is printed, and so that nothing has to be looked at? */
static int
is_plain_number(const struct number_plan_number *x)
{
	/* ".5" and "5." are not. */
	return x->scale == 0 && (x->decimals > 0) == (x->first.low != 0) &&
	    (x->exponented == 0 || x->exponent.len == 2);
}

/* The sample's value, if it is nothing but what is printed; else NULL. */
static const struct number_plan_number *
printed_value(const struct match *match)
{
	const struct number_plan *r = match->plan;
	const struct number_plan_number *value = NULL;

	for (const struct number_plan_number *x = r->numbers;
	     x < r->numbers + r->n; x++) {
		const struct capture *c = x->capture;

		if (c->field == FIELD_SPAN || c->field == FIELD_TOTAL)
			return NULL;
		if (c->field != FIELD_VALUE)
			continue;
		if (value != NULL || !is_plain_number(x) ||
		    x->exponented != 0 || c->word->divisor > 1 ||
		    c->word->divisor < 1)
			return NULL;
		value = x;
	}
	return value;
}

/* The word that ends with the run.  Returns 0 if it begins before the line. */
static int
add_printed_word(struct printed_plan *p, const struct number_plan_run *run)
{
	const size_t end = run->at + PRINTED_BYTES - run->up / 8;

	if (p->n_words == PRINTED_WORDS || end < PRINTED_BYTES)
		return 0;
	p->words[p->n_words++] = (uint16_t)(end - PRINTED_BYTES);
	return 1;
}

/* The number that x reads.  Returns 0 if it is not plain. */
static int
add_printed_number(struct printed_plan *p, const struct number_plan_number *x)
{
	if (!is_plain_number(x) || !add_printed_word(p, &x->first))
		return 0;
	if (x->exponented == 0)
		return 1;
	if (!add_printed_word(p, &x->exponent))
		return 0;
	/* The first of its two digits. */
	p->zeros[p->n_zeros++] =
	    (uint16_t)(p->words[p->n_words - 1] + PRINTED_BYTES - 2);
	return 1;
}

#if defined(__GNUC__)
__attribute__((noinline)) /* seldom called */
#endif
static void
make_printed_plan(
    struct printed_plan *p, struct scanner *s, const struct match *match)
{
	const struct number_plan *r = match->plan;
	const struct number_plan_number *value = printed_value(match);
	struct printed_number numbers[PRINTED_WORDS];
	size_t n = 0;

	p->serial = r->serial;
	p->shape = -1;
	p->n_words = p->n_zeros = 0;
	if (value != NULL && add_printed_number(p, value))
		numbers[n++] = (struct printed_number){ NULL, 1,
			value->first.len, (unsigned char)value->decimals, 0 };
	for (size_t i = r->n; i < r->n_all; i++) {
		const struct number_plan_number *x = &r->numbers[i];
		const struct field_name *word = x->capture->word;

		if (!add_printed_number(p, x))
			return;
		numbers[n++] =
		    (struct printed_number){ word->key != NULL ? word->key
							       : word->name,
			    word->divisor, x->first.len,
			    (unsigned char)x->decimals, x->exponented };
	}
	(void)s, (void)numbers;
	(void)n;
}

/* The details of a match with a number plan, as text.  Returns 0, and adds
 * nothing, where they are not all plain. */
static int
emit_printed_details(struct scanner *s, const struct match *match)
{
	const uint64_t serial = match->plan->serial;
	struct printed_plan *p = &s->now.printed[serial % SCANNER_PRINTED];
	uint64_t words[PRINTED_WORDS];
	unsigned not_zero = 0;

	if (serial == 0)
		return 0;
	if (p->serial != serial)
		make_printed_plan(p, s, match);
	if (p->shape < 0)
		return 0;
	for (size_t i = 0; i < p->n_zeros; i++)
		not_zero |= (unsigned char)match->line[p->zeros[i]] ^ '0';
	if (not_zero != 0)
		return 0;
	for (size_t i = 0; i < p->n_words; i++)
		memcpy(&words[i], match->line + p->words[i], sizeof *words);
	return 1;
}

/* The details of a match with a number plan, as numbers. */
#if defined(__GNUC__)
__attribute__((noinline)) /* seldom called where the above is */
#endif
static void
emit_planned_details(struct scanner *s, const struct match *match)
{
	const struct number_plan *r = match->plan;
	struct detail_row row;

	row.n = 0;
	row.line = s->now.line;
	row.sample = detail_sample(s, match);
	for (size_t i = r->n; i < r->n_all; i++) {
		const struct number_plan_number *x = &r->numbers[i];
		const struct field_name *word = x->capture->word;
		int power;
		const uint64_t digits =
		    number_plan_digits_read(x, match->line, &power);
		double value;

		if (is_kept_as_printed(word, power)) {
			add_printed_detail(
			    s, match, word, digits, (unsigned)-power, &row);
			continue;
		}
		detail_store_add_row(&s->now.log->details, &row);
		row.n = 0;
		if (number_plan_number_of(digits, power, &value) == 0)
			value /= word->divisor;
		else if (match_number(match, x->capture, &value) != 0)
			continue;
		add_detail(s, match, word, value);
	}
	detail_store_add_row(&s->now.log->details, &row);
}

static void
emit_unplanned_details(struct scanner *s, const struct match *match)
{
	const struct pattern *p = match->pattern;

	for (size_t i = 0; i < p->n_captures; i++) {
		const struct field_name *word = p->captures[i].word;
		double value;

		if (word->field == FIELD_NONE &&
		    match_number(match, &p->captures[i], &value) == 0)
			add_detail(s, match, word, value);
	}
}

static inline void
emit_details(struct scanner *s, const struct match *match)
{
	if (match->plan == NULL)
		emit_unplanned_details(s, match);
	else if (match->plan->n < match->plan->n_all &&
	    !(s->now.details_go && emit_printed_details(s, match)))
		emit_planned_details(s, match);
}

void
scanner_emit_details(void *arg, const struct match *match)
{
	struct scanner *s = arg;

	if (match->pattern->n_captures > 0)
		emit_details(s, match);
}

/* Only the intervals of the pattern that stands first in the format count:
 * epochs are inside of blocks.
 *
 * forget  those so far do not count */
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
		/* Bounds: of the block that begins with 0, 0 and its span. */
		sample.iter = x.iter + 1;
		sample.iter_from = x.iter + 1 - x.span;
	}
	if (!isnan(x.work))
		log_works_add(log, "epoch_samples", x.work, s->now.line);
	if (x.steps > 0)
		log_works_add(log, "epoch_batches", x.steps, s->now.line);
	sample_store_add(&log->samples, &sample);
}

/* When a bucket was ready and when it was sent, where the line states so. */
static void
emit_bucket(struct scanner *s, const struct match *match,
    const struct log_collective *c)
{
	struct log_bucket x = { -1, c->bytes, NAN, NAN, c->time_s };

	for (size_t i = 0; i < match->pattern->n_captures; i++) {
		const struct capture *k = &match->pattern->captures[i];
		double v;

		if (match_number(match, k, &v) != 0)
			continue;
		if (k->field == FIELD_BUCKET && v >= 0 && v < 1e6)
			x.bucket = lround(v);
		else if (k->field == FIELD_READY)
			x.ready_s = v;
		else if (k->field == FIELD_START)
			x.start_s = v;
	}
	if (x.bucket >= 0 && !isnan(x.bytes) && !isnan(x.duration_s))
		log_buckets_add(s->now.log, &x, c->collective);
}

static void
emit_collective(struct scanner *s, const struct match *match)
{
	struct log_collective x = { s->now.collective, match->pattern->name,
		NAN, NAN, NAN, NAN, NAN, s->now.line };

	note_collective_name(s, match);
	x.collective = s->now.collective;
	for (size_t i = 0; i < match->pattern->n_captures; i++) {
		const struct capture *c = &match->pattern->captures[i];
		double v;

		if (match_number(match, c, &v) != 0)
			continue;
		if (c->field == FIELD_BYTES)
			x.bytes = v;
		else if (c->field == FIELD_TIME)
			x.time_s = v;
		else if (c->field == FIELD_ALGORITHM)
			x.algorithm = v;
		else if (c->field == FIELD_BUS)
			x.bus = v;
		else if (c->field == FIELD_COUNT)
			x.count = v;
	}
	emit_bucket(s, match, &x);
	if (log_collectives_add(
		s->now.log, &x, s->now.format->n_step_patterns > 0) != 0)
		s->now.log->n_bad_values++;
}

static void
emit_end(struct scanner *s, const struct match *match)
{
	struct log *log = s->now.log;
	struct interval_pair x;

	if (log->n_summaries == SCANNER_MAX_SUMMARIES ||
	    interval_pairs_end(&s->now.pairs, match, &x) != 0)
		return;
	emit_metadata(s, match);
	log->summaries = vec_grow(log->summaries, log->n_summaries,
	    &log->alloc_summaries, sizeof *log->summaries);
	log->summaries[log->n_summaries++] =
	    (struct log_summary){ x.seconds, "s", s->now.line, 1, 0, NULL };
}

void
scanner_emit_match(void *arg, const struct match *match)
{
	struct scanner *s = arg;

	switch (match->pattern->role) {
	case ROLE_STEP:
		emit_sample(s, match);
		if (s->options.details && match->pattern->n_captures > 0)
			emit_details(s, match);
		break;
	case ROLE_DETAIL:
	case ROLE_RESULT:
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
		break; /* ignored on purpose */
	}
}
