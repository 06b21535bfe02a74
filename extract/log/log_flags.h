/* What went wrong while a log was read, in words for a run's flags: text that
 * was lost, limits that were reached, a loss that is no number.  Internal to
 * extract/.
 */
#ifndef EXTRACT_LOG_LOG_FLAGS_H
#define EXTRACT_LOG_LOG_FLAGS_H

#include "common/arena.h"
#include "extract/log/log.h"

/* A flag that begins so speaks of text that was not read: --strict refuses
 * the run. */
#define LOG_INCOMPLETE "incomplete: "

enum log_flag {
	LOG_FLAG_TRUNCATED,   /* packed data end early */
	LOG_FLAG_TRAILING,    /* something follows them that is not packed */
	LOG_FLAG_MATCH_LIMIT, /* a pattern gave up on a line */
	LOG_FLAG_OTHER,       /* another program's steps were not read */
	LOG_FLAG_DETECTION,   /* the format was looked for in a part only */
	LOG_FLAG_LONG_LINES,  /* lines were read in pieces */
	LOG_FLAG_NAN_LOSS,    /* its loss is no number at the end */
	N_LOG_FLAGS
};

/* What the flag states about these logs of a run, the first of which that has
 * it is named where they are several; NULL: none has it.
 *
 * logs  [n]
 * a     owns the sentence */
const char *log_flag_text(enum log_flag flag, const struct log *const *logs,
    size_t n, struct arena *a);

/* Does a flag of a run speak of text that was not read? */
int log_flag_is_loss(const char *text);

#endif
