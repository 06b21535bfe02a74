/* The reference device, compiled once for float and once for double from the
 * same source: reference_fp32.c and reference_fp64.c define `real` and include
 * reference_kernels.h and reference_device.h.
 */
#ifndef TRAINER_DEVICE_REFERENCE_REFERENCE_H
#define TRAINER_DEVICE_REFERENCE_REFERENCE_H

#include "trainer/device/device.h"

extern const struct device_ops reference_ops_fp32;
extern const struct device_ops reference_ops_fp64;

#endif
