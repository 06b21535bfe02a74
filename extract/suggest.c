#include <config.h>

#include "extract/modes.h"

#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "extract/format/matcher.h"

enum { MAX_COLUMNS = 48, MIN_LINES = 3, MAX_LINE = 2000, NEAR = 40 };

/* One number in a line. */
struct number {
	size_t start, len;
	double value;
	int whole;
};

struct line {
	char *text;        /* after a launcher's prefix */
	int has_prefix;    /* 1: a prefix precedes text */
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
	IS_RANK,
	IS_BATCH,
	/* Columns to compute the speed from, the better ones later. */
	IS_ELAPSED,
	IS_ELAPSED_MS,
	IS_STEP_S,
	IS_STEP_MS,
	IS_SAMPLES,
	IS_IMAGES,
	IS_SEQUENCES,
	IS_TOKENS,
	IS_ITERATIONS,
	IS_TIMESTAMP, /* a part of a date or of a clock's time */
	N_MEANINGS
};
static const char *const words[] = { NULL, "epoch", "iter", "iters", "rank",
	"batch_size", "elapsed", "elapsed_ms", "step_s", "step_ms",
	"samples_per_s", "images_per_s", "sequences_per_s", "tokens_per_s",
	"iterations_per_s", NULL };
/* Units of columns that are rates. */
static const char *const units[N_MEANINGS] = { [IS_SAMPLES] = "samples/s",
	[IS_IMAGES] = "images/s",
	[IS_SEQUENCES] = "sequences/s",
	[IS_TOKENS] = "tokens/s",
	[IS_ITERATIONS] = "iterations/s" };

struct line_shape {
	struct arena *arena;
	struct line **lines; /* [n] in file order */
	size_t n;
	enum meaning_of is[MAX_COLUMNS];
	const char *why[MAX_COLUMNS]; /* evidence as a comment, or NULL */
	enum meaning_of value;        /* column to compute the speed from */
	const char *scope;            /* of its rate */
	int is_named;                 /* 1: words name the counter */
	int has_prefix;               /* 1: some lines have one */
};

static size_t
number_at(const char *s, const char *line, struct number *out)
{
	static const char digits[] = "0123456789";
	const int minus = s[0] == '-' && s > line && strchr(" :=(,", s[-1]);
	size_t len = strspn(s + minus, digits), n;
	int whole = !minus, sign;

	if (s > line && (isalnum((unsigned char)s[-1]) || s[-1] == '_'))
		return 0;
	if (len == 0 && strncasecmp(s, "nan", 3) == 0 &&
	    !isalpha((unsigned char)s[3])) {
		*out = (struct number){ (size_t)(s - line), 3, 0, 0 };
		return 3;
	}
	if (len == 0)
		return 0;
	len += (size_t)minus;
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

/* Name before a column: the text from the previous number or delimiter on, at
 * most NEAR bytes. */
static const char *
text_before(const struct line_shape *s, size_t k)
{
	const struct line *line = s->lines[0];
	const struct number *x = &line->numbers[k];
	size_t from = k > 0 ? x[-1].start + x[-1].len : 0;

	if (x->start - from > NEAR)
		from = x->start - NEAR;
	for (size_t i = from; i + 2 < x->start; i++)
		if (strchr(",;|{", line->text[i]) != NULL)
			from = i + 1;
	return arena_strndup(s->arena, line->text + from, x->start - from);
}

/* Unit after a column: the text up to the next number or delimiter. */
static const char *
text_after(const struct line_shape *s, size_t k)
{
	const struct line *line = s->lines[0];
	const struct number *x = &line->numbers[k];
	const size_t end = x->start + x->len;
	const size_t to = k + 1 < line->n ? x[1].start : strlen(line->text);
	const size_t n = strcspn(line->text + end, ",;|{}[]\"'=:");

	return arena_strndup(
	    s->arena, line->text + end, to - end < n ? to - end : n);
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

	s->is[k] = is;
	s->why[k] = arena_printf(s->arena,
	    "# %s: number %zu of the line, %g to %g over %zu lines: %s",
	    words[is], k + 1, m.min, m.max, s->n, why);
}

/* The scope of a rate, from its name and unit. */
static const char *
scope_of(const char *around)
{
	return holds(around,
		   "(/|per[ _-])(gpu|device|card|chip|rank|worker|proc)|"
		   "/p([^a-z]|$)|(^|[^a-z])tgs")
	    ? "device"
	    : holds(around, "/node|per[ _-]node") ? "node"
						  : "global";
}

/* Names and units of columns, as regular expressions: the first row whose
 * expressions match the text before and after a number gives its meaning. NULL
 * matches any text. */
#define PER_S "(/|_per_|per_| per |per )s"
static const struct column_meaning {
	const char *before, *after;
	enum meaning_of is;
	const char *why;
} meanings[] = {
	/* Not of a whole training step. */
	{ "data|load|reader|eta[^a-z]|remain|eval|valid|test|forward|backward|"
	  "optim|comm|learning|lr[^a-z]|loss|grad|norm|mem|flop|mfu|acc|"
	  "prec|size[^a-z]*of",
	    NULL, IS_NOTHING, NULL },
	{ NULL, "flop|^ *[kmgt]i?b|^ *%", IS_NOTHING, NULL },
	{ "tok.*" PER_S, NULL, IS_TOKENS, "its name, tokens a second" },
	{ "tok|(^|[^a-z])(wps|tps|tgs)[^a-z]*$", "^ *tok", IS_TOKENS,
	    "its name, tokens a second" },
	{ "(^|[^a-z])(wps|tps|tgs)[^a-z]*$", NULL, IS_TOKENS, "its name" },
	{ NULL, "^ *(tok|word)[a-z]* *(/|p)", IS_TOKENS, "its unit" },
	{ NULL, "^ *(img|image)s?[^a-z]", IS_IMAGES, "its unit" },
	{ "(img|image)s?" PER_S, NULL, IS_IMAGES, "its name" },
	{ NULL, "^ *seq[a-z]* *(/|p)", IS_SEQUENCES, "its unit" },
	{ "seq[a-z]*" PER_S, NULL, IS_SEQUENCES, "its name" },
	{ NULL, "^ *(it|iter|iteration|step|batch)(s|es)? *(/| per )s",
	    IS_ITERATIONS, "its unit" },
	{ "(it|iter|iteration|step|batch)(s|es)?" PER_S, NULL, IS_ITERATIONS,
	    "its name" },
	{ NULL, "^ *[a-z]+ *(/| per )s(ec|[^a-z]|$)", IS_SAMPLES,
	    "its unit or name is a rate's" },
	{ "throughput|speed|ips[^a-z]|fps|/sec|per_?sec|rate[^a-z]*$", NULL,
	    IS_SAMPLES, "its unit or name is a rate's" },
	{ NULL, "^ *ms", IS_STEP_MS, "its unit is ms" },
	{ "(time|took|elapsed|latency|dur|cost|timing).*[^a-z]ms|"
	  "[^a-z]ms[^a-z]*$",
	    NULL, IS_STEP_MS, "its name is a time's, in ms" },
	{ "time|took|elapsed|latency|dur|cost|timing|(^|[^a-z])dt[^a-z]*$",
	    NULL, IS_STEP_S, "its name is a time's" },
	{ NULL, "^ *s(ec[a-z]*)?([^a-z]|$)", IS_STEP_S, "its unit is s" },
	{ "global.?batch|total.?batch", NULL, IS_BATCH, "its name" },
};

/* Row of meanings[] that a column's name and unit match, or NULL. */
static const struct column_meaning *
find_meaning(const char *before, const char *after)
{
	for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
		if ((meanings[i].before == NULL ||
			holds(before, meanings[i].before)) &&
		    (meanings[i].after == NULL ||
			holds(after, meanings[i].after)))
			return &meanings[i];
	return NULL;
}

/* Name a column by its words. Compute the speed from it if its meaning is
 * better than that of the column used so far. */
static void
call_by_words(struct line_shape *s, size_t k, const struct motion *m)
{
	const char *before = text_before(s, k), *after = text_after(s, k);
	const struct column_meaning *row = find_meaning(before, after);
	enum meaning_of is = row != NULL ? row->is : IS_NOTHING;

	if (is == IS_BATCH && m->whole && m->min == m->max)
		name_column(s, k, is, row->why);
	if (is <= IS_BATCH || (is == IS_STEP_S && m->whole))
		return;
	/* Times since the start grow from line to line. */
	if (is <= IS_STEP_MS && m->up == s->n - 1 &&
	    !holds(before, "per |each") &&
	    ((s->n > MIN_LINES && m->max > 1.5 * m->min) ||
		holds(before, "elapsed|total|wall|since")))
		is = is == IS_STEP_S ? IS_ELAPSED : IS_ELAPSED_MS;
	if (is <= s->value)
		return;
	for (size_t j = 0; j < s->lines[0]->n && s->value != IS_NOTHING; j++)
		if (s->is[j] == s->value) {
			s->is[j] = IS_NOTHING;
			s->why[j] = NULL;
		}
	s->value = is;
	name_column(s, k, is, row->why);
	s->scope = units[is] != NULL
	    ? scope_of(arena_printf(s->arena, "%s\n%s", before, after))
	    : "global";
}

/* Mark the numbers of dates and clocks. */
static void
mark_timestamps(struct line_shape *s)
{
	static const char stamp[] =
	    "[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}|"
	    "T?[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?([.,][0-9]+)?|"
	    "\"(time_ms|timestamp)\": *[0-9.]+";
	const struct line *line = s->lines[0];
	regmatch_t m;
	regex_t re;

	if (regcomp(&re, stamp, REG_EXTENDED) != 0)
		return;
	for (size_t at = 0; regexec(&re, line->text + at, 1, &m, 0) == 0;
	     at += (size_t)m.rm_eo)
		for (size_t k = 0; k < line->n; k++)
			if (line->numbers[k].start >= at + (size_t)m.rm_so &&
			    line->numbers[k].start < at + (size_t)m.rm_eo)
				s->is[k] = IS_TIMESTAMP;
	regfree(&re);
}

/* Find the counter's column: whole numbers that nearly always increase, or, if
 * its words name a counter, repeat, since each rank may print it. */
static size_t
find_counter(struct line_shape *s)
{
	const size_t n = s->lines[0]->n;
	size_t best = n;

	for (size_t k = 0; k < n && !s->is_named; k++) {
		const struct motion m = motion_of(s, k);
		const char *before = text_before(s, k);
		const int named = holds(before, "iter|step|batch|\\[ *$|#") &&
		    !holds(before, "sampl|tok|size|time|epoch");

		if (!m.whole || s->is[k] != IS_NOTHING ||
		    (m.up * 10 < (s->n - 1) * 8 &&
			!(named && m.up > 1 && m.down * 10 < s->n)))
			continue;
		if (best == n || named)
			best = k;
		s->is_named = named;
	}
	/* "20-40": the end of a range counts. */
	if (best + 1 < n && strcmp(text_before(s, best + 1), "-") == 0)
		best++;
	return best;
}

/* Find the column of the rank, which counts from 0, if several lines print the
 * same iteration: its value changes between such lines. */
static void
find_rank(struct line_shape *s, size_t iter)
{
	for (size_t k = 0; k < iter; k++) {
		const struct motion m = motion_of(s, k);
		size_t same = 0, i = 1;

		for (; i < s->n; i++) {
			const struct number *x = s->lines[i]->numbers;
			const struct number *last = s->lines[i - 1]->numbers;

			if (x[iter].value != last[iter].value)
				continue;
			same++;
			if (x[k].value == last[k].value)
				break;
		}
		if (i == s->n && same > 0 && m.whole && m.min == 0 &&
		    m.max < (double)s->n && s->is[k] == IS_NOTHING) {
			name_column(s, k, IS_RANK,
			    "another in each line of an iteration");
			return;
		}
	}
}

/* Name columns by their words: those of means if `means` is 1, else others. */
static void
call_columns(struct line_shape *s, int means)
{
	for (size_t k = 0; k < s->lines[0]->n; k++) {
		const struct motion m = motion_of(s, k);

		if (s->is[k] == IS_NOTHING && m.max > 0 &&
		    holds(text_before(s, k), "avg|average|mean|running") ==
			means)
			call_by_words(s, k, &m);
	}
}

static void
judge_columns(struct line_shape *s)
{
	const size_t n = s->lines[0]->n;
	size_t best;

	mark_timestamps(s);
	best = find_counter(s);
	if (best == n)
		return;
	name_column(s, best, IS_ITER, "whole and growing from line to line");
	if (best + 1 < n) {
		const struct motion m = motion_of(s, best + 1);

		if (m.whole && m.min == m.max &&
		    m.min >= motion_of(s, best).max &&
		    holds(text_before(s, best + 1), "^ *(/|of |out of )"))
			name_column(s, best + 1, IS_ITERS,
			    "constant and never below the one before");
	}
	find_rank(s, best);
	call_columns(s, 0);
	if (s->value == IS_NOTHING || !s->is_named)
		call_columns(s, 1);
	/* If lines of one iteration differ, each rank prints its own rate. */
	for (size_t k = 0; k < n; k++)
		for (size_t i = 1; i < s->n && s->is[k] == s->value; i++) {
			const struct number *x = s->lines[i]->numbers;
			const struct number *last = s->lines[i - 1]->numbers;

			if (units[s->value] != NULL &&
			    strcmp(s->scope, "global") == 0 &&
			    x[best].value == last[best].value &&
			    x[k].value != last[k].value)
				s->scope = "ranks";
		}
	for (size_t k = best; k-- > 0;)
		if (s->is[k] == IS_NOTHING && motion_of(s, k).whole &&
		    holds(text_before(s, k), "epoch")) {
			name_column(s, k, IS_EPOCH, "its name");
			break;
		}
}

static const char whole_group[] = "\\d+";
static const char number_group[] = "[\\d.]+(?:[eE][-+]?\\d+)?";
static const char any_group[] = "[-+.\\w]+";

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
	while (n > 0 && words[s->is[n - 1]] == NULL)
		n--;
	/* ^ matches after a prefix only if a format set knows the prefix. */
	fprintf(out, "step step %s", s->has_prefix ? "" : "^");
	for (k = 0; k < n; k++) {
		const struct number *x = &line->numbers[k];

		put_text(out, line->text + at, x->start - at);
		/* A pattern cannot begin with a blank. */
		fputs(x->start == 0 && s->has_prefix ? "" : " *", out);
		if (words[s->is[k]] == NULL)
			fputs(any_group, out);
		else
			fprintf(out, "(?<%s>%s)", words[s->is[k]],
			    s->is[k] <= IS_BATCH ? whole_group : number_group);
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
		if (words[s->is[k]] != NULL)
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
	double first = INFINITY, stride = INFINITY; /* between lines */

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
		if (s->is[k] != IS_ITER)
			continue;
		first = motion_of(s, k).min;
		for (size_t i = 1; i < s->n; i++) {
			const double d = s->lines[i]->numbers[k].value -
			    s->lines[i - 1]->numbers[k].value;

			if (d > 0)
				stride = fmin(stride, d);
		}
	}
	fprintf(out,
	    "name %s\ndescription proposed for %s\nkind %s\nscope %s\n", name,
	    name,
	    units[s->value] != NULL ? "rate"
		: s->value == IS_ELAPSED || s->value == IS_ELAPSED_MS
		? "elapsed"
		: "step-time",
	    s->scope);
	/* A line for several iterations has their mean. */
	if (s->value != IS_ELAPSED && s->value != IS_ELAPSED_MS)
		fprintf(out, "statistic %s\n",
		    stride > 1 ? "window-mean" : "instant");
	if (units[s->value] != NULL)
		fprintf(out, "unit %s\n", units[s->value]);
	fprintf(out, "base %d\n\n", first == 0 ? 0 : 1);
	put_pattern(out, s);
	putc('\n', out);
	put_sample(out, s, s->lines[0]);
	put_sample(out, s, s->lines[s->n / 2]);
	put_sample(out, s, s->lines[s->n - 1]);
}

/* Find the usable shape with the most lines. Shapes with a named counter, and
 * those of training, take precedence. */
static struct line_shape
find_shape(struct arena *a, struct line **lines, size_t n)
{
	struct line_shape best = { .n = 0 };
	long most = 0;
	size_t i, end;

	for (i = 0; i < n; i = end) {
		struct line_shape s = { .arena = a, .lines = lines + i };
		long score;

		for (end = i + 1; end < n; end++)
			if (strcmp(lines[i]->shape, lines[end]->shape) != 0)
				break;
		s.n = end - i;
		if (s.n < MIN_LINES)
			continue;
		for (size_t k = i; k < end; k++)
			s.has_prefix |= lines[k]->has_prefix;
		judge_columns(&s);
		score = (long)(s.n < 1000 ? s.n : 1000) + 2000 * s.is_named -
		    4000 *
			holds(s.lines[0]->text,
			    "(^|[^a-z])(test|val|valid|validation|eval|"
			    "evaluation)[^a-z]");
		if (s.value == IS_NOTHING || (best.n > 0 && score <= most))
			continue;
		best = s;
		most = score;
	}
	return best;
}

int
suggest_format(
    const struct format_set *set, const char *path, FILE *out, struct error *e)
{
	struct arena a = ARENA_INIT;
	struct line **lines = NULL;
	size_t n = 0, len, number;
	char *text = read_whole_file(path, &len, e), *at = text;
	struct line_shape best;
	struct matcher *matcher;
	struct match match;

	if (text == NULL)
		return -1;
	matcher = matcher_new(set);
	for (char *next = at; next < text + len;) {
		const size_t length = strcspn(next, "\r\n");
		struct line *line;
		char *shape;
		size_t prefix = 0, used = 0;

		at = next;
		next += length + 1;
		at[length] = '\0';
		if (length == 0 || length >= MAX_LINE)
			continue;
		/* Remove escape sequences of colours, as reading a log does. */
		for (char *s = at; (s = strstr(s, "\033[")) != NULL;) {
			const char *end = s + strcspn(s, "mK");

			end += *end != '\0';
			memmove(s, end, strlen(end) + 1);
		}
		/* A launcher's prefix is read before formats. */
		if (set->prefix_start.code != NULL &&
		    matcher_one(
			matcher, &set->prefix_start, at, strlen(at), 0, &match))
			prefix = match.ov[1];
		line = arena_calloc(&a, 1, sizeof *line);
		*line = (struct line){ at + prefix, prefix > 0, .order = n };
		shape = arena_calloc(&a, strlen(line->text) + 1, 1);
		for (const char *s = line->text; *s != '\0';
		     s += number > 0 ? number : 1) {
			number = line->n < MAX_COLUMNS
			    ? number_at(s, line->text, &line->numbers[line->n])
			    : 0;
			while (number > 0 && used > 0 && shape[used - 1] == ' ')
				used--;
			shape[used++] = number > 0 ? '\1' : *s;
			line->n += number > 0;
		}
		shape[used] = '\0';
		line->shape = shape;
		lines = arena_grow(&a, lines, n, sizeof *lines);
		lines[n++] = line;
	}
	if (n > 0)
		qsort(lines, n, sizeof *lines, by_shape);
	best = find_shape(&a, lines, n);
	if (best.n > 0)
		put_format(out, &best, path);
	else
		error_set(e, ERROR_EMPTY,
		    "%s: fewer than %d lines of one shape hold a number that "
		    "counts up and one that behaves like a time or a rate",
		    path, MIN_LINES);
	matcher_free(matcher);
	free(text);
	arena_release(&a);
	return best.n > 0 ? 0 : -1;
}
