/* What readers of binary stores share: their interface, CRCs, protocol buffers
 * (protobuf.dev, "Encoding"), sizes of element types.
 *
 *	struct protobuf_bytes m = { data, data + len };
 *	while ((rc = protobuf_next(&m, &f)) > 0)
 *		if (f.number == 2 && f.wire == WIRE_BYTES) ...
 */
#ifndef EXTRACT_INPUT_ENCODING_RECORDS_H
#define EXTRACT_INPUT_ENCODING_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/strbuf.h"

/* The unpacked bytes of a file. */
struct store_input {
	const char *at, *end; /* read ahead, not taken yet */
	/* Read ahead more: set at and end.  Returns 1; 0 at the end of the
	 * file, and where reading fails. */
	int (*more)(struct store_input *in);
	void *source; /* for more */
	int cut;      /* set by a store: records are missing or damaged */
};

/* Take n bytes.  Returns how many: fewer at the end. */
size_t store_read(struct store_input *in, void *to, size_t n);

/* A kind of file that is no text, of which lines are made. */
struct store {
	/* True if such a file begins with these bytes.  There may be fewer of
	 * them than BYTE_SOURCE_CHUNK only where the file is shorter. */
	int (*begins)(const char *data, size_t len);
	void *(*open)(void);
	/* Take the next record and add its lines.  Returns 1; 0 after the
	 * last; -1 with a message where nothing of the file can be used. */
	int (*next)(void *state, struct store_input *in, struct strbuf *lines,
	    struct error *e);
	void (*close)(void *state);
};

/* CRCs of 32 bits, bits mirrored, begun and ended inverted: Castagnoli's
 * polynomial (CRC-32C) in TFRecord files, that of zip in W&B's logs. */
#define CRC32_CASTAGNOLI UINT32_C(0x82f63b78)
#define CRC32_ZIP UINT32_C(0xedb88320)

/* Remainders of a byte. */
struct crc32_table {
	uint32_t of[256];
};

/* Fill the table. */
void crc32_init(struct crc32_table *t, uint32_t polynomial);

/* The CRC of what x is the CRC of (0: of nothing) and len further bytes.
 * "123456789" gives 0xe3069283 of Castagnoli's polynomial (RFC 3720, appendix
 * B.4, has more) and 0xcbf43926 of the other. */
uint32_t crc32_add(
    const struct crc32_table *t, uint32_t x, const void *data, size_t len);

/* The form in which TFRecord stores it: a CRC of data that holds CRCs would be
 * weak, so it is rotated by 15 bits and a constant is added.  Source: the
 * comment on masks in TensorFlow's core/lib/hash/crc32c.h. */
uint32_t crc32_masked(uint32_t x);

enum protobuf_wire {
	WIRE_VARINT = 0,
	WIRE_64 = 1,
	WIRE_BYTES = 2,
	WIRE_32 = 5
};

/* What is left of a message. */
struct protobuf_bytes {
	const unsigned char *at, *end;
};

/* A field of it. */
struct protobuf_field {
	uint64_t number;
	enum protobuf_wire wire;
	uint64_t bits;               /* of a number */
	struct protobuf_bytes bytes; /* of WIRE_BYTES, within the message */
};

/* The next field; moves m on.  Returns 1, 0 at the end, -1 if it is none. */
int protobuf_next(struct protobuf_bytes *m, struct protobuf_field *f);

/* A number of seven bits a byte, lowest first.  Returns 0; -1 where it does not
 * end within 10 bytes or the message. */
int protobuf_varint(struct protobuf_bytes *m, uint64_t *out);

/* A number of n bytes (1 to 8), little-endian.  Returns 0; -1 where fewer are
 * left. */
int protobuf_fixed(struct protobuf_bytes *m, int n, uint64_t *out);

/* Add len bytes as a string of JSON; controls are escaped, so that a line stays
 * one. */
void json_add_string(struct strbuf *out, const void *text, size_t len);

/* Add a number in so many digits, or NaN, Infinity as Python writes them. */
void json_add_number(struct strbuf *out, double x, int digits);

/* Bytes of an element of that type, by PyTorch's name ("Float", "BFloat16") or
 * that of numpy and NCCL ("float32", "bf16") in any case; NAN: unknown. */
double element_size(const char *type);

#endif
