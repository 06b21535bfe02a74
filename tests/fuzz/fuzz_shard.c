/* Any bytes as a part (extract_logs --shard): refused with a message, or
 * merged, and then the result is one that all programs read.  What is merged
 * never chooses where merging writes. */
#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "extract/job/extraction.h"
#include "extract/job/shard_file.h"
#include "tests/fuzz/mutators.h"
#include "tests/fuzz/round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
merge(struct shard_merge *m)
{
	char name[] = "extract_logs", part[] = "part.json";
	char *argv[] = { name, part, NULL };
	struct error e = ERROR_INIT;
	struct extraction x;

	if (shard_merge_check(m, &e) != 0 ||
	    shard_merge_options(&m->parts[0], 2, argv, &m->arena, &e) != 0) {
		assert(e.code != ERROR_NONE && e.message[0] != '\0');
		return;
	}
	assert(settings.output == NULL && settings.records == NULL);
	assert(strcmp(settings.output_dir, "result") == 0);
	fuzz_accepted++;
	extraction_init(&x, &settings);
	shard_merge_into(m, &x);
	if (extraction_finish(&x, &e) == 0)
		round_trip_check(&x.result);
	else
		assert(e.code != ERROR_NONE && e.message[0] != '\0');
	extraction_release(&x);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct settings fresh;
	static int started;
	struct shard_merge m = { .arena = ARENA_INIT };
	struct shard_file part;
	struct error e = ERROR_INIT;

	if (!started) {
		fresh = settings;
		started = 1;
	}
	settings = fresh;
	if (shard_file_parse(
		"f", (const char *)data, len, &part, &m.arena, &e) != 0) {
		assert(e.code != ERROR_NONE);
		assert(strncmp(e.message, "f:", 2) == 0);
	} else {
		m.parts = &part;
		m.n = 1;
		merge(&m);
		options_release(&extract_program);
	}
	shard_merge_release(&m);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	return mutators_json(data, len, room, seed);
}
