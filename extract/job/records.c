/* Samples as lines of JSON for --records; run_job calls it. */
#include <config.h>

#include "extract/job/records.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/json/json_write.h"
#include "common/strbuf.h"

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

/* --- Text ------------------------------------------------------------------*/

/* A detail's key as it stands before its value. */
struct record_key {
	const char *key; /* compared by its address, as in the detail store */
	char *text;
	size_t len;
	unsigned decimals; /* of its last value */
};

/* Records on their way out.  Millions of them differ in their numbers only, so
 * that all else is made text once a log. */
struct record_text {
	FILE *f;           /* or */
	struct strbuf *sb; /* where they go */
	char *room;        /* [RECORD_ROOM] */
	size_t used;
	struct strbuf head, unit; /* before the line, between value and stamp */
	struct record_key *keys;
	size_t n_keys, alloc_keys, last_key;
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

static void
record_put_count(struct record_text *t, int32_t n)
{
	char *to = t->room + t->used;

	if (n == SAMPLE_NONE)
		RECORD_PUT(t, "null");
	else
		t->used += (size_t)(json_put_long(to, n) - to);
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

static struct record_key *
record_key_add(struct record_text *t, const char *key)
{
	struct strbuf sb;

	strbuf_init(&sb, SIZE_MAX / 2);
	strbuf_addstr(&sb, ", ");
	add_quoted(&sb, key);
	strbuf_addstr(&sb, ": ");
	t->keys = vec_grow(t->keys, t->n_keys, &t->alloc_keys, sizeof *t->keys);
	t->last_key = t->n_keys;
	t->keys[t->n_keys] = (struct record_key){ key, NULL, sb.len, 0 };
	t->keys[t->n_keys].text = strbuf_detach(&sb);
	return &t->keys[t->n_keys++];
}

static struct record_key *
record_key_of(struct record_text *t, const char *key)
{
	/* They come in turns. */
	for (size_t i = 0; i < t->n_keys; i++) {
		t->last_key = t->last_key + 1 < t->n_keys ? t->last_key + 1 : 0;
		if (t->keys[t->last_key].key == key)
			return &t->keys[t->last_key];
	}
	return record_key_add(t, key);
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
	for (size_t i = 0; i < t->n_keys; i++)
		free(t->keys[i].text);
	free(t->keys);
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
}

/* --- Records ---------------------------------------------------------------*/

/* index  of a sample of the line, greater than that of the last call */
static void
add_details(struct record_text *t, struct line_details *d, int64_t index)
{
	for (; d->at < d->n && d->items[d->at].detail.sample <= index;
	     d->at++) {
		const struct log_detail *x = &d->items[d->at].detail;
		struct record_key *key;

		if (x->sample != index)
			continue;
		key = record_key_of(t, x->key);
		record_put_text(t, key->text, key->len);
		record_need(t, JSON_DOUBLE_SIZE);
		record_put_double(t, x->value, &key->decimals);
	}
}

static void
add_sample(struct record_text *t, const struct sample *s, int64_t index,
    struct line_details *details)
{
	char *to;

	record_put_text(t, t->head.buf, t->head.len);
	record_need(t, RECORD_NUMBERS);
	to = t->room + t->used;
	t->used += (size_t)(json_put_long(to, (long)s->line) - to);
	RECORD_PUT(t, ", \"epoch\": ");
	record_put_count(t, s->epoch);
	RECORD_PUT(t, ", \"iteration\": ");
	record_put_count(t, s->iter);
	RECORD_PUT(t, ", \"iteration_from\": ");
	record_put_count(t, s->iter_from);
	RECORD_PUT(t, ", \"rank\": ");
	record_put_count(t, s->rank);
	RECORD_PUT(t, ", \"value\": ");
	record_put_double(t, s->value, &t->value_decimals);
	record_put_text(t, t->unit.buf, t->unit.len);
	record_need(t, RECORD_NUMBERS);
	record_put_double(t, s->stamp, &t->stamp_decimals);
	add_details(t, details, index);
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
	d.more = detail_store_next(&d.reader, &d.next);
	for (size_t b = 0; b < log->samples.n_blocks; b++) {
		const size_t n = sample_store_block(&log->samples, b, block);

		for (size_t i = 0; i < n; i++) {
			if (block[i].line != line)
				go_to_line(&d, block[i].line);
			line = block[i].line;
			add_sample(t, &block[i], index++, &d);
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
