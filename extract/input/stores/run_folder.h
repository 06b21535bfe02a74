/* Folders that are one run, of which many small files show: a run of MLflow's
 * file store (mlruns/EXPERIMENT/RUN with meta.yaml, metrics/, params/, tags/)
 * and the files of a W&B run as they are downloaded (wandb-history.jsonl with
 * config.yaml).  They become lines as those of a W&B log do (wandb_text.h):
 *
 *	{"config":"per_device_train_batch_size","value":"8"}
 *	{"_step":20,"_timestamp":1700000045.500,"train/loss":2.5}
 *
 * Values of one step that were logged one after the other become one row; rows
 * stand in the order of their times.
 */
#ifndef EXTRACT_INPUT_STORES_RUN_FOLDER_H
#define EXTRACT_INPUT_STORES_RUN_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/strbuf.h"

/* The entries of a folder, sorted by bytes, without those that begin with a
 * dot; free them with folder_names_free.
 *
 * n_hidden  incremented by the latter, besides "." and ".."
 *
 * Returns NULL if it cannot be read; errno states why. */
char **folder_names_read(const char *path, size_t *n, int64_t *n_hidden);

/* True if that name is one of them.
 *
 * names  [n] sorted by bytes */
int folder_names_has(char *const *names, size_t n, const char *name);

/* Free them each and all; names may be NULL. */
void folder_names_free(char **names, size_t n);

enum {
	RUN_FOLDER_MAX_POINTS = 1 << 22, /* values of all metrics */
	RUN_FOLDER_MAX_FILES = 1 << 12, /* metrics, parameters, tags: of each */
	RUN_FOLDER_MAX_VALUE = 4096,    /* bytes of a parameter; the rest of
	                                    it is left out */
	RUN_FOLDER_MAX_TEXT = 1 << 30   /* bytes of all lines */
};

/* True if these are the names of the entries of such a folder.
 *
 * path   of the folder
 * names  [n] sorted */
int run_folder_is(const char *path, char *const *names, size_t n);

/* The same of a folder that is not read yet. */
int run_folder_is_at(const char *path);

/* Add its lines to out.
 *
 * cut  set to 1 where a file ends within a line, or has lines that are none:
 *      it is still written to, or damaged
 *
 * Returns 0; -1 with a message without the path: a file cannot be read, or
 * there is more than the above. */
int run_folder_read(
    const char *path, struct strbuf *out, int *cut, struct error *e);

#endif
