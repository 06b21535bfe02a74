/* Any bytes as an event file: the output is lines of JSON, independent of the
 * pieces in which the bytes arrive. */
#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/fuzz/mutators.h"
#include "tests/store_pieces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
read_in(const char *data, size_t len, size_t piece, struct strbuf *out)
{
	int cut;

	assert(store_pieces_read(
		   event_file_read, data, len, piece, out, &cut, NULL) == 0);
}

static void
check_lines(const struct strbuf *text)
{
	assert(strlen(text->buf) == text->len);
	for (const char *line = text->buf; *line != '\0';) {
		const size_t n = strcspn(line, "\n");

		assert(strncmp(line, "{\"wall_time\":", 13) == 0);
		assert(line[n] == '\n' && line[n - 1] == '}');
		line += n + 1;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct strbuf whole, pieces, one;

	strbuf_init(&whole, 64 << 20);
	strbuf_init(&pieces, 64 << 20);
	strbuf_init(&one, 64 << 20);
	read_in((const char *)data, len, len, &whole);
	read_in((const char *)data, len, 5, &pieces);
	assert(strcmp(whole.buf, pieces.buf) == 0);
	fuzz_accepted += whole.len > 0;
	check_lines(&whole);
	/* Few inputs pass the CRC, so frame them as a message. */
	strbuf_reset(&pieces);
	store_put_event(&pieces, (const char *)data, len);
	read_in(pieces.buf, pieces.len, pieces.len, &one);
	check_lines(&one);
	strbuf_release(&whole);
	strbuf_release(&pieces);
	strbuf_release(&one);
	return 0;
}
