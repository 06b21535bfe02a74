/* Checks of options that rows of the table cannot express: the fusion policy
 * (an option of only one policy implies it, and is rejected with another), no
 * file that is written and also read or written otherwise, and the GPU of a
 * process.
 */
#ifndef TRAINER_RUN_OPTIONS_OPTIONS_CHECK_H
#define TRAINER_RUN_OPTIONS_OPTIONS_CHECK_H

#include "common/error.h"
#include "common/strbuf.h"
#include "trainer/run/options/options_table.h"

/* Determine the fusion policy, after options_parse().
 *
 * policy  in: the value of --fusion, or its default; out: the policy to use
 *
 * --fusion-threshold, --cycle-time and --cache-capacity, or their variables
 * HOROVOD_* if no option of fusion is given, imply horovod; --first-bucket and
 * --bucket imply ddp. ERROR_USAGE: an option of another policy than --fusion,
 * or options of two. */
int fusion_options_settle(const char **policy, struct error *e);

/* True if the user set an option of fusion, or its variable.
 *
 * option  "fusion-threshold", "cycle-time", "cache-capacity", "hierarchical",
 *         or "hierarchical-allgather", which only a variable sets */
int fusion_options_is_fixed(const char *option);

/* Add the names of the variables HOROVOD_* that are set and not used with this
 * policy to sb, separated by commas. */
void fusion_options_unused(const char *policy, struct strbuf *sb);

/* Check that --checkpoint, --resume, --timeline, --autotune-log,
 * --engine-cache, standard output and standard error are different files, and
 * that none is written below DIR/train or DIR/val. Only --checkpoint and
 * --resume may be the same file.
 *
 * ERROR_USAGE names the file and both options. */
int file_roles_check(const struct train_options *o, struct error *e);

enum { GPU_CHOICE_MAX = 64 }; /* maximum on a machine */

/* Parse a list of GPU numbers, "0,2".
 *
 * list  [GPU_CHOICE_MAX] set on success
 *
 * Returns their number, or -1 with ERROR_USAGE for a malformed list. */
int gpu_choice_parse(const char *text, int *list, struct error *e);

/* Choose the GPU of a process.
 *
 * text         of --gpus, or NULL
 * rank, size   among the processes on this machine
 * each_own     0: processes may share a GPU; 1: they may not, for the reason
 *              `owner`, which the message names
 * gpu          set on success
 *
 * ERROR_USAGE, the same on all processes of the machine: a malformed list, a
 * list whose length is not size, or a GPU twice. */
int gpu_choice_choose(const char *text, int rank, int size, int each_own,
    const char *owner, int *gpu, struct error *e);

#endif
