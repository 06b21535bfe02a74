#include <config.h>

#include "extract/dlperf/dlperf_log.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "common/utf8.h"
#include "extract/dlperf/python_text.h"

enum { SKIP = 5, MAX_NUMBER = 64, MAX_SHOWN = 40 };

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

/* The part of name before the n-th and after the (n-1)-th '_'; NULL if
 * there are fewer. */
static char *
path_field(const char *name, int n, struct arena *a)
{
	const char *end;

	for (; n > 0; n--) {
		name = strchr(name, '_');
		if (name == NULL)
			return NULL;
		name++;
	}
	end = strchr(name, '_');
	return arena_strndup(
	    a, name, end != NULL ? (size_t)(end - name) : strlen(name));
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

int
dlperf_int(char *s, long *out, struct error *e)
{
	const char *digits = strip_characters(s, " \t\n\v\f\r");

	if (digits[0] == '+')
		digits++;
	if (parse_long(digits, LONG_MIN, LONG_MAX, out) != 0)
		return dlperf_raises(
		    e, "ValueError: invalid literal for int():", s);
	return 0;
}

/* Nodes are one digit; GPUs what the length of the name allows. */
static int
read_folder(const char *folder, struct arena *a, struct dlperf_name *out,
    struct error *e)
{
	const size_t len = strlen(folder);

	if (len == 0)
		return dlperf_raises(e, "IndexError: no folder in", folder);
	if (dlperf_int(arena_strndup(a, folder, 1), &out->nodes, e) != 0)
		return -1;
	if (len == 4)
		return dlperf_int(
		    arena_strndup(a, folder + 2, 1), &out->gpus_per_node, e);
	if (len == 5)
		return dlperf_int(
		    arena_strndup(a, folder + 2, 2), &out->gpus_per_node, e);
	return dlperf_raises(
	    e, "UnboundLocalError: card_num is not set for", folder);
}

int
dlperf_name(
    const char *path, struct arena *a, struct dlperf_name *out, struct error *e)
{
	const char *slash = strrchr(path, '/'), *start;
	char *batch, *run;

	if (slash == NULL)
		return dlperf_raises(e, "IndexError: no folder in", path);
	for (start = slash; start > path && start[-1] != '/'; start--)
		;
	out->folder = arena_strndup(a, start, (size_t)(slash - start));
	out->model = path_field(slash + 1, 0, a);
	batch = path_field(slash + 1, 1, a);
	out->precision = path_field(slash + 1, 2, a);
	run = path_field(slash + 1, 3, a);
	/* In the script's order, so that its exception is the one named. */
	if (batch == NULL)
		return dlperf_raises(
		    e, "IndexError: too few '_' in", slash + 1);
	if (dlperf_int(strip_characters(batch, "b"), &out->batch, e) != 0)
		return -1;
	if (run == NULL)
		return dlperf_raises(
		    e, "IndexError: too few '_' in", slash + 1);
	if (dlperf_int(strip_characters(run, ".log"), &out->run, e) != 0)
		return -1;
	return read_folder(out->folder, a, out, e);
}

/* What str.isspace() states about ASCII. */
static int
python_space(char c)
{
	return isspace((unsigned char)c) || (c >= 0x1c && c <= 0x1f);
}

/* \d{1}.\d{1,3}\s at s, the space excluded from len. */
static int
looks_like_time(const struct dlperf_line *line, const char *s, size_t *len)
{
	const char *end = line->end;
	uint32_t c;
	size_t n = 1, digits = 0;

	if (!isdigit((unsigned char)*s) || s + 1 >= end)
		return 0;
	n += utf8_decode(s + 1, (size_t)(end - s - 1), &c);
	while (digits < 4 && isdigit((unsigned char)s[n])) {
		n++;
		digits++;
	}
	if (digits < 1 || digits > 3 ||
	    !(s + n == end ? line->ended : python_space(s[n])))
		return 0;
	*len = n;
	return 1;
}

/* float(s) */
static int
python_float(const char *s, size_t len, double *out)
{
	char number[MAX_NUMBER], *end;
	size_t i, n = 0;

	for (i = 0; i < len && n + 1 < sizeof number; i++) {
		if (s[i] == 'x' || s[i] == 'X')
			return -1;
		if (s[i] != '_')
			number[n++] = s[i];
	}
	number[n] = '\0';
	*out = strtod(number, &end);
	return end == number || *end != '\0' ? -1 : 0;
}

int
dlperf_float(char *s, double *out, struct error *e)
{
	const char *number = strip_characters(s, " \t\n\v\f\r");

	if (python_float(number, strlen(number), out) != 0)
		return dlperf_raises(
		    e, "ValueError: could not convert to float:", s);
	return 0;
}

/* The time that the line prints after "Time", for the right answer. */
static double
printed_time(const char *line)
{
	const char *s = strstr(line, "Time");
	char *end;
	double t;

	if (s == NULL)
		return NAN;
	t = strtod(s + 4, &end);
	return end == s + 4 ? NAN : t;
}

static int
take_time(const struct dlperf_line *line, double *cost,
    struct dlperf_reading *out, struct error *e)
{
	const char *s = line->text;
	double t, right;
	size_t len = 0;

	while (s < line->end && !looks_like_time(line, s, &len))
		s++;
	if (s == line->end)
		return dlperf_raises(e, "IndexError: no time in", line->text);
	if (python_float(s, len, &t) != 0)
		return dlperf_raises(e, "ValueError: no float in", line->text);
	*cost += t;
	right = printed_time(line->text);
	if (!(fabs(t - right) <= 1e-9) && out->misread++ == 0) {
		out->misread_as = t;
		out->printed = right;
	}
	return 0;
}

/* The number after the last "][": \[.*\]\[(.*)\] */
static int
line_number(
    const char *line, char *buf, size_t size, long *out, struct error *e)
{
	const char *open = strchr(line, '['), *close = strrchr(line, ']');
	const char *at, *best = NULL;
	size_t len;

	for (at = open; at != NULL; at = strstr(at + 1, "]["))
		if (at != open && at + 2 <= close)
			best = at;
	if (best == NULL)
		return dlperf_raises(e, "IndexError: no iteration in", line);
	len = strcspn(best + 2, "/");
	if (len > (size_t)(close - best) - 2)
		len = (size_t)(close - best) - 2;
	if (len >= size)
		return dlperf_raises(e, "ValueError: no iteration in", line);
	memcpy(buf, best + 2, len);
	buf[len] = '\0';
	return dlperf_int(buf, out, e);
}

/* What dlperf_read knows of its file. */
struct dlperf_log_reader {
	long batch; /* samples in an iteration of all GPUs */
	long warmup, train;
	double cost; /* seconds of the lines taken */
	struct dlperf_reading *out;
};

/* Returns 1 where the script stops reading, -1 where it stops altogether. */
static int
read_line(struct dlperf_log_reader *r, const struct dlperf_line *line,
    struct error *e)
{
	struct dlperf_reading *out = r->out;
	char buf[MAX_NUMBER];
	long n;

	if (strstr(line->text, "Epoch: ") == NULL)
		return 0;
	if (line_number(line->text, buf, sizeof buf, &n, e) != 0)
		return -1;
	if (n <= SKIP)
		return 0;
	out->lines++;
	if (out->lines > r->warmup && take_time(line, &r->cost, out, e) != 0)
		return -1;
	if (out->lines < r->train)
		return 0;
	if (!(r->cost > 0 || r->cost < 0))
		return dlperf_raises(
		    e, "ZeroDivisionError: no time has passed", NULL);
	out->is_float = 1;
	out->speed = py_round2(
	    (double)r->batch / (r->cost / (double)(r->train - r->warmup)));
	return 1;
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

int
dlperf_read(char *text, size_t len, const struct dlperf_name *name, long warmup,
    long train, struct dlperf_reading *out, struct error *e)
{
	struct dlperf_log_reader r = { name->nodes * name->gpus_per_node *
		    name->batch,
		warmup, train, 0, out };
	struct dlperf_line line;
	char *at = text;
	int outcome = 0;

	*out = (struct dlperf_reading){ .speed = 0 };
	if (dlperf_decode(text, len, e) != 0)
		return -1;
	while (outcome == 0 && dlperf_next_line(&at, text + len, &line))
		outcome = read_line(&r, &line, e);
	return outcome < 0 ? -1 : 0;
}
