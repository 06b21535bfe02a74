/* Defaults, limits and tolerances that several modules share. */
#ifndef COMMON_DEFAULTS_H
#define COMMON_DEFAULTS_H

/* Confidence level of intervals and tests, as is usual in papers. */
#define DEFAULT_CONFIDENCE 0.95

/* Five runs per case are common. The interval of their median has the level
 * 93.75 %, which is accepted for 95 %. */
enum { DEFAULT_RUNS = 5 };

/* Cases whose speeds provably differ by less than this share are equivalent.
 * Repeated runs on one machine differ by more. */
#define DEFAULT_DELTA "2%"

/* Efficiency in per cent at which --table=law stops extrapolating. */
#define DEFAULT_LAW_EFFICIENCY 80

/* Name of the protocol (--protocol) with the default window. */
#define DEFAULT_PROTOCOL "this"

/* Ratio of the standard deviation to the median absolute deviation of normally
 * distributed values (Hampel 1974). */
#define MAD_TO_SIGMA 1.4826

#define MIB 1048576.0 /* bytes */

#endif
