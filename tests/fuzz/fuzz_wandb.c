/* Read any bytes as a W&B log: the output is lines, the same for pieces of any
 * size. Then read them as one record of a log, with a valid CRC. */
#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/fuzz/mutators.h"
#include "tests/store_pieces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { MOST = 32000 }; /* bytes of a record in one piece */

static void
read_in(const char *data, size_t len, size_t piece, struct strbuf *out)
{
	int cut;

	assert(store_pieces_read(
		   wandb_file_read, data, len, piece, out, &cut, NULL) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct strbuf whole, pieces;

	strbuf_init(&whole, 64 << 20);
	strbuf_init(&pieces, 64 << 20);
	read_in((const char *)data, len, len, &whole);
	read_in((const char *)data, len, 5, &pieces);
	assert(whole.len == pieces.len);
	assert(memcmp(whole.buf, pieces.buf, whole.len) == 0);
	assert(whole.len == 0 || whole.buf[whole.len - 1] == '\n');
	fuzz_accepted += whole.len > 0;
	strbuf_reset(&whole);
	strbuf_reset(&pieces);
	store_put_wandb(&pieces, (const char *)data, len < MOST ? len : MOST);
	read_in(pieces.buf, pieces.len, pieces.len, &whole);
	assert(whole.len == 0 || whole.buf[whole.len - 1] == '\n');
	strbuf_release(&whole);
	strbuf_release(&pieces);
	return 0;
}
