/* The reference device in fp64. */
#include <config.h>

#define REFERENCE_FP64
#include "trainer/device/reference/reference.c"
