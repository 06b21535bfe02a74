/* The devices that device.c can find by name, one table each. */
#ifndef TRAINER_DEVICE_DEVICE_LIST_H
#define TRAINER_DEVICE_DEVICE_LIST_H

#include "trainer/device/device.h"

extern const struct device_ops device_reference;
extern const struct device_ops device_cpu;
extern const struct device_ops device_cuda;

#endif
