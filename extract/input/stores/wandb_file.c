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
	ENVIRONMENT_GPU = 18, /* name of a GPU, without how many */
	/* messages OutputRecord, OutputRawRecord */
	OUTPUT_TYPE = 1, /* 0: stderr, 1: stdout */
	OUTPUT_LINE = 3,
	N_STREAMS = 2
};

struct wandb_text {
	/* What was printed after the last end of a line, by its stream. */
	struct strbuf console[N_STREAMS];
	struct strbuf key; /* of the current item */
};

struct wandb_text *
wandb_text_new(void)
{
	struct wandb_text *t = xcalloc(1, sizeof *t);

	for (int i = 0; i < N_STREAMS; i++)
		strbuf_init(&t->console[i], WANDB_MAX_CONSOLE);
	strbuf_init(&t->key, WANDB_MAX_KEY);
	return t;
}

void
wandb_text_free(struct wandb_text *t)
{
	if (t == NULL)
		return;
	for (int i = 0; i < N_STREAMS; i++)
		strbuf_release(&t->console[i]);
	strbuf_release(&t->key);
	free(t);
}

/* --- items ---------------------------------------------------------------- */

/* True for a single value of JSON.  Objects count only where asked for. */
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

/* Parts of a nested key are joined by dots, as W&B shows them. */
static void
add_key(struct strbuf *key, struct protobuf_bytes part)
{
	if (key->len > 0)
		strbuf_addch(key, '.');
	strbuf_add(key, (const char *)part.at, (size_t)(part.end - part.at));
}

/* The key (t->key) and the value of an item.  Returns 1 if both are to be kept,
 * 0, or -1 where it is no message. */
static int
read_item(struct wandb_text *t, struct protobuf_bytes m, int objects,
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

/* Add "KEY" BETWEEN VALUE. */
static void
add_item(const struct wandb_text *t, const char *between,
    struct protobuf_bytes value, struct strbuf *out)
{
	const unsigned char *key = (const unsigned char *)t->key.buf;

	protobuf_add_string(
	    out, (struct protobuf_bytes){ key, key + t->key.len });
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

/* A row of the history: its items, and its step unless that is one of them. */
static int
add_history(struct wandb_text *t, struct protobuf_bytes m, struct strbuf *out)
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

/* A line a key: where all stood in one, it would be too long for patterns. */
static int
add_config(struct wandb_text *t, struct protobuf_bytes m, struct strbuf *out)
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
		/* W&B's own: versions, not the program's configuration. */
		if (!kept || strcmp(t->key.buf, "_wandb") == 0)
			continue;
		strbuf_addstr(out, "{\"config\":");
		add_item(t, ",\"value\":", value, out);
		strbuf_addstr(out, "}\n");
	}
	return rc;
}

static int
add_run(struct wandb_text *t, struct protobuf_bytes m, struct strbuf *out)
{
	struct protobuf_field f;
	int rc;

	while ((rc = protobuf_next(&m, &f)) > 0)
		if (f.number == RUN_CONFIG && f.wire == WIRE_BYTES &&
		    (rc = add_config(t, f.bytes, out)) != 0)
			break;
	return rc;
}

/* End the line of a stream. */
static void
end_line(struct strbuf *console, struct strbuf *out)
{
	if (console->len > 0) {
		strbuf_add(out, console->buf, console->len);
		strbuf_addch(out, '\n');
	}
	strbuf_reset(console);
}

/* What was printed comes in pieces, of two streams: lines are put together, so
 * that none of another stream or of the history falls into them. */
static int
add_output(struct wandb_text *t, struct protobuf_bytes m, struct strbuf *out)
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

/* The GPUs' name.  How many the machine has states not how many were used. */
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
		protobuf_add_string(out, f.bytes);
		strbuf_addstr(out, "}\n");
	}
	return rc;
}

static int
add_record(
    struct wandb_text *t, const struct protobuf_field *f, struct strbuf *out)
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
wandb_text_add(
    struct wandb_text *t, const void *data, size_t len, struct strbuf *out)
{
	struct protobuf_bytes m = { data, (const unsigned char *)data + len };
	const size_t before = out->len;
	struct protobuf_field f;
	int rc;

	while ((rc = protobuf_next(&m, &f)) > 0)
		if (f.wire == WIRE_BYTES && add_record(t, &f, out) != 0)
			break;
	if (rc == 0 && !out->full)
		return 0;
	/* Half a record is no line. */
	out->len = before;
	if (out->alloc > 0)
		out->buf[before] = '\0';
	return -1;
}

/* --- records -------------------------------------------------------------- */

enum {
	HEADER = 7, /* bytes: of the file, and of a piece */
	BLOCK = 32768,
	MAX_LINES = 16 << 20 /* bytes of text that a record may become */
};

/* The type of a piece. */
enum wandb_piece { PIECE_WHOLE = 1, PIECE_FIRST, PIECE_MIDDLE, PIECE_LAST };

/* What comes next. */
enum wandb_part { PART_FILE, PART_HEADER, PART_DATA, PART_SKIP };

struct wandb_file {
	struct crc32_table table;
	enum wandb_part part;
	size_t at; /* in the block */
	unsigned char header[HEADER];
	size_t n_header;
	size_t left;  /* bytes of PART_DATA or PART_SKIP */
	uint32_t crc; /* of the piece so far */
	unsigned char piece[BLOCK];
	size_t n_piece;
	struct strbuf message; /* of the pieces so far */
	int open;              /* a first piece was there, its last was not */
	int damaged;           /* some record was */
	struct wandb_text *text;
	struct strbuf lines;
	size_t lines_at; /* bytes of lines that were given out */
};

int
wandb_file_is(const char *data, size_t len)
{
	return len >= HEADER && memcmp(data, ":W&B\xe1\xbe\0", HEADER) == 0;
}

void *
wandb_file_open(void)
{
	struct wandb_file *f = xcalloc(1, sizeof *f);

	crc32_init(&f->table, CRC32_ZIP);
	strbuf_init(&f->message, WANDB_MAX_MESSAGE);
	strbuf_init(&f->lines, MAX_LINES);
	f->text = wandb_text_new();
	return f;
}

void
wandb_file_close(void *state)
{
	struct wandb_file *f = state;

	strbuf_release(&f->message);
	strbuf_release(&f->lines);
	wandb_text_free(f->text);
	free(f);
}

/* Pass over n bytes, as many as are left of the block if they hold no piece. */
static void
skip_bytes(struct wandb_file *f, size_t n)
{
	f->left = n;
	f->part = PART_SKIP;
}

/* What is left of the block cannot be trusted. */
static void
lose_block(struct wandb_file *f)
{
	f->damaged = 1;
	f->open = 0;
	skip_bytes(f, BLOCK - f->at);
}

static void
end_message(struct wandb_file *f)
{
	f->open = 0;
	if (!f->message.full &&
	    wandb_text_add(
		f->text, f->message.buf, f->message.len, &f->lines) != 0)
		f->damaged = 1;
}

/* A piece is complete and sound. */
static void
add_piece(struct wandb_file *f, enum wandb_piece type)
{
	const int begins = type == PIECE_WHOLE || type == PIECE_FIRST;

	/* A first piece without its last one, or the other way round, was
	 * written by a process that was killed, or before what was lost. */
	if (begins == f->open)
		f->damaged = 1;
	if (begins)
		strbuf_reset(&f->message);
	else if (!f->open)
		return;
	f->open = 1;
	strbuf_add(&f->message, (const char *)f->piece, f->n_piece);
	if (type == PIECE_WHOLE || type == PIECE_LAST)
		end_message(f);
}

static void
end_data(struct wandb_file *f)
{
	const unsigned char *h = f->header;
	const uint32_t crc = (uint32_t)h[0] | (uint32_t)h[1] << 8 |
	    (uint32_t)h[2] << 16 | (uint32_t)h[3] << 24;

	if (f->crc != crc) {
		lose_block(f);
		return;
	}
	f->part = PART_HEADER;
	add_piece(f, (enum wandb_piece)h[6]);
}

/* The header of a piece is there. */
static void
begin_data(struct wandb_file *f)
{
	const size_t len = (size_t)f->header[4] | (size_t)f->header[5] << 8;
	const unsigned type = f->header[6];

	if (type < PIECE_WHOLE || type > PIECE_LAST || len > BLOCK - f->at) {
		lose_block(f);
		return;
	}
	f->crc = crc32_add(&f->table, 0, f->header + 6, 1);
	f->left = len;
	f->n_piece = 0;
	f->part = PART_DATA;
	if (len == 0)
		end_data(f);
}

static void
take_header(struct wandb_file *f, const char *in, size_t n)
{
	memcpy(f->header + f->n_header, in, n);
	f->n_header += n;
	if (f->n_header < HEADER)
		return;
	f->n_header = 0;
	if (f->part == PART_HEADER) {
		begin_data(f);
		return;
	}
	f->part = PART_HEADER;
	if (!wandb_file_is((const char *)f->header, HEADER))
		lose_block(f);
}

static void
take_data(struct wandb_file *f, const char *in, size_t n)
{
	f->left -= n;
	if (f->part == PART_SKIP) {
		if (f->left == 0)
			f->part = PART_HEADER;
		return;
	}
	memcpy(f->piece + f->n_piece, in, n);
	f->n_piece += n;
	f->crc = crc32_add(&f->table, f->crc, in, n);
	if (f->left == 0)
		end_data(f);
}

/* Take some bytes of what comes next; n of *in_len. */
static void
take_some(struct wandb_file *f, const char **in, size_t *in_len)
{
	const int is_header = f->part == PART_FILE || f->part == PART_HEADER;
	const char *from = *in;
	size_t n = is_header ? HEADER - f->n_header : f->left;

	if (n > *in_len)
		n = *in_len;
	*in += n;
	*in_len -= n;
	f->at += n;
	if (is_header)
		take_header(f, from, n);
	else
		take_data(f, from, n);
	if (f->part == PART_SKIP && f->left == 0)
		f->part = PART_HEADER;
	if (f->part == PART_HEADER && f->n_header == 0) {
		if (f->at == BLOCK)
			f->at = 0;
		else if (BLOCK - f->at < HEADER)
			skip_bytes(f, BLOCK - f->at);
	}
}

/* True where a file may end. */
static int
is_complete(const struct wandb_file *f)
{
	return !f->damaged && !f->open &&
	    ((f->part == PART_HEADER && f->n_header == 0) ||
		(f->part == PART_SKIP && BLOCK - f->at == f->left));
}

enum decompress_outcome
wandb_file_run(
    void *state, const char **in, size_t *in_len, char **out, size_t *out_len)
{
	struct wandb_file *f = state;

	while (decompressor_emit(&f->lines, &f->lines_at, out, out_len)) {
		if (*in_len == 0)
			return is_complete(f) ? DECOMPRESS_END
					      : DECOMPRESS_MORE;
		take_some(f, in, in_len);
	}
	return DECOMPRESS_MORE;
}
