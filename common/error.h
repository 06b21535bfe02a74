/* Errors: the function that detects an error writes the message, its callers
 * pass it on, and only main() prints it.
 *
 * A failing function returns -1 (or NULL) and has filled the struct error that
 * was its last argument; on success the struct is left alone. The struct error
 * may be NULL if the caller does not need the message.
 *
 *	struct error e = ERROR_INIT;
 *	if (result_read(path, &r, &e) != 0)
 *		return error_report("report_results", &e);
 */
#ifndef COMMON_ERROR_H
#define COMMON_ERROR_H

#include <stdarg.h>

/* The kind of error, which determines the exit status. */
enum error_code {
	ERROR_NONE = 0,
	ERROR_USAGE,  /* the command line is wrong */
	ERROR_INPUT,  /* a file has invalid content */
	ERROR_SYSTEM, /* a system call failed: no such file, disk full, ... */
	ERROR_DOMAIN, /* a number outside the domain of a function */
	ERROR_LIMIT,  /* a limit was reached */
	ERROR_EMPTY,  /* nothing usable was found */
	ERROR_SCARCE  /* out of descriptors or memory: the file itself may be
			 valid */
};

/* Exit statuses of all our programs (DESIGN: "Exit status"). */
enum exit_status {
	EXIT_STATUS_OK = 0,
	EXIT_STATUS_GATE = 1,  /* a gate failed; only --gate gives it */
	EXIT_STATUS_USAGE = 2, /* wrong usage */
	EXIT_STATUS_INPUT = 3, /* bad input or environment */
	EXIT_STATUS_EMPTY = 4  /* nothing usable found */
};

enum { ERROR_MESSAGE_SIZE = 2048 };

struct error {
	enum error_code code;
	char message[ERROR_MESSAGE_SIZE]; /* one or more lines, no final \n */
};

#define ERROR_INIT \
	{ \
		ERROR_NONE, "" \
	}

#if defined(__GNUC__)
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#else
#define PRINTF_LIKE(f, a)
#endif

/* Replace each byte of control characters by '?', except those in keep: a
 * file's name must not command the terminal. */
void text_sanitise(char *s, const char *keep);

/* Fill e with code and the formatted message (cut at ERROR_MESSAGE_SIZE - 1
 * bytes).  e may be NULL.  Returns -1, so that "return error_set(...)" relays.
 */
int error_set(struct error *e, enum error_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* Like error_set, with the place in front: "file:line:col: message".
 *
 * line, col  from 1; 0 leaves that part out */
int error_at(struct error *e, enum error_code code, const char *file, long line,
    long col, const char *fmt, ...) PRINTF_LIKE(6, 7);

/* Like error_set, with ": strerror(errno_value)" after the message and the
 * code ERROR_SYSTEM, or ERROR_SCARCE for EMFILE, ENFILE and ENOMEM. */
int error_errno(struct error *e, int errno_value, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* Put text and ": " before the message that e holds.  Returns -1. */
int error_prefix(struct error *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Add lines to the message: the offending line of input and a caret below the
 * given column.
 *
 * line  the text of the line, not NUL terminated, tabs are kept
 * len   bytes of line
 * col   column from 1 that the caret stands under; > len stands after the end
 *
 * Long lines are cut around the column.  Returns -1. */
int error_caret(struct error *e, const char *line, unsigned long len, long col);

/* The exit status that stands for e->code: 2 for ERROR_USAGE, 4 for
 * ERROR_EMPTY, 3 for all other codes. */
int error_exit_status(const struct error *e);

/* Print "program: message" to stderr.  Returns error_exit_status(e), so that
 * main() can "return error_report(...)". */
int error_report(const char *program, const struct error *e);

#endif
