/* Folders with many small files of one run: a run of MLflow's file store
 * (mlruns/EXPERIMENT/RUN with meta.yaml, metrics/, params/, tags/) or the
 * downloaded files of a W&B run (wandb-history.jsonl with config.yaml). They
 * are converted to lines like those of a W&B log (wandb_text.h):
 *
 *	{"config":"per_device_train_batch_size","value":"8"}
 *	{"_step":20,"_timestamp":1700000045.500,"train/loss":2.5}
 *
 * Successive values of one step form one row; rows are in order of time.
 */
#ifndef EXTRACT_INPUT_STORES_RUN_FOLDER_H
#define EXTRACT_INPUT_STORES_RUN_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/strbuf.h"

/* Entries of a folder, sorted by bytes, without those that begin with a dot.
 * Free them with folder_names_free.
 *
 * n_hidden  incremented by the number of hidden entries, except "." and ".."
 *
 * Returns NULL if it cannot be read; errno states why. */
char **folder_names_read(const char *path, size_t *n, int64_t *n_hidden);

/* True if the name is among them.
 *
 * names  [n] sorted by bytes */
int folder_names_has(char *const *names, size_t n, const char *name);

/* Free the names and the array; names may be NULL. */
void folder_names_free(char **names, size_t n);

enum {
	RUN_FOLDER_MAX_POINTS = 1 << 22, /* values of all metrics */
	RUN_FOLDER_MAX_FILES = 1 << 12,  /* metrics, parameters, tags: each */
	RUN_FOLDER_MAX_VALUE = 4096,     /* bytes per parameter; rest is cut */
	RUN_FOLDER_MAX_TEXT = 1 << 30    /* bytes of all lines */
};

/* True if these are the entries of a run folder.
 *
 * path   of the folder
 * names  [n] sorted */
int run_folder_is(const char *path, char *const *names, size_t n);

/* True if path is a run folder. Reads the folder's entries. */
int run_folder_is_at(const char *path);

/* Append the lines of the run to out.
 *
 * cut  set to 1 if a file ends within a line or has malformed lines: it is
 *      still being written, or damaged
 *
 * Returns 0; -1 with a message without the path: a file cannot be read, or a
 * limit above is exceeded. */
int run_folder_read(
    const char *path, struct strbuf *out, int *cut, struct error *e);

#endif
