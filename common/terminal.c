#include <config.h>

#include "common/terminal.h"

#include <stdint.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "common/text.h"

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

/* Write function for fopencookie(). Returns 0 with errno on an error. */
static ssize_t
write_clean(void *stream, const char *data, size_t size)
{
	enum { PIECE = 4096 };
	struct protected_stream *p = stream;
	char text[PIECE + sizeof p->rest], cleaned[PIECE + sizeof p->rest];

	for (size_t at = 0, n; at < size; at += n) {
		size_t len = p->n_rest, i = 0, n_cleaned = 0;

		n = size - at < PIECE ? size - at : PIECE;
		memcpy(text, p->rest, len);
		memcpy(text + len, data + at, n);
		len += n;
		while (i < len && !is_incomplete(text + i, len - i)) {
			const char *s = text + i;
			uint32_t cp;
			const size_t read = utf8_decode(s, len - i, &cp);

			if (cp == '\n' || cp == '\t' ||
			    (cp == '\r' && s[1] == '\n') ||
			    !utf8_is_control(cp)) {
				memcpy(cleaned + n_cleaned, s, read);
				n_cleaned += read;
			} else {
				cleaned[n_cleaned++] = '?';
			}
			i += read;
		}
		p->n_rest = len - i;
		memcpy(p->rest, text + i, p->n_rest);
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

/* Return a stream that cleans what is written, or f if there is no memory. */
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

/* Open MPI reads the output of each rank from a terminal that does not change
 * line ends. The kernel passes processed output on in pieces that end at tabs,
 * and lines of two ranks get mixed; unprocessed output is passed on whole. */
static void
keep_lines_whole(void)
{
	struct termios t;

	if (tcgetattr(STDOUT_FILENO, &t) == 0 && (t.c_oflag & ONLCR) == 0) {
		t.c_oflag &= ~(tcflag_t)OPOST;
		tcsetattr(STDOUT_FILENO, TCSANOW, &t);
	}
}

void
terminal_protect(void)
{
	keep_lines_whole();
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
