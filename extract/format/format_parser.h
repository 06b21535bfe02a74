/* A format file that is being read: where the parser is, what it has, and what
 * the readers of keys share.  Inside of extract/format. */
#ifndef EXTRACT_FORMAT_FORMAT_PARSER_H
#define EXTRACT_FORMAT_FORMAT_PARSER_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "extract/format/format.h"
#include "extract/format/patterns/pattern.h"

/* A piece of the file: len bytes in line `line` from column `col`. */
struct file_span {
	const char *s;
	size_t len;
	long line, col;
};

enum { FORMAT_MAX_KEYS = 64 };

struct format_parser {
	struct arena *arena;
	struct format_source src;
	struct format *f;
	const char *want_name;
	struct error *e;
	int later;                   /* 1: patterns are compiled when they are
	                                asked */
	int no_samples;              /* 1: they are skipped */
	size_t pos;                  /* in src.text: the next line */
	long line;                   /* number of the line read last */
	long lines[FORMAT_MAX_KEYS]; /* on which each key was given last, first
	                                those of format_head_keys; 0: not yet */
	/* What grows while reading; moved to the arena at the end. */
	struct pattern *patterns;
	size_t n_patterns, alloc_patterns;
	struct format_sample *samples;
	size_t n_samples, alloc_samples;
	struct given *gives;
	size_t n_gives, alloc_gives;
};

/* The kinds of file that a key may stand in. */
enum {
	KEY_IN_FORMAT = 1 << FORMAT_FILE,
	KEY_IN_PREFIX = 1 << FORMAT_FILE_PREFIX,
	KEY_IN_LAYOUT = 1 << FORMAT_FILE_LAYOUT,
	KEY_IN_METADATA = 1 << FORMAT_FILE_METADATA,
	KEY_IN_ALL = (1 << N_FORMAT_FILES) - 1
};

/* A key of the language, and what reads its value. */
struct format_key {
	const char *name;
	unsigned files; /* set of KEY_IN_... */
	/* Reads the value.  Returns 0, or -1 with p->e filled. */
	int (*read)(
	    struct format_parser *p, struct file_span v); /* NULL: a pattern */
	int once;
	enum role role; /* of the pattern */
	int as_it_is;   /* 1: the value's first blanks count, too */
	/* The value is one of these words, whose index the int or enum at
	 * offset in struct format gets; NULL: read reads it. */
	const char *const *choices;
	size_t offset;
};

/* The keys of a file's head, and those of its patterns and samples; a reader
 * may be NULL, for a pattern of that role. */
extern const struct format_key format_head_keys[];
extern const struct format_key format_pattern_keys[];
extern const size_t n_format_head_keys, n_format_pattern_keys;

/* Fill the parser's error with a mistake at v.  -1. */
#define SPAN_ERROR(p, v, ...) \
	source_error((p)->e, &(p)->src, (v).line, (v).col, __VA_ARGS__)

/* Is it a space or a tab? */
int file_blank(char c);

/* Take n bytes off the front of v; it has so many. */
void file_span_skip(struct file_span *v, size_t n);

/* Take blanks off the front of v. */
void file_span_skip_blanks(struct file_span *v);

/* Take characters up to the next blank off the front of v. */
struct file_span file_span_word(struct file_span *v);

/* Is its text s? */
int file_span_is(struct file_span v, const char *s);

/* A copy of its text in the parser's arena. */
char *parser_dup(struct format_parser *p, struct file_span v);

/* Take a name off the front of v: letters, digits, - _ . +
 *
 * what  whose name, for messages
 *
 * Returns it in the arena; NULL on a mistake. */
const char *parser_name(
    struct format_parser *p, struct file_span *v, const char *what);

/* One of a list of words that ends in NULL.  Returns its index, or -1. */
int parser_choice(
    struct format_parser *p, struct file_span v, const char *const *choices);

/* Read "KEY VALUE" of set and gives; KEY must be a word of that role.  Returns
 * 0 or -1. */
int parser_given(struct format_parser *p, struct file_span v, enum role role,
    struct given *g);

/* The next line, without its end; a NUL in it is an error.  Returns 0 or -1. */
int parser_next_line(struct format_parser *p, struct file_span *v);

/* Read a pattern of a role: its name and regular expression, with the lines
 * that go on.  Returns 0 or -1. */
int parser_pattern(struct format_parser *p, struct file_span v, enum role role);

#endif
