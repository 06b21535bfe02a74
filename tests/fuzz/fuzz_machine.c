/* Any bytes as a machine.txt, or as another file for report_results
 * --environment: rejected with a message that names it, or a table whose cells
 * are valid text in each output format. */
#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "report/parts/columns.h"
#include "report/tables/report.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/mutators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
check_forms(const struct table *t)
{
	const struct table_format *const forms[] = { &table_text,
		&table_markdown, &table_csv, &table_latex, &table_html,
		&table_json };

	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		char *text = NULL;
		size_t n = 0;
		FILE *f = open_memstream(&text, &n);

		assert(f != NULL);
		table_write(t, 1, forms[i], TABLE_COLOUR_OFF, f);
		assert(fclose(f) == 0);
		assert(n > 0 && utf8_valid(text, n));
		assert(memchr(text, '\0', n) == NULL);
		assert(memchr(text, '\x1b', n) == NULL);
		free(text);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct memory_file file;
	const char *const path = memory_file_put(&file, data, len);
	char *const paths[] = { file.path };
	struct report_how how;
	struct error e = ERROR_INIT;
	struct table t;

	memset(&how, 0, sizeof how);
	t = TABLE_INIT;
	if (environment_make(paths, 1, &how, &t, &e) != 0) {
		assert(strstr(e.message, path) != NULL);
	} else {
		fuzz_accepted++;
		check_forms(&t);
	}
	table_release(&t);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	static const char *const words[] = { "host", "started", "commit", "cpu",
		"gpu", "network", "memory", "os", "kernel", "dlscale", NULL };

	return mutators_lines(data, len, room, seed, words);
}
