/* Agreement on the gradients that are ready on all ranks. */
#include <config.h>

#include "trainer/sync/gradient_reducer.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

struct coordinator {
	struct comm *comm;
	const char *const *names;
	int n;
	int by_number;
	int sent;    /* tensors reported by this rank in this step */
	int all;     /* tensors ready on all ranks */
	int *counts; /* first rank: number of reports of each tensor */
};

struct coordinator *
coordinator_new(
    struct comm *comm, const char *const *names, int n, long capacity)
{
	struct coordinator *g = xcalloc(1, sizeof *g);

	g->comm = comm;
	g->names = names;
	g->n = n;
	g->by_number = capacity >= n;
	g->counts = xcalloc((size_t)n, sizeof *g->counts);
	return g;
}

void
coordinator_free(struct coordinator *n)
{
	if (n == NULL)
		return;
	free(n->counts);
	free(n);
}

void
coordinator_begin(struct coordinator *n)
{
	n->sent = n->all = 0;
	memset(n->counts, 0, (size_t)n->n * sizeof *n->counts);
}

/* Pack names [from, end), with their NULs, into words of 8 bytes. */
static int64_t *
pack_names(const struct coordinator *g, int from, int end, int64_t *n_words)
{
	size_t bytes = 0;
	int64_t *words;
	char *at;

	for (int i = from; i < end; i++)
		bytes += strlen(g->names[i]) + 1;
	*n_words = (int64_t)((bytes + 7) / 8);
	words = xcalloc((size_t)*n_words + 1, sizeof *words);
	at = (char *)words;
	for (int i = from; i < end; i++) {
		const size_t len = strlen(g->names[i]) + 1;

		memcpy(at, g->names[i], len);
		at += len;
	}
	return words;
}

/* Send the names that became ready here to the first rank. */
static int
gather_names(struct coordinator *g, int ready, struct error *e)
{
	const size_t size = (size_t)g->comm->size;
	int64_t own, most, *words = pack_names(g, g->sent, ready, &own), *all;
	int rc;

	most = own;
	g->sent = ready;
	if (comm_allreduce(g->comm, &most, 1, COMM_I64, COMM_MAX, e) != 0) {
		free(words); /* most is unspecified now */
		return -1;
	}
	all = xcalloc(size * (size_t)most + 1, sizeof *all);
	memcpy(all + (size_t)g->comm->rank * (size_t)most, words,
	    (size_t)own * sizeof *all);
	rc = comm_allgather(g->comm, all, (size_t)most, COMM_I64, e);
	for (size_t k = 0; rc == 0 && g->comm->rank == 0 && k < size; k++) {
		const char *at = (const char *)(all + k * (size_t)most);
		const char *const end = at + 8 * most;
		int i = g->all;

		/* Count the names, none of which is ready on all ranks yet. */
		for (; at < end && *at != '\0'; at += strlen(at) + 1) {
			while (i < g->n && strcmp(g->names[i], at) != 0)
				i++;
			if (i < g->n)
				g->counts[i]++;
		}
	}
	free(words);
	free(all);
	return rc;
}

/* Receive the names that are ready on all ranks from the first rank. */
static int
take_names(struct coordinator *g, struct error *e)
{
	int ready = g->all;
	int64_t *words, n;

	while (ready < g->n && g->counts[ready] == g->comm->size)
		ready++;
	words = pack_names(g, g->all, ready, &n);
	if (comm_broadcast(g->comm, &n, sizeof n, 0, e) != 0) {
		free(words);
		return -1;
	}
	words = xreallocarray(words, (size_t)n + 1, sizeof *words);
	words[n] = 0;
	if (comm_broadcast(g->comm, words, (size_t)n * sizeof *words, 0, e) !=
	    0) {
		free(words);
		return -1;
	}
	for (const char *at = (const char *)words;
	     g->all < g->n && strcmp(at, g->names[g->all]) == 0;
	     at += strlen(at) + 1)
		g->all++;
	free(words);
	return 0;
}

int
coordinator_ask(struct coordinator *n, int ready, int *all, struct error *e)
{
	int64_t least = ready;

	if (n->by_number) {
		if (comm_allreduce(n->comm, &least, 1, COMM_I64, COMM_MIN, e) !=
		    0)
			return -1;
		n->all = (int)least;
	} else if (gather_names(n, ready, e) != 0 || take_names(n, e) != 0) {
		return -1;
	}
	*all = n->all;
	return 0;
}
