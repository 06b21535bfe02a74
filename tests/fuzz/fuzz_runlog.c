/* Any bytes as the log of a run of a sweep: the run is finished or the file is
 * another one, and a time that it states is valid. */
#include <config.h>

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/mutators.h"
#include "trainer/launch/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char command[] = "mpirun -n 2 train_imagenet -a resnet18";
	static struct memory_file file;
	const char *path = memory_file_put(&file, data, len);
	struct runlog_metadata metadata = { -1, 0 };
	const enum runlog_state state = runlog_look(path, command, &metadata);

	assert(state == RUNLOG_FINISHED || state == RUNLOG_OTHER);
	if (state == RUNLOG_FINISHED) {
		assert(isfinite(metadata.real_s));
		assert(metadata.real_s >= 0 || metadata.real_s <= -1);
		/* No other log is taken for a finished one. */
		assert(memmem(data, len, "dlscale: run ended=", 19) != NULL);
		fuzz_accepted += metadata.same_command;
	}
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	static const char *const words[] = { "dlscale:", "run", "ended", "name",
		"status", "command", "real", "user", "sys", NULL };

	return mutators_lines(data, len, room, seed, words);
}
