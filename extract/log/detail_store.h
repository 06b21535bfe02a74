/* The values of a log's detail patterns, packed: some 5 bytes each.  They are
 * read in the order in which they were put in.  Internal to extract/.
 *
 *	struct detail_store all = DETAIL_STORE_INIT;
 *	detail_store_add(&all, &x);
 *	struct detail_store_reader r = detail_store_read(&all);
 *	while (detail_store_next(&r, &packed))
 *		... packed_detail_value(&packed) ...
 *	detail_store_release(&all);
 */
#ifndef EXTRACT_LOG_DETAIL_STORE_H
#define EXTRACT_LOG_DETAIL_STORE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

enum { DETAIL_ROW = 16 /* values of a row at most */ };

/* What rows have in common. */
struct detail_shape {
	size_t n;                           /* values, >= 1 */
	unsigned char keys[DETAIL_ROW];     /* their places among the store's */
	unsigned char decimals[DETAIL_ROW]; /* of each */
};

enum {
	PRINTED_BYTES = 8, /* a word of text */
	PRINTED_WORDS = 16 /* of a printed row at most */
};

/* A number as it stands in lines that differ in digits only: one or more
 * digits, then perhaps a point and one or more, then perhaps an exponent. */
struct printed_number {
	const char *key;   /* of a detail; NULL: the sample's value, which
	                           stands first */
	double divisor;    /* of what is printed */
	unsigned char len; /* bytes without exponent, PRINTED_BYTES at most */
	unsigned char decimals; /* 0: there is no point */
	signed char exponent;   /* its sign; 0: there is none */
};

/* What printed rows have in common. */
struct printed_shape {
	size_t n, n_words;
	struct printed_number numbers[PRINTED_WORDS]; /* [n] */
	unsigned char keys[PRINTED_WORDS];            /* [n] their places among
	                                                 the store's */
};

struct detail_store {
	size_t n;
	struct detail_store_key *keys; /* [n_keys] that occur */
	size_t n_keys, alloc_keys;
	size_t last_key;
	struct detail_shape *shapes; /* [n_shapes] that occur */
	size_t n_shapes, alloc_shapes;
	size_t last_shape;
	struct printed_shape *printed; /* [n_printed] shapes that occur */
	size_t n_printed, alloc_printed;
	struct detail_store_chunk *chunks;
	size_t n_chunks, alloc_chunks;
	int64_t line, sample; /* of the last one */
	/* 1: on some line one stands after one of a later sample. */
	int mixed;
};

#define DETAIL_STORE_INIT \
	{ \
		.n = 0 \
	}

enum { DETAIL_STORE_DECIMALS = 9 /* at most, of a number that is kept so */ };

/* Put x after the others. */
void detail_store_add(struct detail_store *all, const struct log_detail *x);

/* The same where the value is known to be digits / 10^decimals; x->value is not
 * looked at.
 *
 * digits    less than 10^15, so that it is exact
 * decimals  DETAIL_STORE_DECIMALS at most */
void detail_store_add_decimal(struct detail_store *all,
    const struct log_detail *x, uint64_t digits, unsigned decimals);

/* Values of one sample that stand next to each other, each as it was printed:
 * digits / 10^decimals. */
struct detail_row {
	int64_t line, sample; /* as in struct log_detail */
	size_t n;             /* DETAIL_ROW at most */
	const char *keys[DETAIL_ROW];
	unsigned char decimals[DETAIL_ROW]; /* DETAIL_STORE_DECIMALS at most */
	uint32_t digits[DETAIL_ROW];
};

/* Put all of them after the others, at a small part of the cost of one after
 * the other. */
void detail_store_add_row(
    struct detail_store *all, const struct detail_row *row);

/* The number of a shape of printed rows.
 *
 * numbers  [n] of at most PRINTED_WORDS words: one each, one more for each
 *          exponent
 *
 * Returns -1 where there are too many. */
int detail_store_printed_shape(
    struct detail_store *all, const struct printed_number *numbers, size_t n);

/* Put the numbers of such a row after the others, as text: that is cheaper than
 * to read them, and takes more room.
 *
 * words  [PRINTED_WORDS], those of the shape first: of each number the bytes up
 *        to its last one, which is the highest; then, if it has an exponent,
 *        those up to the last of its two digits, the first of which is 0 */
void detail_store_add_printed(struct detail_store *all, int shape, int64_t line,
    int64_t sample, const uint64_t *words);

/* A detail as it is kept. */
struct packed_detail {
	size_t key; /* its place among the store's keys */
	int64_t line, sample;
	/* The value, without its sign, is digits / 10^decimals; where these are
	 * more than DETAIL_STORE_DECIMALS, it is raw. */
	uint64_t digits;
	unsigned decimals;
	int negative;
	double raw;
};

/* A row as it is kept. */
struct packed_row {
	int64_t line, sample;
	const struct detail_shape *shape;    /* or, of a printed row, */
	const struct printed_shape *printed; /* else NULL */
	const unsigned char *digits;         /* [shape->n] of 4 bytes each, or
	                                [printed->n_words] of 8 */
};

/* A place in them. */
struct detail_store_reader {
	const struct detail_store *all;
	size_t chunk, at;
	int64_t line, sample;
	struct packed_row row; /* what is left of one that was begun */
	size_t in_row; /* values of it that were read; 0: none was begun */
};

/* Before the first. */
struct detail_store_reader detail_store_read(const struct detail_store *all);

/* The next one.  Returns 0 at the end. */
int detail_store_next(struct detail_store_reader *r, struct packed_detail *x);

/* The next ones, if they were put in as a row and none of them was read.
 * Returns 0 if not: detail_store_next has what comes next, if anything. */
int detail_store_next_row(
    struct detail_store_reader *r, struct packed_row *row);

/* The digits of its value i. */
static inline uint32_t
packed_row_digits(const struct packed_row *row, size_t i)
{
	uint32_t digits;

	memcpy(&digits, row->digits + i * sizeof digits, sizeof digits);
	return digits;
}

/* A word of a printed row. */
static inline uint64_t
packed_row_word(const unsigned char *words)
{
	uint64_t word;

	memcpy(&word, words, sizeof word);
	return word;
}

/* The value of a number of a printed row, as it is kept of others.
 *
 * words  of the number */
void packed_detail_printed(struct packed_detail *x,
    const struct printed_number *number, const unsigned char *words);

/* Its value. */
double packed_detail_value(const struct packed_detail *x);

/* Take all of them out: the caller owns what is returned, which another thread
 * may read; all has none, but its keys keep their numbers. */
struct detail_store detail_store_take(struct detail_store *all);

/* Free all; it is empty again. */
void detail_store_release(struct detail_store *all);

#endif
