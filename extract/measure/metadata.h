/* Configuration of a run, with the source of each value. A row of --map takes
 * precedence over an option, an option over --path, and --path over other parts
 * of the path. For counts the log takes precedence over the path; within the
 * log the order is program, launcher, job, system description. Contradictions
 * are recorded (doc/formats.md, "Layouts").
 *
 *	struct metadata_stated stated = METADATA_STATED_INIT;
 *	metadata_state(&stated, METADATA_PATH, "nodes", "4", 0);
 *	metadata_state(&stated, METADATA_LOG, "world_size", "32", 17);
 *	metadata_resolve(&stated, &arena, &metadata);
 *	metadata_forget(&stated);
 */
#ifndef EXTRACT_MEASURE_METADATA_H
#define EXTRACT_MEASURE_METADATA_H

#include <stddef.h>
#include <stdint.h>

#include "common/alloc.h"
#include "common/result/result.h"
#include "extract/log/log.h"

/* Sources of counts, in ascending precedence. For texts the path takes
 * precedence over the log. */
enum metadata_origin {
	METADATA_FORMAT, /* default of the format */
	METADATA_GUESS,  /* probable meaning of a command */
	METADATA_PATH,   /* weaker than the other log voices */
	METADATA_MACHINE,
	METADATA_JOB,
	METADATA_LAUNCHER,
	METADATA_LOG,
	METADATA_TEMPLATE, /* --path, or a layout of the user */
	METADATA_OPTION,
	METADATA_MAP, /* a row of --map, specific to the file */
	N_METADATA_ORIGINS
};

/* One statement; the strings are borrowed. */
struct metadata_entry {
	enum metadata_origin origin;
	int is_label; /* free label of the layout or operand */
	const char *key;
	const char *value;
	int64_t line;     /* in the log or map; 0: neither */
	const char *file; /* of the line, if not the run's first */
};

struct metadata_stated {
	struct metadata_entry *items;
	size_t n, alloc;
};

#define METADATA_STATED_INIT \
	{ \
		NULL, 0, 0 \
	}

/* Two contradicting statements. The first one is used. */
struct metadata_conflict {
	const char *key;
	enum metadata_origin taken, other;
	int quiet;   /* 1: both are of the log, at different precedence */
	int flagged; /* 1: a count may be wrong: equal precedence, or path
	                against log */
	const char *taken_value, *other_value;
	int64_t line;            /* of the other statement in the log, or 0 */
	const char *file;        /* of the line, if not the run's first */
	const char *taken_place; /* "path", "log line 8", ... */
	const char *other_place;
};

/* Resolved configuration. Unknown: NULL, RESULT_UNKNOWN. */
struct metadata {
	const char *name; /* of the case, as a table of runs states it, or
	                     NULL */
	const char *framework, *model, *precision, *run;
	const char *framework_version, *device; /* do not distinguish cases */
	long batch_size_per_device;
	long batch_size;      /* samples per iteration of the whole job */
	long sequence_length; /* tokens per sample */
	long tokens_per_step; /* tokens per iteration of the whole job */
	int batch_by_log;     /* 1: only the log states the batch */
	long batch_guessed;   /* batch size in a command, per device or of all;
	                         or 0 */
	long nodes, gpus_per_node, gpus; /* gpus: total; two counts imply the
	                                    third */
	struct result_pair *labels;      /* sorted by key */
	size_t n_labels;
	struct result_pair *varied; /* labels of the logs, in their order; used
	                               for cases only if needed
	                               (cases/case.h) */
	size_t n_varied;
	struct result_pair *sources; /* key -> "option", "path", "log line 7",
	                                "format", with contradictions: "path;
	                                log line 7 says 8" */
	size_t n_sources;
	struct metadata_conflict *conflicts;
	size_t n_conflicts;
};

/* Add a statement. Keys: framework model precision run framework_version device
 * nodes gpus_per_node gpus world_size batch_size batch_size_per_device
 * sequence_length tokens_per_step micro_batch_size accumulation data_parallel
 * model_parallel tasks; metadata_resolve ignores others unless they are
 * labels. */
void metadata_state(struct metadata_stated *stated, enum metadata_origin origin,
    const char *key, const char *value, int64_t line);

/* Add a label. */
void metadata_label(struct metadata_stated *stated, enum metadata_origin origin,
    const char *key, const char *value);

/* Free the list. */
void metadata_forget(struct metadata_stated *stated);

/* Resolve all statements. The first of each origin is used. Counts that are not
 * integers above 0 are ignored. A global batch_size divisible by the GPUs
 * implies an unstated batch per device; if neither is stated, the global batch
 * is micro_batch_size x accumulation x data_parallel (defaults: 1 micro batch,
 * one replica per GPU). Unstated GPUs are the global batch divided by the batch
 * per device, or the job's tasks. An option gpus_per_node alone means one node.
 *
 * a  owns the strings of f */
void metadata_resolve(
    const struct metadata_stated *stated, struct arena *a, struct metadata *f);

/* First value of a key in a log, or NULL. */
const char *metadata_log_text(const struct log *log, const char *key);

/* First value of a key in a log as a number, digits grouped in threes allowed;
 * NAN if there is none. */
double metadata_log_number(const struct log *log, const char *key);

/* "map", "option", "path" or "log". */
const char *metadata_origin_name(enum metadata_origin origin);

/* Origin of a voice in the log. */
enum metadata_origin metadata_origin_of(enum log_voice voice);

/* True if the origin is the log or its format. */
int metadata_by_log(enum metadata_origin origin);

#endif
