/* The options of extract_logs, as parts see them: which choose what is read
 * and measured, so that a part carries them, and which may still be given when
 * parts are merged.
 *
 *	if (shard_options_check(&part, &e) != 0 ||
 *	    shard_options_settle(&part, argc, argv, &arena, &e) != 0)
 *		return error_report(program, &e);
 */
#ifndef EXTRACT_JOB_SHARD_OPTIONS_H
#define EXTRACT_JOB_SHARD_OPTIONS_H

#include "common/arena.h"
#include "common/error.h"
#include "extract/job/shard_file.h"

/* Does the option change the figures?  Those that state where a result goes, or
 * how it looks, do not.  1 or 0. */
int shard_option_is_measuring(const char *long_name);

/* May the option be given when parts are merged?  1 or 0. */
int shard_option_is_late(const char *long_name);

/* Is the option named in our table at all?  Every row of extract_program must
 * be (tests/unit/test_shard.c).  1 or 0. */
int shard_option_is_known(const char *long_name);

/* Are all of the part's options ones that change figures, each with its value?
 * What else a file states, as --output=PATH, is not obeyed.
 *
 * Returns 0, or -1 with ERROR_INPUT that names the file and the option. */
int shard_options_check(const struct shard_file *part, struct error *e);

/* Read a command line again, after the options that the part was made with,
 * into the settings of extract_program.
 *
 * part  as shard_options_check lets pass
 * argv  [argc] as given to main
 * a     where the longer command line lives; as long as the settings
 *
 * Returns 0, or -1 with the file before the message. */
int shard_options_settle(const struct shard_file *part, int argc, char **argv,
    struct arena *a, struct error *e);

#endif
