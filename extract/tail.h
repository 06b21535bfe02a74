/* Logs that grow: what was made of them so far is kept, and only what was
 * appended is read.  Internal to extract/.
 *
 * A file is read from its start again where it is another one under the same
 * name, or shorter, or other than it was in front of the place; where its
 * format was told by a hint that is another now; and where more of its head may
 * tell another format: when it has twice the size, and at the end.  So what
 * comes out at the end is what scanner_scan gives for the whole file.  A last
 * line without its end counts at the end only.  Packed files are read whole.
 *
 *	struct tails *all = tails_new();
 *	tails_scan(all, scanner, path, shown, hint, &log);
 *	log_release(&log);
 *	tails_sweep(all);
 *	tails_free(all);
 */
#ifndef EXTRACT_TAIL_H
#define EXTRACT_TAIL_H

#include <stdint.h>

#include "extract/scan.h"

struct tails;

/* None yet; and free them.  Logs that were made of them die with them. */
struct tails *tails_new(void);
void tails_free(struct tails *all);

/* Like scanner_scan.  Threads may do so at the same time, for different files.
 *
 * log  filled; good until the same file is scanned again, or tails_sweep */
int tails_scan(struct tails *all, struct scanner *s, const char *path,
    const char *shown, const struct format *hint, int no_hash, struct log *log);

/* Forget the files that were not scanned since the last sweep. */
void tails_sweep(struct tails *all);

/* From now on each file is scanned for the last time. */
void tails_end(struct tails *all);

/* Bytes that were read so far, of all files. */
int64_t tails_bytes(const struct tails *all);

#endif
