/* Logs that grow: what was made of them so far is kept, and only what was
 * appended is read.  Internal to extract/.
 *
 * A file is read from its start again where it is another one under the same
 * name, or shorter, or other than it was before the place; and where more of
 * its head may point to another format: when it has twice the size, and at the
 * end.  So what comes out at the end is what scanner_scan gives for the whole
 * file.  A last line without its end counts at the end only.  Packed files are
 * read whole.
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

/* None yet; and free them.  Logs that were made of them die with them. */
struct file_follow *file_follow_new(void);
void file_follow_free(struct file_follow *all);

/* Like scanner_scan.  Threads may do so at the same time, but for the same
 * file of the same operand: "old=D new=D" reads each file twice, and each
 * reading has a state of its own.
 *
 * operand  number of the operand that the file was found below
 * log      filled; good until the same file of the same operand is scanned
 *          again, or file_follow_sweep */
int file_follow_scan(struct file_follow *all, struct scanner *s,
    const char *path, size_t operand, const char *shown, int no_hash,
    struct log *log);

/* Forget the files that were not scanned since the last sweep. */
void file_follow_sweep(struct file_follow *all);

/* From now on each file is scanned for the last time. */
void file_follow_end(struct file_follow *all);

/* Bytes that were read so far, of all files. */
int64_t file_follow_bytes(const struct file_follow *all);

#endif
