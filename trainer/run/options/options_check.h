/* Checks of options that rows of the table cannot state: which policy of fusion
 * the user means (options that only one policy has imply it, and are refused
 * with another), that no file is written that is read or written by something
 * else, and which GPU a process computes on.
 */
#ifndef TRAINER_RUN_OPTIONS_OPTIONS_CHECK_H
#define TRAINER_RUN_OPTIONS_OPTIONS_CHECK_H

#include "common/error.h"
#include "common/strbuf.h"
#include "trainer/run/options/options_table.h"

/* The policy that was meant, after options_parse().
 *
 * policy  in: the value of --fusion, or its default; out: what is to be done
 *
 * --fusion-threshold, --cycle-time and --cache-capacity, and without any option
 * of fusion their variables HOROVOD_*, mean horovod; --first-bucket and
 * --bucket mean ddp.  ERROR_USAGE: an option of another policy than --fusion,
 * or options of two. */
int fusion_options_settle(const char **policy, struct error *e);

/* True if the user set an option of fusion, or its variable.
 *
 * option  "fusion-threshold", "cycle-time", "cache-capacity", "hierarchical",
 *         or "hierarchical-allgather", which is a variable alone */
int fusion_options_is_fixed(const char *option);

/* Add the names of the variables HOROVOD_* that are set and not used with this
 * policy to sb, separated by commas. */
void fusion_options_unused(const char *policy, struct strbuf *sb);

/* Look at --checkpoint, --resume, --timeline and --engine-cache, at DIR/train
 * and DIR/val, and at where standard output and standard error go.  The one
 * pair that may be one file is --checkpoint and --resume.
 *
 * ERROR_USAGE names the file and both. */
int file_roles_check(const struct train_options *o, struct error *e);

enum { GPU_CHOICE_MAX = 64 }; /* on a machine; larger than any has */

/* Read a list of GPU numbers, "0,2".
 *
 * list  [GPU_CHOICE_MAX] set on success
 *
 * Returns how many; -1, ERROR_USAGE: no such list. */
int gpu_choice_parse(const char *text, int *list, struct error *e);

/* The GPU of a process.
 *
 * text         of --gpus, or NULL
 * rank, size   of the processes on this machine
 * each_own     0: processes may share a GPU; 1: they may not, and owner names
 *              who wants it so, for the message
 * gpu          set on success
 *
 * ERROR_USAGE, the same on all processes of the machine: no such list, its
 * length is not size, or a GPU twice. */
int gpu_choice_choose(const char *text, int rank, int size, int each_own,
    const char *owner, int *gpu, struct error *e);

#endif
