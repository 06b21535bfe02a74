/* How many cores control groups of Linux (version 1 or 2) let this process use,
 * as a share in time: run_on_nodes --core-share and containers limit it so.
 */
#ifndef TRAINER_BASE_CORE_QUOTA_H
#define TRAINER_BASE_CORE_QUOTA_H

/* The least quota of the process's group and those above it, in cores; 0: there
 * is none, or it cannot be read.
 *
 * groups  CONTROL_GROUPS_FILE
 * root    CONTROL_GROUPS_ROOT */
double core_quota(const char *groups, const char *root);

#endif
