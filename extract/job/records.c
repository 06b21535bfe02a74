#include <config.h>

#include "extract/job/run_job.h"

#include <stdint.h>

#include "common/json/json_write.h"
#include "extract/format/patterns/field_names.h"

static void
write_count(struct json_writer *j, const char *key, int32_t n)
{
	if (n == SAMPLE_NONE)
		json_write_null(j, key);
	else
		json_write_long(j, key, n);
}

static void
begin_record(
    struct json_writer *j, const struct log *log, const struct sample *x)
{
	json_write_begin_object(j, NULL);
	json_write_string(j, "path", log->shown);
	json_write_long(j, "line", (long)x->line);
	write_count(j, "epoch", x->epoch);
	write_count(j, "iteration", x->iter);
	write_count(j, "iteration_from", x->iter_from);
	write_count(j, "rank", x->rank);
	json_write_double(j, "value", x->value);
	json_write_string(j, "unit", log->meaning->unit);
	/* Kind of the value, if it is not the mean of its steps. */
	if (log->meaning->statistic == STATISTIC_CUMULATIVE_MEAN)
		json_write_string(j, "statistic", "cumulative-mean");
	json_write_double(j, "stamp", x->stamp);
}

static void
write_samples(struct json_writer *j, const struct log *log)
{
	const struct detail_store *all = &log->details;
	size_t at = 0;

	for (size_t i = 0; i < log->samples.n; i++) {
		begin_record(j, log, &log->samples.items[i]);
		for (; at < all->n && all->items[at].sample <= i; at++) {
			const struct field_name *word =
			    field_name_at(all->items[at].word);

			json_write_double(j,
			    word->key != NULL ? word->key : word->name,
			    all->items[at].value);
		}
		json_write_end(j);
	}
}

void
records_write(const struct log *const *logs, size_t n_logs, FILE *f)
{
	struct json_writer j;

	json_write_to_file(&j, f, JSON_WRITE_LINES);
	for (size_t i = 0; i < n_logs; i++)
		write_samples(&j, logs[i]);
	json_write_finish(&j);
}
