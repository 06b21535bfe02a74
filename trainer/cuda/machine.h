/* What computes a program: a GPU, or in tests the processor, which runs the
 * same calls in plain loops and so checks the planning and everything in
 * device.c without a GPU.
 *
 * A machine owns all memory of a network.  Calls are asked for in order and may
 * run later; sync waits for them.
 *
 * All functions return 0, or -1 with e filled.
 */
#ifndef TRAINER_CUDA_MACHINE_H
#define TRAINER_CUDA_MACHINE_H

#include "common/strbuf.h"
#include "trainer/cuda/program.h"
#include "trainer/device.h"

/* Flat memory that the host reads and writes, in fp32. */
enum area {
	AREA_PARAMS, /* the three arenas: weights as (k, taps, channels) */
	AREA_GRADS,  /* times the loss scale */
	AREA_MOMENTA,
	AREA_BUFFERS, /* running statistics, one behind the other */
	N_AREAS
};

/* What a step needs to know beside its calls. */
struct machine_step {
	enum device_mode mode;
	long step; /* keys dropout */
	int n;     /* images loaded */
};

struct machine;

struct machine_ops {
	const char *name;
	int (*load)(struct machine *m, const struct images *im,
	    const int32_t *labels, struct error *e);
	int (*run)(struct machine *m, const struct call *c,
	    const struct machine_step *s, struct error *e);
	/* Cross entropy and accuracy of the first n images; with back, the
	 * output's gradient times the loss scale, 0 beyond n. */
	int (*loss)(struct machine *m, int n, int back, struct error *e);
	/* What the last loss found; waits. */
	int (*result)(
	    struct machine *m, struct loss_result *r, struct error *e);
	/* One step of the optimiser; with loss scaling, none if a gradient is
	 * not finite.  Then the working weights follow. */
	int (*update)(struct machine *m, const struct sgd *s, struct error *e);
	/* The working weights follow the arena. */
	int (*refresh)(struct machine *m, struct error *e);
	int (*sync)(struct machine *m, struct error *e);
	/* n elements of an area from element offset; waits. */
	int (*read)(struct machine *m, enum area a, size_t offset, size_t n,
	    float *out, struct error *e);
	int (*write)(struct machine *m, enum area a, size_t offset, size_t n,
	    const float *in, struct error *e);
	/* A whole tensor, its elements as they are. */
	int (*read_tensor)(
	    struct machine *m, int tensor, void *out, struct error *e);
	int (*write_tensor)(
	    struct machine *m, int tensor, const void *in, struct error *e);
	/* The loss scale that the gradients in memory carry; waits. */
	int (*scale)(struct machine *m, double *out, struct error *e);
	void (*describe)(struct machine *m, struct strbuf *out);
	void (*close)(struct machine *m);
};

/* The part that all machines share. */
struct machine {
	const struct machine_ops *ops;
	const struct program *program; /* borrowed */
	const struct device_config *config;
	void *arenas[3]; /* AREA_PARAMS .. AREA_MOMENTA as the machine sees
	                    them */
	size_t bytes;    /* allocated in all */
};

/* How a machine comes to be: first what it can do is asked, then it is opened
 * for the program that was planned with it. */
struct machine_kind {
	const char *name;
	/* Find the machine; *ctx goes to the others. */
	int (*probe)(
	    const struct device_config *c, void **ctx, struct error *e);
	program_supports_fn supports; /* NULL: nothing fused */
	int (*open)(void *ctx, const struct program *p,
	    const struct device_config *c, struct machine **out,
	    struct error *e);
	void (*release)(void *ctx); /* of probe; after the machine closed */
};

/* device_ops.open on a kind of machine.
 *
 * ops  of the device that is made: on_host 0 */
int cuda_open_on(const struct machine_kind *kind, const struct device_ops *ops,
    const struct graph *g, const struct device_config *c, struct device **out,
    struct error *e);

/* All functions of struct device_ops but open, for such a device; the table of
 * a kind starts with them. */
extern const struct device_ops cuda_device_functions;

#endif
