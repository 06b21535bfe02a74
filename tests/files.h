/* Files that tests write. */
#ifndef TESTS_FILES_H
#define TESTS_FILES_H

/* Write text to a file, replacing its content; the test fails if this is not
 * possible. */
void file_put(const char *path, const char *text);

#endif
