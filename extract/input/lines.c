/* Bytes to lines for those who can afford a call a line, and the cleaning of
 * lines with control characters.  The loop itself is in line_split.h. */
#include <config.h>

#include "extract/input/lines.h"

#include "extract/input/line_split.h"

#include <string.h>

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

size_t
line_walker_consume(struct line_walker *w, const char *data, size_t len,
    int last, line_consumer *consume, void *arg)
{
	return line_split(w, data, len, last, consume, NULL, arg);
}

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
