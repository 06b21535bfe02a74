/* Memory that the ranks on one machine share, in place of what each of them
 * allocated: a common region becomes one for all of them, of the others each
 * rank keeps its own and can reach those of the rest.  A sum then needs no
 * messages, and what all ranks would compute alike is computed once, a part by
 * each.  A rank that waits sleeps.
 *
 * The memory is a file without a name (memfd_create) that the other processes
 * open by way of /proc; where that cannot be done, as between containers, on
 * any rank, none has it.
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

/* Put memory that ranks share in the place of the regions; what they hold
 * stays.  All ranks of c call it, with as many regions of the same sizes.
 *
 * c    borrowed
 * out  set to NULL, and all is as before, if this rank is alone on its
 *      machine, if some rank cannot share memory, or if common regions differ
 *
 * The memory stays where it is until each process unmaps or ends.
 *
 * ERROR_SYSTEM: the transport, or memory that was there is not any more. */
int machine_memory_open(struct comm *c, const struct device_region *regions,
    size_t n, struct machine_memory **out, struct error *e);

/* Close it; m may be NULL. */
void machine_memory_close(struct machine_memory *m);

/* True if this rank's data is in a region of its own that the others can
 * reach. */
int machine_memory_holds(
    const struct machine_memory *m, const void *data, size_t bytes);

/* Sum over the ranks of the machine, in their order, data that
 * machine_memory_holds(), in place; all get the sum.
 *
 * data  [n]
 *
 * ERROR_SYSTEM, as of machine_memory_join(): a rank has ended. */
int machine_memory_sum(
    struct machine_memory *m, float *data, size_t n, struct error *e);

/* Wait until all ranks of the machine are here; what was written before is seen
 * after. */
int machine_memory_join(struct machine_memory *m, struct error *e);

#endif
