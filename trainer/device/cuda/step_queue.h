/* How a device's phases become work for its executor: at once, or put off until
 * the step is whole, which then runs as one captured graph.
 *
 * A step is put off if
 *	it trains,
 *	nothing on the host takes part in it (no device_ready_fn),
 *	the executor can capture, and no one switched that off.
 * The first step runs plainly, so that everything that is made at its first use
 * is made; then the step of each slot is captured once and replayed.  Images of
 * another type or order are captured anew.  If a capture fails, no other is
 * tried.
 *
 * Functions return 0, or -1 with e filled.
 */
#ifndef TRAINER_DEVICE_CUDA_STEP_QUEUE_H
#define TRAINER_DEVICE_CUDA_STEP_QUEUE_H

#include "trainer/device/cuda/executor.h"

/* Which parts of a deferred step are pending. */
enum step_pending {
	PENDING_NOTHING,
	PENDING_FORWARD,
	PENDING_LOSS,
	PENDING_BACKWARD
};

struct step_queue {
	struct executor *executor;                /* borrowed */
	const struct device_allreduce *allreduce; /* borrowed */
	int capture;                              /* may be done */
	int slot;                                 /* of the last load */
	struct executor_input input;              /* that is in it */
	struct executor_step now;
	struct executor_numbers numbers;
	enum step_pending pending;
	int n_plain, n_captured, n_replayed; /* steps */
	struct {
		int there;
		struct executor_input input;
	} graphs[EXECUTOR_SLOTS];
	struct error failed; /* why a capture failed */
};

/* capture  0: all steps run plainly */
void step_queue_init(struct step_queue *s, struct executor *m,
    const struct device_allreduce *allreduce, int capture);

/* The phases, as struct device_ops has them. */
int step_queue_load(struct step_queue *s, const struct images *im,
    const int32_t *labels, struct error *e);
int step_queue_forward(
    struct step_queue *s, enum device_mode mode, long step, struct error *e);
int step_queue_loss(struct step_queue *s, struct error *e);
int step_queue_backward(
    struct step_queue *s, device_ready_fn ready, void *ctx, struct error *e);
int step_queue_update(
    struct step_queue *s, const struct sgd *sgd, struct error *e);

/* Do plainly what was put off: before anything of it is read or written. */
int step_queue_flush(struct step_queue *s, struct error *e);

/* Forget what was captured: it is captured anew when steps go on. */
void step_queue_forget(struct step_queue *s);

/* How the steps ran, a line to out. */
void step_queue_describe(const struct step_queue *s, struct strbuf *out);

#endif
