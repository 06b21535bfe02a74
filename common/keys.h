/* Sorting whole numbers in their place, with no memory beside. */
#ifndef COMMON_KEYS_H
#define COMMON_KEYS_H

#include <stddef.h>
#include <stdint.h>

/* Sort x [n] ascending.  Radix exchange (Hildebrandt and Isbitz 1959, JACM
 * 6(2)): a pass for each bit in which the keys differ, at most 64. */
void keys_sort(uint64_t *x, size_t n);

#endif
