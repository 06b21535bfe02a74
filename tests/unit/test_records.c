/* The lines of --records, against the same written member by member. */
#include <config.h>

#include "extract/job/records.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/json/json_write.h"
#include "tests/tap.h"

enum { MANY = 3000, N_KEYS = 5 };

static const char *const keys[N_KEYS] = { "loss", "top1", "data_s",
	"a \"quoted\" key", "lr" };

/* How details are put in. */
enum way { ONE_BY_ONE, ROWS, PRINTED_ROWS };

/* A detail that is put in as a number, or as the digits that were printed. */
struct given_detail {
	struct log_detail x;
	int printed;
	uint64_t digits;
	unsigned decimals;
	int scaled; /* 1: it was printed in thousandths */
};

struct detail_list {
	struct given_detail items[2 * MANY * N_KEYS];
	size_t n;
};

static struct sample samples[MANY];
static int64_t n_samples; /* of them in use */
static struct detail_list details;
static size_t n_printed_rows;
static uint64_t state = 88172645463325252u;

static uint64_t
next_random(void)
{
	state ^= state << 13; /* Marsaglia's xorshift */
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Numbers as logs print them, and now and then others. */
static double
random_value(void)
{
	const double x = (double)(next_random() >> 44) / 1000;

	switch (next_random() % 16) {
	case 0:
		return -x;
	case 1:
		return x / 3;
	case 2:
		return x * 1e-9;
	case 3:
		return x * 1e17;
	case 4:
		return next_random() % 2 ? 0.0 : -0.0;
	case 5:
		return NAN;
	case 6:
		return INFINITY;
	case 7:
		return floor(x);
	default:
		return x;
	}
}

/* Mostly one more than the last. */
static int32_t
random_count(int32_t last)
{
	switch (next_random() % 24) {
	case 0:
		return SAMPLE_NONE;
	case 1:
		return (int32_t)(next_random() >> 40);
	case 2:
		return -3;
	case 3:
		return last;
	default:
		return last == SAMPLE_NONE ? 97 : last + 1;
	}
}

static void
give_detail(const char *key, int64_t line, int64_t sample)
{
	struct given_detail *d = &details.items[details.n++];

	*d = (struct given_detail){ .printed = next_random() % 2 == 0,
		.digits = next_random() % UINT64_C(1000000000000000),
		.decimals = (unsigned)(next_random() % 10) };
	for (uint64_t n = next_random() % 15; n > 0; n--)
		d->digits /= 10;
	d->x = (struct log_detail){ key,
		d->printed ? (double)d->digits / pow(10, d->decimals)
			   : random_value(),
		line, sample };
	d->scaled = d->printed && next_random() % 8 == 0;
	if (d->scaled)
		d->x.value /= 1000;
}

/* The details of the samples from i to end, which share a line. */
static void
give_details(int64_t i, int64_t end, int mixed)
{
	const int64_t n = (end - i) * N_KEYS;

	for (int64_t k = 0; k < n; k++) {
		const int64_t key = mixed ? k / (end - i) : k % N_KEYS;
		const int64_t sample = i + (mixed ? k % (end - i) : k / N_KEYS);

		if (next_random() % 3 > 0)
			give_detail(keys[key], samples[i].line, sample);
	}
}

/* Samples of which some share a line, and their details.
 *
 * mixed  1: those of a line are in turns; 0: one sample after the other */
static void
make_samples(int mixed)
{
	struct sample last = { .epoch = 0 };

	details.n = 0;
	for (int64_t i = 0; i < n_samples; i++) {
		samples[i] = (struct sample){ random_value(), random_value(),
			last.line + (int64_t)(next_random() % 4),
			random_count(last.epoch), random_count(last.iter),
			random_count(last.iter_from), random_count(last.iters),
			random_count(last.rank), NAN };
		if (samples[i].line == 0)
			samples[i].line = 1;
		last = samples[i];
	}
	for (int64_t i = 0, end; i < n_samples; i = end) {
		for (end = i;
		     end < n_samples && samples[end].line == samples[i].line;)
			end++;
		if (next_random() % 5 == 0) /* of no sample */
			give_detail(keys[0], samples[i].line, -1);
		give_details(i, end, mixed);
	}
}

static void
write_count(struct json_writer *j, const char *key, int32_t n)
{
	if (n == SAMPLE_NONE)
		json_write_null(j, key);
	else
		json_write_long(j, key, n);
}

/* The lines as they are defined. */
static char *
expected_text(const struct log *log)
{
	struct strbuf sb;
	struct json_writer j;

	strbuf_init(&sb, SIZE_MAX / 2);
	json_write_to_strbuf(&j, &sb, JSON_WRITE_LINES);
	for (int64_t i = 0; i < n_samples; i++) {
		const struct sample *s = &samples[i];

		json_write_begin_object(&j, NULL);
		json_write_string(&j, "path", log->shown);
		json_write_long(&j, "line", (long)s->line);
		write_count(&j, "epoch", s->epoch);
		write_count(&j, "iteration", s->iter);
		write_count(&j, "iteration_from", s->iter_from);
		write_count(&j, "rank", s->rank);
		json_write_double(&j, "value", s->value);
		json_write_string(&j, "unit", log->meaning->unit);
		if (log->meaning->statistic == STATISTIC_CUMULATIVE_MEAN)
			json_write_string(&j, "statistic", "cumulative-mean");
		json_write_double(&j, "stamp", s->stamp);
		for (size_t k = 0; k < details.n; k++)
			if (details.items[k].x.sample == i)
				json_write_double(&j, details.items[k].x.key,
				    details.items[k].x.value);
		json_write_end(&j);
	}
	json_write_finish(&j);
	return strbuf_detach(&sb);
}

static char *
written_text(const struct log *const *logs, size_t n)
{
	FILE *f = tmpfile();
	char *text;
	long len;

	CHECK(f != NULL);
	records_write(logs, n, f);
	len = ftell(f);
	rewind(f);
	text = xcalloc((size_t)len + 1, 1);
	CHECK_INT(fread(text, 1, (size_t)len, f), len);
	fclose(f);
	return text;
}

/* Put in those from the i-th on that may be a row, and are.  Returns the first
 * after them. */
static size_t
put_row(struct log *log, size_t i)
{
	const struct log_detail *first = &details.items[i].x;
	struct detail_row row = { .line = first->line,
		.sample = first->sample };

	for (; i < details.n && row.n < DETAIL_ROW; i++) {
		const struct given_detail *d = &details.items[i];

		if (!d->printed || d->scaled || d->digits > UINT32_MAX ||
		    d->x.line != first->line || d->x.sample != first->sample)
			break;
		row.keys[row.n] = d->x.key;
		row.decimals[row.n] = (unsigned char)d->decimals;
		row.digits[row.n++] = (uint32_t)d->digits;
	}
	detail_store_add_row(&log->details, &row);
	return i;
}

/* A printed row that is being made. */
struct printed_row {
	struct printed_number numbers[PRINTED_WORDS];
	uint64_t words[PRINTED_WORDS];
	size_t n, n_words;
};

/* The bytes up to the end of a text, after others that do not count. */
static uint64_t
word_of(const char *text)
{
	char bytes[40];
	uint64_t word;

	snprintf(bytes, sizeof bytes, "0.0 e+00%s", text);
	memcpy(&word, bytes + strlen(bytes) - sizeof word, sizeof word);
	return word;
}

/* Put a number at the row's end.  Returns 0 if it has no room there.
 *
 * decimals  of the digits as they are printed
 * exponent  that follows them; 0: none does, or "e+00" */
static int
printed_row_add(struct printed_row *row, const char *key, int scaled,
    uint64_t digits, unsigned decimals, int exponent)
{
	const uint64_t power = (uint64_t)pow(10, decimals);
	const int has_exponent = exponent != 0 || next_random() % 8 == 0;
	char text[40];

	snprintf(text, sizeof text, "%s%" PRIu64,
	    next_random() % 16 == 0 ? "0" : "", digits / power);
	if (decimals > 0)
		snprintf(text + strlen(text), sizeof text - strlen(text),
		    ".%0*" PRIu64, (int)decimals, digits % power);
	if (strlen(text) > PRINTED_BYTES || abs(exponent) > 9 ||
	    row->n_words + 2 > PRINTED_WORDS || (key == NULL && has_exponent))
		return 0;
	row->numbers[row->n++] =
	    (struct printed_number){ key, scaled ? 1000 : 1,
		    (unsigned char)strlen(text), (unsigned char)decimals,
		    (signed char)(!has_exponent ? 0
			    : exponent < 0      ? -1
						: 1) };
	row->words[row->n_words++] = word_of(text);
	if (has_exponent) {
		snprintf(text, sizeof text, "%02d", abs(exponent));
		row->words[row->n_words++] = word_of(text);
	}
	return 1;
}

/* The value of the i-th sample, if it is one that programs print. */
static void
add_sample_value(struct printed_row *row, int64_t i)
{
	const double x = i < 0 ? -1 : samples[i].value;

	if (x >= 0 && x < 9999 && floor(x * 1000 + 0.5) / 1000 >= x &&
	    floor(x * 1000 + 0.5) / 1000 <= x && !signbit(x))
		printed_row_add(row, NULL, 0, (uint64_t)(x * 1000 + 0.5), 3, 0);
}

/* As put_row; returns i where there is none. */
static size_t
put_printed_row(struct log *log, size_t i)
{
	const struct log_detail *first = &details.items[i].x;
	const size_t before = i;
	struct printed_row row = { .n = 0 };
	int shape;

	add_sample_value(&row, first->sample);
	for (; i < details.n; i++) {
		const struct given_detail *d = &details.items[i];
		const unsigned decimals = (unsigned)(next_random() % 7);

		if (!d->printed || d->x.line != first->line ||
		    d->x.sample != first->sample ||
		    !printed_row_add(&row, d->x.key, d->scaled, d->digits,
			decimals, (int)decimals - (int)d->decimals))
			break;
	}
	if (i == before)
		return i;
	shape = detail_store_printed_shape(&log->details, row.numbers, row.n);
	if (shape < 0)
		return before;
	detail_store_add_printed(
	    &log->details, shape, first->line, first->sample, row.words);
	n_printed_rows++;
	return i;
}

/* Those from the i-th on of lines up to the given one.  Returns the first after
 * them. */
static size_t
put_details_until(struct log *log, size_t i, int64_t line, enum way way)
{
	while (i < details.n && details.items[i].x.line <= line) {
		const struct given_detail *d = &details.items[i];

		if (way == PRINTED_ROWS && d->printed) {
			const size_t next = put_printed_row(log, i);

			if (next > i) {
				i = next;
				continue;
			}
		}
		if (way != ONE_BY_ONE && d->printed && !d->scaled &&
		    d->digits <= UINT32_MAX) {
			i = put_row(log, i);
			continue;
		}
		if (d->printed && !d->scaled)
			detail_store_add_decimal(
			    &log->details, &d->x, d->digits, d->decimals);
		else
			detail_store_add(&log->details, &d->x);
		i++;
	}
	return i;
}

static void
put_details(struct log *log, enum way way)
{
	CHECK_INT(put_details_until(log, 0, INT64_MAX, way), details.n);
	CHECK_INT(log->details.n, details.n);
}

/* The file's text from the byte at on. */
static char *
text_from(FILE *f, long at)
{
	char *text;
	long len;

	CHECK_INT(fseek(f, 0, SEEK_END), 0);
	len = ftell(f) - at;
	CHECK(len >= 0);
	CHECK_INT(fseek(f, at, SEEK_SET), 0);
	text = xcalloc((size_t)len + 1, 1);
	CHECK_INT(fread(text, 1, (size_t)len, f), len);
	return text;
}

/* The records of all samples, written some lines at a time as they come, after
 * a text that was there.  keep 0: they are taken back. */
static char *
streamed_text(const struct meaning *meaning, const char *shown, enum way way,
    int64_t often, int keep)
{
	FILE *f = tmpfile();
	struct error e = ERROR_INIT;
	struct records_stream *r;
	struct log log;
	size_t at = 0;
	char *text;

	CHECK(f != NULL);
	fputs("before\n", f);
	r = records_begin(f);
	CHECK(r != NULL);
	log_init(&log);
	log.shown = shown;
	log.meaning = meaning;
	for (int64_t i = 0, n = 1; i < n_samples; i++) {
		sample_store_add(&log.samples, &samples[i]);
		if (i + 1 < n_samples && samples[i + 1].line == samples[i].line)
			continue;
		at = put_details_until(&log, at, samples[i].line, way);
		if (n++ % often != 0)
			continue;
		records_add(r, &log);
		CHECK_INT(log.details.n, 0);
	}
	records_add(r, &log);
	CHECK_INT(records_end(r, keep, &e), 0);
	fputs("after\n", f);
	text = text_from(f, keep ? 7 : 0);
	fclose(f);
	log_release(&log);
	return text;
}

static void
check_streamed(const struct meaning *meaning, const char *shown, enum way way,
    int64_t often, const char *want)
{
	char *got = streamed_text(meaning, shown, way, often, 1);
	const size_t len = strlen(want);

	CHECK(strncmp(got, want, len) == 0);
	CHECK_STR(got + len, "after\n");
	free(got);
	got = streamed_text(meaning, shown, way, often, 0);
	CHECK_STR(got, "before\nafter\n");
	free(got);
}

static void
check_log(const char *shown, enum value_statistic statistic, int64_t n,
    int mixed, enum way way)
{
	const struct meaning meaning = { .unit = "s", .statistic = statistic };
	struct log log;
	const struct log *const logs[] = { &log };
	char *want, *got;

	log_init(&log);
	log.shown = shown;
	log.meaning = &meaning;
	n_samples = n;
	make_samples(mixed);
	for (int64_t i = 0; i < n_samples; i++)
		sample_store_add(&log.samples, &samples[i]);
	put_details(&log, way);
	CHECK_INT(log.details.mixed, mixed);
	want = expected_text(&log);
	got = records_render(logs, 1);
	CHECK(strcmp(got, want) == 0);
	free(got);
	got = written_text(logs, 1);
	CHECK(strcmp(got, want) == 0);
	CHECK_INT(records_count(logs, 1), n_samples);
	free(got);
	for (int64_t often = 1; often < MANY; often *= 9)
		check_streamed(&meaning, shown, way, often, want);
	free(want);
	log_release(&log);
}

static void
test_lines(void)
{
	check_log("1n1g/a.log", STATISTIC_INSTANT, MANY, 1, ONE_BY_ONE);
	check_log("a \"b\"\\\n\xff.log", STATISTIC_CUMULATIVE_MEAN, MANY, 1,
	    ONE_BY_ONE);
	check_log("1n1g/a.log", STATISTIC_INSTANT, MANY, 0, ONE_BY_ONE);
}

static void
test_rows(void)
{
	check_log("1n1g/a.log", STATISTIC_INSTANT, MANY, 0, ROWS);
	check_log("1n1g/a.log", STATISTIC_INSTANT, MANY, 1, ROWS);
}

static void
test_printed_rows(void)
{
	for (int i = 0; i < 4; i++)
		check_log(
		    "a.log", STATISTIC_INSTANT, MANY, i % 2, PRINTED_ROWS);
	CHECK(n_printed_rows > 4 * MANY);
}

/* A path that is longer than all room for text. */
static void
test_long_path(void)
{
	char *path = xmalloc(70000);

	memset(path, 'x', 69999);
	path[69999] = '\0';
	check_log(path, STATISTIC_INSTANT, 20, 0, ROWS);
	check_log(path, STATISTIC_INSTANT, 20, 0, PRINTED_ROWS);
	free(path);
}

static void
test_no_samples(void)
{
	struct log log;
	const struct log *const logs[] = { &log };
	char *got;

	log_init(&log);
	got = records_render(logs, 1);
	CHECK_STR(got, "");
	free(got);
}

/* What is written to a pipe or a device cannot be taken back. */
static void
test_no_way_back(void)
{
	FILE *f = fopen("/dev/null", "w");

	CHECK(f != NULL);
	CHECK(records_begin(f) == NULL);
	fclose(f);
	CHECK(records_begin(stdout) == NULL);
}

static const struct tap_test tests[] = {
	TEST(test_lines),
	TEST(test_rows),
	TEST(test_printed_rows),
	TEST(test_long_path),
	TEST(test_no_samples),
	TEST(test_no_way_back),
};

int
main(void)
{
	return tap_main(tests, sizeof tests / sizeof tests[0]);
}
