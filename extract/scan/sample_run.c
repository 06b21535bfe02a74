/* Makes samples of lines of one template, column by column.  Called by
 * scanner_state.c; each sample is what scan_emit.c makes of its line. */
#include <config.h>

#include "extract/scan/scanner_state.h"

#include <math.h>

/* Does such a match alone give the sample?  Its plan has the value, and
 * nothing that is put together of several numbers. */
static int
is_straight_match(const struct match *match)
{
	const struct number_plan *r = match->plan;
	int has_value = 0;

	if (match->pattern->role != ROLE_STEP || r == NULL || r->n_stamps > 0 ||
	    match->worker != NULL)
		return 0;
	for (size_t i = 0; i < r->n; i++) {
		const enum field field = r->numbers[i].capture->field;

		if (field == FIELD_SPAN || field == FIELD_TOTAL)
			return 0;
		has_value |= field == FIELD_VALUE;
	}
	return has_value;
}

/* Do samples of the log go into it as they are? */
static int
is_straight_log(const struct scanner *s)
{
	const struct format *f = s->now.format;

	return s->now.events == NULL && !f->has_context &&
	    !f->meaning.has_work && f->echo == ECHO_NO &&
	    s->now.log->meaning->kind != VALUE_STAMP &&
	    !s->now.log->meaning->trials;
}

int
sample_run_begin(
    struct scanner *s, struct sample_run *run, struct line_template *m)
{
	const struct match *match = line_template_only_match(m);

	sample_run_end(s, run);
	if (match == NULL || !is_straight_match(match) || !is_straight_log(s))
		return 0;
	run->m = m;
	return 1;
}

/* The numbers of a run's lines. */
struct run_columns {
	struct sample_columns c;
	int32_t epoch[NUMBER_COLUMN], iter[NUMBER_COLUMN];
	int32_t iter_from[NUMBER_COLUMN], iters[NUMBER_COLUMN];
	int32_t rank[NUMBER_COLUMN];
	double value[NUMBER_COLUMN], second[NUMBER_COLUMN];
	struct number_digits value_digits, second_digits;
};

/* Read a column of whole numbers, which c gets; NULL where all of them are the
 * same number. */
static void
read_whole_column(const struct sample_run *run,
    const struct number_plan_number *x, int32_t *column, const int32_t **c,
    int32_t *same)
{
	*c = NULL;
	if (number_column_read_one(x, run->lines.text, run->lines.n, same))
		return;
	number_column_read_whole(x, run->lines.text, run->lines.n, column);
	*c = column;
}

/* Read a whole number of the samples. */
static void
read_whole(const struct sample_run *run, const struct number_plan_number *x,
    struct run_columns *r)
{
	struct sample_columns *c = &r->c;
	struct sample *same = &r->c.same;

	switch (x->capture->field) {
	case FIELD_EPOCH:
		read_whole_column(run, x, r->epoch, &c->epoch, &same->epoch);
		break;
	case FIELD_ITER:
		/* Of which steps are, even of one line. */
		number_column_read_whole(
		    x, run->lines.text, run->lines.n, r->iter);
		c->iter = r->iter;
		break;
	case FIELD_ITER_FROM:
		read_whole_column(
		    run, x, r->iter_from, &c->iter_from, &same->iter_from);
		break;
	case FIELD_ITERS:
		read_whole_column(run, x, r->iters, &c->iters, &same->iters);
		break;
	case FIELD_RANK:
		read_whole_column(run, x, r->rank, &c->rank, &same->rank);
		break;
	default:
		break;
	}
}

/* The numbers are divided by what their unit says.  Returns whether they stay
 * as they are. */
static int
apply_divisor(double *column, size_t n, double divisor)
{
	if (!(divisor > 1 || divisor < 1))
		return 1;
	for (size_t i = 0; i < n; i++)
		column[i] /= divisor;
	return 0;
}

/* Do the column's digits alone say what its numbers are? */
static int
read_digits(const struct sample_run *run, const struct number_plan_number *x,
    struct number_digits *d)
{
	const double divisor = x->capture->word->divisor;

	return !(divisor > 1 || divisor < 1) &&
	    number_column_read_digits(x, run->lines.text, run->lines.n, d);
}

static int
read_value_column(const struct sample_run *run,
    const struct number_plan_number *x, struct run_columns *r)
{
	struct number_digits *d = &r->value_digits;

	if (read_digits(run, x, d)) {
		r->c.value_digits = d->digits;
		r->c.value_decimals = d->decimals;
		return 0;
	}
	if (number_column_read(x, run->lines.text, run->lines.n, r->value, d) !=
	    0)
		return -1;
	r->c.value = r->value;
	r->c.value_decimals = d->decimals;
	r->c.value_digits =
	    apply_divisor(r->value, run->lines.n, x->capture->word->divisor) &&
		d->decimals >= 0
	    ? d->digits
	    : NULL;
	return 0;
}

static int
read_second_column(const struct sample_run *run,
    const struct number_plan_number *x, struct run_columns *r)
{
	const struct capture *c = x->capture;
	struct number_digits *d = &r->second_digits;

	if (c->field != FIELD_ALSO_RATE && read_digits(run, x, d)) {
		r->c.second_digits = d->digits;
		r->c.second_decimals = d->decimals;
		return 0;
	}
	if (number_column_read(
		x, run->lines.text, run->lines.n, r->second, d) != 0)
		return -1;
	r->c.second = r->second;
	r->c.second_decimals = d->decimals;
	r->c.second_digits =
	    apply_divisor(r->second, run->lines.n, c->word->divisor) &&
		d->decimals >= 0 && c->field != FIELD_ALSO_RATE
	    ? d->digits
	    : NULL;
	for (size_t i = 0; c->field == FIELD_ALSO_RATE && i < run->lines.n;
	     i++) {
		struct sample one;

		sample_put_second(&one, c, r->second[i]);
		r->second[i] = one.second;
	}
	return 0;
}

/* Read a number of the plan.  Returns 0; -1 where it has to be looked for in
 * some line. */
static int
read_column(const struct sample_run *run, const struct number_plan_number *x,
    struct run_columns *r)
{
	if (x->capture->field == FIELD_VALUE)
		return read_value_column(run, x, r);
	if (capture_is_second(x->capture))
		return read_second_column(run, x, r);
	read_whole(run, x, r);
	return 0;
}

/* No column is known.  Field by field: as one value they would be set by an
 * instruction that takes longer than to read one. */
static void
begin_columns(const struct sample_run *run, struct sample_columns *c)
{
	c->n = run->lines.n;
	c->line = run->lines.number;
	c->epoch = c->iter = c->iter_from = c->iters = c->rank = NULL;
	c->value = c->second = NULL;
	c->value_digits = c->second_digits = NULL;
	c->value_decimals = c->second_decimals = 0;
}

/* All samples of the run.  Returns as read_column. */
static int
read_samples(const struct sample_run *run, struct run_columns *r)
{
	const struct match *match = line_template_only_match(run->m);
	const struct number_plan *plan = match->plan;
	const struct sample none = { NAN, NAN, 0, SAMPLE_NONE, SAMPLE_NONE,
		SAMPLE_NONE, SAMPLE_NONE, match->rank, NAN };

	begin_columns(run, &r->c);
	r->c.same = none;
	if (match->rank_text != NULL) {
		r->c.rank = r->rank;
		for (size_t i = 0; i < run->lines.n; i++)
			r->rank[i] =
			    line_template_rank(run->m, run->lines.text[i]);
	}
	for (size_t i = 0; i < plan->n; i++)
		if (read_column(run, &plan->numbers[i], r) != 0)
			return -1;
	return 0;
}

/* The details of the run's lines, whose samples were added. */
static void
emit_details(struct scanner *s, const struct sample_run *run)
{
	s->now.dropped = 0;
	for (size_t i = 0; i < run->lines.n; i++) {
		s->now.line = run->lines.number[i];
		line_template_emit(
		    run->m, run->lines.text[i], scanner_emit_details, s);
		s->now.first_sample++;
	}
}

void
sample_run_end(struct scanner *s, struct sample_run *run)
{
	struct run_columns r;
	const int64_t line = s->now.line;

	if (run->m == NULL)
		return;
	if (read_samples(run, &r) == 0) {
		s->now.first_sample = s->now.log->samples.n;
		sample_store_add_columns(&s->now.log->samples, &r.c);
		log_units_note(&s->now.log->units, s->now.log->meaning,
		    line_template_only_match(run->m));
		if (s->options.details)
			emit_details(s, run);
	} else {
		for (size_t i = 0; i < run->lines.n; i++) {
			s->now.line = run->lines.number[i];
			s->now.first_sample = s->now.log->samples.n;
			s->now.dropped = 0;
			line_template_emit(
			    run->m, run->lines.text[i], scanner_emit_match, s);
		}
	}
	s->now.line = line;
	run->m = NULL;
	run->lines.n = 0;
}
