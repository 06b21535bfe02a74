/* Comparison of two results, case by case: ratio of speeds, its significance,
 * and the smallest change that the runs can detect.
 *
 * Ratios are of speeds, new over old: above 1 is faster, for times too.
 *
 *	comparison_name_files(&files);
 *	series_collect(&files, &how, &set, &e);  with how.by_source set
 *	if (comparison_init(&set, &compare_how, &c, &e) != 0) ...
 *	for (size_t i = 0; i < c.n; i++)
 *		printf("%g\n", c.rows[i].ratio);
 */
#ifndef COMMON_SERIES_RESULT_COMPARISON_H
#define COMMON_SERIES_RESULT_COMPARISON_H

#include "common/error.h"
#include "common/series/result_set.h"
#include "common/series/series.h"
#include "common/stats/rank_test.h"
#include "common/texts/remark.h"
#include "common/units/units.h"

/* Verdict on a case from p_holm and the interval of its ratio. */
enum comparison_verdict {
	COMPARISON_NO_EVIDENCE,
	COMPARISON_TOO_FEW, /* runs: the requested level is unreachable */
	COMPARISON_FASTER,
	COMPARISON_SLOWER
};

struct comparison_how {
	double confidence; /* NAN: as the results, 0.95 if unknown */
	double delta;      /* equivalent within 1 / (1 + delta) to 1 + delta */
	double detect;     /* change to plan runs for, or NAN */
	int paired;        /* 1: runs of equal number are pairs */
	int sessions;      /* 1: the runs are sessions, as
			      sessions_replace_runs makes them */
	int allow_mixed;   /* 1: devices and batch sizes may differ */
	const char *by;    /* key that distinguishes the results and is not
			      compared, or NULL */
};

struct comparison_row {
	const struct series *s; /* in the new result, else in the old one */
	const struct series_point *before, *after; /* NULL: missing */
	/* Work per second of the runs; for pairs, after / before in
	 * after_runs. */
	struct rounded_runs before_runs, after_runs;
	double ratio;             /* Hodges-Lehmann estimate, or NAN */
	double low, high, level;  /* its interval; NAN: none */
	double p;                 /* two-sided, for a ratio of 1 */
	double p_holm, p_bh;      /* adjusted for all cases */
	double p_equivalent;      /* for a ratio outside of delta */
	double p_equivalent_holm; /* adjusted for all cases */
	double least_p; /* two-sided, the smallest that these runs can reach */
	enum comparison_verdict verdict;
	int is_equivalent;   /* within delta by Holm, for any verdict */
	int of_sessions;     /* 1: the runs are sessions */
	double spread;       /* of ln speed, pooled; pairs: of ln ratio */
	double limit_level;  /* lower bound of the level if spreads differ more
	                        than threefold, else NAN */
	double spread_ratio; /* larger over smaller spread */
	double detectable;   /* change detected with power 0.8 */
	long runs_low, runs_high; /* to detect how->detect, or unknown */
};

struct comparison {
	const struct result_file *files[2]; /* the old and the new result */
	struct comparison_row *rows; /* in the order of the old result, then
	                                rows only in the new one */
	size_t n;
	size_t n_both;        /* rows in both results */
	uint64_t side_labels; /* keys in which partners may differ, as bits:
				 how->by; if nothing matches otherwise, also
				 the keys with one value in each result */
	double confidence;
	double mean, mean_low, mean_high; /* geometric mean of ratios, or NAN */
	int paired, sessions;             /* as in comparison_how */
};

/* True if all cases of the file have the same value of a key, or none has one;
 * false if the file has no cases.
 *
 * value  set to the value of the first case, which may be NULL */
int comparison_side_label(const struct series_set *set,
    const struct result_file *file, size_t key, const char **value);

/* Label two files "old" and "new" if they have no labels, so that files of the
 * same name stay distinct. */
void comparison_name_files(struct result_set *files);

/* Compare the two sources of a set.
 *
 * set  collected with by_source from exactly two files. If nothing matches
 *      otherwise, labels that have one value in each result are ignored, and
 *      no longer count among the keys in which its series differ; with how->by
 *      a set of one file is split by the two values of that key
 *
 * Unless how->allow_mixed is set, cases of different devices, or that differ
 * only in batch size, are refused.
 *
 * Returns 0; -1 with ERROR_INPUT for these and for --paired without common
 * runs, ERROR_USAGE for how->by, ERROR_EMPTY if no case is in both. The result
 * lives in the arena of the set. */
int comparison_init(struct series_set *set, const struct comparison_how *how,
    struct comparison *out, struct error *e);

/* Test whether the ratio is on one side of a bound.
 *
 * below  1: test for a ratio below the bound; 0: above
 *
 * Returns p for the hypothesis that the ratio is bound; NAN without runs. */
double comparison_side(const struct comparison *c,
    const struct comparison_row *row, double bound, int below);

/* Text of the verdict for tables and charts. */
const char *comparison_verdict_text(
    const struct comparison_row *row, enum language lang);

/* State how many cases have too few runs to prove any change after the
 * adjustment for all cases, and how many runs it takes. Allocated in a; NULL if
 * there are no such cases. */
const char *comparison_impossible(
    const struct comparison *c, enum language lang, struct arena *a);

/* Format a ratio or an end of its interval with the digits that the interval
 * supports, and more if needed to show that it excludes 1; "n/a" if it is not
 * finite. Returns buf or a constant. */
const char *comparison_ratio_text(
    char buf[UNITS_TEXT_SIZE], double x, double low, double high);

#endif
