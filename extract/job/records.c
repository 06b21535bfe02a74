/* Samples as lines of JSON for --records; run_job calls it. */
#include <config.h>

#include "extract/job/records.h"

#include <stdint.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/json/json_write.h"
#include "common/strbuf.h"

static void
add_count(struct json_writer *j, const char *key, int32_t n)
{
	if (n == SAMPLE_NONE)
		json_write_null(j, key);
	else
		json_write_long(j, key, n);
}

/* A detail of the current line. */
struct line_detail {
	struct log_detail detail;
	size_t place; /* among those of the line */
};

/* The details of the current line, by sample: those of two may stand mixed. */
struct line_details {
	struct detail_store_reader reader;
	struct log_detail next; /* that follows them */
	int more;               /* 1: there is one */
	struct line_detail *items;
	size_t n, alloc;
	size_t at; /* of the next sample's */
};

static int
by_sample(const void *a, const void *b)
{
	const struct line_detail *x = a, *y = b;

	if (x->detail.sample != y->detail.sample)
		return x->detail.sample < y->detail.sample ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Go on to the details of a line. */
static void
go_to_line(struct line_details *d, int64_t line)
{
	int sorted = 1;

	d->n = d->at = 0;
	for (; d->more && d->next.line <= line;
	     d->more = detail_store_next(&d->reader, &d->next)) {
		if (d->next.line < line)
			continue; /* of no sample: the results of an epoch */
		d->items =
		    vec_grow(d->items, d->n, &d->alloc, sizeof *d->items);
		d->items[d->n] = (struct line_detail){ d->next, d->n };
		sorted &= d->n == 0 ||
		    d->items[d->n - 1].detail.sample <= d->next.sample;
		d->n++;
	}
	if (!sorted)
		qsort(d->items, d->n, sizeof *d->items, by_sample);
}

/* index  of a sample of the line, greater than that of the last call */
static void
add_details(struct json_writer *j, struct line_details *d, int64_t index)
{
	for (; d->at < d->n && d->items[d->at].detail.sample <= index;
	     d->at++) {
		const struct log_detail *x = &d->items[d->at].detail;

		if (x->sample == index)
			json_write_double(j, x->key, x->value);
	}
}

static void
add_sample(struct json_writer *j, const struct log *log, const struct sample *s,
    int64_t index, struct line_details *details)
{
	json_write_begin_object(j, NULL);
	json_write_string(j, "path", log->shown);
	json_write_long(j, "line", (long)s->line);
	add_count(j, "epoch", s->epoch);
	add_count(j, "iteration", s->iter);
	add_count(j, "iteration_from", s->iter_from);
	add_count(j, "rank", s->rank);
	json_write_double(j, "value", s->value);
	json_write_string(j, "unit", log->meaning->unit);
	/* What else than the mean of its steps the value is. */
	if (log->meaning->statistic == STATISTIC_CUMULATIVE_MEAN)
		json_write_string(j, "statistic", "cumulative-mean");
	json_write_double(j, "stamp", s->stamp);
	add_details(j, details, index);
	json_write_end(j);
}

static void
add_log(struct json_writer *j, const struct log *log)
{
	struct line_details d = { .reader = detail_store_read(&log->details) };
	struct sample block[SAMPLE_STORE_BLOCK];
	int64_t line = 0, index = 0;

	d.more = detail_store_next(&d.reader, &d.next);
	for (size_t b = 0; b < log->samples.n_blocks; b++) {
		const size_t n = sample_store_block(&log->samples, b, block);

		for (size_t i = 0; i < n; i++) {
			if (block[i].line != line)
				go_to_line(&d, block[i].line);
			line = block[i].line;
			add_sample(j, log, &block[i], index++, &d);
		}
	}
	free(d.items);
}

char *
records_render(const struct log *const *logs, size_t n_logs)
{
	struct strbuf sb;
	struct json_writer j;

	strbuf_init(&sb, SIZE_MAX / 2);
	json_write_to_strbuf(&j, &sb, JSON_WRITE_LINES);
	for (size_t i = 0; i < n_logs; i++)
		add_log(&j, logs[i]);
	json_write_finish(&j);
	return strbuf_detach(&sb);
}

void
records_write(const struct log *const *logs, size_t n_logs, FILE *f)
{
	struct json_writer j;

	json_write_to_file(&j, f, JSON_WRITE_LINES);
	for (size_t i = 0; i < n_logs; i++)
		add_log(&j, logs[i]);
	json_write_finish(&j);
}

size_t
records_count(const struct log *const *logs, size_t n_logs)
{
	size_t n = 0;

	for (size_t i = 0; i < n_logs; i++)
		n += logs[i]->samples.n;
	return n;
}
