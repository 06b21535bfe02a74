/* Own kernels of the cpu device, compiled for AVX-512. */
#include <config.h>

#include "trainer/device/cpu/kernels/cpu_kernels.h"

#include "trainer/device/cpu/kernels/cpu_kernels_list.h"
#include "trainer/device/cpu/kernels/cpu_vector.h"

#define KERNELS_ISA "AVX-512"

#define KERNELS_BF16 0
#define KERNELS(name) name##_fp32_avx512
#include "trainer/device/cpu/kernels/cpu_kernels_template.h"

#undef KERNELS_BF16
#undef KERNELS
#define KERNELS_BF16 1
#define KERNELS(name) name##_bf16_avx512
#include "trainer/device/cpu/kernels/cpu_kernels_template.h"
