#include <config.h>

#include "extract/modes.h"

#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/arena.h"
#include "common/files/infile.h"
#include "common/strbuf.h"

enum { MAX_COLUMNS = 48, MIN_LINES = 3, MAX_LINE = 2000, NEAR = 24 };

/* One number in a line. */
struct number {
	size_t start, len;
	double value;
	int whole;
};

struct line {
	char *text;
	const char *shape; /* the line with each number, and spaces before it,
			      replaced by '\1' */
	struct number numbers[MAX_COLUMNS];
	size_t n, order;
};

/* Meaning of a column. */
enum meaning_of {
	IS_NOTHING,
	IS_EPOCH,
	IS_ITER,
	IS_ITERS,
	IS_STEP_S,
	IS_STEP_MS,
	IS_SAMPLES,
	IS_TOKENS,
	IS_LOSS,
	N_MEANINGS
};
static const char *const words[] = { NULL, "epoch", "iter", "iters", "step_s",
	"step_ms", "samples_per_s", "tokens_per_s", "loss" };

struct line_shape {
	struct arena *arena;
	struct line **lines; /* [n] in file order */
	size_t n;
	enum meaning_of is[MAX_COLUMNS];
	const char *why[MAX_COLUMNS]; /* evidence as a comment, or NULL */
	int has[N_MEANINGS];
	const char *scope; /* of its rate */
};

static size_t
number_at(const char *s, const char *line, struct number *out)
{
	static const char digits[] = "0123456789";
	size_t len = strspn(s, digits), n;
	int whole = 1, sign;

	if (len == 0 ||
	    (s > line && (isalnum((unsigned char)s[-1]) || s[-1] == '_')))
		return 0;
	if (s[len] == '.' && (n = strspn(s + len + 1, digits)) > 0) {
		whole = 0;
		len += 1 + n;
	}
	sign = s[len] != '\0' && (s[len + 1] == '-' || s[len + 1] == '+');
	if ((s[len] == 'e' || s[len] == 'E') &&
	    (n = strspn(s + len + 1 + sign, digits)) > 0) {
		whole = 0;
		len += 1 + (size_t)sign + n;
	}
	*out =
	    (struct number){ (size_t)(s - line), len, strtod(s, NULL), whole };
	return len;
}

/* Find the numbers of a line.  Returns its shape. */
static const char *
shape_of(struct line *line, struct arena *a)
{
	char *shape = arena_calloc(a, strlen(line->text) + 1, 1);
	size_t n = 0, len;

	for (const char *s = line->text; *s != '\0'; s += len) {
		len = line->n < MAX_COLUMNS
		    ? number_at(s, line->text, &line->numbers[line->n])
		    : 0;
		while (len > 0 && n > 0 && shape[n - 1] == ' ')
			n--;
		shape[n++] = len > 0 ? '\1' : *s;
		line->n += len > 0;
		len += len == 0;
	}
	shape[n] = '\0';
	return shape;
}

static int
by_shape(const void *a, const void *b)
{
	const struct line *x = *(struct line *const *)a;
	const struct line *y = *(struct line *const *)b;
	const int d = strcmp(x->shape, y->shape);

	return d != 0 ? d : (x->order > y->order) - (x->order < y->order);
}

/* True if the text matches an extended regular expression, in any case. */
static int
holds(const char *text, const char *regex)
{
	regex_t re;
	int rc;

	if (regcomp(&re, regex, REG_EXTENDED | REG_ICASE | REG_NOSUB) != 0)
		return 0;
	rc = regexec(&re, text, 0, NULL, 0);
	regfree(&re);
	return rc == 0;
}

/* Text before a column, up to the previous number or NEAR bytes. */
static const char *
text_before(const struct line_shape *s, size_t k)
{
	const struct line *line = s->lines[0];
	const struct number *x = &line->numbers[k];
	const size_t from = k > 0 ? x[-1].start + x[-1].len : 0;
	const size_t n = x->start - from < NEAR ? x->start - from : NEAR;

	return arena_strndup(s->arena, line->text + x->start - n, n);
}

/* Text after a column, up to the next number or `most` bytes. */
static const char *
text_after(const struct line_shape *s, size_t k, size_t most)
{
	const struct line *line = s->lines[0];
	const struct number *x = &line->numbers[k];
	const size_t end = x->start + x->len;
	const size_t to = k + 1 < line->n ? x[1].start : strlen(line->text);

	return arena_strndup(
	    s->arena, line->text + end, to - end < most ? to - end : most);
}

/* Range and changes of the values of a column. */
struct motion {
	double min, max;
	size_t up, same, down; /* of n - 1 changes */
	int whole;
};

static struct motion
motion_of(const struct line_shape *s, size_t k)
{
	struct motion m = { INFINITY, -INFINITY, 0, 0, 0, 1 };
	size_t i;

	for (i = 0; i < s->n; i++) {
		const struct number *x = &s->lines[i]->numbers[k];

		m.min = fmin(m.min, x->value);
		m.max = fmax(m.max, x->value);
		m.whole = m.whole && x->whole;
		if (i == 0)
			continue;
		if (x->value > s->lines[i - 1]->numbers[k].value)
			m.up++;
		else if (x->value < s->lines[i - 1]->numbers[k].value)
			m.down++;
		else
			m.same++;
	}
	return m;
}

static void
name_column(struct line_shape *s, size_t k, enum meaning_of is, const char *why)
{
	const struct motion m = motion_of(s, k);

	if (s->has[is] || s->is[k] != IS_NOTHING)
		return;
	s->has[is] = 1;
	s->is[k] = is;
	s->why[k] = arena_printf(s->arena,
	    "# %s: number %zu of the line, %g to %g over %zu lines: %s",
	    words[is], k + 1, m.min, m.max, s->n, why);
}

/* The scope of a rate, from its unit or name. */
static const char *
scope_of(const struct line_shape *s, size_t k)
{
	const char *around = arena_printf(
	    s->arena, "%s\n%s", text_before(s, k), text_after(s, k, MAX_LINE));

	return holds(around,
		   "/gpu|per[ _-]gpu|/device|per[ _]device|/card|per card|"
		   "/chip|per chip|/rank|per rank|/worker|per worker")
	    ? "device"
	    : holds(around, "/node|per[ _-]node") ? "node"
						  : "global";
}

/* Find the meaning of a column from its name or unit. */
static void
call_by_words(struct line_shape *s, size_t k, const struct motion *m)
{
	const char *before = text_before(s, k), *after = text_after(s, k, 10);

	if (m->whole && holds(before, "epoch"))
		name_column(s, k, IS_EPOCH, "its name");
	else if (holds(before, "tok") &&
	    (holds(before, "/s|per_s|per s") || holds(after, "tok")))
		name_column(s, k, IS_TOKENS, "its name, tokens a second");
	else if (holds(after, "tok"))
		name_column(s, k, IS_TOKENS, "its unit");
	else if (holds(after, "/s|samples|images|img|seq|examples|it/s") ||
	    holds(before, "throughput|speed|ips|/sec|per_sec|persec|/s"))
		name_column(s, k, IS_SAMPLES, "its unit or name is a rate's");
	else if (strncmp(after + (after[0] == ' '), "ms", 2) == 0)
		name_column(s, k, IS_STEP_MS, "its unit is ms");
	else if (!m->whole &&
	    (holds(before, "time|took|elapsed|latency|dur|cost") ||
		strncmp(after, "s ", 2) == 0 || strncmp(after, "s,", 2) == 0 ||
		strncmp(after, " sec", 4) == 0))
		name_column(s, k, holds(before, "ms") ? IS_STEP_MS : IS_STEP_S,
		    "its unit or name is a time's");
	else if (holds(before, "loss"))
		name_column(s, k, IS_LOSS, "its name");
	if (s->is[k] == IS_TOKENS || s->is[k] == IS_SAMPLES)
		s->scope = scope_of(s, k);
}

/* Name the columns by their words; only those that are no means unless `means`
 * is set. */
static void
call_columns(struct line_shape *s, int means)
{
	for (size_t k = 0; k < s->lines[0]->n; k++) {
		const struct motion m = motion_of(s, k);

		if (s->is[k] == IS_NOTHING && m.max > 0 &&
		    (means ||
			!holds(text_before(s, k), "avg|average|mean|running")))
			call_by_words(s, k, &m);
	}
}

static void
judge_columns(struct line_shape *s)
{
	const size_t n = s->lines[0]->n;
	size_t k, best = n;

	/* Find the counter: whole numbers that nearly always increase and
	 * sometimes restart. */
	for (k = 0; k < n; k++) {
		const struct motion m = motion_of(s, k);

		if (m.whole && m.up * 10 >= (s->n - 1) * 8 &&
		    (best == n ||
			holds(text_before(s, k), "iter|step|batch|\\[")))
			best = k;
	}
	if (best == n)
		return;
	name_column(s, best, IS_ITER, "whole and growing from line to line");
	if (best + 1 < n) {
		const struct motion m = motion_of(s, best + 1);

		if (m.whole && m.min == m.max &&
		    m.min >= motion_of(s, best).max)
			name_column(s, best + 1, IS_ITERS,
			    "constant and never below the one before");
	}
	/* Prefer values of the step itself to means. */
	call_columns(s, 0);
	call_columns(s, 1);
}

static int
is_rate(const struct line_shape *s)
{
	return s->has[IS_SAMPLES] || s->has[IS_TOKENS];
}

static const char whole_group[] = "\\d+";
static const char number_group[] = "[\\d.]+(?:[eE][-+]?\\d+)?";

static void
put_text(FILE *out, const char *s, size_t len)
{
	size_t i;

	/* Skip blanks before a number: their number may vary. */
	while (len > 0 && s[len - 1] == ' ')
		len--;
	for (i = 0; i < len; i++) {
		if (strchr("\\^$.[]|()?*+{}#", s[i]) != NULL)
			putc('\\', out);
		if (s[i] == '\t')
			fputs("\\t", out);
		else if (s[i] == ' ')
			fputs("[ ]", out);
		else
			putc(s[i], out);
	}
}

static void
put_pattern(FILE *out, const struct line_shape *s)
{
	const struct line *line = s->lines[0];
	size_t k, at = 0, n = line->n;

	/* Up to the last column with a meaning. */
	while (n > 0 && s->is[n - 1] == IS_NOTHING)
		n--;
	fputs("step step ^", out);
	for (k = 0; k < n; k++) {
		const struct number *x = &line->numbers[k];

		put_text(out, line->text + at, x->start - at);
		if (s->is[k] == IS_NOTHING)
			fprintf(out, " *%s", number_group);
		else
			fprintf(out, " *(?<%s>%s)", words[s->is[k]],
			    s->is[k] <= IS_ITERS ? whole_group : number_group);
		at = x->start + x->len;
	}
	/* The text after the last column shows the unit. */
	put_text(out, line->text + at,
	    n < line->n ? line->numbers[n].start - at
			: strlen(line->text + at));
	putc('\n', out);
}

static void
put_sample(FILE *out, const struct line_shape *s, const struct line *line)
{
	size_t k;

	fprintf(out, "sample %s\nexpect step", line->text);
	for (k = 0; k < line->n; k++)
		if (s->is[k] != IS_NOTHING)
			fprintf(out, " %s=%.*s", words[s->is[k]],
			    (int)line->numbers[k].len,
			    line->text + line->numbers[k].start);
	putc('\n', out);
}

static void
put_format(FILE *out, const struct line_shape *s, const char *path)
{
	char *own = arena_strdup(s->arena, basename(path)), *p;
	const char *name = own; /* "my-log" for "/a/My log.txt" */
	size_t k;
	double first = INFINITY;

	for (p = own; *p != '\0' && *p != '.'; p++)
		*p = isalnum((unsigned char)*p)
		    ? (char)tolower((unsigned char)*p)
		    : '-';
	*p = '\0';
	if (!isalpha((unsigned char)own[0]))
		name = arena_printf(s->arena, "log-%s", own);

	fprintf(out,
	    "# Proposed by extract_logs --suggest from %zu lines of one "
	    "shape.  Look at\n# each statement; save it as %s.format.\n",
	    s->n, name);
	for (k = 0; k < s->lines[0]->n; k++) {
		if (s->why[k] != NULL)
			fprintf(out, "%s\n", s->why[k]);
		if (s->is[k] == IS_ITER)
			first = motion_of(s, k).min;
	}
	fprintf(out,
	    "name %s\ndescription proposed for %s\nkind %s\nstatistic "
	    "instant\nscope %s\n",
	    name, name, is_rate(s) ? "rate" : "step-time",
	    is_rate(s) ? s->scope : "global");
	if (is_rate(s))
		fprintf(out, "unit %s\n",
		    s->has[IS_TOKENS] ? "tokens/s" : "samples/s");
	fprintf(out, "base %d\n\n", first == 0 ? 0 : 1);
	put_pattern(out, s);
	putc('\n', out);
	put_sample(out, s, s->lines[0]);
	put_sample(out, s, s->lines[s->n / 2]);
	put_sample(out, s, s->lines[s->n - 1]);
}

/* Find the usable shape with the most lines. */
static struct line_shape
find_shape(struct arena *a, struct line **lines, size_t n)
{
	struct line_shape best = { .n = 0 };
	size_t i, end;

	for (i = 0; i < n; i = end) {
		struct line_shape s = { .arena = a, .lines = lines + i };

		for (end = i + 1; end < n; end++)
			if (strcmp(lines[i]->shape, lines[end]->shape) != 0)
				break;
		s.n = end - i;
		if (s.n < MIN_LINES || s.n <= best.n)
			continue;
		judge_columns(&s);
		if (s.has[IS_ITER] &&
		    (is_rate(&s) || s.has[IS_STEP_S] || s.has[IS_STEP_MS]))
			best = s;
	}
	return best;
}

int
suggest_format(const char *path, FILE *out, struct error *e)
{
	struct arena a = ARENA_INIT;
	struct line **lines = NULL;
	size_t n = 0, alloc = 0, len;
	char *text = read_whole_file(path, &len, e), *at;
	struct line_shape best;

	if (text == NULL)
		return error_prefix(e, "%s", path);
	for (at = text; at < text + len;) {
		const size_t length = strcspn(at, "\r\n");

		at[length] = '\0';
		if (length > 0 && length < MAX_LINE) {
			struct line *line = arena_calloc(&a, 1, sizeof *line);

			*line = (struct line){ .text = at, .order = n };
			line->shape = shape_of(line, &a);
			lines = vec_grow(lines, n, &alloc, sizeof *lines);
			lines[n++] = line;
		}
		at += length + 1;
	}
	if (n > 0)
		qsort(lines, n, sizeof *lines, by_shape);
	best = find_shape(&a, lines, n);
	/* Keep one rate or one time, preferably a rate; drop the loss. */
	for (size_t k = 0; best.n > 0 && k < best.lines[0]->n; k++) {
		const enum meaning_of is = best.is[k];

		if (((is == IS_STEP_S || is == IS_STEP_MS) && is_rate(&best)) ||
		    is == IS_LOSS ||
		    (is == IS_STEP_MS && best.has[IS_STEP_S]) ||
		    (is == IS_SAMPLES && best.has[IS_TOKENS])) {
			best.is[k] = IS_NOTHING;
			best.why[k] = NULL;
		}
	}
	if (best.n > 0)
		put_format(out, &best, path);
	else
		error_set(e, ERROR_EMPTY,
		    "%s: fewer than %d lines of one shape hold a number that "
		    "counts up and one that behaves like a time or a rate",
		    path, MIN_LINES);
	free(lines);
	free(text);
	arena_release(&a);
	return best.n > 0 ? 0 : -1;
}
