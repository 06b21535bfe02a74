/* The lines of --records, compared with lines written member by member. */
#include <config.h>

#include "extract/job/extraction.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/json/json.h"
#include "extract/format/patterns/field_names.h"
#include "tests/tap.h"

enum { MANY = 3000, N_KEYS = 6 };

static const char *const keys[N_KEYS] = { "loss", "top1", "data_s", "top5",
	"lr", "memory_mib" };

struct detail_list {
	struct log_detail items[2 * MANY * N_KEYS];
	size_t n;
};

static struct sample samples[MANY];
static int64_t n_samples; /* number in use */
static struct detail_list details;
static uint64_t state = 88172645463325252u;

static uint64_t
next_random(void)
{
	state ^= state << 13; /* Marsaglia's xorshift */
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Numbers as logs print them, and a few unusual ones. */
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
give_detail(const char *key, int64_t sample)
{
	const struct field_name *word = field_name_find(key, strlen(key));

	details.items[details.n++] = (struct log_detail){ random_value(),
		(uint32_t)(word - field_name_at(0)), (uint32_t)sample };
}

/* Add details to the samples from i to end, which share a line. */
static void
give_details(int64_t i, int64_t end)
{
	for (int64_t k = 0; k < (end - i) * N_KEYS; k++)
		if (next_random() % 3 > 0)
			give_detail(keys[k % N_KEYS], i + k / N_KEYS);
}

/* Make samples, some of which share a line, and their details. */
static void
make_samples(void)
{
	struct sample last = { .epoch = 0 };

	details.n = 0;
	for (int64_t i = 0; i < n_samples; i++) {
		samples[i] = (struct sample){ random_value(), random_value(),
			last.line + (uint32_t)(next_random() % 4),
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
		give_details(i, end);
	}
}

static void
write_count(struct json_writer *j, const char *key, int32_t n)
{
	if (n == SAMPLE_NONE)
		json_write_string(j, key, NULL);
	else
		json_write_long(j, key, n);
}

/* Write the lines as they are defined. */
static char *
expected_text(const struct log *log)
{
	struct strbuf sb;
	struct json_writer j = JSON_TO_STRBUF(&sb);

	strbuf_init(&sb, SIZE_MAX / 2);
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
		for (size_t k = 0; k < details.n; k++) {
			const char *name =
			    field_name_at(details.items[k].word)->name;

			/* One key for all units of a quantity. */
			if (strcmp(name, "memory_mib") == 0)
				name = "memory_gib";
			if (details.items[k].sample == i)
				json_write_double(
				    &j, name, details.items[k].value);
		}
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
	records_write(logs, n, NULL, f);
	len = ftell(f);
	rewind(f);
	text = xcalloc((size_t)len + 1, 1);
	CHECK_INT(fread(text, 1, (size_t)len, f), len);
	fclose(f);
	return text;
}

static void
check_log(const char *shown, enum value_statistic statistic, int64_t n)
{
	const struct meaning meaning = { .unit = "s", .statistic = statistic };
	struct log log;
	const struct log *const logs[] = { &log };
	char *want, *got;

	log_init(&log);
	log.shown = shown;
	log.meaning = &meaning;
	n_samples = n;
	make_samples();
	for (int64_t i = 0; i < n_samples; i++) {
		*sample_store_next(&log.samples) = samples[i];
		log.samples.n++;
	}
	for (size_t i = 0; i < details.n; i++)
		detail_store_add(&log.details, &details.items[i]);
	want = expected_text(&log);
	got = written_text(logs, 1);
	CHECK(strcmp(got, want) == 0);
	free(got);
	free(want);
	log_release(&log);
}

static void
test_lines(void)
{
	check_log("1n1g/a.log", STATISTIC_INSTANT, MANY);
	check_log("a \"b\"\\\n\xff.log", STATISTIC_CUMULATIVE_MEAN, MANY);
}

/* A path longer than any text buffer. */
static void
test_long_path(void)
{
	char *path = xmalloc(70000);

	memset(path, 'x', 69999);
	path[69999] = '\0';
	check_log(path, STATISTIC_INSTANT, 20);
	free(path);
}

static void
test_no_samples(void)
{
	struct log log;
	const struct log *const logs[] = { &log };
	char *got;

	log_init(&log);
	got = written_text(logs, 1);
	CHECK_STR(got, "");
	free(got);
}

static const struct tap_test tests[] = {
	TEST(test_lines),
	TEST(test_long_path),
	TEST(test_no_samples),
};

int
main(void)
{
	return tap_main(tests, sizeof tests / sizeof tests[0]);
}
