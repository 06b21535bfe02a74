/* Mapping files that may shrink meanwhile: a page that is gone reads as zeros
 * instead of killing the program with SIGBUS.  Internal to extract/.
 *
 * Each thread has at most one guarded mapping.
 */
#ifndef EXTRACT_INPUT_GUARDED_MAP_H
#define EXTRACT_INPUT_GUARDED_MAP_H

#include <stddef.h>
#include <stdint.h>

/* Map len bytes of fd from a page boundary, read-only.
 *
 * The first call of a process installs a handler for SIGBUS, which hands on
 * what is not about such a mapping.
 *
 * Returns the address; NULL if it cannot be mapped. */
char *guarded_map_open(int fd, int64_t offset, size_t len);

/* Undo it.  Returns 1 if a page of it was gone. */
int guarded_map_close(char *map, size_t len);

#endif
