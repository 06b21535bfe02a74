/* Declarations of tables of runs that other programs write: the files of
 * common/tables/, one a program. doc/exchange.md describes their keys.
 *
 *	name hyperfine
 *	form json
 *	rows results.*.times.*
 *	field case results.command
 *	field value results.times
 *	set unit s
 */
#ifndef COMMON_SERIES_TABLE_FORM_H
#define COMMON_SERIES_TABLE_FORM_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/result/result.h"

enum table_kind { TABLE_CSV, TABLE_JSON, TABLE_LINES };

/* Keys of a declaration with a word and a text. */
enum form_key {
	FORM_HAS,     /* head: required of a table of this form */
	FORM_ROWS,    /* path of the rows in JSON: names and '*' */
	FORM_CONTEXT, /* template of a line whose cells hold for rows below */
	FORM_ROW,     /* template of a line that is a row */
	FORM_SPLIT,   /* head, and template of its cells: further cells */
	FORM_PAIRS,   /* head whose cells hold KEY=VALUE, separated by '/' */
	FORM_EACH,    /* template of heads: a row for each of them */
	FORM_STRIP,   /* prefix of heads that are read without it */
	FORM_FIELD,   /* member of a case or run, and heads: "a|b" */
	FORM_SET,     /* member of a case or run, and its text */
	FORM_WORD,    /* text of a cell, and its meaning */
	FORM_ONLY,    /* head, and its text in rows that count */
	FORM_SKIP,    /* head, and its text in rows that do not */
	FORM_OTHERS,  /* "labels": of heads that nothing names */
	N_FORM_KEYS
};

struct form_list {
	struct result_pair *items; /* word and text */
	size_t n;
};

struct table_form {
	const char *name; /* NULL: table_form_any */
	enum table_kind kind;
	struct form_list keys[N_FORM_KEYS];
};

/* CSV, TSV, an array of objects or a line for each object, whose heads are read
 * as those of published tables. */
extern const struct table_form table_form_any;

/* All declarations [*n], in the order of their names; read once in a process.
 * NULL with ERROR_INPUT and "file:line: ..." for a bad one, ERROR_SYSTEM if
 * they are missing. */
const struct table_form *table_forms(size_t *n, struct error *e);

/* False if a text cannot have this form, since it lacks names or words that the
 * form requires. */
int table_form_may_fit(
    const struct table_form *form, const char *text, size_t len);

enum { TEMPLATE_MAX_CELLS = 16 };

/* Texts that the names in braces of a template stand for. */
struct template_match {
	struct result_pair cells[TEMPLATE_MAX_CELLS];
	size_t n;
};

/* Match a whole text: "{name} = {value}". A name stands for a text of at least
 * one byte, the shortest before what follows it; "{name#}" for digits.
 *
 * Returns 1, or 0 without a match. The cells are in a. */
int template_matches(struct arena *a, const char *template, const char *text,
    struct template_match *m);

/* Replace the names in braces by their cells. */
const char *template_fill(
    struct arena *a, const char *template, const struct template_match *m);

#endif
