/* Executor of a program: a GPU, or in tests the CPU, which runs the same calls
 * in plain loops, so that planning and cuda_device.c are tested without a GPU.
 *
 * An executor owns all memory of a network. Work is queued and done in order,
 * possibly later; sync waits for it.
 *
 * Images are loaded into one of EXECUTOR_SLOTS slots while another slot's step
 * runs. The step's number and the optimiser's numbers are in memory too, so
 * that a captured step can run again with other numbers.
 *
 *	load(m, slot, &images, labels, &e);
 *	set(m, slot, &numbers);
 *	take(m, slot, &input, &e);      the step begins
 *	run(m, &call, mode, &e); ...
 *	loss(m, slot, n, 1, &e);
 *	run(m, &call, mode, &e); ...
 *	update(m, slot, &e);            the step ends
 *
 * The same calls between capture and captured are recorded, not run. Each
 * replay(m, slot) runs them with the slot's current numbers.
 *
 * All functions return 0, or -1 with e filled.
 */
#ifndef TRAINER_DEVICE_CUDA_EXECUTOR_H
#define TRAINER_DEVICE_CUDA_EXECUTOR_H

#include "common/alloc.h"
#include "trainer/device/call_table.h"
#include "trainer/device/cuda/planning/program.h"
#include "trainer/device/device.h"

/* Memory areas that the host reads and writes, in fp32. */
enum area {
	AREA_PARAMS, /* arenas; weights are (k, taps, channels) */
	AREA_GRADS,  /* multiplied by the loss scale */
	AREA_MOMENTA,
	AREA_BUFFERS, /* running statistics, concatenated */
	N_AREAS
};

enum { EXECUTOR_SLOTS = 2 };

/* Kind of images in a slot. */
struct executor_input {
	enum dtype type;
	enum image_order order;
	int n;
	int mirror; /* 1: some may be mirrored */
};

/* Numbers that a step reads while it runs. */
struct executor_numbers {
	float lr, momentum, weight_decay, grad_scale; /* see struct sgd */
	uint32_t step;                                /* seeds dropout */
};

/* Moments in a step; the intervals between them are phases. */
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
	/* Copy images and labels (may be NULL) to a slot. Waits until the steps
	 * queued before the last load no longer read the slot. */
	int (*load)(struct executor *m, int slot, const struct images *im,
	    const int32_t *labels, struct error *e);
	/* Set the numbers of a slot, after its load. */
	void (*set)(struct executor *m, int slot,
	    const struct executor_numbers *numbers);
	/* Convert the slot's images to the network's input and read its
	 * numbers. */
	int (*take)(struct executor *m, int slot,
	    const struct executor_input *in, struct error *e);
	int (*run)(struct executor *m, const struct call *c,
	    enum device_mode mode, struct error *e);
	/* Cross entropy and accuracy of the first n images. With back, also the
	 * output's gradient times the loss scale, 0 beyond n. */
	int (*loss)(
	    struct executor *m, int slot, int n, int back, struct error *e);
	/* Results of the last n losses, see device_results(); waits. */
	int (*results)(
	    struct executor *m, struct loss_result *r, int n, struct error *e);
	/* One step of the optimiser with the slot's numbers, and update of the
	 * working weights. With loss scaling, skipped if a gradient is not
	 * finite. */
	int (*update)(struct executor *m, int slot, struct error *e);
	/* All three or none are set. captured ends a capture; on failure
	 * nothing is kept, as if nothing had been queued since capture. */
	int (*capture)(struct executor *m, struct error *e);
	int (*captured)(struct executor *m, int slot, struct error *e);
	int (*replay)(struct executor *m, int slot, struct error *e);
	/* Drop all captured steps; NULL without capture. */
	void (*forget)(struct executor *m);
	/* Record the time of a moment of the slot's step; may be NULL. */
	int (*mark)(struct executor *m, int slot, enum executor_mark k,
	    struct error *e);
	/* Update the working weights from the arena. */
	int (*refresh)(struct executor *m, struct error *e);
	int (*sync)(struct executor *m, struct error *e);
	/* Copy n elements of an area from offset, or a whole tensor without
	 * conversion, to the host, or with write from the host; waits. */
	int (*copy)(struct executor *m, enum area a, size_t offset, size_t n,
	    float *host, int write, struct error *e);
	int (*copy_tensor)(struct executor *m, int tensor, void *host,
	    int write, struct error *e);
	/* Loss scale of the gradients in memory; waits. */
	int (*scale)(struct executor *m, double *out, struct error *e);
	/* See device_scaling(); setting a fixed scale has no effect. */
	int (*scaling)(struct executor *m, struct loss_scaling *s, int set,
	    struct error *e);
	void (*describe)(struct executor *m, struct strbuf *out);
	void (*close)(struct executor *m);
};

/* Common part of all executors. */
struct executor {
	const struct executor_ops *ops;
	const struct gpu_program *program; /* borrowed */
	const struct device_config *config;
	void *arenas[3]; /* AREA_PARAMS .. AREA_MOMENTA */
	size_t bytes;    /* total allocated */
};

/* How to make an executor: query its capabilities, plan the program with them,
 * then open the executor. */
struct executor_kind {
	/* Find the device and set *ctx for the other functions. */
	int (*probe)(
	    const struct device_config *c, void **ctx, struct error *e);
	program_supports_fn supports; /* NULL: nothing fused */
	/* Returns 0, -1, or 1: the program must be planned again, because
	 * supports has found that a fused call does not work. */
	int (*open)(void *ctx, const struct gpu_program *p,
	    const struct device_config *c, struct executor **out,
	    struct error *e);
	void (*release)(void *ctx); /* after closing the executor */
};

/* device_ops.open for a kind of executor.
 *
 * ops  functions of the new device, with on_host 0 */
int cuda_open_on(const struct executor_kind *kind, const struct device_ops *ops,
    const struct graph *g, const struct device_config *c, struct device **out,
    struct error *e);

/* Functions of struct device_ops common to all kinds of executors, except open;
 * the table of a kind is a copy with changes. */
extern const struct device_ops cuda_device_functions;

/* Executor of such a device. */
struct executor *cuda_executor(struct device *d);

/* Run the deferred work of such a device. */
int cuda_flush(struct device *d, struct error *e);

/* Parts of a step that are not calls. */
enum { STEP_TAKE = -3, STEP_LOSS, STEP_UPDATE };

/* Row of a call or part without its time: operations (two per multiply-add),
 * and bytes read and written, each counted once. Needs no executor.
 *
 * element  bytes of an image's element, for STEP_TAKE */
struct call_row call_row_of(
    const struct gpu_program *p, int part, size_t element);

#endif
