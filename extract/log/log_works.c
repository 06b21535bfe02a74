/* Each entry stores the number of the last entry of every key: a backward
 * search would be slow if one key is stated once and another on every line. */
#include <config.h>

#include "extract/log/log_works.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "common/alloc.h"

/* The number of a key; LOG_WORK_KEYS if it was never stated. */
static size_t
work_key_number(const struct log *log, const char *key)
{
	size_t k = 0;

	while (k < LOG_WORK_KEYS &&
	    (log->work_keys[k] == NULL || strcmp(log->work_keys[k], key) != 0))
		k++;
	return k;
}

void
log_works_add(struct log *log, const char *key, double amount, int64_t line)
{
	struct log_work x = { .key = key, .amount = amount, .line = line };
	size_t k = work_key_number(log, key);

	if (k == LOG_WORK_KEYS) {
		for (k = 0; k < LOG_WORK_KEYS && log->work_keys[k] != NULL;)
			k++;
		assert(k < LOG_WORK_KEYS);
		log->work_keys[k] = key;
	}
	if (log->n_works > 0)
		memcpy(
		    x.last, log->works[log->n_works - 1].last, sizeof x.last);
	x.last[k] = log->n_works + 1;
	log->works = vec_grow(
	    log->works, log->n_works, &log->alloc_works, sizeof *log->works);
	log->works[log->n_works++] = x;
}

/* The last entry of a key among the first n, or NULL. */
static const struct log_work *
last_entry(const struct log *log, const char *key, size_t n)
{
	const size_t k = work_key_number(log, key);
	const size_t last =
	    n > 0 && k < LOG_WORK_KEYS ? log->works[n - 1].last[k] : 0;

	return last > 0 ? &log->works[last - 1] : NULL;
}

double
log_works_last(const struct log *log, const char *key)
{
	const struct log_work *x = last_entry(log, key, log->n_works);

	return x != NULL ? x->amount : NAN;
}

const struct log_work *
log_works_entry(const struct log *log, const char *key, int64_t line)
{
	size_t low = 0, high = log->n_works;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (log->works[middle].line <= line)
			low = middle + 1;
		else
			high = middle;
	}
	return last_entry(log, key, low);
}

double
log_works_at(const struct log *log, const char *key, int64_t line)
{
	const struct log_work *x = log_works_entry(log, key, line);

	return x != NULL ? x->amount : NAN;
}
