/* What computes a program: a GPU, or in tests the CPU, which runs the
 * same calls in plain loops and so checks the planning and everything in
 * cuda_device.c without a GPU.
 *
 * An executor owns all memory of a network.  Work is queued and done in
 * that order, maybe later; sync waits for it.
 *
 * Images wait in one of EXECUTOR_SLOTS slots, so that the next ones come while
 * a step runs.  What a step reads besides (its number, the optimiser's numbers)
 * is in memory too: a step that was captured can run again with other numbers.
 *
 *	load(m, slot, &images, labels, &e);
 *	set(m, slot, &numbers);
 *	take(m, slot, &input, &e);      the step begins
 *	run(m, &call, &step, &e); ...
 *	loss(m, slot, n, 1, &e);
 *	run(m, &call, &step, &e); ...
 *	update(m, slot, &e);            the step ends
 *
 * The same between capture and captured is not done but kept, and done by each
 * replay(m, slot), with the numbers that were set for the slot by then.
 *
 * All functions return 0, or -1 with e filled.
 */
#ifndef TRAINER_DEVICE_CUDA_EXECUTOR_H
#define TRAINER_DEVICE_CUDA_EXECUTOR_H

#include "common/strbuf.h"
#include "trainer/device/cuda/planning/program.h"
#include "trainer/device/device.h"

/* Flat memory that the host reads and writes, in fp32. */
enum area {
	AREA_PARAMS, /* the three arenas: weights as (k, taps, channels) */
	AREA_GRADS,  /* times the loss scale */
	AREA_MOMENTA,
	AREA_BUFFERS, /* running statistics, one after the other */
	N_AREAS
};

enum { EXECUTOR_SLOTS = 2 };

/* What a step needs to know alongside its calls. */
struct executor_step {
	enum device_mode mode;
};

/* What kind of images are in a slot. */
struct executor_input {
	enum dtype type;
	enum image_order order;
	int n;
	int mirror; /* some may be turned */
};

/* What a step reads while it runs. */
struct executor_numbers {
	float lr, momentum, weight_decay, grad_scale; /* see struct sgd */
	uint32_t step;                                /* keys dropout */
};

/* Moments in a step; what is between two of them is a phase. */
enum executor_mark {
	MARK_BEGIN,
	MARK_TAKEN,
	MARK_FORWARD,
	MARK_LOSS,
	MARK_BACKWARD,
	MARK_SUMMED,
	MARK_END,
	N_MARKS
};

struct executor;

struct executor_ops {
	const char *name;
	/* Copy images and labels (may be NULL) to a slot, when the steps that
	 * were queued before the last load are done with it: until then it
	 * waits. */
	int (*load)(struct executor *m, int slot, const struct images *im,
	    const int32_t *labels, struct error *e);
	/* Only after a load of that slot. */
	void (*set)(struct executor *m, int slot,
	    const struct executor_numbers *numbers);
	/* Make the network's input of what is in the slot, and read its
	 * numbers. */
	int (*take)(struct executor *m, int slot,
	    const struct executor_input *in, struct error *e);
	int (*run)(struct executor *m, const struct call *c,
	    const struct executor_step *s, struct error *e);
	/* Cross entropy and accuracy of the first n images; with back, the
	 * output's gradient times the loss scale, 0 beyond n. */
	int (*loss)(
	    struct executor *m, int slot, int n, int back, struct error *e);
	/* What the last n losses found, see device_results(); waits. */
	int (*results)(
	    struct executor *m, struct loss_result *r, int n, struct error *e);
	/* One step of the optimiser, with the slot's numbers; with loss
	 * scaling, none if a gradient is not finite.  Then the working weights
	 * follow. */
	int (*update)(struct executor *m, int slot, struct error *e);
	/* All three or none.  captured ends what capture began; on failure
	 * nothing is kept and the executor works as if nothing had been queued
	 * since. */
	int (*capture)(struct executor *m, struct error *e);
	int (*captured)(struct executor *m, int slot, struct error *e);
	int (*replay)(struct executor *m, int slot, struct error *e);
	/* Drop all that was captured; NULL where nothing is. */
	void (*forget)(struct executor *m);
	/* Note that a moment of the step in a slot has come; may be NULL. */
	int (*mark)(struct executor *m, int slot, enum executor_mark k,
	    struct error *e);
	/* The working weights follow the arena. */
	int (*refresh)(struct executor *m, struct error *e);
	int (*sync)(struct executor *m, struct error *e);
	/* Copy n elements of an area from element offset on, or a whole tensor,
	 * its elements as they are, to the host, or with write from it;
	 * waits. */
	int (*copy)(struct executor *m, enum area a, size_t offset, size_t n,
	    float *host, int write, struct error *e);
	int (*copy_tensor)(struct executor *m, int tensor, void *host,
	    int write, struct error *e);
	/* The loss scale that the gradients in memory carry; waits. */
	int (*scale)(struct executor *m, double *out, struct error *e);
	/* See device_scaling(); setting has no effect where it is fixed. */
	int (*scaling)(struct executor *m, struct loss_scaling *s, int set,
	    struct error *e);
	void (*describe)(struct executor *m, struct strbuf *out);
	void (*close)(struct executor *m);
};

/* The part that all executors share. */
struct executor {
	const struct executor_ops *ops;
	const struct gpu_program *program; /* borrowed */
	const struct device_config *config;
	void *arenas[3]; /* AREA_PARAMS .. AREA_MOMENTA as the executor sees
	                    them */
	size_t bytes;    /* allocated in all */
};

/* How an executor comes to be: first its capabilities are queried, then it is
 * opened for the program that was planned with it. */
struct executor_kind {
	const char *name;
	/* Find the device; *ctx goes to the others. */
	int (*probe)(
	    const struct device_config *c, void **ctx, struct error *e);
	/* Make sure, before a program is planned, that what it is planned by is
	 * measured: times of all forms that it can have.  plan is that of the
	 * program, but what a form supports is not asked.  What could not be
	 * measured is no error.  NULL: nothing is measured. */
	void (*trial)(const struct executor_kind *kind, void *ctx,
	    const struct graph *g, const struct program_config *plan,
	    const struct device_config *c);
	program_supports_fn supports; /* NULL: nothing fused */
	int (*open)(void *ctx, const struct gpu_program *p,
	    const struct device_config *c, struct executor **out,
	    struct error *e);
	void (*release)(void *ctx); /* of probe; after the executor closed */
};

/* device_ops.open on a kind of executor.
 *
 * ops  of the device that is made: on_host 0 */
int cuda_open_on(const struct executor_kind *kind, const struct device_ops *ops,
    const struct graph *g, const struct device_config *c, struct device **out,
    struct error *e);

/* The functions of struct device_ops that every such device has but open; the
 * table of a kind starts with them. */
extern const struct device_ops cuda_device_functions;

/* The executor of such a device. */
struct executor *cuda_executor(struct device *d);

/* Do what such a device has deferred. */
int cuda_flush(struct device *d, struct error *e);

#endif
