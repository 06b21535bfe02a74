/* Merging parts (extract/job/shard_file.h) into the result that one process
 * would have written, to the byte.
 *
 *	struct shard_merge m;
 *	if (shard_merge_read(&m, operands, n, &e) == 0)
 *		shard_merge_into(&m, &extraction);
 *	shard_merge_release(&m);
 */
#ifndef EXTRACT_JOB_SHARD_MERGE_H
#define EXTRACT_JOB_SHARD_MERGE_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "extract/job/extraction.h"
#include "extract/job/shard_file.h"

struct shard_merge {
	struct arena arena;
	struct shard_file *parts; /* [n] in the order of their numbers */
	size_t n;
};

/* Is any of the operands a part? */
int shard_merge_wanted(const char *const *operands, size_t n);

/* Read all parts and see that they are all that there are and belong
 * together.
 *
 * Returns 0; or -1 with e naming the file: one that is no part, a part that
 * is missing or there twice, parts of different trees, formats, options,
 * versions of this program.  Release m in both cases. */
int shard_merge_read(struct shard_merge *m, const char *const *operands,
    size_t n, struct error *e);

/* Put the parts in order and see that they are all that there are, none twice
 * or missing, and belong together; for shard_merge_read, and for parts that
 * came from memory.
 *
 * m  n is above 0
 *
 * Returns as shard_merge_read. */
int shard_merge_check(struct shard_merge *m, struct error *e);

/* Read a command line again, after the options that the part was made with,
 * into the settings of extract_program.
 *
 * part  as shard_merge_check lets pass
 * argv  [argc] as given to main
 * a     where the longer command line lives; as long as the settings
 *
 * Returns 0, or -1 with the file before the message. */
int shard_merge_options(const struct shard_file *part, int argc, char **argv,
    struct arena *a, struct error *e);

/* Put the parts' jobs in the place of those that extraction_read finds; the
 * parts must outlive x.  extraction_finish goes on. */
void shard_merge_into(const struct shard_merge *m, struct extraction *x);
void shard_merge_release(struct shard_merge *m);

#endif
