/* Sorting the keys of sample_index.c, which are many and nearly in order. */
#include <config.h>

#include "extract/measure/steps/radix_sort.h"

enum { SMALL = 24 /* keys from which parting them pays */ };

static void
insert_all(uint64_t *x, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const uint64_t key = x[i];
		size_t j = i;

		for (; j > 0 && x[j - 1] > key; j--)
			x[j] = x[j - 1];
		x[j] = key;
	}
}

/* Those without the bit to the front.  Returns how many. */
static size_t
partition_bit(uint64_t *x, size_t n, uint64_t bit)
{
	size_t i = 0, j = n;

	for (;;) {
		uint64_t key;

		while (i < j && !(x[i] & bit))
			i++;
		while (i < j && x[j - 1] & bit)
			j--;
		if (i == j)
			return i;
		key = x[i];
		x[i++] = x[--j];
		x[j] = key;
	}
}

/* Sort keys that are alike above the bit. */
static void
sort_from(uint64_t *x, size_t n, uint64_t bit, uint64_t differ)
{
	while (n > SMALL && bit > 0) {
		if (bit & differ) {
			const size_t low = partition_bit(x, n, bit);

			sort_from(x, low, bit >> 1, differ);
			x += low;
			n -= low;
		}
		bit >>= 1;
	}
	if (n <= SMALL)
		insert_all(x, n);
}

void
radix_sort(uint64_t *x, size_t n)
{
	uint64_t differ = 0;

	for (size_t i = 1; i < n; i++)
		differ |= x[i] ^ x[0];
	sort_from(x, n, (uint64_t)1 << 63, differ);
}
