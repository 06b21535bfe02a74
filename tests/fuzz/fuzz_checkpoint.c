/* Any bytes as a checkpoint: refused with a message that names the file, or
 * read into a device, written again and read back equal. If an input begins
 * with "s", the rest gets a valid magic number, size and checksum first, so
 * that the contents after these are read. */
#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "tests/fuzz/mutators.h"
#include "trainer/run/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { SIDE = 4, AT_FILE_BYTES = 24, PREFIX = 32, CHECKSUM = 8 };

static struct graph graph;
static struct device *device;
static int fd, again;
static char path[64], again_path[64];

static void
stop(void)
{
	device_close(device);
	graph_release(&graph);
}

static void
start(void)
{
	const struct shape input = { 3, SIDE, SIDE };
	const struct device_config c = { .device = "reference",
		.precision = DTYPE_FP64,
		.batch = 2,
		.threads = 1 };
	struct error e = ERROR_INIT;
	int node;

	graph_start(&graph, input);
	node = graph_conv(&graph, "conv", 0, 2, 3, 1, 1, 0);
	node = graph_relu(&graph, graph_batchnorm(&graph, "bn", node));
	node = graph_avgpool(&graph, node, 1);
	graph_linear(&graph, "fc", node, 3);
	graph_finish(&graph);
	if (device_open(&graph, &c, &device, &e) != 0)
		abort();
	fd = memfd_create("checkpoint", 0);
	again = memfd_create("again", 0);
	assert(fd >= 0 && again >= 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	snprintf(again_path, sizeof again_path, "/proc/self/fd/%d", again);
	atexit(stop);
}

static void
store(uint8_t *at, uint64_t x)
{
	for (int i = 0; i < 8; i++, x >>= 8)
		at[i] = (uint8_t)x;
}

static void
seal(uint8_t *data, size_t len)
{
	if (len < PREFIX + CHECKSUM)
		return;
	memcpy(data, "dlscale state\r\n\x1a", 16);
	store(data + AT_FILE_BYTES, len);
	store(data + len - CHECKSUM, XXH3_64bits(data, len - CHECKSUM));
}

/* Read a whole file. *meters is set to its meters; the caller frees them.
 * Returns 0 or -1. */
static int
read_file(const char *from, struct checkpoint *c, double **meters)
{
	struct checkpoint_file *f;
	struct error e = ERROR_INIT;
	int rc;

	*meters = NULL;
	if (checkpoint_open(from, c, &f, &e) != 0) {
		assert(strncmp(e.message, from, strlen(from)) == 0);
		return -1;
	}
	assert(c->devices >= 1 && c->devices <= CHECKPOINT_RANKS);
	assert(c->batch >= 0 && c->batch <= c->batches_per_epoch);
	*meters =
	    xcalloc((size_t)c->devices * CHECKPOINT_METERS, sizeof **meters);
	rc = checkpoint_read(f, *meters, device, &e);
	assert(rc == 0 || e.message[0] != '\0');
	checkpoint_close(f);
	return rc;
}

static void
check_again(const struct checkpoint *c, const double *meters)
{
	struct error e = ERROR_INIT;
	struct checkpoint other;
	double *got;
	struct strbuf sb;

	/* Weights that are not finite are refused. */
	if (ftruncate(again, 0) != 0 ||
	    checkpoint_write(again_path, c, meters, device, &e) != 0) {
		assert(e.code == ERROR_DOMAIN);
		return;
	}
	assert(read_file(again_path, &other, &got) == 0);
	strbuf_init(&sb, 10000);
	assert(checkpoint_differ(c, &other, ~0u, CHECKPOINT_NAMES, &sb) == 0);
	assert(memcmp(meters, got,
		   (size_t)c->devices * CHECKPOINT_METERS * sizeof *got) == 0);
	strbuf_release(&sb);
	free(got);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const int sealed = len > 0 && data[0] == 's';
	uint8_t *copy;
	struct checkpoint c;
	double *meters;

	if (device == NULL)
		start();
	if (len == 0)
		return 0;
	copy = xmalloc(len);
	memcpy(copy, data + 1, --len);
	if (sealed)
		seal(copy, len);
	if (ftruncate(fd, 0) != 0 || pwrite(fd, copy, len, 0) != (ssize_t)len)
		abort();
	if (read_file(path, &c, &meters) == 0) {
		fuzz_accepted++;
		check_again(&c, meters);
	}
	free(meters);
	free(copy);
	return 0;
}
