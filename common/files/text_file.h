/* A whole file, or stdin, as one text. */
#ifndef COMMON_FILES_TEXT_FILE_H
#define COMMON_FILES_TEXT_FILE_H

#include "common/error.h"
#include "common/strbuf.h"

/* Add all of a file to a text.
 *
 * path  "-" is stdin
 * sb    its max, a number of MiB, is what the file may have
 *
 * Returns 0; -1 with ERROR_SYSTEM if it cannot be read, ERROR_LIMIT if it is
 * larger. */
int text_file_read(const char *path, struct strbuf *sb, struct error *e);

#endif
