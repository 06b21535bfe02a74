/* The variables of Open MPI, MPICH, Slurm and torchrun. A row each;
 * comm_gloo.c and example_options.c ask, and nothing is opened here. */
#include <config.h>

#include "trainer/comm/launcher_env.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

/* The variables in which a launcher passes its values; the first one that sets
 * a rank and a size counts, torchrun's before all.  The job's name is that of
 * two variables. */
static const struct launcher_variables {
	const char *rank, *size, *local_rank, *local_size, *job[2];
	const char *nodes, *tasks_per_node, *distribution; /* NULL: none */
	const char *n_nodes; /* a 1 there: all ranks are on this machine */
} launchers[] = {
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
	    "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
	    { "PMIX_NAMESPACE", NULL }, NULL, NULL, NULL, NULL },
	{ "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS",
	    { NULL, NULL }, NULL, NULL, NULL, NULL },
	{ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", NULL,
	    { "SLURM_JOB_ID", "SLURM_STEP_ID" }, "SLURM_STEP_NODELIST",
	    "SLURM_STEP_TASKS_PER_NODE", "SLURM_DISTRIBUTION",
	    "SLURM_STEP_NUM_NODES" },
	/* torchrun, or processes started by hand: the last row */
	{ "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE",
	    { "TORCHELASTIC_RUN_ID", NULL }, NULL, NULL, NULL, NULL },
};

enum { BY_HAND = sizeof launchers / sizeof launchers[0] - 1 };

static const char *
ask_environment(const char *name)
{
	return name != NULL ? getenv(name) : NULL;
}

static int
ask_number(const char *name, long min, long *out, struct error *e)
{
	const char *text = ask_environment(name);

	if (text == NULL || parse_long(text, min, INT_MAX, out) == 0)
		return 0;
	return error_set(e, ERROR_INPUT,
	    "environment variable %s: '%s' is not a number from %ld on", name,
	    text, min);
}

static void
find_job(const struct launcher_variables *n, struct launcher *l)
{
	const char *first = ask_environment(n->job[0]),
		   *second = ask_environment(n->job[1]);

	if (first != NULL)
		snprintf(l->job, sizeof l->job, "%s%s%s", first,
		    second != NULL ? "." : "", second != NULL ? second : "");
}

int
launcher_env_is_torchrun(void)
{
	const struct launcher_variables *n = &launchers[BY_HAND];

	return ask_environment(n->rank) != NULL &&
	    ask_environment(n->size) != NULL &&
	    ask_environment(n->job[0]) != NULL;
}

void
launcher_env_set(long rank, long size)
{
	char text[32];

	for (int i = 0; i < BY_HAND; i++)
		unsetenv(launchers[i].rank);
	snprintf(text, sizeof text, "%ld", rank);
	setenv(launchers[BY_HAND].rank, text, 1);
	snprintf(text, sizeof text, "%ld", size);
	setenv(launchers[BY_HAND].size, text, 1);
}

int
launcher_env_read(struct launcher *l, struct error *e)
{
	const struct launcher_variables *n =
	    launchers + (launcher_env_is_torchrun() ? BY_HAND : 0);
	const struct launcher_variables *const end = launchers + BY_HAND + 1;
	long port, n_nodes = -1;

	memset(l, 0, sizeof *l);
	l->size = 1;
	l->local_rank = l->local_size = -1;
	l->host = getenv("MASTER_ADDR");
	l->port = getenv("MASTER_PORT");
	if (l->port != NULL && parse_long(l->port, 1, UINT16_MAX, &port) != 0)
		return error_set(e, ERROR_INPUT,
		    "environment variable MASTER_PORT: '%s' is not a port from "
		    "1 to 65535",
		    l->port);
	while (n < end &&
	    (ask_environment(n->rank) == NULL ||
		ask_environment(n->size) == NULL))
		n++;
	if (n == end)
		return 0;
	if (ask_number(n->size, 1, &l->size, e) != 0 ||
	    ask_number(n->rank, 0, &l->rank, e) != 0 ||
	    ask_number(n->local_rank, 0, &l->local_rank, e) != 0 ||
	    ask_number(n->local_size, 1, &l->local_size, e) != 0 ||
	    ask_number(n->n_nodes, 1, &n_nodes, e) != 0)
		return -1;
	if (n_nodes == 1)
		l->local_size = l->size;
	find_job(n, l);
	l->nodes = ask_environment(n->nodes);
	l->tasks_per_node = ask_environment(n->tasks_per_node);
	l->distribution = ask_environment(n->distribution);
	if (l->rank < l->size)
		return 0;
	return error_set(e, ERROR_INPUT,
	    "environment variable %s: rank %ld of %ld ranks", n->rank, l->rank,
	    l->size);
}
