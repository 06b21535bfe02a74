/* The names in a folder, in one order on every machine. */
#ifndef EXTRACT_INPUT_STORES_FOLDER_NAMES_H
#define EXTRACT_INPUT_STORES_FOLDER_NAMES_H

#include <stddef.h>

/* The entries of a folder, sorted by bytes, without those that begin with a
 * dot; free them with folder_names_free.  NULL: it cannot be read, errno states
 * why. */
char **folder_names_read(const char *path, size_t *n);

/* Is that name one of them?  names  sorted by bytes */
int folder_names_has(char *const *names, size_t n, const char *name);

/* Free them each and all; names may be NULL. */
void folder_names_free(char **names, size_t n);

#endif
