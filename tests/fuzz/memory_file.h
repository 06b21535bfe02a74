/* A file in memory for fuzz targets whose reader takes a path.
 *
 *	struct memory_file file;
 *	const char *path = memory_file_put(&file, data, len);
 *
 * A static file uses one file descriptor for all runs of a target. */
#ifndef TESTS_FUZZ_MEMORY_FILE_H
#define TESTS_FUZZ_MEMORY_FILE_H

#include <stddef.h>

struct memory_file {
	int fd;        /* 0 until the first use */
	char path[64]; /* "/proc/self/fd/N" */
};

/* Make data the content of the file.
 *
 * f  zero bytes before the first call
 *
 * Returns its path. Aborts the program if memory cannot be allocated. */
const char *memory_file_put(
    struct memory_file *f, const void *data, size_t len);

#endif
