/* Writes whole lines to a descriptor. */
#include <config.h>

#include "trainer/run/meters/meter.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void
logger_init(struct logger *l, int fd)
{
	l->fd = fd;
	strbuf_init(&l->line, LOGGER_LINE_MAX);
}

void
logger_release(struct logger *l)
{
	strbuf_release(&l->line);
}

int
logger_flush(struct logger *l, struct error *e)
{
	const char *p = l->line.buf;
	size_t left = l->line.len;
	struct pollfd ready = { .fd = l->fd, .events = POLLOUT };

	assert(left > 0 && p[left - 1] == '\n');
	while (l->fd >= 0 && left > 0) {
		const ssize_t n = write(l->fd, p, left);

		/* If another process that shares the descriptor, such as the
		 * launcher, made it non-blocking, wait until it is
		 * writable. */
		if (n < 0 && errno == EAGAIN)
			(void)poll(&ready, 1, -1);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0) {
			strbuf_reset(&l->line);
			return error_errno(e, errno, "cannot write the log");
		}
		p += n;
		left -= (size_t)n;
	}
	strbuf_reset(&l->line);
	return 0;
}

int
logger_end(struct logger *l, struct error *e)
{
	strbuf_addch(&l->line, '\n');
	return logger_flush(l, e);
}

int
logger_printf(struct logger *l, struct error *e, const char *fmt, ...)
{
	char text[4096];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	assert(n > 0 && (size_t)n < sizeof text);
	strbuf_addstr(&l->line, text);
	return logger_flush(l, e);
}
