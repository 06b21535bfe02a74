/* Logs of Weights & Biases runs (run-ID.wandb) as lines, made while the bytes
 * are read as if they were unpacked: a row of the decompressors.
 *
 * A file is a header of 7 bytes (":W&B", 0xbee1, version 0) and records in
 * blocks of 32 KiB, as LevelDB's logs are: CRC-32 of type and data in 4 bytes,
 * length in 2, type in 1 (whole, first, middle or last piece), the data.  No
 * piece crosses the end of a block; fewer than 7 bytes before it are zeros.
 * (Sources: LevelDB, doc/log_format.md; W&B, sdk/internal/datastore.py, whose
 * CRC is zip's and not LevelDB's.)
 *
 * What follows a damaged record is lost up to the end of its block, and the
 * file is one that is cut short, which is reported of its run.  Internal to
 * extract/.
 */
#ifndef EXTRACT_INPUT_STORES_WANDB_FILE_H
#define EXTRACT_INPUT_STORES_WANDB_FILE_H

#include "extract/input/encoding/records.h"

enum {
	WANDB_MAX_MESSAGE = 4 << 20 /* bytes; longer ones (tables, media) are
	                               checked, and hold no scalars */
};

/* Does data begin with the header?  7 bytes are enough to show. */
int wandb_file_is(const char *data, size_t len);

/* As struct decompressor states.  Its stream is complete after each record. */
void *wandb_file_open(void);
enum decompress_outcome wandb_file_run(
    void *state, const char **in, size_t *in_len, char **out, size_t *out_len);
void wandb_file_close(void *state);

#endif
