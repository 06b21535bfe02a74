#include <config.h>

#include "extract/input/lines.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

void
line_walker_init(struct line_walker *w, size_t max_line)
{
	memset(w, 0, sizeof *w);
	w->number = 1;
	w->max_line = max_line;
}

int64_t
line_walker_lines(const struct line_walker *w)
{
	return w->number - 1;
}

/* --- cutting -------------------------------------------------------------- */

enum { LINE_GROUP = 64, PREFETCH = 1024 /* bytes ahead */ };

/* What a group of 64 bytes holds: a bit for each \n or \r, and the flags. */
struct line_group {
	uint64_t ends;
	unsigned flags;
};

#if defined(__SSE2__)

static inline struct line_group
line_look_at(const char *p)
{
	const __m128i nl = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
	const __m128i tab = _mm_set1_epi8('\t'), most = _mm_set1_epi8(0x1f);
	__m128i odd = _mm_setzero_si128(), high = _mm_setzero_si128();
	struct line_group g = { 0, 0 };

#pragma GCC unroll 4
	for (int i = 0; i < 4; i++) {
		__m128i v = _mm_loadu_si128((const __m128i *)(p + 16 * i));
		__m128i end =
		    _mm_or_si128(_mm_cmpeq_epi8(v, nl), _mm_cmpeq_epi8(v, cr));
		__m128i low = _mm_cmpeq_epi8(_mm_min_epu8(v, most), v);

		g.ends |= (uint64_t)(unsigned)_mm_movemask_epi8(end)
		    << (16 * i);
		odd = _mm_or_si128(odd,
		    _mm_andnot_si128(
			_mm_or_si128(end, _mm_cmpeq_epi8(v, tab)), low));
		high = _mm_or_si128(high, v);
	}
	g.flags = (_mm_movemask_epi8(odd) != 0 ? LINE_CONTROL : 0) |
	    (_mm_movemask_epi8(high) != 0 ? LINE_HIGH : 0);
	return g;
}

#else

static inline struct line_group
line_look_at(const char *p)
{
	struct line_group g = { 0, 0 };

	for (int i = 0; i < LINE_GROUP; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c >= 0x80)
			g.flags |= LINE_HIGH;
		else if (c == '\n' || c == '\r')
			g.ends |= (uint64_t)1 << i;
		else if (c < 0x20 && c != '\t')
			g.flags |= LINE_CONTROL;
	}
	return g;
}

#endif

/* Index of the lowest bit of x, which is not 0. */
static inline unsigned
line_lowest_bit(uint64_t x)
{
#if defined(__GNUC__)
	return (unsigned)__builtin_ctzll(x);
#else
	unsigned n = 0;

	for (; (x & 1) == 0; x >>= 1)
		n++;
	return n;
#endif
}

/* Where to cut a line that is longer than max bytes: after a space near there,
 * so that no number is torn; else right there. */
static inline size_t
line_seam(const char *text, size_t max)
{
	for (size_t n = max; n > max - max / 16; n--)
		if (text[n - 1] == ' ' || text[n - 1] == '\t')
			return n;
	return max;
}

/* Cut pieces off a line that has grown too long.  Returns their bytes. */
static inline size_t
line_cut_long(struct line_walker *w, const char *text, size_t len,
    line_consumer *consume, void *arg)
{
	size_t at = 0;

	while (len - at > w->max_line) {
		const size_t n = line_seam(text + at, w->max_line);

		consume(arg, text + at, n, w->flags, w->number);
		w->n_long += !w->cut;
		w->cut = 1;
		at += n;
	}
	return at;
}

/* A line is complete. */
static inline void
line_end(struct line_walker *w, const char *text, size_t len,
    line_consumer *consume, void *arg)
{
	if (len > w->max_line) {
		const size_t n = line_cut_long(w, text, len, consume, arg);

		text += n;
		len -= n;
	}
	if (len > 0)
		consume(arg, text, len, w->flags, w->number);
	w->cut = 0;
}

size_t
line_walker_consume(struct line_walker *w, const char *data, size_t len,
    int last, line_consumer *consume, void *arg)
{
	size_t start = 0, at = w->scanned;
	char tail[LINE_GROUP];

	while (at < len) {
		const size_t group = at;
		struct line_group g;
		size_t n = len - at;

		if (n >= LINE_GROUP) {
			n = LINE_GROUP;
			g = line_look_at(data + at);
		} else {
			memset(tail, ' ', sizeof tail);
			memcpy(tail, data + at, n);
			g = line_look_at(tail);
		}
#if defined(__GNUC__)
		/* The processor's own prefetching stops at each page. */
		__builtin_prefetch(data + at + PREFETCH);
#endif
		w->flags |= g.flags;
		at += n;
		while (g.ends != 0) {
			size_t end = group + line_lowest_bit(g.ends);

			g.ends &= g.ends - 1;
			line_end(w, data + start, end - start, consume, arg);
			w->open = data[end] != '\n';
			w->number += !w->open;
			start = end + 1;
			w->flags = g.flags;
		}
	}
	w->scanned = len - start;
	if (last) {
		/* A last line without its end is a line too. */
		int more = start < len || w->cut || w->open;

		if (start < len)
			line_end(w, data + start, len - start, consume, arg);
		w->number += more;
		return len;
	}
	if (w->scanned > w->max_line) {
		start +=
		    line_cut_long(w, data + start, len - start, consume, arg);
		w->scanned = len - start;
	}
	return start;
}

/* --- cleaning ------------------------------------------------------------- */

/* The first byte after the escape sequence that begins at p. */
static const char *
skip_escape(const char *p, const char *end)
{
	if (++p == end)
		return end;
	if (*p == '[') { /* CSI: up to a letter or so */
		for (p++; p < end && (*p < 0x40 || *p > 0x7e); p++)
			;
		return p < end ? p + 1 : end;
	}
	if (*p == ']') { /* OSC: up to BEL or ESC \ */
		for (p++; p < end && *p != '\a' && *p != '\033'; p++)
			;
		if (p < end && *p == '\033' && p + 1 < end)
			p++;
		return p < end ? p + 1 : end;
	}
	while (p < end && *p >= 0x20 && *p <= 0x2f)
		p++; /* choosing a character set, for one */
	return p < end ? p + 1 : end;
}

size_t
line_clean(const char *text, size_t len, char *out, int64_t *n_nul)
{
	const char *p = text, *end = text + len;
	size_t n = 0, piece = 0;

	while (p < end) {
		if (*p == '\033') {
			p = skip_escape(p, end);
			continue;
		}
		if (*p == '\0')
			++*n_nul;
		else if (*p != '\b')
			out[n++] = *p;
		else if (n > piece) {
			out[n++] = '\0';
			piece = n;
		}
		p++;
	}
	if (n > piece)
		out[n++] = '\0';
	return n;
}
