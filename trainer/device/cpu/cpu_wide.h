/* Products in fp32 of values in bf16: copies of their operands. Nothing is done
 * for an operation that is not wide. */
#ifndef TRAINER_DEVICE_CPU_CPU_WIDE_H
#define TRAINER_DEVICE_CPU_CPU_WIDE_H

#include "trainer/device/cpu/cpu.h"

/* Set op->wide: where all products are in fp32, and where Winograd's in fp32
 * take less time than those in bf16. */
void cpu_wide_choose(const struct cpu *d, struct cpu_op *op);

/* How many images a call of oneDNN takes: a divisor of the batch; all of them
 * where nothing is converted. */
int cpu_wide_images(const struct cpu *d, const struct cpu_op *op);

/* Note how much room op needs in d->wide, once its values are known. */
void cpu_wide_plan(struct cpu *d, const struct cpu_op *op);

/* Where oneDNN finds op's input (side 0) or output (1) that lies at place. */
void *cpu_wide_place(
    const struct cpu *d, const struct cpu_op *op, int side, void *place);

/* Copy cpu_wide_images() images, beginning with image first, of op's input
 * (side 0) or output (1), or of their gradients, from where the whole batch
 * lies to d->wide, or back. */
void cpu_wide_take(
    struct cpu *d, const struct cpu_op *op, int side, int first, void *from);
void cpu_wide_give(
    struct cpu *d, const struct cpu_op *op, int side, int first, void *to);

/* Copy, or a += b, n elements. */
void cpu_wide_copy(size_t n, const float *from, float *to);
void cpu_wide_add(size_t n, const float *b, float *a);

#endif
