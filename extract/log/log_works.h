/* Work of an iteration that the lines of steps print.
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

/* The amount of the last line that stated one; NAN: none did. */
double log_works_last(const struct log *log, const char *key);

/* The last entry of a key at a line or before; NULL: there is none.  A binary
 * search. */
const struct log_work *log_works_entry(
    const struct log *log, const char *key, int64_t line);

/* The last amount that was stated at a line or before; NAN: none was.  A binary
 * search. */
double log_works_at(const struct log *log, const char *key, int64_t line);

#endif
