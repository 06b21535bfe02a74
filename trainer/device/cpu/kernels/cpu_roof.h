/* What this machine's cores, caches and memory can do at most, measured.
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_CPU_ROOF_H
#define TRAINER_DEVICE_CPU_KERNELS_CPU_ROOF_H

#include "trainer/device/call_table.h"
#include "trainer/device/device.h"

struct cpu_roof {
	struct roof roof;
	const char *isa; /* of the products */
};

/* Bytes that cpu_roof_measure() takes for a while. */
size_t cpu_roof_bytes(void);

/* Measure it with c->threads threads, in c->precision; takes about a second.
 * Each rate is the best of many short runs, so that other work on the machine
 * does not lower it.
 *
 * tiles  AMX is used */
void cpu_roof_measure(
    const struct device_config *c, int tiles, struct cpu_roof *out);

#endif
