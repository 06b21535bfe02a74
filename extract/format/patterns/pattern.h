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
#include "extract/format/patterns/required_literal.h"

/* Stated maxima of a pattern; one beyond them is refused with a message. */
enum {
	FORMAT_MAX_GROUPS = 32,       /* named groups in one pattern */
	FORMAT_MAX_ALL_GROUPS = 255,  /* groups in one pattern */
	FORMAT_MATCH_LIMIT = 100000,  /* PCRE2 match limit, one attempt */
	FORMAT_DEPTH_LIMIT = 1000,    /* PCRE2 depth limit (without JIT) */
	FORMAT_HEAP_LIMIT_KIB = 4096, /* PCRE2 heap limit (without JIT) */
	FORMAT_MAX_REGEX = 16384,     /* bytes of one pattern */
	FORMAT_JSON_WORK = 1          /* so many times its bytes are read of a
	                                 line by a pattern for objects */
};

/* One named group of a pattern. */
struct capture {
	uint32_t group; /* PCRE2 group number, from 1 */
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

/* Machine code takes far longer to make than the other code, and is far
 * faster.  So each pattern gets it when it was asked about some texts. */
struct pattern_speed {
	atomic_int made;       /* 1: code may be used; 2: there is none */
	atomic_uint asks;      /* so far, with the other code */
	void *code;            /* pcre2_code * */
	atomic_int is_metered; /* 1: metered is what there is */
	struct metered_pattern *metered; /* see work_meter.h; NULL: none */
};

struct pattern_later;

struct pattern {
	enum role role;
	const char *name; /* unique in its file */
	const char *text; /* the regular expression, or what selects values
	                     of an object */
	struct piece *pieces;
	size_t n_pieces;
	long line;                          /* of the file */
	void *code;                         /* pcre2_code *; shared read-only */
	struct json_pattern *json;          /* in place of code, or NULL */
	struct csv_pattern *csv;            /* the same of a table's rows */
	struct pattern_speed *speed;        /* of code */
	struct pattern_later *later;        /* how to compile it when it is
	                                asked; NULL: it is */
	char literal[REQUIRED_LITERAL_MAX]; /* stands in every match; of
	                                csv: in every header */
	struct required_literal_set need;   /* is in every match */
	size_t n_literal;                   /* bytes of it; 0: not known */
	int anchored;                       /* 1: begins with ^ */
	int moves_start;                    /* 1: it has \K: what it reports is
	                                not where it was found */
	int digit_insensitive;              /* 1: see digit_insensitive */
	int uncacheable; /* 1: it is not, but its lines hold its literal, which
	                    has no digit: they must not become templates */
	int first;       /* first byte of every match, or -1 if unknown */
	size_t min_len;  /* bytes of the shortest match */
	uint32_t n_groups; /* highest group number */
	struct capture *captures;
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

/* The same when a line asks: what the code shows is pattern_now's, what the
 * text shows is p's, too.  a and the texts of src live as long as p.
 *
 * Returns 0. */
int pattern_compile_later(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e);

/* See pattern_now. */
const struct pattern *pattern_make(const struct pattern *p);

/* The pattern compiled, as p or in place of it.  Any thread may ask at any
 * time.  NULL: it has a mistake, which pattern_problem has. */
static inline const struct pattern *
pattern_now(const struct pattern *p)
{
	return p->later == NULL ? p : pattern_make(p);
}

/* The mistake for which pattern_now was NULL; NULL: none so far.  No other
 * thread may be at work. */
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

enum {
	PATTERN_SLOW_ASKS = 24,  /* with the other code */
	PATTERN_SLOW_LEN = 16384 /* bytes of a longer text are never */
};

/* Make it at once, if no one did.  Any thread may do so at any time.
 *
 * Returns 1 if p->speed->code is there, 0 where PCRE2 cannot. */
int pattern_speed(const struct pattern *p);

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
