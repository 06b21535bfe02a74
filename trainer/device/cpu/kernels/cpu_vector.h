/* VECTOR_LANES floats at a time, 8 or 16, in the vectors that GCC and clang
 * share; used by cpu_kernels_template.h.
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_CPU_VECTOR_H
#define TRAINER_DEVICE_CPU_KERNELS_CPU_VECTOR_H

#include <stdint.h>
#include <string.h>

#ifndef VECTOR_LANES
#define VECTOR_LANES 16
#endif

typedef float vec __attribute__((vector_size(4 * VECTOR_LANES)));
typedef uint32_t vec_uint __attribute__((vector_size(4 * VECTOR_LANES)));
typedef int32_t vec_int __attribute__((vector_size(4 * VECTOR_LANES)));
typedef uint16_t vec_half __attribute__((vector_size(2 * VECTOR_LANES)));
typedef uint8_t vec_byte __attribute__((vector_size(VECTOR_LANES)));

static inline vec
vec_load(const float *p)
{
	vec v;

	memcpy(&v, p, sizeof v);
	return v;
}

static inline void
vec_store(float *p, vec v)
{
	memcpy(p, &v, sizeof v);
}

static inline void
vec_add_to(float *p, vec v)
{
	vec_store(p, vec_load(p) + v);
}

/* max(0, v); NaN stays NaN. */
static inline vec
vec_relu(vec v)
{
	return (vec)((vec_int)v & ~(v < (vec){ 0 }));
}

/* d where y > 0, else 0. */
static inline vec
vec_mask(vec y, vec d)
{
	return (vec)((vec_int)d & (y > (vec){ 0 }));
}

/* best = v and at = k where v > best (or v is NaN), or everywhere if first. */
static inline void
vec_keep_larger(vec *best, vec_uint *at, vec v, unsigned k, int first)
{
	vec_int take = (v > *best) | (v != v);

	if (first) {
		*best = v;
		*at = (vec_uint){ 0 } + k;
		return;
	}
	*best = (vec)(((vec_int)v & take) | ((vec_int)*best & ~take));
	*at =
	    (((vec_uint){ 0 } + k) & (vec_uint)take) | (*at & (vec_uint)~take);
}

/* v where at == k, else 0. */
static inline vec
vec_where(vec_uint at, unsigned k, vec v)
{
	return (vec)((vec_int)v & (vec_int)(at == k));
}

/* In two steps each way: of one GCC 12 makes sixteen moves. */
static inline void
vec_store_bytes(uint8_t *p, vec_uint v)
{
	vec_byte b = __builtin_convertvector(
	    __builtin_convertvector(v, vec_half), vec_byte);

	memcpy(p, &b, sizeof b);
}

static inline vec_uint
vec_load_bytes(const uint8_t *p)
{
	vec_byte b;

	memcpy(&b, p, sizeof b);
	return __builtin_convertvector(
	    __builtin_convertvector(b, vec_half), vec_uint);
}

#endif
