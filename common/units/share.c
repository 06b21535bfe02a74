/* Shares as options state them.  report_results and plot_results have such
 * options. */
#include <config.h>

#include "common/units/share.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/program/options.h"

int
share_parse(const char *option, const char *text, double *out, struct error *e)
{
	const size_t len = strlen(text);
	const int percent = len > 0 && text[len - 1] == '%';
	char *number = xstrndup(text, len - (size_t)percent);
	const int bad = parse_double(number, 0, percent ? 100 : 1, out) != 0 ||
	    (!percent && *out >= 1);

	free(number);
	if (bad)
		return error_set(e, ERROR_USAGE,
		    "--%s: '%s' is not a share such as 2%% or 0.02", option,
		    text);
	if (percent)
		*out /= 100;
	return 0;
}
