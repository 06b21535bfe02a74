/* The files that a run reads and writes: none is written that is read, or that
 * something else writes, too.
 */
#ifndef TRAINER_RUN_OPTIONS_FILE_ROLES_H
#define TRAINER_RUN_OPTIONS_FILE_ROLES_H

#include "common/error.h"
#include "trainer/run/options/options_table.h"

/* Look at --checkpoint, --resume, --timeline and --engine-cache, at DIR/train
 * and DIR/val, and at where standard output and standard error go.  The one
 * pair that may be one file is --checkpoint and --resume.
 *
 * ERROR_USAGE names the file and both. */
int file_roles_check(const struct train_options *o, struct error *e);

#endif
