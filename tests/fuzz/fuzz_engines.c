/* Any bytes as a file of measured engines: ignored with a note, or read;
 * choices that are written again are read as the same. */
#include <config.h>

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/mutators.h"
#include "trainer/device/cuda/engines/engine_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const struct engine_machine machine = { 91900, 9, 0, 132,
	"NVIDIA H200" };

static void
check_again(struct engine_cache *c)
{
	struct engine_cache again;
	struct error e = ERROR_INIT;
	char path[] = "/dev/shm/fuzz_engines.XXXXXX";
	const int fd = mkstemp(path);

	if (fd < 0)
		return;
	close(fd);
	assert(engine_cache_write(c, path, &e) == 0);
	engine_cache_init(&again, &machine);
	assert(engine_cache_read(&again, path, &e) == 0);
	unlink(path);
	assert(again.n == c->n);
	for (size_t i = 0; i < c->n; i++) {
		const struct engine_choice *x = &c->choices[i];
		const struct engine_choice *y = engine_cache_find(&again, x);

		assert(y != NULL && strcmp(x->engine, y->engine) == 0);
		/* The file stores microseconds with three decimals. */
		assert(fabs(x->us - y->us) <= 0.0006 + 1e-12 * x->us);
	}
	engine_cache_release(&again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct memory_file file;
	const char *path = memory_file_put(&file, data, len);
	struct engine_cache c;
	struct error note = ERROR_INIT;

	engine_cache_init(&c, &machine);
	if (engine_cache_read(&c, path, &note) != 0) {
		assert(note.message[0] != '\0' && c.n == 0);
	} else {
		fuzz_accepted++;
		for (size_t i = 0; i < c.n; i++) {
			assert(c.choices[i].batch > 0);
			assert(isfinite(c.choices[i].us));
			assert(c.choices[i].us >= 0);
		}
		check_again(&c);
	}
	engine_cache_release(&c);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	static const char *const words[] = { "engine", "end", "gpu", "cudnn",
		"fp16", "fp32", "bf16", NULL };

	return mutators_lines(data, len, room, seed, words);
}
