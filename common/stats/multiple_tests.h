/* Many tests at once: p values made larger so that they can be looked at
 * together.
 *
 *	holm_adjust(p, n, adjusted);
 *	if (adjusted[i] <= 0.05) ...  no one of the n is wrong with 95 %
 */
#ifndef COMMON_STATS_MULTIPLE_TESTS_H
#define COMMON_STATS_MULTIPLE_TESTS_H

#include <stddef.h>

/* Holm: at most the share alpha of whole families has a false one among those
 * with out <= alpha, whatever depends on what.
 *
 * p    [n], 0 to 1; NAN: was not tested, is not counted
 * out  [n], p or more, at most 1; NAN where p is; may be p itself
 *
 * Source: Holm 1979, Scand. J. Stat. 6(2). */
void holm_adjust(const double *p, size_t n, double *out);

/* Benjamini and Hochberg: of those with out <= alpha at most the share alpha is
 * false in the mean, for independent or positively dependent tests.  As
 * holm_adjust.
 *
 * Source: Benjamini and Hochberg 1995, J. R. Stat. Soc. B 57(1). */
void benjamini_hochberg_adjust(const double *p, size_t n, double *out);

#endif
