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

struct pattern_code;

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
	int uncacheable; /* 1: digit-sensitive on lines with its digit-free
	                    literal only; these must not become templates */
	struct capture *captures; /* group numbers are set on compilation */
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

/* Prepares a pattern from its text. */
typedef int pattern_maker(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e);

/* Set the members that follow from p->text, such as named groups and the
 * literal.  The pattern is compiled on first use.
 *
 * p    role, name, text, pieces and line are set; the others are filled
 * a    allocates the captures; must live as long as p, as must the texts of src
 * src  the file, for messages
 *
 * Returns 0; -1 with the position of a group name that is unknown or not
 * allowed in this role. */
int pattern_read(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e);

/* pattern_read with immediate compilation.  Returns -1 also for a syntax error,
 * with its position. */
int pattern_compile(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e);

/* A compiled regular expression; machine code if PCRE2 supports it. */
struct pattern_code {
	atomic_int state;      /* 0: not compiled yet; 1: compiled; 2: failed */
	void *code;            /* pcre2_code *; shared read-only */
	int is_fast;           /* 1: machine code */
	int first;             /* first byte of every match; -1: unknown */
	size_t min_len;        /* bytes of the shortest match */
	atomic_int is_metered; /* 1: metered is final */
	struct metered_pattern *metered; /* see work_meter.h; NULL: none */
	struct format_source src;
	struct error *problem; /* in state 2 */
};

/* Slow path of pattern_code. */
struct pattern_code *pattern_make(const struct pattern *p);

/* The code of a regular expression, compiled on first use.  Thread-safe.  NULL:
 * pattern_problem has the mistake. */
static inline struct pattern_code *
pattern_code(const struct pattern *p)
{
	return atomic_load_explicit(&p->code->state, memory_order_acquire) == 1
	    ? p->code
	    : pattern_make(p);
}

/* The mistake for which pattern_code returned NULL; NULL: none so far. */
const struct error *pattern_problem(const struct pattern *p);

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

/* The metered form of p, made on first use.  Thread-safe.  NULL: metering is
 * not needed or not possible. */
const struct metered_pattern *pattern_metered(const struct pattern *p);

/* Report a pattern that captures nothing.  Returns -1. */
int pattern_captures_nothing(
    const struct pattern *p, const struct format_source *src, struct error *e);

/* Free the compiled code. */
void pattern_release(struct pattern *p);

/* Compute the position in the file of the byte at offset of p->text. */
void pattern_place(
    const struct pattern *p, size_t offset, long *line, long *col);

/* Find a capture by name, or NULL. */
const struct capture *pattern_capture(
    const struct pattern *p, const char *name);

#endif
