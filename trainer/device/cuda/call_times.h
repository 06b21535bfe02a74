/* How long each call of a step takes by itself, alongside the work that it has
 * at least: operations, and bytes that are read or written once.
 *
 * A call is launched many times in a row, so the launches on the host
 * overlap with what the GPU does; what fits into the GPU's cache is then found
 * there.
 */
#ifndef TRAINER_DEVICE_CUDA_CALL_TIMES_H
#define TRAINER_DEVICE_CUDA_CALL_TIMES_H

#include "common/strbuf.h"
#include "trainer/device/call_table.h"
#include "trainer/device/cuda/step_queue.h"

/* Operations of a call, two for a multiply-add; 0 for all but convolutions. */
double call_flop(const struct gpu_program *p, const struct call *c);

/* Bytes of the tensors and weights that it reads and writes, each once. */
double call_bytes(const struct gpu_program *p, const struct call *c);

/* Bytes of what is no call: a whole batch of images taken, of elements of so
 * many bytes; the loss, of logits and their gradients; the optimiser, which
 * reads and writes weights and momenta, reads gradients and writes working
 * weights. */
double call_take_bytes(const struct gpu_program *p, size_t element);
double call_loss_bytes(const struct gpu_program *p);
double call_update_bytes(const struct gpu_program *p);

/* A call's row, without a time. */
struct call_row call_row_of(const struct gpu_program *p, int i);

/* Time all calls of a training step, and its beginning, loss and update, and
 * add a line for each to out, "call index=0 kind=conv node=conv1 us=80.123
 * flop=... bytes=...".  A training step must have been done.  What is in the
 * device's memory afterwards is of no use.
 *
 * repeats  >= 1, of each */
int times_measure(
    struct step_queue *s, int repeats, struct strbuf *out, struct error *e);

#endif
