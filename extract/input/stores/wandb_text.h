/* Records of a W&B log as lines, so that formats read them as they read any
 * other log: a row of the history becomes an object, as does each key of the
 * configuration, and what the program printed stands as it printed it:
 *
 *	{"config":"per_device_train_batch_size","value":8}
 *	Epoch 0 ...
 *	{"_step":20,"train/loss":2.5,"_runtime":45.5,"_timestamp":1700000045.5}
 *
 * Of a row numbers, short texts and words are kept, not objects (histograms,
 * media).
 *
 *	struct wandb_text *t = wandb_text_new();
 *	rc = wandb_text_add(t, data, len, &out);      (each record)
 *	wandb_text_free(t);
 */
#ifndef EXTRACT_INPUT_STORES_WANDB_TEXT_H
#define EXTRACT_INPUT_STORES_WANDB_TEXT_H

#include <stddef.h>

#include "common/strbuf.h"

enum {
	WANDB_MAX_KEY = 512,         /* bytes; values of longer keys, */
	WANDB_MAX_VALUE = 4096,      /* and longer ones are left out */
	WANDB_MAX_CONSOLE = 64 << 10 /* bytes of a line before it ends */
};

struct wandb_text;

/* Without records; and free it. */
struct wandb_text *wandb_text_new(void);
void wandb_text_free(struct wandb_text *t);

/* Add the lines that a record completes; none where it states nothing about the
 * above.
 *
 * data  [len] the serialised message
 *
 * Returns 0; -1 where it is no message: nothing is added. */
int wandb_text_add(
    struct wandb_text *t, const void *data, size_t len, struct strbuf *out);

#endif
