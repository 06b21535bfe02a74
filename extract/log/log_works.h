/* Work of an iteration that the lines of steps print, as it is taken down and
 * asked for again.  Internal to extract/.
 *
 *	log_works_add(log, "batch_size", 256, 17);
 *	log_works_at(log, "batch_size", 20)  (256)
 */
#ifndef EXTRACT_LOG_LOG_WORKS_H
#define EXTRACT_LOG_LOG_WORKS_H

#include "extract/log/log.h"

/* From this line on an iteration does so much.
 *
 * key     lives as long as the log; at most LOG_WORK_KEYS different ones
 * amount  of samples or tokens
 * line    from 1, not before that of the last call */
void log_works_add(
    struct log *log, const char *key, double amount, int64_t line);

/* What the last line stated that stated it; NAN: none did. */
double log_works_last(const struct log *log, const char *key);

/* What holds for a line: the last amount that was stated at it or before; NAN:
 * none was.  Takes the time of a binary search. */
double log_works_at(const struct log *log, const char *key, int64_t line);

#endif
