/* Quantities of a run besides its speed: times of the program, phases of a mean
 * step, traffic. Reference value files, tables and CSV take their names from
 * one table.
 *
 *	double s = quantity_of_case(c, QUANTITY_FORWARD);
 */
#ifndef COMMON_SERIES_QUANTITY_H
#define COMMON_SERIES_QUANTITY_H

#include <stddef.h>

#include "common/result/result.h"
#include "common/texts/messages.h"

enum quantity {
	QUANTITY_REAL,
	QUANTITY_USER,
	QUANTITY_SYS,
	QUANTITY_STEP,
	QUANTITY_DATA,
	QUANTITY_TO_DEVICE,
	QUANTITY_FORWARD,
	QUANTITY_LOSS,
	QUANTITY_BACKWARD,
	QUANTITY_UPDATE,
	QUANTITY_BUSY,
	QUANTITY_EXPOSED,
	QUANTITY_RECEIVED,
	QUANTITY_SENT,
	N_QUANTITIES
};

struct quantity_row {
	const char *head;   /* in reference value files: "forward" */
	const char *key;    /* in CSV: "forward_s" */
	size_t offset;      /* of a double in struct result_run */
	int is_rate;        /* 1: GB/s, 0: seconds */
	enum message shown; /* in tables */
};

extern const struct quantity_row quantity_rows[N_QUANTITIES];

/* Find a quantity by head. Returns N_QUANTITIES if it is unknown.
 *
 * head  [len] case of ASCII letters is ignored */
enum quantity quantity_find(const char *head, size_t len);

/* The median over the runs with a value; NAN if there is none. */
double quantity_of_case(const struct result_case *c, enum quantity q);

enum { QUANTITY_TEXT_SIZE = 64 };

/* Format a rate in 1e9 bytes/s as published tables do, "2.61Gb/s". */
char *quantity_bit_rate(char buf[QUANTITY_TEXT_SIZE], double gb_per_s);

/* Format a time as the shell's "time" does, "2m53.341s". */
char *quantity_clock(char buf[QUANTITY_TEXT_SIZE], double seconds);

#endif
