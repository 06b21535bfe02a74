/* Used by the fuzz targets of results, logs and parts. */
#include <config.h>

#include "tests/fuzz/round_trip.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The JSON form; the caller frees it. */
static char *
written(const struct result *r, size_t *len)
{
	struct error e = ERROR_INIT;
	char *text = NULL;
	FILE *f = open_memstream(&text, len);

	assert(f != NULL);
	if (result_write(r, f, &e) != 0) {
		fprintf(stderr, "%s\n", e.message);
		abort();
	}
	fclose(f);
	return text;
}

void
round_trip_check(const struct result *r)
{
	struct error e = ERROR_INIT;
	struct result again;
	size_t n, m;
	char *first = written(r, &n), *second;

	if (result_parse("again", first, n, &again, &e) != 0) {
		fprintf(stderr, "%s\n%s\n", e.message, first);
		abort();
	}
	again.rule.more = r->rule.more; /* the reader skips these keys */
	again.rule.n_more = r->rule.n_more;
	second = written(&again, &m);
	assert(n == m && memcmp(first, second, n) == 0);
	result_release(&again);
	free(first);
	free(second);
}
