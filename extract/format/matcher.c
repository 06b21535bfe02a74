/* Matches the patterns of a format in a line: regular expressions, objects, and
 * rows of tables. */
#include <config.h>

#include "extract/format/matcher.h"

#include "common/alloc.h"
#include "extract/format/patterns/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <stdlib.h>
#include <string.h>

enum { JIT_STACK_MAX = 1 << 20, MAX_TABLES = 16 };

/* State of a table in the log. */
struct matcher_table {
	const struct csv_pattern *of;
	unsigned n_asked; /* lines before its header */
	int known;        /* 1: the header has been found */
	struct csv_header header;
};

/* Start of a pattern's next match in the current line, kept so that each
 * pattern searches a line only once, however many matches there are. */
struct next_match {
	size_t start; /* SIZE_MAX: none */
	int known;    /* 0: not searched yet */
};

struct matcher {
	const struct format_set *set;
	pcre2_match_context *context;
	pcre2_jit_stack *stack; /* NULL: not needed so far */
	/* Two, to keep a match while another is tried. */
	pcre2_match_data *data, *spare;
	const size_t *ov, *spare_ov; /* their offset pairs */
	int64_t n_limits;
	struct work_meter meter; /* for the current line */
	int64_t *work;           /* common limit of all lines, or NULL */
	int each;                /* work per byte of a line */
	const char *prefix_name;
	/* Starts of a line's step matches; only for details. */
	size_t *starts;
	size_t n_starts, alloc_starts;
	struct next_match next[FORMAT_MAX_PATTERNS]; /* in the current line */
	struct matcher_table
	    tables[MAX_TABLES]; /* tables of the patterns tried */
	size_t n_tables;
};

static int
matcher_count(pcre2_callout_block *block, void *meter)
{
	return work_meter_count(block, meter);
}

struct matcher *
matcher_new(const struct format_set *set)
{
	struct matcher *m = xcalloc(1, sizeof *m);
	const uint32_t most = FORMAT_MAX_ALL_GROUPS;

	m->set = set;
	m->each = FORMAT_LINE_WORK;
	m->context = pcre2_match_context_create(NULL);
	m->data = pcre2_match_data_create(most + 1, NULL);
	m->spare = pcre2_match_data_create(most + 1, NULL);
	if (m->context == NULL || m->data == NULL || m->spare == NULL)
		xmalloc(SIZE_MAX); /* prints "out of memory" and exits */
	m->ov = pcre2_get_ovector_pointer(m->data);
	m->spare_ov = pcre2_get_ovector_pointer(m->spare);
	pcre2_set_match_limit(m->context, FORMAT_MATCH_LIMIT);
	pcre2_set_depth_limit(m->context, FORMAT_DEPTH_LIMIT);
	pcre2_set_heap_limit(m->context, FORMAT_HEAP_LIMIT_KIB);
	pcre2_set_callout(m->context, matcher_count, &m->meter);
	return m;
}

void
matcher_free(struct matcher *m)
{
	if (m == NULL)
		return;
	pcre2_match_data_free(m->data);
	pcre2_match_data_free(m->spare);
	pcre2_match_context_free(m->context);
	pcre2_jit_stack_free(m->stack);
	free(m->starts);
	free(m);
}

const int64_t *
matcher_limits(const struct matcher *m)
{
	return &m->n_limits;
}

const char *
matcher_prefix_name(const struct matcher *m)
{
	return m->prefix_name;
}

/* Match a regular expression into m->data, with PCRE2's return value.  Work in
 * long texts is metered. */
static inline int
matcher_run_regex(struct matcher *m, const struct pattern *p, const char *text,
    size_t len, size_t from, uint32_t options)
{
	const struct pattern_code *c = pattern_code(p);
	const void *code = c->code;
	int rc;

	m->meter.counts = len - from >= FORMAT_METERED && c->metered != NULL;
	m->meter.start = SIZE_MAX;
	if (m->meter.counts) {
		if (m->meter.left <= 0)
			return PCRE2_ERROR_CALLOUT;
		code = c->metered;
	}
	rc = pcre2_match(
	    code, (PCRE2_SPTR)text, len, from, options, m->data, m->context);
	if (rc != PCRE2_ERROR_JIT_STACKLIMIT || m->stack != NULL)
		return rc;
	/* A separate stack is expensive to create, and few lines need it. */
	m->stack = pcre2_jit_stack_create(1 << 15, JIT_STACK_MAX, NULL);
	if (m->stack == NULL)
		return rc;
	pcre2_jit_stack_assign(m->context, NULL, m->stack);
	return pcre2_match(
	    code, (PCRE2_SPTR)text, len, from, options, m->data, m->context);
}

/* The first window from an offset on that contains the pattern's literal;
 * SIZE_MAX: none. */
static size_t
next_window(const struct pattern *p, const char *text, size_t len, size_t at)
{
	const size_t half = FORMAT_WINDOW / 2;
	const char *found;
	size_t end;

	if (p->n_literal == 0)
		return at;
	found = memmem(text + at, len - at, p->literal, p->n_literal);
	if (found == NULL)
		return SIZE_MAX;
	end = (size_t)(found - text) + p->n_literal;
	return end <= at + 2 * half ? at
				    : at + (end - at - half - 1) / half * half;
}

/* Match a long line window by window: an expression that reads to the end from
 * each possible start takes quadratic time.  A match counts if it starts in the
 * first half of its window.  It is ignored if it ends with the window, as it
 * may be cut off, except for metadata, which is text. */
static int
matcher_run_windows(struct matcher *m, const struct pattern *p,
    const char *text, size_t len, size_t from)
{
	const size_t half = FORMAT_WINDOW / 2;

	for (size_t at = from;; at += half) {
		const size_t *ov = m->ov;
		size_t end;
		int last, rc;

		at = next_window(p, text, len, at);
		if (at == SIZE_MAX || (p->anchored && at > from))
			return PCRE2_ERROR_NOMATCH;
		last = len - at <= 2 * half;
		end = last ? len : at + 2 * half;
		rc = matcher_run_regex(
		    m, p, text, end, at, last ? 0 : PCRE2_NOTEOL);
		if (last)
			return rc;
		if (rc <= 0 && rc != PCRE2_ERROR_NOMATCH)
			return rc;
		if (rc > 0 && ov[0] < at + half &&
		    (ov[1] < end || p->role == ROLE_METADATA))
			return rc;
		if (p->anchored)
			return PCRE2_ERROR_NOMATCH;
	}
}

void
matcher_share_work(struct matcher *m, int64_t *work, int each)
{
	m->work = work;
	m->each = each;
}

/* Start a new line: set the limit of its work.  Returns it. */
static inline int64_t
matcher_set_work(struct matcher *m, size_t len)
{
	const int64_t most = m->each * (int64_t)len + FORMAT_FREE_WORK;

	m->meter.left = m->work != NULL && *m->work < most ? *m->work : most;
	return m->meter.left;
}

void
matcher_new_log(struct matcher *m)
{
	m->n_tables = 0;
}

static struct matcher_table *
find_table(struct matcher *m, const struct csv_pattern *of)
{
	size_t i = 0;

	while (i < m->n_tables && m->tables[i].of != of)
		i++;
	if (i == MAX_TABLES)
		return NULL;
	if (i == m->n_tables)
		m->tables[m->n_tables++] = (struct matcher_table){ .of = of };
	return &m->tables[i];
}

/* Match a row below the last header, or update that header.  Most rows begin
 * with a digit, and no header does. */
static uint32_t
matcher_run_csv(struct matcher *m, const struct pattern *p, const char *text,
    size_t len, size_t from)
{
	struct matcher_table *t = from > 0 ? NULL : find_table(m, p->csv);
	struct csv_header header;

	if (t == NULL)
		return 0;
	if ((t->known || t->n_asked++ < CSV_HEADER_LINES) && len > 0 &&
	    !(text[0] >= '0' && text[0] <= '9') &&
	    csv_read_header(p->csv, text, len, &header)) {
		t->header = header;
		t->known = 1;
		return 0;
	}
	return !t->known ? 0
			 : (uint32_t)csv_read_row(&t->header, text, len,
			       pcre2_get_ovector_pointer(m->data));
}

static uint32_t
matcher_run_json(struct matcher *m, const struct pattern *p, const char *text,
    size_t len, size_t from)
{
	const size_t n = json_pattern_match(p->json, text, len, from,
	    pcre2_get_ovector_pointer(m->data), &m->meter.left);

	m->n_limits += n == 0 && m->meter.left <= 0;
	return (uint32_t)n;
}

/* Match into m->data.  Returns the number of pairs, or 0. */
static inline uint32_t
matcher_run(struct matcher *m, const struct pattern *p, const char *text,
    size_t len, size_t from)
{
	int rc;

	if (p->csv != NULL)
		return matcher_run_csv(m, p, text, len, from);
	if (p->n_literal > 0 &&
	    memmem(text + from, len - from, p->literal, p->n_literal) == NULL)
		return 0;
	if (p->json != NULL)
		return matcher_run_json(m, p, text, len, from);
	if (len - from < p->code->min_len)
		return 0;
	rc = len - from <= FORMAT_LONG_LINE
	    ? matcher_run_regex(m, p, text, len, from, 0)
	    : matcher_run_windows(m, p, text, len, from);
	if (rc > 0)
		return (uint32_t)rc;
	if (rc != PCRE2_ERROR_NOMATCH)
		m->n_limits++;
	return 0;
}

static void
swap_data(struct matcher *m)
{
	pcre2_match_data *d = m->data;
	const size_t *ov = m->ov;

	m->data = m->spare;
	m->spare = d;
	m->ov = m->spare_ov;
	m->spare_ov = ov;
}

static const struct match no_match = { .rank = SAMPLE_NONE, .step = -1 };

/* Fill match with the n pairs in m->data. */
static inline void
fill_match(struct match *match, const struct matcher *m,
    const struct pattern *p, const char *text, size_t len, uint32_t n)
{
	match->pattern = p;
	match->text = text;
	match->len = len;
	match->ov = m->ov;
	match->n_ov = n;
	match->captured = NULL;
}

int
matcher_one(struct matcher *m, const struct pattern *p, const char *text,
    size_t len, size_t from, struct match *match)
{
	uint32_t n;

	(void)matcher_set_work(m, len);
	n = from <= len ? matcher_run(m, p, text, len, from) : 0;
	if (n == 0)
		return 0;
	*match = no_match;
	fill_match(match, m, p, text, len, n);
	return 1;
}

/* Start of the next match of pattern i, from an offset on; SIZE_MAX: none.
 *
 * n  out: number of pairs if matched now, into m->data; else 0 */
static size_t
find_next(struct matcher *m, const struct format *f, size_t i, const char *text,
    size_t len, size_t from, uint32_t *n)
{
	const struct pattern *p = &f->patterns[i];
	struct next_match *next = &m->next[i];

	*n = 0;
	if (next->known && next->start >= from && !p->moves_start)
		return next->start;
	next->known = 1;
	next->start = SIZE_MAX;
	/* Most lines have no second match: look for its first byte before
	 * running the pattern. */
	if (from > 0 && p->code != NULL && p->code->first >= 0 &&
	    memchr(text + from, p->code->first, len - from) == NULL)
		return SIZE_MAX;
	*n = matcher_run(m, p, text, len, from);
	if (*n > 0)
		next->start = m->ov[0];
	return next->start;
}

/* Find the leftmost step match from an offset on; of two at the same start that
 * of the earlier pattern in the file. */
static uint32_t
find_step(struct matcher *m, const struct format *f, const char *text,
    size_t len, size_t from, const struct pattern **which)
{
	size_t best = SIZE_MAX;
	uint32_t n, n_best = 0;

	for (size_t i = 0; i < f->n_step_patterns; i++) {
		const size_t start = find_next(m, f, i, text, len, from, &n);

		if (start >= best)
			continue;
		best = start;
		*which = &f->patterns[i];
		n_best = n;
		if (n > 0)
			swap_data(m);
	}
	if (n_best > 0)
		swap_data(m);
	else if (best < SIZE_MAX)
		n_best = matcher_run(m, *which, text, len, best);
	return n_best;
}

/* Find an ignore pattern that overlaps the match in [start, end).  Leaves its
 * match in m->data. */
static const struct pattern *
find_ignore(struct matcher *m, const struct format *f, const char *text,
    size_t len, size_t from, size_t start, size_t end, uint32_t *n)
{
	for (size_t i = f->n_step_patterns; i < f->n_patterns; i++) {
		const struct pattern *p = &f->patterns[i];
		size_t at = from;

		if (p->role != ROLE_IGNORE)
			continue;
		while (at < end &&
		    (at = find_next(m, f, i, text, len, at, n)) < end) {
			if (*n == 0)
				*n = matcher_run(m, p, text, len, at);
			if (*n > 0 && m->ov[1] > start)
				return p;
			at = *n > 0 && m->ov[1] > at ? m->ov[1] : at + 1;
		}
	}
	return NULL;
}

/* Search for a prefix in [from, end) of text and set rank and worker from it.
 * Returns the end of the prefix; 0: none. */
static size_t
find_prefix(struct matcher *m, const struct pattern *p, const char *text,
    size_t from, size_t end, struct match *prefix)
{
	const uint32_t n =
	    p->code != NULL ? matcher_run(m, p, text, end, from) : 0;
	struct match match;

	if (n == 0)
		return 0;
	fill_match(&match, m, p, text, end, n);
	*prefix = no_match;
	m->prefix_name = (const char *)pcre2_get_mark(m->data);
	for (size_t i = 0; i < p->n_captures; i++) {
		const struct capture *c = &p->captures[i];
		size_t size;
		const char *s = match_text(&match, c, &size);

		if (s == NULL)
			continue;
		if (c->field == FIELD_WORKER) {
			prefix->worker = s;
			prefix->worker_len = size;
		} else if (c->field == FIELD_RANK && size <= 9) {
			prefix->rank = match_rank(s, size);
			prefix->rank_text = s;
			prefix->rank_len = size;
		}
	}
	return match.ov[1];
}

/* State while a line is matched. */
struct match_state {
	struct matcher *m;
	const struct format *f;
	unsigned roles;
	const char *text;
	size_t len, base;
	int looked;          /* 1: a prefix at the start was searched for */
	struct match prefix; /* its rank and worker */
	match_consumer *consume;
	void *arg;
	size_t n_matches;
	int64_t n_steps;
};

static void
emit_match(
    struct match_state *g, const struct pattern *p, uint32_t n, int64_t step)
{
	struct match match = p->role == ROLE_STEP || p->role == ROLE_CONTEXT
	    ? g->prefix
	    : no_match;

	fill_match(&match, g->m, p, g->text, g->len, n);
	match.base = g->base;
	match.step = step;
	if (printed_unit_contradicts(&match))
		return;
	g->n_matches++;
	g->consume(g->arg, &match);
}

/* Search for a prefix at the start of the line, ending at or before `end`.
 * Returns its end. */
static size_t
look_for_prefix(struct match_state *g, size_t end)
{
	const struct format_set *set = g->m->set;

	g->looked = 1;
	g->prefix = no_match;
	g->m->prefix_name = NULL;
	return set == NULL
	    ? 0
	    : find_prefix(g->m, &set->prefix_start, g->text, 0,
		  end < FORMAT_MAX_PREFIX ? end : FORMAT_MAX_PREFIX,
		  &g->prefix);
}

/* Find the rank of the match in m->data, which starts at `start`: a prefix
 * before it, or between the match before, which ends at prev_end, and it. */
static void
find_rank(struct match_state *g, size_t prev_end, size_t start)
{
	enum { BETWEEN = FORMAT_MAX_PREFIX / 8 };
	const struct format_set *set = g->m->set;

	g->looked |= start == 0 && g->base == 0;
	if (g->looked && prev_end == 0)
		return;
	swap_data(g->m);
	if (!g->looked)
		look_for_prefix(g, start);
	if (prev_end > 0 && prev_end < start && set != NULL)
		find_prefix(g->m, &set->prefix_end, g->text,
		    start - prev_end > BETWEEN ? start - BETWEEN : prev_end,
		    start, &g->prefix);
	swap_data(g->m);
}

static void
note_start(struct matcher *m, size_t start)
{
	m->starts = vec_grow(
	    m->starts, m->n_starts, &m->alloc_starts, sizeof *m->starts);
	m->starts[m->n_starts++] = start;
}

/* Report all step matches of the line.  The first, of pattern p with n pairs,
 * is already in m->data (n 0: none). */
static void
match_steps(struct match_state *g, const struct pattern *p, uint32_t n)
{
	const struct pattern *ignore;
	size_t from = 0;
	uint32_t n_ignore = 0;

	while (n > 0) {
		size_t start = g->m->ov[0], end = g->m->ov[1];

		ignore = NULL;
		if (g->f->n_ignore > 0) {
			swap_data(g->m);
			ignore = find_ignore(g->m, g->f, g->text, g->len, from,
			    start, end, &n_ignore);
		}
		if (ignore != NULL) {
			emit_match(g, ignore, n_ignore, -1);
		} else {
			if (g->f->n_ignore > 0)
				swap_data(g->m);
			find_rank(g, from, start);
			if (g->roles & FIELD_NAME_IN(ROLE_DETAIL))
				note_start(g->m, start);
			emit_match(g, p, n, g->n_steps++);
		}
		from = end > from ? end : from + 1;
		n = from <= g->len
		    ? find_step(g->m, g->f, g->text, g->len, from, &p)
		    : 0;
	}
}

/* Report all matches of one pattern in [from, to) of the line. */
static void
match_pattern(struct match_state *g, const struct pattern *p, size_t from,
    size_t to, int64_t step)
{
	uint32_t n;

	while (from < to && (n = matcher_run(g->m, p, g->text, to, from)) > 0) {
		size_t end = g->m->ov[1];

		emit_match(g, p, n, step);
		from = end > from ? end : from + 1;
	}
}

/* Report details between each step match and the next: at most one match per
 * pattern. */
static void
match_details(struct match_state *g)
{
	struct matcher *m = g->m;

	for (size_t i = 0; i < m->n_starts; i++) {
		size_t to = i + 1 < m->n_starts ? m->starts[i + 1] : g->len;

		for (size_t j = g->f->n_step_patterns; j < g->f->n_patterns;
		     j++) {
			const struct pattern *p = &g->f->patterns[j];
			uint32_t n = 0;

			if (p->role == ROLE_DETAIL)
				n = matcher_run(
				    m, p, g->text, to, m->starts[i]);
			if (n > 0)
				emit_match(g, p, n, (int64_t)i);
		}
	}
}

/* ^ matches after a launcher's prefix. */
static void
skip_prefix(struct match_state *g)
{
	g->base = look_for_prefix(g, g->len);
	g->text += g->base;
	g->len -= g->base;
}

/* Match all patterns except step patterns and details. */
static void
match_rest(struct match_state *g)
{
	const struct format *f = g->f;

	for (size_t i = f->n_step_patterns; i < f->n_patterns; i++) {
		const struct pattern *p = &f->patterns[i];

		if ((g->roles & FIELD_NAME_IN(p->role)) &&
		    p->role != ROLE_DETAIL)
			match_pattern(g, p, 0, g->len, -1);
	}
}

size_t
matcher_line(struct matcher *m, const struct format *f, unsigned roles,
    const char *line, size_t len, match_consumer *consume, void *arg)
{
	const int64_t work = matcher_set_work(m, len);
	const struct pattern *p = NULL;
	struct match_state g = { .m = m,
		.f = f,
		.roles = roles,
		.text = line,
		.len = len,
		.prefix = no_match,
		.consume = consume,
		.arg = arg };
	uint32_t n = 0;

	for (size_t i = 0; i < f->n_patterns; i++)
		m->next[i].known = 0;
	m->n_starts = 0;
	if (f->step_anchored)
		skip_prefix(&g);
	if (roles & FIELD_NAME_IN(ROLE_STEP))
		n = find_step(m, f, g.text, g.len, 0, &p);
	match_steps(&g, p, n);
	if (m->n_starts > 0)
		match_details(&g);
	if (g.n_matches == 0) {
		if ((f->rest_anchored || f->has_context) && !f->step_anchored)
			skip_prefix(&g);
		match_rest(&g);
	}
	if (m->work != NULL)
		*m->work -= work - m->meter.left;
	return g.n_matches;
}
