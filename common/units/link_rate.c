/* Rates of links as options state them.  predict_scaling and plot_results have
 * such options. */
#include <config.h>

#include "common/units/link_rate.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/program/options.h"

int
link_rate_parse(const char *text, double *bit_per_s)
{
	static const struct {
		const char *unit;
		double bits;
	} units[] = { { "kbit/s", 1e3 }, { "Mbit/s", 1e6 }, { "Gbit/s", 1e9 },
		{ "GB/s", 8e9 } };

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		const size_t len = strlen(text), n = strlen(units[i].unit);
		char *number;
		size_t end;
		int rc;

		if (len <= n || strcmp(text + len - n, units[i].unit) != 0)
			continue;
		for (end = len - n; end > 0 && text[end - 1] == ' ';)
			end--;
		number = xstrndup(text, end);
		rc = parse_double(number, 1e-9, 1e15, bit_per_s);
		free(number);
		*bit_per_s *= units[i].bits;
		return rc;
	}
	return -1;
}
