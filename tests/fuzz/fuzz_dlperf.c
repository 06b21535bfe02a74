/* Read any bytes as a log for one of DLPerf's scripts (--compat=dlperf). The
 * first byte selects the script, the second W and T. The result is the speed
 * that the script would print, or the error with which it would stop. */
#include <config.h>

#include <assert.h>
#include <json.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/dlperf/dlperf.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/mutators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { SCRIPTS = 30 };

static const struct dlperf_script *
get_script(int number)
{
	struct error e = ERROR_INIT;
	char name[8];

	snprintf(name, sizeof name, "%d", number);
	return dlperf_script_get(name, &e);
}

static void
read_speed(const struct dlperf_script *script, const uint8_t *data, size_t len,
    long warmup, long train)
{
	struct dlperf_log log = { .batch = 32, .nodes = 4, .gpus_per_node = 8 };
	struct json_object *dict = json_object_new_object();
	char *text = xstrndup("", 0);
	struct error e = ERROR_INIT;

	text = xreallocarray(text, len + 1, 1);
	memcpy(text, data, len);
	text[len] = '\0';
	if (dlperf_read(script, text, len, warmup, train, &log, dict, &e) ==
	    0) {
		assert(log.lines >= 0);
		fuzz_accepted += !log.nothing && log.speed > 0;
	} else {
		assert(e.message[0] != '\0');
	}
	json_object_put(dict);
	free(text);
}

static void
print_losses(const uint8_t *data, size_t len)
{
	static struct memory_file file;
	const char *path = memory_file_put(&file, data, len);
	char *args[] = { (char[]){ "extract_logs" }, NULL };
	struct dlperf_outcome out;
	struct error e = ERROR_INIT;
	int first;

	options_parse(&extract_program, 1, args, &first, &e);
	settings.compat_script = "2";
	fuzz_accepted += dlperf_run(&settings, path, &out, &e) == 0;
	dlperf_outcome_release(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const long windows[][2] = { { 20, 120 }, { 1, 2 }, { 0, 1 },
		{ 100, 1100 }, { 40, 3 }, { 100, 200 }, { 100, 600 } };
	const struct dlperf_script *script;
	const long *window;

	if (len < 2)
		return 0;
	script = get_script(1 + data[0] % SCRIPTS);
	window = windows[data[1] % 7];
	if (script->kind != PRINT_LOSSES)
		read_speed(script, data + 2, len - 2, window[0],
		    window[1] > window[0] ? window[1] : window[0] + 1);
	else
		print_losses(data + 2, len - 2);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	return mutators_lines(data, len, room, seed, NULL);
}
