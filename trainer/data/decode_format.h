/* What decode.c wants of an image format; one file each has a table of these.
 */
#ifndef TRAINER_DATA_DECODE_FORMAT_H
#define TRAINER_DATA_DECODE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum {
	DECODE_MAX_PIXELS = 1 << 27, /* of an image: 134 million */
	DECODE_MAX_SCANS = 200,      /* of a progressive JPEG */
	DECODE_PAD = 64 /* bytes that can be read after the last pixel */
};

/* Pixels x0 .. x1 - 1 of rows y0 .. y1 - 1. */
struct decode_box {
	int x0, y0, x1, y1;
};

/* What was decoded; lives until the decoder's next call. */
struct decode_pixels {
	const uint8_t *rgb; /* the box's first pixel; DECODE_PAD bytes after
	                       its last one can be read */
	size_t stride;      /* bytes from a row to the next */
};

struct decode_format {
	const char *name;    /* "JPEG" */
	const char *library; /* "libjpeg" */
	const char *magic;   /* what a file of the format starts with */
	size_t magic_len;
	int max_scale;         /* 1, 2, 4 or 8: see decoder_scale */
	void *(*create)(void); /* NULL if built without the library */
	void (*destroy)(void *state);
	int (*open)(void *state, const uint8_t *data, size_t len, int *w,
	    int *h, struct error *e);
	int (*read)(void *state, int scale, const struct decode_box *box,
	    struct decode_pixels *out, struct error *e);
};

extern const struct decode_format decode_jpeg, decode_png;

/* Refuse sizes that decoder_open refuses.  Returns 0 or -1. */
int decode_check_size(unsigned long w, unsigned long h, struct error *e);

#endif
