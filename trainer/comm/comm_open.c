/* Which back end carries a run. The only file that knows all back ends; each of
 * those builds on comm.c, which knows none, and maybe on comm_host.c. */
#include <config.h>

#include "trainer/comm/comm.h"

#include <string.h>

#include "trainer/comm/launcher_env.h"

static const struct comm_ops *const backends[] = { &comm_self, &comm_mpi,
	&comm_gloo, &comm_nccl };

const struct comm_ops *const *
comm_list(size_t *n)
{
	*n = sizeof backends / sizeof backends[0];
	return backends;
}

static const struct comm_ops *
find_backend(const char *name, struct error *e)
{
	for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++)
		if (strcmp(backends[i]->name, name) == 0)
			return backends[i];
	error_set(e, ERROR_USAGE, "no back end '%s'", name);
	return NULL;
}

int
comm_open(const char *backend, struct comm **out, struct error *e)
{
	const struct comm_ops *ops;
	struct launcher l;

	if (strcmp(backend, "auto") == 0)
		return comm_open_host(out, e);
	if (launcher_env_read(&l, e) != 0)
		return -1;
	ops = find_backend(backend, e);
	return ops != NULL ? comm_join(ops, out, e) : -1;
}
