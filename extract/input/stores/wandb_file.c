/* Records of W&B's logs: found, checked, put together and handed on to
 * wandb_text.c.  Called by the byte source as one of its decompressors; what is
 * in a record, and what lines are made into, is not known here. */
#include <config.h>

#include "extract/input/stores/wandb_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "extract/input/encoding/records.h"
#include "extract/input/stores/wandb_text.h"

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

/* Is this where a file may end? */
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
