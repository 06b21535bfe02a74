#include <config.h>

#include "common/terminal.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "common/utf8.h"

/* A stream that cleans what it writes to a descriptor. */
struct protected_stream {
	FILE *f; /* NULL: not protected */
	int fd;
	char rest[4]; /* [n_rest] start of a character that was not complete */
	size_t n_rest;
};

static struct protected_stream out = { .fd = STDOUT_FILENO };
static struct protected_stream err = { .fd = STDERR_FILENO };
static FILE *raw; /* stdout as it was at the start */

/* True if s may be the start of a longer character or of "\r\n". */
static int
is_incomplete(const char *s, size_t len)
{
	const unsigned char first = (unsigned char)s[0];
	const size_t need = first == '\r' ? 2
	    : first < 0xc2                ? 1
	    : first < 0xe0                ? 2
	    : first < 0xf0                ? 3
					  : 4;
	uint32_t cp;

	return len < need && utf8_decode(s, len, &cp) == len;
}

/* Clean len bytes. Returns the number of bytes read; the rest is incomplete.
 *
 * to  [len], n_to is set */
static size_t
clean_text(const char *s, size_t len, char *to, size_t *n_to)
{
	size_t i = 0, n;
	uint32_t cp;

	for (*n_to = 0; i < len && !is_incomplete(s + i, len - i); i += n) {
		n = utf8_decode(s + i, len - i, &cp);
		if (cp == '\n' || cp == '\t' ||
		    (cp == '\r' && s[i + 1] == '\n') || !utf8_is_control(cp)) {
			memcpy(to + *n_to, s + i, n);
			*n_to += n;
		} else {
			to[(*n_to)++] = '?';
		}
	}
	return i;
}

/* For fopencookie: 0 is an error, with errno. */
static ssize_t
write_clean(void *stream, const char *data, size_t size)
{
	enum { PIECE = 4096 };
	struct protected_stream *p = stream;
	char text[PIECE + sizeof p->rest], cleaned[PIECE + sizeof p->rest];

	for (size_t at = 0, n; at < size; at += n) {
		size_t len = p->n_rest, used, n_cleaned;

		n = size - at < PIECE ? size - at : PIECE;
		memcpy(text, p->rest, len);
		memcpy(text + len, data + at, n);
		len += n;
		used = clean_text(text, len, cleaned, &n_cleaned);
		p->n_rest = len - used;
		memcpy(p->rest, text + used, p->n_rest);
		for (size_t done = 0; done < n_cleaned;) {
			const ssize_t written =
			    write(p->fd, cleaned + done, n_cleaned - done);

			if (written < 0)
				return 0;
			done += (size_t)written;
		}
	}
	return (ssize_t)size;
}

/* Leaves the stream as it is if there is no memory. */
static FILE *
protect(struct protected_stream *p, FILE *f, int buffering)
{
	const cookie_io_functions_t calls = { .write = write_clean };

	p->f = fopencookie(p, "w", calls);
	if (p->f == NULL)
		return f;
	setvbuf(p->f, NULL, buffering, BUFSIZ);
	return p->f;
}

void
terminal_protect(void)
{
	raw = stdout;
	stdout = protect(&out, stdout, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
	stderr = protect(&err, stderr, _IONBF);
}

FILE *
terminal_raw(void)
{
	fflush(stdout);
	return raw != NULL ? raw : stdout;
}

int
terminal_descriptor(FILE *f)
{
	return f == out.f ? out.fd : f == err.f ? err.fd : fileno(f);
}
