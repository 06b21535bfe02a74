/* --autotune: search for the fastest way to allreduce gradients during
 * training. horovod is Horovod's own search (trainer/tune/horovod_tuner.h),
 * model a plan by measured costs (trainer/tune/plan_model.h), tried for a few
 * steps. Without --autotune, or with one process, these functions do nothing.
 *
 *	dlscale: autotune policy=horovod samples=168 steps=8550
 *	dlscale: autotune_score step=200 sample=1 ... score=424.129
 *	dlscale: autotune_done step=8550 ... score=558.825
 *
 *	dlscale: autotune policy=model routes=2
 *	dlscale: autotune_route name=flat alpha_us=31.0 gb_per_s=1.2 ...
 *	dlscale: autotune_try plan=mgwfbp route=flat ... steps=3 step_ms=...
 *	dlscale: autotune_done step=10 plan=... noise_ms=...
 */
#ifndef TRAINER_RUN_AUTOTUNE_H
#define TRAINER_RUN_AUTOTUNE_H

#include "trainer/run/train.h"

/* Set up t->autotune, after the fusion was opened. Collective.
 *
 * ERROR_USAGE: the back end reduces in streams of devices; ERROR_SYSTEM: the
 * log cannot be written. */
int autotune_open(struct train *t, struct error *e);

/* Print the first line; warn if the run is too short to finish. */
void autotune_announce(struct train *t);

/* To be called after each step. Collective.
 *
 * Errors: those of communication, which are not agreed on; ERROR_SYSTEM: the
 * log cannot be written. */
int autotune_step(struct train *t, struct error *e);

/* Free it; a may be NULL. */
void autotune_close(struct autotune *a);

#endif
