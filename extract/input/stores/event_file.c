/* TensorBoard's event files are sequences of frames (TFRecord): the length in 8
 * bytes, its masked CRC-32C in 4, the data, the data's masked CRC-32C in 4, all
 * little-endian. A frame with damaged data is skipped; after a damaged length
 * the rest of the file is unreadable. In both cases the file counts as
 * truncated. */
#include <config.h>

#include "extract/input/encoding/records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

/* Fields of TensorFlow's event, summary and tensor.proto. */
enum {
	/* message Event */
	EVENT_WALL_TIME = PROTOBUF_64(1), /* double, seconds since 1970 */
	EVENT_STEP = PROTOBUF_VARINT(2),
	EVENT_SUMMARY = PROTOBUF_BYTES(5),
	EVENT_SESSION = PROTOBUF_BYTES(7),
	/* message SessionLog */
	SESSION_STATUS = PROTOBUF_VARINT(1),
	SESSION_START = 1, /* a value of it */
	/* message Summary */
	SUMMARY_VALUE = PROTOBUF_BYTES(1),
	/* message Summary.Value */
	VALUE_TAG = PROTOBUF_BYTES(1),
	VALUE_SIMPLE = PROTOBUF_32(2), /* float */
	VALUE_TENSOR = PROTOBUF_BYTES(8),
	/* message TensorProto */
	TENSOR_TYPE = PROTOBUF_VARINT(1),
	TENSOR_CONTENT = PROTOBUF_BYTES(4), /* the elements' bytes */
	TENSOR_STRING = PROTOBUF_BYTES(8),
	/* enum DataType */
	TYPE_VARINT = 0, /* an encoding of integers, none of TensorFlow's */
	TYPE_FLOAT = 1,
	TYPE_DOUBLE = 2,
	TYPE_INT32 = 3,
	TYPE_INT64 = 9
};

/* Fields of a tensor's elements, each alone or packed. */
static const struct {
	uint64_t alone, packed;
	uint64_t type;
} elements[] = {
	{ PROTOBUF_32(5), PROTOBUF_BYTES(5), TYPE_FLOAT },
	{ PROTOBUF_64(6), PROTOBUF_BYTES(6), TYPE_DOUBLE },
	{ PROTOBUF_VARINT(7), PROTOBUF_BYTES(7), TYPE_VARINT },
	{ PROTOBUF_VARINT(10), PROTOBUF_BYTES(10), TYPE_VARINT },
};

/* A value of a summary. */
struct event_value {
	struct protobuf tag, text;
	double number;
	int digits; /* significant digits of its type, 0: not a number */
	int is_text;
};

static double
double_of_bits(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

/* Set v to the number of that type with these bits. */
static void
set_number(struct event_value *v, uint64_t type, uint64_t bits)
{
	const uint32_t low = (uint32_t)bits;
	float x;

	v->digits = type == TYPE_FLOAT ? 9 : 17;
	memcpy(&x, &low, sizeof x);
	v->number = type == TYPE_FLOAT ? (double)x
	    : type == TYPE_DOUBLE      ? double_of_bits(bits)
	    : type == TYPE_INT32       ? (double)(int32_t)low
				       : (double)(int64_t)bits;
}

/* Set v to the number in b, unless b holds anything else. */
static void
read_number(struct event_value *v, struct protobuf b, uint64_t type)
{
	const size_t size = type == TYPE_FLOAT || type == TYPE_INT32 ? 4 : 8;
	uint64_t bits;

	if (type == TYPE_VARINT) {
		if (protobuf_varint(&b, &bits) == 0 && b.at == b.end)
			set_number(v, type, bits);
	} else if ((size_t)(b.end - b.at) == size) {
		set_number(v, type, little_endian(b.at, size));
	}
}

/* Read a scalar of any type; leave v unchanged for other tensors. */
static void
read_tensor(struct protobuf m, struct event_value *v)
{
	struct protobuf content = { NULL, NULL, NULL };
	struct protobuf_field f;
	uint64_t type = 0;

	while (protobuf_next(&m, &f)) {
		if (f.key == TENSOR_TYPE) {
			type = f.bits;
		} else if (f.key == TENSOR_CONTENT) {
			content = f.bytes;
		} else if (f.key == TENSOR_STRING && !v->is_text) {
			v->text = f.bytes;
			v->is_text = 1;
		}
		for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
			if (f.key == elements[i].alone)
				set_number(v, elements[i].type, f.bits);
			else if (f.key == elements[i].packed)
				read_number(v, f.bytes, elements[i].type);
	}
	if (type == TYPE_FLOAT || type == TYPE_DOUBLE || type == TYPE_INT32 ||
	    type == TYPE_INT64)
		read_number(v, content, type);
}

static void
add_value(struct strbuf *out, struct protobuf m)
{
	struct event_value v = { .digits = 0 };
	struct protobuf_field f;
	size_t tag, text;

	while (protobuf_next(&m, &f))
		if (f.key == VALUE_TAG)
			v.tag = f.bytes;
		else if (f.key == VALUE_SIMPLE)
			set_number(&v, TYPE_FLOAT, f.bits);
		else if (f.key == VALUE_TENSOR)
			read_tensor(f.bytes, &v);
	tag = (size_t)(v.tag.end - v.tag.at);
	text = (size_t)(v.text.end - v.text.at);
	if (tag == 0 || tag > EVENT_MAX_TAG || (v.digits == 0 && !v.is_text))
		return;
	strbuf_addch(out, ',');
	json_add_string(out, v.tag.at, tag);
	strbuf_addch(out, ':');
	if (v.digits > 0)
		json_add_number(out, v.number, v.digits);
	else
		json_add_string(out, v.text.at,
		    text < EVENT_MAX_STRING ? text : EVENT_MAX_STRING);
}

/* Append the line of an event, unless it has no values. Returns 0; -1 if it is
 * malformed: nothing is appended. */
static int
add_event(struct strbuf *out, const void *data, size_t len)
{
	const unsigned char *at = data;
	int bad = 0;
	struct protobuf m = { at, at + len, &bad }, again = m, inner;
	const size_t before = out->len;
	struct protobuf_field f, g;
	double wall_time = 0;
	int64_t step = 0;
	size_t head;

	/* Fields come in any order: find time and step first. */
	while (protobuf_next(&m, &f))
		if (f.key == EVENT_WALL_TIME)
			wall_time = double_of_bits(f.bits);
		else if (f.key == EVENT_STEP)
			step = (int64_t)f.bits;
	if (!(wall_time >= 0 && wall_time < 1e12))
		wall_time = 0;
	strbuf_printf(
	    out, "{\"wall_time\":%.6f,\"step\":%" PRId64, wall_time, step);
	head = out->len;
	while (protobuf_next(&again, &f)) {
		inner = f.bytes;
		if (f.key != EVENT_SUMMARY && f.key != EVENT_SESSION)
			continue;
		while (protobuf_next(&inner, &g))
			if (f.key == EVENT_SUMMARY && g.key == SUMMARY_VALUE)
				add_value(out, g.bytes);
			else if (f.key == EVENT_SESSION &&
			    g.key == SESSION_STATUS && g.bits == SESSION_START)
				strbuf_addstr(out, ",\"session\":\"start\"");
	}
	if (bad || out->len == head || out->full)
		strbuf_cut(out, before);
	else
		strbuf_addstr(out, "}\n");
	return bad ? -1 : 0;
}

/* --- frames --------------------------------------------------------------- */

enum { HEADER = 12 /* bytes: length and its CRC */, FOOTER = 4 };

static int
header_is_sound(const struct crc32_table *t, const char *header)
{
	return crc32_masked(crc32_add(t, 0, header, 8)) ==
	    little_endian(header + 8, 4);
}

int
event_file_is(const char *data, size_t len)
{
	struct crc32_table table;

	/* The first frame is short, so the upper bytes of its length are 0:
	 * most other files are rejected before the table is made. */
	if (len < HEADER || little_endian(data, 8) > EVENT_MAX_FRAME)
		return 0;
	crc32_init(&table, CRC32_CASTAGNOLI);
	return header_is_sound(&table, data);
}

int
event_file_read(struct store_input *in, struct strbuf *lines, struct error *e)
{
	char *data = xmalloc(EVENT_MAX_FRAME), header[HEADER], footer[FOOTER];
	struct crc32_table table;
	size_t n;

	(void)e;
	crc32_init(&table, CRC32_CASTAGNOLI);
	while ((n = store_read(in, header, HEADER)) == HEADER &&
	    header_is_sound(&table, header)) {
		const uint64_t len = little_endian(header, 8);
		uint64_t left = len;
		uint32_t crc = 0;

		for (; left > 0 && n > 0; left -= n) {
			n = store_read(in, data,
			    left < EVENT_MAX_FRAME ? left : EVENT_MAX_FRAME);
			crc = crc32_add(&table, crc, data, n);
		}
		in->cut |= store_read(in, footer, FOOTER) < FOOTER ||
		    crc32_masked(crc) != little_endian(footer, FOOTER) ||
		    (len <= EVENT_MAX_FRAME &&
			add_event(lines, data, len) != 0);
	}
	in->cut |= n > 0;
	free(data);
	return 0;
}
