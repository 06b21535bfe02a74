/* The reference device in fp32. */
#include <config.h>

#include "trainer/device/reference/reference.h"

#define REFERENCE_FP64 0
#include "trainer/device/reference/reference_kernels.h"
#include "trainer/device/reference/reference_device.h"
