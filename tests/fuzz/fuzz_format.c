/* Any bytes as a format, prefix or layout file: they are rejected with a
 * message that names a place, or read into patterns that keep the promises of
 * format.h and whose samples are run. */
#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "extract/format/format.h"
#include "extract/scan/scan_file.h"
#include "tests/fuzz/mutators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
check_pattern(const struct format *f, const struct pattern *p)
{
	assert(p->code != NULL || p->json != NULL || p->csv != NULL);
	assert(p->name[0] != '\0');
	assert(p->n_captures <= FORMAT_MAX_GROUPS && p->n_samples > 0);
	for (size_t i = 0; i < p->n_captures; i++)
		assert(p->captures[i].word->roles & FIELD_NAME_IN(p->role));
	for (size_t i = 0; i < p->n_pieces; i++)
		assert(p->pieces[i].at != NULL);
	assert((p - f->patterns < (long)f->n_step_patterns) ==
	    (p->role == ROLE_STEP));
}

static void
read_as(enum format_file file, const uint8_t *data, size_t len)
{
	struct arena a = ARENA_INIT;
	struct error e = ERROR_INIT;
	struct format *f =
	    format_parse(&a, file, "x", "x", (const char *)data, len, &e);

	if (f == NULL) {
		assert(e.code != ERROR_NONE);
		assert(strncmp(e.message, "x:", 2) == 0);
	} else {
		fuzz_accepted++;
		assert(f->meaning.unit != NULL || file != FORMAT_FILE);
		for (size_t i = 0; i < f->n_patterns; i++)
			check_pattern(f, &f->patterns[i]);
		if (format_self_test(NULL, f, &e) != 0)
			assert(strncmp(e.message, "x:", 2) == 0);
		format_release_code(f);
	}
	arena_release(&a);
}

/* The first byte selects the kind of file. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char kinds[N_FORMAT_FILES] = { 'f', 'p', 'l', 'a' };

	for (int i = 0; i < N_FORMAT_FILES; i++) {
		if (len > 0 && data[0] == (uint8_t)kinds[i])
			read_as((enum format_file)i, data + 1, len - 1);
	}
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	static const char *const words[] = { "name", "description", "url",
		"priority", "generic", "kind", "statistic", "scope", "unit",
		"base", "window", "rule", "iterations", "set", "step", "ignore",
		"detail", "result", "metadata", "gives", "summary", "sample",
		"expect", "collective", "csv", "json", "timeline", "json",
		"step", "csv", "signature", "prefix", "skip", "layout", "path",
		"label", "example", NULL };

	return mutators_lines(data, len, room, seed, words);
}
