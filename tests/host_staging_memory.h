/* Staging between two blocks of host memory, for devices whose arena is in host
 * memory. Copies are as late as allowed: a piece is copied out when it is
 * waited for, and all pieces are copied in when they are joined. A missing wait
 * or join shows as garbage in the gradients.
 */
#ifndef TESTS_HOST_STAGING_MEMORY_H
#define TESTS_HOST_STAGING_MEMORY_H

#include "trainer/device/host_staging.h"

extern const struct host_staging_ops host_staging_memory;

/* The n-th call of out, wait or in from now fails; 0: none. */
extern int host_staging_fails;

/* Calls since the stage was opened. */
struct host_staging_calls {
	int out, wait, in, join;
};
extern struct host_staging_calls host_staging_calls;

#endif
