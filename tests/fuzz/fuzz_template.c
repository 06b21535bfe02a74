/* Any bytes as a path template (extract_logs --path), the first line, and a
 * path, the rest: the template is rejected with a message, or it finds field
 * names and labels, each at most once and with a value. */
#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/format/format.h"
#include "extract/format/patterns/field_names.h"
#include "tests/fuzz/mutators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
check_match(const struct path_layout_match *m)
{
	for (size_t i = 0; i < m->n_metadata; i++) {
		const struct path_layout_metadata *f = &m->metadata[i];

		assert(f->value[0] != '\0');
		assert(f->is_label || field_name_find(f->key, strlen(f->key)));
		for (size_t j = 0; j < i; j++)
			assert(strcmp(m->metadata[j].key, f->key) != 0 ||
			    m->metadata[j].is_label != f->is_label);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *template = xstrndup((const char *)data, len), *path;
	struct format_set set;
	struct path_layout_match m;
	struct error e = ERROR_INIT;

	memset(&set, 0, sizeof set);
	path = strchr(template, '\n');
	if (path != NULL)
		*path++ = '\0';
	if (path_template_add(&set, template, &e) != 0) {
		assert(error_exit_status(&e) == EXIT_STATUS_USAGE);
		assert(e.message[0] != '\0');
	} else {
		path_layout_match(&set, path != NULL ? path : template, &m);
		fuzz_accepted += m.n_metadata > 0;
		check_match(&m);
		path_layout_match_release(&m);
	}
	format_set_release(&set);
	free(template);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	static const char *const words[] = { "{model}", "{nodes}", "{gpus}",
		"{batch}", "{run}", "{precision}", "{label_x}",
		"{gpus_per_node}", "*", "{", "}", "{}", "/", NULL };

	return mutators_lines(data, len, room, seed, words);
}
