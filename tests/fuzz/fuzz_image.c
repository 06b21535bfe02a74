/* Read any bytes as an image file: it is rejected with a message or decoded to
 * pixels, which are the same when it is decoded again. The first byte selects
 * the crop. */
#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/mutators.h"
#include "trainer/data/dataset.h"
#include "trainer/data/decode.h"
#include "trainer/data/resize.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { SIZE = 16, MAX_PIXELS = 1 << 20 /* larger ones take too long */ };

static struct decoder *decoder;
static struct resizer *resizer;

static void
tools_free(void)
{
	decoder_free(decoder);
	resizer_free(resizer);
}

static void
tools_make(void)
{
	decoder = decoder_new();
	resizer = resizer_new();
	atexit(tools_free);
}

static struct crop
choose(uint8_t how, int w, int h)
{
	const struct rng r = { how, RNG_STREAM_DATA, 0 };

	if (how % 2 == 0)
		return crop_middle(w, h, SIZE);
	return crop_random(w, h, SIZE, &r, 0);
}

/* Make the image. Returns 0, or -1 if it was rejected. */
static int
make(const uint8_t *data, size_t len, uint8_t how, uint8_t *out)
{
	struct error e = ERROR_INIT;
	struct crop c;
	int w = 0, h = 0, rc;

	if (decoder_open(decoder, data, len, &w, &h, &e) != 0) {
		assert(e.message[0] != '\0');
		return -1;
	}
	assert(w > 0 && h > 0 && w <= DECODE_MAX_PIXELS / h);
	if (w > MAX_PIXELS / h)
		return -1;
	c = choose(how, w, h);
	rc = image_make(decoder, resizer, w, h, &c, how % 4 < 2, out, &e);
	assert(rc == 0 || e.message[0] != '\0');
	return rc;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static uint8_t one[SIZE * SIZE * 3], two[SIZE * SIZE * 3];
	int rc;

	if (decoder == NULL)
		tools_make();
	if (len < 1)
		return 0;
	memset(one, 0, sizeof one);
	memset(two, 0, sizeof two);
	rc = make(data + 1, len - 1, data[0], one);
	fuzz_accepted += rc == 0;
	/* The image decoded before has no influence. */
	assert(make(data + 1, len - 1, data[0], two) == rc);
	assert(rc != 0 || memcmp(one, two, sizeof one) == 0);
	return 0;
}
