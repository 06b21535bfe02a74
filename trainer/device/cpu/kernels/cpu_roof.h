/* Measured peak rates of this machine's cores, caches and memory.
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_CPU_ROOF_H
#define TRAINER_DEVICE_CPU_KERNELS_CPU_ROOF_H

#include "trainer/base/isa.h"
#include "trainer/base/tensor.h"
#include "trainer/device/call_table.h"

struct cpu_roof {
	struct roof roof;
	const char *isa; /* instruction set of the products */
	double flop;     /* operations per round of products */
};

/* Bytes that cpu_roof_measure() allocates temporarily. */
size_t cpu_roof_bytes(void);

/* Measure peak rates with a number of threads; takes about a second. Each rate
 * is the best of many short runs, so that other work on the machine does not
 * lower it.
 *
 * isa   instruction set to use
 * type  of the products: DTYPE_FP32 or DTYPE_BF16 */
void cpu_roof_measure(
    enum isa isa, enum dtype type, int threads, struct cpu_roof *out);

#endif
