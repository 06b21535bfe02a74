/* The loops of resizing, compiled for AVX2. */
#include <config.h>

#include "trainer/data/resize_kernels_list.h"

#define RESIZE_KERNELS resize_kernels_avx2
#define RESIZE_ISA "AVX2"
#include "trainer/data/resize_kernels_template.h"
