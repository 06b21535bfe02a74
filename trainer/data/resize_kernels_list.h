/* What resize_kernels.c chooses from; the last two exist where the compiler
 * knows x86. */
#ifndef TRAINER_DATA_RESIZE_KERNELS_LIST_H
#define TRAINER_DATA_RESIZE_KERNELS_LIST_H

#include "trainer/data/resize_kernels.h"

extern const struct resize_kernels resize_kernels_plain, resize_kernels_avx2,
    resize_kernels_avx512;

#endif
