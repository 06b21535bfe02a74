/* Lines that were matched before, but for their digits: their matches are
 * replayed at the same places.  Called by scanner_state.c and tail_values.c;
 * what a match means it does not know. */
#include <config.h>

#include "extract/scan/line_template.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/scan/detect/digit_mask.h"
#include "extract/scan/samples/number_plan.h"

enum {
	MAX_LINE = 1024, /* longer lines are not kept, nor are shorter ones */
	MIN_LINE = DIGIT_MASK_MIN,
	MAX_MATCHES = 8, /* of a line */
	MAX_OFFSETS = 128,
	MAX_NUMBERS = 32,
	N_SETS = 64, /* by the length of the line */
	N_WAYS = 8,
	N_RECENT = 2,
	/* So many lines are watched; if less than a fourth of them was kept,
	 * so many are left alone. */
	WATCHED = 2048,
	LEFT_ALONE = 65536
};

struct line_template {
	size_t len; /* 0: none is kept here */
	int marked;
	uint64_t serial; /* 0: none is kept here */
	struct line_template_notes notes;
	uint64_t log;   /* the last in which such a line was unread */
	int64_t unread; /* such lines since the last flush */
	size_t n_matches, n_offsets, n_numbers;
	char text[MAX_LINE];          /* '0' where any digit may stand */
	unsigned char most[MAX_LINE]; /* and 9 there, else 0: what a byte may
	                                 differ from text, exclusive or */
	struct match matches[MAX_MATCHES]; /* text and line are set in turn */
	size_t rank_at[MAX_MATCHES], worker_at[MAX_MATCHES]; /* where a prefix
	                                        states them */
	struct number_plan plans[MAX_MATCHES];
	size_t offsets[MAX_OFFSETS];
	struct number_plan_number numbers[MAX_NUMBERS];
};

struct line_templates {
	struct line_template *sets[N_SETS][N_WAYS];
	unsigned turn;             /* way that is given up next */
	struct line_template *now; /* being made, or NULL */
	struct line_template
	    *last; /* made or replayed for the last line, or NULL */
	struct line_template
	    *recent[N_RECENT];       /* that lines had, the last one first;
	                                   or NULL */
	const char *line;            /* it is made of */
	uint64_t log;                /* number of the current log, from 1 */
	struct unread_lines *unread; /* of it, or NULL */
	long watched, found, left_alone;
	uint64_t n_plans; /* that were made */
	uint64_t n_made;  /* templates */
};

struct line_templates *
line_templates_new(void)
{
	return xcalloc(1, sizeof(struct line_templates));
}

void
line_templates_free(struct line_templates *all)
{
	if (all == NULL)
		return;
	for (int i = 0; i < N_SETS; i++)
		for (int j = 0; j < N_WAYS; j++)
			free(all->sets[i][j]);
	free(all);
}

/* --- Lines without a match -------------------------------------------------*/

static void
flush_template(struct line_templates *all, struct line_template *m)
{
	if (m->len > 0 && m->log == all->log && m->unread > 0)
		unread_lines_count(all->unread, m->text, m->len, m->unread);
	m->unread = 0;
}

void
line_templates_flush_unread(struct line_templates *all)
{
	for (int i = 0; i < N_SETS; i++)
		for (int j = 0; j < N_WAYS; j++)
			if (all->sets[i][j] != NULL)
				flush_template(all, all->sets[i][j]);
}

void
line_templates_new_log(struct line_templates *all, struct unread_lines *unread)
{
	all->log++;
	all->unread = unread;
}

int
line_templates_count_unread(struct line_templates *all)
{
	struct line_template *m = all->last;

	if (m == NULL)
		return 0;
	if (m->log != all->log) {
		m->log = all->log;
		m->unread = 0;
		return 0;
	}
	m->unread++;
	return 1;
}

void
line_templates_clear(struct line_templates *all)
{
	line_templates_flush_unread(all);
	for (int i = 0; i < N_SETS; i++)
		for (int j = 0; j < N_WAYS; j++)
			if (all->sets[i][j] != NULL)
				all->sets[i][j]->len = all->sets[i][j]->serial =
				    0;
	all->now = NULL;
	all->last = NULL;
	memset(all->recent, 0, sizeof all->recent);
	all->watched = all->found = all->left_alone = 0;
}

/* --- Lines -----------------------------------------------------------------*/

/* Is the line of m's length like m's? */
static inline int
line_template_fits(const struct line_template *m, const char *line, size_t len)
{
	return digit_mask_fits(line, m->text, m->most, len);
}

size_t
line_template_emit(struct line_template *m, const char *line,
    match_consumer *consume, void *arg)
{
	for (size_t i = 0; i < m->n_matches; i++) {
		struct match *h = &m->matches[i];

		h->text = line + h->base;
		h->line = line;
		if (h->rank_text != NULL) {
			h->rank_text = line + m->rank_at[i];
			h->rank = match_rank(h->rank_text, h->rank_len);
		}
		if (h->worker != NULL)
			h->worker = line + m->worker_at[i];
		consume(arg, h);
	}
	return m->n_matches;
}

/* The current line has that template. */
static inline void
line_templates_note(struct line_templates *all, struct line_template *m)
{
	all->last = m;
	if (all->recent[0] != m) {
		all->recent[1] = all->recent[0];
		all->recent[0] = m;
	}
}

size_t
line_template_again(struct line_templates *all, const char *text, size_t len,
    struct line_template **of)
{
	if (all->left_alone > 0)
		return 0;
	for (int i = 0; i < N_RECENT; i++) {
		struct line_template *m = all->recent[i];

		if (m == NULL || m->len == 0 || m->len >= len ||
		    (text[m->len] != '\n' && text[m->len] != '\r') ||
		    !line_template_fits(m, text, m->len))
			continue;
		line_templates_note(all, m);
		all->found++;
		*of = m;
		return m->len;
	}
	return 0;
}

/* Does the text begin with a line like m's, and its end or that of all? */
static inline int
begins_like(const struct line_template *m, const char *text, size_t len)
{
	if (m == NULL || m->len == 0 || m->len > len ||
	    (m->len < len && text[m->len] != '\n' && text[m->len] != '\r'))
		return 0;
	return line_template_fits(m, text, m->len);
}

struct line_template *
line_template_peek(
    struct line_template *recent[2], const char *text, size_t len, size_t *n)
{
	for (int i = 0; i < N_RECENT; i++) {
		struct line_template *m = recent[i];

		if (!begins_like(m, text, len))
			continue;
		recent[i] = recent[0];
		*n = m->len;
		return recent[0] = m;
	}
	return NULL;
}

#if defined(DIGIT_MASK_HAVE_WIDE)

__attribute__((target("avx2"))) static size_t
count_wide(
    const struct line_template *m, const char *text, size_t len, size_t most)
{
	const size_t stride = m->len + 1;
	size_t n = 0;

	while (n < most && len >= stride && text[m->len] == '\n' &&
	    digit_mask_fits_wide(text, m->text, m->most, m->len)) {
		text += stride;
		len -= stride;
		n++;
	}
	return n;
}

enum { ZMM = 64, MAX_ZMM = 3 };

/* The same of lines of 64 to 192 bytes, whose copies stay in registers. */
__attribute__((target("avx512bw"))) static size_t
count_wider(
    const struct line_template *m, const char *text, size_t len, size_t most)
{
	const size_t stride = m->len + 1, last = m->len - ZMM;
	const size_t middle = last < ZMM ? last : ZMM;
	const __m512i t0 = _mm512_loadu_si512(m->text),
		      t1 = _mm512_loadu_si512(m->text + middle),
		      t2 = _mm512_loadu_si512(m->text + last);
	const __m512i m0 = _mm512_loadu_si512(m->most),
		      m1 = _mm512_loadu_si512(m->most + middle),
		      m2 = _mm512_loadu_si512(m->most + last);
	size_t n = 0;

	for (; n < most && len >= stride && text[m->len] == '\n'; n++) {
		const __m512i x0 = _mm512_loadu_si512(text),
			      x1 = _mm512_loadu_si512(text + middle),
			      x2 = _mm512_loadu_si512(text + last);
		const __m512i odd = _mm512_or_si512(
		    _mm512_or_si512(
			_mm512_subs_epu8(_mm512_xor_si512(x0, t0), m0),
			_mm512_subs_epu8(_mm512_xor_si512(x1, t1), m1)),
		    _mm512_subs_epu8(_mm512_xor_si512(x2, t2), m2));

		if (_mm512_test_epi8_mask(odd, odd) != 0)
			break;
		text += stride;
		len -= stride;
	}
	return n;
}

#endif

size_t
line_template_count(
    const struct line_template *m, const char *text, size_t len, size_t most)
{
	const size_t stride = m->len + 1;
	size_t n = 0;

#if defined(DIGIT_MASK_HAVE_WIDE)
	if (m->len >= ZMM && m->len <= MAX_ZMM * ZMM &&
	    __builtin_cpu_supports("avx512bw"))
		return count_wider(m, text, len, most);
	if (m->len >= DIGIT_MASK_WIDE_MIN && __builtin_cpu_supports("avx2"))
		return count_wide(m, text, len, most);
#endif
	while (n < most && len >= stride && text[m->len] == '\n' &&
	    line_template_fits(m, text, m->len)) {
		text += stride;
		len -= stride;
		n++;
	}
	return n;
}

struct line_template *
line_template_search(const struct line_templates *all,
    struct line_template *recent[2], const char *line, size_t len)
{
	struct line_template *const *set = all->sets[len % N_SETS];

	for (int i = 0; i < N_WAYS && len > 0; i++) {
		if (set[i] == NULL || set[i]->len != len ||
		    !line_template_fits(set[i], line, len))
			continue;
		recent[1] = recent[0];
		return recent[0] = set[i];
	}
	return NULL;
}

void
line_template_take(
    struct line_templates *all, struct line_template *m, size_t n)
{
	all->found += (long)n;
	line_templates_note(all, m);
}

const struct match *
line_template_only_match(const struct line_template *m)
{
	const struct match *first = &m->matches[0];

	if (m->n_matches == 0)
		return NULL;
	for (size_t i = 1; i < m->n_matches; i++)
		if (m->matches[i].pattern->role != ROLE_DETAIL ||
		    m->matches[i].step != first->step)
			return NULL;
	return first;
}

int32_t
line_template_rank(const struct line_template *m, const char *line)
{
	const struct match *h = &m->matches[0];

	return h->rank_text == NULL
	    ? h->rank
	    : match_rank(line + m->rank_at[0], h->rank_len);
}

int
line_template_is_unread(const struct line_template *m)
{
	return m->n_matches == 0;
}

uint64_t
line_template_serial(const struct line_template *m)
{
	return m->serial;
}

struct line_template_notes *
line_template_notes(struct line_template *m)
{
	return &m->notes;
}

const char *
line_template_masked(
    const struct line_template *m, const unsigned char **most, size_t *len)
{
	*most = m->most;
	*len = m->len;
	return m->text;
}

int
line_template_replay(struct line_templates *all, const char *line, size_t len,
    match_consumer *consume, void *arg, size_t *n)
{
	struct line_template *const *set = all->sets[len % N_SETS];

	all->last = NULL;
	if (all->left_alone > 0)
		return 0;
	for (int i = 0; i < N_WAYS; i++) {
		if (set[i] == NULL || set[i]->len != len ||
		    !line_template_fits(set[i], line, len))
			continue;
		all->found++;
		line_templates_note(all, set[i]);
		*n = line_template_emit(set[i], line, consume, arg);
		return set[i]->marked ? 2 : 1;
	}
	return 0;
}

/* Is it worth while to keep this line? */
static int
line_templates_watch(struct line_templates *all)
{
	if (all->left_alone > 0) {
		all->left_alone--;
		return 0;
	}
	if (++all->watched >= WATCHED) {
		/* Those that were found are not among the watched. */
		if (all->found < all->watched / 3)
			all->left_alone = LEFT_ALONE;
		all->watched = all->found = 0;
	}
	return 1;
}

int
line_templates_rest(const struct line_templates *all)
{
	return all->left_alone > 0;
}

void
line_template_begin(struct line_templates *all, const char *line, size_t len)
{
	struct line_template **m;

	all->now = NULL;
	if (len < MIN_LINE || len > MAX_LINE || !line_templates_watch(all))
		return;
	m = &all->sets[len % N_SETS][all->turn++ % N_WAYS];
	if (*m == NULL)
		*m = xmalloc(sizeof **m);
	else
		flush_template(all, *m);
	all->now = *m;
	all->now->log = 0;
	all->now->unread = 0;
	all->now->serial = ++all->n_made;
	memset(&all->now->notes, 0, sizeof all->now->notes);
	all->line = line;
	all->now->len = len;
	all->now->marked = 0;
	all->now->n_matches = all->now->n_offsets = all->now->n_numbers = 0;
}

/* Copy a match into the template. */
static void
add_match(struct line_templates *all, struct line_template *m,
    const struct match *match)
{
	const char *line = all->line;
	const size_t n = 2 * (size_t)match->n_ov;
	struct match *h = &m->matches[m->n_matches];
	size_t *rank_at = &m->rank_at[m->n_matches];
	size_t *worker_at = &m->worker_at[m->n_matches];
	struct number_plan *r = &m->plans[m->n_matches++];

	memcpy(m->offsets + m->n_offsets, match->ov, n * sizeof *match->ov);
	*h = *match;
	h->base = (size_t)(match->text - line);
	if (match->rank_text != NULL)
		*rank_at = (size_t)(match->rank_text - line);
	if (match->worker != NULL)
		*worker_at = (size_t)(match->worker - line);
	h->ov = m->offsets + m->n_offsets;
	m->n_offsets += n;
	h->plan = NULL;
	if (number_plan_make(r, match, line, m->len, m->numbers + m->n_numbers,
		MAX_NUMBERS - m->n_numbers)) {
		r->serial = ++all->n_plans;
		h->plan = r;
		m->n_numbers += r->n_all;
	}
}

void
line_template_add(struct line_templates *all, const struct match *match)
{
	struct line_template *m = all->now;

	if (m == NULL)
		return;
	if (m->n_matches == MAX_MATCHES ||
	    m->n_offsets + 2 * (size_t)match->n_ov > MAX_OFFSETS) {
		m->len = 0;
		all->now = NULL;
		return;
	}
	add_match(all, m, match);
}

void
line_template_end(struct line_templates *all)
{
	struct line_template *m = all->now;

	if (m == NULL)
		return;
	digit_mask_places(all->line, m->len, m->text, m->most);
	all->now = NULL;
	line_templates_note(all, m);
}

void
line_templates_pass(struct line_templates *all)
{
	all->last = NULL;
}

void
line_template_mark(struct line_templates *all)
{
	if (all->last != NULL)
		all->last->marked = 1;
}

int
line_template_is_marked(const struct line_template *m)
{
	return m->marked;
}
