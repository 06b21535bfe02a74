/* Files in memory for fuzz targets, which write thousands per second. */
#include <config.h>

#include "tests/fuzz/memory_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

const char *
memory_file_put(struct memory_file *f, const void *data, size_t len)
{
	if (f->fd == 0) {
		f->fd = memfd_create("fuzz", 0);
		if (f->fd < 0)
			abort();
		snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->fd);
	}
	if (ftruncate(f->fd, 0) != 0 ||
	    pwrite(f->fd, data, len, 0) != (ssize_t)len)
		abort();
	return f->path;
}
