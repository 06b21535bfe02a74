/* Defaults, limits and tolerances that several modules share. */
#ifndef COMMON_DEFAULTS_H
#define COMMON_DEFAULTS_H

/* String of a number below, for an option's default. */
#define DEFAULT_TEXT_(x) #x
#define DEFAULT_TEXT(x) DEFAULT_TEXT_(x)

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

/* DLPerf's measurement window in iterations: skip 5, warm up to 20, measure to
 * 120. */
#define DEFAULT_SKIP 5
#define DEFAULT_WARMUP 20
#define DEFAULT_TRAIN 120

/* Name of --protocol for this window. */
#define DEFAULT_PROTOCOL "this"

/* MiB to which compressed data may expand by any factor. */
#define DEFAULT_MAX_UNPACKED 64

/* Two figures of the same work contradict each other if they differ by more
 * than this share. Logs print rates with two to three digits. */
#define WORK_MAX_OFF 0.05

/* Median absolute deviation times this is the standard deviation of normal
 * values (Hampel 1974). */
#define MAD_TO_SIGMA 1.4826

#define MIB 1048576.0 /* bytes */

#endif
