/* Any bytes as a profiler's trace: the output is lines of JSON with possible
 * times of a step, whatever the sizes of the pieces that are read. */
#include <config.h>

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/fuzz/mutators.h"
#include "tests/store_pieces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Returns 0; -1 if the bytes are rejected. */
static int
read_in(const char *data, size_t len, size_t piece, struct strbuf *out)
{
	struct error e = ERROR_INIT;
	int cut, rc;

	rc = store_pieces_read(
	    profile_file_read, data, len, piece, out, &cut, &e);
	assert(rc == 0 || e.message[0] != '\0');
	return rc;
}

static double
number_after(const char *line, size_t len, const char *key)
{
	const char *p = memmem(line, len, key, strlen(key));

	return p != NULL ? strtod(p + strlen(key), NULL) : NAN;
}

static void
check_lines(const struct strbuf *text)
{
	assert(strlen(text->buf) == text->len);
	for (const char *line = text->buf; *line != '\0';) {
		const size_t n = strcspn(line, "\n");
		const double step = number_after(line, n, "\"step_ms\":");
		const double busy = number_after(line, n, "\"busy_ms\":");
		const double exposed = number_after(line, n, "\"exposed_ms\":");

		assert(line[0] == '{' && line[n] == '\n' && line[n - 1] == '}');
		assert(!(busy > step * (1 + 1e-9) + 2e-6));
		assert(!(exposed > busy * (1 + 1e-9) + 2e-6));
		assert(!(exposed < 0));
		line += n + 1;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *text = (const char *)data;
	struct strbuf whole, pieces;
	int rc;

	strbuf_init(&whole, 64 << 20);
	strbuf_init(&pieces, 64 << 20);
	/* An error may follow lines that were already output. */
	rc = read_in(text, len, len, &whole);
	assert(read_in(text, len, 5, &pieces) == rc);
	fuzz_accepted += rc == 0 && whole.len > 0;
	assert(rc != 0 || strcmp(whole.buf, pieces.buf) == 0);
	check_lines(&whole);
	profile_file_is(text, len);
	strbuf_release(&whole);
	strbuf_release(&pieces);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	return mutators_json(data, len, room, seed);
}
