/* Tables of the variables of Open MPI, MPICH, Slurm and torchrun; parser of
 * Slurm's host lists. */
#include <config.h>

#include "trainer/comm/launcher_env.h"

#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

/* Variables of each launcher. torchrun's are used if set, else those of the
 * first launcher that sets a rank and a size. The job's name has up to two
 * parts. Open MPI's network key is random, and only the user can read it. */
static const struct launcher_variables {
	const char *rank, *size, *local_rank, *local_size, *job[2];
	const char *nodes, *tasks_per_node, *distribution; /* NULL: none */
	const char *n_nodes; /* set to 1 if all ranks are on this machine */
	const char *secret;
} launchers[] = {
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
	    "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
	    { "PMIX_NAMESPACE", NULL }, NULL, NULL, NULL, NULL,
	    "OMPI_MCA_orte_precondition_transports" },
	{ "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS",
	    { NULL, NULL }, NULL, NULL, NULL, NULL, NULL },
	{ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", NULL,
	    { "SLURM_JOB_ID", "SLURM_STEP_ID" }, "SLURM_STEP_NODELIST",
	    "SLURM_STEP_TASKS_PER_NODE", "SLURM_DISTRIBUTION",
	    "SLURM_STEP_NUM_NODES", NULL },
	/* the last row: torchrun, or processes started by hand */
	{ "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE",
	    { "TORCHELASTIC_RUN_ID", NULL }, NULL, NULL, NULL, NULL, NULL },
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
	const char *first, *second;
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
	first = ask_environment(n->job[0]);
	second = ask_environment(n->job[1]);
	if (first != NULL)
		snprintf(l->job, sizeof l->job, "%s%s%s", first,
		    second != NULL ? "." : "", second != NULL ? second : "");
	l->secret = ask_environment(n->secret);
	if (l->secret == NULL)
		l->secret = getenv("DLSCALE_JOB_TOKEN");
	l->nodes = ask_environment(n->nodes);
	l->tasks_per_node = ask_environment(n->tasks_per_node);
	l->distribution = ask_environment(n->distribution);
	if (l->rank < l->size)
		return 0;
	return error_set(e, ERROR_INPUT,
	    "environment variable %s: rank %ld of %ld ranks", n->rank, l->rank,
	    l->size);
}

/* --- Lists of hosts ------------------------------------------------------- */

enum { HOSTS_MAX = 1 << 20 };

/* Read a range of a bracket, "07" or "1-12", and the comma after it. Returns
 * its end, or NULL if it is malformed.
 *
 * width  out: digits of the first number, whose leading zeros belong to the
 *        name */
static const char *
read_range(const char *at, long *first, long *last, int *width)
{
	char *end;

	if (!isdigit((unsigned char)*at))
		return NULL;
	*first = *last = strtol(at, &end, 10);
	*width = (int)(end - at);
	if (*end == '-' && isdigit((unsigned char)end[1]))
		*last = strtol(end + 1, &end, 10);
	if (*last < *first || *last - *first >= HOSTS_MAX ||
	    (*end != ',' && *end != ']'))
		return NULL;
	return end + (*end == ',');
}

/* Iterate over the hosts that the rest of a name expands to; the last bracket
 * varies fastest.
 *
 * host  [size] begins with the len bytes expanded so far
 * k     hosts to skip; decremented for each skipped host
 *
 * Returns 1 if host is complete, 0 if there are fewer, -1 for a malformed
 * name. */
static int
walk_name(const char *at, char *host, size_t len, size_t size, long *k)
{
	const char *close = strchr(at, ']');
	long first, last;
	int rc = 0, width;

	for (; *at != '\0' && *at != ',' && *at != '['; at++) {
		if (*at == ']')
			return -1;
		if (len + 1 < size)
			host[len++] = *at;
	}
	host[len] = '\0';
	if (*at != '[')
		return (*k)-- == 0;
	if (close == NULL || ++at == close)
		return -1;
	while (rc == 0 && at < close) {
		at = read_range(at, &first, &last, &width);
		if (at == NULL)
			return -1;
		for (long i = first; rc == 0 && i <= last; i++) {
			const int n =
			    snprintf(host + len, size - len, "%0*ld", width, i);
			const size_t end = len + (size_t)n;

			rc = walk_name(close + 1, host,
			    end < size ? end : size - 1, size, k);
		}
	}
	return rc;
}

int
host_list_nth(const char *list, long k, char *host, size_t size)
{
	int rc = 0, in_brackets = 0;

	while (rc == 0 && *list != '\0') {
		if (*list == ',')
			return -1;
		rc = walk_name(list, host, 0, size, &k);
		for (; *list != '\0' && (*list != ',' || in_brackets); list++)
			if (*list == '[' || *list == ']')
				in_brackets = *list == '[';
		list += *list == ',';
	}
	return rc == 1 ? 0 : -1;
}

int
launcher_host_of_rank(
    const struct launcher *l, long rank, char *host, size_t size)
{
	const char *tasks = l->tasks_per_node;
	long node = 0;

	if (l->nodes == NULL || tasks == NULL ||
	    (l->distribution != NULL &&
		strncmp(l->distribution, "block", 5) != 0))
		return -1;
	/* "2(x3),1": three nodes with two tasks each, and one with one. */
	while (isdigit((unsigned char)*tasks)) {
		char *after;
		const long each = strtol(tasks, &after, 10);
		long nodes = 1;

		if (strncmp(after, "(x", 2) == 0) {
			nodes = strtol(after + 2, &after, 10);
			after += *after == ')';
		}
		if (each < 1 || each > INT_MAX || nodes < 1 || nodes > INT_MAX)
			return -1;
		if (rank < each * nodes)
			return host_list_nth(
			    l->nodes, node + rank / each, host, size);
		rank -= each * nodes;
		node += nodes;
		tasks = after + (*after == ',');
	}
	return -1;
}
