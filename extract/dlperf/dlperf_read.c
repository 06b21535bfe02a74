#include <config.h>

#include "extract/dlperf/dlperf_script.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "common/alloc.h"
#include "common/stats/stats.h"

#define LATENCY "latency(ms)"

enum {
	SKIP = 5, /* iterations that count for nothing */
	MAX_GROUP = 256,
	MATCH_LIMIT = 100000
};

/* Nodes are one digit; GPUs what the length of the name allows. */
static int
read_folder(struct dlperf_name *out, struct error *e)
{
	const char *folder = out->folder;
	const size_t len = strlen(folder);
	char number[3] = { folder[0] };

	if (len == 0)
		return py_raises(e, "IndexError: no folder in", folder);
	if (py_int(number, &out->nodes, e) != 0)
		return -1;
	if (len != 4 && len != 5)
		return py_raises(
		    e, "UnboundLocalError: card_num is not set for", folder);
	number[0] = folder[2];
	number[1] = len == 5 ? folder[3] : '\0';
	return py_int(number, &out->gpus_per_node, e);
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
		return py_raises(e, "IndexError: no folder in", path);
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
		return py_raises(e, "IndexError: too few '_' in", name);
	if (py_int(py_strip(fields[1], "b"), &out->batch, e) != 0)
		return -1;
	if (fields[3] == NULL)
		return py_raises(e, "IndexError: too few '_' in", name);
	if (py_int(py_strip(fields[3], ".log"), &out->run, e) != 0)
		return -1;
	return read_folder(out, e);
}

double
dlperf_round(const struct dlperf_script *s, double x, int digits)
{
	const int numpy =
	    !s->plain && (s->kind == READ_MEAN || s->kind == READ_COUNTED);

	return numpy ? np_round(x, digits) : py_round(x, digits);
}

struct taken_line {
	struct py_line line;
	double iteration;
};

/* What the patterns of a script are made into, and what was read so far. */
struct reader {
	const struct dlperf_script *script;
	struct dlperf_name *name;
	struct json_object *dict;
	long warmup, train, from, to;
	long gpus, ranks; /* ranks: lines that an iteration has */
	double batch;     /* samples in an iteration of all GPUs */
	pcre2_code *line, *iteration, *epoch, *value;
	pcre2_match_data *match;
	pcre2_match_context *limits;
	struct taken_line *lines;
	size_t n, alloc;
	double *values;
	double every; /* PRINT_INTERVAL: iterations between lines */
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

/* $ stands for the end of a line that has one. */
static int
matches(struct reader *r, const pcre2_code *re, const struct py_line *line)
{
	return pcre2_match(re, (PCRE2_SPTR)line->text, strlen(line->text), 0,
		   (line->ended ? 0 : PCRE2_NOTEOL) | PCRE2_NO_UTF_CHECK,
		   r->match, r->limits) >= 1;
}

/* Copy group 1 of the first match in the line; one that is too long for a
 * number is cut.  Returns 0, or -1 with IndexError. */
static int
first_group(struct reader *r, const pcre2_code *re, const struct py_line *line,
    char buf[MAX_GROUP], struct error *e)
{
	const PCRE2_SIZE *span;

	if (!matches(r, re, line))
		return py_raises(
		    e, "IndexError: what it looks for is not in", line->text);
	span = pcre2_get_ovector_pointer(r->match);
	snprintf(buf, MAX_GROUP, "%.*s", (int)(span[3] - span[2]),
	    line->text + span[2]);
	return 0;
}

static int
take_int(struct reader *r, const pcre2_code *re, const struct py_line *line,
    long *out, struct error *e)
{
	char buf[MAX_GROUP];

	if (first_group(r, re, line, buf, e) != 0)
		return -1;
	return py_int(buf, out, e);
}

/* datetime.strptime: "2020-07-14 22:16:50,122" or "22:16:50.122", in
 * microseconds. */
static int
read_stamp(const char *text, char point, double *out, struct error *e)
{
	struct tm tm = { .tm_year = 70, .tm_mday = 1 };
	const char *s = strptime(text,
	    strchr(text, '-') != NULL ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", &tm);
	const int day = tm.tm_mday;
	const time_t t = timegm(&tm);
	long fraction = 0;
	int digits;

	/* timegm makes March of February 30 and a minute of 60 s. */
	if (s == NULL || *s++ != point || tm.tm_mday != day || tm.tm_sec > 59)
		return py_raises(e, "ValueError: no time:", text);
	for (digits = 0; digits < 6; digits++)
		fraction = 10 * fraction +
		    (isdigit((unsigned char)*s) ? *s++ - '0' : 0);
	*out = (double)((int64_t)t * 1000000 + fraction);
	return 0;
}

/* The value of a line: a number, or a time in microseconds. */
static int
take_value(struct reader *r, size_t i, double *out, struct error *e)
{
	const struct dlperf_script *s = r->script;
	char buf[MAX_GROUP];

	if (first_group(r, r->value, &r->lines[i].line, buf, e) != 0)
		return -1;
	if (s->kind == READ_CLOCK || s->kind == READ_TEXT)
		return read_stamp(
		    buf, s->fraction != '\0' ? s->fraction : '.', out, e);
	return py_float(buf, out, e);
}

/* Take a line "batch_size = 128": 1 if it is a setting, -1 with an exception if
 * it has no value. */
static int
take_setting(struct reader *r, char *line, struct error *e)
{
	const size_t len = strcspn(line, " ");
	const char *const *key = r->script->settings;
	char *value = line[len] != '\0' ? strchr(line + len + 1, ' ') : NULL;
	long k;

	while (*key != NULL &&
	    (strncmp(line, *key, len) != 0 || (*key)[len] != '\0'))
		key++;
	if (*key == NULL)
		return 0;
	if (value == NULL)
		return py_raises(e, "IndexError: no value of", *key);
	value++;
	value[strcspn(value, " ")] = '\0';
	if (strcmp(*key, "loss_print_every_n_iter") == 0)
		return py_float(value, &r->every, e) != 0 ? -1 : 1;
	if (strcmp(*key, "wide_workspace_size_per_gpu_in_mb") != 0) {
		json_object_object_add(r->dict, *key,
		    json_object_new_string(py_strip(value, PY_BLANKS)));
		return 1;
	}
	if (py_int(value, &k, e) != 0)
		return -1;
	json_object_object_add(r->dict, "vocab_size",
	    json_object_new_int64(k * 1024 * 1024 / 4 / 1000000 * 1000000));
	return 1;
}

/* The iteration of a line; READ_SINK has it in lines before.  Returns 0, or -1
 * with an exception. */
static int
take_iteration(struct reader *r, const struct py_line *line, double *iteration,
    struct error *e)
{
	long k, epoch = 1;

	if (r->iteration == NULL ||
	    (r->script->kind == READ_SINK &&
		(strstr(line->text, "epoch:") == NULL ||
		    strstr(line->text, "step:") == NULL)))
		return 0;
	if (r->epoch != NULL && take_int(r, r->epoch, line, &epoch, e) != 0)
		return -1;
	if (take_int(r, r->iteration, line, &k, e) != 0)
		return -1;
	*iteration = (double)k * (double)epoch;
	return 0;
}

static int
is_counted(const struct reader *r, const char *line, double iteration)
{
	const enum dlperf_kind kind = r->script->kind;

	if (kind == READ_SINK)
		return strstr(line, "epoch time:") != NULL &&
		    iteration > (double)r->warmup;
	if (kind == PRINT_INTERVAL)
		return iteration != (double)r->warmup;
	return r->iteration == NULL || kind >= PRINT_SPEEDS || iteration > SKIP;
}

/* Collect the lines that count, up to the one at which the script stops. */
static int
collect_lines(struct reader *r, char *text, char *end, struct error *e)
{
	const struct dlperf_script *s = r->script;
	const int stops = s->kind == READ_COUNTED || s->kind == READ_TIMES ||
	    s->kind == READ_CLOCK;
	struct py_line line;
	double k = 0;

	while (py_next_line(&text, end, &line)) {
		int setting = 0;

		if (s->kind == PRINT_MEAN)
			line.text = py_strip(line.text, PY_BLANKS);
		if (s->settings != NULL)
			setting = take_setting(r, line.text, e);
		if (setting < 0)
			return -1;
		if (setting || !matches(r, r->line, &line))
			continue;
		if (take_iteration(r, &line, &k, e) != 0)
			return -1;
		if (s->kind == READ_SINK && k > (double)r->train)
			return 0;
		if (!is_counted(r, line.text, k))
			continue;
		r->lines =
		    vec_grow(r->lines, r->n, &r->alloc, sizeof *r->lines);
		r->lines[r->n++] = (struct taken_line){ line, k };
		if (stops && (long)r->n == r->to * r->ranks)
			return 0;
	}
	return 0;
}

/* Whether line i is the one of number or iteration `at`, W or T. */
static int
is_at(const struct reader *r, size_t i, long at)
{
	const struct dlperf_script *s = r->script;
	char text[64];

	if (s->kind == READ_CLOCK)
		return (long)i + 1 == at * r->ranks;
	if (s->kind == PRINT_1000)
		return at == r->from
		    ? i == 0
		    : r->lines[i].iteration == r->lines[0].iteration + 1000;
	if (s->kind == PRINT_SPEEDS)
		return r->lines[i].iteration == (double)at;
	snprintf(text, sizeof text, "%s%ld%s", s->iteration, at,
	    s->after != NULL ? s->after : "");
	return strstr(r->lines[i].line.text, text) != NULL;
}

/* Set n to how many of the two times were found, of W and then T, and elapsed
 * to what passed between. */
static int
take_interval(struct reader *r, int *n, double *elapsed, struct error *e)
{
	const int last = r->script->kind >= PRINT_SPEEDS; /* counts */
	double start = 0, end = 0;
	int started = 0, ended = 0;
	size_t i;

	for (i = 0; i < r->n && (last || !ended); i++)
		if (is_at(r, i, r->from)) {
			started = 1;
			if (take_value(r, i, &start, e) != 0)
				return -1;
		} else if (is_at(r, i, r->to)) {
			ended = 1;
			if (take_value(r, i, &end, e) != 0)
				return -1;
			if (!started && !last)
				return py_raises(e,
				    "ValueError: it ends where nothing began:",
				    r->lines[i].line.text);
		}
	r->out->lines = (long)i;
	*n = started ? started + ended : 0;
	*elapsed = end - start;
	return 0;
}

/* int(dict[key]) */
static int
number_of(const struct reader *r, const char *key, long *out, struct error *e)
{
	struct json_object *x = json_object_object_get(r->dict, key);
	char text[64];

	if (x == NULL)
		return py_raises(e, "KeyError:", key);
	snprintf(text, sizeof text, "%s", json_object_get_string(x));
	return py_int(text, out, e);
}

/* The speed from the seconds that so many iterations took. */
static int
set_speed(struct reader *r, double seconds, double iterations, struct error *e)
{
	if (iterations == 0 || !(seconds > 0 || seconds < 0))
		return py_raises(
		    e, "ZeroDivisionError: no time has passed", NULL);
	r->out->is_float = 1;
	r->out->speed = r->batch / (seconds / iterations);
	return 0;
}

static int
speed_of_interval(struct reader *r, struct error *e)
{
	const struct dlperf_script *s = r->script;
	const long train = r->train - r->warmup;
	struct dlperf_name *name = r->name;
	double elapsed = 0;
	char text[32];
	int n = 0;

	if (take_interval(r, &n, &elapsed, e) != 0)
		return -1;
	if (s->kind == PRINT_1000 && n > 0)
		/* seconds of 1000 iterations are milliseconds of one */
		json_object_object_add(r->dict, LATENCY,
		    n == 2 ? json_object_new_double(elapsed)
			   : json_object_new_int64(0));
	if (s->kind == PRINT_1000 || (s->kind != PRINT_SPEEDS && n < 2))
		return 0;
	if (s->kind != PRINT_SPEEDS)
		return set_speed(r, elapsed / 1e6,
		    (double)(s->by_distance ? r->to - r->from : train), e);
	snprintf(text, sizeof text, "%ld", n > 0 ? r->train : r->warmup);
	if (n < 2)
		return py_raises(e, "AssertionError: no iteration", text);
	if (number_of(r, "num_nodes", &name->nodes, e) != 0 ||
	    number_of(r, "gpu_num_per_node", &name->gpus_per_node, e) != 0 ||
	    number_of(r, "batch_size_per_device", &name->batch, e) != 0)
		return -1;
	r->batch =
	    (double)(name->batch * name->gpus_per_node * name->nodes * train);
	return set_speed(r, elapsed, 1, e);
}

/* Make *x, a value of READ_MEAN, the samples/s or what the script takes for
 * them. */
static int
make_speed(const struct reader *r, double *x, const char *line, struct error *e)
{
	const enum dlperf_value what = r->script->what;
	const struct dlperf_name *n = r->name;

	if (r->script->digits > 0)
		*x = py_round(*x, r->script->digits);
	if (*x == 0 && (what == GIVES_LATENCY || what == GIVES_ELAPSED))
		return py_raises(e, "ZeroDivisionError: no time in", line);
	if (what == GIVES_NODE_SPEED)
		*x *= (double)n->nodes;
	else if (what == GIVES_STEPS)
		*x = py_round(*x * (double)(n->gpus_per_node * n->batch), 4);
	else if (what == GIVES_LATENCY)
		*x = 1000.0 / *x * (double)n->batch * (double)n->nodes *
		    (double)n->gpus_per_node;
	else if (what == GIVES_ELAPSED)
		*x = py_round(r->batch / *x, 4);
	return 0;
}

/* Compare a time with what the line prints after "Time". */
static void
check_time(struct dlperf_reading *out, const char *line, double t)
{
	const char *s = strstr(line, "Time");
	char *end = NULL;
	double right = s != NULL ? strtod(s + 4, &end) : NAN;

	if (s != NULL && end == s + 4)
		right = NAN;
	if (!(fabs(t - right) <= 1e-9) && out->misread++ == 0) {
		out->misread_as = t;
		out->printed = right;
	}
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

/* reshape(T, ranks), the median of each row, and the mean of a slice. */
static int
speed_of_mean(struct reader *r, struct error *e)
{
	const size_t ranks = r->script->rows == ROWS_OF_ALL ? r->gpus : 1;
	size_t i, n = r->n, first, end;
	char what[128];

	if (r->script->rows != ROWS_NONE) {
		if (ranks < 1 || n != (size_t)r->train * ranks) {
			snprintf(what, sizeof what,
			    "ValueError: cannot reshape %zu values into "
			    "(%ld, %zu)",
			    n, r->train, ranks);
			return py_raises(e, what, NULL);
		}
		n = (size_t)r->train;
		for (i = 0; i < n; i++)
			r->values[i] =
			    stats_median(r->values + i * ranks, ranks);
	}
	first = slice_index(r->from, n);
	end = r->script->to_end ? n : slice_index(r->to, n);
	r->out->is_float = 1;
	r->out->speed =
	    end > first ? np_mean(r->values + first, end - first) : NAN;
	return 0;
}

/* latency(ms) of PRINT_INTERVAL and PRINT_MEAN. */
static int
add_latency(struct reader *r, struct error *e)
{
	const int models = r->script->kind == PRINT_MEAN;
	const size_t skip = models && r->n > 2; /* the first and the last */
	const size_t n = r->n - 2 * skip;
	double latency = 0;
	long batch, each;
	size_t i;

	for (i = skip; i < skip + n; i++)
		latency += r->values[i];
	if (models) {
		if (number_of(r, "batch_size", &batch, e) != 0 ||
		    number_of(r, "batch_size_per_proc", &each, e) != 0)
			return -1;
		if (each == 0)
			return py_raises(e,
			    "ZeroDivisionError: batch_size_per_proc is 0",
			    NULL);
		json_object_object_add(r->dict, "gpu_num_per_node",
		    json_object_new_int64(
			(long)((double)batch / (double)each)));
		json_object_object_add(
		    r->dict, "num_nodes", json_object_new_int64(1));
		latency /= (double)n;
	} else if (!(r->every > 0))
		return 0;
	else if (n == 0)
		return py_raises(
		    e, "ZeroDivisionError: no line with Iter:", NULL);
	else
		latency = 1000 * latency / (double)n / r->every;
	json_object_object_add(r->dict, LATENCY,
	    n == 0 ? json_object_new_string("NA")
		   : json_object_new_double(latency));
	return 0;
}

static int
speed_of_values(struct reader *r, struct error *e)
{
	const enum dlperf_kind kind = r->script->kind;
	const int counted = kind == READ_COUNTED || kind == READ_TIMES;
	const size_t first = counted && r->from > 0 ? (size_t)r->from - 1 : 0;
	const double iterations = (double)(r->train - r->warmup);
	struct dlperf_reading *out = r->out;
	double sum = 0;
	size_t i;

	out->lines = (long)r->n;
	if (counted && out->lines < r->to)
		return 0;
	r->values = xcalloc(r->n + 1, sizeof *r->values);
	for (i = first; i < r->n; i++) {
		double *x = &r->values[i];

		if (take_value(r, i, x, e) != 0)
			return -1;
		sum += *x;
		if (kind == READ_TIMES)
			check_time(out, r->lines[i].line.text, *x);
		if (kind == READ_MEAN &&
		    make_speed(r, x, r->lines[i].line.text, e) != 0)
			return -1;
	}
	if (kind == READ_MEAN)
		return speed_of_mean(r, e);
	if (kind >= PRINT_SPEEDS)
		return add_latency(r, e);
	if (kind == READ_SINK) {
		out->nothing = sum / 1000 <= 1e-5;
		return out->nothing
		    ? 0
		    : set_speed(r, sum / 1000, iterations * (double)r->gpus, e);
	}
	if (kind == READ_TIMES)
		return set_speed(r, sum, iterations, e);
	out->is_float = 1;
	out->speed = np_mean(r->values + first, r->n - first);
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
dlperf_read(const struct dlperf_script *s, char *text, size_t len,
    struct dlperf_name *name, struct json_object *dict, long warmup, long train,
    struct dlperf_reading *out, struct error *e)
{
	const long gpus = name->nodes * name->gpus_per_node;
	struct reader r = {
		.script = s,
		.name = name,
		.dict = dict,
		.warmup = warmup,
		.train = train,
		.from = bound_of(&s->from, warmup),
		.to = bound_of(&s->to, train),
		.gpus = gpus,
		.ranks = s->per_rank ? gpus : 1,
		.batch = (double)(gpus * name->batch),
		.line = compile_pattern(s->line),
		.iteration =
		    compile_pattern(s->kind == READ_TEXT ? NULL : s->iteration),
		.epoch = compile_pattern(s->epoch),
		.value = compile_pattern(s->value),
		.match = pcre2_match_data_create(8, NULL),
		.limits = pcre2_match_context_create(NULL),
		.out = out,
	};
	const int interval = s->kind == READ_CLOCK || s->kind == READ_TEXT ||
	    s->kind == PRINT_SPEEDS || s->kind == PRINT_1000;
	int outcome;

	*out = (struct dlperf_reading){ .speed = 0 };
	pcre2_set_match_limit(r.limits, MATCH_LIMIT);
	outcome = py_decode(text, len, e);
	if (outcome == 0)
		outcome = collect_lines(&r, text, text + len, e);
	if (outcome == 0)
		outcome = interval ? speed_of_interval(&r, e)
				   : speed_of_values(&r, e);
	if (outcome == 0 && out->is_float && s->kind < PRINT_SPEEDS)
		out->speed = dlperf_round(s, out->speed, 2);
	pcre2_code_free(r.line);
	pcre2_code_free(r.iteration);
	pcre2_code_free(r.epoch);
	pcre2_code_free(r.value);
	pcre2_match_data_free(r.match);
	pcre2_match_context_free(r.limits);
	free(r.lines);
	free(r.values);
	return outcome;
}
