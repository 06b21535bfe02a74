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
	struct protobuf_bytes tag, text;
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
read_content(struct event_value *v, struct protobuf_bytes b, uint64_t type)
{
	const size_t len = (size_t)(b.end - b.at);
	uint64_t bits;

	if ((type == TYPE_FLOAT || type == TYPE_INT32) && len == 4 &&
	    protobuf_fixed(&b, 4, &bits) == 0) {
		if (type == TYPE_FLOAT)
			set_number(v, float_of_bits(bits), 9);
		else
			set_number(v, (double)(int32_t)(uint32_t)bits, 17);
	}
	if ((type == TYPE_DOUBLE || type == TYPE_INT64) && len == 8 &&
	    protobuf_fixed(&b, 8, &bits) == 0) {
		if (type == TYPE_DOUBLE)
			set_number(v, double_of_bits(bits), 17);
		else
			set_number(v, (double)(int64_t)bits, 17);
	}
}

/* The one element of a field that may be packed into bytes. */
static void
read_element(struct event_value *v, const struct protobuf_field *f)
{
	const size_t len = (size_t)(f->bytes.end - f->bytes.at);
	struct protobuf_bytes b = f->bytes;
	uint64_t bits = f->bits;

	if (f->number == TENSOR_FLOAT) {
		if (f->wire == WIRE_32 ||
		    (f->wire == WIRE_BYTES && len == 4 &&
			protobuf_fixed(&b, 4, &bits) == 0))
			set_number(v, float_of_bits(bits), 9);
	} else if (f->number == TENSOR_DOUBLE) {
		if (f->wire == WIRE_64 ||
		    (f->wire == WIRE_BYTES && len == 8 &&
			protobuf_fixed(&b, 8, &bits) == 0))
			set_number(v, double_of_bits(bits), 17);
	} else if (f->wire == WIRE_VARINT ||
	    (f->wire == WIRE_BYTES && protobuf_varint(&b, &bits) == 0 &&
		b.at == b.end)) {
		set_number(v, (double)(int64_t)bits, 17);
	}
}

/* A scalar of any type; other tensors leave v as it is. */
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
	if (rc == 0 && content.at != NULL)
		read_content(v, content, type);
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
			set_number(v, float_of_bits(f.bits), 9);
		else if (f.number == VALUE_TENSOR && f.wire == WIRE_BYTES &&
		    read_tensor(f.bytes, v) != 0)
			return -1;
	}
	return rc;
}

static void
add_value(struct strbuf *out, const struct event_value *v)
{
	struct protobuf_bytes text = v->text;

	if (v->tag.at == v->tag.end || v->tag.end - v->tag.at > EVENT_MAX_TAG ||
	    (v->digits == 0 && !v->is_text))
		return;
	strbuf_addch(out, ',');
	protobuf_add_string(out, v->tag);
	strbuf_addch(out, ':');
	if (v->digits == 0) {
		if (text.end - text.at > EVENT_MAX_STRING)
			text.end = text.at + EVENT_MAX_STRING;
		protobuf_add_string(out, text);
	} else if (isnan(v->number)) {
		strbuf_addstr(out, "NaN");
	} else if (isinf(v->number)) {
		strbuf_addstr(out, v->number > 0 ? "Infinity" : "-Infinity");
	} else {
		strbuf_printf(out, "%.*g", v->digits, v->number);
	}
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

	/* A field may come in any order: time and step are found first. */
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

enum {
	HEADER = 12, /* bytes: length and its CRC */
	FOOTER = 4,
	MAX_LINE = 8 << 20 /* of text that a frame may become */
};

/* Which part of a frame comes next. */
enum frame_part { PART_HEADER, PART_DATA, PART_FOOTER, PART_LOST };

struct event_file {
	struct crc32_table table;
	enum frame_part part;
	unsigned char ends[HEADER]; /* [n_ends] of the header or the footer */
	size_t n_ends;
	uint64_t left; /* bytes of the data that are still to come */
	uint32_t crc;  /* of those that came */
	int keep;      /* the data is short enough to be read */
	int damaged;   /* some frame was */
	struct strbuf data, text;
	size_t text_at; /* bytes of text that were given out */
};

static uint64_t
little_endian(const unsigned char *p, int n)
{
	uint64_t x = 0;

	for (int i = 0; i < n; i++)
		x |= (uint64_t)p[i] << (8 * i);
	return x;
}

static int
header_is_sound(const struct crc32_table *t, const unsigned char *header)
{
	return crc32_masked(crc32_add(t, 0, header, 8)) ==
	    little_endian(header + 8, 4);
}

int
event_file_is(const char *data, size_t len)
{
	struct crc32_table table;

	/* The first frame is short, its length's upper bytes are 0: this
	 * spares most files the table. */
	if (len < HEADER ||
	    little_endian((const unsigned char *)data, 8) >
		EVENT_FILE_MAX_FRAME)
		return 0;
	crc32_init(&table, CRC32_CASTAGNOLI);
	return header_is_sound(&table, (const unsigned char *)data);
}

void *
event_file_open(void)
{
	struct event_file *f = xcalloc(1, sizeof *f);

	crc32_init(&f->table, CRC32_CASTAGNOLI);
	strbuf_init(&f->data, EVENT_FILE_MAX_FRAME);
	strbuf_init(&f->text, MAX_LINE);
	return f;
}

void
event_file_close(void *state)
{
	struct event_file *f = state;

	strbuf_release(&f->data);
	strbuf_release(&f->text);
	free(f);
}

static void
begin_data(struct event_file *f)
{
	if (!header_is_sound(&f->table, f->ends)) {
		f->part = PART_LOST;
		f->damaged = 1;
		return;
	}
	f->left = little_endian(f->ends, 8);
	f->keep = f->left <= EVENT_FILE_MAX_FRAME;
	f->crc = 0;
	f->part = PART_DATA;
	strbuf_reset(&f->data);
}

static void
end_frame(struct event_file *f)
{
	f->part = PART_HEADER;
	if (crc32_masked(f->crc) != little_endian(f->ends, FOOTER) ||
	    (f->keep && event_text(f->data.buf, f->data.len, &f->text) != 0))
		f->damaged = 1;
}

/* Take bytes of the header or the footer.  Returns 1 when it is complete. */
static int
take_ends(struct event_file *f, size_t want, const char **in, size_t *in_len)
{
	size_t n = want - f->n_ends;

	if (n > *in_len)
		n = *in_len;
	memcpy(f->ends + f->n_ends, *in, n);
	f->n_ends += n;
	*in += n;
	*in_len -= n;
	if (f->n_ends < want)
		return 0;
	f->n_ends = 0;
	return 1;
}

static void
take_data(struct event_file *f, const char **in, size_t *in_len)
{
	const size_t n = f->left < *in_len ? (size_t)f->left : *in_len;

	f->crc = crc32_add(&f->table, f->crc, *in, n);
	if (f->keep)
		strbuf_add(&f->data, *in, n);
	f->left -= n;
	*in += n;
	*in_len -= n;
	if (f->left == 0)
		f->part = PART_FOOTER;
}

enum decompress_outcome
event_file_run(
    void *state, const char **in, size_t *in_len, char **out, size_t *out_len)
{
	struct event_file *f = state;

	while (decompressor_emit(&f->text, &f->text_at, out, out_len)) {
		if (f->part == PART_DATA && f->left == 0)
			f->part = PART_FOOTER;
		if (*in_len == 0)
			return f->part == PART_HEADER && f->n_ends == 0 &&
				!f->damaged
			    ? DECOMPRESS_END
			    : DECOMPRESS_MORE;
		if (f->part == PART_LOST) {
			*in += *in_len;
			*in_len = 0;
		} else if (f->part == PART_DATA) {
			take_data(f, in, in_len);
		} else if (f->part == PART_HEADER) {
			if (take_ends(f, HEADER, in, in_len))
				begin_data(f);
		} else if (take_ends(f, FOOTER, in, in_len)) {
			end_frame(f);
		}
	}
	return DECOMPRESS_MORE;
}
