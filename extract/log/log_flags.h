/* Problems in reading logs as flags of their run: lost text, reached limits, a
 * loss that is not finite.
 */
#ifndef EXTRACT_LOG_LOG_FLAGS_H
#define EXTRACT_LOG_LOG_FLAGS_H

#include "common/texts/remark.h"
#include "extract/log/log.h"

enum { LOG_FLAGS_MAX = 7 };

/* The flags of a run with these logs.  Where there are several logs a flag
 * names the first that has it and how many more have it.
 *
 * logs   [n]
 * flags  [LOG_FLAGS_MAX] filled; texts are borrowed from the logs
 *
 * Returns how many there are. */
size_t log_flags_find(
    const struct log *const *logs, size_t n, struct remark *flags);

/* True if a flag means that text was not read. --strict rejects such runs. */
int log_flag_is_loss(enum remark_code code);

#endif
