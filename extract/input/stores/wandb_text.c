/* Messages of W&B's logs, as far as rows, configuration and console need them.
 * The numbers of the fields are those of W&B's wandb_internal.proto.  Called by
 * wandb_file.c with whole records; knows neither files nor checksums. */
#include <config.h>

#include "extract/input/stores/wandb_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/input/encoding/json_cursor.h"
#include "extract/input/encoding/records.h"

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

/* May the value stand in a line: is it one value of JSON and nothing else?
 * Objects only where they are asked for. */
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
