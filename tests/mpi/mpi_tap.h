/* TAP on several ranks: rank 0 prints the combined results of all ranks.
 *
 * A test may stop (CHECK) only where all ranks stop, so conditions that can
 * differ between ranks go through ALL(). */
#ifndef TESTS_MPI_TAP_H
#define TESTS_MPI_TAP_H

#include "tests/tap.h"
#include "trainer/comm/comm.h"

extern struct comm *world;

/* True if the condition holds on all ranks. */
int all_ranks(int holds);

#define ALL(cond) CHECK(all_ranks(cond))

/* Open the backend $TEST_BACKEND, or mpi, run the tests, and close it. */
int mpi_tap_main(const struct tap_test *tests, int n);

#endif
