/* --autotune=model: probe, rank all plans, try the best ones, keep one, and
 * watch it.  autotune.c calls it.
 */
#ifndef TRAINER_RUN_AUTOTUNE_MODEL_H
#define TRAINER_RUN_AUTOTUNE_MODEL_H

#include "trainer/run/train.h"

struct autotune_model;

/* Open a codec for each route that the options leave open; all together. */
int autotune_model_open(
    struct train *t, struct autotune_model **out, struct error *e);

/* Routes there are. */
int autotune_model_routes(const struct autotune_model *a);

/* A step is over; all together. */
int autotune_model_step(struct autotune_model *a, struct error *e);

/* Free it; a may be NULL. */
void autotune_model_close(struct autotune_model *a);

#endif
