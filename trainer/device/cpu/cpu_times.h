/* Times of the kernel calls of the cpu device within training steps
 * (--profile). The time of a call starts at the end of the one before.
 * Measuring whole steps keeps the usual cache contents; reading the clock takes
 * about 30 ns.
 *
 * Functions do nothing if the first argument is NULL.
 */
#ifndef TRAINER_DEVICE_CPU_CPU_TIMES_H
#define TRAINER_DEVICE_CPU_CPU_TIMES_H

#include <stddef.h>

/* Calls of an operation and of the whole step. */
enum cpu_call {
	CPU_CALL_FORWARD,
	CPU_CALL_JOIN,        /* add gradients of several readers */
	CPU_CALL_RELU_BACK,   /* mask the gradient */
	CPU_CALL_BACK,        /* operations other than products */
	CPU_CALL_WEIGHT,      /* gradient of a product's weights */
	CPU_CALL_WEIGHT_OUT,  /* convert it to the arena's layout */
	CPU_CALL_DATA,        /* gradient of a product's input */
	CPU_CALL_WEIGHT_COPY, /* update copies of weights */
	N_CPU_OP_CALLS,
	CPU_CALL_TAKE = N_CPU_OP_CALLS, /* convert images to the input */
	CPU_CALL_LOSS,
	CPU_CALL_UPDATE, /* optimiser */
	CPU_CALL_STEP,   /* from loading to the end of the update */
	N_CPU_CALLS
};

struct cpu_times {
	int n_ops;       /* operations that are timed */
	int slots;       /* steps that are kept */
	size_t n;        /* times per step */
	double *seconds; /* [slots][n] */
	long steps;      /* done so far */
	int active;      /* inside a step */
	double begin, last;
};

/* Create for n_ops operations, keeping the last `slots` steps, >= 1. */
struct cpu_times *cpu_times_new(int n_ops, int slots);
void cpu_times_free(struct cpu_times *l);

/* A batch was loaded: begin a training step, or leave for evaluation. */
void cpu_times_begin(struct cpu_times *l);
void cpu_times_leave(struct cpu_times *l);

/* Start timing a call. */
void cpu_times_start(struct cpu_times *l);

/* End a call of operation op; op is ignored for calls of the whole step. */
void cpu_times_add(struct cpu_times *l, int op, enum cpu_call call);

/* End a step. */
void cpu_times_end(struct cpu_times *l);

/* Median over the kept steps, without the first of the run if there are others,
 * as it causes page faults. 0 for a call that does not occur. At least one step
 * must have been done. */
double cpu_times_median(const struct cpu_times *l, int op, enum cpu_call call);

/* Number of steps in the median. */
int cpu_times_count(const struct cpu_times *l);

#endif
