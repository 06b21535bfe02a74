/* Any bytes as a command line of extract_logs, one argument per line: accepted
 * values are in the range of their row, and rejected ones have a message. */
#include <config.h>

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/job/settings.h"
#include "tests/fuzz/mutators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { MAX_ARGUMENTS = 64 };

/* Check that every value is in the range of its row. */
static void
check_rows(void)
{
	for (const struct opt *o = extract_program.opts; o->kind != OPT_END;
	     o++) {
		if (o->kind == OPT_INT && options_given(o->long_name)) {
			const double x = (double)*(const long *)o->to;

			assert(x >= o->min && x <= o->max);
		} else if (o->kind == OPT_REAL && options_given(o->long_name)) {
			const double x = *(const double *)o->to;

			assert(isfinite(x) && x >= o->min && x <= o->max);
		}
	}
}

static void
read_command(int argc, char **argv)
{
	struct error e = ERROR_INIT;
	int operands = 0;

	switch (options_parse(&extract_program, argc, argv, &operands, &e)) {
	case OPTIONS_FAILED:
		assert(e.code != ERROR_NONE && e.message[0] != '\0');
		break;
	case OPTIONS_DONE:
		break;
	case OPTIONS_RUN:
		fuzz_accepted++;
		assert(operands >= 1 && operands <= argc);
		check_rows();
		if (settings_check(&settings, argc - operands, &e) != 0)
			assert(e.code == ERROR_USAGE && e.message[0] != '\0');
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *argv[MAX_ARGUMENTS + 2], *text, *line;
	static struct settings fresh;
	static int started;
	int argc = 0;

	if (!started) {
		if (freopen("/dev/null", "w", stdout) == NULL)
			abort();
		fresh = settings;
		started = 1;
	}
	/* A program reads one command line: drop all text of the last one. */
	arena_release(&settings.arena);
	settings = fresh;
	text = xstrndup((const char *)data, len);
	argv[argc++] = xstrdup("extract_logs");
	for (line = text; line != NULL && argc <= MAX_ARGUMENTS;) {
		char *end = strchr(line, '\n');

		if (end != NULL)
			*end++ = '\0';
		argv[argc++] = line;
		line = end;
	}
	argv[argc] = NULL;
	read_command(argc, argv);
	for (const struct opt *o = extract_program.opts; o->kind != OPT_END;
	     o++)
		if (o->kind == OPT_LIST) {
			struct opt_list *list = o->to;

			free(list->items);
			*list = (struct opt_list){ .n = 0 };
		}
	/* Names in other spellings are copies; so is the program's name. */
	for (int i = 0; i < argc; i++)
		if (argv[i] < text || argv[i] > text + len)
			free(argv[i]);
	free(text);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	static const char *const words[] = { "--rule", "--metric", "--scaling",
		"--output", "--records", "--nodes", "--gpus", "-q", "-j",
		"--format", "--table", "--confidence", NULL };

	return mutators_lines(data, len, room, seed, words);
}
