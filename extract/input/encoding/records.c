#include <config.h>

#include "extract/input/encoding/records.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"

size_t
store_read(struct store_input *in, void *to, size_t n)
{
	size_t got = 0;

	while (got < n && store_more(in)) {
		const size_t left = (size_t)(in->end - in->at);
		const size_t some = left < n - got ? left : n - got;

		memcpy((char *)to + got, in->at, some);
		in->at += some;
		got += some;
	}
	return got;
}

/* --- CRC ------------------------------------------------------------------ */

void
crc32_init(struct crc32_table *t, uint32_t polynomial)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t x = i;

		for (int bit = 0; bit < 8; bit++)
			x = x >> 1 ^ ((x & 1) != 0 ? polynomial : 0);
		t->of[i] = x;
	}
}

uint32_t
crc32_add(const struct crc32_table *t, uint32_t x, const void *data, size_t len)
{
	x = ~x;
	for (const unsigned char *p = data; len > 0; len--, p++)
		x = x >> 8 ^ t->of[(x ^ *p) & 0xff];
	return ~x;
}

uint32_t
crc32_masked(uint32_t x)
{
	return (x >> 15 | x << 17) + 0xa282ead8u;
}

/* --- protocol buffers ----------------------------------------------------- */

/* Rest of a message. */
struct protobuf {
	const unsigned char *at, *end;
	int *bad; /* set to 1 if it or a message in it is malformed */
};

/* Keys of fields: their number and wire type. */
#define PROTOBUF_VARINT(number) ((number) << 3)
#define PROTOBUF_64(number) ((number) << 3 | 1)
#define PROTOBUF_BYTES(number) ((number) << 3 | 2)
#define PROTOBUF_32(number) ((number) << 3 | 5)

/* A field of a message. */
struct protobuf_field {
	uint64_t key;
	uint64_t bits;         /* value of a number */
	struct protobuf bytes; /* PROTOBUF_BYTES: points into the message */
};

/* A little-endian number of n bytes, 1 to 8. */
static uint64_t
little_endian(const void *data, size_t n)
{
	const unsigned char *p = data;
	uint64_t x = 0;

	for (size_t i = 0; i < n; i++)
		x |= (uint64_t)p[i] << (8 * i);
	return x;
}

/* Read a varint: 7 bits per byte, lowest first. Returns 0; -1 if it does not
 * end within 10 bytes or the message. */
static int
protobuf_varint(struct protobuf *m, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; shift < 64 && m->at < m->end; shift += 7) {
		const unsigned char c = *m->at++;

		*out |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80)
			return 0;
	}
	return -1;
}

/* Read the next field, advance m. Returns 1; 0 at the end or if the message is
 * malformed. */
static int
protobuf_next(struct protobuf *m, struct protobuf_field *f)
{
	uint64_t len = 0;

	if (m->at == m->end)
		return 0;
	*m->bad |= protobuf_varint(m, &f->key) != 0 || f->key >> 3 == 0;
	f->bits = 0;
	switch (f->key & 7) {
	case 0:
		*m->bad |= protobuf_varint(m, &f->bits) != 0;
		break;
	case 1:
		len = 8;
		break;
	case 2:
		*m->bad |= protobuf_varint(m, &len) != 0;
		break;
	case 5:
		len = 4;
		break;
	default:
		*m->bad = 1;
	}
	*m->bad |= len > (uint64_t)(m->end - m->at);
	if (*m->bad)
		return 0;
	f->bytes = (struct protobuf){ m->at, m->at + len, m->bad };
	if ((f->key & 7) == 1 || (f->key & 7) == 5)
		f->bits = little_endian(m->at, len);
	m->at += len;
	return 1;
}

/* --- text of JSON --------------------------------------------------------- */

/* Remove an incomplete line at the end, after its first `before` bytes. */
static void
strbuf_cut(struct strbuf *sb, size_t before)
{
	sb->len = before;
	if (sb->alloc > 0)
		sb->buf[before] = '\0';
}

void
json_add_string(struct strbuf *out, const void *text, size_t len)
{
	const unsigned char *p = text;

	strbuf_addch(out, '"');
	for (const unsigned char *end = p + len; p < end; p++) {
		if (*p == '"' || *p == '\\')
			strbuf_printf(out, "\\%c", *p);
		else if (*p < 0x20 || *p == 0x7f)
			strbuf_printf(out, "\\u%04x", *p);
		else
			strbuf_addch(out, (char)*p);
	}
	strbuf_addch(out, '"');
}

void
json_add_number(struct strbuf *out, double x, int digits)
{
	if (isnan(x))
		strbuf_addstr(out, "NaN");
	else if (isinf(x))
		strbuf_addstr(out, x > 0 ? "Infinity" : "-Infinity");
	else
		strbuf_printf(out, "%.*g", digits, x);
}

/* --- types of elements ---------------------------------------------------- */

static const struct {
	const char *name;
	double bytes;
} types[] = {
	/* PyTorch: ScalarType, c10/core/ScalarType.h. "Char" and "Byte" have
	 * one byte, "Long" has eight. */
	{ "Byte", 1 }, { "Char", 1 }, { "Short", 2 }, { "Int", 4 },
	{ "Long", 8 }, { "UInt16", 2 }, { "UInt32", 4 }, { "UInt64", 8 },
	{ "Half", 2 }, { "Float", 4 }, { "Double", 8 }, { "BFloat16", 2 },
	{ "ComplexHalf", 4 }, { "ComplexFloat", 8 }, { "ComplexDouble", 16 },
	{ "Bool", 1 }, { "Float8_e5m2", 1 }, { "Float8_e4m3fn", 1 },
	{ "Float8_e5m2fnuz", 1 }, { "Float8_e4m3fnuz", 1 },
	/* Horovod: DataType_Name, horovod/common/message.cc. */
	{ "uint8", 1 }, { "int8", 1 }, { "int16", 2 }, { "int32", 4 },
	{ "int64", 8 }, { "float16", 2 }, { "float32", 4 }, { "float64", 8 },
	/* Abbreviations of these. */
	{ "bf16", 2 }, { "fp16", 2 }, { "fp32", 4 }, { "fp64", 8 },
	{ "complex64", 8 }, { "complex128", 16 }
};

double
element_size(const char *type)
{
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (strcasecmp(types[i].name, type) == 0)
			return types[i].bytes;
	return NAN;
}

/* --- members of JSON objects ---------------------------------------------- */

enum { NUMBER_SIZE = 40 };

int
json_next(struct store_input *in)
{
	return store_more(in) ? (unsigned char)*in->at++ : JSON_END;
}

int
json_next_solid(struct store_input *in)
{
	int c;

	do
		c = json_next(in);
	while (c != JSON_END && isspace(c));
	return c;
}

int
json_skip_string(struct store_input *in, char *text, size_t size)
{
	size_t n = 0;
	int c;

	while ((c = json_next(in)) != '"') {
		if (c == '\\')
			c = json_next(in);
		else if (n + 1 < size)
			text[n++] = (char)c;
		if (c == JSON_END)
			return -1;
	}
	if (size > 0)
		text[n] = '\0';
	return 0;
}

int
json_skip_nested(struct store_input *in, int bracket, struct strbuf *kept)
{
	int depth = 1, in_string = 0, escaped = 0;

	if (kept != NULL) {
		strbuf_reset(kept);
		strbuf_addch(kept, (char)bracket);
	}
	while (depth > 0) {
		const char *p;

		if (!store_more(in))
			return -1;
		for (p = in->at; p < in->end && depth > 0; p++)
			if (in_string) {
				in_string = escaped || *p != '"';
				escaped = !escaped && *p == '\\';
			} else {
				in_string = *p == '"';
				depth += *p == '{' || *p == '[';
				depth -= *p == '}' || *p == ']';
			}
		if (kept != NULL)
			strbuf_add(kept, in->at, (size_t)(p - in->at));
		in->at = p;
	}
	return 0;
}

/* Read a value from memory; a string without its quotes. Returns 0 or -1. */
static int
read_value(struct store_input *c, struct json_member *m)
{
	const int first = json_next_solid(c);

	m->value = c->at;
	m->is_string = first == '"';
	if (m->is_string) {
		if (json_skip_string(c, NULL, 0) != 0)
			return -1;
		m->len = (size_t)(c->at - m->value) - 1;
		return 0;
	}
	if (first == JSON_END)
		return -1;
	m->value--;
	if (first == '{' || first == '[') {
		if (json_skip_nested(c, first, NULL) != 0)
			return -1;
		m->len = (size_t)(c->at - m->value);
		return 0;
	}
	c->at--;
	while (c->at < c->end && strchr(",}] \t\r\n", *c->at) == NULL)
		c->at++;
	m->len = (size_t)(c->at - m->value);
	/* A number or a literal: true, null, Python's NaN. */
	for (size_t i = 0; i < m->len; i++)
		if (!isalnum((unsigned char)m->value[i]) &&
		    (m->value[i] == '\0' ||
			strchr("+-._", m->value[i]) == NULL))
			return -1;
	return m->len > 0 ? 0 : -1;
}

int
json_is_value(const char *text, size_t len)
{
	struct store_input c = { .at = text, .end = text + len };
	struct json_member m;

	return read_value(&c, &m) == 0 && json_next_solid(&c) == JSON_END;
}

void
json_member_text(const struct json_member *m, char *out, size_t size)
{
	const size_t n = m->len < size ? m->len : size - 1;

	memcpy(out, m->value, n);
	out[n] = '\0';
}

double
json_member_number(const struct json_member *m)
{
	char buf[NUMBER_SIZE], *end;
	double x;

	if (m->len == 0 || m->len >= sizeof buf)
		return NAN;
	json_member_text(m, buf, sizeof buf);
	if (strspn(buf, "+-.0123456789eE") < m->len)
		return NAN;
	x = strtod(buf, &end);
	return *end == '\0' && isfinite(x) ? x : NAN;
}

int
json_find_member(
    const char *text, size_t len, const char *key, struct json_member *m)
{
	struct store_input c = { .at = text, .end = text + len };
	const size_t key_len = strlen(key);

	while (c.at < c.end) {
		const char *name = c.at + 1;

		if (*c.at++ != '"')
			continue;
		if (json_skip_string(&c, NULL, 0) != 0)
			return -1;
		if ((size_t)(c.at - name) != key_len + 1 ||
		    memcmp(name, key, key_len) != 0)
			continue;
		while (c.at < c.end && isspace((unsigned char)*c.at))
			c.at++;
		if (c.at == c.end || *c.at != ':')
			continue;
		c.at++;
		return read_value(&c, m);
	}
	return 1;
}

/* --- TensorBoard ---------------------------------------------------------- */

/* TensorBoard's event files are sequences of frames (TFRecord): the length in 8
 * bytes, its masked CRC-32C in 4, the data, the data's masked CRC-32C in 4, all
 * little-endian. A frame with damaged data is skipped; after a damaged length
 * the rest of the file is unreadable. In both cases the file counts as
 * truncated. */

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
	TYPE_VARINT = 0, /* an integer as varint; not a type of TensorFlow's */
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

enum { FRAME_HEADER = 12 /* bytes: length and its CRC */, FOOTER = 4 };

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
	if (len < FRAME_HEADER || little_endian(data, 8) > EVENT_MAX_FRAME)
		return 0;
	crc32_init(&table, CRC32_CASTAGNOLI);
	return header_is_sound(&table, data);
}

int
event_file_read(struct store_input *in, struct strbuf *lines, struct error *e)
{
	char *data = xmalloc(EVENT_MAX_FRAME), header[FRAME_HEADER],
	     footer[FOOTER];
	struct crc32_table table;
	size_t n;

	(void)e;
	crc32_init(&table, CRC32_CASTAGNOLI);
	while ((n = store_read(in, header, FRAME_HEADER)) == FRAME_HEADER &&
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

/* --- W&B ------------------------------------------------------------------ */

/* W&B's logs are a header of 7 bytes (":W&B", 0xbee1, version 0) and records in
 * blocks of 32 KiB, as in LevelDB's logs: CRC-32 of type and data in 4 bytes,
 * length in 2, type in 1 (whole, first, middle or last piece), the data. No
 * piece crosses the end of a block; fewer than 7 bytes before it are zeros.
 * (Sources: LevelDB, doc/log_format.md; W&B, sdk/internal/datastore.py, whose
 * CRC is zip's and not LevelDB's.) After a damaged record the rest of its block
 * is lost, and the file counts as truncated. */

/* Fields of wandb_internal.proto. */
enum {
	/* message Record */
	RECORD_HISTORY = PROTOBUF_BYTES(2),
	RECORD_OUTPUT = PROTOBUF_BYTES(4),
	RECORD_CONFIG = PROTOBUF_BYTES(5),
	RECORD_OUTPUT_RAW = PROTOBUF_BYTES(13),
	RECORD_RUN = PROTOBUF_BYTES(17),
	RECORD_EXIT = PROTOBUF_BYTES(18),
	RECORD_ENVIRONMENT = PROTOBUF_BYTES(26),
	/* message HistoryRecord */
	HISTORY_ITEM = PROTOBUF_BYTES(1),
	HISTORY_STEP = PROTOBUF_BYTES(2),
	STEP_NUM = PROTOBUF_VARINT(1),
	/* message RunRecord */
	RUN_CONFIG = PROTOBUF_BYTES(4),
	/* message ConfigRecord */
	CONFIG_UPDATE = PROTOBUF_BYTES(1),
	/* messages HistoryItem, ConfigItem */
	ITEM_KEY = PROTOBUF_BYTES(1),
	ITEM_NESTED_KEY = PROTOBUF_BYTES(2), /* repeated */
	ITEM_VALUE = PROTOBUF_BYTES(16),     /* JSON */
	/* message EnvironmentRecord */
	ENVIRONMENT_GPU = PROTOBUF_BYTES(18), /* GPU name without the count */
	/* messages OutputRecord, OutputRawRecord */
	OUTPUT_TYPE = PROTOBUF_VARINT(1), /* 0: stderr, 1: stdout */
	OUTPUT_LINE = PROTOBUF_BYTES(3),
	N_STREAMS = 2
};

enum { HEADER = 7 /* bytes: of the file and of a piece */, BLOCK = 32768 };

/* Type of a piece. */
enum wandb_piece { PIECE_WHOLE = 1, PIECE_FIRST, PIECE_MIDDLE, PIECE_LAST };

struct wandb_file {
	struct strbuf *out;
	struct crc32_table table;
	struct strbuf message; /* pieces of the current record */
	int open;              /* last piece of the record is missing */
	/* Incomplete line of console output, by stream. */
	struct strbuf console[N_STREAMS];
	struct strbuf key; /* of the current item */
};

static size_t
bytes_in(struct protobuf m)
{
	return (size_t)(m.end - m.at);
}

static void
add_bytes(struct strbuf *out, struct protobuf m)
{
	strbuf_add(out, (const char *)m.at, bytes_in(m));
}

/* Read the key (t->key) and the value of an item. Parts of a nested key are
 * joined by dots, as W&B shows them. Returns 1 if the item is to be kept: its
 * value is valid JSON in one line, and an array or object only if `objects`. */
static int
read_item(struct wandb_file *t, struct protobuf m, int objects,
    struct protobuf *value)
{
	struct protobuf_field f;
	const char *text;
	size_t len;

	*value = (struct protobuf){ NULL, NULL, NULL };
	strbuf_reset(&t->key);
	while (protobuf_next(&m, &f)) {
		if (f.key == ITEM_VALUE)
			*value = f.bytes;
		if (f.key != ITEM_KEY && f.key != ITEM_NESTED_KEY)
			continue;
		if (t->key.len > 0)
			strbuf_addch(&t->key, '.');
		add_bytes(&t->key, f.bytes);
	}
	text = (const char *)value->at;
	len = bytes_in(*value);
	if (t->key.len == 0 || t->key.full || len == 0 ||
	    len > WANDB_MAX_VALUE ||
	    (!objects && (*text == '{' || *text == '[')))
		return 0;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ')
			return 0;
	return json_is_value(text, len);
}

/* Write a row of the history: its items, and its step if no item states it. */
static void
add_history(struct wandb_file *t, struct protobuf m)
{
	struct protobuf_field f;
	struct protobuf value;
	int64_t step = -1;
	int n = 0, has_step = 0;

	while (protobuf_next(&m, &f)) {
		struct protobuf inner = f.bytes;

		if (f.key == HISTORY_ITEM && read_item(t, inner, 0, &value)) {
			has_step |= strcmp(t->key.buf, "_step") == 0;
			strbuf_addch(t->out, n++ == 0 ? '{' : ',');
			json_add_string(t->out, t->key.buf, t->key.len);
			strbuf_addch(t->out, ':');
			add_bytes(t->out, value);
		} else if (f.key == HISTORY_STEP) {
			while (protobuf_next(&inner, &f))
				if (f.key == STEP_NUM)
					step = (int64_t)f.bits;
		}
	}
	if (n > 0 && !has_step && step >= 0)
		strbuf_printf(t->out, ",\"_step\":%" PRId64, step);
	if (n > 0)
		strbuf_addstr(t->out, "}\n");
}

/* Write one line per key: a single line would be too long for patterns. */
static void
add_config(struct wandb_file *t, struct protobuf m)
{
	struct protobuf_field f;
	struct protobuf value;

	while (protobuf_next(&m, &f)) {
		/* W&B's own key: versions, not the program's configuration. */
		if (f.key != CONFIG_UPDATE ||
		    !read_item(t, f.bytes, 1, &value) ||
		    strcmp(t->key.buf, "_wandb") == 0)
			continue;
		strbuf_addstr(t->out, "{\"config\":");
		json_add_string(t->out, t->key.buf, t->key.len);
		strbuf_addstr(t->out, ",\"value\":");
		add_bytes(t->out, value);
		strbuf_addstr(t->out, "}\n");
	}
}

static void
end_line(struct strbuf *console, struct strbuf *out)
{
	if (console->len > 0) {
		strbuf_add(out, console->buf, console->len);
		strbuf_addch(out, '\n');
	}
	strbuf_reset(console);
}

/* Console output comes in pieces of two streams. Buffer each stream's line, so
 * that no line of the other stream or of the history splits it. */
static void
add_output(struct wandb_file *t, struct protobuf m)
{
	struct protobuf text = { NULL, NULL, NULL };
	struct strbuf *console = &t->console[0];
	struct protobuf_field f;

	while (protobuf_next(&m, &f))
		if (f.key == OUTPUT_TYPE)
			console = &t->console[f.bits == 1];
		else if (f.key == OUTPUT_LINE)
			text = f.bytes;
	for (; text.at < text.end; text.at++) {
		const int ends = *text.at == '\n' || *text.at == '\r';

		if (ends || console->len == WANDB_MAX_CONSOLE)
			end_line(console, t->out);
		if (!ends)
			strbuf_addch(console, (char)*text.at);
	}
}

static void
add_field(struct wandb_file *t, const struct protobuf_field *record)
{
	struct protobuf m = record->bytes;
	struct protobuf_field f;

	switch (record->key) {
	case RECORD_HISTORY:
		add_history(t, m);
		break;
	case RECORD_CONFIG:
		add_config(t, m);
		break;
	case RECORD_RUN:
		while (protobuf_next(&m, &f))
			if (f.key == RUN_CONFIG)
				add_config(t, f.bytes);
		break;
	case RECORD_OUTPUT:
	case RECORD_OUTPUT_RAW:
		add_output(t, m);
		break;
	case RECORD_ENVIRONMENT:
		/* The number of GPUs in the machine is not the number used. */
		while (protobuf_next(&m, &f)) {
			const size_t len = bytes_in(f.bytes);

			if (f.key != ENVIRONMENT_GPU || len == 0 ||
			    len > WANDB_MAX_VALUE)
				continue;
			strbuf_addstr(t->out, "{\"gpu_type\":");
			json_add_string(t->out, f.bytes.at, len);
			strbuf_addstr(t->out, "}\n");
		}
		break;
	case RECORD_EXIT:
		for (int i = 0; i < N_STREAMS; i++)
			end_line(&t->console[i], t->out);
		break;
	}
}

int
wandb_file_is(const char *data, size_t len)
{
	return len >= HEADER && memcmp(data, ":W&B\xe1\xbe\0", HEADER) == 0;
}

/* Add an intact piece. Returns 0; -1 if a piece before it is missing or its
 * record is not a message. */
static int
add_piece(
    struct wandb_file *f, unsigned type, const unsigned char *data, size_t len)
{
	const int begins = type == PIECE_WHOLE || type == PIECE_FIRST;
	const size_t before = f->out->len;
	struct protobuf_field field;
	int bad = 0;
	struct protobuf m = { .bad = &bad };
	/* A killed process leaves a first piece without its last. */
	const int rc = begins == f->open ? -1 : 0;

	if (!begins && !f->open)
		return rc;
	if (begins)
		strbuf_reset(&f->message);
	strbuf_add(&f->message, (const char *)data, len);
	f->open = type == PIECE_FIRST || type == PIECE_MIDDLE;
	if (f->open || f->message.full)
		return rc;
	/* Append the lines that the record completes; none if it is
	 * malformed. */
	m.at = (const unsigned char *)f->message.buf;
	m.end = m.at + f->message.len;
	while (protobuf_next(&m, &field))
		add_field(f, &field);
	if (bad || f->out->full)
		strbuf_cut(f->out, before);
	return bad ? -1 : rc;
}

int
wandb_file_read(struct store_input *in, struct strbuf *lines, struct error *e)
{
	struct wandb_file f = { .out = lines };
	unsigned char *block = xmalloc(BLOCK);
	size_t n = BLOCK;

	(void)e;
	crc32_init(&f.table, CRC32_ZIP);
	strbuf_init(&f.message, WANDB_MAX_MESSAGE);
	for (int i = 0; i < N_STREAMS; i++)
		strbuf_init(&f.console[i], WANDB_MAX_CONSOLE);
	strbuf_init(&f.key, WANDB_MAX_KEY);
	for (size_t at = HEADER; n == BLOCK; at = 0) {
		n = store_read(in, block, BLOCK);
		/* After a damaged piece the rest of the block is lost. */
		while (at < n && BLOCK - at >= HEADER) {
			const unsigned char *h = block + at;
			const size_t len = little_endian(h + 4, 2);
			const unsigned type = h[6];

			at += HEADER;
			if (at > n || len > n - at || type < PIECE_WHOLE ||
			    type > PIECE_LAST ||
			    crc32_add(&f.table, 0, h + 6, len + 1) !=
				little_endian(h, 4)) {
				f.open = 0;
				in->cut = 1;
				break;
			}
			in->cut |= add_piece(&f, type, h + HEADER, len) != 0;
			at += len;
		}
	}
	in->cut |= f.open;
	strbuf_release(&f.message);
	for (int i = 0; i < N_STREAMS; i++)
		strbuf_release(&f.console[i]);
	strbuf_release(&f.key);
	free(block);
	return 0;
}
