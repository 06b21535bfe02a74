/* Samples as lines of JSON for --records; run_job calls it. */
#include <config.h>

#include "extract/job/records.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
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
	struct packed_detail next; /* that is not done yet, or */
	struct packed_row row;     /* some, of one sample */
	int is_row;                /* 1: the latter */
	int more;                  /* 1: there is one */
	int64_t line, sample;      /* of it, or of them */
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

/* rows  1: as rows where they are */
static inline void
next_detail(struct line_details *d, int rows)
{
	d->is_row = rows && detail_store_next_row(&d->reader, &d->row);
	if (d->is_row) {
		d->more = 1;
		d->line = d->row.line;
		d->sample = d->row.sample;
		return;
	}
	d->more = detail_store_next(&d->reader, &d->next);
	d->line = d->next.line;
	d->sample = d->next.sample;
}

/* Go on to the details of a line. */
static void
go_to_line(struct line_details *d, int64_t line)
{
	int sorted = 1;

	d->n = d->at = 0;
	for (; d->more && d->line <= line; next_detail(d, 0)) {
		if (d->line < line)
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

enum {
	RECORD_SMALL = 32 << 10, /* of a text that is kept */
	RECORD_STEP = 64,
	RECORD_LONG = 24,        /* bytes of a whole number */
	RECORD_KEY = 24,         /* of keys that are copied at once */
	ROW_VALUES = DETAIL_ROW, /* of either kind */
	RECORD_VALUE_BITS =
	    7,               /* so many bits number the values that are kept */
	RECORD_ORIGINS = 16, /* ranks whose texts are kept; a power of two */
	/* At least the numbers of a sample, with the names of those that all
	 * have. */
	RECORD_NUMBERS = 512
};

/* A detail's key as it stands before its value. */
struct record_key {
	char *text; /* [len], and at least RECORD_STEP bytes */
	size_t len;
	/* Of its last number in a row: rates and memory seldom change. */
	uint32_t digits;
	unsigned digit_decimals;
	char number[JSON_DOUBLE_SIZE];
	unsigned n_number; /* 0: there was none */
};

/* How the text of a number in a printed row becomes one of JSON, where it only
 * may have zeros too many at its end. */
struct record_number {
	char key[RECORD_KEY];       /* as it stands before it */
	uint64_t start, start_mask; /* where its first bytes are these it is
	                               not so simple */
	unsigned char n_key;        /* 0: the key has no room there, or there is
	                               none */
	unsigned char word;         /* of the row */
	unsigned char exponent;     /* likewise, or the same */
	unsigned char down;         /* bits below its bytes in a word */
	unsigned char len[PRINTED_BYTES + 1]; /* with so many zeros at its
	                                         end */
};

/* A whole number of the last record: the next is often the same or one more. */
struct record_count {
	long n;
	unsigned len; /* 0: there was none */
	char text[RECORD_LONG];
};

/* A sample's value: of the times that steps take few differ as printed. */
struct record_value {
	uint64_t bits; /* of the number */
	unsigned len;  /* 0: there was none */
	char text[JSON_DOUBLE_SIZE];
};

/* A text with numbers in it that seldom change. */
struct record_between {
	char text[96];
	size_t len;    /* 0: it is not made */
	int32_t of[2]; /* its numbers */
};

/* Records on their way out.  Millions of them differ in their numbers only, so
 * that all else is made text once a log. */
struct record_text {
	FILE *file;        /* or */
	struct strbuf *sb; /* where they go */
	char *room; /* of a piece, and a sample or a row of details more */
	size_t used;
	struct record_key head, unit; /* before the line, between value and
	                                 stamp */
	const struct detail_store *details; /* that are written */
	struct record_key *keys; /* [n_keys] as in the log's details */
	size_t n_keys;
	struct record_number (*printed)[PRINTED_WORDS]; /* [n_printed] as the
	                                                   log's shapes */
	size_t n_printed;
	struct record_count line, iter;
	struct record_between epoch, origins[RECORD_ORIGINS];
	struct record_value values[1 << RECORD_VALUE_BITS];
};

/* Hand on what is there, all of it or a piece. */
static void
record_flush(struct record_text *t)
{
	if (t->file != NULL)
		fwrite(t->room, 1, t->used, t->file);
	else
		strbuf_add(t->sb, t->room, t->used);
	t->used = 0;
}

/* Where the next bytes go; there is room for a sample or a row of details. */
static inline char *
record_place(struct record_text *t)
{
	if (t->used >= RECORD_SMALL)
		record_flush(t);
	return t->room + t->used;
}

static inline void
record_placed(struct record_text *t, const char *end)
{
	t->used = (size_t)(end - t->room);
}

/* Of a text that has RECORD_STEP bytes at least, whatever its length, that many
 * are copied in a few instructions. */
static inline char *
put_padded(char *to, const char *s, size_t len)
{
	if (len <= RECORD_STEP)
		memcpy(to, s, RECORD_STEP);
	else
		memcpy(to, s, len);
	return to + len;
}

static inline char *
put_null(char *to)
{
	memcpy(to, "null", 4);
	return to + 4;
}

static inline char *
put_long(char *to, struct record_count *last, long n)
{
	char *end = last->text + last->len;

	if (last->len > 0 && n == last->n + 1 && n > 0 && end[-1] < '9')
		end[-1]++;
	else if (last->len == 0 || n != last->n)
		last->len =
		    (unsigned)snprintf(last->text, sizeof last->text, "%ld", n);
	last->n = n;
	memcpy(to, last->text, sizeof last->text);
	return to + last->len;
}

/* Add a text and a whole number, "null" where it is none. */
static void
between_add(struct record_between *b, const char *text, int32_t n)
{
	char *to = stpcpy(b->text + b->len, text);

	if (n == SAMPLE_NONE)
		to = stpcpy(to, "null");
	else
		to += snprintf(to, RECORD_LONG, "%ld", (long)n);
	b->len = (size_t)(to - b->text);
}

static void
between_end(struct record_between *b, const char *text)
{
	b->len = (size_t)(stpcpy(b->text + b->len, text) - b->text);
}

static inline char *
put_epoch(char *to, struct record_between *b, int32_t epoch)
{
	if (b->len == 0 || b->of[0] != epoch) {
		*b = (struct record_between){ .of = { epoch } };
		between_add(b, ", \"epoch\": ", epoch);
		between_end(b, ", \"iteration\": ");
	}
	return put_padded(to, b->text, b->len);
}

static inline char *
put_origin(char *to, struct record_between *all, int32_t from, int32_t rank)
{
	struct record_between *b =
	    &all[(uint32_t)rank & (uint32_t)(RECORD_ORIGINS - 1)];

	if (b->len == 0 || b->of[0] != from || b->of[1] != rank) {
		*b = (struct record_between){ .of = { from, rank } };
		between_add(b, ", \"iteration_from\": ", from);
		between_add(b, ", \"rank\": ", rank);
		between_end(b, ", \"value\": ");
	}
	return put_padded(to, b->text, b->len);
}

static inline char *
put_double(char *to, double x)
{
	return isfinite(x) ? to + strlen(json_double(to, x)) : put_null(to);
}

static inline char *
put_value(char *to, struct record_text *t, double x)
{
	struct record_value *v;
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	/* Knuth's multiplicative hashing: 2^64 over the golden ratio. */
	v = &t->values[bits * 0x9e3779b97f4a7c15 >> (64 - RECORD_VALUE_BITS)];
	if (v->len == 0 || v->bits != bits) {
		v->len = (unsigned)(put_double(v->text, x) - v->text);
		v->bits = bits;
	}
	memcpy(to, v->text, sizeof v->text);
	return to + v->len;
}

/* A string with its quotes. */
static void
add_quoted(struct strbuf *sb, const char *s)
{
	struct json_writer j;

	json_write_to_strbuf(&j, sb, JSON_WRITE_LINES);
	json_write_string(&j, NULL, s);
}

/* Before, quoted, after. */
static struct record_key
record_key_of(const char *before, const char *quoted, const char *after)
{
	struct strbuf sb;
	struct record_key made = { .text = NULL };

	strbuf_init(&sb, SIZE_MAX / 2);
	strbuf_addstr(&sb, before);
	add_quoted(&sb, quoted);
	strbuf_addstr(&sb, after);
	made.len = sb.len;
	made.text = xcalloc(sb.len + RECORD_STEP, 1);
	memcpy(made.text, sb.buf, sb.len);
	strbuf_release(&sb);
	return made;
}

static void
record_keys_free(struct record_text *t)
{
	for (size_t i = 0; i < t->n_keys; i++)
		free(t->keys[i].text);
	free(t->keys);
	free(t->printed);
	free(t->head.text);
	free(t->unit.text);
	t->keys = NULL;
	t->printed = NULL;
	t->n_keys = t->n_printed = 0;
	t->head.text = t->unit.text = NULL;
}

/* Those that are new. */
static void
record_keys_make(struct record_text *t, const struct detail_store *details)
{
	if (t->n_keys == details->n_keys)
		return;
	t->keys = xreallocarray(t->keys, details->n_keys, sizeof *t->keys);
	for (; t->n_keys < details->n_keys; t->n_keys++)
		t->keys[t->n_keys] =
		    record_key_of(", ", details->keys[t->n_keys].name, ": ");
}

/* key  of it; NULL: the sample's value */
static struct record_number
record_number_of(
    const struct printed_number *x, const struct record_key *key, size_t word)
{
	static const char zeros[] = "0.0000";
	struct record_number made = { .start = 1 }; /* never met */
	const int has_point = x->decimals > 0;
	const unsigned whole = x->len - x->decimals - (unsigned)has_point;

	if (key != NULL && key->len <= RECORD_KEY) {
		memcpy(made.key, key->text, RECORD_KEY);
		made.n_key = (unsigned char)key->len;
	}
	made.word = (unsigned char)word;
	made.exponent = (unsigned char)(word + (x->exponent != 0));
	made.down = (unsigned char)(8 * (PRINTED_BYTES - x->len));
	for (unsigned n = 0; n <= PRINTED_BYTES; n++) {
		made.len[n] = x->len;
		if (has_point && n < x->decimals)
			made.len[n] = (unsigned char)(x->len - n);
		else if (has_point)
			made.len[n] = (unsigned char)whole;
	}
	if (x->divisor > 1 || x->divisor < 1) {
		made.start = 0; /* always met */
	} else if (whole > 1) {
		made.start = '0';
		made.start_mask = 255;
	} else if (x->decimals > 4) { /* below 0.0001 JSON has an exponent */
		made.start = 0;
		for (unsigned i = 0; i < sizeof zeros - 1; i++) {
			made.start |= (uint64_t)(unsigned char)zeros[i]
			    << (8 * i);
			made.start_mask |= (uint64_t)255 << (8 * i);
		}
	}
	return made;
}

/* Those that are new. */
static void
record_numbers_make(struct record_text *t, const struct detail_store *details)
{
	if (t->n_printed == details->n_printed)
		return;
	t->printed =
	    xreallocarray(t->printed, details->n_printed, sizeof *t->printed);
	for (; t->n_printed < details->n_printed; t->n_printed++) {
		const struct printed_shape *shape =
		    &details->printed[t->n_printed];
		struct record_number *made = t->printed[t->n_printed];

		for (size_t i = 0, word = 0; i < shape->n; i++) {
			const struct printed_number *x = &shape->numbers[i];

			made[i] = record_number_of(x,
			    x->key == NULL ? NULL : &t->keys[shape->keys[i]],
			    word);
			word += 1 + (x->exponent != 0);
		}
	}
}

static void
record_text_init(struct record_text *t, FILE *f, struct strbuf *sb)
{
	*t = (struct record_text){ .file = f, .sb = sb };
}

static void
record_text_finish(struct record_text *t)
{
	record_keys_free(t);
	if (t->used > 0)
		record_flush(t);
	if (t->file != NULL)
		fflush(t->file);
	free(t->room);
}

/* Room for each sample of the log and for each row of its details, next to the
 * piece that is about to be written. */
static void
record_room_make(struct record_text *t)
{
	size_t longest = 0, sample, row, slack;

	for (size_t i = 0; i < t->n_keys; i++)
		if (t->keys[i].len > longest)
			longest = t->keys[i].len;
	sample = t->head.len + t->unit.len + 2 * RECORD_STEP + RECORD_NUMBERS;
	row = ROW_VALUES * (longest + RECORD_STEP + JSON_DOUBLE_SIZE);
	slack = sample > row ? sample : row;
	while (t->used >= RECORD_SMALL)
		record_flush(t);
	t->room = xreallocarray(t->room, RECORD_SMALL + slack, 1);
}

/* What all records of a log have in common. */
static void
record_text_begin(struct record_text *t, const struct log *log)
{
	record_keys_free(t);
	t->head = record_key_of("{\"path\": ", log->shown, ", \"line\": ");
	/* What else than the mean of its steps the value is. */
	t->unit = record_key_of(", \"unit\": ", log->meaning->unit,
	    log->meaning->statistic == STATISTIC_CUMULATIVE_MEAN
		? ", \"statistic\": \"cumulative-mean\", \"stamp\": "
		: ", \"stamp\": ");
	record_keys_make(t, &log->details);
	record_numbers_make(t, &log->details);
	record_room_make(t);
}

/* --- Records ---------------------------------------------------------------*/

static void
record_put_detail(struct record_text *t, const struct packed_detail *x)
{
	struct record_key *key = &t->keys[x->key];
	char *to = put_padded(record_place(t), key->text, key->len);

	record_placed(t, put_double(to, packed_detail_value(x)));
}

/* The number in such a word.  Returns NULL where it is not so simple. */
static inline char *
put_printed(char *to, const struct record_number *number, uint64_t word)
{
	const uint64_t text = word >> number->down;
	/* Bytes at its end that are '0'. */
	const unsigned zeros =
	    (unsigned)__builtin_clzll((word ^ 0x3030303030303030) | 1) / 8;

	if ((text & number->start_mask) == number->start)
		return NULL;
	memcpy(to, &text, sizeof text);
	return to + number->len[zeros];
}

static char *
put_printed_slowly(
    char *to, const struct packed_row *row, size_t i, size_t word)
{
	const struct printed_shape *shape = row->printed;
	struct packed_detail value;

	packed_detail_printed(
	    &value, &shape->numbers[i], row->digits + PRINTED_BYTES * word);
	return put_double(to, packed_detail_value(&value));
}

/* A printed row without the sample's value. */
static inline void
record_put_printed(struct record_text *t, const struct packed_row *row)
{
	const struct printed_shape *shape = row->printed;
	const unsigned char *words = row->digits;
	const struct record_number *x = t->printed[shape - t->details->printed];
	char *to = record_place(t);

	for (size_t i = shape->numbers[0].key == NULL; i < shape->n; i++) {
		const struct record_number *number = &x[i];
		const unsigned char *exponent =
		    words + PRINTED_BYTES * (number->exponent + 1) - 1;
		char *end = NULL;

		if (number->n_key > 0) {
			memcpy(to, number->key, RECORD_KEY);
			to += number->n_key;
		} else {
			const struct record_key *key = &t->keys[shape->keys[i]];

			to = put_padded(to, key->text, key->len);
		}
		if (number->exponent == number->word || *exponent == '0')
			end = put_printed(to, number,
			    packed_row_word(
				words + PRINTED_BYTES * number->word));
		if (end == NULL)
			end = put_printed_slowly(to, row, i, number->word);
		to = end;
	}
	record_placed(t, to);
}

/* The text of a number in a row, for its key. */
static void
make_row_number(struct record_key *key, uint32_t digits, unsigned decimals)
{
	const struct packed_detail x = { .digits = digits,
		.decimals = decimals };
	const char *end = put_double(key->number, packed_detail_value(&x));

	key->n_number = (unsigned)(end - key->number);
	key->digits = digits;
	key->digit_decimals = decimals;
}

static inline void
record_put_row(struct record_text *t, const struct packed_row *row)
{
	const struct detail_shape *shape = row->shape;
	char *to = record_place(t);

	for (size_t i = 0; i < shape->n; i++) {
		struct record_key *key = &t->keys[shape->keys[i]];
		const uint32_t digits = packed_row_digits(row, i);
		const unsigned decimals = shape->decimals[i];

		if (key->n_number == 0 || digits != key->digits ||
		    decimals != key->digit_decimals)
			make_row_number(key, digits, decimals);
		to = put_padded(to, key->text, key->len);
		memcpy(to, key->number, JSON_DOUBLE_SIZE);
		to += key->n_number;
	}
	record_placed(t, to);
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
	while (d->more && d->line <= line &&
	    (d->line < line || d->sample <= index)) {
		const int is_its = d->line == line && d->sample == index;

		if (is_its && d->is_row && d->row.printed != NULL)
			record_put_printed(t, &d->row);
		else if (is_its && d->is_row)
			record_put_row(t, &d->row);
		else if (is_its)
			record_put_detail(t, &d->next);
		next_detail(d, 1);
	}
}

/* The sample's value as its line prints it, or NULL. */
static inline char *
put_printed_value(char *to, const struct record_text *t,
    const struct line_details *d, int64_t line, int64_t index)
{
	const struct printed_shape *shape = d->row.printed;

	if (!d->more || !d->is_row || d->line != line || d->sample != index ||
	    shape == NULL || shape->numbers[0].key != NULL)
		return NULL;
	return put_printed(to, t->printed[shape - t->details->printed],
	    packed_row_word(d->row.digits));
}

/* All of a record but its details, the first of which d has come to.
 *
 * index  of the sample */
static inline void
add_sample(struct record_text *t, const struct sample *s,
    const struct line_details *d, int64_t index)
{
	char *end;
	char *to = record_place(t);

	to = put_padded(to, t->head.text, t->head.len);
	to = put_long(to, &t->line, (long)s->line);
	to = put_epoch(to, &t->epoch, s->epoch);
	if (s->iter == SAMPLE_NONE)
		to = put_null(to);
	else
		to = put_long(to, &t->iter, s->iter);
	to = put_origin(to, t->origins, s->iter_from, s->rank);
	end = put_printed_value(to, t, d, s->line, index);
	if (end == NULL)
		end = put_value(to, t, s->value);
	to = end;
	to = put_padded(to, t->unit.text, t->unit.len);
	to = put_double(to, s->stamp);
	record_placed(t, to);
}

static inline void
add_record_end(struct record_text *t)
{
	char *to = record_place(t);

	memcpy(to, "}\n", 2);
	record_placed(t, to + 2);
}

/* Samples that are written one after the other, with their details. */
struct sample_writer {
	struct line_details details;
	int64_t line; /* of the last one */
	size_t index; /* of the next one in its log */
};

static struct sample_writer
begin_samples(const struct detail_store *details, size_t first)
{
	struct sample_writer w = { .details.reader = detail_store_read(details),
		.index = first };

	next_detail(&w.details, !details->mixed);
	return w;
}

static void
add_samples(struct record_text *t, struct sample_writer *w,
    const struct sample *samples, size_t n)
{
	const int mixed = w->details.reader.all->mixed;

	t->details = w->details.reader.all;
	for (size_t i = 0; i < n; i++, w->index++) {
		const int64_t line = samples[i].line;

		add_sample(t, &samples[i], &w->details, (int64_t)w->index);
		if (!mixed) {
			add_details(t, &w->details, line, (int64_t)w->index);
		} else {
			if (line != w->line)
				go_to_line(&w->details, line);
			w->line = line;
			add_mixed_details(t, &w->details, (int64_t)w->index);
		}
		add_record_end(t);
	}
}

static void
end_samples(struct sample_writer *w)
{
	free(w->details.items);
}

static void
add_log(struct record_text *t, const struct log *log)
{
	struct sample_writer w;

	if (log->samples.n == 0)
		return;
	record_text_begin(t, log);
	w = begin_samples(&log->details, 0);
	add_samples(t, &w, log->samples.items, log->samples.n);
	end_samples(&w);
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

/* --- Those of a log while it is read ---------------------------------------*/

/* Samples of a log, so that their records can be made while it is read on. */
struct records_batch {
	struct sample *samples; /* [n] copies */
	size_t n, alloc;
	size_t first; /* index of the first one in the log */
	struct detail_store details;
};

/* So many that neither thread waits where the other is slow for a while. */
enum { N_BATCHES = 8 };

struct records_stream {
	struct record_text text; /* of the thread, once there is one */
	FILE *f;
	off_t start;
	size_t n; /* samples that were handed on */
	struct records_batch batches[N_BATCHES]; /* in turns */
	size_t now; /* the one that is filled next */

	int tried;    /* 1: to start the thread */
	int threaded; /* 1: there is one */
	pthread_t thread;
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t changed;
	size_t n_full; /* batches that wait to be written, up to now */
	int ends;      /* 1: none comes after these */
};

/* Copy the log's samples from the first-th on, and take its details. */
static void
batch_fill(struct records_batch *b, struct log *log, size_t first)
{
	b->first = first;
	b->n = log->samples.n - first;
	if (b->alloc < b->n) {
		b->alloc = b->n;
		b->samples =
		    xreallocarray(b->samples, b->alloc, sizeof *b->samples);
	}
	memcpy(
	    b->samples, log->samples.items + first, b->n * sizeof *b->samples);
	b->details = detail_store_take(&log->details);
}

static void
batch_write(struct record_text *t, struct records_batch *b)
{
	struct sample_writer w = begin_samples(&b->details, b->first);

	if (t->n_keys < b->details.n_keys) {
		record_keys_make(t, &b->details);
		record_room_make(t);
	}
	record_numbers_make(t, &b->details);
	add_samples(t, &w, b->samples, b->n);
	end_samples(&w);
	detail_store_release(&b->details);
}

/* Of the first batches that are full, in their order. */
static void *
write_batches(void *arg)
{
	struct records_stream *r = arg;
	size_t at = 0;

	pthread_mutex_lock(&r->lock);
	for (;; at = (at + 1) % N_BATCHES) {
		while (r->n_full == 0 && !r->ends)
			pthread_cond_wait(&r->changed, &r->lock);
		if (r->n_full == 0)
			break;
		pthread_mutex_unlock(&r->lock);
		batch_write(&r->text, &r->batches[at]);
		pthread_mutex_lock(&r->lock);
		r->n_full--;
		pthread_cond_signal(&r->changed);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* Hand a batch to the thread, and wait for another that is free. */
static void
hand_over_batch(struct records_stream *r)
{
	pthread_mutex_lock(&r->lock);
	r->n_full++;
	pthread_cond_signal(&r->changed);
	while (r->n_full == N_BATCHES)
		pthread_cond_wait(&r->changed, &r->lock);
	pthread_mutex_unlock(&r->lock);
	r->now = (r->now + 1) % N_BATCHES;
}

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
	record_text_init(&r->text, f, NULL);
	r->f = f;
	r->start = start;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	return r;
}

void
records_add(struct records_stream *r, struct log *log)
{
	struct records_batch *b = &r->batches[r->now];

	if (r->n == log->samples.n) {
		struct detail_store of_none = detail_store_take(&log->details);

		detail_store_release(&of_none);
		return;
	}
	if (r->n == 0)
		record_text_begin(&r->text, log);
	batch_fill(b, log, r->n);
	r->n = log->samples.n;
	if (!r->tried)
		r->threaded =
		    pthread_create(&r->thread, NULL, write_batches, r) == 0;
	r->tried = 1;
	if (r->threaded)
		hand_over_batch(r);
	else
		batch_write(&r->text, b);
}

int
records_end(struct records_stream *r, int keep, struct error *e)
{
	int rc = 0;

	if (r->threaded) {
		pthread_mutex_lock(&r->lock);
		r->ends = 1;
		pthread_cond_signal(&r->changed);
		pthread_mutex_unlock(&r->lock);
		pthread_join(r->thread, NULL);
	}
	record_text_finish(&r->text);
	if (!keep &&
	    (ftruncate(fileno(r->f), r->start) != 0 ||
		fseeko(r->f, r->start, SEEK_SET) != 0))
		rc = error_errno(e, errno, "cannot take records back");
	for (size_t i = 0; i < N_BATCHES; i++)
		free(r->batches[i].samples);
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
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
