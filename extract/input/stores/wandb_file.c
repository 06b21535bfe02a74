#include <config.h>

#include "extract/input/stores/wandb_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "extract/input/encoding/json_cursor.h"
#include "extract/input/encoding/records.h"

/* --- messages: fields of wandb_internal.proto ----------------------------- */

enum {
	/* message Record */
	RECORD_HISTORY = 2,
	RECORD_CONFIG = 5,
	RECORD_OUTPUT = 4,
	RECORD_OUTPUT_RAW = 13,
	RECORD_RUN = 17,
	RECORD_EXIT = 18,
	RECORD_ENVIRONMENT = 26,
	/* message HistoryRecord */
	HISTORY_ITEM = 1,
	HISTORY_STEP = 2,
	STEP_NUM = 1,
	/* message RunRecord */
	RUN_CONFIG = 4,
	/* message ConfigRecord */
	CONFIG_UPDATE = 1,
	/* messages HistoryItem, ConfigItem */
	ITEM_KEY = 1,
	ITEM_NESTED_KEY = 2, /* repeated */
	ITEM_VALUE = 16,     /* JSON */
	/* message EnvironmentRecord */
	ENVIRONMENT_GPU = 18, /* GPU name without the count */
	/* messages OutputRecord, OutputRawRecord */
	OUTPUT_TYPE = 1, /* 0: stderr, 1: stdout */
	OUTPUT_LINE = 3,
	N_STREAMS = 2
};

enum { HEADER = 7 /* bytes: of the file and of a piece */, BLOCK = 32768 };

/* Type of a piece. */
enum wandb_piece { PIECE_WHOLE = 1, PIECE_FIRST, PIECE_MIDDLE, PIECE_LAST };

struct wandb_file {
	struct crc32_table table;
	unsigned char block[BLOCK];
	int begun;             /* the file's header was read */
	struct strbuf message; /* pieces of the current record */
	int open;              /* last piece of the record is missing */
	/* Incomplete line of console output, by stream. */
	struct strbuf console[N_STREAMS];
	struct strbuf key; /* of the current item */
};

void *
wandb_file_open(void)
{
	struct wandb_file *f = xcalloc(1, sizeof *f);

	crc32_init(&f->table, CRC32_ZIP);
	strbuf_init(&f->message, WANDB_MAX_MESSAGE);
	for (int i = 0; i < N_STREAMS; i++)
		strbuf_init(&f->console[i], WANDB_MAX_CONSOLE);
	strbuf_init(&f->key, WANDB_MAX_KEY);
	return f;
}

void
wandb_file_close(void *state)
{
	struct wandb_file *f = state;

	strbuf_release(&f->message);
	for (int i = 0; i < N_STREAMS; i++)
		strbuf_release(&f->console[i]);
	strbuf_release(&f->key);
	free(f);
}

/* --- items ---------------------------------------------------------------- */

/* True for a single JSON value. Objects count only if requested. */
static int
is_kept(struct protobuf_bytes v, int objects)
{
	const char *text = (const char *)v.at;
	const size_t len = (size_t)(v.end - v.at);

	if (len == 0 || len > WANDB_MAX_VALUE ||
	    (!objects && (*text == '{' || *text == '[')))
		return 0;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ')
			return 0;
	return json_is_value(text, len);
}

/* Join the parts of a nested key by dots, as W&B shows them. */
static void
add_key(struct strbuf *key, struct protobuf_bytes part)
{
	if (key->len > 0)
		strbuf_addch(key, '.');
	strbuf_add(key, (const char *)part.at, (size_t)(part.end - part.at));
}

/* Read the key (t->key) and the value of an item. Returns 1 if it is to be
 * kept, 0 if not, -1 if it is not a message. */
static int
read_item(struct wandb_file *t, struct protobuf_bytes m, int objects,
    struct protobuf_bytes *value)
{
	struct protobuf_field f;
	int rc;

	*value = (struct protobuf_bytes){ NULL, NULL };
	strbuf_reset(&t->key);
	while ((rc = protobuf_next(&m, &f)) > 0) {
		if (f.wire != WIRE_BYTES)
			continue;
		if (f.number == ITEM_KEY || f.number == ITEM_NESTED_KEY)
			add_key(&t->key, f.bytes);
		else if (f.number == ITEM_VALUE)
			*value = f.bytes;
	}
	if (rc != 0)
		return rc;
	return t->key.len > 0 && !t->key.full && value->at != value->end &&
	    is_kept(*value, objects);
}

/* Append "KEY" BETWEEN VALUE. */
static void
add_item(const struct wandb_file *t, const char *between,
    struct protobuf_bytes value, struct strbuf *out)
{
	json_add_string(out, t->key.buf, t->key.len);
	strbuf_addstr(out, between);
	strbuf_add(out, (const char *)value.at, (size_t)(value.end - value.at));
}

/* --- records -------------------------------------------------------------- */

static int
read_step(struct protobuf_bytes m, int64_t *step)
{
	struct protobuf_field f;
	int rc;

	while ((rc = protobuf_next(&m, &f)) > 0)
		if (f.number == STEP_NUM && f.wire == WIRE_VARINT)
			*step = (int64_t)f.bits;
	return rc;
}

/* Write a row of the history: its items, and its step unless among them. */
static int
add_history(struct wandb_file *t, struct protobuf_bytes m, struct strbuf *out)
{
	struct protobuf_bytes value;
	struct protobuf_field f;
	int64_t step = -1;
	int rc, n = 0, kept, has_step = 0;

	while ((rc = protobuf_next(&m, &f)) > 0) {
		if (f.number == HISTORY_STEP && f.wire == WIRE_BYTES &&
		    read_step(f.bytes, &step) != 0)
			return -1;
		if (f.number != HISTORY_ITEM || f.wire != WIRE_BYTES)
			continue;
		kept = read_item(t, f.bytes, 0, &value);
		if (kept < 0)
			return -1;
		if (!kept)
			continue;
		has_step |= strcmp(t->key.buf, "_step") == 0;
		strbuf_addch(out, n++ == 0 ? '{' : ',');
		add_item(t, ":", value, out);
	}
	if (n > 0 && !has_step && step >= 0)
		strbuf_printf(out, ",\"_step\":%" PRId64, step);
	if (n > 0)
		strbuf_addstr(out, "}\n");
	return rc;
}

/* Write one line per key: a single line would be too long for patterns. */
static int
add_config(struct wandb_file *t, struct protobuf_bytes m, struct strbuf *out)
{
	struct protobuf_bytes value;
	struct protobuf_field f;
	int rc, kept;

	while ((rc = protobuf_next(&m, &f)) > 0) {
		if (f.number != CONFIG_UPDATE || f.wire != WIRE_BYTES)
			continue;
		kept = read_item(t, f.bytes, 1, &value);
		if (kept < 0)
			return -1;
		/* W&B's own key: versions, not the program's configuration. */
		if (!kept || strcmp(t->key.buf, "_wandb") == 0)
			continue;
		strbuf_addstr(out, "{\"config\":");
		add_item(t, ",\"value\":", value, out);
		strbuf_addstr(out, "}\n");
	}
	return rc;
}

static int
add_run(struct wandb_file *t, struct protobuf_bytes m, struct strbuf *out)
{
	struct protobuf_field f;
	int rc;

	while ((rc = protobuf_next(&m, &f)) > 0)
		if (f.number == RUN_CONFIG && f.wire == WIRE_BYTES &&
		    (rc = add_config(t, f.bytes, out)) != 0)
			break;
	return rc;
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
static int
add_output(struct wandb_file *t, struct protobuf_bytes m, struct strbuf *out)
{
	struct protobuf_bytes text = { NULL, NULL };
	struct protobuf_field f;
	struct strbuf *console;
	unsigned stream = 0;
	int rc;

	while ((rc = protobuf_next(&m, &f)) > 0) {
		if (f.number == OUTPUT_TYPE && f.wire == WIRE_VARINT)
			stream = f.bits == 1;
		else if (f.number == OUTPUT_LINE && f.wire == WIRE_BYTES)
			text = f.bytes;
	}
	console = &t->console[stream];
	for (; rc == 0 && text.at < text.end; text.at++) {
		if (console->len == WANDB_MAX_CONSOLE)
			end_line(console, out);
		if (*text.at == '\n' || *text.at == '\r')
			end_line(console, out);
		else
			strbuf_addch(console, (char)*text.at);
	}
	return rc;
}

/* Write the name of the GPUs. Their number in the machine is not the number
 * used. */
static int
add_environment(struct protobuf_bytes m, struct strbuf *out)
{
	struct protobuf_field f;
	int rc;

	while ((rc = protobuf_next(&m, &f)) > 0) {
		if (f.number != ENVIRONMENT_GPU || f.wire != WIRE_BYTES ||
		    f.bytes.at == f.bytes.end ||
		    f.bytes.end - f.bytes.at > WANDB_MAX_VALUE)
			continue;
		strbuf_addstr(out, "{\"gpu_type\":");
		json_add_string(
		    out, f.bytes.at, (size_t)(f.bytes.end - f.bytes.at));
		strbuf_addstr(out, "}\n");
	}
	return rc;
}

static int
add_record(
    struct wandb_file *t, const struct protobuf_field *f, struct strbuf *out)
{
	switch (f->number) {
	case RECORD_HISTORY:
		return add_history(t, f->bytes, out);
	case RECORD_CONFIG:
		return add_config(t, f->bytes, out);
	case RECORD_RUN:
		return add_run(t, f->bytes, out);
	case RECORD_OUTPUT:
	case RECORD_OUTPUT_RAW:
		return add_output(t, f->bytes, out);
	case RECORD_ENVIRONMENT:
		return add_environment(f->bytes, out);
	case RECORD_EXIT:
		for (int i = 0; i < N_STREAMS; i++)
			end_line(&t->console[i], out);
		return 0;
	default:
		return 0;
	}
}

int
wandb_record_add(void *state, const void *data, size_t len, struct strbuf *out)
{
	struct wandb_file *t = state;
	struct protobuf_bytes m = { data, (const unsigned char *)data + len };
	const size_t before = out->len;
	struct protobuf_field f;
	int rc;

	while ((rc = protobuf_next(&m, &f)) > 0)
		if (f.wire == WIRE_BYTES && add_record(t, &f, out) != 0)
			break;
	if (rc == 0 && !out->full)
		return 0;
	/* Drop the line of an incomplete record. */
	out->len = before;
	if (out->alloc > 0)
		out->buf[before] = '\0';
	return -1;
}

/* --- pieces of records ---------------------------------------------------- */

int
wandb_file_is(const char *data, size_t len)
{
	return len >= HEADER && memcmp(data, ":W&B\xe1\xbe\0", HEADER) == 0;
}

/* Add an intact piece. Returns 0; -1 if a piece before it is missing or its
 * record is not a message. */
static int
add_piece(struct wandb_file *f, unsigned type, const unsigned char *data,
    size_t len, struct strbuf *lines)
{
	const int begins = type == PIECE_WHOLE || type == PIECE_FIRST;
	/* A killed process leaves a first piece without its last. */
	int rc = begins == f->open ? -1 : 0;

	if (!begins && !f->open)
		return rc;
	if (begins)
		strbuf_reset(&f->message);
	f->open = 1;
	strbuf_add(&f->message, (const char *)data, len);
	if (type == PIECE_FIRST || type == PIECE_MIDDLE)
		return rc;
	f->open = 0;
	if (!f->message.full &&
	    wandb_record_add(f, f->message.buf, f->message.len, lines) != 0)
		rc = -1;
	return rc;
}

/* Read the pieces of a block of n bytes from `at` on. After a damaged piece the
 * rest of the block is lost. */
static void
read_block(struct wandb_file *f, size_t at, size_t n, struct store_input *in,
    struct strbuf *lines)
{
	while (at < n && BLOCK - at >= HEADER) {
		const unsigned char *h = f->block + at;
		const uint32_t crc = (uint32_t)h[0] | (uint32_t)h[1] << 8 |
		    (uint32_t)h[2] << 16 | (uint32_t)h[3] << 24;
		const size_t len = (size_t)h[4] | (size_t)h[5] << 8;
		const unsigned type = h[6];

		at += HEADER;
		if (at > n || len > n - at || type < PIECE_WHOLE ||
		    type > PIECE_LAST ||
		    crc32_add(&f->table, 0, h + 6, len + 1) != crc) {
			in->cut = 1;
			f->open = 0;
			return;
		}
		in->cut |= add_piece(f, type, h + HEADER, len, lines) != 0;
		at += len;
	}
}

int
wandb_file_next(
    void *state, struct store_input *in, struct strbuf *lines, struct error *e)
{
	struct wandb_file *f = state;
	const size_t n = store_read(in, f->block, BLOCK);

	(void)e;
	if (n > 0)
		read_block(f, f->begun ? 0 : HEADER, n, in, lines);
	f->begun = 1;
	in->cut |= n < BLOCK && f->open;
	return n == BLOCK;
}
