/* Saves the state of a run and resumes from it. Only rank 0 reads and writes
 * the file: all ranks have the same weights and momenta, the running statistics
 * are those of rank 0, and the meters are gathered from all.
 */
#ifndef TRAINER_RUN_RESUME_H
#define TRAINER_RUN_RESUME_H

#include "trainer/run/train.h"

/* Set t->self and t->begin: a run from the beginning.  The network is open. */
void resume_describe(struct train *t);

/* On rank 0: open the file of --resume, check that it matches the run, and read
 * the weights.
 *
 * Errors: those of checkpoint_open(); ERROR_INPUT, another model, or another
 * order of images in the middle of an epoch; ERROR_USAGE, nothing is left to
 * train. */
int resume_read(struct train *t, struct error *e);

/* On all ranks: take over the state that rank 0 has read, and print its
 * place. */
int resume_share(struct train *t, struct error *e);

/* On all ranks: save the state.
 *
 * batch  of epoch, from 0; batches of an epoch: after its last step
 * m      of this rank, in the epoch so far
 *
 * All return the same, as train_agree() does. */
int resume_save(struct train *t, int epoch, long batch, const struct meters *m,
    struct error *e);

/* After the state was saved: the error that ends a run after a signal. */
int resume_stop(struct train *t, int epoch, long batch, struct error *e);

#endif
