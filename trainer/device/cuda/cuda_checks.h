/* What a GPU must have for a run, and the words when it has not.  Knows nothing
 * of CUDA.
 */
#ifndef TRAINER_DEVICE_CUDA_CUDA_CHECKS_H
#define TRAINER_DEVICE_CUDA_CUDA_CHECKS_H

#include "common/error.h"
#include "trainer/base/tensor.h"

/* Bytes that a run needs on the GPU: fixed + batch * per_image. */
struct gpu_needs {
	double fixed, per_image;
};

/* Check that there is room for it.
 *
 * available  free bytes
 * total      of the GPU
 *
 * ERROR_LIMIT: no; the message gives what is needed and free, and which batch
 * would fit. */
int checks_memory(int batch, const struct gpu_needs *n, double available,
    double total, struct error *e);

/* An allocation of so many bytes has failed, although checks_memory() found
 * room: another process took it, or it is in pieces.
 *
 * what       is allocated, as "weights"
 * available  free bytes, which may be more than were asked for
 * total      of the GPU
 *
 * Returns -1 with ERROR_SYSTEM, always. */
int checks_allocation(const char *what, double bytes, double available,
    double total, struct error *e);

/* Check that a GPU of that compute capability (80 is 8.0) has the precision.
 *
 * ERROR_USAGE: no. */
int checks_precision(
    enum dtype t, int capability, const char *name, struct error *e);

#endif
