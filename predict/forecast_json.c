/* dlscale-prediction/1, keys in the order of doc/prediction.md. Unknown is
 * null, numbers are unrounded; keys are only ever added. */
#include <config.h>

#include "predict/answers.h"

#include <math.h>

#include "common/json/json_write.h"

#define PREDICTION_SCHEMA "dlscale-prediction/1"

/* A computed number and its key. */
struct keyed_number {
	const char *key;
	double x;
};

#define WRITE_NUMBERS(j, ...) \
	write_numbers( \
	    j, (const struct keyed_number[]){ __VA_ARGS__, { NULL, 0 } })

static void
write_numbers(struct json_writer *j, const struct keyed_number *n)
{
	for (; n->key != NULL; n++)
		json_write_double(j, n->key, forecast_rounded(n->x));
}

/* Write the warnings, and the flags of the measured cases that a case rests on,
 * if any. */
static void
write_warnings(
    struct json_writer *j, const struct forecast_case *c, struct arena *a)
{
	json_write_begin_array(j, "warnings");
	for (int i = 0; i < N_FORECAST_WARNINGS; i++)
		if (c->warnings & 1U << i)
			json_write_string(j, NULL, forecast_warnings[i].word);
	json_write_end(j);
	if (!(c->warnings & 1U << WARNING_FLAGGED))
		return;
	json_write_begin_array(j, "flags");
	for (size_t i = 0; i < c->n_rests; i++)
		for (size_t k = 0; k < c->rests[i]->n_doubts; k++) {
			const struct scaling_case *of = c->rests[i];
			const struct case_flag *f = &of->doubts[k];

			json_write_begin_object(j, NULL);
			json_write_string(j, "case", of->shape.name);
			json_write_string(
			    j, "code", remark_rows[f->from.code].name);
			json_write_long(j, "runs", (long)f->n);
			json_write_long(j, "of", (long)of->point->c->n_runs);
			json_write_string(
			    j, "text", case_flag_text(f, LANGUAGE_EN, a));
			json_write_end(j);
		}
	json_write_end(j);
}

static void
write_case(struct json_writer *j, const struct show *show,
    const struct forecast *f, const struct forecast_case *c)
{
	static const char *const cost_keys[] = { "seconds", "seconds_low",
		"seconds_high", "gpu_hours", "gpu_hours_low", "gpu_hours_high",
		"cost", "cost_low", "cost_high" };
	/* A range over overlaps has no level. */
	const int by_link = c->how == FORECAST_BY_LINK;
	const size_t n_levels = c->measured != NULL ? 0
	    : by_link                               ? 1
						    : show->request->n_levels;

	json_write_begin_object(j, NULL);
	json_write_string(j, "case", c->shape.name);
	json_write_long(j, "nodes", c->shape.nodes);
	json_write_long(j, "gpus_per_node", c->shape.gpus_per_node);
	json_write_long(j, "gpus", c->shape.gpus);
	json_write_bool(j, "measured", c->measured != NULL);
	json_write_string(j, "model", forecast_hows[c->how].word);
	json_write_bool(j, "forced", c->forced);
	json_write_double(j, "speed",
	    c->measured != NULL ? c->measured->speed
				: forecast_rounded(c->speed));
	WRITE_NUMBERS(j, { "speedup", c->speedup },
	    { "efficiency", c->efficiency }, { "step_s", c->step_s });
	json_write_begin_array(j, "intervals");
	for (size_t i = 0; i < n_levels; i++) {
		json_write_begin_object(j, NULL);
		WRITE_NUMBERS(j,
		    { "level", by_link ? NAN : show->request->levels[i] },
		    { "low", c->low[i] }, { "high", c->high[i] });
		json_write_end(j);
	}
	json_write_end(j);
	WRITE_NUMBERS(
	    j, { "doublings", c->doublings }, { "growth", c->growth });
	json_write_string(j, "anchor", c->anchor);
	write_warnings(j, c, &show->set->arena);
	if (show->request->compare && c->measured == NULL) {
		json_write_begin_object(j, "compare");
		for (int i = 0; i < N_SCALING_LAWS; i++)
			WRITE_NUMBERS(j, { scaling_law_names[i], c->laws[i] });
		json_write_end(j);
	}
	if (!isnan(show->ask->samples)) {
		const struct cost_answer a =
		    cost_make(&f->s, c, show->ask->samples, show->ask->price);
		const double means[] = { a.seconds[0], a.gpu_hours, a.cost };

		for (int i = 0; i < 9; i++)
			WRITE_NUMBERS(j,
			    { cost_keys[i],
				means[i / 3] *
				    (a.seconds[i % 3] / a.seconds[0]) });
	}
	json_write_end(j);
}

static void
write_what_if(struct json_writer *j, const struct show *show, size_t i,
    const struct forecast_case *c, const struct what_if *w)
{
	struct what_if_answer a;
	struct error e = ERROR_INIT;

	json_write_begin_object(j, NULL);
	json_write_string(j, "text", w->text);
	json_write_string(j, "case", c->shape.name);
	if (what_if_answer(show->forecasts, show->ask, i, c, w, &a, &e) != 0) {
		json_write_string(j, "message", e.message);
	} else {
		WRITE_NUMBERS(j, { "before_s", a.before_s },
		    { "step_s", a.step.step_s }, { "low", a.step.low_s },
		    { "high", a.step.high_s }, { "gamma", a.gamma },
		    { "busy_s", a.busy_s }, { "link_s", a.link_s });
		json_write_bool(j, "bound", a.bound);
	}
	json_write_end(j);
}

/* Write the answers about a series. */
static void
write_answers(
    struct json_writer *j, const struct show *show, const struct forecast *f)
{
	const struct answers_request *ask = show->ask;
	struct until_answer until;
	struct bandwidth_answer b;

	if (isnan(ask->until) ||
	    until_find(f, ask->until, show->request->levels[0], &until) != 0) {
		json_write_string(j, "until", NULL);
	} else {
		/* 0 is none. */
		json_write_begin_object(j, "until");
		WRITE_NUMBERS(j, { "target", ask->until });
		json_write_long(j, "gpus_per_node", until.gpus_per_node);
		WRITE_NUMBERS(j,
		    { "nodes", until.count > 0 ? until.count : NAN },
		    { "earliest", until.earliest > 0 ? until.earliest : NAN },
		    { "latest", until.latest > 0 ? until.latest : NAN },
		    { "limit", until.limit });
		json_write_end(j);
	}
	if (isnan(ask->want) || bandwidth_find(f, ask, &b, NULL) != 0) {
		json_write_string(j, "bandwidth", NULL);
	} else {
		json_write_begin_object(j, "bandwidth");
		json_write_string(j, "case", b.of->shape.name);
		WRITE_NUMBERS(j, { "target", ask->want },
		    { "bit_per_s", b.bit_per_s }, { "low", b.low },
		    { "high", b.high }, { "best", b.best });
		json_write_end(j);
	}
	json_write_begin_array(j, "diagnosis");
	for (size_t i = 0; i < f->s.n && ask->diagnose; i++) {
		double parts[N_DIAGNOSIS_PARTS];

		diagnosis_make(&f->s, &f->s.cases[i], parts);
		json_write_begin_object(j, NULL);
		json_write_string(j, "case", f->s.cases[i].shape.name);
		/* Parts that were not measured are omitted. */
		for (int k = 0; k < N_DIAGNOSIS_PARTS; k++)
			if (k == DIAGNOSIS_LOSS || !isnan(parts[k]))
				WRITE_NUMBERS(
				    j, { diagnosis_parts[k].key, parts[k] });
		json_write_end(j);
	}
	json_write_end(j);
}

static void
write_series(struct json_writer *j, const struct show *show, size_t i)
{
	const struct forecast *f = &show->forecasts->items[i];
	const struct forecast_case *first = forecast_first(f);
	const struct forecast_backtest *b = forecast_best_backtest(f);
	struct table t = TABLE_INIT;

	json_write_begin_object(j, NULL);
	json_write_begin_object(j, "configuration");
	for (size_t k = 0; k < show->set->n_keys; k++)
		if (f->s.series->values[k] != NULL)
			json_write_string(
			    j, show->set->keys[k], f->s.series->values[k]);
	json_write_end(j);
	json_write_string(
	    j, "baseline", f->s.n > 0 ? f->s.baseline->shape.name : NULL);
	WRITE_NUMBERS(j, { "growth", first != NULL ? first->growth : NAN });
	json_write_long(
	    j, "pooled_series", first != NULL ? (long)first->pooled : 0);
	json_write_string(j, "unit", f->s.unit);
	/* Title and notes of the table, for programs that display the file. */
	show_series(show, f, &t);
	json_write_string(j, "title", t.title);
	json_write_begin_array(j, "notes");
	for (size_t k = 0; k < t.n_notes; k++)
		json_write_string(j, NULL, t.notes[k]);
	json_write_end(j);
	table_release(&t);
	if (b != NULL) {
		json_write_begin_object(j, "backtest");
		json_write_string(j, "case", b->of->shape.name);
		json_write_double(j, "measured", b->of->speed);
		WRITE_NUMBERS(
		    j, { "predicted", b->predicted }, { "error", b->error });
		json_write_bool(j, "inside", b->inside);
		json_write_end(j);
	} else {
		json_write_string(j, "backtest", NULL);
	}
	json_write_begin_array(j, "cases");
	for (size_t c = 0; c < f->n_cases; c++)
		write_case(j, show, f, &f->cases[c]);
	json_write_end(j);
	json_write_begin_array(j, "refused");
	for (size_t k = 0; k < f->n_refused; k++) {
		const struct forecast_refused *r = &f->refused[k];

		json_write_begin_object(j, NULL);
		json_write_string(j, "case", r->shape.name);
		json_write_string(j, "code", remark_rows[r->why.code].reason);
		json_write_string(j, "message",
		    remark_text(&r->why, LANGUAGE_EN, &show->set->arena));
		json_write_end(j);
	}
	json_write_end(j);
	json_write_begin_array(j, "what_if");
	for (size_t k = 0; k < show->ask->n_what_ifs; k++)
		for (size_t c = 0; c < f->n_cases; c++)
			if (f->cases[c].shape.nodes > 1)
				write_what_if(j, show, i, &f->cases[c],
				    &show->ask->what_ifs[k]);
	json_write_end(j);
	write_answers(j, show, f);
	json_write_end(j);
}

void
show_json(const struct show *show, FILE *f)
{
	struct json_writer j = JSON_TO_FILE(f, JSON_WRITE_PRETTY);
	struct table t = TABLE_INIT;

	json_write_begin_object(&j, NULL);
	json_write_string(&j, "schema", PREDICTION_SCHEMA);
	json_write_begin_object(&j, "tool");
	json_write_string(&j, "name", "predict_scaling");
	json_write_string(&j, "version", PACKAGE_VERSION);
	json_write_end(&j);
	json_write_begin_array(&j, "series");
	for (size_t i = 0; i < show->forecasts->n; i++)
		write_series(&j, show, i);
	json_write_end(&j);
	show_flat(show, &t);
	json_write_begin_array(&j, "tables");
	table_json_put(&j, &t);
	json_write_end(&j);
	table_release(&t);
	json_write_end(&j);
	json_write_finish(&j);
}
