/* Transposition with AVX-512. */
#ifndef TRAINER_DEVICE_CPU_KERNELS_TRANSPOSE_H
#define TRAINER_DEVICE_CPU_KERNELS_TRANSPOSE_H

#include <immintrin.h>

/* Transpose 16 x 16 words of 32 bits. */
static inline void
transpose_16(__m512i r[16])
{
	__m512i t[16];

#pragma GCC unroll 8
	for (int i = 0; i < 16; i += 2) {
		t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
		t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
	}
#pragma GCC unroll 8
	for (int i = 0; i < 16; i += 4) {
		r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
		r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
		r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
		r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
	}
	/* r[4 g + k]: lane l (128 bits) is column 4 l + k of rows 4 g ... */
#pragma GCC unroll 8
	for (int k = 0; k < 4; k++) {
		t[k] = _mm512_shuffle_i32x4(r[k], r[4 + k], 0x88);
		t[4 + k] = _mm512_shuffle_i32x4(r[k], r[4 + k], 0xdd);
		t[8 + k] = _mm512_shuffle_i32x4(r[8 + k], r[12 + k], 0x88);
		t[12 + k] = _mm512_shuffle_i32x4(r[8 + k], r[12 + k], 0xdd);
	}
#pragma GCC unroll 8
	for (int k = 0; k < 4; k++) {
		r[k] = _mm512_shuffle_i32x4(t[k], t[8 + k], 0x88);
		r[8 + k] = _mm512_shuffle_i32x4(t[k], t[8 + k], 0xdd);
		r[4 + k] = _mm512_shuffle_i32x4(t[4 + k], t[12 + k], 0x88);
		r[12 + k] = _mm512_shuffle_i32x4(t[4 + k], t[12 + k], 0xdd);
	}
}

#endif
