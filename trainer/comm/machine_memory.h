/* Shared memory of the ranks of one machine, which replaces their private
 * regions. All ranks use a single copy of a common region; of other regions
 * each rank has its own and can access those of the other ranks. So sums need
 * no messages, and results that are equal on all ranks are computed once, each
 * rank computing a part. A waiting rank sleeps.
 *
 * The memory is an unnamed file (memfd_create), which the other processes open
 * through /proc. If that fails on any rank, as between containers, no rank uses
 * it.
 *
 *	struct device_region r[] = { { grads, bytes, 0 }, { weights, w, 1 } };
 *
 *	if (machine_memory_open(comm, r, 2, &m, &e) != 0)
 *		...
 *	comm->memory = m;
 *	...
 *	machine_memory_close(m);
 */
#ifndef TRAINER_COMM_MACHINE_MEMORY_H
#define TRAINER_COMM_MACHINE_MEMORY_H

#include <stddef.h>

#include "common/error.h"
#include "trainer/comm/comm.h"
#include "trainer/device/device.h"

struct machine_memory;

/* Replace the regions by shared memory with the same contents. Collective over
 * c, with the same sizes on all ranks.
 *
 * c    borrowed
 * out  set to NULL, with the regions unchanged, if this rank is alone on its
 *      machine, a rank cannot share memory, or common regions differ
 *
 * The memory stays mapped until the process unmaps it or ends.
 *
 * ERROR_SYSTEM: an error of the transport, or mappings were lost. */
int machine_memory_open(struct comm *c, const struct device_region *regions,
    size_t n, struct machine_memory **out, struct error *e);

/* Close it; m may be NULL. */
void machine_memory_close(struct machine_memory *m);

/* True if data is in this rank's own region, which the others can access. */
int machine_memory_holds(
    const struct machine_memory *m, const void *data, size_t bytes);

/* Sum data over the ranks of the machine, in rank order, in place; all get the
 * sum. machine_memory_holds() must be true for it.
 *
 * data  [n]
 *
 * ERROR_SYSTEM: a rank has ended; the same for machine_memory_join(). */
int machine_memory_sum(
    struct machine_memory *m, float *data, size_t n, struct error *e);

/* Barrier of the ranks of the machine, which orders their memory accesses. */
int machine_memory_join(struct machine_memory *m, struct error *e);

#endif
