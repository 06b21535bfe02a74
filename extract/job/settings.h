/* Settings from the command line of extract_logs.
 *
 * After settings_check the rule is complete and consistent.
 */
#ifndef EXTRACT_JOB_SETTINGS_H
#define EXTRACT_JOB_SETTINGS_H

#include "common/alloc.h"
#include "common/error.h"
#include "common/program/options.h"
#include "common/result/result.h"
#include "extract/measure/steps/rule.h"

struct settings {
	/* Input */
	struct opt_list log_dirs; /* --log-dir, added to the operands */
	struct opt_list format_dirs;
	const char *log_format; /* format name; NULL: detect */

	/* Window; settings_check converts the texts to rule. */
	const char *rule_name, *epoch, *aggregate, *metric, *rate_scope;
	struct rule rule;

	/* Cases */
	const char *baseline, *scaling;
	double confidence;
	int allow_mixed;

	/* Metadata that logs do not state; else RESULT_UNKNOWN or NULL. */
	const char *framework, *model, *precision, *run;
	long nodes, gpus_per_node, gpus, batch_size_per_device, batch_size;
	long sequence_length;

	struct opt_list selection; /* --select: "key=value" */
	struct opt_list paths;     /* --path: name templates */
	const char *map; /* --map: table of metadata by file, or NULL */

	/* Output */
	const char *output_dir, *output, *name, *records, *format, *table;
	int force; /* 1: replace a result of other settings */
	int quiet, verbose, strict, no_hash;
	int follow;
	double interval, timeout;  /* s; timeout 0: none */
	long jobs;                 /* 0: number of CPUs */
	long max_unpacked;         /* MiB */
	const char *compat;        /* whose scripts to imitate, or NULL */
	const char *compat_script; /* after "dlperf:", or "" */

	/* Modes without extraction */
	const char *explain, *show_format, *suggest;
	const char *list_formats; /* search word, "": all; NULL: not given */
	int check_formats, explain_paths, list_fields;

	struct arena arena; /* of the texts of a protocol */
};

/* The settings that the option table fills. */
extern struct settings settings;

/* The program and its option table. */
extern const struct program extract_program;

/* Check and convert texts that name choices or numbers, and check dependencies
 * of options. Call once after options_parse.
 *
 * n_operands  operands on the command line, without --log-dir
 *
 * Returns 0, or -1 with ERROR_USAGE. */
int settings_check(struct settings *s, int n_operands, struct error *e);

/* True if an option asks about formats or single logs instead of measuring. */
int settings_ask_of_formats(const struct settings *s);

/* Add to rule->more the given options that change figures, except the rule, as
 * typed; each item of a list separately. Members are named "rate_scope" for
 * "rate-scope".
 *
 * a  arena of the list */
void settings_keep_options(
    const struct settings *s, struct result_rule *rule, struct arena *a);

/* --- Published conventions -------------------------------------------------*/

/* Published conventions of measuring: --protocol=NAME. They are rows of the
 * files known.protocols in the folders of formats, those of users first:
 *
 *	NAME | OPTION=VALUE ... | meaning
 *
 * The options are those of extract_logs, and iterations=A-B: the iterations
 * that a log prints as A to B. */

#endif
