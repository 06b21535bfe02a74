/* Memory that the ranks on one machine have in common, in place of what each
 * of them allocated: some regions become one for all of them, of the others
 * each rank keeps its own and can reach those of the rest.  Then a sum needs
 * no messages, and what all ranks would compute alike is computed once, each
 * a part.  Whoever waits sleeps.
 *
 * The memory is a file without a name (memfd_create) that the other processes
 * open by way of /proc; where that cannot be done, as between containers, on
 * any rank, none has it.
 *
 *	struct device_region r[] = { { grads, bytes, 0 }, { weights, w, 1 } };
 *
 *	if (machine_memory_open(comm, r, 2, &m, &e) != 0)
 *		...
 *	if (m != NULL)
 *		comm->memory = machine_memory_hook(m, 1);
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

/* Know the others no more; m may be NULL. */
void machine_memory_close(struct machine_memory *m);

/* For c->memory, borrowed until machine_memory_close.
 *
 * sums  allreduces of c that are sums of fp32 in a region of each rank's own
 *       are to be made in memory: all ranks are on this machine */
struct comm_memory *machine_memory_hook(struct machine_memory *m, int sums);

#endif
