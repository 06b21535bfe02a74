/* One pattern of a format, prefix or layout file: compiling it, and showing
 * where in its file a mistake is.  Internal to extract/.
 */
#ifndef EXTRACT_FORMAT_PATTERN_H
#define EXTRACT_FORMAT_PATTERN_H

#include <stdatomic.h>
#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "extract/format/format.h"

/* The text that messages point into. */
struct format_source {
	const char *path;
	const char *text; /* len bytes */
	size_t len;
};

/* Fill e with ERROR_INPUT, "path:line:col: message", the line and a caret.
 *
 * line, col  from 1
 *
 * Returns -1. */
int source_error(struct error *e, const struct format_source *src, long line,
    long col, const char *fmt, ...) PRINTF_LIKE(5, 6);

/* Compile p->text and find its named groups.
 *
 * p    role, name, text, pieces and line are set; the rest is filled
 * a    gets the captures
 * src  the file, for messages
 *
 * Returns 0; -1 with the place of what PCRE2 does not like, of a group name
 * that is no word or may not stand in this role. */
int pattern_compile(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e);

/* Note that a group of p captures the word called name.
 *
 * offset  of the name in p->text, for messages
 * p       has room in captures
 *
 * Returns 0; -1 with the place of a name that is no word or may not stand in
 * this role. */
int pattern_add_capture(struct pattern *p, struct arena *a,
    const struct format_source *src, const char *name, size_t offset,
    uint32_t group, struct error *e);

/* One pattern that matches where any of n formats' patterns does, between
 * before and after ("^", "\\z"); its mark is the name of the pattern.
 *
 * Returns 0; out->code is NULL if there are none.  -1 with e filled. */
int pattern_combine(struct pattern *out, struct arena *a,
    struct format *const *formats, size_t n, const char *before,
    const char *after, struct error *e);

/* Machine code takes far longer to make than the other code, and is far
 * faster.  So each pattern gets it when it was asked about some texts. */
struct pattern_speed {
	atomic_int made;  /* 1: code may be used; 2: there is none */
	atomic_uint asks; /* so far, with the other code */
	void *code;       /* pcre2_code * */
};

enum {
	PATTERN_SLOW_ASKS = 24,  /* with the other code */
	PATTERN_SLOW_LEN = 16384 /* bytes of a longer text are never */
};

/* Make it at once, if no one did.  Any thread may do so at any time.
 *
 * Returns 1 if p->speed->code is there, 0 where PCRE2 cannot. */
int pattern_speed(const struct pattern *p);

/* Free the compiled code. */
void pattern_release(struct pattern *p);

/* Where in the file the byte at offset of p->text stands. */
void pattern_place(
    const struct pattern *p, size_t offset, long *line, long *col);

/* The capture of that name, or NULL. */
const struct capture *pattern_capture(
    const struct pattern *p, const char *name);

/* Check a format that was read against itself and fill what follows from the
 * rest: order of the patterns, defaults of its meaning, who is shown by which
 * sample.
 *
 * a                       gets what it needs
 * unit_line, window_line  where these keys were given, 0: not given
 *
 * Returns 0, or -1 with the place of the mistake. */
int format_complete(struct format *f, struct arena *a,
    const struct format_source *src, long unit_line, long window_line,
    struct error *e);

#endif
