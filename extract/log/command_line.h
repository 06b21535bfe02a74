/* Splits a command line into words as a shell does, and finds the options. Time
 * and memory are linear in its length.
 *
 *	struct command_line c;
 *	command_line_split(&c, text, len, &arena);
 *	for (size_t i = 0; i < c.n; i += o.n)
 *		if (command_line_option(&c, i, &arena, &o))
 *			... o.key, o.value ...
 *		else
 *			... c.words[i].text ...
 */
#ifndef EXTRACT_LOG_COMMAND_LINE_H
#define EXTRACT_LOG_COMMAND_LINE_H

#include <stddef.h>

#include "common/alloc.h"

struct command_word {
	const char *text; /* without quotes */
	int is_operator;  /* 1: "|", ";", "&&", ">", "2>&1", ... */
};

struct command_line {
	struct command_word *words;
	size_t n;
};

/* Split a line at blanks outside of quotes and around operators. A list printed
 * by Python or in JSON (['python', 'train.py']) gives one word per item. An
 * unclosed quote is an ordinary character.
 *
 * text  [len]
 * a     owns the words */
void command_line_split(
    struct command_line *c, const char *text, size_t len, struct arena *a);

struct command_option {
	const char *key;   /* without leading dashes, '_' as '-': "batch-size",
			    "n", "trainer.amp" */
	const char *value; /* NULL for a flag */
	size_t n;          /* number of words, 1 or 2, also if not an option */
	int separate;      /* 1: the value is the next word, which may instead
			      be an argument after a flag */
};

/* The part of a path after its last slash. */
const char *command_base_name(const char *path);

/* True for "python" and "python3.10". */
int command_is_python(const char *name);

/* True for words that mark the rest of a line as an example: "usage:",
 * "e.g.". */
int command_is_example(const char *word);

/* Read the option that begins with word i: "--key=value", "--key value", "-k
 * value", "-k4", "--flag", or "key=value" as in Hydra and the shell.
 *
 * a  owns key and value, together with the words of c
 *
 * Returns 1; 0 with o->key NULL if the word is not an option. */
int command_line_option(const struct command_line *c, size_t i, struct arena *a,
    struct command_option *o);

/* --- Launchers ------------------------------------------------------------*/

/* Reads the numbers of nodes, tasks and GPUs from the options of launchers, and
 * the batch size from those of the program. */

/* Kind of launcher. */
enum launch_kind {
	LAUNCH_JOB,     /* on all nodes of a job: srun, mpirun */
	LAUNCH_DEVICES, /* one process per device: torchrun, deepspeed, jsrun */
	LAUNCH_PROGRAM, /* no launcher: python train.py */
	N_LAUNCH_KINDS
};

/* Kind of program, the least likely to be the training first. */
enum launch_task {
	LAUNCH_HELPER, /* hostname, bash -c 'echo ...', mlperf-sysjson.sh */
	LAUNCH_OTHER,
	LAUNCH_TRAINING /* recognised by its name */
};

/* Numbers stated by a command; 0: not stated. */
enum launch_number {
	LAUNCH_NODES,
	LAUNCH_GPUS,
	LAUNCH_GPUS_PER_NODE,
	LAUNCH_BATCH, /* --batch-size, per device or global */
	LAUNCH_GLOBAL_BATCH,
	LAUNCH_DEVICE_BATCH,
	LAUNCH_MICRO_BATCH,
	LAUNCH_ACCUMULATION,
	LAUNCH_MODEL_PARALLEL,
	N_LAUNCH_NUMBERS
};

struct launch_command {
	enum launch_kind kind;
	enum launch_task task;
	int alone; /* 1: starts processes on its own node and states no number
		      of nodes */
	long numbers[N_LAUNCH_NUMBERS];
};

enum {
	LAUNCH_COMMAND_NESTED = 4,         /* maximum commands of a line */
	LAUNCH_COMMAND_MAX_BYTES = 1 << 18 /* longer lines are skipped */
};

/* Read the commands of a line, outer ones first. Examples in usage texts are
 * skipped.
 *
 * all  [LAUNCH_COMMAND_NESTED] filled
 *
 * Returns their number. */
size_t launch_command_read(
    const char *text, size_t len, struct launch_command *all);

#endif
