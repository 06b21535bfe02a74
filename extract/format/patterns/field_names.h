/* The words that a format or layout file may use as group names: one row each
 * with its type, its unit and the roles it may stand in.  A new word is a new
 * row.
 */
#ifndef EXTRACT_FORMAT_PATTERNS_FIELD_NAMES_H
#define EXTRACT_FORMAT_PATTERNS_FIELD_NAMES_H

#include <stddef.h>

/* What a pattern is for; a word states with FIELD_NAME_IN(role) where it may
 * stand. */
enum role {
	ROLE_STEP,     /* one training step or window of steps; every line */
	ROLE_DETAIL,   /* more about a step, on its line: loss, accuracy, ... */
	ROLE_RESULT,   /* figures on a line of their own: validation, ... */
	ROLE_METADATA, /* what the log states about its own configuration */
	ROLE_SUMMARY,  /* what the program itself averaged at its end */
	ROLE_IGNORE,   /* looks like a step but is none (validation, ...) */
	ROLE_SECTION,  /* where a part of the configuration begins */
	ROLE_SIGNATURE,  /* distinguishes programs of the same lines */
	ROLE_CONTEXT,    /* epoch and iteration of the step lines that follow */
	ROLE_BEGIN,      /* an event that something begins with */
	ROLE_END,        /* what ends it; the time since is the whole run's */
	ROLE_INTERVAL,   /* what ends it; the time since is a step's */
	ROLE_COLLECTIVE, /* time and bandwidth of a message of some size */
	ROLE_PREFIX,     /* a launcher's prefix that distinguishes ranks */
	ROLE_LAYOUT,     /* a path */
	N_ROLES
};

/* Where in a struct sample a word of a step pattern goes; FIELD_NONE: nowhere
 * of its own. */
enum pattern_field {
	FIELD_NONE,
	FIELD_EPOCH,
	FIELD_ITER,
	FIELD_ITER_FROM,
	FIELD_ITERS,
	FIELD_RANK,
	FIELD_WORKER, /* a text that stands for a rank */
	FIELD_VALUE,  /* divided by word.divisor */
	FIELD_SPAN,   /* iterations that the value is the total of */
	FIELD_TOTAL,  /* time of all iterations so far, next to a value */
	FIELD_MEAN,   /* running mean, next to a value; like it */
	FIELD_MEAN_OF_RATES, /* the same, but the plain mean of rates */
	FIELD_ALSO_STEP,     /* next to a rate: time of an iteration */
	FIELD_ALSO_RATE,     /* next to a rate: iterations per second */
	FIELD_WORK,          /* samples or tokens of one iteration */
	FIELD_MOMENT,        /* of a begin, end or interval, in seconds */
	FIELD_DONE,          /* samples or tokens done so far */
	FIELD_STEPS_DONE,    /* the same in iterations of the training */
	FIELD_COLLECTIVE,    /* name of what is measured */
	FIELD_BYTES,         /* of a message */
	FIELD_TIME,          /* of an operation */
	FIELD_ALGORITHM,     /* bandwidth, bytes over time */
	FIELD_BUS,           /* bandwidth of a link */
	FIELD_COUNT,         /* of operations that a line speaks for */
	FIELD_BUCKET,        /* which operation of a step */
	FIELD_READY,         /* its gradients are there */
	FIELD_START,         /* it begins */
	FIELD_DATE,          /* the day of a stamp: 2024-09-29, 2024/09/29 */
	FIELD_CLOCK,         /* the time of a stamp: 07:23:01.413767 */
	FIELD_STAMP, /* whatever stamp_parse of common/units/units.h reads */
	FIELD_LABEL  /* a free label of a layout */
};

enum field_name_type {
	FIELD_NAME_TEXT,
	FIELD_NAME_COUNT,   /* whole number, not below 0 */
	FIELD_NAME_NUMBER,  /* decimal, also nan and inf */
	FIELD_NAME_DURATION /* seconds, or h:mm:ss */
};

/* Kinds of value that a step or summary word can be, see struct meaning. */
enum field_name_value {
	FIELD_NAME_NO_VALUE,
	FIELD_NAME_STEP_TIME,
	FIELD_NAME_RATE,
	FIELD_NAME_STAMP,
	FIELD_NAME_ELAPSED
};

/* What is asked of a detail in the last lines of a log (tail_values.c in
 * extract/scan), for the metrics of the run. */
enum field_name_tail {
	FIELD_NAME_NOT_ASKED,
	FIELD_NAME_LAST, /* the last one */
	FIELD_NAME_ALL   /* and the sum and maximum */
};

struct field_name {
	const char *name;
	enum field_name_type type;
	enum field_name_value value;
	enum pattern_field field;
	unsigned roles;   /* set of FIELD_NAME_IN(role) */
	double divisor;   /* of what is printed, to the unit below */
	const char *unit; /* "s", "samples/s"; NULL for none */
	const char *help; /* one clause for --list-fields */
	int lowercase;    /* 1: its values are made lowercase */
	const char *key;  /* of a detail in records; NULL: its name */
	enum field_name_tail tail;
};

#define FIELD_NAME_IN(role) (1u << (role))

/* Name of a role as format files spell it: "step", "detail", ... */
const char *role_name(enum role role);

/* The role of that name (len bytes, no NUL needed), or N_ROLES.  Also of the
 * names that four of them had in older files: "hot", "lap", "sign", "fact". */
enum role role_find(const char *name, size_t len);

/* The word of that name (len bytes, no NUL needed), or NULL. */
const struct field_name *field_name_find(const char *name, size_t len);

/* label_NAME, a label of any name; it is none of those that are found. */
extern const struct field_name field_label;

/* Make the capitals of ASCII in s small. */
void text_lowercase(char *s);

/* The i-th word, i from 0, or NULL after the last. */
const struct field_name *field_name_at(size_t i);

#endif
