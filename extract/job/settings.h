/* What the command line of extract_logs asks for.
 *
 * Invariants after settings_check: the rule is complete and its parts go
 * together.
 */
#ifndef EXTRACT_JOB_SETTINGS_H
#define EXTRACT_JOB_SETTINGS_H

#include "common/arena.h"
#include "common/error.h"
#include "common/program/options.h"
#include "extract/measure/steps/rule.h"
#include "extract/job/shard.h"

struct settings {
	/* Input */
	struct opt_list log_dirs; /* --log-dir, added to the operands */
	struct opt_list format_dirs;
	const char *log_format; /* name, or NULL: find out */

	const char *shard_text;
	struct shard shard; /* of = 0: all of the tree */

	/* Window; the texts are settled in rule. */
	const char *rule_name, *epoch, *aggregate, *metric, *rate_scope;
	struct rule rule;

	/* Cases */
	const char *baseline, *scaling;
	double confidence;
	int allow_mixed;

	/* What the logs do not state; RESULT_UNKNOWN, NULL. */
	const char *framework, *model, *precision, *run;
	long nodes, gpus_per_node, gpus, batch_size_per_device, batch_size;
	long sequence_length;

	struct opt_list selection; /* --select: "key=value" */
	struct opt_list paths;     /* --path: templates of names */
	const char *map; /* --map: a table of files and metadata, or NULL */

	/* Output */
	const char *output_dir, *output, *name, *records, *format, *table;
	int quiet, verbose, strict, no_hash;
	int follow;
	double interval, timeout; /* s; timeout 0: none */
	long jobs;                /* 0: as many as CPUs */
	const char *compat;
	const char *compat_script; /* after "dlperf:", or "" */

	/* Instead of extracting */
	const char *explain, *show_format, *suggest;
	const char *list_formats; /* a word, "": all; NULL: not asked */
	int check_formats, explain_paths, list_fields;
};

/* struct opt.modes: what --shard does with an option. */
enum {
	OF_PARTS = 1, /* changes figures: parts state it */
	OF_MERGE = 2, /* may be given when parts are merged */
	NOT_OF_PARTS = 4
};

/* The targets of the option table. */
extern struct settings settings;

/* The program with its table. */
extern const struct program extract_program;

/* Settle what the table cannot: texts that name choices or numbers, options
 * that need or forbid each other.  Call it once after options_parse.
 *
 * n_operands  operands on the command line, without --log-dir
 *
 * Returns 0, or -1 with ERROR_USAGE. */
int settings_check(struct settings *s, int n_operands, struct error *e);

/* The row of an option of that name, which there is. */
const struct opt *settings_option(const char *name);

/* The value of an option, no list, as it would be typed; "true" for a flag that
 * was given.
 *
 * a  where the text lives */
const char *settings_option_text(const struct opt *o, struct arena *a);

#endif
