/* Errors. The function that detects an error writes the message, its callers
 * pass it on, and only main() prints it.
 *
 * A failing function returns -1 (or NULL) and fills the struct error given as
 * last argument. On success the struct is unchanged. It may be NULL if the
 * message is not needed.
 *
 *	struct error e = ERROR_INIT;
 *	if (json_doc_read(path, &d, &e) != 0)
 *		return error_report("report_results", &e);
 */
#ifndef COMMON_ERROR_H
#define COMMON_ERROR_H

#include <stdarg.h>

/* Kind of error. It determines the exit status. */
enum error_code {
	ERROR_NONE = 0,
	ERROR_USAGE,  /* invalid command line */
	ERROR_INPUT,  /* invalid content of a file */
	ERROR_SYSTEM, /* failed system call: no such file, disk full, ... */
	ERROR_DOMAIN, /* number outside a function's domain */
	ERROR_LIMIT,  /* limit exceeded */
	ERROR_EMPTY,  /* no usable input */
	ERROR_SCARCE  /* out of descriptors or memory; the file may be valid */
};

/* Exit statuses of all programs (DESIGN: "Exit status"). */
enum exit_status {
	EXIT_STATUS_OK = 0,
	EXIT_STATUS_GATE = 1,  /* a gate failed (only with --gate) */
	EXIT_STATUS_USAGE = 2, /* wrong usage */
	EXIT_STATUS_INPUT = 3, /* bad input or environment */
	EXIT_STATUS_EMPTY = 4  /* no usable input */
};

enum { ERROR_MESSAGE_SIZE = 2048 };

struct error {
	enum error_code code;
	char message[ERROR_MESSAGE_SIZE]; /* one or more lines, no final \n */
};

#define ERROR_INIT ((struct error){ ERROR_NONE, "" })

#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

/* Replace the bytes of control characters (except those in keep) and of invalid
 * UTF-8 with '?', so that a file name cannot control the terminal. */
void text_sanitise(char *s, const char *keep);

/* Fill e with code and the formatted message (cut at ERROR_MESSAGE_SIZE - 1
 * bytes). e may be NULL. Returns -1, for "return error_set(...)".
 */
int error_set(struct error *e, enum error_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* Like error_set, with a location prefix: "file:line:col: message".
 *
 * line, col  from 1; 0 omits the part */
int error_at(struct error *e, enum error_code code, const char *file, long line,
    long col, const char *fmt, ...) PRINTF_LIKE(6, 7);

/* Like error_set, with ": strerror(errno_value)" after the message and the
 * code ERROR_SYSTEM, or ERROR_SCARCE for EMFILE, ENFILE and ENOMEM. */
int error_errno(struct error *e, int errno_value, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* Prefix the message of e with text and ": ". Returns -1. */
int error_prefix(struct error *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Append the offending line of input and a caret below the given column.
 *
 * line  text of the line, not NUL-terminated; tabs are kept
 * len   bytes of line
 * col   column of the caret, from 1; > len is after the end
 *
 * Long lines are cut around the column.  Returns -1. */
int error_caret(struct error *e, const char *line, unsigned long len, long col);

/* Exit status for e->code: 2 for ERROR_USAGE, 4 for ERROR_EMPTY, else 3. */
int error_exit_status(const struct error *e);

/* Print "program: message" to stderr. Returns error_exit_status(e), for "return
 * error_report(...)" in main(). */
int error_report(const char *program, const struct error *e);

#endif
