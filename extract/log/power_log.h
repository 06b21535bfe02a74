/* Power of devices as a monitor recorded it next to a log, and its mean. */
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
	int whole;    /* 1: it belongs to this run alone, so its mean can be
			 used if times are unknown */
	/* The time of a line of the log in seconds since 1970, for formats
	 * without times; NAN: unknown. */
	double (*log_time)(const char *log, long line);
	const char *log;     /* its path */
	const char *problem; /* reason why it gives no result, or NULL */
};

struct power_mean {
	double watts;                  /* of one device */
	int64_t first_line, last_line; /* number of rows used */
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
