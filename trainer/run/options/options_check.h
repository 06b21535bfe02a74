/* Checks of options that rows of the table cannot state: which policy of fusion
 * the user means (options that only one policy has imply it, and are refused
 * with another), and that no file is written that is read, or that something
 * else writes, too.
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

#endif
