/* A stage between two pieces of the host's memory, for any device whose arena
 * is really there.  It is as late as it may be: a piece goes out when it is
 * waited for, and all pieces go in when they are joined; what was not shows
 * as nonsense in the gradients.
 */
#ifndef TESTS_HOST_STAGING_MEMORY_H
#define TESTS_HOST_STAGING_MEMORY_H

#include "trainer/device/host_staging.h"

extern const struct host_staging_ops host_staging_memory;

/* Which call fails from now on: the n-th of out, wait or in; 0: none. */
extern int host_staging_fails;

/* Calls since the stage was opened. */
struct host_staging_calls {
	int out, wait, in, join;
};
extern struct host_staging_calls host_staging_calls;

#endif
