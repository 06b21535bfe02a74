/* How a device's phases become work for its machine: at once, or put off until
 * the step is whole, which then runs as one captured graph.
 *
 * A step is put off if
 *	it trains,
 *	nothing on the host takes part in it (no device_ready_fn),
 *	the machine can capture, and nobody switched that off.
 * The first step runs plainly, so that everything that is made at its first use
 * is made; then the step of each slot is captured once and replayed.  Images of
 * another type or order are captured anew.  If a capture fails, no other is
 * tried.
 *
 * Functions return 0, or -1 with e filled.
 */
#ifndef TRAINER_CUDA_STEP_H
#define TRAINER_CUDA_STEP_H

#include "trainer/cuda/machine.h"

/* How far a step that was put off has been asked for. */
enum step_asked { ASKED_NOTHING, ASKED_FORWARD, ASKED_LOSS, ASKED_BACKWARD };

struct stepper {
	struct machine *machine;        /* borrowed */
	const struct device_sums *sums; /* borrowed */
	int capture;                    /* may be done */
	int slot;                       /* of the last load */
	struct machine_input input;     /* that is in it */
	struct machine_step now;
	struct machine_numbers numbers;
	enum step_asked asked;
	int n_plain, n_captured, n_replayed; /* steps */
	struct {
		int there;
		struct machine_input input;
	} graphs[MACHINE_SLOTS];
	struct error failed; /* why a capture failed */
};

/* capture  0: all steps run plainly */
void stepper_init(struct stepper *s, struct machine *m,
    const struct device_sums *sums, int capture);

/* The phases, as struct device_ops has them. */
int stepper_load(struct stepper *s, const struct images *im,
    const int32_t *labels, struct error *e);
int stepper_forward(
    struct stepper *s, enum device_mode mode, long step, struct error *e);
int stepper_loss(struct stepper *s, struct error *e);
int stepper_backward(
    struct stepper *s, device_ready_fn ready, void *ctx, struct error *e);
int stepper_update(struct stepper *s, const struct sgd *sgd, struct error *e);

/* Do plainly what was put off: before anything of it is read or written. */
int stepper_flush(struct stepper *s, struct error *e);

/* Forget what was captured: it is captured anew when steps go on. */
void stepper_forget(struct stepper *s);

/* How the steps ran, a line to out. */
void stepper_describe(const struct stepper *s, struct strbuf *out);

#endif
