/* Element types and shapes. Activations are (n, c, h, w), whatever their order
 * in a device's memory.
 */
#ifndef TRAINER_BASE_TENSOR_H
#define TRAINER_BASE_TENSOR_H

#include <stddef.h>
#include <stdint.h>

/* Format in which numbers are stored, or (TF32) multiplied. */
enum dtype {
	DTYPE_FP32,
	DTYPE_FP64,
	DTYPE_TF32,
	DTYPE_FP16,
	DTYPE_BF16,
	DTYPE_U8,
	N_DTYPES
};

/* Shape of an activation per image; n is the batch size. */
struct shape {
	int c, h, w;
};

/* "fp32", "fp64", "tf32", "fp16", "bf16", "u8". */
const char *dtype_name(enum dtype t);

/* Bytes of one element: 4, 8, 4, 2, 2, 1. */
size_t dtype_size(enum dtype t);

/* Parse the name of a type. Returns 0, or -1 if it is unknown. */
int dtype_find(const char *name, enum dtype *out);

/* Elements of one image: c * h * w. */
size_t shape_size(struct shape s);

/* Convert to the nearest bf16 (ties to even, NaN stays NaN), and back
 * (exact). */
uint16_t bf16_from_float(float x);
float bf16_to_float(uint16_t x);

/* Convert to the nearest fp16 (ties to even; infinite if 65520 or more; NaN
 * stays NaN), and back (exact). */
uint16_t fp16_from_float(float x);
float fp16_to_float(uint16_t x);

/* Copy n elements, converting between fp32 and fp64. */
void tensor_convert(
    enum dtype from, const void *src, enum dtype to, void *dst, size_t n);

/* --- Arrays of halves ----------------------------------------------------- */

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
