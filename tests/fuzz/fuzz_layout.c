/* Any bytes as a path: layouts yield field names or labels, each once. */
#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/format/format.h"
#include "tests/fuzz/mutators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static struct format_set set;

static void
stop(void)
{
	format_set_release(&set);
}

static void
start(void)
{
	struct search_path dirs;
	struct error e = ERROR_INIT;

	search_path_init(&dirs, NULL, 0);
	if (format_set_load(&set, &dirs, &e) != 0 || set.layouts.n == 0) {
		fprintf(stderr, "no layouts: %s\n", e.message);
		exit(3);
	}
	search_path_release(&dirs);
	atexit(stop);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *path = xstrndup((const char *)data, len);
	struct path_layout_match m;

	if (set.layouts.n == 0)
		start();
	path_layout_match(&set, path, &m);
	fuzz_accepted += m.n_metadata > 0;
	for (size_t i = 0; i < m.n_metadata; i++) {
		const struct path_layout_metadata *f = &m.metadata[i];

		assert(f->value[0] != '\0' && f->layout != NULL);
		assert(f->is_label || field_name_find(f->key, strlen(f->key)));
		for (size_t j = 0; j < i; j++)
			assert(strcmp(m.metadata[j].key, f->key) != 0 ||
			    m.metadata[j].is_label != f->is_label);
	}
	path_layout_match_release(&m);
	free(path);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	return mutators_lines(data, len, room, seed, NULL);
}
