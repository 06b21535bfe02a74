/* Protocol buffers, as far as scalars of TensorBoard need them: messages are
 * fields of a number and one of four wire types (protobuf.dev, "Encoding").
 * The numbers of the fields are those of TensorFlow's event.proto,
 * summary.proto and tensor.proto.  Called by event_file.c with whole records;
 * knows neither files nor checksums. */
#include <config.h>

#include "extract/input/event_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

enum {
	/* message Event */
	EVENT_WALL_TIME = 1, /* double, seconds since 1970 */
	EVENT_STEP = 2,
	EVENT_SUMMARY = 5,
	EVENT_SESSION = 7,
	/* message SessionLog */
	SESSION_STATUS = 1,
	SESSION_START = 1, /* a value of it */
	/* message Summary */
	SUMMARY_VALUE = 1,
	/* message Summary.Value */
	VALUE_TAG = 1,
	VALUE_SIMPLE = 2, /* float */
	VALUE_TENSOR = 8,
	/* message TensorProto */
	TENSOR_TYPE = 1,
	TENSOR_CONTENT = 4, /* the elements' bytes */
	TENSOR_FLOAT = 5,
	TENSOR_DOUBLE = 6,
	TENSOR_INT = 7,
	TENSOR_STRING = 8,
	TENSOR_INT64 = 10,
	/* enum DataType */
	TYPE_FLOAT = 1,
	TYPE_DOUBLE = 2,
	TYPE_INT32 = 3,
	TYPE_STRING = 7,
	TYPE_INT64 = 9
};

/* What is left of a message. */
struct message_bytes {
	const unsigned char *at, *end;
};

/* A field of it. */
struct message_field {
	uint64_t number;
	enum wire wire;
	uint64_t bits;              /* of a number */
	struct message_bytes bytes; /* of WIRE_BYTES */
};

static int
read_varint(struct message_bytes *m, uint64_t *out)
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

static int
read_fixed(struct message_bytes *m, int n, uint64_t *out)
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

/* The next field.  Returns 1, 0 at the end, -1 if it is none. */
static int
next_field(struct message_bytes *m, struct message_field *f)
{
	uint64_t key;

	if (m->at == m->end)
		return 0;
	if (read_varint(m, &key) != 0 || key >> 3 == 0)
		return -1;
	f->number = key >> 3;
	f->wire = (enum wire)(key & 7);
	f->bits = 0;
	f->bytes.at = f->bytes.end = m->at;
	switch (f->wire) {
	case WIRE_VARINT:
		return read_varint(m, &f->bits) == 0 ? 1 : -1;
	case WIRE_64:
		return read_fixed(m, 8, &f->bits) == 0 ? 1 : -1;
	case WIRE_32:
		return read_fixed(m, 4, &f->bits) == 0 ? 1 : -1;
	case WIRE_BYTES:
		if (read_varint(m, &f->bits) != 0 ||
		    f->bits > (uint64_t)(m->end - m->at))
			return -1;
		f->bytes.at = m->at;
		f->bytes.end = m->at += f->bits;
		return 1;
	}
	return -1;
}

static double
double_of_bits(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

static double
float_of_bits(uint64_t bits)
{
	const uint32_t low = (uint32_t)bits;
	float x;

	memcpy(&x, &low, sizeof x);
	return (double)x;
}

/* A value of a summary. */
struct event_value {
	struct message_bytes tag, text;
	double number;
	int digits; /* that its type holds, 0: it is no number */
	int is_text;
};

static void
set_number(struct event_value *v, double x, int digits)
{
	v->number = x;
	v->digits = digits;
}

/* The one element of a tensor that is stored as bytes. */
static void
read_content(struct event_value *v, struct message_bytes b, uint64_t type)
{
	const size_t len = (size_t)(b.end - b.at);
	uint64_t bits;

	if ((type == TYPE_FLOAT || type == TYPE_INT32) && len == 4 &&
	    read_fixed(&b, 4, &bits) == 0) {
		if (type == TYPE_FLOAT)
			set_number(v, float_of_bits(bits), 9);
		else
			set_number(v, (double)(int32_t)(uint32_t)bits, 17);
	}
	if ((type == TYPE_DOUBLE || type == TYPE_INT64) && len == 8 &&
	    read_fixed(&b, 8, &bits) == 0) {
		if (type == TYPE_DOUBLE)
			set_number(v, double_of_bits(bits), 17);
		else
			set_number(v, (double)(int64_t)bits, 17);
	}
}

/* The one element of a field that may be packed into bytes. */
static void
read_element(struct event_value *v, const struct message_field *f)
{
	const size_t len = (size_t)(f->bytes.end - f->bytes.at);
	struct message_bytes b = f->bytes;
	uint64_t bits = f->bits;

	if (f->number == TENSOR_FLOAT) {
		if (f->wire == WIRE_32 ||
		    (f->wire == WIRE_BYTES && len == 4 &&
			read_fixed(&b, 4, &bits) == 0))
			set_number(v, float_of_bits(bits), 9);
	} else if (f->number == TENSOR_DOUBLE) {
		if (f->wire == WIRE_64 ||
		    (f->wire == WIRE_BYTES && len == 8 &&
			read_fixed(&b, 8, &bits) == 0))
			set_number(v, double_of_bits(bits), 17);
	} else if (f->wire == WIRE_VARINT ||
	    (f->wire == WIRE_BYTES && read_varint(&b, &bits) == 0 &&
		b.at == b.end)) {
		set_number(v, (double)(int64_t)bits, 17);
	}
}

/* A scalar of any type; other tensors leave v as it is. */
static int
read_tensor(struct message_bytes m, struct event_value *v)
{
	struct message_bytes content = { NULL, NULL };
	struct message_field f;
	uint64_t type = 0;
	int rc;

	while ((rc = next_field(&m, &f)) > 0) {
		switch (f.number) {
		case TENSOR_TYPE:
			type = f.bits;
			break;
		case TENSOR_CONTENT:
			content = f.bytes;
			break;
		case TENSOR_STRING:
			if (f.wire == WIRE_BYTES && !v->is_text) {
				v->text = f.bytes;
				v->is_text = 1;
			}
			break;
		case TENSOR_FLOAT:
		case TENSOR_DOUBLE:
		case TENSOR_INT:
		case TENSOR_INT64:
			read_element(v, &f);
			break;
		}
	}
	if (rc == 0 && content.at != NULL)
		read_content(v, content, type);
	return rc;
}

static int
read_value(struct message_bytes m, struct event_value *v)
{
	struct message_field f;
	int rc;

	memset(v, 0, sizeof *v);
	while ((rc = next_field(&m, &f)) > 0) {
		if (f.number == VALUE_TAG && f.wire == WIRE_BYTES)
			v->tag = f.bytes;
		else if (f.number == VALUE_SIMPLE && f.wire == WIRE_32)
			set_number(v, float_of_bits(f.bits), 9);
		else if (f.number == VALUE_TENSOR && f.wire == WIRE_BYTES &&
		    read_tensor(f.bytes, v) != 0)
			return -1;
	}
	return rc;
}

/* Add a string of JSON; controls are escaped, so a line stays one. */
static void
add_string(struct strbuf *out, struct message_bytes s)
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

static void
add_value(struct strbuf *out, const struct event_value *v)
{
	struct message_bytes text = v->text;

	if (v->tag.at == v->tag.end || v->tag.end - v->tag.at > EVENT_MAX_TAG ||
	    (v->digits == 0 && !v->is_text))
		return;
	strbuf_addch(out, ',');
	add_string(out, v->tag);
	strbuf_addch(out, ':');
	if (v->digits == 0) {
		if (text.end - text.at > EVENT_MAX_STRING)
			text.end = text.at + EVENT_MAX_STRING;
		add_string(out, text);
	} else if (isnan(v->number)) {
		strbuf_addstr(out, "NaN");
	} else if (isinf(v->number)) {
		strbuf_addstr(out, v->number > 0 ? "Infinity" : "-Infinity");
	} else {
		strbuf_printf(out, "%.*g", v->digits, v->number);
	}
}

static int
add_summary(struct strbuf *out, struct message_bytes m)
{
	struct message_field f;
	struct event_value v;
	int rc;

	while ((rc = next_field(&m, &f)) > 0) {
		if (f.number != SUMMARY_VALUE || f.wire != WIRE_BYTES)
			continue;
		if (read_value(f.bytes, &v) != 0)
			return -1;
		add_value(out, &v);
	}
	return rc;
}

static int
add_session(struct strbuf *out, struct message_bytes m)
{
	struct message_field f;
	int rc;

	while ((rc = next_field(&m, &f)) > 0)
		if (f.number == SESSION_STATUS && f.bits == SESSION_START)
			strbuf_addstr(out, ",\"session\":\"start\"");
	return rc;
}

int
event_text(const void *data, size_t len, struct strbuf *out)
{
	struct message_bytes m = { data, (const unsigned char *)data + len };
	struct message_bytes again = m;
	const size_t before = out->len;
	struct message_field f;
	double wall_time = 0;
	int64_t step = 0;
	size_t head;
	int rc;

	/* A field may come in any order: time and step are found first. */
	while ((rc = next_field(&m, &f)) > 0) {
		if (f.number == EVENT_WALL_TIME && f.wire == WIRE_64)
			wall_time = double_of_bits(f.bits);
		else if (f.number == EVENT_STEP && f.wire == WIRE_VARINT)
			step = (int64_t)f.bits;
	}
	if (rc != 0)
		return -1;
	if (!(wall_time >= 0 && wall_time < 1e12))
		wall_time = 0;
	strbuf_printf(
	    out, "{\"wall_time\":%.6f,\"step\":%" PRId64, wall_time, step);
	head = out->len;
	while (rc == 0 && next_field(&again, &f) > 0) {
		if (f.wire != WIRE_BYTES)
			continue;
		if (f.number == EVENT_SUMMARY)
			rc = add_summary(out, f.bytes);
		else if (f.number == EVENT_SESSION)
			rc = add_session(out, f.bytes);
	}
	if (rc == 0 && out->len > head)
		strbuf_addstr(out, "}\n");
	if (rc != 0 || out->len == head || out->full) {
		out->len = before;
		if (out->alloc > 0)
			out->buf[before] = '\0';
	}
	return rc;
}
