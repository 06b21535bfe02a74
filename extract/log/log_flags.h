/* Flags of a run for problems in its logs: lost text, reached limits, a loss
 * that is not finite.
 */
#ifndef EXTRACT_LOG_LOG_FLAGS_H
#define EXTRACT_LOG_LOG_FLAGS_H

#include "common/texts/remark.h"
#include "extract/log/log.h"

enum { LOG_FLAGS_MAX = 7 };

/* Find the flags of a run with these logs. With several logs a flag names the
 * first log and the number of others that have it.
 *
 * logs   [n]
 * flags  [LOG_FLAGS_MAX] filled; texts are borrowed from the logs
 *
 * Returns their number. */
size_t log_flags_find(
    const struct log *const *logs, size_t n, struct remark *flags);

/* True if the flag means that text was not read, which --strict rejects. */
int log_flag_is_loss(enum remark_code code);

#endif
