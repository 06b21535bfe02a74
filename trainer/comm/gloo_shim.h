/* C interface of Gloo, a C++ library: exceptions become a struct error.
 */
#ifndef TRAINER_COMM_GLOO_SHIM_H
#define TRAINER_COMM_GLOO_SHIM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "common/error.h"
#include "trainer/comm/comm.h"

/* A process's connections to all others of a communicator. */
struct gloo_shim;

/* Allgather of n bytes.
 *
 * all  [size][n], by rank of the new communicator */
typedef int (*gloo_exchange_fn)(
    void *ctx, const void *own, size_t n, void *all, struct error *e);

/* The rank of this process in the communicator, and how to find the others. */
struct gloo_place {
	int rank, size;
	const char *address;       /* this machine's */
	const char *interface;     /* replaces address unless NULL */
	double timeout_s;          /* limit of a collective's wait for a peer */
	gloo_exchange_fn exchange; /* called once, by all ranks */
	void *ctx;
};

/* Connect to all others.
 *
 * parent  connections whose thread and address to use, or NULL
 *
 * ERROR_SYSTEM, as in all functions here. */
int gloo_shim_open(const struct gloo_place *p, struct gloo_shim *parent,
    struct gloo_shim **out, struct error *e);

/* Drop the connections; s may be NULL. */
void gloo_shim_close(struct gloo_shim *s);

/* A communicator of Gloo. */
struct comm_gloo {
	struct comm base;
	struct gloo_shim *shim;
};

/* As comm_allreduce(), comm_reduce_scatter() and comm_broadcast(). */
int gloo_allreduce(struct comm *base, void *data, size_t n, enum comm_type t,
    enum comm_op op, struct error *e);
int gloo_reduce_scatter(
    struct comm *base, void *data, size_t n, enum comm_type t, struct error *e);
int gloo_broadcast(
    struct comm *base, void *data, size_t bytes, int root, struct error *e);

/* As comm_allgather(), of bytes.
 *
 * data  [size][bytes] */
int gloo_shim_allgather(
    struct gloo_shim *s, void *data, size_t bytes, struct error *e);

#ifdef __cplusplus
}
#endif

#endif
