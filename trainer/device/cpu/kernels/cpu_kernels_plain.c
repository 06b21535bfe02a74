/* Own kernels of the cpu device, compiled for any CPU. */
#include <config.h>

#include "trainer/device/cpu/kernels/cpu_kernels.h"

#include "trainer/device/cpu/kernels/cpu_kernels_list.h"
#ifdef HAVE_X86_FLAGS
#define VECTOR_LANES 8 /* oneDNN's block there */
#endif
#include "trainer/device/cpu/kernels/cpu_vector.h"

#define KERNELS_ISA "plain"

#define KERNELS_BF16 0
#define KERNELS(name) name##_fp32_plain
#include "trainer/device/cpu/kernels/cpu_kernels_template.h"

#undef KERNELS_BF16
#undef KERNELS
#define KERNELS_BF16 1
#define KERNELS(name) name##_bf16_plain
#include "trainer/device/cpu/kernels/cpu_kernels_template.h"
