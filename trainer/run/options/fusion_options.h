/* Which policy of fusion the user means: options that only one policy has imply
 * it, and are refused with another.
 */
#ifndef TRAINER_RUN_OPTIONS_FUSION_OPTIONS_H
#define TRAINER_RUN_OPTIONS_FUSION_OPTIONS_H

#include "common/error.h"
#include "common/strbuf.h"

/* The policy that was meant, after options_parse().
 *
 * policy  in: the value of --fusion, or its default; out: what is to be done
 *
 * --fusion-threshold, --cycle-time and --cache-capacity, and without any option
 * of fusion their variables HOROVOD_*, mean horovod; --first-bucket and
 * --bucket mean ddp.  ERROR_USAGE: an option of another policy than --fusion,
 * or options of two. */
int fusion_options_settle(const char **policy, struct error *e);

/* Did the user set an option of fusion, or its variable?
 *
 * option  "fusion-threshold", "cycle-time", "cache-capacity", "hierarchical",
 *         or "hierarchical-allgather", which is a variable alone */
int fusion_options_is_fixed(const char *option);

/* Add the names of the variables HOROVOD_* that are set and not used with this
 * policy to sb, separated by commas. */
void fusion_options_unused(const char *policy, struct strbuf *sb);

#endif
