/* Files that tests write. */
#ifndef TESTS_FILES_H
#define TESTS_FILES_H

/* Write a file that holds the text, in the place of what was there; a failed
 * check if that cannot be done. */
void file_put(const char *path, const char *text);

#endif
