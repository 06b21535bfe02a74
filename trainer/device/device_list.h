/* The devices that device.c can find by name, one table each. */
#ifndef TRAINER_DEVICE_DEVICE_LIST_H
#define TRAINER_DEVICE_DEVICE_LIST_H

#include "trainer/device/device.h"

extern const struct device_ops device_reference;
extern const struct device_ops device_cpu;
extern const struct device_ops device_cuda;

/* device_ops.roofs of device cuda, in trainer/device/cuda/roof_table.c; it
 * needs no CUDA.  In fp16 all fusions are made that the device plans where
 * cuDNN has them. */
int cuda_roofs(const struct graph *g, int batch, enum dtype type,
    const char *model, struct strbuf *out, struct error *e);

#endif
