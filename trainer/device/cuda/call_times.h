/* Time of each call of a step by itself, with its minimum work: operations, and
 * bytes with each read or written once.
 *
 * A call is launched many times in a row, so launches overlap with the GPU's
 * work, and data that fits into the GPU's cache stays there.
 */
#ifndef TRAINER_DEVICE_CUDA_CALL_TIMES_H
#define TRAINER_DEVICE_CUDA_CALL_TIMES_H

#include "common/strbuf.h"
#include "trainer/device/call_table.h"
#include "trainer/device/cuda/executor.h"

/* Parts of a step that are not calls. */
enum { STEP_TAKE = -3, STEP_LOSS, STEP_UPDATE };

/* Row of a call or part without its time: operations (two per multiply-add),
 * and bytes read and written, each counted once.
 *
 * element  bytes of an image's element, for STEP_TAKE */
struct call_row call_row_of(
    const struct gpu_program *p, int part, size_t element);

/* Time all calls and parts of a training step and append a line for each to
 * out, "call index=0 kind=conv node=conv1 us=80.123 flop=... bytes=...". A
 * training step with the images in the slot must precede. Device memory holds
 * garbage afterwards.
 *
 * repeats  runs of each, >= 1 */
int times_measure(struct executor *m, int slot, const struct executor_input *in,
    int repeats, struct strbuf *out, struct error *e);

#endif
