/* Convert logs of Weights & Biases runs (run-ID.wandb) to lines while reading
 * them. Each row of the history and each key of the configuration becomes an
 * object; console output is copied:
 *
 *	{"config":"per_device_train_batch_size","value":8}
 *	Epoch 0 ...
 *	{"_step":20,"train/loss":2.5,"_runtime":45.5,"_timestamp":1700000045.5}
 *
 * Rows keep numbers, short texts and words, but not objects (histograms,
 * media).
 *
 * A file is a header of 7 bytes (":W&B", 0xbee1, version 0) and records in
 * blocks of 32 KiB, as in LevelDB's logs: CRC-32 of type and data in 4 bytes,
 * length in 2, type in 1 (whole, first, middle or last piece), the data. No
 * piece crosses the end of a block; fewer than 7 bytes before it are zeros.
 * (Sources: LevelDB, doc/log_format.md; W&B, sdk/internal/datastore.py, whose
 * CRC is zip's and not LevelDB's.) After a damaged record the rest of its block
 * is lost, and the file counts as truncated.
 */
#ifndef EXTRACT_INPUT_STORES_WANDB_FILE_H
#define EXTRACT_INPUT_STORES_WANDB_FILE_H

#include <stddef.h>

#include "common/strbuf.h"
#include "extract/input/encoding/records.h"

enum {
	WANDB_MAX_KEY = 512,         /* bytes; values with longer keys */
	WANDB_MAX_VALUE = 4096,      /* or longer values are skipped */
	WANDB_MAX_CONSOLE = 64 << 10 /* bytes of a line before it is split */
};

enum {
	WANDB_MAX_MESSAGE = 4 << 20 /* bytes; longer messages (tables, media)
	                               are only checked, as they hold no
	                               scalars */
};

/* True if data begins with the header; needs 7 bytes. */
int wandb_file_is(const char *data, size_t len);

/* Implement struct store. */
void *wandb_file_open(void);
int wandb_file_next(
    void *state, struct store_input *in, struct strbuf *lines, struct error *e);
void wandb_file_close(void *state);

/* Append the lines that a record completes, if any.
 *
 * state  from wandb_file_open
 * data   [len] the serialised message
 *
 * Returns 0; -1 if it is not a message: nothing is appended. */
int wandb_record_add(
    void *state, const void *data, size_t len, struct strbuf *out);

#endif
