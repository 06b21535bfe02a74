/* The nearest of some words, for "did you mean".  Damerau's distance: a letter
 * more, less, another, or two that changed places. */
#include <config.h>

#include "common/spell.h"

#include <stddef.h>
#include <string.h>

enum { MAX_WORD = 64 };

static int
least_int(int a, int b)
{
	return a < b ? a : b;
}

/* Changes that make b of a; both are shorter than MAX_WORD. */
static int
edit_distance(const char *a, const char *b)
{
	const int n = (int)strlen(a), m = (int)strlen(b);
	int d[MAX_WORD][MAX_WORD]; /* of the first i and the first j letters */

	for (int i = 0; i <= n; i++)
		d[i][0] = i;
	for (int j = 0; j <= m; j++)
		d[0][j] = j;
	for (int i = 1; i <= n; i++)
		for (int j = 1; j <= m; j++) {
			const int change = a[i - 1] != b[j - 1];

			d[i][j] =
			    least_int(least_int(d[i - 1][j], d[i][j - 1]) + 1,
				d[i - 1][j - 1] + change);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				d[i][j] = least_int(
				    d[i][j], d[i - 2][j - 2] + change);
		}
	return d[n][m];
}

const char *
spell_nearest(const char *word, const char *const *choices)
{
	const size_t n = strlen(word);
	const char *best = NULL;
	int limit = n >= 6 ? (int)(n / 3) : 1;

	if (n >= MAX_WORD)
		return NULL;
	for (size_t i = 0; choices[i] != NULL; i++) {
		int d;

		if (strlen(choices[i]) >= MAX_WORD)
			continue;
		d = edit_distance(word, choices[i]);
		if (d <= limit) {
			best = choices[i];
			limit = d - 1;
		}
	}
	return best;
}
