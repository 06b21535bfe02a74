#include <config.h>

#include "common/stats/statistics.h"

#include <math.h>
#include <string.h>

#include "common/defaults.h"
#include "common/stats/rank_test.h"
#include "common/stats/stats.h"

const char *const statistic_samples[N_STATISTIC_SAMPLES] = {
	[STATISTIC_OF_RUNS] = "of the runs of a case (--values takes them)",
	[STATISTIC_OF_TWO] = "of the runs of two cases (--compare)",
	[STATISTIC_OF_STEPS] = "of the step times of a run (audit of a result)",
	[STATISTIC_OF_RANKS] = "of the times of a step on all ranks (audit)",
};

static struct interval
median_interval(const double *x, size_t n)
{
	struct interval i = { NAN, NAN, NAN, 0 };

	(void)rank_test_median(x, n, DEFAULT_CONFIDENCE, &i, NULL);
	return i;
}

static double
median_low(const double *x, size_t n)
{
	return median_interval(x, n).low;
}

static double
median_high(const double *x, size_t n)
{
	return median_interval(x, n).high;
}

static double
median_level(const double *x, size_t n)
{
	return median_interval(x, n).level;
}

#define RUNS(name, n, of, unit, sentence, source) \
	{ \
		name, STATISTIC_OF_RUNS, n, of, unit, sentence, source \
	}
#define OTHER(name, sample, n, sentence, source) \
	{ \
		name, sample, n, NULL, 0, sentence, source \
	}

const struct statistic statistics[] = {
	RUNS("median", 1, stats_median, 1, "middle value: what the tables show",
	    "definition"),
	RUNS("median_low", 2, median_low, 1,
	    "lower end of the interval of the median for 95 %",
	    "David and Nagaraja 2003, 7.1"),
	RUNS("median_high", 2, median_high, 1, "its upper end",
	    "David and Nagaraja 2003, 7.1"),
	RUNS("median_level", 2, median_level, 0,
	    "the level that it reaches: 93.75 % of 5 runs",
	    "David and Nagaraja 2003, 7.1"),
	RUNS("mean", 1, stats_mean, 1, "arithmetic mean",
	    "definition, Neumaier 1974 for the sum"),
	RUNS("harmonic", 1, stats_harmonic_mean, 1,
	    "harmonic mean: of rates that each did the same work",
	    "Smith 1988, CACM 31(10)"),
	RUNS("geometric", 1, stats_geometric_mean, 1,
	    "geometric mean: of ratios",
	    "Fleming and Wallace 1986, CACM 29(3)"),
	RUNS("olympic", 3, stats_olympic_mean, 1,
	    "mean without the smallest and the largest",
	    "MLPerf training rules"),
	RUNS("min", 1, stats_min, 1, "smallest", "definition"),
	RUNS("max", 1, stats_max, 1, "largest", "definition"),
	RUNS("sd", 2, stats_stddev, 1, "standard deviation, over n - 1",
	    "Bessel"),
	RUNS(
	    "cv", 2, stats_cv, 0, "standard deviation over mean", "definition"),
	RUNS("mad", 1, stats_mad, 1,
	    "median distance from the median, unscaled",
	    "Hampel 1974, JASA 69"),
	RUNS("outliers", 5, stats_outliers, 0,
	    "runs more than 14.826 mad from the median",
	    "Hampel 1974, JASA 69; hyperfine's number"),
	OTHER("ratio", STATISTIC_OF_TWO, 1, "median of all quotients a / b",
	    "Hodges and Lehmann 1963"),
	OTHER("ratio_low", STATISTIC_OF_TWO, 2,
	    "lower end of the interval of the ratio for 95 %",
	    "Hollander, Wolfe and Chicken 2014, 4.3"),
	OTHER("ratio_high", STATISTIC_OF_TWO, 2, "its upper end",
	    "Hollander, Wolfe and Chicken 2014, 4.3"),
	OTHER("ratio_level", STATISTIC_OF_TWO, 2,
	    "the level that it reaches: 96.83 % of 5 and 5 runs",
	    "Hollander, Wolfe and Chicken 2014, 4.3"),
	OTHER("p", STATISTIC_OF_TWO, 1,
	    "how likely so different runs are of one distribution, two-sided",
	    "Mann and Whitney 1947"),
	OTHER("runs_needed", STATISTIC_OF_TWO, 2,
	    "runs of each that show a change of 1 % with power 80 %",
	    "simulated; Hodges and Lehmann 1956 above 30"),
	OTHER("detectable", STATISTIC_OF_TWO, 4,
	    "the smallest change that so many runs show with power 80 %",
	    "simulated; Hodges and Lehmann 1956 above 30"),
	OTHER("settled", STATISTIC_OF_STEPS, SETTLED_BLOCK,
	    "first step from which on blocks of 20 stay near the last half",
	    "doc/measurement.md"),
	OTHER("drift", STATISTIC_OF_STEPS, 2,
	    "slope over the window as a share of the median",
	    "Theil 1950, Sen 1968"),
	OTHER("stalls", STATISTIC_OF_STEPS, 1,
	    "share of the time in steps of more than twice the median",
	    "doc/measurement.md"),
	OTHER("imbalance", STATISTIC_OF_RANKS, 1, "slowest over mean, less 1",
	    "definition"),
	{ NULL, STATISTIC_OF_RUNS, 0, NULL, 0, NULL, NULL },
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
	return s->of == NULL || n < s->smallest_n ? NAN : s->of(x, n);
}
