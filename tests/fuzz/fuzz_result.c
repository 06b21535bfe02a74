/* Any bytes as a result: they are rejected with a message, or read; the result
 * written from them must read back and be written the same. */
#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "common/result/result.h"
#include "tests/fuzz/mutators.h"
#include "tests/fuzz/round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct error e = ERROR_INIT;
	struct result r;

	if (result_parse("f", (const char *)data, len, &r, &e) != 0) {
		assert(e.code != ERROR_NONE);
		assert(strncmp(e.message, "f:", 2) == 0);
		return 0;
	}
	fuzz_accepted++;
	round_trip_check(&r);
	result_release(&r);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	return mutators_json(data, len, room, seed);
}
