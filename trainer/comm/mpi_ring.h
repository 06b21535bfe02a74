/* Ring allreduce of long data over a network with MPI: each rank sends to the
 * next one and receives from the previous one, and each part of the data goes
 * round once to be summed and once to be distributed.
 *
 * Open MPI's own allreduce sends long messages over TCP. Sender and receiver
 * negotiate each long message in a byte stream that also carries the data of
 * the other direction, so the link often runs at half its rate, and waiting
 * ranks occupy a CPU. Here messages are short enough to be sent eagerly, many
 * are in flight, and waiting ranks sleep. See doc/performance.md, "Allreduces
 * over a network".
 *
 * Needs HAVE_MPI.
 */
#ifndef TRAINER_COMM_MPI_RING_H
#define TRAINER_COMM_MPI_RING_H

#include <mpi.h>
#include <stddef.h>

struct mpi_ring;

/* A ring of the ranks of a communicator, borrowed until mpi_ring_free. */
struct mpi_ring *mpi_ring_new(MPI_Comm world);

/* Free it; r may be NULL. */
void mpi_ring_free(struct mpi_ring *r);

/* Reduce data over all ranks, in place; all get the same bytes.
 *
 * data  [n] elements of size bytes and of type t; op must be commutative; n may
 *       be 0
 *
 * Returns MPI_SUCCESS or an error of MPI. */
int mpi_ring_allreduce(struct mpi_ring *r, void *data, size_t n, size_t size,
    MPI_Datatype t, MPI_Op op);

#endif
