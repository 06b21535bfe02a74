/* The rows of statistics; report's tables of any keys show them.  What each
 * computes is stats.c's. */
#include <config.h>

#include "common/stats/statistics.h"

#include <math.h>
#include <string.h>

const struct statistic statistics[] = {
	{ "mean", 1, stats_mean, 1, "arithmetic mean",
	    "definition, Neumaier 1974 for the sum" },
	{ "harmonic", 1, stats_harmonic_mean, 1,
	    "harmonic mean: of rates that each did the same work",
	    "Smith 1988, CACM 31(10)" },
	{ "olympic", 3, stats_olympic_mean, 1,
	    "mean without the smallest and the largest",
	    "MLPerf training rules" },
	{ "min", 1, stats_min, 1, "smallest", "definition" },
	{ "max", 1, stats_max, 1, "largest", "definition" },
	{ "sd", 2, stats_stddev, 1, "standard deviation, over n - 1",
	    "Bessel" },
	{ "cv", 2, stats_cv, 0, "standard deviation over mean", "definition" },
	{ "mad", 1, stats_mad, 1, "median distance from the median, unscaled",
	    "Hampel 1974, JASA 69" },
	{ NULL, 0, NULL, 0, NULL, NULL },
};

const struct statistic *
statistic_find(const char *name, size_t len)
{
	for (const struct statistic *s = statistics; s->name != NULL; s++)
		if (strlen(s->name) == len && memcmp(s->name, name, len) == 0)
			return s;
	return NULL;
}

double
statistic_of(const struct statistic *s, const double *x, size_t n)
{
	return n < s->smallest_n ? NAN : s->of(x, n);
}
