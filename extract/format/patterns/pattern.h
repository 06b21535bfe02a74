/* One pattern of a format, prefix or layout file: its compilation, and error
 * positions in the file.  Internal to extract/.
 */
#ifndef EXTRACT_FORMAT_PATTERNS_PATTERN_H
#define EXTRACT_FORMAT_PATTERNS_PATTERN_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "common/alloc.h"
#include "common/error.h"
#include "extract/format/patterns/field_names.h"

/* --- Texts of regular expressions ------------------------------------------*/

/* Properties of a regular expression found in its text, in PCRE2's syntax,
 * before it is compiled.  Errors are left to PCRE2.
 *
 * Digits after a letter, '_' or '@' (Acc@1, fp16) are held: patterns may name
 * them.  All others are free: a digit-insensitive pattern treats lines that
 * differ only in free digits alike, so the scanner matches only one of them
 * (scan/scan_file.c). */

static inline int
text_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* True if digits after this character are held. */
static inline int
text_holds_digits(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	    c == '@';
}

/* True if a text [len] has digits. */
int text_has_digit(const char *s, size_t len);

/* True if a text [len] has free digits.  Leading digits count as free, since
 * the text before them is not known. */
int text_has_free_digit(const char *text, size_t len);

/* Position after the unit at p: an escape, a class, a verb, the opening of a
 * group with its name or options, or another byte. */
const char *regex_after_unit(const char *p);

/* True if the expression treats all free digits alike; 0 also if it is not
 * understood. */
int regex_is_digit_insensitive(const char *regex);

/* The bytes (4 words) and hashed pairs of adjacent bytes in a text; digits
 * count as one. */
enum { TEXT_SET_WORDS = 12 };

struct text_set {
	uint64_t bits[TEXT_SET_WORDS];
};

/* Add a byte and its pair with the byte before; before 0: start of a text. */
static inline void
text_set_add(struct text_set *set, unsigned before, unsigned c)
{
	/* Factors that keep adjacent letters apart. */
	const unsigned pair = 256 + (before * 37 + c * 11) % 512;

	set->bits[c / 64] |= UINT64_C(1) << c % 64;
	if (before != 0)
		set->bits[pair / 64] |= UINT64_C(1) << pair % 64;
}

/* The byte, with all digits mapped to one. */
static inline unsigned
text_digits_as_one(char c)
{
	return text_is_digit(c) ? '0' : (unsigned char)c;
}

/* Add a text [len]. */
void text_set_add_text(struct text_set *set, const char *s, size_t len);

/* True if a text with the set `in` may contain all of need. */
static inline int
text_set_holds(const struct text_set *in, const struct text_set *need)
{
	for (int i = 0; i < TEXT_SET_WORDS; i++)
		if (need->bits[i] & ~in->bits[i])
			return 0;
	return 1;
}

/* Intersect a set with another; and add another to a set. */
void text_set_keep(struct text_set *set, const struct text_set *other);
void text_set_add_set(struct text_set *set, const struct text_set *other);

/* --- Patterns --------------------------------------------------------------*/

/* Limits of a pattern; a pattern beyond them is rejected with a message. */
enum {
	FORMAT_MAX_GROUPS = 32,       /* named groups in one pattern */
	FORMAT_MAX_ALL_GROUPS = 255,  /* groups in one pattern */
	FORMAT_MATCH_LIMIT = 100000,  /* PCRE2 match limit, per attempt */
	FORMAT_DEPTH_LIMIT = 1000,    /* PCRE2 depth limit (without JIT) */
	FORMAT_HEAP_LIMIT_KIB = 4096, /* PCRE2 heap limit (without JIT) */
	FORMAT_MAX_REGEX = 16384,     /* bytes of one pattern */
	PATTERN_LITERAL_MAX = 32,     /* bytes kept of a literal */
	SELECTORS_MAX = 64            /* in one pattern for objects or tables */
};

struct object_pattern;

/* A named group of a pattern. */
struct capture {
	uint32_t group; /* PCRE2 group number, from 1 */
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

/* Place of a part of a pattern in its file; patterns may span several lines. */
struct piece {
	size_t offset;  /* in pattern.text */
	const char *at; /* in the file's text */
};

struct pattern {
	enum role role;
	const char *name; /* unique in its file */
	const char *text; /* regular expression, or selectors of values in an
	                     object */
	struct piece *pieces;
	size_t n_pieces;
	const char *at;              /* its line in the file's text */
	struct object_pattern *json; /* for objects, or NULL */
	struct object_pattern *csv;  /* for rows of tables, or NULL */
	struct pattern_code *code;   /* for regular expressions, or NULL */
	char literal[PATTERN_LITERAL_MAX]; /* [n_literal] text in every match;
	                                      csv: in every header */
	size_t n_literal;                  /* 0: not known */
	struct text_set need;  /* bytes in every match; csv: in every header */
	int anchored;          /* 1: begins with ^ */
	int moves_start;       /* 1: has \K: the reported start may differ from
	                          the start found */
	int digit_insensitive; /* 1: treats all free digits alike */
	int names_digits;      /* json: 1: a key, a value or the text before has
	                          free digits; csv: 1: a column's name has
	                          digits */
	int uncacheable;       /* 1: digit-sensitive, but only on lines with its
	                    digit-free literal, which get no template */
	struct capture *captures;
	size_t n_captures;
	struct given *gives;
	size_t n_gives;
	const struct pattern *begin; /* ROLE_END and ROLE_INTERVAL: the begin
	                                above it */
	const char *in;   /* metadata: section in which it applies; NULL: all */
	const char *only; /* metadata: frameworks whose logs it applies to,
	                     separated by '|'; NULL: all */
	size_t n_samples; /* expectations that name this pattern */
};

/* Text that error messages refer to. */
struct format_source {
	const char *path;
	const char *text; /* len bytes and a NUL */
	size_t len;
};

/* Number, from 1, of the line that contains this position of the text. */
long source_line(const struct format_source *src, const char *at);

/* Fill e with ERROR_INPUT, "path:line:col: message", the line that contains
 * this position of the text, and a caret.  Returns -1. */
int source_error(struct error *e, const struct format_source *src,
    const char *at, const char *fmt, ...) PRINTF_LIKE(4, 5);

/* Compile a regular expression and set the members that follow from p->text,
 * such as named groups and the literal.
 *
 * p    role, name, text, pieces and at are set; the others are filled
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
	                     nearest_pattern_find; NULL: not made */
	int first;        /* first byte of every match; -1: unknown */
	size_t min_len;   /* bytes of the shortest match */
	atomic_int ready; /* 1: machine code and metered are made */
};

/* Make p->code ready: the slow path of pattern_code. */
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

/* Position in the file's text of the byte at this offset of p->text. */
const char *pattern_place(const struct pattern *p, size_t offset);

/* Find a capture by name, or NULL. */
const struct capture *pattern_capture(
    const struct pattern *p, const char *name);

/* Patterns for objects instead of text: JSON, and dictionaries as printed by
 * Python's repr (single quotes, None, True, nan).  A statement "json ROLE NAME
 * SELECTORS" compiles to one.  It returns offset pairs like a regular
 * expression.
 *
 * See object_pattern.c for selectors.  NAME is a path: a key, or keys and array
 * indices separated by '/'.  A value is the text between quotes, or the bare
 * text; null and None count as missing.  With after=TEXT, an object must
 * directly follow this text (and spaces); without it, all objects are tried in
 * turn, except nested ones. */

/* Compile the selectors in p->text.  Sets p->json, captures, literal and the
 * other members that pattern_compile sets.  Returns 0; -1 with the position of
 * an invalid selector. */
pattern_maker json_pattern_compile;

/* Find the first matching object in text, from an offset on.
 *
 * text  [len]
 * ov    receives the offset pairs, 2 * (p->n_groups + 1) numbers; PCRE2_UNSET
 *       for missing values
 * work  in/out: bytes that may be read in vain, for instance if many objects
 *       begin and none ends; the search stops at 0 or less
 *
 * Returns the number of pairs, or 0. */
size_t json_pattern_match(const struct object_pattern *p, const char *text,
    size_t len, size_t from, size_t *ov, int64_t *work);

/* Find the first selector that does not match the first object of text.
 *
 * len, end  out: bytes of the selector; position of the object in text
 *
 * Returns the selector, or NULL if there is no object or it matches. */
const char *json_pattern_missing(const struct object_pattern *p,
    const char *text, size_t text_len, size_t *len, size_t *end);

/* Patterns for tables with a header row, whose columns are named, not numbered.
 * A statement "csv ROLE NAME SELECTORS" compiles to one.
 *
 * NAME is the name of a column.  A row with an empty cell for a FIELD=COLUMN
 * does not match.  A header row is a line whose cells include all required
 * columns; it does not match itself.  Cells are separated by commas, tabs or
 * semicolons, as in the header.  They may be in double quotes, and spaces
 * around them are ignored.  A row has as many cells as the header.  The first
 * header is among the first CSV_HEADER_LINES lines of a log and does not begin
 * with a digit. */
enum {
	CSV_MAX_CELLS = 1024,  /* in a row */
	CSV_HEADER_LINES = 100 /* of a log that may hold its first header */
};

/* Columns of a pattern in a table. */
struct csv_header {
	const struct object_pattern *of; /* NULL: no header seen */
	char delimiter;
	uint16_t n_cells;
	/* Column of each selector, from 0; n_cells: none. */
	uint16_t columns[SELECTORS_MAX];
};

/* Compile the selectors in p->text into p->csv, like json_pattern_compile. */
pattern_maker csv_pattern_compile;

/* Returns 1 and fills h if the line [len] is a header row for p. */
int csv_read_header(const struct object_pattern *p, const char *line,
    size_t len, struct csv_header *h);

/* Match a row.
 *
 * line  [len]
 * ov    receives the offset pairs, 2 * (groups + 1) numbers
 *
 * Returns the number of pairs, or 0 if it does not match. */
size_t csv_read_row(
    const struct csv_header *h, const char *line, size_t len, size_t *ov);

#endif
