/* The values of a log's detail patterns, packed: some 5 bytes each.  They are
 * read in the order in which they were put in.  Internal to extract/.
 *
 *	struct details all = DETAILS_INIT;
 *	details_add(&all, &x);
 *	struct details_reader r = details_read(&all);
 *	while (details_next(&r, &x))
 *		...
 *	details_release(&all);
 */
#ifndef EXTRACT_DETAILS_H
#define EXTRACT_DETAILS_H

#include <stddef.h>
#include <stdint.h>

/* One value: loss, top1, data_s, ... */
struct log_detail {
	const char *key; /* of the vocabulary; a constant */
	double value;
	int64_t line;   /* of the file, from 1 */
	int64_t sample; /* index in samples of the match on the same line; -1
	                    if the line held none (results of an epoch, ...) */
};

struct details_chunk {
	unsigned char *bytes;
	size_t len;
};

struct details_key {
	const char *name;
	unsigned char decimals; /* of its last value that had some */
};

struct details {
	size_t n;
	struct details_key *keys; /* [n_keys] that occur */
	size_t n_keys, alloc_keys;
	size_t last_key;
	struct details_chunk *chunks;
	size_t n_chunks, alloc_chunks;
	int64_t line, sample; /* of the last one */
};

#define DETAILS_INIT \
	{ \
		.n = 0 \
	}

/* Put x behind the others. */
void details_add(struct details *all, const struct log_detail *x);

/* A place in them. */
struct details_reader {
	const struct details *all;
	size_t chunk, at;
	int64_t line, sample;
};

/* Before the first. */
struct details_reader details_read(const struct details *all);

/* The next one.  Returns 0 at the end. */
int details_next(struct details_reader *r, struct log_detail *x);

/* Free all; it is empty again. */
void details_release(struct details *all);

#endif
