/* Common parts of the readers of binary stores: interface, CRCs, protocol
 * buffers (protobuf.dev, "Encoding"), sizes of element types.
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

/* The decompressed bytes of a file. */
struct store_input {
	const char *at, *end; /* unread bytes of the buffer */
	/* Refill the buffer and set at and end. Returns 1; 0 at the end of the
	 * file or on a read error. */
	int (*more)(struct store_input *in);
	void *source; /* argument of more */
	int cut;      /* set by a store: records are missing or damaged */
};

/* Read n bytes. Returns the number read: fewer at the end. */
size_t store_read(struct store_input *in, void *to, size_t n);

/* A binary file format that is converted to lines. */
struct store {
	/* True if the file has this format. len < BYTE_SOURCE_CHUNK only if the
	 * file is shorter. */
	int (*begins)(const char *data, size_t len);
	void *(*open)(void);
	/* Read the next record and append its lines. Returns 1; 0 after the
	 * last; -1 with a message if the file is unusable. */
	int (*next)(void *state, struct store_input *in, struct strbuf *lines,
	    struct error *e);
	void (*close)(void *state);
};

/* Reflected 32-bit CRCs with inverted start and result: the Castagnoli
 * polynomial (CRC-32C) in TFRecord files, zip's polynomial in W&B logs. */
#define CRC32_CASTAGNOLI UINT32_C(0x82f63b78)
#define CRC32_ZIP UINT32_C(0xedb88320)

/* CRC by byte value. */
struct crc32_table {
	uint32_t of[256];
};

/* Fill the table for a polynomial, such as CRC32_CASTAGNOLI. */
void crc32_init(struct crc32_table *t, uint32_t polynomial);

/* Extend the CRC x (0: of no data) by len bytes. The CRC of "123456789" is
 * 0xe3069283 with Castagnoli's polynomial (RFC 3720, appendix B.4, has more
 * test values) and 0xcbf43926 with the other. */
uint32_t crc32_add(
    const struct crc32_table *t, uint32_t x, const void *data, size_t len);

/* Masked CRC as stored in TFRecord files: a CRC of data that contain CRCs would
 * be weak, so it is rotated by 15 bits and a constant is added. Source: the
 * comment on masks in TensorFlow's core/lib/hash/crc32c.h. */
uint32_t crc32_masked(uint32_t x);

enum protobuf_wire {
	WIRE_VARINT = 0,
	WIRE_64 = 1,
	WIRE_BYTES = 2,
	WIRE_32 = 5
};

/* Rest of a message. */
struct protobuf_bytes {
	const unsigned char *at, *end;
};

/* A field of a message. */
struct protobuf_field {
	uint64_t number;
	enum protobuf_wire wire;
	uint64_t bits;               /* value of a number */
	struct protobuf_bytes bytes; /* WIRE_BYTES: points into the message */
};

/* Read the next field, advance m. Returns 1, 0 at the end, -1 if malformed. */
int protobuf_next(struct protobuf_bytes *m, struct protobuf_field *f);

/* Read a varint: 7 bits per byte, lowest first. Returns 0; -1 if it does not
 * end within 10 bytes or the message. */
int protobuf_varint(struct protobuf_bytes *m, uint64_t *out);

/* Read a little-endian number of n bytes (1 to 8). Returns 0; -1 if fewer bytes
 * remain. */
int protobuf_fixed(struct protobuf_bytes *m, int n, uint64_t *out);

/* Append len bytes as a JSON string. Control characters are escaped, so the
 * output stays on one line. */
void json_add_string(struct strbuf *out, const void *text, size_t len);

/* Append a number with that many digits; NaN and Infinity as in Python. */
void json_add_number(struct strbuf *out, double x, int digits);

/* Bytes per element of a type, by its name in PyTorch ("Float", "BFloat16") or
 * in numpy and NCCL ("float32", "bf16"), ignoring case; NAN: unknown. */
double element_size(const char *type);

#endif
