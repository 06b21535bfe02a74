/* Growing logs: samples read so far are kept, and only appended lines are read.
 * Internal to extract/.
 *
 * A file is read again from its start if it was replaced, has shrunk, or has
 * changed before the place, and when a longer head may show another format:
 * when its size has doubled, and at the end. So the final log equals that of
 * scanner_scan. An incomplete last line counts only at the end. Compressed
 * files are read as a whole.
 *
 *	struct file_follow *all = file_follow_new();
 *	file_follow_scan(all, scanner, path, shown, no_hash, &log);
 *	log_release(&log);
 *	file_follow_sweep(all);
 *	file_follow_free(all);
 */
#ifndef EXTRACT_SCAN_FILE_FOLLOW_H
#define EXTRACT_SCAN_FILE_FOLLOW_H

#include <stdint.h>

#include "extract/scan/scan_file.h"

struct file_follow;

/* Create an empty set; and free it with all its logs. */
struct file_follow *file_follow_new(void);
void file_follow_free(struct file_follow *all);

/* As scanner_scan. Threads may call it at the same time except for the same
 * file of the same operand; "old=D new=D" reads each file twice, with separate
 * states.
 *
 * operand  number of the operand of the file
 * log      filled; valid until the same file of the same operand is scanned
 *          again, or file_follow_sweep */
int file_follow_scan(struct file_follow *all, struct scanner *s,
    const char *path, size_t operand, const char *shown, int no_hash,
    struct log *log);

/* Free files that were not scanned since the last sweep. */
void file_follow_sweep(struct file_follow *all);

/* Declare that each file is scanned for the last time now. */
void file_follow_end(struct file_follow *all);

/* Bytes of all files read so far. */
int64_t file_follow_bytes(const struct file_follow *all);

#endif
