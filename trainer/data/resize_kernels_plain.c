/* The loops of resizing, compiled for any CPU. */
#include <config.h>

#include "trainer/data/resize_kernels_list.h"

#define RESIZE_KERNELS resize_kernels_plain
#define RESIZE_ISA "plain"
#include "trainer/data/resize_kernels_template.h"
