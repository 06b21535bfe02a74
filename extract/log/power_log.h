/* Power of devices, recorded by a monitor next to a log, and its mean. */
#ifndef EXTRACT_LOG_POWER_LOG_H
#define EXTRACT_LOG_POWER_LOG_H

#include <stddef.h>
#include <stdint.h>

/* Power of one device at one time. */
struct power_row {
	double at; /* seconds since 1970; NAN if the monitor prints no times */
	double watts;
	int64_t line;    /* line number, from 1 */
	uint32_t device; /* from 0, in order of appearance */
};

struct power_log {
	const char *name;       /* file name without folder */
	struct power_row *rows; /* in file order */
	size_t n, alloc;
	long devices; /* number of devices; 0: unknown */
	int whole;    /* 1: belongs to this run alone, so the mean is usable
			 without times */
	/* Time of a line of the log, seconds since 1970, for formats without
	 * times; NAN: unknown. */
	double (*log_time)(const char *log, long line);
	const char *log;     /* its path */
	const char *problem; /* reason for giving no result, or NULL */
};

struct power_mean {
	double watts;                  /* mean per device */
	int64_t first_line, last_line; /* lines of the rows used */
	double covered; /* covered share of the interval; 1 without interval */
};

/* The mean of all rows of all devices in [from, to], seconds since 1970; NAN
 * for both: of all rows.
 *
 * Returns 0; -1 if there are no such rows. */
int power_log_mean(
    const struct power_log *p, double from, double to, struct power_mean *mean);

/* Free the rows. */
void power_log_release(struct power_log *p);

#endif
