#include <config.h>

#include "extract/records.h"

#include <stdint.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/json_out.h"
#include "common/strbuf.h"

static void
add_count(struct json_out *j, const char *key, int32_t n)
{
	if (n == SAMPLE_NONE)
		json_out_null(j, key);
	else
		json_out_long(j, key, n);
}

/* Details in the order of their samples: those of two samples on one line may
 * stand mixed in the log. */
static int
by_sample(const void *a, const void *b)
{
	const struct log_detail *x = *(const struct log_detail *const *)a;
	const struct log_detail *y = *(const struct log_detail *const *)b;

	if (x->sample != y->sample)
		return x->sample < y->sample ? -1 : 1;
	return (x > y) - (x < y); /* of one array: its order */
}

/* One sample, of the unpacked block; details of it are from *next on. */
static void
add_sample(struct json_out *j, const struct log *log,
    const struct sample *block, size_t i,
    const struct log_detail *const *details, size_t *next)
{
	const struct sample *s = &block[i % SAMPLES_BLOCK];

	json_out_begin_object(j, NULL);
	json_out_string(j, "path", log->shown);
	json_out_long(j, "line", (long)s->line);
	add_count(j, "epoch", s->epoch);
	add_count(j, "iteration", s->iter);
	add_count(j, "iteration_from", s->iter_from);
	add_count(j, "rank", s->rank);
	json_out_double(j, "value", s->value);
	json_out_string(j, "unit", log->meaning->unit);
	json_out_double(j, "stamp", s->stamp);
	for (; *next < log->n_details && details[*next]->sample == (int64_t)i;
	     ++*next)
		json_out_double(j, details[*next]->key, details[*next]->value);
	json_out_end(j);
}

static void
add_log(struct json_out *j, const struct log *log)
{
	const struct log_detail **details =
	    xcalloc(log->n_details, sizeof *details);
	struct sample block[SAMPLES_BLOCK];
	size_t i, next = 0;

	for (i = 0; i < log->n_details; i++)
		details[i] = &log->details[i];
	qsort(details, log->n_details, sizeof *details, by_sample);
	while (next < log->n_details && details[next]->sample < 0)
		next++; /* of no sample: the results of an epoch */
	for (i = 0; i < log->samples.n; i++) {
		if (i % SAMPLES_BLOCK == 0)
			samples_block(&log->samples, i / SAMPLES_BLOCK, block);
		add_sample(j, log, block, i, details, &next);
	}
	free(details);
}

char *
records_render(const struct log *const *logs, size_t n_logs)
{
	struct strbuf sb;
	struct json_out j;
	size_t i;

	strbuf_init(&sb, SIZE_MAX / 2);
	json_out_to_strbuf(&j, &sb, JSON_OUT_LINES);
	for (i = 0; i < n_logs; i++)
		add_log(&j, logs[i]);
	json_out_finish(&j);
	return strbuf_detach(&sb);
}
