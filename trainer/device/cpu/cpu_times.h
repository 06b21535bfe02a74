/* How long each kernel call of the cpu device takes within whole training
 * steps (--profile): a call takes the time since the one before was done.
 * Steps are real ones, so that a call finds in the caches what it usually
 * finds; reading the clock takes some 30 ns.
 *
 * Functions do nothing where the first argument is NULL.
 */
#ifndef TRAINER_DEVICE_CPU_CPU_TIMES_H
#define TRAINER_DEVICE_CPU_CPU_TIMES_H

#include <stddef.h>

/* The calls of an operation, and of a step as a whole. */
enum cpu_call {
	CPU_CALL_FORWARD,
	CPU_CALL_JOIN,        /* add gradients of several readers */
	CPU_CALL_RELU_BACK,   /* mask the gradient */
	CPU_CALL_BACK,        /* of what is no product */
	CPU_CALL_WEIGHT,      /* gradient of a product's weights */
	CPU_CALL_WEIGHT_OUT,  /* to the arena's layout */
	CPU_CALL_DATA,        /* gradient of its input */
	CPU_CALL_WEIGHT_COPY, /* new weights in other layouts */
	N_CPU_OP_CALLS,
	CPU_CALL_TAKE = N_CPU_OP_CALLS, /* images to the input */
	CPU_CALL_LOSS,
	CPU_CALL_UPDATE, /* the optimiser */
	CPU_CALL_STEP,   /* all, from loading to the end of the update */
	N_CPU_CALLS
};

struct cpu_times {
	int n_ops;       /* whose calls are timed */
	int slots;       /* the last so many steps are kept */
	size_t n;        /* times of a step */
	double *seconds; /* [slots][n] */
	long steps;      /* done so far */
	int active;      /* within a step */
	double begin, last;
};

/* For so many operations; the last `slots` steps are kept, >= 1. */
struct cpu_times *cpu_times_new(int n_ops, int slots);
void cpu_times_free(struct cpu_times *l);

/* A batch is loaded: with training a step begins, else none. */
void cpu_times_begin(struct cpu_times *l);
void cpu_times_leave(struct cpu_times *l);

/* What follows is a call's. */
void cpu_times_start(struct cpu_times *l);

/* Operation op's call is done; op is ignored for calls of the whole step. */
void cpu_times_add(struct cpu_times *l, int op, enum cpu_call call);

/* The step is done. */
void cpu_times_end(struct cpu_times *l);

/* The median over the steps that are kept, without the run's first one, which
 * meets new pages, if there are others.  A step must have been done; 0 for a
 * call that there is not. */
double cpu_times_median(const struct cpu_times *l, int op, enum cpu_call call);

/* Over how many steps that is. */
int cpu_times_count(const struct cpu_times *l);

#endif
