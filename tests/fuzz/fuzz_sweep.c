/* Any bytes as a sweep file: rejected with a message, or planned into runs
 * whose logs have safe names and whose commands can be shown. */
#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "tests/fuzz/mutators.h"
#include "trainer/launch/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
check_run(const struct run *r)
{
	struct strbuf sb;

	strbuf_init(&sb, 2 * SWEEP_MAX_BYTES);
	command_show(r, &sb);
	assert(sb.len > 0 && !sb.full);
	assert(r->log[0] != '/' && strstr(r->log, "/../") == NULL);
	assert(r->nodes > 0 && r->devices > 0 && r->batch > 0);
	strbuf_release(&sb);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char *const sets[] = { "runs=2", "hostfile=h" };
	static const struct site site = { .mpirun = "mpirun", .dry = 1 };
	/* A copy of exactly len bytes, to detect reads past the end. */
	char *text = xmalloc(len);
	struct error e = ERROR_INIT;
	struct sweep s;
	struct plan p;

	if (len > 0)
		memcpy(text, data, len);
	if (sweep_parse("s", text, len, sets, 2, len & 3, &s, &e) == 0) {
		fuzz_accepted++;
		if (plan_make(&s, &site, NULL, len & 1, &p, &e) == 0) {
			for (size_t i = 0; i < p.n && i < 100; i++)
				check_run(&p.runs[i]);
			plan_release(&p);
		} else {
			assert(e.message[0] != '\0');
		}
		sweep_release(&s);
	} else {
		assert(e.message[0] != '\0');
	}
	free(text);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	static const char *const words[] = { "name", "runs", "topology",
		"model", "batch", "precision", "command", "set", "hostfile",
		"timeout", "devices", "nodes", "bandwidth", "env", NULL };

	return mutators_lines(data, len, room, seed, words);
}
