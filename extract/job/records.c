#include <config.h>

#include "extract/job/records.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/json/json_write.h"

/* Order of details: by their samples, those of one as they are on its line. */
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
	/* What else than the mean of its steps the value is. */
	if (log->meaning->statistic == STATISTIC_CUMULATIVE_MEAN)
		json_write_string(j, "statistic", "cumulative-mean");
	json_write_double(j, "stamp", x->stamp);
}

/* Write the samples of a log from the first-th on, with their details. */
static void
write_samples(struct json_writer *j, const struct log *log, size_t first)
{
	const struct detail_store *all = &log->details;
	const struct log_detail **sorted = xcalloc(all->n, sizeof *sorted);
	size_t n = 0, at = 0;

	/* Results of an epoch are of no sample. */
	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].sample >= 0)
			sorted[n++] = &all->items[i];
	/* Samples of one line may take turns. */
	for (size_t i = 1; i < n; i++)
		if (sorted[i]->sample < sorted[i - 1]->sample) {
			qsort(sorted, n, sizeof *sorted, by_sample);
			break;
		}
	for (size_t i = first; i < log->samples.n; i++) {
		begin_record(j, log, &log->samples.items[i]);
		for (; at < n && sorted[at]->sample == (int64_t)i; at++)
			json_write_double(
			    j, sorted[at]->key, sorted[at]->value);
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
		write_samples(&j, logs[i], 0);
	json_write_finish(&j);
}

char *
records_render(const struct log *const *logs, size_t n_logs)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		xmalloc(SIZE_MAX); /* prints "out of memory" and ends */
	records_write(logs, n_logs, f);
	if (ferror(f) || fclose(f) != 0)
		xmalloc(SIZE_MAX);
	return text;
}

struct records_stream {
	struct json_writer json;
	FILE *f;
	off_t start; /* its length before */
	size_t n;    /* samples that were written */
};

struct records_stream *
records_begin(FILE *f)
{
	struct records_stream *r;
	struct stat st;
	off_t start;

	if (f == stdout || fflush(f) != 0 || fstat(fileno(f), &st) != 0 ||
	    !S_ISREG(st.st_mode) ||
	    (start = lseek(fileno(f), 0, SEEK_CUR)) < 0 || start != st.st_size)
		return NULL;
	r = xcalloc(1, sizeof *r);
	json_write_to_file(&r->json, f, JSON_WRITE_LINES);
	r->f = f;
	r->start = start;
	return r;
}

void
records_add(struct records_stream *r, struct log *log)
{
	write_samples(&r->json, log, r->n);
	r->n = log->samples.n;
	log->details.n = 0;
}

int
records_end(struct records_stream *r, int keep, struct error *e)
{
	int rc = 0;

	json_write_finish(&r->json);
	if (!keep &&
	    (fflush(r->f) != 0 || ftruncate(fileno(r->f), r->start) != 0 ||
		fseeko(r->f, r->start, SEEK_SET) != 0))
		rc = error_errno(e, errno, "cannot take records back");
	free(r);
	return rc;
}

size_t
records_count(const struct log *const *logs, size_t n_logs)
{
	size_t n = 0;

	for (size_t i = 0; i < n_logs; i++)
		n += logs[i]->samples.n;
	return n;
}
