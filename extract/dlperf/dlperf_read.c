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
#include <time.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "common/alloc.h"
#include "common/program/options.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "common/utf8.h"
#include "extract/dlperf/python_text.h"

enum {
	SKIP = 5, /* iterations that count for nothing */
	MAX_GROUP = 256,
	MAX_SHOWN = 40,
	MATCH_LIMIT = 100000
};

int
dlperf_raises(struct error *e, const char *what, const char *value)
{
	if (value == NULL)
		return error_set(
		    e, ERROR_INPUT, "DLPerf's script stops here: %s", what);
	return error_set(e, ERROR_INPUT,
	    "DLPerf's script stops here: %s '%.*s'%s", what, MAX_SHOWN, value,
	    strlen(value) > MAX_SHOWN ? "..." : "");
}

/* str.strip(set): characters of the set off both ends. */
static char *
strip_characters(char *s, const char *set)
{
	size_t len;

	s += strspn(s, set);
	for (len = strlen(s); len > 0 && strchr(set, s[len - 1]) != NULL; len--)
		;
	s[len] = '\0';
	return s;
}

char *
dlperf_strip(char *s)
{
	return strip_characters(s, " \t\n\v\f\r");
}

int
dlperf_int(char *s, long *out, struct error *e)
{
	const char *digits = dlperf_strip(s);

	if (digits[0] == '+')
		digits++;
	if (parse_long(digits, LONG_MIN, LONG_MAX, out) != 0)
		return dlperf_raises(
		    e, "ValueError: invalid literal for int():", s);
	return 0;
}

int
dlperf_float(char *s, double *out, struct error *e)
{
	char *from = dlperf_strip(s), *to, *end;
	char *number = xstrdup(from);
	int ok = strpbrk(from, "xX") == NULL;

	for (to = number; *from != '\0'; from++)
		if (*from != '_')
			*to++ = *from;
	*to = '\0';
	*out = strtod(number, &end);
	ok = ok && end != number && *end == '\0';
	free(number);
	return ok
	    ? 0
	    : dlperf_raises(e, "ValueError: could not convert to float:", s);
}

int
dlperf_decode(char *text, size_t len, struct error *e)
{
	char *at;

	if (!utf8_valid(text, len))
		return dlperf_raises(e, "UnicodeDecodeError: no UTF-8", NULL);
	for (at = text; at < text + len; at++)
		if (*at == '\0')
			*at = '\001'; /* like it, neither digit nor blank */
	return 0;
}

int
dlperf_next_line(char **at, char *end, struct dlperf_line *line)
{
	size_t n;

	if (*at >= end)
		return 0;
	n = strcspn(*at, "\r\n");
	*line = (struct dlperf_line){ *at, *at + n, *at + n < end };
	*at += n;
	*(*at)++ = '\0';
	return 1;
}

/* Nodes are one digit; GPUs what the length of the name allows. */
static int
read_folder(struct dlperf_name *out, struct error *e)
{
	const char *folder = out->folder;
	const size_t len = strlen(folder);
	char number[3] = { folder[0] };

	if (len == 0)
		return dlperf_raises(e, "IndexError: no folder in", folder);
	if (dlperf_int(number, &out->nodes, e) != 0)
		return -1;
	if (len != 4 && len != 5)
		return dlperf_raises(
		    e, "UnboundLocalError: card_num is not set for", folder);
	number[0] = folder[2];
	number[1] = len == 5 ? folder[3] : '\0';
	return dlperf_int(number, &out->gpus_per_node, e);
}

int
dlperf_name(
    const char *path, struct arena *a, struct dlperf_name *out, struct error *e)
{
	char *folder = arena_strdup(a, path), *file = strrchr(folder, '/');
	char *fields[4]; /* of the file's name, between '_' */
	const char *name = file + 1;
	size_t i;

	if (file == NULL)
		return dlperf_raises(e, "IndexError: no folder in", path);
	*file++ = '\0';
	name = path + (file - folder);
	for (i = 0; i < 4; i++)
		fields[i] = strsep(&file, "_");
	out->folder =
	    strrchr(folder, '/') != NULL ? strrchr(folder, '/') + 1 : folder;
	out->model = fields[0];
	out->precision = fields[2];
	/* In the script's order, so that its exception is the one named. */
	if (fields[1] == NULL)
		return dlperf_raises(e, "IndexError: too few '_' in", name);
	if (dlperf_int(strip_characters(fields[1], "b"), &out->batch, e) != 0)
		return -1;
	if (fields[3] == NULL)
		return dlperf_raises(e, "IndexError: too few '_' in", name);
	if (dlperf_int(strip_characters(fields[3], ".log"), &out->run, e) != 0)
		return -1;
	return read_folder(out, e);
}

/* What the patterns of a script are made into, and what was read so far. */
struct reader {
	const struct dlperf_script *script;
	const struct dlperf_name *name;
	long warmup, train, from, to;
	long gpus;
	double batch; /* samples in an iteration of all GPUs */
	pcre2_code *value, *iteration, *stamp, *step;
	pcre2_match_data *match;
	pcre2_match_context *limits;
	double *values;
	size_t n_values, alloc_values;
	int started;     /* 1: start is set */
	int64_t start;   /* microseconds */
	double cost;     /* of READ_TIMES in s, of READ_SINK in ms */
	double step_now; /* of READ_SINK */
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
	    PCRE2_DOTALL | PCRE2_UTF, &code, &offset, NULL);
	assert(re != NULL); /* they are our own */
	return re;
}

/* Group 1 of the first match in the line, copied to buf: 0; -1: no match, with
 * IndexError in e; a group that is too long for a number is cut.  $ stands for
 * the end of a line that has one. */
static int
first_group(struct reader *r, const pcre2_code *re,
    const struct dlperf_line *line, char buf[MAX_GROUP], struct error *e)
{
	const PCRE2_SIZE *span;
	size_t len;

	if (pcre2_match(re, (PCRE2_SPTR)line->text,
		(size_t)(line->end - line->text), 0,
		(line->ended ? 0 : PCRE2_NOTEOL) | PCRE2_NO_UTF_CHECK, r->match,
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

static int
take_int(struct reader *r, const pcre2_code *re, const struct dlperf_line *line,
    long *out, struct error *e)
{
	char buf[MAX_GROUP];

	if (first_group(r, re, line, buf, e) != 0)
		return -1;
	return dlperf_int(buf, out, e);
}

static int
take_float(struct reader *r, const struct dlperf_line *line, double *out,
    struct error *e)
{
	char buf[MAX_GROUP];

	if (first_group(r, r->value, line, buf, e) != 0)
		return -1;
	return dlperf_float(buf, out, e);
}

/* datetime.strptime: "2020-07-14 22:16:50,122" or "22:16:50.122", in
 * microseconds. */
static int
take_stamp(struct reader *r, const struct dlperf_line *line, int64_t *out,
    struct error *e)
{
	const char point =
	    r->script->fraction != '\0' ? r->script->fraction : '.';
	struct tm tm = { .tm_year = 70, .tm_mday = 1 };
	char buf[MAX_GROUP];
	const char *s;
	int64_t fraction = 0;
	int day, digits;
	time_t t;

	if (first_group(r, r->stamp, line, buf, e) != 0)
		return -1;
	s = strptime(buf,
	    strchr(buf, '-') != NULL ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", &tm);
	day = tm.tm_mday;
	t = timegm(&tm);
	/* timegm makes March of February 30 and a minute of 60 s. */
	if (s == NULL || *s++ != point || tm.tm_mday != day || tm.tm_sec > 59)
		return dlperf_raises(e, "ValueError: no time:", buf);
	for (digits = 0; digits < 6; digits++)
		fraction = 10 * fraction +
		    (isdigit((unsigned char)*s) ? *s++ - '0' : 0);
	*out = (int64_t)t * 1000000 + fraction;
	return 0;
}

static int
is_taken(const struct dlperf_script *s, const char *line)
{
	const int first = s->holds == NULL || strstr(line, s->holds) != NULL;

	if (s->also == NULL || (s->either && first))
		return first;
	return (s->either || first) && strstr(line, s->also) != NULL;
}

static void
add_value(struct reader *r, double x)
{
	r->values = vec_grow(
	    r->values, r->n_values, &r->alloc_values, sizeof *r->values);
	r->values[r->n_values++] = x;
}

/* Is the iteration of the line one of the first, which are excluded?  1, 0, or
 * -1 as first_group. */
static int
is_early(struct reader *r, const struct dlperf_line *line, struct error *e)
{
	long k;

	if (r->iteration == NULL)
		return 0;
	return take_int(r, r->iteration, line, &k, e) != 0 ? -1 : k <= SKIP;
}

static double
speed_of(const struct reader *r, double x)
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
line_of_mean(struct reader *r, const struct dlperf_line *line, struct error *e)
{
	const struct dlperf_script *s = r->script;
	struct error ignored = ERROR_INIT;
	char buf[MAX_GROUP];
	double x;

	if (s->skips_bad &&
	    (first_group(r, r->iteration, line, buf, &ignored) != 0 ||
		first_group(r, r->value, line, buf, &ignored) != 0))
		return 0;
	if (take_float(r, line, &x, e) != 0)
		return -1;
	if (s->digits > 0)
		x = py_round(x, s->digits);
	if (!(x > 0 || x < 0) &&
	    (s->what == GIVES_LATENCY || s->what == GIVES_ELAPSED))
		return dlperf_raises(
		    e, "ZeroDivisionError: no time in", line->text);
	add_value(r, speed_of(r, x));
	r->out->lines++;
	return 0;
}

/* Compare a time with what the line prints after "Time". */
static void
check_time(struct dlperf_reading *out, const char *line, double t)
{
	const char *s = strstr(line, "Time");
	char *end = NULL;
	double right = NAN;

	if (s != NULL)
		right = strtod(s + 4, &end);
	if (s == NULL || end == s + 4)
		right = NAN;
	if (!(fabs(t - right) <= 1e-9) && out->misread++ == 0) {
		out->misread_as = t;
		out->printed = right;
	}
}

static int
line_of_counted(
    struct reader *r, const struct dlperf_line *line, struct error *e)
{
	struct dlperf_reading *out = r->out;
	const int early = is_early(r, line, e);
	double x;

	if (early != 0)
		return early < 0 ? -1 : 0;
	if (++out->lines >= r->from) {
		if (take_float(r, line, &x, e) != 0)
			return -1;
		add_value(r, x);
		r->cost += x;
		if (r->script->kind == READ_TIMES)
			check_time(out, line->text, x);
	}
	if (out->lines < r->to)
		return 0;
	if (r->script->kind == READ_TIMES && !(r->cost > 0 || r->cost < 0))
		return dlperf_raises(
		    e, "ZeroDivisionError: no time has passed", NULL);
	out->is_float = 1;
	out->speed = r->script->kind == READ_TIMES
	    ? r->batch / (r->cost / (double)(r->train - r->warmup))
	    : np_mean(r->values, r->n_values);
	return 1;
}

/* The line at which the time starts or ends. */
static int
start_or_end(struct reader *r, const struct dlperf_line *line, int is_start,
    struct error *e)
{
	const long iterations =
	    r->script->by_distance ? r->to - r->from : r->train - r->warmup;
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
	if (iterations == 0 || stamp == r->start)
		return dlperf_raises(
		    e, "ZeroDivisionError: no time has passed", NULL);
	r->out->is_float = 1;
	r->out->speed =
	    r->batch / ((double)(stamp - r->start) / 1e6 / (double)iterations);
	return 1;
}

static int
line_of_clock(struct reader *r, const struct dlperf_line *line, struct error *e)
{
	const long ranks = r->script->per_rank ? r->gpus : 1;
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

/* Does the line hold the script's text with that iteration? */
static int
holds_iteration(const struct reader *r, const char *line, long iteration)
{
	const struct dlperf_script *s = r->script;
	char text[64];

	snprintf(text, sizeof text, "%s%ld%s", s->value, iteration,
	    s->suffix != NULL ? s->suffix : "");
	return strstr(line, text) != NULL;
}

static int
line_of_text(struct reader *r, const struct dlperf_line *line, struct error *e)
{
	r->out->lines++;
	if (holds_iteration(r, line->text, r->from))
		return start_or_end(r, line, 1, e);
	if (holds_iteration(r, line->text, r->to))
		return start_or_end(r, line, 0, e);
	return 0;
}

static int
line_of_sink(struct reader *r, const struct dlperf_line *line, struct error *e)
{
	double x;
	long epoch = 1, step;

	if (strstr(line->text, "epoch:") != NULL &&
	    strstr(line->text, "step:") != NULL) {
		if (r->iteration != NULL &&
		    take_int(r, r->iteration, line, &epoch, e) != 0)
			return -1;
		if (take_int(r, r->step, line, &step, e) != 0)
			return -1;
		r->step_now = (double)step * (double)epoch;
		if (r->step_now > (double)r->train)
			return 1;
	}
	if (strstr(line->text, "epoch time:") == NULL ||
	    r->step_now <= (double)r->warmup)
		return 0;
	if (take_float(r, line, &x, e) != 0)
		return -1;
	r->out->lines++;
	r->cost += x;
	return 0;
}

/* A place in a list of n as Python's slices take it: from its end if it is
 * negative, at most n. */
static size_t
slice_index(long i, size_t n)
{
	if (i < 0)
		i = i + (long)n < 0 ? 0 : i + (long)n;
	return (size_t)i < n ? (size_t)i : n;
}

/* reshape(T, ranks) and the median of each row. */
static int
make_rows(struct reader *r, struct error *e)
{
	const long ranks = r->script->rows == ROWS_OF_ALL ? r->gpus : 1;
	char what[128];
	size_t i;

	if (ranks < 1 || r->n_values % (size_t)ranks != 0 ||
	    r->n_values / (size_t)ranks != (size_t)r->train) {
		snprintf(what, sizeof what,
		    "ValueError: cannot reshape %zu values into (%ld, %ld)",
		    r->n_values, r->train, ranks);
		return dlperf_raises(e, what, NULL);
	}
	for (i = 0; i < (size_t)r->train; i++)
		r->values[i] =
		    stats_median(r->values + i * (size_t)ranks, (size_t)ranks);
	r->n_values = (size_t)r->train;
	return 0;
}

static int
end_of_mean(struct reader *r, struct error *e)
{
	size_t first, end;

	if (r->script->rows != ROWS_NONE && make_rows(r, e) != 0)
		return -1;
	first = slice_index(r->from, r->n_values);
	end = r->script->to_end ? r->n_values : slice_index(r->to, r->n_values);
	r->out->is_float = 1;
	r->out->speed =
	    end > first ? np_mean(r->values + first, end - first) : NAN;
	return 0;
}

static void
end_of_sink(struct reader *r)
{
	const double iterations =
	    (double)(r->train - r->warmup) * (double)r->gpus;
	const double cost = r->cost / 1000;

	r->out->nothing = cost <= 1e-5;
	r->out->is_float = !r->out->nothing;
	if (r->out->is_float)
		r->out->speed = r->batch / (cost / iterations);
}

static int (*const line_readers[])(
    struct reader *r, const struct dlperf_line *line, struct error *e) = {
	[READ_MEAN] = line_of_mean,
	[READ_COUNTED] = line_of_counted,
	[READ_TIMES] = line_of_counted,
	[READ_CLOCK] = line_of_clock,
	[READ_TEXT] = line_of_text,
	[READ_SINK] = line_of_sink,
};

static int
read_lines(struct reader *r, char *text, size_t len, struct error *e)
{
	const struct dlperf_script *s = r->script;
	const int numpy =
	    !s->plain && (s->kind == READ_MEAN || s->kind == READ_COUNTED);
	struct dlperf_line line;
	char *at = text;
	int outcome = 0;

	while (outcome == 0 && dlperf_next_line(&at, text + len, &line))
		if (is_taken(s, line.text))
			outcome = line_readers[s->kind](r, &line, e);
	if (outcome < 0 || (s->kind == READ_MEAN && end_of_mean(r, e) != 0))
		return -1;
	if (s->kind == READ_SINK)
		end_of_sink(r);
	if (r->out->is_float)
		r->out->speed = numpy ? np_round(r->out->speed, 2)
				      : py_round(r->out->speed, 2);
	return 0;
}

static long
bound_of(const struct dlperf_bound *b, long x)
{
	if (x < b->least)
		return b->low;
	return (x - b->minus) / (b->over > 0 ? b->over : 1);
}

int
dlperf_read(const struct dlperf_script *script, char *text, size_t len,
    const struct dlperf_name *name, long warmup, long train,
    struct dlperf_reading *out, struct error *e)
{
	const long gpus = name->nodes * name->gpus_per_node;
	struct reader r = {
		.script = script,
		.name = name,
		.warmup = warmup,
		.train = train,
		.from = bound_of(&script->from, warmup),
		.to = bound_of(&script->to, train),
		.gpus = gpus,
		.batch = (double)(gpus * name->batch),
		.iteration = compile_pattern(script->iteration),
		.stamp = compile_pattern(script->stamp),
		.step = compile_pattern(
		    script->kind == READ_SINK ? "step:\\s(\\d+)" : NULL),
		.value = compile_pattern(
		    script->kind == READ_TEXT ? NULL : script->value),
		.match = pcre2_match_data_create(8, NULL),
		.limits = pcre2_match_context_create(NULL),
		.out = out,
	};
	int outcome;

	*out = (struct dlperf_reading){ .speed = 0 };
	pcre2_set_match_limit(r.limits, MATCH_LIMIT);
	outcome = dlperf_decode(text, len, e);
	if (outcome == 0)
		outcome = read_lines(&r, text, len, e);
	pcre2_code_free(r.value);
	pcre2_code_free(r.iteration);
	pcre2_code_free(r.stamp);
	pcre2_code_free(r.step);
	pcre2_match_data_free(r.match);
	pcre2_match_context_free(r.limits);
	free(r.values);
	return outcome;
}
