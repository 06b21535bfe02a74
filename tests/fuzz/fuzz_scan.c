/* Any bytes as a log file, compressed or not, are read to the end with the
 * built-in formats; samples, metadata and details are as log.h specifies. */
#include <config.h>

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "extract/scan/scan_file.h"
#include "tests/fuzz/mutators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static struct format_set set;
static struct scanner *plain, *detailed, *asking;
static char path[64];
static int fd;

static void
start(void)
{
	struct scan_options options = { NULL, 0, 0, 0 };
	struct search_path dirs;
	struct error e = ERROR_INIT;

	search_path_init(&dirs, NULL, 0);
	if (format_set_load(&set, &dirs, &e) != 0) {
		fprintf(stderr, "%s\n", e.message);
		exit(3);
	}
	search_path_release(&dirs);
	plain = scanner_new(&set, &options);
	options.details = 1;
	detailed = scanner_new(&set, &options);
	options.no_templates = 1;
	asking = scanner_new(&set, &options);
	fd = memfd_create("fuzz_scan", 0);
	assert(fd >= 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
}

static void
stop(void)
{
	scanner_free(plain);
	scanner_free(detailed);
	scanner_free(asking);
	format_set_release(&set);
}

static void
check_log(const struct log *log)
{
	int64_t before = 1;

	for (size_t i = 0; i < log->samples.n; i++) {
		const struct sample *s = &log->samples.items[i];

		assert(s->line >= before && s->line <= log->lines);
		before = s->line;
		assert(s->iter >= SAMPLE_NONE && s->epoch >= SAMPLE_NONE);
		assert(s->iters >= SAMPLE_NONE && s->rank >= SAMPLE_NONE);
		assert(!isnan(s->value) || log->meaning->kind == VALUE_STAMP);
	}
	for (size_t i = 0; i < log->n_metadata; i++) {
		assert(log->metadata[i].line >= 0);
		assert(log->metadata[i].line <= log->lines);
		assert(log->metadata[i].key != NULL);
	}
	for (size_t i = 0; i < log->details.n; i++)
		assert(log->details.items[i].sample < log->samples.n);
	assert((log->format == NULL) == (log->meaning == NULL));
}

/* Hash metadata values, counts and every 64th sample. */
static uint64_t
sum_up(const struct log *log)
{
	uint64_t sum = log->samples.n * 31 + log->details.n;

	for (size_t i = 0; i < log->samples.n; i += 64) {
		const struct sample x = log->samples.items[i];

		uint64_t bits;

		memcpy(&bits, &x.value, sizeof bits);
		sum = sum * 31 + (uint64_t)x.line;
		sum = sum * 31 + (uint64_t)x.iter;
		sum = sum * 31 + bits;
	}
	for (size_t i = 0; i < log->n_metadata; i++)
		for (const char *p = log->metadata[i].value; *p != '\0'; p++)
			sum = sum * 31 + (unsigned char)*p;
	return sum;
}

static size_t
scan(struct scanner *s, uint64_t *sum)
{
	struct log log;
	size_t n;

	*sum = 0;

	if (scanner_scan(s, path, "x", &log) == 0) {
		assert(log.problem.code == ERROR_NONE);
		check_log(&log);
		*sum = sum_up(&log);
	} else {
		assert(log.problem.code != ERROR_NONE);
	}
	n = log.samples.n;
	log_release(&log);
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint64_t sum, sum_asked;
	size_t n;

	if (plain == NULL) {
		start();
		atexit(stop);
	}
	if (ftruncate(fd, 0) != 0 || pwrite(fd, data, len, 0) != (ssize_t)len)
		abort();
	n = scan(plain, &sum);
	fuzz_accepted += n > 0;
	/* The fast and the general path find the same steps. */
	assert(scan(detailed, &sum) == n);
	assert(scan(asking, &sum_asked) == n);
	assert(sum == sum_asked);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	return mutators_lines(data, len, room, seed, NULL);
}
