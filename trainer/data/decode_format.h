/* What decode.c wants of a image format; one file each has a table of these.
 */
#ifndef TRAINER_DATA_DECODE_FORMAT_H
#define TRAINER_DATA_DECODE_FORMAT_H

#include "trainer/data/decode.h"

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
