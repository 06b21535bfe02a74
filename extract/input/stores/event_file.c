#include <config.h>

#include "extract/input/stores/event_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "extract/input/encoding/records.h"

/* --- messages: fields of TensorFlow's event, summary and tensor.proto ----- */

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

/* A value of a summary. */
struct event_value {
	struct protobuf_bytes tag, text;
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
	if (type == TYPE_FLOAT) {
		memcpy(&x, &low, sizeof x);
		v->number = (double)x;
	} else if (type == TYPE_DOUBLE) {
		v->number = double_of_bits(bits);
	} else if (type == TYPE_INT32) {
		v->number = (double)(int32_t)low;
	} else {
		v->number = (double)(int64_t)bits;
	}
}

/* Read the only number of b, if b has that many bytes. */
static void
read_fixed(struct event_value *v, struct protobuf_bytes b, uint64_t type)
{
	const int n = type == TYPE_FLOAT || type == TYPE_INT32 ? 4 : 8;
	uint64_t bits;

	if (b.end - b.at == n && protobuf_fixed(&b, n, &bits) == 0)
		set_number(v, type, bits);
}

/* Read the only element of a field, which may be packed. */
static void
read_element(struct event_value *v, const struct protobuf_field *f)
{
	const uint64_t type = f->number == TENSOR_FLOAT ? TYPE_FLOAT
	    : f->number == TENSOR_DOUBLE                ? TYPE_DOUBLE
							: TYPE_INT64;
	const enum protobuf_wire alone = type == TYPE_FLOAT ? WIRE_32
	    : type == TYPE_DOUBLE                           ? WIRE_64
							    : WIRE_VARINT;
	struct protobuf_bytes b = f->bytes;
	uint64_t bits;

	if (f->wire == alone)
		set_number(v, type, f->bits);
	else if (f->wire == WIRE_BYTES && type != TYPE_INT64)
		read_fixed(v, b, type);
	else if (f->wire == WIRE_BYTES && protobuf_varint(&b, &bits) == 0 &&
	    b.at == b.end)
		set_number(v, type, bits);
}

/* Read a scalar of any type; leave v unchanged for other tensors. */
static int
read_tensor(struct protobuf_bytes m, struct event_value *v)
{
	struct protobuf_bytes content = { NULL, NULL };
	struct protobuf_field f;
	uint64_t type = 0;
	int rc;

	while ((rc = protobuf_next(&m, &f)) > 0) {
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
	if (rc == 0 &&
	    (type == TYPE_FLOAT || type == TYPE_DOUBLE || type == TYPE_INT32 ||
		type == TYPE_INT64))
		read_fixed(v, content, type);
	return rc;
}

static int
read_value(struct protobuf_bytes m, struct event_value *v)
{
	struct protobuf_field f;
	int rc;

	memset(v, 0, sizeof *v);
	while ((rc = protobuf_next(&m, &f)) > 0) {
		if (f.number == VALUE_TAG && f.wire == WIRE_BYTES)
			v->tag = f.bytes;
		else if (f.number == VALUE_SIMPLE && f.wire == WIRE_32)
			set_number(v, TYPE_FLOAT, f.bits);
		else if (f.number == VALUE_TENSOR && f.wire == WIRE_BYTES &&
		    read_tensor(f.bytes, v) != 0)
			return -1;
	}
	return rc;
}

static void
add_value(struct strbuf *out, const struct event_value *v)
{
	const size_t tag = (size_t)(v->tag.end - v->tag.at);
	const size_t text = (size_t)(v->text.end - v->text.at);

	if (tag == 0 || tag > EVENT_MAX_TAG || (v->digits == 0 && !v->is_text))
		return;
	strbuf_addch(out, ',');
	json_add_string(out, v->tag.at, tag);
	strbuf_addch(out, ':');
	if (v->digits > 0)
		json_add_number(out, v->number, v->digits);
	else
		json_add_string(out, v->text.at,
		    text < EVENT_MAX_STRING ? text : EVENT_MAX_STRING);
}

static int
add_summary(struct strbuf *out, struct protobuf_bytes m)
{
	struct protobuf_field f;
	struct event_value v;
	int rc;

	while ((rc = protobuf_next(&m, &f)) > 0) {
		if (f.number != SUMMARY_VALUE || f.wire != WIRE_BYTES)
			continue;
		if (read_value(f.bytes, &v) != 0)
			return -1;
		add_value(out, &v);
	}
	return rc;
}

static int
add_session(struct strbuf *out, struct protobuf_bytes m)
{
	struct protobuf_field f;
	int rc;

	while ((rc = protobuf_next(&m, &f)) > 0)
		if (f.number == SESSION_STATUS && f.bits == SESSION_START)
			strbuf_addstr(out, ",\"session\":\"start\"");
	return rc;
}

int
event_text(const void *data, size_t len, struct strbuf *out)
{
	struct protobuf_bytes m = { data, (const unsigned char *)data + len };
	struct protobuf_bytes again = m;
	const size_t before = out->len;
	struct protobuf_field f;
	double wall_time = 0;
	int64_t step = 0;
	size_t head;
	int rc;

	/* Fields come in any order: find time and step first. */
	while ((rc = protobuf_next(&m, &f)) > 0) {
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
	while (rc == 0 && protobuf_next(&again, &f) > 0) {
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

/* --- frames --------------------------------------------------------------- */

enum { HEADER = 12 /* bytes: length and its CRC */, FOOTER = 4 };

struct event_file {
	struct crc32_table table;
	char data[EVENT_FILE_MAX_FRAME];
};

static uint64_t
little_endian(const void *data, int n)
{
	const unsigned char *p = data;
	uint64_t x = 0;

	for (int i = 0; i < n; i++)
		x |= (uint64_t)p[i] << (8 * i);
	return x;
}

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
	if (len < HEADER || little_endian(data, 8) > EVENT_FILE_MAX_FRAME)
		return 0;
	crc32_init(&table, CRC32_CASTAGNOLI);
	return header_is_sound(&table, data);
}

void *
event_file_open(void)
{
	struct event_file *f = xmalloc(sizeof *f);

	crc32_init(&f->table, CRC32_CASTAGNOLI);
	return f;
}

int
event_file_next(
    void *state, struct store_input *in, struct strbuf *lines, struct error *e)
{
	struct event_file *f = state;
	char header[HEADER], footer[FOOTER];
	size_t n = store_read(in, header, HEADER);
	uint64_t len, left;
	uint32_t crc = 0;

	(void)e;
	if (n == 0)
		return 0;
	in->cut |= n < HEADER || !header_is_sound(&f->table, header);
	if (n < HEADER || !header_is_sound(&f->table, header))
		return 0;
	len = little_endian(header, 8);
	for (left = len; left > 0; left -= n) {
		n = store_read(
		    in, f->data, left < sizeof f->data ? left : sizeof f->data);
		crc = crc32_add(&f->table, crc, f->data, n);
		if (n == 0)
			break;
	}
	if (store_read(in, footer, FOOTER) < FOOTER) {
		in->cut = 1;
		return 0;
	}
	if (crc32_masked(crc) != little_endian(footer, FOOTER) ||
	    (len <= sizeof f->data && event_text(f->data, len, lines) != 0))
		in->cut = 1;
	return 1;
}
