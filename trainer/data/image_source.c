/* The source of synthetic images, --dummy.  train.c opens it; dataset.c has
 * that of a folder. */
#include <config.h>

#include "trainer/data/image_source.h"

#include <assert.h>
#include <string.h>

#include "trainer/base/rng.h"

/* Pixels and label each have a stream; the image's number is the step. */
static int
dummy_read(const struct image_source *s, long i, int epoch, uint8_t *pixels,
    int32_t *label, struct error *e)
{
	const struct rng random = { s->seed, s->stream, (uint32_t)i };
	const struct rng labels = { s->seed, s->stream + 1, (uint32_t)i };
	const size_t n = (size_t)s->image * (size_t)s->image * IMAGE_CHANNELS;
	uint32_t four[4];

	(void)epoch, (void)e;
	for (size_t k = 0; k < n; k += sizeof four) {
		const size_t left = n - k;

		rng_block(&random, k / sizeof four, four);
		memcpy(
		    pixels + k, four, left < sizeof four ? left : sizeof four);
	}
	*label = (int32_t)(rng_uniform(&labels, 0) * s->classes);
	return 0;
}

struct image_source
image_source_dummy(enum image_source_part part, long n, int image, int classes,
    unsigned long long seed)
{
	struct image_source s = { .n = n, .image = image, .classes = classes };

	assert(n >= 0 && n <= UINT32_MAX);
	s.read = dummy_read;
	s.seed = seed;
	s.stream = RNG_STREAM_DATA + 2 * (uint32_t)part;
	return s;
}
