/* Which image comes when: the order of an epoch and each rank's share of it.
 */
#ifndef TRAINER_DATA_SAMPLER_H
#define TRAINER_DATA_SAMPLER_H

#include <stdint.h>

/* Fill order with 0 .. n - 1, or with a permutation of it.
 *
 * order    [n] set
 * n        0 .. 2^31 - 1
 * shuffle  1: a permutation, all equally likely, that (seed, epoch) alone
 *          decide: Fisher and Yates' method on the random stream
 *          RNG_STREAM_ORDER, step epoch */
void sampler_order(
    uint32_t *order, long n, int shuffle, uint64_t seed, int epoch);

/* Batches of an epoch on each rank: ceil(n / (batch * ranks)). */
long sampler_batches(long n, int batch, int ranks);

/* Where batch b of a rank starts in the order: (b * ranks + rank) * batch.  At
 * n and above (whole batches only) the order starts again: take it modulo n.
 */
long sampler_place(long b, int batch, int rank, int ranks);

/* Images of batch b: batch if whole; else what is left, 0 .. batch. */
int sampler_count(long n, long b, int batch, int rank, int ranks, int whole);

#endif
