/* TAP on several ranks: rank 0 prints, and what it prints is what all found.
 *
 * A test may only stop (CHECK) where all ranks stop, so conditions that can
 * differ between ranks go through ALL(). */
#ifndef TESTS_MPI_TAP_H
#define TESTS_MPI_TAP_H

#include "tests/tap.h"
#include "trainer/comm/comm.h"

extern struct comm *world;

/* Does the condition hold on all ranks? */
int all_ranks(int holds);

#define ALL(cond) CHECK(all_ranks(cond))

/* Open the back end, $TEST_BACKEND or mpi, run the tests, close it. */
int mpi_tap_main(const struct tap_test *tests, int n);

#endif
