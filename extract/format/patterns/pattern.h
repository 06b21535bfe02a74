/* One pattern of a format, prefix or layout file: compiling it, and showing
 * where in its file a mistake is.  Internal to extract/.
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

/* Stated maxima of a pattern; one beyond them is refused with a message. */
enum {
	FORMAT_MAX_GROUPS = 32,       /* named groups in one pattern */
	FORMAT_MAX_ALL_GROUPS = 255,  /* groups in one pattern */
	FORMAT_MATCH_LIMIT = 100000,  /* PCRE2 match limit, one attempt */
	FORMAT_DEPTH_LIMIT = 1000,    /* PCRE2 depth limit (without JIT) */
	FORMAT_HEAP_LIMIT_KIB = 4096, /* PCRE2 heap limit (without JIT) */
	FORMAT_MAX_REGEX = 16384,     /* bytes of one pattern */
	PATTERN_LITERAL_MAX = 32      /* bytes of a literal that are kept */
};

/* One named group of a pattern. */
struct capture {
	uint32_t group;         /* PCRE2 group number, from 1 */
	const char *group_name; /* as the pattern has it */
	const struct field_name *word;
	const char *name; /* word->name, or the name of a label in a layout */
	enum pattern_field
	    field; /* word->field; FIELD_NONE for a value of a step
	                     pattern that the format's kind does not want */
	int comma; /* 1: the pattern has a comma of its own after it */
};

/* A metadata field that a pattern's match gives next to what it captures, or
 * that a format gives always. */
struct given {
	const char *key;
	const char *value;
};

/* Where a piece of a pattern stands in its file; patterns may go on over
 * several lines. */
struct piece {
	size_t offset; /* in pattern.text */
	long line, col;
};

struct pattern_code;

struct pattern {
	enum role role;
	const char *name; /* unique in its file */
	const char *text; /* the regular expression, or what selects values
	                     of an object */
	struct piece *pieces;
	size_t n_pieces;
	long line;                 /* of the file */
	struct json_pattern *json; /* of an object, or NULL */
	struct csv_pattern *csv;   /* of a table's rows, or NULL */
	struct pattern_code *code; /* of a regular expression, or NULL */
	char literal[PATTERN_LITERAL_MAX]; /* [n_literal] stands in every match;
	                                      of csv: in every header */
	size_t n_literal;                  /* 0: not known */
	struct text_set need;  /* is in every match; of csv: in every
	                                      header */
	int anchored;          /* 1: begins with ^ */
	int moves_start;       /* 1: it has \K: what it reports is
	                                      not where it was found */
	int digit_insensitive; /* 1: see regex_text.h */
	int uncacheable; /* 1: it is not, but its lines hold its literal, which
	                    has no digit: they must not become templates */
	struct capture *captures; /* their groups are set with the code */
	size_t n_captures;
	struct given *gives;
	size_t n_gives;
	const struct pattern *begin; /* of ROLE_END and ROLE_INTERVAL: the begin
	                                above it */
	const char *in;   /* of metadata: the section in which it counts; NULL:
	                     everywhere */
	const char *only; /* of metadata: space-separated frameworks of whose
	                     logs it is asked; NULL: of all */
	size_t n_samples; /* expectations that name this pattern */
};

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

/* What turns the text of a pattern into what matches. */
typedef int pattern_maker(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e);

/* Find what p->text shows: its named groups, its literal.  It is compiled when
 * it is first asked.
 *
 * p    role, name, text, pieces and line are set; the rest is filled
 * a    gets the captures; lives as long as p, as the texts of src do
 * src  the file, for messages
 *
 * Returns 0; -1 with the place of a group name that is no word or may not stand
 * in this role. */
int pattern_read(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e);

/* pattern_read, and compile it at once.  -1 also with the place of what PCRE2
 * does not like. */
int pattern_compile(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e);

/* A regular expression, compiled; machine code where PCRE2 can. */
struct pattern_code {
	atomic_int state; /* 0: not compiled yet; 1: it is; 2: it cannot be */
	void *code;       /* pcre2_code *; shared read-only */
	int is_fast;      /* 1: machine code */
	int first;        /* first byte of every match, or -1 if unknown */
	size_t min_len;   /* bytes of the shortest match */
	atomic_int is_metered;           /* 1: metered is what there is */
	struct metered_pattern *metered; /* see work_meter.h; NULL: none */
	struct format_source src;
	struct error *problem; /* of state 2 */
};

/* See pattern_code. */
struct pattern_code *pattern_make(const struct pattern *p);

/* The code of a regular expression.  Any thread may ask at any time.  NULL: it
 * has a mistake, which pattern_problem has. */
static inline struct pattern_code *
pattern_code(const struct pattern *p)
{
	return atomic_load_explicit(&p->code->state, memory_order_acquire) == 1
	    ? p->code
	    : pattern_make(p);
}

/* The mistake for which pattern_code was NULL; NULL: none so far. */
const struct error *pattern_problem(const struct pattern *p);

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

/* The form of p whose work is counted, made at the first call.  Any thread may
 * ask at any time.  NULL: its work needs no count, or cannot be counted. */
const struct metered_pattern *pattern_metered(const struct pattern *p);

/* Fill e with the mistake of a pattern that states nothing.  Returns -1. */
int pattern_captures_nothing(
    const struct pattern *p, const struct format_source *src, struct error *e);

/* Free the compiled code. */
void pattern_release(struct pattern *p);

/* Where in the file the byte at offset of p->text stands. */
void pattern_place(
    const struct pattern *p, size_t offset, long *line, long *col);

/* The capture of that name, or NULL. */
const struct capture *pattern_capture(
    const struct pattern *p, const char *name);

#endif
