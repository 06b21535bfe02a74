/* Any bytes as a table of files (extract_logs --map): rejected with a message
 * that names the file, or read into rows that have all cells; no line is
 * skipped silently. The rows found for a path are exactly those that fit it. */
#include <config.h>

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "extract/input/file_list.h"
#include "extract/job/extraction.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/mutators.h"

enum { MAX_PATHS = 8 }; /* paths that are looked up */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Number of lines that are neither blank nor comments. */
static size_t
count_lines(const uint8_t *data, size_t len)
{
	size_t n = 0;

	for (size_t at = 0; at < len; at++) {
		const uint8_t *end = memchr(data + at, '\n', len - at);
		const size_t stop = end != NULL ? (size_t)(end - data) : len;

		if (at == 0 && len >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0)
			at = 3;
		n += data[at] != '#' &&
		    strspn((const char *)data + at, " \t\r") < stop - at;
		at = stop;
	}
	return n;
}

static void
check_next(const struct metadata_map *map, const char *path)
{
	size_t next = metadata_map_next(map, path, 0);

	for (size_t i = 0; i < map->n_rows; i++) {
		assert((next == i) == file_list_fits(path, map->rows[i].glob));
		if (next == i)
			next = metadata_map_next(map, path, i + 1);
	}
	assert(next == map->n_rows);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct memory_file file;
	const char *path = memory_file_put(&file, data, len);
	struct metadata_map map = { .n_rows = 0 };
	struct error e = ERROR_INIT;
	long before = 0;

	if (metadata_map_read(&map, path, &e) != 0) {
		assert(strncmp(e.message, path, strlen(path)) == 0);
		metadata_map_release(&map);
		return 0;
	}
	fuzz_accepted++;
	assert(map.n_columns > 0);
	assert(memchr(data, '\0', len) == NULL);
	for (size_t i = 0; i < map.n_rows; i++) {
		const struct metadata_map_row *r = &map.rows[i];

		assert(r->line > before && r->glob[0] != '\0');
		before = r->line;
		for (size_t k = 0; k < map.n_columns; k++)
			assert(r->values[k] != NULL);
		if (i < MAX_PATHS)
			check_next(&map, r->glob);
	}
	check_next(&map, "old/run1.log");
	if (len > 0 && data[len - 1] == '\n')
		assert(map.n_rows + 1 == count_lines(data, len));
	metadata_map_release(&map);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
	static const char *const words[] = { "file", "nodes", "gpus_per_node",
		"model", "label_link", "framework", "batch_size_per_device",
		"\"", "\"\"", "*", "[", NULL };

	return mutators_lines(data, len, room, seed, words);
}
