/* How much memory a process may still take before the kernel refuses it or ends
 * a process to make room.
 */
#ifndef TRAINER_RUN_METERS_FREE_MEMORY_H
#define TRAINER_RUN_METERS_FREE_MEMORY_H

/* Bytes that this process can still have: the least of
 *
 * - what the machine has available ("MemAvailable", proc(5)), and what the
 *   limits of its control group (version 1 or 2) and of those above leave, both
 *   divided by the processes that share it;
 * - what its own limits of address space and data leave (ulimit -v, -d).
 *
 * sharers  processes that are going to take as much, this one included, >= 1
 * groups   CONTROL_GROUPS_FILE
 * root     CONTROL_GROUPS_ROOT
 *
 * Returns 0 if nothing is known. */
double free_memory_bytes(int sharers, const char *groups, const char *root);

#endif
