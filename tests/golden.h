/* Files of the source tree that tests compare with. */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include <stddef.h>

/* Return the whole file, terminated by a NUL. A missing file fails the check.
 *
 * name  path from the top of the source tree, as "tests/golden/table.md"
 * len   set to the size of the file, may be NULL
 *
 * The caller frees the result. */
char *golden_read(const char *name, size_t *len);

/* Check that text is what the file holds.  With UPDATE=1 in the environment
 * the file is written instead; look at the difference before it is committed.
 */
void golden_check(const char *text, const char *name);

#endif
