/* Matches the patterns of a format in a line: regular expressions, objects, and
 * rows of tables. */
#include <config.h>

#include "extract/format/matcher.h"

#include "common/alloc.h"
#include "extract/format/patterns/pattern.h"
#include "extract/log/words.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { JIT_STACK_MAX = 1 << 20, MAX_TABLES = 16 };

/* State of a table in the log. */
struct matcher_table {
	const struct object_pattern *of;
	unsigned n_asked; /* lines before its header */
	int known;        /* 1: the header has been found */
	struct csv_header header;
};

/* The next match of a pattern in the current line.  Each pattern searches a
 * line only once, however many matches there are. */
struct next_match {
	int known;    /* 0: not searched yet */
	size_t start; /* SIZE_MAX: none */
	uint32_t n;   /* pairs in data */
	pcre2_match_data *data;
};

struct matcher {
	const struct format_set *set;
	pcre2_match_context *context;
	pcre2_jit_stack *stack; /* NULL: not needed so far */
	int64_t n_limits;
	struct work_meter meter; /* for the current line */
	int64_t *work;           /* common limit of all lines, or NULL */
	int each;                /* work per byte of a line */
	const char *prefix_name;
	/* Starts of a line's step matches; only for details. */
	size_t *starts;
	size_t n_starts, alloc_starts;
	/* Of each pattern of the format. */
	struct next_match next[FORMAT_MAX_PATTERNS];
	pcre2_match_data *data; /* of other matches */
	struct matcher_table
	    tables[MAX_TABLES]; /* tables of the patterns tried */
	size_t n_tables;
};

static int
matcher_count(pcre2_callout_block *block, void *meter)
{
	return work_meter_count(block, meter);
}

static pcre2_match_data *
new_data(void)
{
	pcre2_match_data *data =
	    pcre2_match_data_create(FORMAT_MAX_ALL_GROUPS + 1, NULL);

	if (data == NULL)
		xmalloc(SIZE_MAX); /* prints "out of memory" and exits */
	return data;
}

static pcre2_match_context *
new_context(void)
{
	pcre2_match_context *context = pcre2_match_context_create(NULL);

	if (context == NULL)
		xmalloc(SIZE_MAX); /* prints "out of memory" and exits */
	pcre2_set_match_limit(context, FORMAT_MATCH_LIMIT);
	pcre2_set_depth_limit(context, FORMAT_DEPTH_LIMIT);
	pcre2_set_heap_limit(context, FORMAT_HEAP_LIMIT_KIB);
	return context;
}

struct matcher *
matcher_new(const struct format_set *set)
{
	struct matcher *m = xcalloc(1, sizeof *m);

	m->set = set;
	m->each = FORMAT_LINE_WORK;
	m->data = new_data();
	m->context = new_context();
	pcre2_set_callout(m->context, matcher_count, &m->meter);
	return m;
}

void
matcher_free(struct matcher *m)
{
	if (m == NULL)
		return;
	pcre2_match_data_free(m->data);
	for (size_t i = 0; i < FORMAT_MAX_PATTERNS; i++)
		pcre2_match_data_free(m->next[i].data);
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

/* Match a regular expression into data, with PCRE2's return value.  Work in
 * long texts is metered. */
static inline int
run_regex(struct matcher *m, const struct pattern *p, pcre2_match_data *data,
    const char *text, size_t len, size_t from, uint32_t options)
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
	    code, (PCRE2_SPTR)text, len, from, options, data, m->context);
	if (rc != PCRE2_ERROR_JIT_STACKLIMIT || m->stack != NULL)
		return rc;
	/* A separate stack is expensive to create, and few lines need it. */
	m->stack = pcre2_jit_stack_create(1 << 15, JIT_STACK_MAX, NULL);
	if (m->stack == NULL)
		return rc;
	pcre2_jit_stack_assign(m->context, NULL, m->stack);
	return pcre2_match(
	    code, (PCRE2_SPTR)text, len, from, options, data, m->context);
}

/* Offset of the first window at or after `at` that contains the pattern's
 * literal; SIZE_MAX: none. */
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
run_windows(struct matcher *m, const struct pattern *p, pcre2_match_data *data,
    const char *text, size_t len, size_t from)
{
	const size_t half = FORMAT_WINDOW / 2;
	const size_t *ov = pcre2_get_ovector_pointer(data);

	for (size_t at = from;; at += half) {
		size_t end;
		int last, rc;

		at = next_window(p, text, len, at);
		if (at == SIZE_MAX || (p->anchored && at > from))
			return PCRE2_ERROR_NOMATCH;
		last = len - at <= 2 * half;
		end = last ? len : at + 2 * half;
		rc = run_regex(
		    m, p, data, text, end, at, last ? 0 : PCRE2_NOTEOL);
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

/* Match a row below the last header, or update that header.  Most rows begin
 * with a digit, and no header does. */
static uint32_t
run_csv(struct matcher *m, const struct pattern *p, size_t *ov,
    const char *text, size_t len, size_t from)
{
	struct matcher_table *t = m->tables;
	struct csv_header header;

	while (t < m->tables + m->n_tables && t->of != p->csv)
		t++;
	if (from > 0 || t == m->tables + MAX_TABLES)
		return 0;
	if (t == m->tables + m->n_tables)
		m->tables[m->n_tables++] =
		    (struct matcher_table){ .of = p->csv };
	if ((t->known || t->n_asked++ < CSV_HEADER_LINES) && len > 0 &&
	    !(text[0] >= '0' && text[0] <= '9') &&
	    (p->n_literal == 0 ||
		memmem(text, len, p->literal, p->n_literal) != NULL) &&
	    csv_read_header(p->csv, text, len, &header)) {
		t->header = header;
		t->known = 1;
		return 0;
	}
	return t->known ? (uint32_t)csv_read_row(&t->header, text, len, ov) : 0;
}

/* Match into data.  Returns the number of pairs, or 0. */
static inline uint32_t
run_pattern(struct matcher *m, const struct pattern *p, pcre2_match_data *data,
    const char *text, size_t len, size_t from)
{
	size_t *ov = pcre2_get_ovector_pointer(data);
	int rc;

	if (p->csv != NULL)
		return run_csv(m, p, ov, text, len, from);
	if (p->n_literal > 0 &&
	    memmem(text + from, len - from, p->literal, p->n_literal) == NULL)
		return 0;
	if (p->json != NULL) {
		const size_t n = json_pattern_match(
		    p->json, text, len, from, ov, &m->meter.left);

		m->n_limits += n == 0 && m->meter.left <= 0;
		return (uint32_t)n;
	}
	if (len - from < p->code->min_len)
		return 0;
	rc = len - from <= FORMAT_LONG_LINE
	    ? run_regex(m, p, data, text, len, from, 0)
	    : run_windows(m, p, data, text, len, from);
	if (rc > 0)
		return (uint32_t)rc;
	if (rc != PCRE2_ERROR_NOMATCH)
		m->n_limits++;
	return 0;
}

static const struct match no_match = { .rank = SAMPLE_NONE, .step = -1 };

/* Fill match with the n pairs in data. */
static inline void
fill_match(struct match *match, const struct pattern *p, pcre2_match_data *data,
    const char *text, size_t len, uint32_t n)
{
	match->pattern = p;
	match->text = text;
	match->len = len;
	match->ov = pcre2_get_ovector_pointer(data);
	match->n_ov = n;
	match->captured = NULL;
}

int
matcher_one(struct matcher *m, const struct pattern *p, const char *text,
    size_t len, size_t from, struct match *match)
{
	uint32_t n;

	(void)matcher_set_work(m, len);
	n = from <= len ? run_pattern(m, p, m->data, text, len, from) : 0;
	if (n == 0)
		return 0;
	*match = no_match;
	fill_match(match, p, m->data, text, len, n);
	return 1;
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

/* Report the match with n pairs in data. */
static void
emit_match(struct match_state *g, const struct pattern *p,
    pcre2_match_data *data, uint32_t n, int64_t step)
{
	struct match match = p->role == ROLE_STEP || p->role == ROLE_CONTEXT
	    ? g->prefix
	    : no_match;

	fill_match(&match, p, data, g->text, g->len, n);
	match.base = g->base;
	match.step = step;
	if (printed_unit_contradicts(&match))
		return;
	g->n_matches++;
	g->consume(g->arg, &match);
}

/* Find the first match of pattern i of the format at or after an offset. */
static const struct next_match *
find_next(struct match_state *g, size_t i, size_t from)
{
	const struct pattern *p = &g->f->patterns[i];
	struct next_match *next = &g->m->next[i];

	if (next->known && next->start >= from && !p->moves_start)
		return next;
	next->known = 1;
	next->start = SIZE_MAX;
	/* Most lines have no second match: look for its first byte before
	 * running the pattern. */
	if (from > 0 && p->code != NULL && p->code->first >= 0 &&
	    memchr(g->text + from, p->code->first, g->len - from) == NULL)
		return next;
	if (next->data == NULL)
		next->data = new_data();
	next->n = run_pattern(g->m, p, next->data, g->text, g->len, from);
	if (next->n > 0)
		next->start = pcre2_get_ovector_pointer(next->data)[0];
	return next;
}

/* Find the leftmost step match at or after an offset; of two with equal starts,
 * that of the earlier pattern in the file.  Returns NULL if there is none.
 *
 * which  out: its pattern */
static const struct next_match *
find_step(struct match_state *g, size_t from, const struct pattern **which)
{
	const struct next_match *best = NULL;

	for (size_t i = 0; i < g->f->n_step_patterns; i++) {
		const struct next_match *x = find_next(g, i, from);

		if (x->start >= (best != NULL ? best->start : SIZE_MAX))
			continue;
		best = x;
		*which = &g->f->patterns[i];
	}
	return best;
}

/* Find a match of an ignore pattern that overlaps [start, end), or NULL.
 *
 * which  out: its pattern */
static const struct next_match *
find_ignore(struct match_state *g, size_t from, size_t start, size_t end,
    const struct pattern **which)
{
	for (size_t i = g->f->n_step_patterns; i < g->f->n_patterns; i++) {
		const struct next_match *x;
		size_t at = from;

		*which = &g->f->patterns[i];
		if ((*which)->role != ROLE_IGNORE)
			continue;
		while (at < end && (x = find_next(g, i, at))->start < end) {
			at = pcre2_get_ovector_pointer(x->data)[1];
			if (at > start)
				return x;
			at = at > x->start ? at : x->start + 1;
		}
	}
	return NULL;
}

/* Search for a prefix in [from, end) of the line and set rank and worker from
 * it.  Returns the end of the prefix; 0: none. */
static size_t
find_prefix(
    struct match_state *g, const struct pattern *p, size_t from, size_t end)
{
	struct matcher *m = g->m;
	const uint32_t n = p->code != NULL
	    ? run_pattern(m, p, m->data, g->text, end, from)
	    : 0;
	struct match match;

	if (n == 0)
		return 0;
	fill_match(&match, p, m->data, g->text, end, n);
	g->prefix = no_match;
	m->prefix_name = (const char *)pcre2_get_mark(m->data);
	for (size_t i = 0; i < p->n_captures; i++) {
		const struct capture *c = &p->captures[i];
		size_t size;
		const char *s = match_text(&match, c, &size);

		if (s == NULL)
			continue;
		if (c->field == FIELD_WORKER) {
			g->prefix.worker = s;
			g->prefix.worker_len = size;
		} else if (c->field == FIELD_RANK && size <= 9) {
			g->prefix.rank = match_rank(s, size);
			g->prefix.rank_text = s;
			g->prefix.rank_len = size;
		}
	}
	return match.ov[1];
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
	    : find_prefix(g, &set->prefix_start, 0,
		  end < FORMAT_MAX_PREFIX ? end : FORMAT_MAX_PREFIX);
}

/* Report all step matches of the line, or the matches of ignore patterns that
 * overlap them. */
static void
match_steps(struct match_state *g)
{
	enum { BETWEEN = FORMAT_MAX_PREFIX / 8 };
	struct matcher *m = g->m;
	const struct pattern *p, *ignored;
	const struct next_match *x, *ignore = NULL;
	size_t from = 0;

	while (from <= g->len && (x = find_step(g, from, &p)) != NULL) {
		const size_t start = x->start;
		const size_t end = pcre2_get_ovector_pointer(x->data)[1];

		if (g->f->n_ignore > 0)
			ignore = find_ignore(g, from, start, end, &ignored);
		if (ignore != NULL) {
			emit_match(g, ignored, ignore->data, ignore->n, -1);
		} else {
			/* The rank is in a prefix of the line, or between the
			 * previous match and this one. */
			g->looked |= start == 0 && g->base == 0;
			if (!g->looked)
				look_for_prefix(g, start);
			if (from > 0 && from < start && m->set != NULL)
				find_prefix(g, &m->set->prefix_end,
				    start - from > BETWEEN ? start - BETWEEN
							   : from,
				    start);
			m->starts = vec_grow(m->starts, m->n_starts,
			    &m->alloc_starts, sizeof *m->starts);
			m->starts[m->n_starts++] = start;
			emit_match(g, p, x->data, x->n, g->n_steps++);
		}
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
				n = run_pattern(
				    m, p, m->data, g->text, to, m->starts[i]);
			if (n > 0)
				emit_match(g, p, m->data, n, (int64_t)i);
		}
	}
}

/* Skip a launcher's prefix, so that ^ matches after it. */
static void
skip_prefix(struct match_state *g)
{
	g->base = look_for_prefix(g, g->len);
	g->text += g->base;
	g->len -= g->base;
}

size_t
matcher_line(struct matcher *m, const struct format *f, unsigned roles,
    const char *line, size_t len, match_consumer *consume, void *arg)
{
	const int64_t work = matcher_set_work(m, len);
	struct match_state g = { .m = m,
		.f = f,
		.roles = roles,
		.text = line,
		.len = len,
		.prefix = no_match,
		.consume = consume,
		.arg = arg };

	for (size_t i = 0; i < f->n_patterns; i++)
		m->next[i].known = 0;
	m->n_starts = 0;
	if (f->step_anchored)
		skip_prefix(&g);
	if (roles & FIELD_NAME_IN(ROLE_STEP))
		match_steps(&g);
	if (roles & FIELD_NAME_IN(ROLE_DETAIL))
		match_details(&g);
	if (g.n_matches == 0) {
		if ((f->rest_anchored || f->has_context) && !f->step_anchored)
			skip_prefix(&g);
		for (size_t i = f->n_step_patterns; i < f->n_patterns; i++) {
			const struct pattern *p = &f->patterns[i];
			size_t from = 0;
			uint32_t n;

			if (!(roles & FIELD_NAME_IN(p->role)) ||
			    p->role == ROLE_DETAIL)
				continue;
			while (from < g.len &&
			    (n = run_pattern(
				 m, p, m->data, g.text, g.len, from)) > 0) {
				const size_t end =
				    pcre2_get_ovector_pointer(m->data)[1];

				emit_match(&g, p, m->data, n, -1);
				from = end > from ? end : from + 1;
			}
		}
	}
	if (m->work != NULL)
		*m->work -= work - m->meter.left;
	return g.n_matches;
}

/* --- A hash table of the first bytes of literals ---------------------------*/

enum {
	GRAM = 4, /* bytes per lookup */
	HASH_BITS = 13,
	N_HEADS = 1 << HASH_BITS
};

struct literal_entry {
	const struct pattern *p;
	size_t format;
	uint32_t next; /* next in the list, from 1; 0: none */
};

struct literal_index {
	struct literal_entry *entries;
	uint32_t n;
	/* Heads of lists of entries, from 1: one per hash of the first bytes;
	 * `rest` for shorter literals. */
	uint32_t heads[N_HEADS], rest;
};

static uint32_t
gram_hash(uint32_t gram)
{
	return (gram * UINT32_C(2654435761)) >> (32 - HASH_BITS);
}

struct literal_index *
literal_index_new(struct format *const *formats, size_t n)
{
	struct literal_index *x = xcalloc(1, sizeof *x);
	size_t n_patterns = 0;

	for (size_t i = 0; i < n; i++)
		n_patterns += formats[i]->n_patterns;
	x->entries = xcalloc(n_patterns + 1, sizeof *x->entries);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < formats[i]->n_patterns; k++) {
			const struct pattern *p = &formats[i]->patterns[k];
			uint32_t gram = 0, *head = &x->rest;

			for (size_t c = 0; c < GRAM && p->n_literal >= GRAM;
			     c++)
				gram = gram << 8 |
				    text_digits_as_one(p->literal[c]);
			if (p->n_literal >= GRAM)
				head = &x->heads[gram_hash(gram)];
			x->entries[x->n++] =
			    (struct literal_entry){ p, i, *head };
			*head = x->n;
		}
	return x;
}

void
literal_index_free(struct literal_index *x)
{
	if (x == NULL)
		return;
	free(x->entries);
	free(x);
}

void
literal_index_find(const struct literal_index *x, const char *text, size_t len,
    literal_consumer *consume, void *arg)
{
	struct text_set made = { { 0 } };
	const struct literal_entry *entry;
	uint32_t gram = 0, k;

	text_set_add_text(&made, text, len);
	for (k = x->rest; k > 0; k = entry->next) {
		entry = &x->entries[k - 1];
		if (text_set_holds(&made, &entry->p->need))
			consume(arg, entry->format, entry->p);
	}
	for (size_t end = 1; end <= len; end++) {
		gram = gram << 8 | text_digits_as_one(text[end - 1]);
		k = end >= GRAM ? x->heads[gram_hash(gram)] : 0;
		for (; k > 0; k = entry->next) {
			const char *at = text + end - GRAM;
			const struct pattern *p;
			size_t i = 0;

			entry = &x->entries[k - 1];
			p = entry->p;
			while (i < p->n_literal && at + i < text + len &&
			    text_digits_as_one(at[i]) ==
				text_digits_as_one(p->literal[i]))
				i++;
			if (i == p->n_literal &&
			    text_set_holds(&made, &p->need))
				consume(arg, entry->format, p);
		}
	}
}

/* --- The nearest pattern, for messages -------------------------------------*/

/* PCRE2 calls this before every item of the pattern. */
static int
note_progress(pcre2_callout_block *block, void *arg)
{
	struct nearest_pattern *best = arg;

	if (block->current_position - block->start_match >
	    best->end - best->start) {
		best->start = block->start_match;
		best->end = block->current_position;
		best->rest = best->pattern->text + block->pattern_position;
	}
	return 0;
}

int
nearest_pattern_find(const struct format *const *formats, size_t n,
    unsigned roles, const char *line, size_t len, struct nearest_pattern *out)
{
	pcre2_match_context *context = new_context();
	pcre2_match_data *data = new_data();
	size_t most = NEAREST_PATTERN_MIN - 1, missing;
	PCRE2_SIZE offset;
	int code;

	out->pattern = NULL;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < formats[i]->n_patterns; k++) {
			const struct pattern *p = &formats[i]->patterns[k];
			struct nearest_pattern x = { formats[i], p, 0, 0,
				NULL };

			if (!(FIELD_NAME_IN(p->role) & roles))
				continue;
			/* An object that only lacks a selector is the nearest
			 * if no other pattern matched partially. */
			if (p->json != NULL && out->pattern == NULL) {
				x.rest = json_pattern_missing(
				    p->json, line, len, &missing, &x.end);
				x.start = x.end;
				if (x.rest != NULL)
					*out = x;
			}
			if (p->code == NULL)
				continue;
			/* Made on first use; NULL if it is too large. */
			if (p->code->traced == NULL)
				p->code->traced = pcre2_compile(
				    (PCRE2_SPTR)p->text, PCRE2_ZERO_TERMINATED,
				    PCRE2_NEVER_BACKSLASH_C |
					PCRE2_AUTO_CALLOUT |
					PCRE2_NO_START_OPTIMIZE,
				    &code, &offset, NULL);
			if (p->code->traced == NULL)
				continue;
			pcre2_set_callout(context, note_progress, &x);
			pcre2_match(p->code->traced, (PCRE2_SPTR)line, len, 0,
			    0, data, context);
			if (x.end - x.start > most) {
				most = x.end - x.start;
				*out = x;
			}
		}
	pcre2_match_context_free(context);
	pcre2_match_data_free(data);
	return out->pattern != NULL;
}

/* --- The unit printed after a value ----------------------------------------*/

/* A pattern need not end with the unit, so another program's line with the same
 * words before its number would otherwise be read in the wrong unit. */

/* Units of printed values; UNIT_OTHER: none, or unknown. */
enum printed_unit {
	UNIT_OTHER,
	UNIT_SECONDS, /* also per iteration, per sample */
	UNIT_MILLISECONDS,
	UNIT_MICROSECONDS,
	UNIT_SAMPLES, /* per second: images, sequences, ... */
	UNIT_TOKENS,
	UNIT_ITERATIONS,
	UNIT_REQUESTS
};

enum { MAX_WORD = 16 };

struct unit_words {
	const char *words; /* separated by '|' */
	enum printed_unit unit;
};

static const struct unit_words times[] = {
	{ "s|sec|secs|second|seconds", UNIT_SECONDS },
	{ "ms|msec|msecs|millisecond|milliseconds", UNIT_MILLISECONDS },
	{ "us|usec|usecs|microseconds", UNIT_MICROSECONDS },
	{ NULL, UNIT_OTHER },
};

/* Counted quantities; a unit of seconds must follow. */
static const struct unit_words counted[] = {
	{ "sample|samples|image|images|img|imgs|example|examples|sequence|"
	  "sequences|seq|seqs",
	    UNIT_SAMPLES },
	{ "token|tokens|tok|toks", UNIT_TOKENS },
	{ "it|its|iter|iters|iteration|iterations|step|steps|batch|batches",
	    UNIT_ITERATIONS },
	{ "request|requests|req|reqs|query|queries|infer|inferences",
	    UNIT_REQUESTS },
	{ NULL, UNIT_OTHER },
};

static int
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Length of the word at the start of a text; 0: none, or too long. */
static size_t
word_length(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && n <= MAX_WORD && is_letter(text[n]))
		n++;
	return n <= MAX_WORD ? n : 0;
}

static enum printed_unit
find_word(const struct unit_words *units, const char *text, size_t len)
{
	for (; len > 0 && units->words != NULL; units++)
		if (words_match(
			units->words, WORDS_ALL | WORDS_FOLD, text, len))
			return units->unit;
	return UNIT_OTHER;
}

/* Offset of the first character at or after `at` that is not one of chars. */
static size_t
skip_any(const char *text, size_t len, size_t at, const char *chars)
{
	while (at < len && text[at] != '\0' && strchr(chars, text[at]) != NULL)
		at++;
	return at;
}

/* Read the unit at the start of a text, after spaces and one bracket.
 *
 * text  [len] text after a number */
static enum printed_unit
printed_unit_read(const char *text, size_t len)
{
	enum printed_unit unit;
	size_t at = skip_any(text, len, 0, " "), n;

	if (at < len && (text[at] == '(' || text[at] == '['))
		at++;
	n = word_length(text + at, len - at);
	if (n == 3 && strncasecmp(text + at, "qps", 3) == 0)
		return UNIT_REQUESTS;
	/* "12 s" and "12 s/it"; "12 it" is not a time. */
	unit = find_word(times, text + at, n);
	if (unit != UNIT_OTHER)
		return unit;
	unit = find_word(counted, text + at, n);
	/* "/s", " / sec", " per second", "_per_sec"; not for milliseconds. */
	at = skip_any(text, len, at + n, " _");
	if (at < len && text[at] == '/')
		at++;
	else if (len - at > 3 && strncasecmp(text + at, "per", 3) == 0)
		at += 3;
	else
		return UNIT_OTHER;
	at = skip_any(text, len, at, " _");
	return find_word(times, text + at, word_length(text + at, len - at)) ==
		UNIT_SECONDS
	    ? unit
	    : UNIT_OTHER;
}

/* Unit that the pattern expects. */
static enum printed_unit
expected_unit(const struct field_name *word)
{
	if ((word->value == FIELD_NAME_STEP_TIME ||
		word->value == FIELD_NAME_ELAPSED) &&
	    strcmp(word->name, "bar_time") != 0)
		return word->divisor < 10 ? UNIT_SECONDS
		    : word->divisor < 1e5 ? UNIT_MILLISECONDS
					  : UNIT_MICROSECONDS;
	if (word->value != FIELD_NAME_RATE || word->unit == NULL ||
	    strcmp(word->unit, "GB/s") == 0)
		return UNIT_OTHER;
	return strcmp(word->unit, "tokens/s") == 0    ? UNIT_TOKENS
	    : strcmp(word->unit, "iterations/s") == 0 ? UNIT_ITERATIONS
						      : UNIT_SAMPLES;
}

/* True if the pattern has the unit's first word after the value: it was then
 * written for this unit, whatever the program means by it.  Negative
 * look-arounds do not count. */
static int
is_named(const struct pattern *p, const struct capture *c, const char *text,
    size_t len)
{
	const char *s = p->text, *end;
	size_t at = 0, n;
	int depth = 0;         /* open groups */
	int refused_depth = 0; /* outermost open "(?!" or "(?<!"; 0: none */
	int after = 0;         /* 1: the group of the value has begun */

	while (at < len && !is_letter(text[at]))
		at++;
	n = word_length(text + at, len - at);
	for (; n >= 2 && *s != '\0'; s = end) {
		for (end = s; is_letter(*end);)
			end++;
		if (end > s) {
			if (after && (size_t)(end - s) == n &&
			    refused_depth == 0 && strncmp(s, text + at, n) == 0)
				return 1;
			continue;
		}
		end = regex_after_unit(s);
		if (*s == '(' && end[-1] != ')') {
			depth++;
			if (refused_depth == 0 && end[-1] == '!')
				refused_depth = depth;
			after |= strncmp(s, "(?<", 3) == 0 &&
			    strncmp(s + 3, c->name, strlen(c->name)) == 0 &&
			    s[3 + strlen(c->name)] == '>';
		} else if (*s == ')' && depth-- == refused_depth) {
			refused_depth = 0;
		}
	}
	return 0;
}

int
printed_unit_contradicts(const struct match *match)
{
	const struct pattern *p = match->pattern;

	if (p->role != ROLE_STEP && p->role != ROLE_SUMMARY)
		return 0;
	for (size_t i = 0; i < p->n_captures; i++) {
		const struct capture *c = &p->captures[i];
		const enum printed_unit want = expected_unit(c->word);
		enum printed_unit is;
		const char *text;
		size_t len, end;

		if (want == UNIT_OTHER ||
		    (text = match_text(match, c, &len)) == NULL)
			continue;
		end = (size_t)(text + len - match->text);
		is = printed_unit_read(match->text + end, match->len - end);
		if (is != UNIT_OTHER && is != want &&
		    !is_named(p, c, match->text + end, match->len - end))
			return 1;
	}
	return 0;
}
