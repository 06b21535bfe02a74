/* W&B's logs are a header of 7 bytes (":W&B", 0xbee1, version 0) and records in
 * blocks of 32 KiB, as in LevelDB's logs: CRC-32 of type and data in 4 bytes,
 * length in 2, type in 1 (whole, first, middle or last piece), the data. No
 * piece crosses the end of a block; fewer than 7 bytes before it are zeros.
 * (Sources: LevelDB, doc/log_format.md; W&B, sdk/internal/datastore.py, whose
 * CRC is zip's and not LevelDB's.) After a damaged record the rest of its block
 * is lost, and the file counts as truncated. */
#include <config.h>

#include "extract/input/encoding/records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"

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

/* --- records -------------------------------------------------------------- */

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
 * value is a single one on one line, an object only if requested. */
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

/* Write a row of the history: its items, and its step unless among them. */
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

/* --- pieces of records ---------------------------------------------------- */

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
