/* Logs of Weights & Biases runs (run-ID.wandb) as lines, made while the bytes
 * are read.  A row of the history becomes an object, as does each key of the
 * configuration; what the program printed stays as it is:
 *
 *	{"config":"per_device_train_batch_size","value":8}
 *	Epoch 0 ...
 *	{"_step":20,"train/loss":2.5,"_runtime":45.5,"_timestamp":1700000045.5}
 *
 * Numbers, short texts and words of a row are kept, not objects (histograms,
 * media).
 *
 * A file is a header of 7 bytes (":W&B", 0xbee1, version 0) and records in
 * blocks of 32 KiB, as LevelDB's logs are: CRC-32 of type and data in 4 bytes,
 * length in 2, type in 1 (whole, first, middle or last piece), the data.  No
 * piece crosses the end of a block; fewer than 7 bytes before it are zeros.
 * (Sources: LevelDB, doc/log_format.md; W&B, sdk/internal/datastore.py, whose
 * CRC is zip's and not LevelDB's.)  A damaged record loses the rest of its
 * block, and the file counts as cut short.
 */
#ifndef EXTRACT_INPUT_STORES_WANDB_FILE_H
#define EXTRACT_INPUT_STORES_WANDB_FILE_H

#include <stddef.h>

#include "common/strbuf.h"
#include "extract/input/encoding/records.h"

enum {
	WANDB_MAX_KEY = 512,         /* bytes; values of longer keys, */
	WANDB_MAX_VALUE = 4096,      /* and longer ones are left out */
	WANDB_MAX_CONSOLE = 64 << 10 /* bytes of a line before it ends */
};

enum {
	WANDB_MAX_MESSAGE = 4 << 20 /* bytes; longer ones (tables, media) are
	                               checked, and hold no scalars */
};

/* True if data begins with the header; 7 bytes suffice. */
int wandb_file_is(const char *data, size_t len);

/* As struct store states. */
void *wandb_file_open(void);
int wandb_file_next(
    void *state, struct store_input *in, struct strbuf *lines, struct error *e);
void wandb_file_close(void *state);

/* Add the lines that a record completes; none where it states nothing about the
 * above.
 *
 * state  of wandb_file_open
 * data   [len] the serialised message
 *
 * Returns 0; -1 where it is no message: nothing is added. */
int wandb_record_add(
    void *state, const void *data, size_t len, struct strbuf *out);

#endif
