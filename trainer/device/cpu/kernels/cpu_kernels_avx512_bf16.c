/* Own kernels of the cpu device for elements of bf16, compiled for AVX-512 with
 * its conversion to bf16. */
#include <config.h>

#include "trainer/device/cpu/kernels/cpu_kernels.h"

#include "trainer/device/cpu/kernels/cpu_kernels_list.h"
#include "trainer/device/cpu/kernels/cpu_vector.h"

#define KERNELS_ISA "AVX-512"

#define KERNELS_BF16 1
#define KERNELS(name) name##_bf16_avx512_bf16
#include "trainer/device/cpu/kernels/cpu_kernels_template.h"
