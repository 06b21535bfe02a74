/* The control groups of Linux that this process is in, version 1 or 2, which
 * limit what it may use: containers, Slurm and run_on_nodes make some. */
#ifndef TRAINER_BASE_CONTROL_GROUPS_H
#define TRAINER_BASE_CONTROL_GROUPS_H

/* The process's groups, and where all are mounted. */
#define CONTROL_GROUPS_FILE "/proc/self/cgroup"
#define CONTROL_GROUPS_ROOT "/sys/fs/cgroup"

/* Looks at a group's folder, which need not be there. */
typedef void control_group_visit(const char *folder, void *ctx);

/* Visit the folders of the process's group and of those above it, up to the
 * root's: a limit of each of them holds.  Nothing is visited where the file
 * cannot be read.
 *
 * groups      CONTROL_GROUPS_FILE
 * root        CONTROL_GROUPS_ROOT
 * controller  what limits, as version 1 calls it: "cpu", "memory"
 */
void control_groups_walk(const char *groups, const char *root,
    const char *controller, control_group_visit *visit, void *ctx);

#endif
