/* Reads details of a log's last lines.  Called once a file by scan_file.c, when
 * the number of lines is known; what the values mean is for the arithmetic. */
#include <config.h>

#include "extract/scan/tail_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "extract/input/line_split.h"
#include "extract/scan/samples/number_column.h"
#include "extract/scan/samples/sample_from_match.h"

enum {
	TAIL_ROLES = FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_DETAIL) |
	    FIELD_NAME_IN(ROLE_RESULT)
};

/* Lines of one template whose values' places are known; lines without values
 * may be between them. */
struct tail_run {
	struct line_template *of; /* their template among all lines' */
	uint64_t serial;          /* and its serial */
	struct line_template *m;  /* and among the tail's; NULL: there are
	                             none */
	struct number_lines lines;
};

/* One pass over the end. */
struct tail_reader {
	struct scanner *s;
	int templated;  /* 1: templates can be used */
	int64_t before; /* lines of the log before the text */
	int64_t line;
	char *clean;
	struct log *log;
	size_t next; /* place of the value that likely comes next */
	struct line_template_notes *notes; /* gets the values of the current
	                                      line, or NULL */
	struct tail_run run;
};

/* The place of a key's value, or of the next one. */
static size_t
find_value(const struct log *log, const char *key, size_t likely)
{
	size_t i = 0;

	/* Most keys are the one text of the vocabulary. */
	if (likely < log->n_tail && log->tail[likely].key == key)
		return likely;
	while (i < log->n_tail && log->tail[i].key != key)
		i++;
	if (i < log->n_tail)
		return i;
	for (i = 0; i < log->n_tail; i++)
		if (strcmp(log->tail[i].key, key) == 0)
			break;
	return i;
}

/* One more value in its place, that is not the first there.
 *
 * all  1: it counts in the sum and the maximum, too */
static inline void
add_value(struct log_tail_value *v, double value, int64_t line, int all)
{
	v->last = value;
	v->last_line = line;
	if (!all)
		return;
	v->sum += value;
	v->n++;
	if (value > v->max)
		v->max = value;
}

/* A loss that is no number: the first since the last one that was, which may
 * have been read without the pattern.
 *
 * i  the place of the losses */
static void
note_nan_loss(struct log *log, size_t i, int64_t line)
{
	if (log->nan_loss_line == 0 ||
	    (i < log->n_tail && log->tail[i].last_line > log->nan_loss_line))
		log->nan_loss_line = line;
}

/* Returns its place, or LOG_MAX_TAIL where it is not kept.
 *
 * all  as of add_value */
static size_t
note_value(struct tail_reader *t, const char *key, double value, int all)
{
	struct log_tail_value *v = t->log->tail;
	const size_t i = find_value(t->log, key, t->next);

	t->next = i + 1;
	if (!isfinite(value) && strcmp(key, "loss") == 0)
		note_nan_loss(t->log, i, t->line);
	if (i == LOG_MAX_TAIL || !isfinite(value))
		return LOG_MAX_TAIL;
	if (i == t->log->n_tail)
		v[t->log->n_tail++] = (struct log_tail_value){ key, value,
			all ? value : 0, 0, 0, t->line, t->line };
	add_value(&v[i], value, t->line, all);
	return i;
}

static int
is_tail_value(const struct capture *c)
{
	return c->word->tail != FIELD_NAME_NOT_ASKED;
}

static const char *
key_of(const struct capture *c)
{
	return c->word->key != NULL ? c->word->key : c->word->name;
}

static size_t
note_capture(struct tail_reader *t, const struct capture *c, double value)
{
	return note_value(t, key_of(c), value, c->word->tail == FIELD_NAME_ALL);
}

static void
note_read_capture(
    struct tail_reader *t, const struct match *match, const struct capture *c)
{
	double value;

	if (match_number(match, c, &value) == 0)
		note_capture(t, c, value);
}

/* Values of the line cannot be read without looking for them. */
static void
give_notes_up(struct tail_reader *t)
{
	if (t->notes != NULL)
		t->notes->n_values = -1;
	t->notes = NULL;
}

/* Where the lines of a template have a value. */
static void
keep_place(
    struct tail_reader *t, const struct number_plan_number *x, size_t place)
{
	struct line_template_notes *notes = t->notes;

	if (notes == NULL)
		return;
	if (place == LOG_MAX_TAIL || notes->n_values == LINE_TEMPLATE_VALUES) {
		give_notes_up(t);
		return;
	}
	for (int i = 0; i < notes->n_values; i++)
		notes->shared |= notes->values[i].place == place;
	notes->values[notes->n_values++] = (struct line_template_value){ x,
		key_of(x->capture), x->capture->word->divisor, place,
		x->capture->word->tail == FIELD_NAME_ALL };
}

/* The values of a match with a number plan. */
static void
consume_planned_values(struct tail_reader *t, const struct match *match)
{
	const struct number_plan *r = match->plan;

	for (size_t i = r->n; i < r->n_all; i++) {
		const struct number_plan_number *x = &r->numbers[i];
		double value;

		if (!is_tail_value(x->capture))
			continue;
		if (number_plan_number_read(x, match->line, &value) == 0) {
			keep_place(t, x,
			    note_capture(t, x->capture,
				value / x->capture->word->divisor));
		} else {
			give_notes_up(t);
			note_read_capture(t, match, x->capture);
		}
	}
}

static void
consume_values(void *arg, const struct match *match)
{
	struct tail_reader *t = arg;
	const struct pattern *p = match->pattern;

	if (p->role != ROLE_STEP && p->role != ROLE_DETAIL &&
	    p->role != ROLE_RESULT)
		return;
	if (match->plan != NULL) {
		consume_planned_values(t, match);
		return;
	}
	give_notes_up(t);
	for (size_t i = 0; i < p->n_captures; i++)
		if (is_tail_value(&p->captures[i]))
			note_read_capture(t, match, &p->captures[i]);
}

static void
keep_values(void *arg, const struct match *match)
{
	struct tail_reader *t = arg;

	line_template_add(t->s->tail_templates, match);
	consume_values(t, match);
}

static void
match_tail_text(struct tail_reader *t, const char *text, size_t len,
    match_consumer *consume)
{
	matcher_line(
	    t->s->matcher, t->s->now.format, TAIL_ROLES, text, len, consume, t);
}

/* A line that may have a template: the last logs' may be the same program's. */
static void
match_tail_line(struct tail_reader *t, const char *text, size_t len)
{
	struct line_templates *all = t->s->tail_templates;
	const int64_t limits = *t->s->limits;
	size_t n;

	if (line_template_replay(all, text, len, consume_values, t, &n) != 0)
		return;
	if (scanner_is_uncacheable(t->s, text, len)) {
		match_tail_text(t, text, len, consume_values);
		return;
	}
	line_template_begin(all, text, len);
	match_tail_text(t, text, len, keep_values);
	line_template_end(all);
	if (*t->s->limits != limits)
		line_templates_clear(all);
}

static void
consume_line(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	struct tail_reader *t = arg;
	int64_t n_nul = 0;

	t->line = t->before + number;
	if (flags & LINE_CONTROL) {
		const size_t room = line_clean(text, len, t->clean, &n_nul);

		for (size_t at = 0; at < room; at += strlen(t->clean + at) + 1)
			match_tail_text(t, t->clean + at, strlen(t->clean + at),
			    consume_values);
	} else if (flags == 0 && t->templated) {
		match_tail_line(t, text, len);
	} else {
		match_tail_text(t, text, len, consume_values);
	}
}

/* Lines that have the template of one of the last two.  A line_runner. */
static size_t
run_lines(void *arg, struct line_walker *w, const char *data, size_t len)
{
	struct tail_reader *t = arg;
	struct line_template *m;
	size_t at = 0, n;

	t->next = 0;
	while (t->templated &&
	    (n = line_template_again(
		 t->s->tail_templates, data + at, len - at, &m)) > 0) {
		t->line = t->before + w->number;
		t->next = 0;
		line_template_emit(m, data + at, consume_values, t);
		at = line_run_end(w, data, len, at + n);
	}
	return at;
}

static int64_t
count_lines(const char *text, size_t len)
{
	const char *at = text, *const end = text + len;
	int64_t n = 0;

	while (
	    at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		n++;
		at++;
	}
	return n + (len > 0 && end[-1] != '\n');
}

/* Templates are of one format. */
static int
begin_templates(struct scanner *s)
{
	if (s->tail_format != s->now.format)
		line_templates_clear(s->tail_templates);
	s->tail_format = s->now.format;
	return scanner_may_template(s, TAIL_ROLES);
}

/* Field by field, of which most bytes stay as they are. */
static void
tail_reader_init(struct tail_reader *t, struct scanner *s, struct log *log)
{
	t->s = s;
	t->templated = begin_templates(s);
	t->before = t->line = 0;
	t->clean = NULL;
	t->log = log;
	t->next = 0;
	t->notes = NULL;
	t->run.of = t->run.m = NULL;
	t->run.lines.n = 0;
	log->n_tail = 0;
	log->nan_loss_line = 0;
}

/* From the first whole line on.
 *
 * cut  1: there is more before text */
static void
read_text(
    struct scanner *s, const char *text, size_t len, int cut, struct log *log)
{
	struct tail_reader t;
	const char *end = cut ? memchr(text, '\n', len) : NULL;
	struct line_walker w;

	if (cut) {
		len = end != NULL ? (size_t)(text + len - end) - 1 : 0;
		text = end != NULL ? end + 1 : text;
	}
	tail_reader_init(&t, s, log);
	t.before = log->lines - count_lines(text, len);
	t.clean = xmalloc(len + 1);
	line_walker_init(&w, SCAN_MAX_LINE);
	line_split(&w, text, len, 1, consume_line, run_lines, &t);
	free(t.clean);
}

/* The template of a line whose template among all lines' is known; or NULL. */
static struct line_template *
known_tail_template(struct tail_reader *t, const struct known_line *l)
{
	struct line_template_notes *notes;
	struct line_template *recent[2] = { NULL, NULL };

	if (l->m == NULL || !t->templated ||
	    line_template_serial(l->m) != l->serial)
		return NULL;
	notes = line_template_notes(l->m);
	if (notes->tail != NULL &&
	    line_template_serial(notes->tail) == notes->tail_serial)
		return notes->tail;
	notes->tail =
	    line_template_search(t->s->tail_templates, recent, l->text, l->len);
	if (notes->tail != NULL)
		notes->tail_serial = line_template_serial(notes->tail);
	return notes->tail;
}

/* A line's values from where they stand.  Returns 0 where one has to be looked
 * for. */
static int
get_noted_values(const struct line_template_notes *notes, const char *line,
    double values[LINE_TEMPLATE_VALUES])
{
	for (int i = 0; i < notes->n_values; i++) {
		const struct line_template_value *x = &notes->values[i];

		if (number_plan_number_read(x->number, line, &values[i]) != 0)
			return 0;
		values[i] /= x->divisor;
	}
	return notes->n_values >= 0;
}

/* Read the values of the first line of a template in the log, which an earlier
 * log had too: only their places may be others.  Returns 0, and reads none,
 * where one has to be looked for. */
static int
read_values_anew(
    struct tail_reader *t, struct line_template_notes *notes, const char *line)
{
	double values[LINE_TEMPLATE_VALUES];
	int kept = 1;

	if (notes->values_round == 0 || !get_noted_values(notes, line, values))
		return 0;
	for (int i = 0; i < notes->n_values; i++) {
		struct line_template_value *x = &notes->values[i];

		x->place = note_value(t, x->key, values[i], x->all);
		kept &= x->place != LOG_MAX_TAIL;
	}
	notes->values_round = t->s->tail_round;
	if (!kept)
		notes->n_values = -1;
	return 1;
}

/* Read a line's values from where they stand.  Returns as get_noted_values, and
 * reads none where that is 0. */
static int
read_noted_values(struct tail_reader *t,
    const struct line_template_notes *notes, const char *line)
{
	double values[LINE_TEMPLATE_VALUES];
	const int n = notes->n_values;

	if (!get_noted_values(notes, line, values))
		return 0;
	for (int i = 0; i < n; i++)
		add_value(&t->log->tail[notes->values[i].place], values[i],
		    t->line, notes->values[i].all);
	return 1;
}

/* Add lines from the i-th on.  Returns the one after those that had room. */
static inline size_t
add_to_run(struct tail_run *run, const struct known_line *l, size_t i)
{
	return i +
	    number_lines_add(&run->lines, l->text + i * l->stride, l->stride,
		l->n - i, l->number + (int64_t)i);
}

/* A value of the lines of a run, of which none is the first in its place. */
static void
add_values(
    const struct tail_run *run, struct log_tail_value *v, const double *values)
{
	double sum = v->sum, max = v->max;

#pragma GCC unroll 4
	for (size_t i = 0; i < run->lines.n; i++) {
		sum += values[i];
		max = values[i] > max ? values[i] : max;
	}
	v->sum = sum;
	v->max = max;
	v->n += (int64_t)run->lines.n;
	v->last = values[run->lines.n - 1];
	v->last_line = run->lines.number[run->lines.n - 1];
}

/* Read the values of a run's lines from where they stand.  Returns as
 * read_noted_values. */
static int
read_noted_columns(struct tail_reader *t)
{
	const struct tail_run *run = &t->run;
	const struct line_template_notes *notes = line_template_notes(run->m);
	const size_t last = run->lines.n - 1;
	double values[LINE_TEMPLATE_VALUES][NUMBER_COLUMN];

	for (int k = 0; k < notes->n_values; k++) {
		const struct line_template_value *x = &notes->values[k];
		const size_t from = x->all ? 0 : last;

		if (x->all ? number_column_read(x->number, run->lines.text,
				 run->lines.n, values[k], NULL) != 0
			   : number_plan_number_read(x->number,
				 run->lines.text[last], &values[k][last]) != 0)
			return 0;
		if (x->divisor > 1 || x->divisor < 1)
			for (size_t i = from; i < run->lines.n; i++)
				values[k][i] /= x->divisor;
	}
	for (int k = 0; k < notes->n_values; k++) {
		const struct line_template_value *x = &notes->values[k];
		struct log_tail_value *v = &t->log->tail[x->place];

		if (x->all)
			add_values(run, v, values[k]);
		else
			add_value(
			    v, values[k][last], run->lines.number[last], 0);
	}
	return 1;
}

/* Read a line that has this template: what the first one of a log shows of its
 * values holds for all. */
static void
read_templated(struct tail_reader *t, struct line_template *m, const char *line)
{
	struct line_template_notes *notes = line_template_notes(m);

	t->notes = NULL;
	if (notes->values_round == t->s->tail_round) {
		if (read_noted_values(t, notes, line))
			return;
	} else if (read_values_anew(t, notes, line)) {
		return;
	} else {
		notes->values_round = t->s->tail_round;
		notes->n_values = notes->shared = 0;
		t->notes = notes;
	}
	line_template_emit(m, line, consume_values, t);
	t->notes = NULL;
}

static void
end_run(struct tail_reader *t)
{
	struct tail_run *run = &t->run;

	if (run->m != NULL && !read_noted_columns(t)) {
		for (size_t i = 0; i < run->lines.n; i++) {
			t->line = run->lines.number[i];
			t->next = 0;
			read_templated(t, run->m, run->lines.text[i]);
		}
	}
	run->of = run->m = NULL;
	run->lines.n = 0;
}

/* Are the places of all values of such lines known?  Then a run of them begins,
 * unless they have none. */
static int
begin_run(
    struct tail_reader *t, const struct known_line *l, struct line_template *m)
{
	const struct line_template_notes *notes = line_template_notes(m);

	if (notes->values_round != t->s->tail_round || notes->n_values < 0 ||
	    notes->shared)
		return 0;
	if (notes->n_values == 0)
		return 1;
	end_run(t);
	t->run.of = l->m;
	t->run.serial = l->serial;
	t->run.m = m;
	return 1;
}

/* Take lines from the i-th on.  Returns the one after them. */
static size_t
take_known_line(struct tail_reader *t, const struct known_line *l, size_t i)
{
	struct line_template *m = known_tail_template(t, l);
	const char *text = l->text + i * l->stride;

	if (m != NULL && begin_run(t, l, m))
		return t->run.m == m ? add_to_run(&t->run, l, i) : l->n;
	end_run(t);
	t->next = 0;
	t->line = l->number + (int64_t)i;
	if (m == NULL)
		consume_line(t, text, l->len, l->flags, t->line);
	else
		read_templated(t, m, text);
	return i + 1;
}

void
tail_values_of_known(struct scanner *s, const struct known_line *lines,
    size_t n, struct log *log)
{
	struct tail_reader t;

	tail_reader_init(&t, s, log);
	s->tail_round++;
	for (const struct known_line *l = lines; l < lines + n; l++) {
		const int alike = t.run.m != NULL && l->m == t.run.of &&
		    l->serial == t.run.serial;
		size_t i = alike ? add_to_run(&t.run, l, 0) : 0;

		while (i < l->n)
			i = take_known_line(&t, l, i);
	}
	end_run(&t);
}

void
tail_values_of_text(
    struct scanner *s, const char *text, size_t len, struct log *log)
{
	const int cut = len > TAIL_VALUES_BYTES;

	if (cut)
		text += len - TAIL_VALUES_BYTES;
	read_text(s, text, cut ? TAIL_VALUES_BYTES : len, cut, log);
}

void
tail_values_of_file(struct scanner *s, int fd, int64_t size, struct log *log)
{
	const int cut = size > TAIL_VALUES_BYTES;
	const int64_t from = cut ? size - TAIL_VALUES_BYTES : 0;
	char *room = xmalloc(TAIL_VALUES_BYTES);
	const ssize_t n = pread(fd, room, (size_t)(size - from), (off_t)from);

	if (n > 0)
		read_text(s, room, (size_t)n, cut, log);
	free(room);
}
