/* Logs that may grow: a log is read again when its file has changed. Internal
 * to extract/.
 *
 *	struct file_follow *all = file_follow_new();
 *	file_follow_scan(all, scanner, path, operand, shown, &log);
 *	log_release(&log);
 *	file_follow_sweep(all);
 *	file_follow_free(all);
 */
#ifndef EXTRACT_SCAN_FILE_FOLLOW_H
#define EXTRACT_SCAN_FILE_FOLLOW_H

#include <stdint.h>

#include "extract/scan/scan_file.h"

struct file_follow;

/* Create an empty set; free it with all its logs. */
struct file_follow *file_follow_new(void);
void file_follow_free(struct file_follow *all);

/* Like scanner_scan, without an incomplete last line. Thread-safe except for
 * the same file of the same operand; "old=D new=D" reads each file twice.
 *
 * operand  number of the operand of the file
 * log      filled; valid until the same file of the same operand is scanned
 *          again, or file_follow_sweep */
int file_follow_scan(struct file_follow *all, struct scanner *s,
    const char *path, size_t operand, const char *shown, struct log *log);

/* Free files not scanned since the last sweep. */
void file_follow_sweep(struct file_follow *all);

/* Declare that the next scan of each file is its last, which reads it to its
 * end. */
void file_follow_end(struct file_follow *all);

/* Bytes of all files read so far. */
int64_t file_follow_bytes(const struct file_follow *all);

#endif
