/* Arrays of fp16 and bf16 numbers: the form in which compressed gradients are
 * sent.
 *
 *	half_float_from_float(DTYPE_FP16, grads, 1.0f / ranks, wire, n);
 *	half_float_add(DTYPE_FP16, wire, others, n);
 *	half_float_to_float(DTYPE_FP16, wire, grads, n);
 *
 * Results equal those of the scalar functions of trainer/base/tensor.h on every
 * CPU, except for the bits of NaNs.
 */
#ifndef TRAINER_BASE_HALF_FLOAT_H
#define TRAINER_BASE_HALF_FLOAT_H

#include <stddef.h>
#include <stdint.h>

#include "trainer/base/tensor.h"

/* out[i] = in[i] * scale, rounded once to fp32 and once to t.
 *
 * t    DTYPE_FP16 or DTYPE_BF16; the same in the other functions
 * out  [n] must not overlap in */
void half_float_from_float(
    enum dtype t, const float *in, float scale, uint16_t *out, size_t n);

/* out[i] = in[i], exactly. */
void half_float_to_float(
    enum dtype t, const uint16_t *in, float *out, size_t n);

/* sum[i] += x[i], in fp32, rounded to t. */
void half_float_add(enum dtype t, uint16_t *sum, const uint16_t *x, size_t n);

#endif
