/* Work of an iteration as printed on step lines.
 *
 *	log_works_add(log, "batch_size", 256, 17);
 *	log_works_at(log, "batch_size", 20)  (256)
 */
#ifndef EXTRACT_LOG_LOG_WORKS_H
#define EXTRACT_LOG_LOG_WORKS_H

#include "extract/log/log.h"

/* Set the work of an iteration from this line on.
 *
 * key     lives as long as the log; at most LOG_WORK_KEYS different keys
 * amount  samples or tokens
 * line    from 1, not less than in the last call */
void log_works_add(
    struct log *log, const char *key, double amount, int64_t line);

/* The last amount, or NAN. */
double log_works_last(const struct log *log, const char *key);

/* The last entry of a key at or before a line, or NULL, in O(log n). */
const struct log_work *log_works_entry(
    const struct log *log, const char *key, int64_t line);

/* The last amount at or before a line, or NAN, in O(log n). */
double log_works_at(const struct log *log, const char *key, int64_t line);

#endif
