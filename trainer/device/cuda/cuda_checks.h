/* Check a GPU's memory and precision for a run, with messages for the user.
 * Independent of CUDA.
 */
#ifndef TRAINER_DEVICE_CUDA_CUDA_CHECKS_H
#define TRAINER_DEVICE_CUDA_CUDA_CHECKS_H

#include "common/error.h"
#include "trainer/base/tensor.h"

/* GPU memory of a run in bytes: fixed + batch * per_image. */
struct gpu_needs {
	double fixed, per_image;
};

/* Check that a run fits into GPU memory.
 *
 * available  free bytes
 * total      memory of the GPU in bytes
 *
 * ERROR_LIMIT: it does not fit; the message states needed and free memory, and
 * a batch that fits. */
int checks_memory(int batch, const struct gpu_needs *n, double available,
    double total, struct error *e);

/* Report an allocation that failed although checks_memory() succeeded: another
 * process took the memory, or it is fragmented.
 *
 * what       purpose of the memory, such as "weights"
 * available  free bytes, possibly more than requested
 * total      memory of the GPU in bytes
 *
 * Always returns -1 with ERROR_SYSTEM. */
int checks_allocation(const char *what, double bytes, double available,
    double total, struct error *e);

/* Check that a GPU with this compute capability (80 is 8.0) supports the
 * precision.
 *
 * ERROR_USAGE: unsupported. */
int checks_precision(
    enum dtype t, int capability, const char *name, struct error *e);

#endif
