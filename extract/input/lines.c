#include <config.h>

#include "extract/input/lines.h"

#include <string.h>

enum { LINE_RETURN = 8 /* a \r; extends the flags of a line */ };

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

/* Bytes that are tested together. */
typedef unsigned char block __attribute__((vector_size(16)));

/* Bytes that occurred at each place of the blocks. */
struct seen {
	block high, control, cr;
};

static inline void
look_at(struct seen *s, const char *text)
{
	block b, cr;

	memcpy(&b, text, sizeof b);
	cr = (block)(b == '\r');
	s->high |= b;
	s->cr |= cr;
	s->control |=
	    (block)(b < 0x20) & ~((block)(b == '\t') | (block)(b == '\n') | cr);
}

unsigned
line_flags(const char *text, size_t n)
{
	struct seen s = { { 0 }, { 0 }, { 0 } };
	char rest[sizeof(block)];
	unsigned flags = 0;
	size_t i = 0;

	for (; i + sizeof rest <= n; i += sizeof rest)
		look_at(&s, text + i);
	memset(rest, ' ', sizeof rest);
	memcpy(rest, text + i, n - i);
	look_at(&s, rest);
	for (i = 0; i < sizeof rest; i++)
		flags |= (s.control[i] != 0 ? LINE_CONTROL : 0) |
		    (s.high[i] >= 0x80 ? LINE_HIGH : 0) |
		    (s.cr[i] != 0 ? LINE_RETURN : 0);
	return flags;
}

/* Pass on pieces of a line that is too long. Returns their length. */
static size_t
cut_long(struct line_walker *w, const char *text, size_t len,
    line_consumer *consume, void *arg)
{
	size_t at = 0;

	while (len - at > w->max_line) {
		const size_t max = w->max_line;
		size_t n = max;

		/* After a space close before max, to keep numbers whole. */
		while (n > max - max / 16 && text[at + n - 1] != ' ' &&
		    text[at + n - 1] != '\t')
			n--;
		n = n > max - max / 16 ? n : max;
		consume(arg, text + at, n, w->flags, w->number);
		w->n_long += !w->cut;
		w->cut = 1;
		at += n;
	}
	return at;
}

/* Pass on a complete line. */
static void
end_line(struct line_walker *w, const char *text, size_t len,
    line_consumer *consume, void *arg)
{
	const size_t n =
	    len > w->max_line ? cut_long(w, text, len, consume, arg) : 0;

	if (len > n)
		consume(arg, text + n, len - n, w->flags, w->number);
	w->cut = 0;
}

size_t
line_walker_consume(struct line_walker *w, const char *data, size_t len,
    int last, line_consumer *consume, void *arg)
{
	const char *const end = data + len;
	const char *start = data, *at = data + w->scanned;
	const size_t fresh = (size_t)(end - at);
	const unsigned flags = w->lazy && memchr(at, '\r', fresh) == NULL
	    ? LINE_UNTESTED
	    : line_flags(at, fresh);

	while (at < end) {
		const char *stop = at;

		if (flags & LINE_RETURN)
			while (stop < end && *stop != '\n' && *stop != '\r')
				stop++;
		else
			stop = memchr(at, '\n', (size_t)(end - at));
		if (stop == NULL)
			stop = end;
		w->flags |= flags & LINE_UNTESTED;
		if (flags & (LINE_CONTROL | LINE_HIGH))
			w->flags |= line_flags(at, (size_t)(stop - at));
		if (stop == end)
			break;
		end_line(w, start, (size_t)(stop - start), consume, arg);
		w->open = *stop != '\n';
		w->number += !w->open;
		w->flags = 0;
		start = at = stop + 1;
	}
	if (last) {
		/* The last line may lack its line end. */
		const int more = start < end || w->cut || w->open;

		if (start < end)
			end_line(w, start, (size_t)(end - start), consume, arg);
		w->number += more;
		return len;
	}
	start += cut_long(w, start, (size_t)(end - start), consume, arg);
	w->scanned = (size_t)(end - start);
	return (size_t)(start - data);
}

/* --- cleaning ------------------------------------------------------------- */

/* End of the escape sequence that begins at p. */
static const char *
skip_escape(const char *p, const char *end)
{
	if (++p == end)
		return end;
	if (*p == '[') { /* CSI: ends with a letter */
		for (p++; p < end && (*p < 0x40 || *p > 0x7e); p++)
			;
		return p < end ? p + 1 : end;
	}
	if (*p == ']') { /* OSC: ends with BEL or ESC \ */
		for (p++; p < end && *p != '\a' && *p != '\033'; p++)
			;
		if (p < end && *p == '\033' && p + 1 < end)
			p++;
		return p < end ? p + 1 : end;
	}
	while (p < end && *p >= 0x20 && *p <= 0x2f)
		p++; /* others, e.g. character set selection */
	return p < end ? p + 1 : end;
}

void
line_each_piece(const char *text, size_t len, unsigned flags, char *room,
    piece_consumer *consume, void *arg)
{
	const char *p = text, *end = text + len;
	size_t n = 0; /* length of the current piece */

	if (!(flags & LINE_CONTROL)) {
		consume(arg, text, len);
		return;
	}
	while (p < end) {
		if (*p == '\033') {
			p = skip_escape(p, end);
			continue;
		}
		if (*p != '\0' && *p != '\b')
			room[n++] = *p;
		else if (*p == '\b' && n > 0) {
			room[n] = '\0';
			consume(arg, room, n);
			room += n + 1;
			n = 0;
		}
		p++;
	}
	room[n] = '\0';
	if (n > 0)
		consume(arg, room, n);
}
