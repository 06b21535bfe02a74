#include <config.h>

#include "trainer/reference.h"

#define REFERENCE_FP64 0
#include "trainer/reference_kernels.h"
#include "trainer/reference_device.h"
