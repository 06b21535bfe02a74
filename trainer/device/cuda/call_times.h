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
#include "trainer/device/cuda/executor.h"

/* Parts of a step that are no call. */
enum { STEP_TAKE = -3, STEP_LOSS, STEP_UPDATE };

/* The row of a call, or of such a part, without a time: its operations, two for
 * a multiply-add, and the bytes that it reads and writes, each once.
 *
 * element  bytes of an element of images, for STEP_TAKE */
struct call_row call_row_of(
    const struct gpu_program *p, int part, size_t element);

/* Time all calls of a training step, and its beginning, loss and update, and
 * add a line for each to out, "call index=0 kind=conv node=conv1 us=80.123
 * flop=... bytes=...".  A training step must have been done with the images in
 * the slot.  What is in the device's memory afterwards is of no use.
 *
 * repeats  >= 1, of each */
int times_measure(struct executor *m, int slot, const struct executor_input *in,
    int repeats, struct strbuf *out, struct error *e);

#endif
