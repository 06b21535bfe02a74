/* The vocabulary of group names in format and layout files: one row per word
 * with its type, its unit and its roles.
 */
#ifndef EXTRACT_FORMAT_PATTERNS_FIELD_NAMES_H
#define EXTRACT_FORMAT_PATTERNS_FIELD_NAMES_H

#include <stddef.h>

/* Purpose of a pattern.  Words list the roles that allow them, as
 * FIELD_NAME_IN(role). */
enum role {
	ROLE_STEP,       /* one training step or window of steps */
	ROLE_DETAIL,     /* more values of a step, on its line: loss, ... */
	ROLE_RESULT,     /* values on a line of their own: validation, ... */
	ROLE_METADATA,   /* configuration stated by the log */
	ROLE_SUMMARY,    /* average that the program prints at its end */
	ROLE_IGNORE,     /* resembles a step but is not one (validation) */
	ROLE_SECTION,    /* start of a part of the configuration */
	ROLE_SIGNATURE,  /* distinguishes programs with the same lines */
	ROLE_CONTEXT,    /* epoch and iteration of the step lines that follow */
	ROLE_BEGIN,      /* an event that starts a measured time */
	ROLE_END,        /* its end; the time between is that of the run */
	ROLE_INTERVAL,   /* its end; the time between is that of a step */
	ROLE_COLLECTIVE, /* time and bandwidth of a message of some size */
	ROLE_PREFIX,     /* a launcher's prefix that distinguishes ranks */
	ROLE_LAYOUT,     /* a path */
	N_ROLES
};

/* Destination of a word of a step pattern in struct sample; FIELD_NONE: no
 * member of its own. */
enum pattern_field {
	FIELD_NONE,
	FIELD_EPOCH,
	FIELD_ITER,
	FIELD_ITER_FROM,
	FIELD_ITERS,
	FIELD_RANK,
	FIELD_WORKER,        /* a text that identifies a rank */
	FIELD_VALUE,         /* divided by word.divisor */
	FIELD_SPAN,          /* iterations whose total the value is */
	FIELD_TOTAL,         /* time of all iterations so far, beside a value */
	FIELD_MEAN,          /* running mean of the value, beside it */
	FIELD_MEAN_OF_RATES, /* the same, as the plain mean of rates */
	FIELD_ALSO_STEP,     /* beside a rate: time of an iteration */
	FIELD_ALSO_RATE,     /* beside a rate: iterations per second */
	FIELD_WORK,          /* samples or tokens of one iteration */
	FIELD_MOMENT,        /* of a begin, end or interval, in seconds */
	FIELD_DONE,          /* samples or tokens so far */
	FIELD_STEPS_DONE,    /* iterations of the training so far */
	FIELD_COLLECTIVE,    /* name of the operation */
	FIELD_BYTES,         /* size of a message */
	FIELD_TIME,          /* time of an operation */
	FIELD_ALGORITHM,     /* bandwidth, bytes over time */
	FIELD_BUS,           /* bandwidth of a link */
	FIELD_COUNT,         /* operations that the line averages */
	FIELD_BUCKET,        /* number of an operation in its step */
	FIELD_READY,         /* when its gradients are ready */
	FIELD_START,         /* its start */
	FIELD_DATE,          /* the day of a stamp: 2024-09-29, 2024/09/29 */
	FIELD_CLOCK,         /* the time of a stamp: 07:23:01.413767 */
	FIELD_STAMP, /* any format of stamp_parse (common/units/units.h) */
	FIELD_LABEL  /* a free label of a layout */
};

enum field_name_type {
	FIELD_NAME_TEXT,
	FIELD_NAME_COUNT,   /* integer, >= 0 */
	FIELD_NAME_NUMBER,  /* decimal, nan and inf included */
	FIELD_NAME_DURATION /* seconds, or h:mm:ss */
};

/* Kinds of value of a step or summary word, see struct meaning. */
enum field_name_value {
	FIELD_NAME_NO_VALUE,
	FIELD_NAME_STEP_TIME,
	FIELD_NAME_RATE,
	FIELD_NAME_STAMP,
	FIELD_NAME_ELAPSED
};

/* Values of a detail taken from the last lines of a log for the metrics of the
 * run (tail_values.c in extract/scan). */
enum field_name_tail {
	FIELD_NAME_NOT_ASKED,
	FIELD_NAME_LAST, /* the last value */
	FIELD_NAME_ALL   /* the last value, the sum and the maximum */
};

struct field_name {
	const char *name;
	enum field_name_type type;
	enum field_name_value value;
	enum pattern_field field;
	unsigned roles;   /* set of FIELD_NAME_IN(role) */
	double divisor;   /* converts the printed value to the unit */
	const char *unit; /* "s", "samples/s"; NULL for none */
	const char *help; /* one clause for --list-fields */
	int lowercase;    /* 1: convert values to lowercase */
	const char *key;  /* name of a detail in records; NULL: same as name */
	enum field_name_tail tail;
};

#define FIELD_NAME_IN(role) (1u << (role))

/* Name of a role in format files: "step", "detail", ... */
const char *role_name(enum role role);

/* Find a role by name (len bytes, no NUL needed), or N_ROLES.  Accepts the
 * older names "hot", "lap", "sign", "fact". */
enum role role_find(const char *name, size_t len);

/* Find a word by name (len bytes, no NUL needed), or NULL. */
const struct field_name *field_name_find(const char *name, size_t len);

/* The word of all label_NAME; field_name_find does not return it. */
extern const struct field_name field_label;

/* Convert ASCII capitals in s to lowercase. */
void text_lowercase(char *s);

/* The i-th word, from 0; NULL after the last. */
const struct field_name *field_name_at(size_t i);

#endif
