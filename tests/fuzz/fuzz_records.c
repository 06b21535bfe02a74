/* Any bytes as a file of records (extract_logs --records): rejected with a
 * message that names the file, or read into runs whose samples satisfy
 * chart.h. */
#include <config.h>

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "plots/charts/chart.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/mutators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
check_run(const struct step_records *r, const struct step_run *run)
{
	assert(run->path != NULL && run->unit != NULL && run->n > 0);
	assert(step_records_find(r, run->path) == run);
	for (size_t i = 0; i < run->n; i++) {
		const struct step_sample *s = &run->samples[i];

		assert(s->position >= s->from && s->line >= 0);
		assert(!isinf(s->value) && !isinf(s->seconds));
		assert(!isinf(s->loss) && !isinf(s->top1));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct memory_file file;
	const char *path = memory_file_put(&file, data, len);
	struct error e = ERROR_INIT;
	struct step_records r;

	if (step_records_read(path, &r, &e) != 0) {
		assert(strstr(e.message, path) != NULL);
		return 0;
	}
	fuzz_accepted++;
	assert(r.n > 0);
	for (size_t i = 0; i < r.n; i++)
		check_run(&r, &r.runs[i]);
	arena_release(&r.arena);
	return 0;
}

/* Lines of JSON: change one of them, or their order. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	return seed % 2 == 0 ? mutators_json(data, len, room, seed / 2)
			     : mutators_lines(data, len, room, seed / 2, NULL);
}
