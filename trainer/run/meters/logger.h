/* The log of a run: each line is written by one write(2), so that the lines of
 * several processes in one file are never mixed.
 *
 *	struct logger l;
 *	logger_init(&l, STDOUT_FILENO);
 *	logger_printf(&l, &e, "=> creating model '%s'\n", name);
 *	logger_release(&l);
 */
#ifndef TRAINER_RUN_METERS_LOGGER_H
#define TRAINER_RUN_METERS_LOGGER_H

#include "common/error.h"
#include "common/strbuf.h"

enum { LOGGER_LINE_MAX = 1 << 20 };

struct logger {
	int fd;             /* -1: lines are dropped */
	struct strbuf line; /* line under construction, see logger_flush() */
};

/* Set up a logger on a file descriptor (borrowed); -1: drop all lines. */
void logger_init(struct logger *l, int fd);

/* Free the buffer. */
void logger_release(struct logger *l);

/* Write l->line, which ends with \n, and empty it. Returns 0, or -1 with
 * ERROR_SYSTEM (disk full, pipe closed). */
int logger_flush(struct logger *l, struct error *e);

/* End l->line with \n and flush it. */
int logger_end(struct logger *l, struct error *e);

/* Add formatted text to the line and flush it. */
int logger_printf(struct logger *l, struct error *e, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

#endif
