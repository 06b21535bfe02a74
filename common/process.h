/* Running other programs, and clocks. */
#ifndef COMMON_PROCESS_H
#define COMMON_PROCESS_H

#include <stdio.h>
#include <time.h>

#include "common/error.h"

/* Seconds of the monotonic clock. Thread-safe. */
double seconds_now(void);

enum { UTC_TEXT_SIZE = 32 };

/* Write a time as "2026-11-13T08:00:00Z". Returns text. */
char *utc_text(time_t t, char text[UTC_TEXT_SIZE]);

/* Run argv[0], found through $PATH, and wait for its end.
 *
 * in, out, err  its stdin, stdout and stderr, from the current positions; in is
 *               rewound first
 *
 * Returns its exit status (128 + n for signal n); -1 with ERROR_SYSTEM and
 * *absent set to 1 if the program was not found, else 0. */
int process_run(char *const *argv, FILE *in, FILE *out, FILE *err, int *absent,
    struct error *e);

#endif
