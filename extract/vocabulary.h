/* The words that a format or layout file may use as group names: one row each
 * with its type, its unit and the roles it may stand in.  A new word is a new
 * row.
 */
#ifndef EXTRACT_VOCABULARY_H
#define EXTRACT_VOCABULARY_H

#include <stddef.h>

/* What a pattern is for; a word says with WORD_IN(role) where it may stand. */
enum role {
	ROLE_HOT,     /* one training step or window of steps; every line */
	ROLE_DETAIL,  /* more about a step: loss, accuracy, phases */
	ROLE_FACT,    /* what the log says about its own configuration */
	ROLE_SUMMARY, /* what the program itself averaged at its end */
	ROLE_IGNORE,  /* looks like a step but is none (validation, ...) */
	ROLE_PREFIX,  /* a launcher's prefix that tells ranks apart */
	ROLE_LAYOUT,  /* a path */
	N_ROLES
};

/* Where in a struct sample a word of a hot pattern goes; FIELD_NONE: nowhere
 * of its own. */
enum field {
	FIELD_NONE,
	FIELD_EPOCH,
	FIELD_ITER,
	FIELD_ITER_FROM,
	FIELD_ITERS,
	FIELD_RANK,
	FIELD_WORKER, /* a text that stands for a rank */
	FIELD_VALUE,  /* times word.scale */
	FIELD_DATE,   /* 2024-09-29, 2024/09/29 */
	FIELD_CLOCK,  /* 07:23:01.413767, 07:23:01,413 */
	FIELD_STAMP   /* seconds since 1970, times word.scale */
};

enum word_type {
	WORD_TEXT,
	WORD_COUNT,   /* whole number, not below 0 */
	WORD_NUMBER,  /* decimal, also nan and inf */
	WORD_DURATION /* seconds, or h:mm:ss */
};

/* Kinds of value that a hot or summary word can be, see struct meaning. */
enum word_value {
	WORD_NO_VALUE,
	WORD_STEP_TIME,
	WORD_RATE,
	WORD_STAMP,
	WORD_ELAPSED
};

struct word {
	const char *name;
	enum word_type type;
	enum word_value value;
	enum field field;
	unsigned roles;   /* set of WORD_IN(role) */
	double scale;     /* to the unit below */
	const char *unit; /* "s", "samples/s"; NULL for none */
	const char *help; /* one clause for doc and --help */
};

#define WORD_IN(role) (1u << (role))

/* Name of a role as format files spell it: "hot", "detail", ... */
const char *role_name(enum role role);

/* The word of that name (len bytes, no NUL needed), or NULL. */
const struct word *word_find(const char *name, size_t len);

/* The i-th word, i from 0, or NULL behind the last. */
const struct word *word_at(size_t i);

/* Read a number as logs print it: "12.5", "1e-3", "10,050", "11.5K", "517.",
 * "nan", "inf"; nothing may follow.
 *
 * text  len bytes, no NUL needed
 *
 * Returns 0 and sets out, or -1. */
int number_read(const char *text, size_t len, double *out);

/* Read a duration: what number_read reads, or "h:mm:ss", "m:ss.cc". */
int duration_read(const char *text, size_t len, double *seconds);

/* Seconds since midnight of "07:23:01.413767" or "07:23:01,413".  Returns 0, or
 * -1 if text is not of that form. */
int clock_read(const char *text, size_t len, double *seconds);

/* Seconds from 1970-01-01 to the midnight that begins "2024-09-29" or
 * "2024/09/29", without regard to time zones.  Returns 0, or -1. */
int date_read(const char *text, size_t len, double *seconds);

#endif
