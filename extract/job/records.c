/* Samples as lines of JSON for --records; run_job calls it. */
#include <config.h>

#include "extract/job/records.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/json/json_number.h"
#include "common/json/json_write.h"
#include "common/strbuf.h"

/* A detail of the current line. */
struct line_detail {
	struct packed_detail detail;
	size_t place; /* among those of the line */
};

/* The details of the log, sample by sample. */
struct line_details {
	struct detail_store_reader reader;
	struct packed_detail next; /* that is not done yet */
	int more;                  /* 1: there is one */
	/* Of the current line, where those of its samples stand mixed. */
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

static void
next_detail(struct line_details *d)
{
	d->more = detail_store_next(&d->reader, &d->next);
}

/* Go on to the details of a line. */
static void
go_to_line(struct line_details *d, int64_t line)
{
	int sorted = 1;

	d->n = d->at = 0;
	for (; d->more && d->next.line <= line; next_detail(d)) {
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

/* --- Text ------------------------------------------------------------------*/

/* A detail's key as it stands before its value. */
struct record_key {
	char *text;
	size_t len;
	unsigned decimals; /* of its last value that was no packed number */
};

/* A whole number of the last record: the next is often the same or one more. */
struct record_count {
	long n;
	unsigned len; /* 0: there was none */
	char text[JSON_LONG_SIZE];
};

/* Records on their way out.  Millions of them differ in their numbers only, so
 * that all else is made text once a log. */
struct record_text {
	FILE *f;           /* or */
	struct strbuf *sb; /* where they go */
	char *room;        /* [RECORD_ROOM] */
	size_t used;
	struct strbuf head, unit; /* before the line, between value and stamp */
	struct record_key *keys;  /* [n_keys] as in the log's details */
	size_t n_keys;
	struct record_count line, epoch, iter, from, rank;
	unsigned value_decimals, stamp_decimals;
};

enum {
	RECORD_ROOM = 64 << 10,
	/* At least the numbers of a sample, with the names of those that all
	 * have. */
	RECORD_NUMBERS = 512
};

static void
record_flush(struct record_text *t)
{
	if (t->f != NULL && t->used > 0)
		fwrite(t->room, 1, t->used, t->f);
	else if (t->f == NULL)
		strbuf_add(t->sb, t->room, t->used);
	t->used = 0;
}

static void
record_need(struct record_text *t, size_t n)
{
	if (RECORD_ROOM - t->used < n)
		record_flush(t);
}

static inline void
record_put(struct record_text *t, const char *s, size_t len)
{
	memcpy(t->room + t->used, s, len);
	t->used += len;
}

#define RECORD_PUT(t, literal) record_put(t, literal, sizeof literal - 1)

/* Text of any length. */
static void
record_put_text(struct record_text *t, const char *s, size_t len)
{
	record_need(t, len);
	if (len <= RECORD_ROOM)
		record_put(t, s, len);
	else if (t->f != NULL)
		fwrite(s, 1, len, t->f);
	else
		strbuf_add(t->sb, s, len);
}

static inline void
record_put_long(struct record_text *t, struct record_count *last, long n)
{
	char *end = last->text + last->len;

	if (last->len > 0 && n == last->n + 1 && n > 0 && end[-1] < '9')
		end[-1]++;
	else if (last->len == 0 || n != last->n)
		last->len =
		    (unsigned)(json_put_long(last->text, n) - last->text);
	last->n = n;
	memcpy(t->room + t->used, last->text, sizeof last->text);
	t->used += last->len;
}

static inline void
record_put_count(struct record_text *t, struct record_count *last, int32_t n)
{
	if (n == SAMPLE_NONE)
		RECORD_PUT(t, "null");
	else
		record_put_long(t, last, n);
}

static void
record_put_double(struct record_text *t, double x, unsigned *decimals)
{
	char *to = t->room + t->used;

	if (isfinite(x))
		t->used += (size_t)(json_put_double(to, x, decimals) - to);
	else
		RECORD_PUT(t, "null");
}

/* A string with its quotes. */
static void
add_quoted(struct strbuf *sb, const char *s)
{
	struct json_writer j;

	json_write_to_strbuf(&j, sb, JSON_WRITE_LINES);
	json_write_string(&j, NULL, s);
}

static struct record_key
record_key_of(const char *key)
{
	struct strbuf sb;
	struct record_key made = { .decimals = 0 };

	strbuf_init(&sb, SIZE_MAX / 2);
	strbuf_addstr(&sb, ", ");
	add_quoted(&sb, key);
	strbuf_addstr(&sb, ": ");
	made.len = sb.len;
	made.text = strbuf_detach(&sb);
	return made;
}

static void
record_keys_free(struct record_text *t)
{
	for (size_t i = 0; i < t->n_keys; i++)
		free(t->keys[i].text);
	free(t->keys);
	t->keys = NULL;
	t->n_keys = 0;
}

static void
record_keys_make(struct record_text *t, const struct detail_store *details)
{
	record_keys_free(t);
	t->n_keys = details->n_keys;
	t->keys = xcalloc(t->n_keys + 1, sizeof *t->keys);
	for (size_t i = 0; i < t->n_keys; i++)
		t->keys[i] = record_key_of(details->keys[i].name);
}

static void
record_text_init(struct record_text *t, FILE *f, struct strbuf *sb)
{
	*t = (struct record_text){ .f = f, .sb = sb };
	t->room = xmalloc(RECORD_ROOM);
	strbuf_init(&t->head, SIZE_MAX / 2);
	strbuf_init(&t->unit, SIZE_MAX / 2);
}

static void
record_text_finish(struct record_text *t)
{
	record_flush(t);
	record_keys_free(t);
	strbuf_release(&t->head);
	strbuf_release(&t->unit);
	free(t->room);
}

/* What all records of a log have in common. */
static void
record_text_begin(struct record_text *t, const struct log *log)
{
	strbuf_reset(&t->head);
	strbuf_addstr(&t->head, "{\"path\": ");
	add_quoted(&t->head, log->shown);
	strbuf_addstr(&t->head, ", \"line\": ");
	strbuf_reset(&t->unit);
	strbuf_addstr(&t->unit, ", \"unit\": ");
	add_quoted(&t->unit, log->meaning->unit);
	/* What else than the mean of its steps the value is. */
	if (log->meaning->statistic == STATISTIC_CUMULATIVE_MEAN)
		strbuf_addstr(&t->unit, ", \"statistic\": \"cumulative-mean\"");
	strbuf_addstr(&t->unit, ", \"stamp\": ");
	record_keys_make(t, &log->details);
}

/* --- Records ---------------------------------------------------------------*/

static void
record_put_detail(struct record_text *t, const struct packed_detail *x)
{
	struct record_key *key = &t->keys[x->key];
	char *end = NULL;

	record_put_text(t, key->text, key->len);
	record_need(t, JSON_DOUBLE_SIZE);
	if (x->decimals <= JSON_NUMBER_DECIMALS)
		end = json_put_decimal(
		    t->room + t->used, x->negative, x->digits, x->decimals);
	if (end != NULL)
		t->used = (size_t)(end - t->room);
	else
		record_put_double(t, packed_detail_value(x), &key->decimals);
}

/* index  of a sample of the line, greater than that of the last call */
static void
add_mixed_details(struct record_text *t, struct line_details *d, int64_t index)
{
	for (; d->at < d->n && d->items[d->at].detail.sample <= index; d->at++)
		if (d->items[d->at].detail.sample == index)
			record_put_detail(t, &d->items[d->at].detail);
}

/* The same where the details of each line are in the order of its samples.
 *
 * line  of the sample */
static void
add_details(
    struct record_text *t, struct line_details *d, int64_t line, int64_t index)
{
	while (d->more && d->next.line <= line &&
	    (d->next.line < line || d->next.sample <= index)) {
		if (d->next.line == line && d->next.sample == index)
			record_put_detail(t, &d->next);
		next_detail(d);
	}
}

/* All of a record but its details. */
static void
add_sample(struct record_text *t, const struct sample *s)
{
	record_put_text(t, t->head.buf, t->head.len);
	record_need(t, RECORD_NUMBERS);
	record_put_long(t, &t->line, (long)s->line);
	RECORD_PUT(t, ", \"epoch\": ");
	record_put_count(t, &t->epoch, s->epoch);
	RECORD_PUT(t, ", \"iteration\": ");
	record_put_count(t, &t->iter, s->iter);
	RECORD_PUT(t, ", \"iteration_from\": ");
	record_put_count(t, &t->from, s->iter_from);
	RECORD_PUT(t, ", \"rank\": ");
	record_put_count(t, &t->rank, s->rank);
	RECORD_PUT(t, ", \"value\": ");
	record_put_double(t, s->value, &t->value_decimals);
	record_put_text(t, t->unit.buf, t->unit.len);
	record_need(t, RECORD_NUMBERS);
	record_put_double(t, s->stamp, &t->stamp_decimals);
}

static void
add_record_end(struct record_text *t)
{
	record_need(t, 2);
	RECORD_PUT(t, "}\n");
}

static void
add_log(struct record_text *t, const struct log *log)
{
	struct line_details d = { .reader = detail_store_read(&log->details) };
	struct sample block[SAMPLE_STORE_BLOCK];
	int64_t line = 0, index = 0;

	if (log->samples.n == 0)
		return;
	record_text_begin(t, log);
	next_detail(&d);
	for (size_t b = 0; b < log->samples.n_blocks; b++) {
		const size_t n = sample_store_block(&log->samples, b, block);

		for (size_t i = 0; i < n; i++, index++) {
			add_sample(t, &block[i]);
			if (!log->details.mixed) {
				add_details(t, &d, block[i].line, index);
			} else {
				if (block[i].line != line)
					go_to_line(&d, block[i].line);
				line = block[i].line;
				add_mixed_details(t, &d, index);
			}
			add_record_end(t);
		}
	}
	free(d.items);
}

char *
records_render(const struct log *const *logs, size_t n_logs)
{
	struct record_text t;
	struct strbuf sb;

	strbuf_init(&sb, SIZE_MAX / 2);
	record_text_init(&t, NULL, &sb);
	for (size_t i = 0; i < n_logs; i++)
		add_log(&t, logs[i]);
	record_text_finish(&t);
	return strbuf_detach(&sb);
}

void
records_write(const struct log *const *logs, size_t n_logs, FILE *f)
{
	struct record_text t;

	record_text_init(&t, f, NULL);
	for (size_t i = 0; i < n_logs; i++)
		add_log(&t, logs[i]);
	record_text_finish(&t);
}

size_t
records_count(const struct log *const *logs, size_t n_logs)
{
	size_t n = 0;

	for (size_t i = 0; i < n_logs; i++)
		n += logs[i]->samples.n;
	return n;
}
