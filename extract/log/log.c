/* The life of struct log, the seam between scanner and arithmetic. */
#include <config.h>

#include "extract/log/log.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void
log_init(struct log *log)
{
	memset(log, 0, offsetof(struct log, tail));
	log->problem.code = ERROR_NONE;
	log->problem.message[0] = '\0';
}

void
log_release(struct log *log)
{
	free(log->metadata);
	if (log->borrowed != 1)
		sample_store_release(&log->samples);
	if (log->borrowed) {
		log_init(log);
		return;
	}
	free(log->summaries);
	free(log->works);
	detail_store_release(&log->details);
	free(log->collectives);
	hash_index_release(&log->collective_index);
	free(log->buckets);
	arena_release(&log->arena);
	log_init(log);
}

int64_t
log_first_step(const struct log *log)
{
	struct sample block[SAMPLE_STORE_BLOCK];

	return log->samples.n > 0 &&
		sample_store_block(&log->samples, 0, block) > 0
	    ? block[0].line
	    : INT64_MAX;
}
