/* Folders with many files of one run, which are converted to lines:
 *
 * A run of MLflow's file store (mlruns/EXPERIMENT/RUN with meta.yaml, metrics/,
 * params/, tags/) or the downloaded files of a W&B run (wandb-history.jsonl
 * with config.yaml); the lines are like those of a W&B log:
 *
 *	{"config":"per_device_train_batch_size","value":"8"}
 *	{"_step":20,"_timestamp":1700000045.500,"train/loss":2.5}
 *
 * Successive values of one step form one row; rows are in order of time.
 *
 * An event run: event files of one folder that belong to one run, since a
 * trainer that resumes from a checkpoint writes another file next to the first
 * (TensorBoard also treats all event files of a folder as one run). They are
 * listed as one log, FOLDER/events.out.tfevents.*, with the lines of all files
 * in order of time:
 *
 *	{"wall_time":1700000000.250000,"step":20,"event_file":2,"loss":2.5}
 *
 * Other event files remain separate logs: a file that begins at the same step
 * as the first is a new run, and one that begins before the previous file ends
 * was written at the same time.
 */
#ifndef EXTRACT_INPUT_RUN_FOLDER_H
#define EXTRACT_INPUT_RUN_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "common/alloc.h"
#include "common/error.h"

/* Entries of a folder, sorted by bytes, without those that begin with a dot. */
struct folder {
	char **names; /* [n] */
	size_t n;
	int64_t n_hidden; /* hidden entries, except "." and ".." */
};

/* Read a folder. Returns 0; -1 if it cannot be read: f is empty, and errno
 * states why. */
int folder_read(struct folder *f, const char *path);
void folder_release(struct folder *f);

/* True if the folder has an entry of that name. */
int folder_has(const struct folder *f, const char *name);

enum {
	RUN_FOLDER_MAX_POINTS = 1 << 22, /* values of all metrics */
	RUN_FOLDER_MAX_FILES = 1 << 12,  /* metrics, parameters, tags: each */
	RUN_FOLDER_MAX_VALUE = 4096,     /* bytes per parameter; rest is cut */
	RUN_FOLDER_MAX_TEXT = 1 << 30    /* bytes of all lines */
};

/* True if f has the entries of an MLflow or W&B run at that path. */
int run_folder_is(const char *path, const struct folder *f);

/* True if path is a folder of an MLflow or W&B run. */
int run_folder_is_at(const char *path);

/* Name of the combined log of an event run. */
#define EVENT_RUN_NAME "events.out.tfevents.*"

/* True if the name is that of an event file. */
int event_run_has(const char *name);

/* True if the event files among the folder's entries form one run. Reads them
 * if there are several. */
int event_run_is(const char *path, const struct folder *f);

/* True if path ends with EVENT_RUN_NAME and the event files of its folder form
 * one run. */
int event_run_is_at(const char *path);

/* Append the lines of a run to out.
 *
 * path  of the folder, or one that ends with EVENT_RUN_NAME
 * cut   set to 1 if a file ends within a line or has malformed lines: it is
 *       still being written, or damaged
 *
 * Returns 0; -1 with a message without the path: a file cannot be read, or a
 * limit above is exceeded. */
int run_folder_read(
    const char *path, struct strbuf *out, int *cut, struct error *e);

#endif
