/* What is known about a run's configuration, and from where: an option beats
 * the path, the path beats the log; who disagrees is remembered
 * (doc/measurement.md, "What is known").
 *
 *	struct facts_said said = FACTS_SAID_INIT;
 *	facts_say(&said, FACT_PATH, "nodes", "4", 0);
 *	facts_say(&said, FACT_LOG, "world_size", "32", 17);
 *	facts_resolve(&said, &arena, &facts);
 *	facts_forget(&said);
 */
#ifndef EXTRACT_FACTS_H
#define EXTRACT_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/result.h"

/* Who says it, the weakest first. */
enum fact_origin { FACT_LOG, FACT_PATH, FACT_OPTION, N_FACT_ORIGINS };

/* One statement; the strings are borrowed. */
struct fact {
	enum fact_origin origin;
	int is_label; /* a free label of the layout or the operand */
	const char *key;
	const char *value;
	int64_t line;     /* of the log; 0: of its format, or elsewhere */
	const char *file; /* of the line, where it is not the run's first */
};

struct facts_said {
	struct fact *items;
	size_t n, alloc;
};

#define FACTS_SAID_INIT \
	{ \
		NULL, 0, 0 \
	}

/* Two that do not agree.  The first is the one that is taken. */
struct fact_conflict {
	const char *key;
	enum fact_origin taken, other;
	const char *taken_value, *other_value;
	int64_t line; /* of the log where the other is the log, else 0 */
	const char *other_place; /* "path", "log line 8", ... */
};

/* What holds.  Unknown: NULL, RESULT_UNKNOWN. */
struct facts {
	const char *framework, *model, *precision, *run;
	const char *framework_version, *device; /* tell no cases apart */
	long batch_size_per_device;
	long batch_size;      /* samples of an iteration of the whole job */
	long sequence_length; /* tokens of a sample */
	long tokens_per_step; /* tokens of an iteration of the whole job */
	int batch_by_log;     /* 1: the batch is known from the log alone */
	long nodes, gpus_per_node, gpus; /* gpus: all; where two are known the
	                                    third follows */
	struct result_pair *labels;      /* sorted by key */
	size_t n_labels;
	struct result_pair *sources; /* key -> "option", "path", "log line 7",
	                                "format", and who says otherwise:
	                                "path; log line 7 says 8" */
	size_t n_sources;
	struct fact_conflict *conflicts;
	size_t n_conflicts;
};

/* Take down a statement.  Keys: framework model precision run
 * framework_version device nodes gpus_per_node gpus world_size batch_size
 * batch_size_per_device sequence_length tokens_per_step micro_batch_size
 * accumulation data_parallel; others are left alone by facts_resolve unless
 * they are labels. */
void facts_say(struct facts_said *said, enum fact_origin origin,
    const char *key, const char *value, int64_t line);

/* The same for a label. */
void facts_label(struct facts_said *said, enum fact_origin origin,
    const char *key, const char *value);

/* Free the list. */
void facts_forget(struct facts_said *said);

/* Weigh all statements.  Of one origin the first statement holds; what stands
 * on a line of the log goes before what its format says of all logs (line 0).
 * Numbers that are no counts above 0 are not statements.  A global batch_size
 * that all GPUs divide gives the batch per device where nobody says that; where
 * nobody says either, the global batch is micro_batch_size x accumulation x
 * data_parallel (1 micro batch, as many replicas as GPUs where unsaid).
 *
 * a  where the strings of f live */
void facts_resolve(
    const struct facts_said *said, struct arena *a, struct facts *f);

/* "option", "path" or "log". */
const char *fact_origin_name(enum fact_origin origin);

#endif
