/* One pattern of a format, prefix or layout file: its compilation, and error
 * positions in the file.  Internal to extract/.
 */
#ifndef EXTRACT_FORMAT_PATTERNS_PATTERN_H
#define EXTRACT_FORMAT_PATTERNS_PATTERN_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "extract/format/patterns/field_names.h"
#include "extract/format/patterns/regex_text.h"

/* Limits of a pattern; a pattern beyond them is rejected with a message. */
enum {
	FORMAT_MAX_GROUPS = 32,       /* named groups in one pattern */
	FORMAT_MAX_ALL_GROUPS = 255,  /* groups in one pattern */
	FORMAT_MATCH_LIMIT = 100000,  /* PCRE2 match limit, per attempt */
	FORMAT_DEPTH_LIMIT = 1000,    /* PCRE2 depth limit (without JIT) */
	FORMAT_HEAP_LIMIT_KIB = 4096, /* PCRE2 heap limit (without JIT) */
	FORMAT_MAX_REGEX = 16384,     /* bytes of one pattern */
	PATTERN_LITERAL_MAX = 32      /* bytes kept of a literal */
};

/* A named group of a pattern. */
struct capture {
	uint32_t group;         /* PCRE2 group number, from 1 */
	const char *group_name; /* as written in the pattern */
	const struct field_name *word;
	const char *name; /* word->name, or the name of a label in a layout */
	enum pattern_field
	    field; /* word->field; FIELD_NONE for a value of a step pattern that
	              the format's kind does not use */
	int comma; /* 1: the pattern has its own comma after it */
};

/* A metadata field that a pattern adds to its captures, or that a format always
 * gives. */
struct given {
	const char *key;
	const char *value;
};

/* Position of a part of a pattern in its file; patterns may span several
 * lines. */
struct piece {
	size_t offset; /* in pattern.text */
	long line, col;
};

struct pattern {
	enum role role;
	const char *name; /* unique in its file */
	const char *text; /* regular expression, or selectors of values in an
	                     object */
	struct piece *pieces;
	size_t n_pieces;
	long line;                 /* of the file */
	struct json_pattern *json; /* for objects, or NULL */
	struct csv_pattern *csv;   /* for rows of tables, or NULL */
	struct pattern_code *code; /* for regular expressions, or NULL */
	char literal[PATTERN_LITERAL_MAX]; /* [n_literal] text in every match;
	                                      csv: in every header */
	size_t n_literal;                  /* 0: not known */
	struct text_set need;  /* bytes in every match; csv: in every header */
	int anchored;          /* 1: begins with ^ */
	int moves_start;       /* 1: has \K: the reported start may differ from
	                          the start found */
	int digit_insensitive; /* 1: see regex_text.h */
	int names_digits;      /* json: 1: a key, a value or the text before has
	                          free digits; csv: 1: a column's name has
	                          digits */
	int uncacheable; /* 1: digit-sensitive on lines with its digit-free
	                    literal only; these must not become templates */
	struct capture *captures;
	size_t n_captures;
	struct given *gives;
	size_t n_gives;
	const struct pattern *begin; /* ROLE_END and ROLE_INTERVAL: the begin
	                                above it */
	const char *in;   /* metadata: section in which it applies; NULL: all */
	const char *only; /* metadata: frameworks whose logs it applies to,
	                     separated by spaces; NULL: all */
	size_t n_samples; /* expectations that name this pattern */
};

/* Text that error messages refer to. */
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

/* Compile a regular expression and set the members that follow from p->text,
 * such as named groups and the literal.
 *
 * p    role, name, text, pieces and line are set; the others are filled
 * a    allocates the captures; must live as long as p
 * src  the file, for messages
 *
 * Returns 0; -1 with the position of a syntax error, or of a group name that is
 * unknown or not allowed in this role. */
typedef int pattern_maker(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e);
pattern_maker pattern_compile;

/* A compiled regular expression, shared read-only. */
struct pattern_code {
	void *code;       /* pcre2_code * */
	void *metered;    /* the same with callouts, see struct work_meter;
	                     NULL: not needed or not possible */
	void *traced;     /* the same with a callout before each item, for
	                     nearest_pattern.h; NULL: not made */
	int first;        /* first byte of every match; -1: unknown */
	size_t min_len;   /* bytes of the shortest match */
	atomic_int ready; /* 1: machine code and metered are made */
};

/* Slow path of pattern_code. */
void pattern_make_ready(const struct pattern *p);

/* The code of a regular expression, ready for matching.  Machine code is made
 * on first use, since a program needs few of the patterns.  Thread-safe. */
static inline const struct pattern_code *
pattern_code(const struct pattern *p)
{
	if (!atomic_load_explicit(&p->code->ready, memory_order_acquire))
		pattern_make_ready(p);
	return p->code;
}

/* Limits PCRE2's work per line, counted in bytes read, to avoid quadratic time.
 * PCRE2's own limit counts per start only, and its machine code counts few
 * steps.  In metered code a callout after each part that can match any number
 * of bytes measures the progress of a match since the last one. */
enum { METER_CALL = 1 /* cost of a callout, in bytes */ };

struct work_meter {
	int64_t left;       /* bytes that may still be read */
	int counts;         /* 1: metered code is being matched */
	size_t start, last; /* start of the current attempt; position at the
	                       last callout */
};

/* Compile a regular expression with callouts; free it with pcre2_code_free.
 *
 * Returns NULL if no part can match any number of bytes, or if the expression
 * is not understood (\Q, comments). */
void *metered_code_new(const char *regex);

/* Callout function for PCRE2; w is a struct work_meter.  Returns
 * PCRE2_ERROR_CALLOUT when the limit is reached. */
int work_meter_count(void *block, void *w);

/* Add a group of p that captures the word called name.
 *
 * offset  of the name in p->text, for messages
 * p       has space in captures
 *
 * Returns 0; -1 with the position of a name that is unknown or not allowed in
 * this role. */
int pattern_add_capture(struct pattern *p, struct arena *a,
    const struct format_source *src, const char *name, size_t offset,
    uint32_t group, struct error *e);

/* Free the compiled code. */
void pattern_release(struct pattern *p);

/* Compute the position in the file of the byte at offset of p->text. */
void pattern_place(
    const struct pattern *p, size_t offset, long *line, long *col);

/* Find a capture by name, or NULL. */
const struct capture *pattern_capture(
    const struct pattern *p, const char *name);

#endif
