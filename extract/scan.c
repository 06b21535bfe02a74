#include <config.h>

#include "extract/scan.h"

#include "common/alloc.h"
#include "common/utf8.h"
#include "extract/bars.h"
#include "extract/collectives.h"
#include "extract/detect_file.h"
#include "extract/line_walk.h"
#include "extract/scanner.h"
#include "extract/timeline.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_FACTS = 1024,     /* kept of one log */
	MAX_WORKERS = 1 << 16 /* texts that stand for ranks, of one log */
};

struct scanner *
scanner_new(const struct format_set *set, const struct scan_options *options)
{
	struct scanner *s = xcalloc(1, sizeof *s);

	s->set = set;
	s->options = *options;
	s->matcher = matcher_new(set);
	s->limits = matcher_limits(s->matcher);
	s->detector = detector_new(set, s->matcher);
	s->moulds = moulds_new();
	s->timeline = timeline_new();
	s->parts = (struct scan_parts){ 1, SCAN_PART_BYTES, SCAN_FACT_BYTES };
	reader_init(&s->reader);
	return s;
}

void
scanner_share(struct scanner *s, const struct scan_parts *parts)
{
	s->parts = *parts;
}

void
scanner_free(struct scanner *s)
{
	if (s == NULL)
		return;
	scanner_free_helpers(s);
	detector_free(s->detector);
	matcher_free(s->matcher);
	moulds_free(s->moulds);
	reader_release(&s->reader);
	free(s->clean);
	free(s->workers);
	contexts_release(&s->contexts);
	pairs_release(&s->pairs);
	timeline_free(s->timeline);
	free(s);
}

/* --- From matches to the log -----------------------------------------------*/

/* The number of a text that stands for a rank; SAMPLE_NONE if there are too
 * many of them. */
static int32_t
worker_number(struct scanner *s, const char *text, size_t len)
{
	for (size_t i = 0; i < s->n_workers; i++) {
		/* Ranks tend to come one after the other. */
		size_t j = (s->last_worker + i) % s->n_workers;

		if (s->workers[j].len == len &&
		    memcmp(s->workers[j].text, text, len) == 0) {
			s->last_worker = j;
			return (int32_t)j;
		}
	}
	if (s->n_workers == MAX_WORKERS)
		return SAMPLE_NONE;
	s->workers = vec_grow(
	    s->workers, s->n_workers, &s->alloc_workers, sizeof *s->workers);
	s->workers[s->n_workers] =
	    (struct worker){ arena_strndup(&s->log->arena, text, len), len };
	s->last_worker = s->n_workers;
	return (int32_t)s->n_workers++;
}

/* Does x say what the sample before it said, as records do that a program
 * prints through two loggers? */
static int
is_echo(const struct log *log, const struct sample *x)
{
	const struct sample *y = &log->samples.state.before;

	if (log->samples.n == 0 || x->iter == SAMPLE_NONE)
		return 0;
	return x->iter == y->iter && x->iter_from == y->iter_from &&
	    x->epoch == y->epoch && x->rank == y->rank &&
	    !(x->value < y->value) && !(x->value > y->value);
}

/* Has a progress bar not moved on?  The values are means since it began. */
static int
is_still(const struct log *log, const struct sample *x)
{
	const struct sample *y = &log->samples.state.before;

	if (!(x->value > 0) || x->iter == SAMPLE_NONE)
		return 1; /* it just began */
	if (log->samples.n == 0 || x->epoch != y->epoch || x->rank != y->rank ||
	    x->iters != y->iters || x->iter < y->iter)
		return 0;
	return x->iter == y->iter ||
	    x->value * x->iter < y->value * y->iter + 0.5;
}

/* The name of the collectives that follow, or of this one. */
static void
take_name(struct scanner *s, const struct hit *hit)
{
	for (size_t i = 0; i < hit->pattern->n_captures; i++) {
		const struct capture *c = &hit->pattern->captures[i];
		size_t len;
		const char *text;

		if (c->field != FIELD_COLLECTIVE ||
		    (text = hit_text(hit, c, &len)) == NULL)
			continue;
		if (s->collective == NULL || strlen(s->collective) != len ||
		    memcmp(s->collective, text, len) != 0)
			s->collective =
			    arena_strndup(&s->log->arena, text, len);
	}
}

/* The epoch and iteration of the hot lines that follow. */
static void
take_context(struct scanner *s, const struct hit *hit)
{
	int32_t rank = hit->rank;

	if (hit->worker != NULL)
		rank = worker_number(s, hit->worker, hit->worker_len);
	contexts_take(&s->contexts, hit, rank);
	take_name(s, hit);
}

static void add_fact(struct scanner *s, const char *key, const char *value);

/* The batch that a step's line prints, where it is not that of the line before.
 * The first is also what the log says of itself. */
static void
take_work(struct scanner *s, const struct hit *hit)
{
	struct log *log = s->log;

	for (size_t i = 0; i < hit->pattern->n_captures; i++) {
		const struct capture *c = &hit->pattern->captures[i];
		size_t n = log->n_works;
		double amount;

		if (c->field != FIELD_WORK || hit_number(hit, c, &amount) != 0)
			continue;
		while (n > 0 && strcmp(log->works[n - 1].key, c->name) != 0)
			n--;
		if (!(amount > 0) ||
		    (n > 0 && !(amount < log->works[n - 1].amount) &&
			!(amount > log->works[n - 1].amount)))
			continue;
		if (n == 0)
			add_fact(s, c->name,
			    arena_printf(&log->arena, "%.0f", amount));
		log->works = vec_grow(log->works, log->n_works,
		    &log->alloc_works, sizeof *log->works);
		log->works[log->n_works++] =
		    (struct log_work){ c->word->name, amount, s->line };
	}
}

static void
take_sample(struct scanner *s, const struct hit *hit)
{
	struct log *log = s->log;
	struct sample x;

	if (sample_from_hit(&x, s->line, log->meaning, hit, &s->stamps) != 0) {
		log->n_bad_values++;
		s->dropped++;
		return;
	}
	if (hit->worker != NULL && x.rank == SAMPLE_NONE)
		x.rank = worker_number(s, hit->worker, hit->worker_len);
	if (s->format->has_context)
		contexts_fill(&s->contexts, &x);
	if (s->format->has_work)
		take_work(s, hit);
	if ((s->format->echo == ECHO_YES && is_echo(log, &x)) ||
	    (s->format->echo == ECHO_BAR && is_still(log, &x))) {
		s->dropped++;
		return;
	}
	samples_add(&log->samples, &x);
}

/* Keep a fact unless the log said the same before.  What the log says takes
 * the place of what its format sets (line 0). */
static void
add_fact(struct scanner *s, const char *key, const char *value)
{
	struct log *log = s->log;
	struct log_fact fact = { key, value, s->line };

	for (size_t i = 0; i < log->n_facts; i++) {
		if (strcmp(log->facts[i].key, key) != 0)
			continue;
		if (log->facts[i].line == 0 && s->line > 0) {
			log->facts[i] = fact;
			return;
		}
		if (strcmp(log->facts[i].value, value) == 0)
			return;
	}
	if (log->n_facts == MAX_FACTS)
		return;
	log->facts = vec_grow(
	    log->facts, log->n_facts, &log->alloc_facts, sizeof *log->facts);
	log->facts[log->n_facts++] = fact;
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
take_facts(struct scanner *s, const struct hit *hit)
{
	const struct pattern *p = hit->pattern;

	if (p->in != NULL &&
	    (s->section == NULL || strcmp(p->in, s->section) != 0))
		return;
	for (size_t i = 0; i < p->n_captures; i++) {
		const struct capture *c = &p->captures[i];
		size_t len;
		const char *text = hit_text(hit, c, &len);
		char *value;

		if (text == NULL || len == 0)
			continue;
		if (!(c->word->roles & WORD_IN(ROLE_FACT)))
			continue;
		value = arena_strndup(&s->log->arena, text, len);
		if (c->word->folded)
			text_fold(value);
		if (c->word->type == WORD_COUNT)
			drop_commas(value);
		add_fact(s, c->name, value);
	}
	for (size_t i = 0; i < p->n_gives; i++)
		add_fact(s, p->gives[i].key,
		    arena_strdup(&s->log->arena, p->gives[i].value));
}

static void
take_summary(struct scanner *s, const struct hit *hit)
{
	struct log *log = s->log;
	const struct capture *c;
	double value;

	if (log->n_summaries == SCANNER_MAX_SUMMARIES)
		return;
	if (summary_from_hit(&value, &c, hit) != 0) {
		log->n_bad_values++;
		return;
	}
	log->summaries = vec_grow(log->summaries, log->n_summaries,
	    &log->alloc_summaries, sizeof *log->summaries);
	/* The format's unit refines that of the word: images are samples. */
	log->summaries[log->n_summaries++] = (struct log_summary){ value,
		log->meaning->kind == VALUE_RATE &&
			strcmp(c->word->unit, "samples/s") == 0
		    ? log->meaning->unit
		    : c->word->unit,
		s->line };
}

static void
take_details(struct scanner *s, const struct hit *hit)
{
	const struct pattern *p = hit->pattern;

	for (size_t i = 0; i < p->n_captures; i++) {
		const struct word *word = p->captures[i].word;
		struct log_detail x;
		double value;

		if (word->field != FIELD_NONE ||
		    hit_number(hit, &p->captures[i], &value) != 0)
			continue;
		/* Which sample is not known where one was dropped. */
		x = (struct log_detail){ word->name, value / word->divisor,
			s->line,
			hit->hot >= 0 && !s->dropped
			    ? (int64_t)s->first_sample + hit->hot
			    : -1 };
		details_add(&s->log->details, &x);
	}
}

/* Only the laps of the pattern that stands first in the format count: epochs
 * are inside of blocks. */
static int
prefer_lap(struct scanner *s, const struct pattern *p)
{
	if (s->lap != NULL && s->lap < p)
		return 0;
	if (s->lap != NULL && s->lap > p) {
		samples_release(&s->log->samples);
		s->log->n_works = 0;
	}
	s->lap = p;
	return 1;
}

static void
take_lap(struct scanner *s, const struct hit *hit)
{
	struct log *log = s->log;
	struct interval x;
	struct sample sample = { .stamp = NAN,
		.line = s->line,
		.epoch = SAMPLE_NONE,
		.iter_from = SAMPLE_NONE,
		.iters = SAMPLE_NONE,
		.rank = hit->rank };

	if (pairs_end(&s->pairs, hit, &x) != 0 || !prefer_lap(s, hit->pattern))
		return;
	sample.value = x.seconds / x.span;
	sample.iter = x.iter;
	if (x.iter != SAMPLE_NONE)
		sample.iter_from = x.iter - x.span;
	if (!isnan(x.work)) {
		log->works = vec_grow(log->works, log->n_works,
		    &log->alloc_works, sizeof *log->works);
		log->works[log->n_works++] =
		    (struct log_work){ "epoch_samples", x.work, s->line };
	}
	samples_add(&log->samples, &sample);
}

static void
take_collective(struct scanner *s, const struct hit *hit)
{
	struct log_collective x = { s->collective, hit->pattern->name, NAN, NAN,
		NAN, NAN, NAN, s->line };

	take_name(s, hit);
	x.collective = s->collective;
	for (size_t i = 0; i < hit->pattern->n_captures; i++) {
		const struct capture *c = &hit->pattern->captures[i];
		double v;

		if (hit_number(hit, c, &v) != 0)
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
	if (collectives_add(s->log, &x, s->format->n_hot > 0) != 0)
		s->log->n_bad_values++;
}

static void
take_end(struct scanner *s, const struct hit *hit)
{
	struct log *log = s->log;
	struct interval x;

	if (log->n_summaries == SCANNER_MAX_SUMMARIES ||
	    pairs_end(&s->pairs, hit, &x) != 0)
		return;
	take_facts(s, hit);
	log->summaries = vec_grow(log->summaries, log->n_summaries,
	    &log->alloc_summaries, sizeof *log->summaries);
	log->summaries[log->n_summaries++] =
	    (struct log_summary){ x.seconds, "s", s->line };
}

static void
take_hit(void *arg, const struct hit *hit)
{
	struct scanner *s = arg;

	switch (hit->pattern->role) {
	case ROLE_HOT:
		take_sample(s, hit);
		if (s->options.details && hit->pattern->n_captures > 0)
			take_details(s, hit);
		break;
	case ROLE_DETAIL:
	case ROLE_RESULT:
		take_details(s, hit);
		break;
	case ROLE_SECTION:
		s->section = hit->pattern->name;
		break;
	case ROLE_CONTEXT:
		take_context(s, hit);
		break;
	case ROLE_BEGIN:
		pairs_begin(&s->pairs, hit);
		break;
	case ROLE_END:
		take_end(s, hit);
		break;
	case ROLE_COLLECTIVE:
		take_collective(s, hit);
		break;
	case ROLE_LAP:
		take_lap(s, hit);
		break;
	case ROLE_FACT:
		take_facts(s, hit);
		break;
	case ROLE_SUMMARY:
		take_summary(s, hit);
		break;
	default:
		break; /* ignored on purpose */
	}
}

/* --- What any log may say --------------------------------------------------*/

/* The first that was said, or NULL.
 *
 * said  1: leave out what the format says of all logs */
static const struct log_fact *
find_fact(const struct log_fact *facts, size_t n, const char *key, int said)
{
	for (size_t i = 0; i < n; i++)
		if ((!said || facts[i].line > 0) &&
		    strcmp(facts[i].key, key) == 0)
			return &facts[i];
	return NULL;
}

/* Is the framework one of those that a fact is for? */
static int
is_for(const struct log *log, const char *frameworks)
{
	for (size_t i = 0; i < log->n_facts; i++) {
		const char *word = log->facts[i].value;
		const size_t len = strlen(word);

		if (strcmp(log->facts[i].key, "framework") != 0)
			continue;
		for (const char *p = frameworks; *p != '\0';) {
			const size_t n = strcspn(p, " ");

			if (n == len && strncmp(p, word, n) == 0)
				return 1;
			p += n + strspn(p + n, " ");
		}
	}
	return 0;
}

/* Of each key the first counts. */
static void
keep_any_fact(struct scanner *s, const char *key, char *value)
{
	static const char *const wanted[] = { "framework_version", "device" };

	if (s->n_any == SCANNER_MAX_ANY_FACTS ||
	    find_fact(s->any, s->n_any, key, 0) != NULL)
		return;
	s->any[s->n_any++] = (struct log_fact){ key, value, s->line };
	s->facts_open = 0;
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
		s->facts_open |=
		    find_fact(s->any, s->n_any, wanted[i], 0) == NULL;
}

static void
take_any_fact(void *arg, const struct hit *hit)
{
	struct scanner *s = arg;
	const struct pattern *p = hit->pattern;

	if (p->only != NULL && !is_for(s->log, p->only))
		return;
	for (size_t i = 0; i < p->n_captures; i++) {
		size_t len;
		const char *text = hit_text(hit, &p->captures[i], &len);

		if (text != NULL && len > 0)
			keep_any_fact(s, p->captures[i].name,
			    arena_strndup(&s->log->arena, text, len));
	}
}

/* What any log may say gives way to what the format's own facts say. */
void
scanner_add_any_facts(struct scanner *s)
{
	for (size_t i = 0; i < s->n_any; i++) {
		const struct log_fact *fact = &s->any[i];

		if (find_fact(s->log->facts, s->log->n_facts, fact->key, 1) !=
		    NULL)
			continue;
		s->line = fact->line;
		add_fact(s, fact->key, fact->value);
	}
}

static int
holds_literal(const struct format *f, const char *text, size_t len)
{
	for (size_t i = 0; i < f->n_patterns; i++) {
		const struct pattern *p = &f->patterns[i];

		if (p->n_literal == 0 ||
		    memmem(text, len, p->literal, p->n_literal) != NULL)
			return 1;
	}
	return 0;
}

static void
look_for_facts(struct scanner *s, const char *text, size_t len)
{
	for (size_t i = 0; i < s->set->n_facts; i++)
		if (holds_literal(s->set->facts[i], text, len))
			matcher_line(s->matcher, s->set->facts[i],
			    WORD_IN(ROLE_FACT), text, len, take_any_fact, s);
}

/* --- From lines to matches -------------------------------------------------*/

void
scanner_set_roles(struct scanner *s, unsigned roles)
{
	const unsigned asked = roles | WORD_IN(ROLE_HOT) | WORD_IN(ROLE_IGNORE);

	s->roles = roles;
	s->moulded = !s->options.no_moulds &&
	    !(s->format->keen_roles & asked) && s->set->prefixes_blind;
	if (s->mould_format != s->format || s->mould_roles != roles)
		moulds_clear(s->moulds);
	s->mould_format = s->format;
	s->mould_roles = roles;
}

/* Ask the patterns about a line.
 *
 * take  take_hit, or what keeps the match as well */
static void
match_text(struct scanner *s, const char *text, size_t len, hit_taker *take)
{
	struct hit hit;

	if (!s->plain)
		matcher_line(
		    s->matcher, s->format, s->roles, text, len, take, s);
	else if (matcher_plain(
		     s->matcher, s->format, s->roles, text, len, &hit, take, s))
		take(s, &hit);
}

static void
keep_hit(void *arg, const struct hit *hit)
{
	struct scanner *s = arg;

	mould_add(s->moulds, hit);
	take_hit(s, hit);
}

/* Is this a line that no mould can stand for? */
static int
is_keen_line(const struct format *f, const char *text, size_t len)
{
	for (size_t i = 0; f->n_keen > 0 && i < f->n_patterns; i++) {
		const struct pattern *p = &f->patterns[i];

		if (p->keen && memmem(text, len, p->literal, p->n_literal))
			return 1;
	}
	return 0;
}

/* moulded  1: the text may be looked for among those that were matched */
static inline void
scan_text(struct scanner *s, const char *text, size_t len, int moulded)
{
	const int64_t limits = *s->limits;

	s->first_sample = s->log->samples.n;
	s->dropped = 0;
	if (s->format->timeline)
		timeline_line(s->timeline, s->log, text, len, s->line);
	if (!moulded) {
		match_text(s, text, len, take_hit);
	} else {
		if (mould_replay(s->moulds, text, len, take_hit, s))
			return;
		if (is_keen_line(s->format, text, len)) {
			match_text(s, text, len, take_hit);
		} else {
			mould_begin(s->moulds, text, len);
			match_text(s, text, len, keep_hit);
			mould_end(s->moulds);
		}
	}
	if (s->facts_open && s->log->samples.n == s->first_sample)
		look_for_facts(s, text, len);
	if (*s->limits > limits) {
		moulds_clear(s->moulds);
		s->log->n_match_limit++;
		if (s->log->match_limit_line == 0)
			s->log->match_limit_line = s->line;
	}
}

/* A line with controls or bytes from 0x80 on. */
static void
scan_odd_line(struct scanner *s, const char *text, size_t len, unsigned flags)
{
	size_t n, at = 0;

	if (flags & LINE_HIGH)
		s->log->n_invalid_utf8 += !utf8_valid(text, len);
	if (!(flags & LINE_CONTROL)) {
		scan_text(s, text, len, 0);
		return;
	}
	if (s->alloc_clean < len + 1) {
		s->alloc_clean = len + len / 2 + 1;
		s->clean = xreallocarray(s->clean, s->alloc_clean, 1);
	}
	n = line_clean(text, len, s->clean, &s->log->n_nul);
	while (at < n) {
		size_t piece = strlen(s->clean + at);

		scan_text(s, s->clean + at, piece, 0);
		at += piece + 1;
	}
}

static inline void
take_line(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	struct scanner *s = arg;

	s->line = number;
	if (flags == 0)
		scan_text(s, text, len, s->moulded);
	else
		scan_odd_line(s, text, len, flags);
	s->seen += (int64_t)len;
	if (s->seen > s->parts.fact_bytes && (s->roles & WORD_IN(ROLE_FACT))) {
		s->facts_open = 0;
		scanner_set_roles(s,
		    s->roles & ~(WORD_IN(ROLE_FACT) | WORD_IN(ROLE_SECTION)));
	}
}

static void
skip_line(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	(void)arg, (void)text, (void)len, (void)flags, (void)number;
}

/* --- A file ----------------------------------------------------------------*/

size_t
scanner_take(struct scanner *s, struct line_walker *w, const char *data,
    size_t len, int last)
{
	if (s->format == NULL)
		return line_walker_take(w, data, len, last, skip_line, s);
	return line_walk(w, data, len, last, take_line, s);
}

/* Take the start of a large file, up to where parts of it may be taken, and
 * those.
 *
 * at  bytes of what is at hand that are done
 *
 * Returns 1 if all of the file is done, 0 if not, or -1. */
static int
pass_in_parts(
    struct scanner *s, struct line_walker *w, size_t *at, struct error *e)
{
	struct reader *r = &s->reader;
	const size_t slice = s->parts.part_bytes / 8 + 1;
	int64_t lines, n_long = w->n_long;
	int rc;

	while (s->roles & WORD_IN(ROLE_FACT) || w->open || w->skipping) {
		const size_t len = w->scanned + slice;

		if (r->len - *at <= len)
			return 0; /* more must be read */
		*at += scanner_take(s, w, r->data + *at, len, 0);
	}
	lines = line_walker_lines(w);
	s->parts_tried = 1; /* not again in this file */
	rc = scanner_take_parts(
	    s, reader_at(r) + (int64_t)*at, &lines, &n_long, e);
	if (rc == 1) {
		s->log->lines = lines;
		s->log->n_long_lines = n_long;
	}
	return rc;
}

/* Cut the whole file into lines and take each. */
static int
pass_file(struct scanner *s, struct error *e)
{
	struct reader *r = &s->reader;
	struct line_walker w;
	size_t at = 0;

	line_walker_init(&w, SCAN_MAX_LINE);
	for (;;) {
		if (scanner_parts_allowed(s)) {
			const int64_t done = reader_at(r);
			const int rc = pass_in_parts(s, &w, &at, e);

			if (rc != 0)
				return rc < 0 ? -1 : 0;
			if (reader_at(r) > done)
				at = 0; /* the reader has left and returned */
		}
		at += scanner_take(s, &w, r->data + at, r->len - at, r->last);
		if (r->last)
			break;
		if (reader_next(r, at, e) < 0)
			return -1;
		at = 0;
	}
	s->log->lines = line_walker_lines(&w);
	s->log->n_long_lines = w.n_long;
	return 0;
}

/* Returns 0 and sets the format; -1 where the file cannot be read.
 *
 * head  out: what its head told; not set where the format is given */
int
scanner_find_format(struct scanner *s, const struct format *hint,
    struct detection *head, struct error *e)
{
	struct detection found;

	s->format = s->options.forced;
	if (s->format != NULL)
		return 0;
	if (detect_file(s->detector, &s->reader, hint, head, &found, e) != 0)
		return -1;
	s->format = found.best.format;
	s->log->runner_up = found.runner_up.format;
	return 0;
}

void
scanner_set_format(struct scanner *s)
{
	struct log *log = s->log;

	matcher_new_log(s->matcher);
	log->format = s->format;
	log->meaning = &s->format->meaning;
	scanner_set_roles(s,
	    WORD_IN(ROLE_HOT) | WORD_IN(ROLE_SECTION) | WORD_IN(ROLE_FACT) |
		WORD_IN(ROLE_SUMMARY) | WORD_IN(ROLE_CONTEXT) |
		WORD_IN(ROLE_BEGIN) | WORD_IN(ROLE_END) | WORD_IN(ROLE_LAP) |
		WORD_IN(ROLE_COLLECTIVE) |
		(s->options.details
			? WORD_IN(ROLE_DETAIL) | WORD_IN(ROLE_RESULT)
			: 0));
	s->plain = s->format->plain && !s->options.details;
	s->line = 0;
	s->n_any = 0;
	s->facts_open = s->set->n_facts > 0;
	for (size_t i = 0; i < s->set->n_facts; i++)
		s->facts_open &= format_ready(s->set->facts[i]) == 0;
	for (size_t i = 0; i < s->format->n_gives; i++)
		add_fact(s, s->format->gives[i].key,
		    arena_strdup(&log->arena, s->format->gives[i].value));
}

static int
scan_open_file(struct scanner *s, const struct format *hint, struct error *e)
{
	struct detection head;

	if (s->reader.len == 0 && s->reader.last)
		return error_set(e, ERROR_EMPTY, "the file is empty");
	if (scanner_find_format(s, hint, &head, e) != 0)
		return -1;
	if (s->format != NULL)
		scanner_set_format(s);
	if (pass_file(s, e) != 0)
		return -1;
	if (s->format == NULL)
		return 0;
	timeline_end(s->timeline, s->log);
	if (s->format->echo == ECHO_BAR) {
		const struct samples kept = bars_longest(&s->log->samples);

		samples_release(&s->log->samples);
		s->log->samples = kept;
	}
	scanner_add_any_facts(s);
	return 0;
}

void
scanner_reset(struct scanner *s)
{
	s->seen = 0;
	s->parts_tried = 0;
	s->n_workers = s->last_worker = 0;
	s->contexts.n = 0;
	s->pairs.n = 0;
	s->lap = NULL;
	s->section = NULL;
	s->collective = NULL;
	matcher_new_log(s->matcher);
	s->stamps.day_len = 0;
}

void
scanner_begin_log(
    struct scanner *s, const char *path, const char *shown, struct log *log)
{
	log_init(log);
	log->path = arena_strdup(&log->arena, path);
	log->shown = arena_strdup(&log->arena, shown);
	s->log = log;
	s->format = NULL;
	scanner_reset(s);
}

int
scanner_scan(struct scanner *s, const char *path, const char *shown,
    const struct format *hint, struct log *log)
{
	struct reader *r = &s->reader;
	int rc;

	scanner_begin_log(s, path, shown, log);
	rc = reader_open(r, path, !s->options.no_hash, &log->problem);
	if (rc == 0) {
		rc = scan_open_file(s, hint, &log->problem);
		if (rc == 0)
			reader_hash(r, log->hash);
		reader_close(r);
		log->bytes = r->bytes;
		log->truncated = r->truncated;
	}
	if (rc != 0)
		error_prefix(&log->problem, "%s", shown);
	return rc;
}
