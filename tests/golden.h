/* Files of the source tree that tests compare with. */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include <stddef.h>

/* The whole file with a NUL after it; a failed check if there is none.
 *
 * name  from the top of the source tree, as "tests/golden/table.md"
 * len   set to its bytes, may be NULL
 *
 * The caller frees it. */
char *golden_read(const char *name, size_t *len);

/* Check that text is what the file holds.  With UPDATE=1 in the environment
 * the file is written instead; look at the difference before it is committed.
 */
void golden_check(const char *text, const char *name);

#endif
