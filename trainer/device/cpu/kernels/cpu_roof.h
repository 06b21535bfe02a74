/* What this machine's cores, caches and memory can do at most, measured.
 */
#ifndef TRAINER_DEVICE_CPU_KERNELS_CPU_ROOF_H
#define TRAINER_DEVICE_CPU_KERNELS_CPU_ROOF_H

#include "trainer/base/isa.h"
#include "trainer/base/tensor.h"
#include "trainer/device/call_table.h"

struct cpu_roof {
	struct roof roof;
	const char *isa; /* of the products */
	double flop;     /* operations of a round of products */
};

/* Bytes that cpu_roof_measure() takes for a while. */
size_t cpu_roof_bytes(void);

/* Measure it with so many threads; takes about a second.  Each rate is the best
 * of many short runs, so that other work on the machine does not lower it.
 *
 * isa   instructions that may be used
 * type  of the products: DTYPE_FP32 or DTYPE_BF16 */
void cpu_roof_measure(
    enum isa isa, enum dtype type, int threads, struct cpu_roof *out);

#endif
