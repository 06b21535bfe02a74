/* The values of a log's detail patterns, packed: some 5 bytes each.  They are
 * read in the order in which they were put in.  Internal to extract/.
 *
 *	struct detail_store all = DETAIL_STORE_INIT;
 *	detail_store_add(&all, &x);
 *	struct detail_store_reader r = detail_store_read(&all);
 *	while (detail_store_next(&r, &x))
 *		...
 *	detail_store_release(&all);
 */
#ifndef EXTRACT_LOG_DETAIL_STORE_H
#define EXTRACT_LOG_DETAIL_STORE_H

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

struct detail_store_chunk {
	unsigned char *bytes;
	size_t len;
};

struct detail_store_key {
	const char *name;
	unsigned char decimals; /* of its last value that had some */
};

struct detail_store {
	size_t n;
	struct detail_store_key *keys; /* [n_keys] that occur */
	size_t n_keys, alloc_keys;
	size_t last_key;
	struct detail_store_chunk *chunks;
	size_t n_chunks, alloc_chunks;
	int64_t line, sample; /* of the last one */
};

#define DETAIL_STORE_INIT \
	{ \
		.n = 0 \
	}

/* Put x after the others. */
void detail_store_add(struct detail_store *all, const struct log_detail *x);

/* A place in them. */
struct detail_store_reader {
	const struct detail_store *all;
	size_t chunk, at;
	int64_t line, sample;
};

/* Before the first. */
struct detail_store_reader detail_store_read(const struct detail_store *all);

/* The next one.  Returns 0 at the end. */
int detail_store_next(struct detail_store_reader *r, struct log_detail *x);

/* Free all; it is empty again. */
void detail_store_release(struct detail_store *all);

#endif
