/* machine.txt next to the logs of a sweep: the machine that it ran on, when and
 * how it was started.  runner.c writes it; common/machine_info.h finds the
 * metadata.
 */
#ifndef TRAINER_LAUNCH_MACHINE_FILE_H
#define TRAINER_LAUNCH_MACHINE_FILE_H

#include "common/error.h"

/* See that folder/machine.txt describes this machine: write it if it is not
 * there.  If it describes another one, the description goes to machine.2.txt
 * (or .3.txt, ...) and *note, which the caller frees, names it; else *note is
 * NULL.
 *
 * machine  from machine_info_describe()
 * state    further lines that may change from start to start, as of
 *          machine_info_commit(); written, not compared
 * command  how the sweep was started; written, not compared
 *
 * Returns 0, or -1 with ERROR_SYSTEM. */
int machine_file_record(const char *folder, const char *machine,
    const char *state, const char *command, char **note, struct error *e);

#endif
