/* The nearest of some words, for "did you mean".  Damerau's distance: a letter
 * more, less, another, or two that changed places. */
#include <config.h>

#include "common/spell.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

enum { MAX_WORD = 64 };

static size_t
least_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t
spell_distance(const char *a, const char *b)
{
	const size_t m = strlen(b);
	/* Rows of the first i - 2, i - 1 and i letters of a; columns of b. */
	size_t *rows = xcalloc(3 * (m + 1), sizeof *rows);
	size_t *before = rows, *last = rows + m + 1, *row = last + m + 1;
	size_t result;

	for (size_t j = 0; j <= m; j++)
		last[j] = j;
	for (size_t i = 1; a[i - 1] != '\0'; i++) {
		size_t *const oldest = before;

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			const size_t change = a[i - 1] != b[j - 1];

			row[j] = least_size(least_size(last[j], row[j - 1]) + 1,
			    last[j - 1] + change);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				row[j] =
				    least_size(row[j], before[j - 2] + change);
		}
		before = last;
		last = row;
		row = oldest;
	}
	result = last[m];
	free(rows);
	return result;
}

const char *
spell_nearest(const char *word, const char *const *choices)
{
	const size_t n = strlen(word);
	const char *best = NULL;
	size_t limit = n >= 6 ? n / 3 : 1;

	if (n >= MAX_WORD)
		return NULL;
	for (size_t i = 0; choices[i] != NULL; i++) {
		size_t d;

		if (strlen(choices[i]) >= MAX_WORD)
			continue;
		d = spell_distance(word, choices[i]);
		if (d > limit)
			continue;
		best = choices[i];
		if (d == 0)
			break;
		limit = d - 1;
	}
	return best;
}
