/* Takes gradients to halves and back on a thread of its own, piece by piece, so
 * that one piece is on its way to the other ranks while the next one is rounded
 * and the one before is taken back.
 *
 *	converter_begin(c, &job);
 *	for (k = 0; k < converter_pieces(&job); k++) {
 *		n = converter_take(c, k, &halves);      (waits)
 *		... sum halves [n] ...
 *		converter_give(c, k);
 *	}
 *	converter_join(c);                      (waits)
 *
 * Whoever began may join at any time: what was not given back is not taken
 * back.
 */
#ifndef TRAINER_CONVERTER_H
#define TRAINER_CONVERTER_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "trainer/tensor.h"

struct converter;

struct converter_job {
	enum dtype type;  /* DTYPE_FP16 or DTYPE_BF16 */
	float *data;      /* [n] */
	float scale;      /* on the way out */
	uint16_t *halves; /* [n] */
	size_t n;
	size_t piece; /* elements, >= 1; the last one may be shorter */
};

/* Start the thread.  ERROR_SYSTEM: there is none. */
int converter_open(struct converter **out, struct error *e);

/* How many pieces a job has. */
size_t converter_pieces(const struct converter_job *j);

/* Begin; the job's arrays are borrowed until converter_join. */
void converter_begin(struct converter *c, const struct converter_job *j);

/* Wait until piece k is rounded; to be called in order.
 *
 * halves  set to them
 *
 * Returns their number. */
size_t converter_take(struct converter *c, size_t k, uint16_t **halves);

/* Take piece k back, the one that was taken last. */
void converter_give(struct converter *c, size_t k);

/* Wait until all that was given is taken back. */
void converter_join(struct converter *c);

/* End the thread; c may be NULL. */
void converter_close(struct converter *c);

#endif
