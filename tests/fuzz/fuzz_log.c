/* Any bytes as the only log of a tree, through all of extract_logs: refused
 * with a message, or measured into a result that all programs can read and that
 * has no invalid number. The first byte chooses the rule and the log's name. */
#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "extract/job/extraction.h"
#include "tests/fuzz/mutators.h"
#include "tests/fuzz/round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static char folder[] = "/dev/shm/fuzz_log.XXXXXX";
static struct extraction x;
static int started;
static const char *const names[] = { "net_b32_fp32_1.log", "a.csv",
	"trace.json", "run.log" };

static const enum rule_kind rules[] = { RULE_BY_FORMAT, RULE_ALL, RULE_WINDOW,
	RULE_SUMMARY };

enum {
	N_NAMES = sizeof names / sizeof names[0],
	N_RULES = sizeof rules / sizeof rules[0]
};

static void
stop(void)
{
	rmdir(folder);
	extraction_release(&x);
}

static void
start(void)
{
	struct error e = ERROR_INIT;
	char name[] = "extract_logs", one[] = "-j1", nodes[] = "--nodes=1";
	char gpus[] = "--gpus-per-node=1", batch[] = "--batch-size=32";
	char *argv[] = { name, one, nodes, gpus, batch, folder, NULL };
	int operands;

	assert(mkdtemp(folder) != NULL);
	if (options_parse(&extract_program, 6, argv, &operands, &e) !=
		OPTIONS_RUN ||
	    settings_check(&settings, 1, &e) != 0 ||
	    extraction_load(&x, &settings, &e) != 0) {
		fprintf(stderr, "%s\n", e.message);
		exit(3);
	}
	atexit(stop);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *const operands[] = { folder };
	struct error e = ERROR_INIT;
	char *path;
	FILE *f;

	if (len == 0)
		return 0;
	if (!started)
		start();
	started = 1;
	path = xasprintf("%s/%s", folder, names[data[0] % N_NAMES]);
	f = fopen(path, "wb");
	assert(f != NULL);
	assert(fwrite(data + 1, 1, len - 1, f) == len - 1);
	assert(fclose(f) == 0);
	settings.rule.kind = rules[data[0] / N_NAMES % N_RULES];
	if (extraction_run(&x, operands, 1, &e) == 0) {
		fuzz_accepted++;
		round_trip_check(&x.result);
	} else {
		assert(e.code != ERROR_NONE && e.message[0] != '\0');
	}
	extraction_clear(&x);
	unlink(path);
	free(path);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	return mutators_lines(data, len, room, seed, NULL);
}
