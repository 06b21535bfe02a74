/* The loops of resizing, compiled for AVX-512. */
#include <config.h>

#include "trainer/data/resize_kernels_list.h"

#define RESIZE_KERNELS resize_kernels_avx512
#define RESIZE_ISA "AVX-512"
#include "trainer/data/resize_kernels_template.h"
