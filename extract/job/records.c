#include <config.h>

#include "extract/job/run_job.h"

#include <stdint.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/json/json_write.h"
#include "extract/format/patterns/field_names.h"

/* Order details by sample, then by their order on the line. */
static int
by_sample(const void *a, const void *b)
{
	const struct log_detail *const *x = a, *const *y = b;

	if ((*x)->sample != (*y)->sample)
		return (*x)->sample < (*y)->sample ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

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

static const struct log_detail **
sort_details(const struct detail_store *all)
{
	const struct log_detail **sorted = xcalloc(all->n, sizeof *sorted);

	for (size_t i = 0; i < all->n; i++)
		sorted[i] = &all->items[i];
	qsort(sorted, all->n, sizeof *sorted, by_sample);
	return sorted;
}

static void
write_samples(struct json_writer *j, const struct log *log)
{
	const struct detail_store *all = &log->details;
	const struct log_detail **sorted = NULL;
	uint32_t last = 0;
	size_t at = 0;

	/* Samples of one line may take turns. */
	for (size_t i = 0; i < all->n && sorted == NULL; i++) {
		if (all->items[i].sample < last)
			sorted = sort_details(all);
		last = all->items[i].sample;
	}
	for (size_t i = 0; i < log->samples.n; i++) {
		begin_record(j, log, &log->samples.items[i]);
		for (; at < all->n; at++) {
			const struct log_detail *d =
			    sorted != NULL ? sorted[at] : &all->items[at];
			const struct field_name *word;

			if (d->sample > i)
				break;
			word = field_name_at(d->word);
			json_write_double(j,
			    word->key != NULL ? word->key : word->name,
			    d->value);
		}
		json_write_end(j);
	}
	free(sorted);
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
