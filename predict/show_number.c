/* What the tables and the JSON of a forecast share: how a number is rounded and
 * how a case was reckoned.  Called by show_table.c and show_json.c. */
#include <config.h>

#include "predict/show_number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "predict/forecast/forecast_set.h"

const char *const forecast_how_words[] = {
	[FORECAST_MEASURED] = "measured",
	[FORECAST_BY_DOUBLING] = "doubling",
	[FORECAST_BY_TRANSFER] = "transfer",
	[FORECAST_BY_LINK] = "from the link",
};

double
show_rounded(double x)
{
	char buf[32];

	if (!isfinite(x))
		return x;
	snprintf(buf, sizeof buf, "%.12g", x);
	return strtod(buf, NULL);
}
