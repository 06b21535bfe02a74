#include <config.h>

#include "extract/dlperf/dlperf_read.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "common/alloc.h"
#include "common/stats/stats.h"
#include "common/strbuf.h"
#include "extract/dlperf/python_text.h"

enum { SKIP = 5, MAX_GROUP = 256, MATCH_LIMIT = 100000 };

/* What the patterns of a script are made into, and what was read so far. */
struct dlperf_reader {
	const struct dlperf_script *script;
	const struct dlperf_name *name;
	long warmup, train;
	long from, to; /* of the script's indices */
	double batch;  /* samples in an iteration of all GPUs */
	pcre2_code *value, *iteration, *stamp, *step;
	pcre2_match_data *match;
	pcre2_match_context *limits;
	double *values;
	size_t n_values, alloc_values;
	char from_text[64], to_text[64]; /* of READ_TEXT */
	int started;                     /* 1: start is set */
	int64_t start;                   /* microseconds */
	double cost;                     /* milliseconds, of READ_SINK */
	double step_now;                 /* of READ_SINK */
	struct dlperf_reading *out;
};

static pcre2_code *
compile_pattern(const char *pattern)
{
	int code;
	PCRE2_SIZE offset;
	pcre2_code *re;

	if (pattern == NULL)
		return NULL;
	re = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
	    PCRE2_DOTALL, &code, &offset, NULL);
	assert(re != NULL); /* they are our own */
	return re;
}

/* Group 1 of the first match in the line, copied to buf: 0; -1: no match, with
 * IndexError in e; a group that is too long for a number is cut. */
static int
first_group(struct dlperf_reader *r, const pcre2_code *re,
    const struct dlperf_line *line, char buf[MAX_GROUP], struct error *e)
{
	const PCRE2_SIZE *span;
	size_t len;

	if (pcre2_match(re, (PCRE2_SPTR)line->text,
		(size_t)(line->end - line->text), 0, 0, r->match,
		r->limits) < 2)
		return dlperf_raises(
		    e, "IndexError: what it looks for is not in", line->text);
	span = pcre2_get_ovector_pointer(r->match);
	len = span[3] - span[2];
	if (len >= MAX_GROUP)
		len = MAX_GROUP - 1;
	memcpy(buf, line->text + span[2], len);
	buf[len] = '\0';
	return 0;
}

/* Days from 1970-01-01 of a date of the Gregorian calendar; -1 in *ok = 0 if
 * there is no such day. */
static int64_t
days_of(long year, long month, long day, int *ok)
{
	static const int lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31,
		30, 31 };
	const int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	int64_t days = 365 * (int64_t)(year - 1970);
	long i;

	*ok = year >= 1 && month >= 1 && month <= 12 && day >= 1 &&
	    day <= lengths[month - 1] + (leap && month == 2);
	if (!*ok)
		return 0;
	days += (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 - 477;
	for (i = 1; i < month; i++)
		days += lengths[i - 1] + (leap && i == 2);
	return days + day - 1;
}

/* The next number in *s, which moves after it and the sign that follows. */
static long
next_number(const char **s)
{
	char *end;
	const long n = strtol(*s, &end, 10);

	*s = *end != '\0' ? end + 1 : end;
	return n;
}

/* datetime.strptime: "2020-07-14 22:16:50,122" or "22:16:50.122". */
static int
parse_stamp(const struct dlperf_reader *r, const char *text, int64_t *out,
    struct error *e)
{
	const char *s = text;
	int64_t days = 0, fraction = 0;
	long hour, minute, second;
	int ok = 1, digits;

	if (strchr(text, '-') != NULL) {
		const long year = next_number(&s), month = next_number(&s);

		days = days_of(year, month, next_number(&s), &ok);
	}
	hour = next_number(&s);
	minute = next_number(&s);
	second = next_number(&s);
	if (!ok || hour > 23 || minute > 59 || second > 59 ||
	    s[-1] != r->script->comma)
		return dlperf_raises(e, "ValueError: no time:", text);
	for (digits = 0; digits < 6; digits++)
		fraction = 10 * fraction +
		    (isdigit((unsigned char)*s) ? *s++ - '0' : 0);
	*out = (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000000 +
	    fraction;
	return 0;
}

static int
take_stamp(struct dlperf_reader *r, const struct dlperf_line *line,
    int64_t *out, struct error *e)
{
	char buf[MAX_GROUP];

	if (first_group(r, r->stamp, line, buf, e) != 0)
		return -1;
	return parse_stamp(r, buf, out, e);
}

static int
is_taken(const struct dlperf_script *s, const char *line)
{
	const int first = strstr(line, s->holds) != NULL;

	if (s->also == NULL || (s->either && first))
		return first;
	return (s->either || first) && strstr(line, s->also) != NULL;
}

static void
add_value(struct dlperf_reader *r, double x)
{
	r->values = vec_grow(
	    r->values, r->n_values, &r->alloc_values, sizeof *r->values);
	r->values[r->n_values++] = x;
	r->out->lines++;
}

/* Is the iteration of the line one of the first, which are excluded? */
static int
is_early(
    struct dlperf_reader *r, const struct dlperf_line *line, struct error *e)
{
	char buf[MAX_GROUP];
	long k;

	if (r->iteration == NULL)
		return 0;
	if (first_group(r, r->iteration, line, buf, e) != 0 ||
	    dlperf_int(buf, &k, e) != 0)
		return -1;
	return k <= SKIP;
}

static double
speed_of(const struct dlperf_reader *r, double x)
{
	const struct dlperf_name *n = r->name;

	switch (r->script->what) {
	case GIVES_NODE_SPEED:
		return x * (double)n->nodes;
	case GIVES_STEPS:
		return py_round(x * (double)(n->gpus_per_node * n->batch), 4);
	case GIVES_LATENCY:
		return 1000.0 / x * (double)n->batch * (double)n->nodes *
		    (double)n->gpus_per_node;
	case GIVES_ELAPSED:
		return py_round(r->batch / x, 4);
	default:
		return x;
	}
}

/* Each line reader returns 1 where the script stops reading, -1 where it stops
 * altogether. */
static int
line_of_mean(
    struct dlperf_reader *r, const struct dlperf_line *line, struct error *e)
{
	const struct dlperf_script *s = r->script;
	struct error ignored = ERROR_INIT;
	char buf[MAX_GROUP];
	double x;

	if (s->skips_bad &&
	    first_group(r, r->iteration, line, buf, &ignored) != 0)
		return 0;
	if (first_group(r, r->value, line, buf, s->skips_bad ? &ignored : e) !=
	    0)
		return s->skips_bad ? 0 : -1;
	if (dlperf_float(buf, &x, e) != 0)
		return -1;
	if (s->digits >= 0)
		x = py_round(x, s->digits);
	if (!(x > 0 || x < 0) &&
	    (s->what == GIVES_LATENCY || s->what == GIVES_ELAPSED))
		return dlperf_raises(
		    e, "ZeroDivisionError: no time in", line->text);
	add_value(r, speed_of(r, x));
	return 0;
}

static int
line_of_counted(
    struct dlperf_reader *r, const struct dlperf_line *line, struct error *e)
{
	struct dlperf_reading *out = r->out;
	const int early = is_early(r, line, e);
	char buf[MAX_GROUP];
	double x;

	if (early != 0)
		return early < 0 ? -1 : 0;
	out->lines++;
	if (out->lines < r->from)
		return 0;
	if (first_group(r, r->value, line, buf, e) != 0 ||
	    dlperf_float(buf, &x, e) != 0)
		return -1;
	add_value(r, x);
	out->lines--; /* counted already */
	if (out->lines != r->to)
		return 0;
	out->is_float = 1;
	out->speed = np_mean(r->values, r->n_values);
	return 1;
}

/* The speed between two stamps. */
static int
clock_speed(struct dlperf_reader *r, int64_t end, struct error *e)
{
	const struct dlperf_script *s = r->script;
	const double iterations =
	    (double)(s->by_distance ? r->to - r->from : r->train - r->warmup);
	const double cost = (double)(end - r->start) / 1e6;

	if (iterations == 0 || cost == 0)
		return dlperf_raises(
		    e, "ZeroDivisionError: no time has passed", NULL);
	r->out->is_float = 1;
	r->out->speed = r->batch / (cost / iterations);
	return 1;
}

static int
start_or_end(struct dlperf_reader *r, const struct dlperf_line *line,
    int is_start, struct error *e)
{
	int64_t stamp;

	if (take_stamp(r, line, &stamp, e) != 0)
		return -1;
	if (is_start) {
		r->start = stamp;
		r->started = 1;
		return 0;
	}
	if (!r->started)
		return dlperf_raises(
		    e, "ValueError: it ends where nothing began:", line->text);
	return clock_speed(r, stamp, e);
}

static int
line_of_clock(
    struct dlperf_reader *r, const struct dlperf_line *line, struct error *e)
{
	const long ranks =
	    r->script->per_rank ? r->name->nodes * r->name->gpus_per_node : 1;
	const int early = is_early(r, line, e);

	if (early != 0)
		return early < 0 ? -1 : 0;
	r->out->lines++;
	if (r->out->lines == r->from * ranks)
		return start_or_end(r, line, 1, e);
	if (r->out->lines == r->to * ranks)
		return start_or_end(r, line, 0, e);
	return 0;
}

static int
line_of_text(
    struct dlperf_reader *r, const struct dlperf_line *line, struct error *e)
{
	r->out->lines++;
	if (strstr(line->text, r->from_text) != NULL)
		return start_or_end(r, line, 1, e);
	if (strstr(line->text, r->to_text) != NULL)
		return start_or_end(r, line, 0, e);
	return 0;
}

static int
line_of_sink(
    struct dlperf_reader *r, const struct dlperf_line *line, struct error *e)
{
	char buf[MAX_GROUP];
	double x;
	long epoch = 1, step;

	if (strstr(line->text, "epoch:") != NULL &&
	    strstr(line->text, "step:") != NULL) {
		if (r->iteration != NULL &&
		    (first_group(r, r->iteration, line, buf, e) != 0 ||
			dlperf_int(buf, &epoch, e) != 0))
			return -1;
		if (first_group(r, r->step, line, buf, e) != 0 ||
		    dlperf_int(buf, &step, e) != 0)
			return -1;
		r->step_now = (double)step * (double)epoch;
		if (r->step_now > (double)r->train)
			return 1;
	}
	if (strstr(line->text, "epoch time:") == NULL ||
	    r->step_now <= (double)r->warmup)
		return 0;
	if (first_group(r, r->value, line, buf, e) != 0 ||
	    dlperf_float(buf, &x, e) != 0)
		return -1;
	r->out->lines++;
	r->cost += x;
	return 0;
}

/* [from:to] of Python, as places in n values. */
static void
python_slice(size_t n, long from, long to, size_t *first, size_t *end)
{
	if (from < 0)
		from = from + (long)n < 0 ? 0 : from + (long)n;
	if (to < 0)
		to = to + (long)n < 0 ? 0 : to + (long)n;
	*first = (size_t)from < n ? (size_t)from : n;
	*end = (size_t)to < n ? (size_t)to : n;
	if (*end < *first)
		*end = *first;
}

/* reshape(T, ranks) and the median of each row. */
static int
make_rows(struct dlperf_reader *r, struct error *e)
{
	const long ranks = r->script->rows == ROWS_OF_ALL
	    ? r->name->nodes * r->name->gpus_per_node
	    : 1;
	size_t i;

	if (r->script->rows == ROWS_NONE)
		return 0;
	if (ranks < 1 || r->n_values % (size_t)ranks != 0 ||
	    r->n_values / (size_t)ranks != (size_t)r->train) {
		struct strbuf sb;

		strbuf_init(&sb, 200);
		strbuf_printf(&sb,
		    "ValueError: cannot reshape %zu values into (%ld, %ld)",
		    r->n_values, r->train, ranks);
		dlperf_raises(e, sb.buf, NULL);
		strbuf_release(&sb);
		return -1;
	}
	for (i = 0; i < (size_t)r->train; i++)
		r->values[i] =
		    stats_median(r->values + i * (size_t)ranks, (size_t)ranks);
	r->n_values = (size_t)r->train;
	return 0;
}

static int
end_of_mean(struct dlperf_reader *r, struct error *e)
{
	size_t first, end;

	if (make_rows(r, e) != 0)
		return -1;
	python_slice(r->n_values, r->from, r->to, &first, &end);
	r->out->is_float = 1;
	r->out->speed =
	    end > first ? np_mean(r->values + first, end - first) : NAN;
	return 0;
}

static int
end_of_sink(struct dlperf_reader *r, struct error *e)
{
	const double iterations = (double)(r->train - r->warmup) *
	    (double)(r->name->nodes * r->name->gpus_per_node);
	const double cost = r->cost / 1000;

	(void)e;
	if (cost <= 1e-5) {
		r->out->nothing = 1;
		return 0;
	}
	r->out->is_float = 1;
	r->out->speed = r->batch / (cost / iterations);
	return 0;
}

static int
end_of_others(struct dlperf_reader *r, struct error *e)
{
	(void)r;
	(void)e;
	return 0;
}

typedef int line_reader(
    struct dlperf_reader *r, const struct dlperf_line *line, struct error *e);

static const struct {
	line_reader *line;
	int (*end)(struct dlperf_reader *r, struct error *e);
	int is_numpy; /* the speed of a file is a NumPy number */
} readers[] = {
	[READ_MEAN] = { line_of_mean, end_of_mean, 1 },
	[READ_COUNTED] = { line_of_counted, end_of_others, 1 },
	[READ_CLOCK] = { line_of_clock, end_of_others, 0 },
	[READ_TEXT] = { line_of_text, end_of_others, 0 },
	[READ_SINK] = { line_of_sink, end_of_sink, 0 },
};

static void
reader_begin(struct dlperf_reader *r)
{
	const struct dlperf_script *s = r->script;

	r->from = dlperf_index(s->from, r->warmup, r->train);
	r->to = dlperf_index(s->to, r->warmup, r->train);
	r->batch =
	    (double)(r->name->nodes * r->name->gpus_per_node * r->name->batch);
	r->iteration = compile_pattern(s->iteration);
	r->stamp = compile_pattern(s->stamp);
	if (s->kind == READ_SINK) {
		r->value = compile_pattern("epoch\\stime:\\s(\\d+.\\d{3})");
		r->step = compile_pattern("step:\\s(\\d+)");
	} else if (s->kind == READ_TEXT) {
		snprintf(r->from_text, sizeof r->from_text, "%s%ld%s", s->value,
		    r->from, s->suffix != NULL ? s->suffix : "");
		snprintf(r->to_text, sizeof r->to_text, "%s%ld%s", s->value,
		    r->to, s->suffix != NULL ? s->suffix : "");
	} else
		r->value = compile_pattern(s->value);
	r->match = pcre2_match_data_create(8, NULL);
	r->limits = pcre2_match_context_create(NULL);
	pcre2_set_match_limit(r->limits, MATCH_LIMIT);
}

static void
reader_release(struct dlperf_reader *r)
{
	pcre2_code_free(r->value);
	pcre2_code_free(r->iteration);
	pcre2_code_free(r->stamp);
	pcre2_code_free(r->step);
	pcre2_match_data_free(r->match);
	pcre2_match_context_free(r->limits);
	free(r->values);
}

static int
read_lines(struct dlperf_reader *r, char *text, size_t len, struct error *e)
{
	const struct dlperf_script *s = r->script;
	struct dlperf_line line;
	char *at = text;
	int outcome = 0;

	while (outcome == 0 && dlperf_next_line(&at, text + len, &line))
		if (s->kind == READ_SINK || is_taken(s, line.text))
			outcome = readers[s->kind].line(r, &line, e);
	if (outcome < 0 || readers[s->kind].end(r, e) != 0)
		return -1;
	if (r->out->is_float)
		r->out->speed = s->numpy && readers[s->kind].is_numpy
		    ? np_round(r->out->speed, 2)
		    : py_round2(r->out->speed);
	return 0;
}

int
dlperf_read_as(const struct dlperf_script *script, char *text, size_t len,
    const struct dlperf_name *name, long warmup, long train,
    struct dlperf_reading *out, struct error *e)
{
	struct dlperf_reader r = { .script = script,
		.name = name,
		.warmup = warmup,
		.train = train,
		.out = out };
	int outcome;

	if (script->kind == READ_TIMES)
		return dlperf_read(text, len, name, warmup, train, out, e);
	*out = (struct dlperf_reading){ .speed = 0 };
	if (dlperf_decode(text, len, e) != 0)
		return -1;
	reader_begin(&r);
	outcome = read_lines(&r, text, len, e);
	reader_release(&r);
	return outcome;
}
