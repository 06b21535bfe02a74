/* Sorting whole numbers in their place, with no further memory. */
#ifndef EXTRACT_MEASURE_STEPS_RADIX_SORT_H
#define EXTRACT_MEASURE_STEPS_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sort x [n] ascending.  Radix exchange (Hildebrandt and Isbitz 1959, JACM
 * 6(2)): a pass for each bit in which the keys differ, at most 64. */
void radix_sort(uint64_t *x, size_t n);

#endif
