/* What a command line in a log states about the processes it starts: how many
 * nodes, tasks and GPUs its launcher was given, and the batch size among the
 * program's own options.
 *
 *	struct launch_command all[LAUNCH_COMMAND_NESTED];
 *	const size_t n = launch_command_read(line, len, all);
 */
#ifndef EXTRACT_LOG_LAUNCH_COMMAND_H
#define EXTRACT_LOG_LAUNCH_COMMAND_H

#include <stddef.h>

/* What starts the processes. */
enum launch_kind {
	LAUNCH_JOB,     /* on the nodes of a job: srun, mpirun */
	LAUNCH_DEVICES, /* one for each device: torchrun, deepspeed, jsrun */
	LAUNCH_PROGRAM, /* nothing: python train.py */
	N_LAUNCH_KINDS
};

/* What is started, the least likely to be the training first. */
enum launch_task {
	LAUNCH_HELPER, /* hostname, bash -c 'echo ...', mlperf-sysjson.sh */
	LAUNCH_OTHER,
	LAUNCH_TRAINING /* its name says so */
};

/* Numbers that a command states, 0 where it states none. */
enum launch_number {
	LAUNCH_NODES,
	LAUNCH_GPUS,
	LAUNCH_GPUS_PER_NODE,
	LAUNCH_BATCH, /* --batch-size, of a device or of all */
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
	int alone; /* 1: it starts processes on its own node, and was given no
	              number of nodes */
	long numbers[N_LAUNCH_NUMBERS];
};

enum {
	LAUNCH_COMMAND_NESTED = 4,         /* commands of one line */
	LAUNCH_COMMAND_MAX_BYTES = 1 << 18 /* of a line that is looked at */
};

/* Read the commands of a line, each before those that it starts.  A line that
 * shows how something could be started is none.
 *
 * all  [LAUNCH_COMMAND_NESTED] filled
 *
 * Returns how many there are. */
size_t launch_command_read(
    const char *text, size_t len, struct launch_command *all);

#endif
