/* Any bytes as a log of W&B: what comes out is lines, whatever the pieces in
 * which they come; and as one record of it, which no CRC keeps out. */
#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "common/strbuf.h"
#include "extract/input/stores/wandb_file.h"
#include "tests/fuzz/mutators.h"
#include "tests/store_pieces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
read_in(const char *data, size_t len, size_t piece, struct strbuf *out)
{
	static const struct store store = { wandb_file_is, wandb_file_open,
		wandb_file_next, wandb_file_close };
	int cut;

	assert(
	    store_pieces_read(&store, data, len, piece, out, &cut, NULL) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	void *t = wandb_file_open();
	struct strbuf whole, pieces;
	size_t before;

	strbuf_init(&whole, 64 << 20);
	strbuf_init(&pieces, 64 << 20);
	read_in((const char *)data, len, len, &whole);
	read_in((const char *)data, len, 5, &pieces);
	assert(whole.len == pieces.len);
	assert(memcmp(whole.buf, pieces.buf, whole.len) == 0);
	assert(whole.len == 0 || whole.buf[whole.len - 1] == '\n');
	fuzz_accepted += whole.len > 0;
	before = whole.len;
	assert(
	    wandb_record_add(t, data, len, &whole) == 0 || whole.len == before);
	assert(whole.len == 0 || whole.buf[whole.len - 1] == '\n');
	wandb_file_close(t);
	strbuf_release(&whole);
	strbuf_release(&pieces);
	return 0;
}
