/* Merging parts (extract/part.h) into the result that one process would have
 * written, to the byte.
 *
 *	struct merge m;
 *	if (merge_read(&m, operands, n, &e) == 0)
 *		merge_into(&m, &extraction);
 *	merge_release(&m);
 */
#ifndef EXTRACT_MERGE_H
#define EXTRACT_MERGE_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "extract/extract.h"
#include "extract/part.h"

struct merge {
	struct arena arena;
	struct part *parts; /* [n] in the order of their numbers */
	size_t n;
};

/* Is any of the operands a part? */
int merge_wanted(const char *const *operands, size_t n);

/* Read all parts and see that they are all that there are and belong together.
 *
 * Returns 0; or -1 with e naming the file: one that is no part, a part that is
 * missing or there twice, parts of unlike trees, formats, options, versions of
 * this program.  Release m in both cases. */
int merge_read(
    struct merge *m, const char *const *operands, size_t n, struct error *e);

/* Put the parts' jobs in the place of those that extraction_read finds; the
 * parts must outlive x.  extraction_finish goes on. */
void merge_into(const struct merge *m, struct extraction *x);
void merge_release(struct merge *m);

#endif
