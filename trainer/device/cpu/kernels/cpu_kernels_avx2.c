/* Own kernels of the cpu device, compiled for AVX2. */
#include <config.h>

#include "trainer/device/cpu/kernels/cpu_kernels.h"

#include "trainer/device/cpu/kernels/cpu_kernels_list.h"
#define VECTOR_LANES 8 /* oneDNN's block there */
#include "trainer/device/cpu/kernels/cpu_vector.h"

#define KERNELS_ISA "AVX2"

#define KERNELS_BF16 0
#define KERNELS(name) name##_fp32_avx2
#include "trainer/device/cpu/kernels/cpu_kernels_template.h"

#undef KERNELS_BF16
#undef KERNELS
#define KERNELS_BF16 1
#define KERNELS(name) name##_bf16_avx2
#include "trainer/device/cpu/kernels/cpu_kernels_template.h"
