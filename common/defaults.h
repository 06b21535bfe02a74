/* Defaults, limits and tolerances that several modules share, each with its
 * reason. */
#ifndef COMMON_DEFAULTS_H
#define COMMON_DEFAULTS_H

/* The text of a number below, for an option's default. */
#define DEFAULT_TEXT_(x) #x
#define DEFAULT_TEXT(x) DEFAULT_TEXT_(x)

/* Confidence level of intervals and tests: the usual one of papers. */
#define DEFAULT_CONFIDENCE 0.95

/* Five runs a case are the usual protocol.  Their median's
 * interval reaches 93.75 %, which is accepted at the level above. */
enum { DEFAULT_RUNS = 5 };

/* Cases whose speeds are proven to differ by less than this share are
 * equivalent: below what repeated runs of one machine differ by. */
#define DEFAULT_DELTA "2%"

/* Efficiency in per cent down to which --table=law extrapolates. */
#define DEFAULT_LAW_EFFICIENCY 80

/* The window of DLPerf's protocol, in iterations: skip 5, warm up until 20,
 * measure until 120. */
#define DEFAULT_SKIP 5
#define DEFAULT_WARMUP 20
#define DEFAULT_TRAIN 120

/* Two statements of the same work contradict each other when they differ by
 * more than this share: logs print rates with two to three digits. */
#define WORK_MAX_OFF 0.05

/* Median absolute deviation times this is the standard deviation of normal
 * values (Hampel 1974). */
#define MAD_TO_SIGMA 1.4826

#define MIB 1048576.0 /* bytes */

#endif
