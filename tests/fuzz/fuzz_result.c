/* Any bytes as a result: refused with a message, or read, and then what is
 * written from it must be read again and be written the same. */
#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/result/result.h"
#include "tests/fuzz/mutators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* The JSON form; the caller frees it. */
static char *
written(const struct result *r, size_t *len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, len);

	assert(f != NULL);
	result_write(r, f);
	fclose(f);
	return text;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct error e = ERROR_INIT;
	struct result r, again;
	char *first, *second;
	size_t n, m;

	if (result_parse("f", (const char *)data, len, &r, &e) != 0) {
		assert(e.code != ERROR_NONE);
		assert(strncmp(e.message, "f:", 2) == 0);
		return 0;
	}
	fuzz_accepted++;
	first = written(&r, &n);
	result_release(&r);
	if (result_parse("again", first, n, &again, &e) != 0) {
		fprintf(stderr, "%s\n%s\n", e.message, first);
		abort();
	}
	second = written(&again, &m);
	assert(n == m && memcmp(first, second, n) == 0);
	result_release(&again);
	free(first);
	free(second);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	return mutators_json(data, len, room, seed);
}
