/* Small files as one text. */
#ifndef COMMON_FILES_READ_FILE_H
#define COMMON_FILES_READ_FILE_H

#include <stddef.h>

#include "common/error.h"

/* All of a file, up to 1 GiB, with a NUL after it.
 *
 * len  set to its bytes without that NUL
 *
 * Returns what the caller frees; NULL with e filled, without the path. */
char *read_whole_file(const char *path, size_t *len, struct error *e);

#endif
