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

	return !s->options.details && s->now.events == NULL &&
	    !f->has_context && !f->meaning.has_work && f->echo == ECHO_NO &&
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

static void
read_whole_column(const struct sample_run *run,
    const struct number_plan_number *x, struct sample *out)
{
	int32_t column[NUMBER_COLUMN];

	number_column_read_whole(x, run->lines, run->n, column);
	switch (x->capture->field) {
	case FIELD_EPOCH:
		for (size_t i = 0; i < run->n; i++)
			out[i].epoch = column[i];
		break;
	case FIELD_ITER:
		for (size_t i = 0; i < run->n; i++)
			out[i].iter = column[i];
		break;
	case FIELD_ITER_FROM:
		for (size_t i = 0; i < run->n; i++)
			out[i].iter_from = column[i];
		break;
	case FIELD_ITERS:
		for (size_t i = 0; i < run->n; i++)
			out[i].iters = column[i];
		break;
	case FIELD_RANK:
		for (size_t i = 0; i < run->n; i++)
			out[i].rank = column[i];
		break;
	default:
		break;
	}
}

/* Read a number of the plan.  Returns 0; -1 where it has to be looked for in
 * some line. */
static int
read_column(const struct sample_run *run, const struct number_plan_number *x,
    struct sample *out)
{
	const struct capture *c = x->capture;
	const double divisor = c->word->divisor;
	double column[NUMBER_COLUMN];

	if (c->field != FIELD_VALUE && !capture_is_second(c)) {
		read_whole_column(run, x, out);
		return 0;
	}
	if (number_column_read(x, run->lines, run->n, column) != 0)
		return -1;
	if (divisor > 1 || divisor < 1)
		for (size_t i = 0; i < run->n; i++)
			column[i] /= divisor;
	if (c->field == FIELD_VALUE)
		for (size_t i = 0; i < run->n; i++)
			out[i].value = column[i];
	else if (c->field != FIELD_ALSO_RATE) /* which are finite */
		for (size_t i = 0; i < run->n; i++)
			out[i].second = column[i];
	else
		for (size_t i = 0; i < run->n; i++)
			sample_put_second(&out[i], c, column[i]);
	return 0;
}

/* All samples of the run.  Returns as read_column. */
static int
read_samples(const struct sample_run *run, struct sample *out)
{
	const struct match *match = line_template_only_match(run->m);
	const struct number_plan *r = match->plan;
	const struct sample none = { NAN, NAN, 0, SAMPLE_NONE, SAMPLE_NONE,
		SAMPLE_NONE, SAMPLE_NONE, match->rank, NAN };

	for (size_t i = 0; i < run->n; i++) {
		out[i] = none;
		out[i].line = run->numbers[i];
	}
	for (size_t i = 0; match->rank_text != NULL && i < run->n; i++)
		out[i].rank = line_template_rank(run->m, run->lines[i]);
	for (size_t i = 0; i < r->n; i++)
		if (read_column(run, &r->numbers[i], out) != 0)
			return -1;
	return 0;
}

void
sample_run_end(struct scanner *s, struct sample_run *run)
{
	struct sample samples[NUMBER_COLUMN];
	const int64_t line = s->now.line;

	if (run->m == NULL)
		return;
	if (read_samples(run, samples) == 0) {
		sample_store_add_all(&s->now.log->samples, samples, run->n);
	} else {
		for (size_t i = 0; i < run->n; i++) {
			s->now.line = run->numbers[i];
			s->now.dropped = 0;
			line_template_emit(
			    run->m, run->lines[i], scanner_emit_match, s);
		}
		s->now.line = line;
	}
	run->m = NULL;
	run->n = 0;
}
