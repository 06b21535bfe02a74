/* Converts gradients to fp16 or bf16 and back on a thread of its own, piece by
 * piece, so that one piece is on its way to the other ranks while the next one
 * is rounded and the one before is taken back.
 *
 *	fp16_worker_begin(c, &job);
 *	for (k = 0; k < fp16_worker_pieces(&job); k++) {
 *		n = fp16_worker_take(c, k, &half);      (waits)
 *		... allreduce half [n] ...
 *		fp16_worker_give(c, k);
 *	}
 *	fp16_worker_join(c);                      (waits)
 *
 * Whoever began may join at any time: what was not given back is not taken
 * back.
 */
#ifndef TRAINER_SYNC_FP16_WORKER_H
#define TRAINER_SYNC_FP16_WORKER_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "trainer/base/tensor.h"

struct fp16_worker;

struct fp16_worker_job {
	enum dtype type; /* DTYPE_FP16 or DTYPE_BF16 */
	float *data;     /* [n] */
	float scale;     /* on the way out */
	uint16_t *half;  /* [n] */
	size_t n;
	size_t piece; /* elements, >= 1; the last one may be shorter */
};

/* Start the thread.  ERROR_SYSTEM: there is none. */
int fp16_worker_open(struct fp16_worker **out, struct error *e);

/* How many pieces a job has. */
size_t fp16_worker_pieces(const struct fp16_worker_job *j);

/* Begin; the job's arrays are borrowed until fp16_worker_join. */
void fp16_worker_begin(struct fp16_worker *c, const struct fp16_worker_job *j);

/* Wait until piece k is rounded; to be called in order.
 *
 * half  set to them
 *
 * Returns their number. */
size_t fp16_worker_take(struct fp16_worker *c, size_t k, uint16_t **half);

/* Take piece k back, the one that was taken last. */
void fp16_worker_give(struct fp16_worker *c, size_t k);

/* Wait until all that was given is taken back. */
void fp16_worker_join(struct fp16_worker *c);

/* End the thread; c may be NULL. */
void fp16_worker_close(struct fp16_worker *c);

#endif
