/* Any bytes as a log that may be compressed (.gz, .zst, .xz): the reader
 * reports damage, or unpacks the same bytes again after a rewind, in memory
 * that does not grow with the output. */
#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <xxhash.h>

#include "extract/input/byte_source.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/mutators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { MOST = 8 << 20 }; /* limit of unpacked bytes */

/* Read to the end, or MOST bytes. Returns the last result of byte_source_next,
 * and the hash of the data. */
static int
read_all(struct byte_source *r, uint64_t *hash, size_t *total)
{
	struct error e = ERROR_INIT;
	XXH3_state_t *state = XXH3_createState();
	size_t used;
	int rc;

	assert(state != NULL);
	XXH3_64bits_reset(state);
	*total = 0;
	do {
		used = r->len;
		XXH3_64bits_update(state, r->data, used);
		*total += used;
		assert(r->alloc <= 2 * BYTE_SOURCE_CHUNK);
		rc = byte_source_next(r, used, &e);
	} while (rc > 0 && *total < MOST);
	assert(rc >= 0 || e.message[0] != '\0');
	*hash = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	return rc;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct memory_file file;
	static struct byte_source source;
	static int started;
	const char *path = memory_file_put(&file, data, len);
	struct error e = ERROR_INIT;
	uint64_t hash, again;
	size_t total, total_again;
	int rc;

	if (!started)
		byte_source_init(&source);
	started = 1;
	if (byte_source_open(&source, path, 1, &e) != 0) {
		assert(e.message[0] != '\0');
		return 0;
	}
	rc = read_all(&source, &hash, &total);
	/* Only compressed input tests this reader. */
	fuzz_accepted += rc == 0 && !byte_source_is_plain(&source) && total > 0;
	if (rc == 0 && byte_source_is_plain(&source))
		assert(total == len);
	if (rc >= 0 && byte_source_rewind(&source, &e) == 0) {
		assert(read_all(&source, &again, &total_again) == rc);
		assert(again == hash && total_again == total);
	}
	byte_source_close(&source);
	return 0;
}
