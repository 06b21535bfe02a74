/* The tables that cpu_kernels.c chooses from; those after the first two exist
 * where the compiler knows the instructions. */
#ifndef TRAINER_DEVICE_CPU_KERNELS_CPU_KERNELS_LIST_H
#define TRAINER_DEVICE_CPU_KERNELS_CPU_KERNELS_LIST_H

#include "trainer/device/cpu/kernels/cpu_kernels.h"

extern const struct cpu_kernels cpu_kernels_fp32_plain, cpu_kernels_bf16_plain;
extern const struct cpu_kernels cpu_kernels_fp32_avx2, cpu_kernels_bf16_avx2;
extern const struct cpu_kernels cpu_kernels_fp32_avx512,
    cpu_kernels_bf16_avx512;
extern const struct cpu_kernels cpu_kernels_bf16_avx512_bf16;

#endif
