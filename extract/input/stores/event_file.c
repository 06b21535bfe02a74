/* Frames of event files: found, checked and handed on to event_text.c.  Called
 * by the byte source as one of its decompressors; what is in a frame, and what
 * lines are made into, is not known here. */
#include <config.h>

#include "extract/input/stores/event_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "extract/input/encoding/records.h"
#include "extract/input/stores/event_text.h"

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
