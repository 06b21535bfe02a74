/* What the kernel of Linux states in small files: numbers, and which boot of
 * the machine this is. */
#ifndef TRAINER_BASE_KERNEL_FILE_H
#define TRAINER_BASE_KERNEL_FILE_H

#include "common/strbuf.h"

/* The first numbers of a file, or of its first line that begins with a key:
 * "MemAvailable:  1024 kB".
 *
 * key  "": the file's own first line
 * x    [n] out, if there are so many
 *
 * Returns 0; -1 if the file or the line is not there, or has other text in
 * front ("max 100000"). */
int kernel_file_numbers(const char *path, const char *key, double *x, int n);

/* Add the name of this boot of the machine, which no other boot and no other
 * machine has, and which containers share; nothing where it cannot be read. */
void kernel_file_boot_id(struct strbuf *sb);

#endif
