/* Two results against each other, case by case: which is faster, how sure is
 * it, and what could these runs have shown at all.
 *
 * Ratios are of speeds, new over old: above 1 is faster, for times too.
 *
 *	comparison_name_files(&files);
 *	series_collect(&files, &how, &set, &e);  with how.by_source set
 *	if (comparison_init(&set, &compare_how, &c, &e) != 0) ...
 *	for (size_t i = 0; i < c.n; i++)
 *		printf("%g\n", c.rows[i].ratio);
 *	comparison_release(&c);
 */
#ifndef COMMON_SERIES_RESULT_COMPARISON_H
#define COMMON_SERIES_RESULT_COMPARISON_H

#include "common/error.h"
#include "common/series/series.h"
#include "common/stats/rank_test.h"
#include "common/texts/messages.h"
#include "common/units/units.h"

/* The verdict of a ratio's interval. */
enum comparison_verdict {
	COMPARISON_NO_EVIDENCE,
	COMPARISON_TOO_FEW, /* runs: the level asked for cannot be reached */
	COMPARISON_FASTER,
	COMPARISON_SLOWER
};

struct comparison_how {
	double confidence; /* NAN: that of the results, 0.95 if unknown */
	double delta;      /* equivalent within 1 / (1 + delta) to 1 + delta */
	double detect;     /* change that runs are to be found for, or NAN */
	int paired;        /* runs of one number were taken in turns */
	int allow_mixed;   /* compare other devices and batch sizes too */
};

struct comparison_row {
	const struct series *s; /* of the new result, else of the old one */
	const struct series_point *before, *after; /* NULL: not there */
	/* Work per second of the runs; of pairs, after over before and
	 * before 1. */
	struct rounded_runs before_runs, after_runs;
	size_t n_before, n_after; /* of pairs: both their number */
	double ratio;             /* Hodges and Lehmann's; NAN: unknown */
	double low, high, level;  /* its interval; NAN: none */
	double p;                 /* two-sided, of a ratio of 1 */
	double p_holm, p_bh;      /* over all cases */
	double p_equivalent;      /* of a ratio outside of delta */
	enum comparison_verdict verdict;
	int is_equivalent;   /* within delta, whatever the verdict */
	double spread;       /* of ln speed, pooled, or of ln ratio of pairs */
	double freedom;      /* of it */
	double limit_level;  /* where spreads differ more than threefold: what
	                       the level may sink to; else NAN */
	double spread_ratio; /* the larger over the smaller spread */
	double detectable;   /* change that these runs show with power 0.8 */
	long runs_low, runs_high; /* to show how->detect, or RESULT_UNKNOWN */
};

struct comparison {
	struct comparison_row *rows; /* in the order of the old result, then
	                                those of the new one alone */
	size_t n, alloc;
	size_t n_both; /* rows with both */
	double confidence;
	double mean, mean_low, mean_high; /* geometric, of the ratios; NAN */
	int paired;
};

/* Name two files "old" and "new" where they have no labels, so that one name
 * in two folders does not make them one. */
void comparison_name_files(struct result_set *files);

/* Compare the two sources of a set.
 *
 * set  collected with by_source from exactly two files
 *
 * Unless how->allow_mixed, runs on other devices and cases that differ in their
 * batch size alone are refused.
 *
 * Returns 0; -1 with ERROR_INPUT for those, for --paired without common runs,
 * ERROR_EMPTY if no case is in both.  The result borrows from the set. */
int comparison_init(const struct series_set *set,
    const struct comparison_how *how, struct comparison *out, struct error *e);

/* Test whether the ratio lies on one side of a bound.
 *
 * below  1: p that it is below, where it is the bound; 0: above
 *
 * Returns p; NAN without runs. */
double comparison_side(const struct comparison *c,
    const struct comparison_row *row, double bound, int below);

/* The name of the new result, or of the old one; "new" and "old" where none of
 * its cases is compared.  Borrowed. */
const char *comparison_source_name(const struct comparison *c, int of_new);

/* The verdict as tables and charts print it. */
const char *comparison_verdict_text(
    const struct comparison_row *row, enum language lang);

/* A ratio, or an end of its interval, with the digits that the interval
 * supports, and more where it leaves 1 out; "n/a" if it is not finite.  Returns
 * buf or a constant. */
const char *comparison_ratio_text(
    char buf[UNITS_TEXT_SIZE], double x, double low, double high);

/* Free all. */
void comparison_release(struct comparison *c);

#endif
