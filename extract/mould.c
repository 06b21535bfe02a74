#include <config.h>

#include "extract/mould.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/recipe.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
	MAX_LINE = 1024, /* longer lines are not kept, nor are shorter ones */
	MIN_LINE = 16,   /* than a vector */
	MAX_HITS = 8,    /* of a line */
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

struct mould {
	size_t len; /* 0: none is kept here */
	int marked;
	size_t n_hits, n_offsets, n_numbers;
	unsigned char text[MAX_LINE]; /* '0' where any digit may stand */
	unsigned char most[MAX_LINE]; /* and 9 there, else 0: what a byte may
	                                 differ from text, exclusive or */
	struct hit hits[MAX_HITS];    /* text and line are set in turn */
	struct recipe recipes[MAX_HITS];
	size_t offsets[MAX_OFFSETS];
	struct recipe_number numbers[MAX_NUMBERS];
};

struct moulds {
	struct mould *sets[N_SETS][N_WAYS];
	unsigned turn;      /* way that is given up next */
	struct mould *now;  /* being made, or NULL */
	struct mould *last; /* made or replayed for the last line, or NULL */
	struct mould *recent[N_RECENT]; /* that lines had, the last one first;
	                                   or NULL */
	const char *line;               /* it is made of */
	long watched, found, left_alone;
};

struct moulds *
moulds_new(void)
{
	return xcalloc(1, sizeof(struct moulds));
}

void
moulds_free(struct moulds *all)
{
	if (all == NULL)
		return;
	for (int i = 0; i < N_SETS; i++)
		for (int j = 0; j < N_WAYS; j++)
			free(all->sets[i][j]);
	free(all);
}

void
moulds_clear(struct moulds *all)
{
	for (int i = 0; i < N_SETS; i++)
		for (int j = 0; j < N_WAYS; j++)
			if (all->sets[i][j] != NULL)
				all->sets[i][j]->len = 0;
	all->now = NULL;
	all->last = NULL;
	memset(all->recent, 0, sizeof all->recent);
	all->watched = all->found = all->left_alone = 0;
}

/* --- Patterns --------------------------------------------------------------*/

static int
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* May digits behind it be named by a pattern? */
static int
holds_digits(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	    c == '@';
}

/* Behind an escape at p, or NULL if it may tell digits apart. */
static const char *
skip_escape(const char *p)
{
	const char c = p[1];

	if (c == '\0' || c < 0)
		return NULL;
	if (is_digit(c) ||
	    (holds_digits(c) && c != '_' && c != '@' &&
		strchr("dDsSwWbBhHvVtrnAzZK", c) == NULL))
		return NULL;
	return p + 2;
}

/* Behind a character class at p, or NULL. */
static const char *
skip_class(const char *p)
{
	p++;
	if (*p == '^')
		p++;
	if (*p == ']')
		p++;
	while (*p != ']') {
		if (*p == '\0' || (*p == '[' && strchr(":.=", p[1]) != NULL))
			return NULL;
		if (strncmp(p, "0-9", 3) == 0)
			p += 3;
		else if (is_digit(*p))
			return NULL;
		else if (*p == '\\')
			p = skip_escape(p);
		else
			p++;
		if (p == NULL)
			return NULL;
	}
	return p + 1;
}

/* Behind what opens a group at p, or NULL. */
static const char *
skip_group(const char *p)
{
	static const char *const known[] = { "(?:", "(?=", "(?!",
		"(?<=", "(?<!", "(?>", "(?|", "(?i)", "(?i:", "(?J)" };

	if (strncmp(p, "(*MARK:", 7) == 0) {
		p = strchr(p, ')');
		return p != NULL ? p + 1 : NULL;
	}
	if (p[1] == '*')
		return NULL;
	if (p[1] != '?')
		return p + 1;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strncmp(p, known[i], strlen(known[i])) == 0)
			return p + strlen(known[i]);
	if (strncmp(p, "(?<", 3) == 0) {
		p = strchr(p, '>');
		return p != NULL ? p + 1 : NULL;
	}
	return NULL;
}

/* Behind a quantifier {2,3} at p, or behind the brace where it is none. */
static const char *
skip_count(const char *p)
{
	const size_t n = strspn(p + 1, "0123456789,");

	return p[1 + n] == '}' ? p + n + 2 : p + 1;
}

int
mould_is_blind(const char *pattern)
{
	const char *p = pattern;
	int held = 0; /* p stands behind what holds digits */

	while (p != NULL && *p != '\0') {
		const char c = *p;

		if (is_digit(c)) {
			if (!held)
				return 0;
			p++;
			continue;
		}
		held = holds_digits(c);
		if (c == '\\')
			p = skip_escape(p);
		else if (c == '[')
			p = skip_class(p);
		else if (c == '(')
			p = skip_group(p);
		else if (c == '{')
			p = skip_count(p);
		else
			p++;
	}
	return p != NULL;
}

#if defined(__SSE2__)

/* A bit for each byte of x that is from first on, last at most. */
static inline unsigned
bytes_from_to(__m128i x, char first, char last)
{
	const __m128i d = _mm_sub_epi8(x, _mm_set1_epi8(first));
	const __m128i most = _mm_set1_epi8((char)(last - first));

	return (unsigned)_mm_movemask_epi8(
	    _mm_cmpeq_epi8(_mm_min_epu8(d, most), d));
}

static inline unsigned
bytes_equal(__m128i x, char c)
{
	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8(c)));
}

/* The bytes whose bit is set are 0xff, the others 0. */
static inline __m128i
spread(unsigned bits)
{
	const __m128i which =
	    _mm_set1_epi64x((long long)UINT64_C(0x8040201008040201));
	__m128i x = _mm_cvtsi32_si128((int)bits);

	x = _mm_unpacklo_epi8(x, x);
	x = _mm_shufflelo_epi16(x, 0x50);
	x = _mm_unpacklo_epi32(x, x);
	return _mm_cmpeq_epi8(_mm_and_si128(x, which), which);
}

/* Mask 16 bytes at a time as long as there are so many.  Returns how many were
 * done; held as in mould_mask. */
static size_t
mask_blocks(const char *line, size_t len, char *out, int *held)
{
	unsigned carry = 0;
	size_t i = 0;

	for (; i + 16 <= len; i += 16) {
		const __m128i x = _mm_loadu_si128((const __m128i *)(line + i));
		const __m128i lower = _mm_or_si128(x, _mm_set1_epi8(0x20));
		const unsigned digits = bytes_from_to(x, '0', '9');
		const unsigned holders = bytes_from_to(lower, 'a', 'z') |
		    bytes_equal(x, '_') | bytes_equal(x, '@');
		/* Runs of digits behind a holder: the sum carries through. */
		const unsigned begin = (holders << 1 | carry) & digits;
		const unsigned kept = digits & ~(digits + begin);
		const __m128i free = spread(digits & ~kept);

		_mm_storeu_si128((__m128i *)(out + i),
		    _mm_or_si128(_mm_andnot_si128(free, x),
			_mm_and_si128(free, _mm_set1_epi8('0'))));
		carry = (holders | kept) >> 15 & 1;
	}
	*held = (int)carry;
	return i;
}

#else

static size_t
mask_blocks(const char *line, size_t len, char *out, int *held)
{
	(void)line, (void)len, (void)out;
	*held = 0;
	return 0;
}

#endif

void
mould_mask(const char *line, size_t len, char *out)
{
	int held; /* the digits at hand stand behind what holds them */

	for (size_t i = mask_blocks(line, len, out, &held); i < len; i++) {
		const char c = line[i];

		if (!is_digit(c))
			held = holds_digits(c);
		out[i] = is_digit(c) && !held ? '0' : c;
	}
}

/* --- Lines -----------------------------------------------------------------*/

#if defined(__SSE2__)

/* How 16 bytes differ from the mould beyond what they may. */
static inline __m128i
misfit(const char *line, const struct mould *m, size_t i)
{
	const __m128i x = _mm_loadu_si128((const __m128i *)(line + i));
	const __m128i t = _mm_loadu_si128((const __m128i *)(m->text + i));
	const __m128i most = _mm_loadu_si128((const __m128i *)(m->most + i));

	return _mm_subs_epu8(_mm_xor_si128(x, t), most);
}

static inline int
is_zero(__m128i x)
{
	return _mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_setzero_si128())) ==
	    0xffff;
}

/* Is the line of m's length like m's?  '0' to '9' are those bytes that differ
 * from '0' by 9 at most. */
static inline int
fits(const struct mould *m, const char *line, size_t len)
{
	__m128i odd = misfit(line, m, len - 16);
	size_t i = 0;

	for (; i + 64 <= len; i += 64) {
		odd = _mm_or_si128(odd,
		    _mm_or_si128(_mm_or_si128(misfit(line, m, i),
				     misfit(line, m, i + 16)),
			_mm_or_si128(
			    misfit(line, m, i + 32), misfit(line, m, i + 48))));
		if (!is_zero(odd))
			return 0;
	}
	for (; i + 16 <= len; i += 16)
		odd = _mm_or_si128(odd, misfit(line, m, i));
	return is_zero(odd);
}

#else

static int
fits(const struct mould *m, const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)line[i] ^ m->text[i]) > m->most[i])
			return 0;
	return 1;
}

#endif

void
mould_give(struct mould *m, const char *line, hit_taker *take, void *arg)
{
	for (size_t i = 0; i < m->n_hits; i++) {
		m->hits[i].text = line + m->hits[i].base;
		m->hits[i].line = line;
		take(arg, &m->hits[i]);
	}
}

/* The line at hand has that mould. */
static inline void
note(struct moulds *all, struct mould *m)
{
	all->last = m;
	if (all->recent[0] != m) {
		all->recent[1] = all->recent[0];
		all->recent[0] = m;
	}
}

size_t
mould_again(struct moulds *all, const char *text, size_t len, struct mould **of)
{
	if (all->left_alone > 0)
		return 0;
	for (int i = 0; i < N_RECENT; i++) {
		struct mould *m = all->recent[i];

		if (m == NULL || m->len == 0 || m->len >= len ||
		    (text[m->len] != '\n' && text[m->len] != '\r') ||
		    !fits(m, text, m->len))
			continue;
		note(all, m);
		all->found++;
		*of = m;
		return m->len;
	}
	return 0;
}

int
mould_replay(struct moulds *all, const char *line, size_t len, hit_taker *take,
    void *arg)
{
	struct mould *const *set = all->sets[len % N_SETS];

	all->last = NULL;
	if (all->left_alone > 0)
		return 0;
	for (int i = 0; i < N_WAYS; i++) {
		if (set[i] == NULL || set[i]->len != len ||
		    !fits(set[i], line, len))
			continue;
		all->found++;
		note(all, set[i]);
		mould_give(set[i], line, take, arg);
		return set[i]->marked ? 2 : 1;
	}
	return 0;
}

/* Is it worth while to keep this line? */
static int
watch(struct moulds *all)
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

void
mould_begin(struct moulds *all, const char *line, size_t len)
{
	struct mould **m;

	all->now = NULL;
	if (len < MIN_LINE || len > MAX_LINE || !watch(all))
		return;
	m = &all->sets[len % N_SETS][all->turn++ % N_WAYS];
	if (*m == NULL)
		*m = xmalloc(sizeof **m);
	all->now = *m;
	all->line = line;
	all->now->len = len;
	all->now->marked = 0;
	all->now->n_hits = all->now->n_offsets = all->now->n_numbers = 0;
}

/* Copy a hit into the mould. */
static void
add_hit(struct mould *m, const struct hit *hit, const char *line, size_t len)
{
	const size_t n = 2 * (size_t)hit->n_ov;
	struct hit *h = &m->hits[m->n_hits];
	struct recipe *r = &m->recipes[m->n_hits++];

	memcpy(m->offsets + m->n_offsets, hit->ov, n * sizeof *hit->ov);
	*h = *hit;
	h->base = (size_t)(hit->text - line);
	h->ov = m->offsets + m->n_offsets;
	m->n_offsets += n;
	h->recipe = NULL;
	if (recipe_make(r, hit, line, len, m->numbers + m->n_numbers,
		MAX_NUMBERS - m->n_numbers)) {
		h->recipe = r;
		m->n_numbers += r->n_all;
	}
}

void
mould_add(struct moulds *all, const struct hit *hit)
{
	struct mould *m = all->now;

	if (m == NULL)
		return;
	if (hit->rank != SAMPLE_NONE || hit->worker != NULL ||
	    m->n_hits == MAX_HITS ||
	    m->n_offsets + 2 * (size_t)hit->n_ov > MAX_OFFSETS) {
		m->len = 0;
		all->now = NULL;
		return;
	}
	add_hit(m, hit, all->line, m->len);
}

void
mould_end(struct moulds *all)
{
	struct mould *m = all->now;
	int held = 0; /* the digits at hand stand behind what holds them */

	if (m == NULL)
		return;
	for (size_t i = 0; i < m->len; i++) {
		const char c = all->line[i];

		if (!is_digit(c))
			held = holds_digits(c);
		m->text[i] = (unsigned char)c;
		m->most[i] = 0;
		if (is_digit(c) && !held) {
			m->text[i] = '0';
			m->most[i] = 9;
		}
	}
	all->now = NULL;
	note(all, m);
}

void
mould_mark(struct moulds *all)
{
	if (all->last != NULL)
		all->last->marked = 1;
}

int
mould_is_marked(const struct mould *m)
{
	return m->marked;
}
