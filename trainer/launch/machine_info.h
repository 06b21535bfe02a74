/* The machine that a sweep ran on, as lines "key: value" in machine.txt next to
 * the logs.
 */
#ifndef TRAINER_LAUNCH_MACHINE_INFO_H
#define TRAINER_LAUNCH_MACHINE_INFO_H

#include "common/error.h"
#include "common/strbuf.h"

/* Describe this machine: CPU, memory, kernel, GPUs, versions of what a
 * training uses.  No host, user or address. */
void machine_info_describe(const char *mpirun, struct strbuf *sb);

/* See that folder/machine.txt describes this machine: write it if it is not
 * there.  If it describes another one, the description goes to machine.2.txt
 * (or .3.txt, ...) and *note, which the caller frees, names it; else *note is
 * NULL.
 *
 * text     from machine_info_describe()
 * command  how the sweep was started; written, not compared
 *
 * Returns 0, or -1 with ERROR_SYSTEM. */
int machine_info_record(const char *folder, const char *text,
    const char *command, char **note, struct error *e);

#endif
