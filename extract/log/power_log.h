/* What a monitor recorded of devices' power next to a log, and its mean. */
#ifndef EXTRACT_LOG_POWER_LOG_H
#define EXTRACT_LOG_POWER_LOG_H

#include <stddef.h>
#include <stdint.h>

/* One device at one moment. */
struct power_row {
	double at; /* seconds since 1970, or NAN: the monitor prints no times */
	double watts;
	int64_t line;    /* of the file, from 1 */
	uint32_t device; /* from 0, in the order in which they appear */
};

struct power_log {
	const char *name;       /* of the file, without its folder */
	struct power_row *rows; /* in the order of the file */
	size_t n, alloc;
	long devices; /* that it knows; 0: unknown */
	int whole;    /* 1: it is of this run alone, so that its mean is the
	                 run's where times are unknown */
	/* When the log's line was printed, in seconds since 1970, for logs of
	 * which the format reads no times; NAN: it does not say. */
	double (*log_time)(const char *log, long line);
	const char *log;     /* its path */
	const char *problem; /* why it gives no figure, set when one was asked
	                        for; or NULL */
};

struct power_mean {
	double watts;                  /* of one device */
	int64_t first_line, last_line; /* of the rows that count */
	double covered; /* share of the interval that the file covers; 1
	                   without one */
};

/* The mean of all rows of all devices from one moment to another, both
 * included, in seconds since 1970; NAN for both: of all rows.
 *
 * Returns 0; -1 if no row is of it. */
int power_log_mean(
    const struct power_log *p, double from, double to, struct power_mean *mean);

/* Free the rows. */
void power_log_release(struct power_log *p);

#endif
