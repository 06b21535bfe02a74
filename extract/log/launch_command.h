/* Reads the command lines in a log: numbers of nodes, tasks and GPUs from the
 * launcher's options, and the batch size from the program's own options.
 *
 *	struct launch_command all[LAUNCH_COMMAND_NESTED];
 *	const size_t n = launch_command_read(line, len, all);
 */
#ifndef EXTRACT_LOG_LAUNCH_COMMAND_H
#define EXTRACT_LOG_LAUNCH_COMMAND_H

#include <stddef.h>

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
