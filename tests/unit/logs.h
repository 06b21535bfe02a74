/* Logs made by hand for tests of the arithmetic.
 *
 *	struct log *log = log_new(&imagenet);
 *	log_add(log, 0, 6, 0.362);
 *	... log_pack(log) ...
 *	log_drop(log);
 */
#ifndef TESTS_UNIT_LOGS_H
#define TESTS_UNIT_LOGS_H

#include "extract/log/log.h"
#include "extract/measure/steps/steps.h"

/* Meanings of the formats' values. */
extern const struct meaning imagenet;    /* step times, each iteration */
extern const struct meaning dllogger;    /* rates, each iteration */
extern const struct meaning speedometer; /* rates over [a-b] */

/* An empty log called "a.log". */
struct log *log_new(const struct meaning *meaning);
void log_drop(struct log *log);

/* Add a sample on a line of its own; returns it for further changes. */
struct sample *log_add(struct log *log, int epoch, int iter, double value);

/* The i-th sample added, for changes. */
struct sample *log_item(struct log *log, size_t i);

/* Copy the samples added and changed so far to log.samples. Returns log. */
const struct log *log_pack(struct log *log);

/* Add the iterations first to last of an epoch, all with the same value. */
void log_add_range(
    struct log *log, int epoch, int first, int last, double value);

/* Add a figure of the whole run. */
void log_add_summary(struct log *log, double value, const char *unit);

/* Add a statement of the log about itself on a line. The caller frees
 * log->metadata. */
void log_state(
    struct log *log, const char *key, const char *value, int64_t line);

#endif
