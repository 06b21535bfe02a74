/* Error messages, which only main prints. */
#include <config.h>

#include "common/error.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"

void
text_sanitise(char *s, const char *keep)
{
	size_t len = strlen(s), n;
	uint32_t cp;

	for (; len > 0; s += n, len -= n) {
		n = utf8_decode(s, len, &cp);
		if (utf8_is_control(cp) &&
		    (cp >= 0x20 || strchr(keep, (int)cp) == NULL))
			memset(s, '?', n);
	}
}

static int PRINTF_LIKE(3, 0) error_vset(
    struct error *e, enum error_code code, const char *fmt, va_list ap)
{
	char text[ERROR_MESSAGE_SIZE];

	assert(code != ERROR_NONE);
	if (e == NULL)
		return -1;
	/* Format into a buffer first: an argument may point into e->message. */
	vsnprintf(text, sizeof text, fmt, ap);
	e->code = code;
	snprintf(e->message, sizeof e->message, "%s", text);
	text_sanitise(e->message, "\t\n");
	return -1;
}

int
error_set(struct error *e, enum error_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	error_vset(e, code, fmt, ap);
	va_end(ap);
	return -1;
}

int
error_at(struct error *e, enum error_code code, const char *file, long line,
    long col, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	error_vset(e, code, fmt, ap);
	va_end(ap);
	return line > 0 && col > 0
	    ? error_prefix(e, "%s:%ld:%ld", file, line, col)
	    : line > 0 ? error_prefix(e, "%s:%ld", file, line)
		       : error_prefix(e, "%s", file);
}

int
error_errno(struct error *e, int errno_value, const char *fmt, ...)
{
	const int scarce = errno_value == EMFILE || errno_value == ENFILE ||
	    errno_value == ENOMEM;
	const char *why = strerror(errno_value);
	va_list ap;
	size_t len, room;

	va_start(ap, fmt);
	error_vset(e, scarce ? ERROR_SCARCE : ERROR_SYSTEM, fmt, ap);
	va_end(ap);
	if (e == NULL)
		return -1;
	/* A path may be longer than a message: cut the path, not the reason. */
	len = strlen(e->message);
	room = sizeof e->message - strlen(why) - 3;
	if (len > room) {
		len = room;
		memcpy(e->message + len - 3, "...", 3);
	}
	snprintf(e->message + len, sizeof e->message - len, ": %s", why);
	return -1;
}

int
error_prefix(struct error *e, const char *fmt, ...)
{
	char text[ERROR_MESSAGE_SIZE / 2];
	va_list ap;

	if (e == NULL)
		return -1;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return error_set(e, e->code, "%s: %s", text, e->message);
}

int
error_caret(struct error *e, const char *line, unsigned long len, long col)
{
	enum { AROUND = 60 };
	char text[2 * AROUND + 1], mark[AROUND + 1] = "";
	unsigned long from, at = col > 0 ? (unsigned long)col - 1 : 0;
	const size_t used = e != NULL ? strlen(e->message) : 0;

	if (e == NULL || used + 4 * AROUND > sizeof e->message)
		return -1;
	at = at < len ? at : len;
	from = at > AROUND ? at - AROUND : 0;
	len = len < at + AROUND ? len : at + AROUND;
	snprintf(text, sizeof text, "%.*s", (int)(len - from), line + from);
	text_sanitise(text, "\t");
	/* Copy tabs so that the caret is below its character. */
	for (unsigned long i = from; i < at; i++)
		mark[i - from] = line[i] == '\t' ? '\t' : ' ';
	mark[at - from] = '\0';
	snprintf(e->message + used, sizeof e->message - used, "\n%s\n%s^", text,
	    mark);
	return -1;
}

int
error_exit_status(const struct error *e)
{
	return e->code == ERROR_USAGE ? EXIT_STATUS_USAGE
	    : e->code == ERROR_EMPTY  ? EXIT_STATUS_EMPTY
				      : EXIT_STATUS_INPUT;
}

int
error_report(const char *program, const struct error *e)
{
	fprintf(stderr, "%s: %s\n", program, e->message);
	return error_exit_status(e);
}
