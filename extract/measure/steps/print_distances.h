/* Distances between the iterations that a log prints, and how many ranks print
 * each, counted: which are the usual ones?  A part of steps.c.
 *
 *	struct print_distances d = PRINT_DISTANCES_INIT;
 *	print_distances_add(&d, 10, 1, n_steps);
 *	d.ranks[1]++;
 *	spacing = print_distances_usual(&d);
 *	print_distances_release(&d);
 */
#ifndef EXTRACT_MEASURE_STEPS_PRINT_DISTANCES_H
#define EXTRACT_MEASURE_STEPS_PRINT_DISTANCES_H

#include <stddef.h>
#include <stdint.h>

struct print_distances {
	size_t small[4096]; /* how often each */
	size_t ranks[256];  /* groups of so many ranks; the last: or more */
	uint32_t *large;    /* [n_large] distances above */
	size_t n_large;
};

#define PRINT_DISTANCES_INIT \
	{ \
		.large = NULL \
	}

/* Count a distance that occurs so many times in a row; one that is not above 0
 * is none.
 *
 * n_steps  distances that there are at most, in all */
void print_distances_add(
    struct print_distances *d, long distance, size_t times, size_t n_steps);

/* The most frequent distance, the smallest of those; 0: there is none. */
long print_distances_usual(const struct print_distances *d);

/* Ranks of at least half of n groups, if no group has more; 0: there is no such
 * number. */
long print_distances_ranks(const struct print_distances *d, size_t n);

/* Free what it keeps. */
void print_distances_release(struct print_distances *d);

#endif
