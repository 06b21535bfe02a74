/* A sweep: a short file that lists the runs to make.
 *
 * One setting per line: a key, spaces, values. A line that begins with a blank
 * continues the one above; "#" begins a comment line. Values are words; quotes
 * as in the shell ('a b', "a b") keep spaces. Settings above the first "name"
 * apply to all groups; each "name" begins a group of runs.
 *
 *	model    resnet18 resnet50
 *	batch    4 8
 *	options  --dummy --batches-per-epoch=130 --epochs=1 --val-batches=0
 *	name     dlscale-cpu
 *	topology 1n1g 1n2g
 *	runs     5
 *
 * Words of options, env, command and launcher may contain fields such as
 * {model} and {batch} (sweep_key_help), which plan_make() fills in.
 *
 * "cpu:KEY" replaces KEY on machines without GPUs, "quick:KEY" in short runs.
 * The value of the plain KEY is kept, so that a table can list the differences.
 */
#ifndef TRAINER_LAUNCH_SWEEP_H
#define TRAINER_LAUNCH_SWEEP_H

#include <stddef.h>

#include "common/alloc.h"
#include "common/error.h"

enum sweep_key {
	SWEEP_NAME,
	SWEEP_MODEL,
	SWEEP_BATCH,
	SWEEP_PRECISION,
	SWEEP_TOPOLOGY,
	SWEEP_NODES,
	SWEEP_DEVICES,
	SWEEP_RUNS,
	SWEEP_OPTIONS,
	SWEEP_MORE_OPTIONS,
	SWEEP_ENV,
	SWEEP_PROGRAM,
	SWEEP_COMMAND,
	SWEEP_COMPLETION_MARKER,
	SWEEP_TIMEOUT,
	SWEEP_LAUNCHER,
	SWEEP_LAUNCHER_OPTIONS,
	SWEEP_HOSTFILE,
	SWEEP_LINK,
	SWEEP_LINK_BURST,
	SWEEP_LINK_DELAY,
	SWEEP_HOSTS_LINK,
	SWEEP_CORE_SHARE,
	SWEEP_IMAGES,
	SWEEP_NEEDS,
	SWEEP_PREPARE,
	SWEEP_EXTRACT_OPTIONS,
	SWEEP_TABLE,
	SWEEP_REPORT_OPTIONS,
	SWEEP_CHART,
	SWEEP_PLOT_OPTIONS,
	SWEEP_REFERENCE,
	SWEEP_REFERENCE_CASE,
	SWEEP_COMPARE,
	SWEEP_WHY,
	SWEEP_KEYS /* number of keys */
};

/* Conditions under which a setting replaces the one without a condition; bits.
 * If two hold, the higher one counts. */
enum sweep_condition { SWEEP_ON_CPU = 1, SWEEP_QUICK = 2 };

/* The fields {...} of a word. */
enum sweep_field {
	FIELD_MODEL,
	FIELD_BATCH,
	FIELD_PRECISION,
	FIELD_NODES,
	FIELD_DEVICES,
	FIELD_RANKS,
	FIELD_TOTAL_BATCH,
	FIELD_LR,
	FIELD_RUN,
	FIELD_STEPS,
	FIELD_DATA,
	FIELD_CHECKPOINT,
	SWEEP_FIELDS
};

enum {
	SWEEP_MAX_BYTES = 1 << 20, /* of a file */
	SWEEP_MAX_COUNT = 1 << 20  /* nodes, devices, images, runs */
};

struct word {
	const char *text; /* without quotes */
	long line, col;   /* position, from 1; 0: not in the file */
};

/* The values of one key. words is NULL for a key without value and default. */
struct setting {
	const struct word *words;
	size_t n;
};

struct group {
	struct setting set[SWEEP_KEYS];   /* in effect */
	struct setting plain[SWEEP_KEYS]; /* without conditions and --set */
};

struct sweep {
	struct arena arena;
	const char *path; /* for messages */
	const char *text; /* the file */
	struct group *groups;
	size_t n_groups;
};

/* Read a sweep.
 *
 * path   of the file; "-" is stdin
 * sets   [n_sets] settings "KEY VALUE..." or "KEY=VALUE..." that replace
 *        those of all groups
 * conditions  bits of enum sweep_condition that hold
 * s      set on success only; sweep_release() frees it
 *
 * Returns 0, or -1: ERROR_INPUT with "file:line:col: ", ERROR_USAGE for a
 * mistake in sets, ERROR_SYSTEM if the file cannot be read. */
int sweep_read(const char *path, const char *const *sets, size_t n_sets,
    unsigned conditions, struct sweep *s, struct error *e);

/* The same for a text of len bytes, at most SWEEP_MAX_BYTES.
 *
 * path  for messages */
int sweep_parse(const char *path, const char *text, size_t len,
    const char *const *sets, size_t n_sets, unsigned conditions,
    struct sweep *s, struct error *e);

/* Free s and make it empty. */
void sweep_release(struct sweep *s);

/* Report an error in a word of the sweep as "file:line:col: message". Returns
 * -1. */
int sweep_error(const struct sweep *s, const struct word *at, struct error *e,
    const char *fmt, ...) PRINTF_LIKE(4, 5);

/* Parse a topology: "1n2g" is 1, 2. Returns 0, or -1 if text is not a
 * topology. */
int topology_parse(const char *text, long *nodes, long *devices);

/* The field that begins at text[0], which is '{', or -1.
 *
 * len  set to its length including braces; 0 if no '}' follows */
int sweep_field_find(const char *text, size_t *len);

/* Number of values of a key; words of a template may contain {fields}. */
enum sweep_values { VALUES_ONE, VALUES_MANY, VALUES_TEMPLATE };

/* Type of a value. */
enum sweep_kind {
	KIND_TEXT, /* any but "" */
	KIND_COUNT,
	KIND_NAME,
	KIND_PRECISION,
	KIND_TOPOLOGY,
	KIND_ENV,
	KIND_LABEL,
	KIND_SHARE,
	KIND_NEEDS,
	KIND_TIMEOUT,
	KIND_RATE,
	KIND_BURST,
	KIND_DELAY
};

struct sweep_row {
	const char *name;
	enum sweep_values values;
	enum sweep_kind kind;
	const char *def;   /* one word, or NULL */
	const char *help;  /* a sentence without full stop */
	int is_whole;      /* 1: applies to all groups and must precede them */
	const char *alias; /* its name in older files, or NULL */
};

/* The rows, indexed by enum sweep_key. */
extern const struct sweep_row sweep_rows[SWEEP_KEYS];

/* Paragraphs that explain the keys and fields, for --help. */
void sweep_key_help(struct strbuf *sb);

#endif
