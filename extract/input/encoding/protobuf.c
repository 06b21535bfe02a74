/* Fields of protocol buffers.  Called by event_text.c and wandb_text.c with
 * whole messages; it knows no message's meaning. */
#include <config.h>

#include "extract/input/encoding/protobuf.h"

int
protobuf_varint(struct protobuf_bytes *m, uint64_t *out)
{
	uint64_t x = 0;

	for (unsigned shift = 0; shift < 64 && m->at < m->end; shift += 7) {
		const unsigned char c = *m->at++;

		x |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80) {
			*out = x;
			return 0;
		}
	}
	return -1;
}

int
protobuf_fixed(struct protobuf_bytes *m, int n, uint64_t *out)
{
	uint64_t x = 0;

	if (m->end - m->at < n)
		return -1;
	for (int i = 0; i < n; i++)
		x |= (uint64_t)m->at[i] << (8 * i);
	m->at += n;
	*out = x;
	return 0;
}

int
protobuf_next(struct protobuf_bytes *m, struct protobuf_field *f)
{
	uint64_t key;

	if (m->at == m->end)
		return 0;
	if (protobuf_varint(m, &key) != 0 || key >> 3 == 0)
		return -1;
	f->number = key >> 3;
	f->wire = (enum protobuf_wire)(key & 7);
	f->bits = 0;
	f->bytes.at = f->bytes.end = m->at;
	switch (f->wire) {
	case WIRE_VARINT:
		return protobuf_varint(m, &f->bits) == 0 ? 1 : -1;
	case WIRE_64:
		return protobuf_fixed(m, 8, &f->bits) == 0 ? 1 : -1;
	case WIRE_32:
		return protobuf_fixed(m, 4, &f->bits) == 0 ? 1 : -1;
	case WIRE_BYTES:
		if (protobuf_varint(m, &f->bits) != 0 ||
		    f->bits > (uint64_t)(m->end - m->at))
			return -1;
		f->bytes.at = m->at;
		f->bytes.end = m->at += f->bits;
		return 1;
	}
	return -1;
}

void
protobuf_add_string(struct strbuf *out, struct protobuf_bytes s)
{
	strbuf_addch(out, '"');
	for (; s.at < s.end; s.at++) {
		if (*s.at == '"' || *s.at == '\\')
			strbuf_printf(out, "\\%c", *s.at);
		else if (*s.at < 0x20 || *s.at == 0x7f)
			strbuf_printf(out, "\\u%04x", *s.at);
		else
			strbuf_addch(out, (char)*s.at);
	}
	strbuf_addch(out, '"');
}
