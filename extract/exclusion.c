#include <config.h>

#include "extract/exclusion.h"

#include <stdarg.h>
#include <stdio.h>

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
