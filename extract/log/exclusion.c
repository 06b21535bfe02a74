/* Why a run does not count, as a word and a sentence.  Filled by the
 * measuring code, printed by the programs. */
#include <config.h>

#include "extract/log/exclusion.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int
exclude(struct exclusion *x, const char *reason, const char *fmt, ...)
{
	va_list ap;

	x->reason = reason;
	x->error.code = ERROR_INPUT;
	va_start(ap, fmt);
	vsnprintf(x->error.message, sizeof x->error.message, fmt, ap);
	va_end(ap);
	return -1;
}

const char *
exclusion_place(
    const char *path, const char *message, int *len, const char **rest)
{
	const size_t n = strlen(path);
	size_t digits;

	*len = (int)n;
	*rest = message;
	if (strncmp(message, path, n) != 0 || message[n] != ':')
		return path;
	digits = strspn(message + n + 1, "0123456789");
	if (digits == 0 || strncmp(message + n + 1 + digits, ": ", 2) != 0)
		return path;
	*len = (int)(n + 1 + digits);
	*rest = message + *len + 2;
	return message;
}
