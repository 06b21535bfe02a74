/* Messages of protocol buffers, field by field: a field is a number and one of
 * four wire types (protobuf.dev, "Encoding").  What the numbers mean is the
 * caller's.  Internal to extract/.
 *
 *	struct protobuf_bytes m = { data, data + len };
 *	while ((rc = protobuf_next(&m, &f)) > 0)
 *		if (f.number == 2 && f.wire == WIRE_BYTES) ...
 */
#ifndef EXTRACT_INPUT_ENCODING_PROTOBUF_H
#define EXTRACT_INPUT_ENCODING_PROTOBUF_H

#include <stdint.h>

#include "common/strbuf.h"

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

/* Add bytes as a string of JSON; controls are escaped, so that a line stays
 * one. */
void protobuf_add_string(struct strbuf *out, struct protobuf_bytes s);

#endif
