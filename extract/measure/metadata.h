/* What is known about a run's configuration, and from where.  A row of --map
 * takes precedence over an option, an option over --path, and --path over other
 * parts of the path.  For counts the log takes precedence over the path, and in
 * the log the program over its launcher, the launcher over the job, the job
 * over a description of the system.  Statements that disagree are kept
 * (doc/formats.md, "Layouts").
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

#include "common/arena.h"
#include "common/result/result.h"
#include "extract/log/log.h"

/* Who states a count, the weakest first.  Of texts the path goes before the
 * log. */
enum metadata_origin {
	METADATA_FORMAT, /* of all its logs */
	METADATA_GUESS,  /* from here on in the order of enum log_voice, but */
	METADATA_PATH,   /* for a guess */
	METADATA_MACHINE,
	METADATA_JOB,
	METADATA_LAUNCHER,
	METADATA_LOG,
	METADATA_TEMPLATE, /* --path, or a layout of the user's */
	METADATA_OPTION,
	METADATA_MAP, /* a row of --map: of this file, so it goes first */
	N_METADATA_ORIGINS
};

/* One statement; the strings are borrowed. */
struct metadata_entry {
	enum metadata_origin origin;
	int is_label; /* a free label of the layout or the operand */
	const char *key;
	const char *value;
	int64_t line;     /* of the log, or of the map; 0: of the log's format,
	                     or elsewhere */
	const char *file; /* of the line, where it is not the run's first */
};

struct metadata_stated {
	struct metadata_entry *items;
	size_t n, alloc;
};

#define METADATA_STATED_INIT \
	{ \
		NULL, 0, 0 \
	}

/* Two that do not agree.  The first is the one that is taken. */
struct metadata_conflict {
	const char *key;
	enum metadata_origin taken, other;
	int quiet;   /* 1: the log states both, of whom one knows better */
	int flagged; /* 1: no one knows better, or the path contradicts the
	                log: a count may be wrong */
	const char *taken_value, *other_value;
	int64_t line;     /* of the log where the other is the log, else 0; then
	                 both may be the log, and the first line is taken */
	const char *file; /* of it, where it is not the run's first */
	const char *taken_place; /* "path", "log line 8", ... */
	const char *other_place;
};

/* What holds.  Unknown: NULL, RESULT_UNKNOWN. */
struct metadata {
	const char *framework, *model, *precision, *run;
	const char *framework_version, *device; /* distinguish no cases */
	long batch_size_per_device;
	long batch_size;      /* samples of an iteration of the whole job */
	long sequence_length; /* tokens of a sample */
	long tokens_per_step; /* tokens of an iteration of the whole job */
	int batch_by_log;     /* 1: the batch is known from the log alone */
	long batch_guessed;   /* what a command calls the batch size, where it
	                         may be of a device or of all; or 0 */
	long nodes, gpus_per_node, gpus; /* gpus: all; where two are known the
	                                    third follows */
	struct result_pair *labels;      /* sorted by key */
	size_t n_labels;
	struct result_pair *varied; /* labels that the logs state, in their
	                               order: of a case only where needed
	                               (cases/case.h) */
	size_t n_varied;
	struct result_pair *sources; /* key -> "option", "path", "log line 7",
	                                "format", and who states otherwise:
	                                "path; log line 7 says 8" */
	size_t n_sources;
	struct metadata_conflict *conflicts;
	size_t n_conflicts;
};

/* Add a statement.  Keys: framework model precision run
 * framework_version device nodes gpus_per_node gpus world_size batch_size
 * batch_size_per_device sequence_length tokens_per_step micro_batch_size
 * accumulation data_parallel model_parallel tasks; others are left alone by
 * metadata_resolve unless they are labels. */
void metadata_state(struct metadata_stated *stated, enum metadata_origin origin,
    const char *key, const char *value, int64_t line);

/* The same for a label. */
void metadata_label(struct metadata_stated *stated, enum metadata_origin origin,
    const char *key, const char *value);

/* Free the list. */
void metadata_forget(struct metadata_stated *stated);

/* Weigh all statements.  Of one origin the first holds.  Numbers that are no
 * counts above 0 are not statements.  A global batch_size that all GPUs divide
 * gives the batch per device where that is not stated; where neither is, the
 * global batch is micro_batch_size x accumulation x data_parallel (1 micro
 * batch, as many replicas as GPUs where unsaid).  Where no GPUs are stated,
 * they are the global batch over that of a device, or the job's tasks.  An
 * option gpus_per_node alone means one node.
 *
 * a  where the strings of f live */
void metadata_resolve(
    const struct metadata_stated *stated, struct arena *a, struct metadata *f);

/* What a log states first under a key, or NULL. */
const char *metadata_log_text(const struct log *log, const char *key);

/* The number that a log states first under a key, groups of three allowed; NAN
 * where it states none. */
double metadata_log_number(const struct log *log, const char *key);

/* "map", "option", "path" or "log". */
const char *metadata_origin_name(enum metadata_origin origin);

/* What a voice in the log is. */
enum metadata_origin metadata_origin_of(enum log_voice voice);

/* True if the log states it, or its format. */
int metadata_by_log(enum metadata_origin origin);

#endif
