/* dlscale-prediction/1, keys in the order of doc/prediction.md.  Unknown is
 * null, numbers are unrounded; keys are only ever added. */
#include <config.h>

#include "predict/show_forecasts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_write.h"

const char *const forecast_how_words[] = {
	[FORECAST_MEASURED] = "measured",
	[FORECAST_BY_DOUBLING] = "doubling",
	[FORECAST_BY_TRANSFER] = "transfer",
	[FORECAST_BY_LINK] = "from the link",
};

double
show_rounded(double x)
{
	char buf[32];

	if (!isfinite(x))
		return x;
	snprintf(buf, sizeof buf, "%.12g", x);
	return strtod(buf, NULL);
}

/* Write a computed number. */
static void
write_number(struct json_writer *j, const char *key, double x)
{
	json_write_double(j, key, show_rounded(x));
}

static void
write_configuration(
    struct json_writer *j, const struct show *show, const struct series *s)
{
	json_write_begin_object(j, "configuration");
	for (size_t k = 0; k < show->set->n_keys; k++)
		if (s->values[k] != NULL)
			json_write_string(j, show->set->keys[k], s->values[k]);
	json_write_end(j);
}

static void
write_backtest(struct json_writer *j, const struct forecast *f)
{
	const struct forecast_backtest *b = forecast_best_backtest(f);

	if (b->of == NULL) {
		json_write_null(j, "backtest");
		return;
	}
	json_write_begin_object(j, "backtest");
	json_write_string(j, "case", b->of->name);
	json_write_double(j, "measured", b->of->speed);
	write_number(j, "predicted", b->predicted);
	write_number(j, "error", b->error);
	json_write_bool(j, "inside", b->inside);
	json_write_end(j);
}

/* An interval as speeds; for step times a larger t is a larger value. */
static void
write_interval(struct json_writer *j, const struct forecast *f,
    const struct forecast_case *c, double level, double t_low, double t_high)
{
	const double gpus = (double)c->shape.gpus;
	const double a = scaling_speed(&f->s, t_high, gpus);
	const double b = scaling_speed(&f->s, t_low, gpus);

	json_write_begin_object(j, NULL);
	write_number(j, "level", level);
	write_number(j, "low", fmin(a, b));
	write_number(j, "high", fmax(a, b));
	json_write_end(j);
}

static void
write_intervals(struct json_writer *j, const struct show *show,
    const struct forecast *f, const struct forecast_case *c)
{
	json_write_begin_array(j, "intervals");
	/* A range over overlaps has no level. */
	if (c->how == FORECAST_BY_LINK)
		write_interval(j, f, c, NAN, c->t_low[0], c->t_high[0]);
	for (size_t i = 0; i < show->request->n_levels && c->measured == NULL &&
	     c->how != FORECAST_BY_LINK;
	     i++)
		write_interval(j, f, c, show->request->levels[i], c->t_low[i],
		    c->t_high[i]);
	json_write_end(j);
}

static void
write_warnings(struct json_writer *j, unsigned warnings)
{
	json_write_begin_array(j, "warnings");
	for (int i = 0; i < N_FORECAST_WARNINGS; i++)
		if (warnings & 1U << i)
			json_write_string(j, NULL, forecast_warning_words[i]);
	json_write_end(j);
}

static void
write_cost(struct json_writer *j, const struct show *show,
    const struct forecast *f, const struct forecast_case *c)
{
	struct cost_answer a;

	if (isnan(show->ask->samples))
		return;
	a = cost_make(&f->s, c, show->ask->samples, show->ask->price);
	write_number(j, "seconds", a.seconds);
	write_number(j, "seconds_low", a.seconds_low);
	write_number(j, "seconds_high", a.seconds_high);
	write_number(j, "gpu_hours", a.gpu_hours);
	write_number(
	    j, "gpu_hours_low", a.gpu_hours * a.seconds_low / a.seconds);
	write_number(
	    j, "gpu_hours_high", a.gpu_hours * a.seconds_high / a.seconds);
	write_number(j, "cost", a.cost);
	write_number(j, "cost_low", a.cost * a.seconds_low / a.seconds);
	write_number(j, "cost_high", a.cost * a.seconds_high / a.seconds);
}

static void
write_laws(struct json_writer *j, const struct show *show,
    const struct forecast_case *c)
{
	if (!show->request->compare || c->measured != NULL)
		return;
	json_write_begin_object(j, "compare");
	for (int i = 0; i < N_SCALING_LAWS; i++)
		write_number(j, scaling_law_names[i], c->laws[i]);
	json_write_end(j);
}

static void
write_case(struct json_writer *j, const struct show *show,
    const struct forecast *f, const struct forecast_case *c)
{
	const double gpus = (double)c->shape.gpus;

	json_write_begin_object(j, NULL);
	json_write_string(j, "case", c->shape.name);
	json_write_long(j, "nodes", c->shape.nodes);
	json_write_long(j, "gpus_per_node", c->shape.gpus_per_node);
	json_write_long(j, "gpus", c->shape.gpus);
	json_write_bool(j, "measured", c->measured != NULL);
	json_write_string(j, "model", forecast_how_words[c->how]);
	json_write_bool(j, "forced", c->forced);
	json_write_double(j, "speed",
	    c->measured != NULL
		? c->measured->speed
		: show_rounded(scaling_speed(&f->s, c->t, gpus)));
	write_number(j, "speedup", scaling_speedup(&f->s, c->t, gpus));
	write_number(j, "efficiency", scaling_efficiency(&f->s, c->t));
	write_number(j, "step_s", scaling_step(&f->s, c->t, gpus));
	write_intervals(j, show, f, c);
	write_number(j, "doublings", c->doublings);
	write_number(j, "growth", c->growth);
	json_write_string(j, "anchor", c->anchor);
	write_warnings(j, c->warnings);
	write_laws(j, show, c);
	write_cost(j, show, f, c);
	json_write_end(j);
}

static void
write_refused(struct json_writer *j, const struct forecast *f)
{
	json_write_begin_array(j, "refused");
	for (size_t i = 0; i < f->n_refused; i++) {
		const struct forecast_refused *r = &f->refused[i];

		json_write_begin_object(j, NULL);
		json_write_string(j, "case", r->shape.name);
		json_write_string(j, "code", refusal_words[r->refusal.code]);
		json_write_string(j, "message", r->refusal.message);
		json_write_end(j);
	}
	json_write_end(j);
}

static void
write_what_if(struct json_writer *j, const struct show *show, size_t i,
    const struct forecast_case *c, const struct what_if *w)
{
	struct what_if_answer a;
	struct error e = ERROR_INIT;

	if (c->shape.nodes < 2)
		return;
	json_write_begin_object(j, NULL);
	json_write_string(j, "text", w->text);
	json_write_string(j, "case", c->shape.name);
	if (what_if_answer(show->forecasts, show->ask, i, c, w, &a, &e) != 0) {
		json_write_string(j, "message", e.message);
	} else {
		write_number(j, "before_s", a.before_s);
		write_number(j, "step_s", a.step.step_s);
		write_number(j, "low", a.step.low_s);
		write_number(j, "high", a.step.high_s);
		write_number(j, "gamma", a.gamma);
		write_number(j, "busy_s", a.communication.busy_s);
		write_number(j, "link_s", a.communication.link_s);
		json_write_bool(j, "bound", a.bound);
	}
	json_write_end(j);
}

static void
write_what_ifs(struct json_writer *j, const struct show *show, size_t i)
{
	const struct forecast *f = &show->forecasts->items[i];

	json_write_begin_array(j, "what_if");
	for (size_t k = 0; k < show->ask->n_what_ifs; k++)
		for (size_t c = 0; c < f->n_cases; c++)
			write_what_if(
			    j, show, i, &f->cases[c], &show->ask->what_ifs[k]);
	json_write_end(j);
}

static void
write_until(
    struct json_writer *j, const struct show *show, const struct forecast *f)
{
	struct until_answer a;

	if (isnan(show->ask->until) ||
	    until_find(f, show->ask->until, show->request->levels[0], &a) !=
		0) {
		json_write_null(j, "until");
		return;
	}
	json_write_begin_object(j, "until");
	write_number(j, "target", a.target);
	json_write_long(j, "gpus_per_node", a.gpus_per_node);
	json_write_long(j, "nodes", a.count > 0 ? a.count : RESULT_UNKNOWN);
	json_write_long(
	    j, "earliest", a.earliest > 0 ? a.earliest : RESULT_UNKNOWN);
	json_write_long(j, "latest", a.latest > 0 ? a.latest : RESULT_UNKNOWN);
	json_write_long(j, "limit", a.limit);
	json_write_end(j);
}

static void
write_bandwidth(
    struct json_writer *j, const struct show *show, const struct forecast *f)
{
	struct bandwidth_answer a;

	if (isnan(show->ask->want) ||
	    bandwidth_find(f, show->ask, &a, NULL) != 0) {
		json_write_null(j, "bandwidth");
		return;
	}
	json_write_begin_object(j, "bandwidth");
	json_write_string(j, "case", a.of->shape.name);
	write_number(j, "target", a.target);
	write_number(j, "bit_per_s", a.bit_per_s);
	write_number(j, "low", a.low);
	write_number(j, "high", a.high);
	write_number(j, "best", a.best);
	json_write_end(j);
}

static void
write_diagnosis(
    struct json_writer *j, const struct show *show, const struct forecast *f)
{
	json_write_begin_array(j, "diagnosis");
	for (size_t i = 0; i < f->s.n && show->ask->diagnose; i++) {
		const struct scaling_case *c = &f->s.cases[i];
		const struct diagnosis_measured measured =
		    diagnosis_measured_of(&f->s, c);
		double parts[N_DIAGNOSIS_PARTS];

		diagnosis_make(&f->s, c, &measured, parts);
		json_write_begin_object(j, NULL);
		json_write_string(j, "case", c->name);
		/* Parts that were not measured are omitted. */
		for (int k = 0; k < N_DIAGNOSIS_PARTS; k++)
			if (k == DIAGNOSIS_LOSS || !isnan(parts[k]))
				write_number(
				    j, diagnosis_parts[k].key, parts[k]);
		json_write_end(j);
	}
	json_write_end(j);
}

/* Title and notes of the table, for programs that display the file. */
static void
write_words(struct json_writer *j, const struct show *show, size_t i)
{
	struct table t;

	show_words(show, i, &t);
	json_write_string(j, "title", t.title);
	json_write_begin_array(j, "notes");
	for (size_t k = 0; k < t.n_notes; k++)
		json_write_string(j, NULL, t.notes[k]);
	json_write_end(j);
	table_release(&t);
}

static void
write_series(struct json_writer *j, const struct show *show, size_t i)
{
	const struct forecast *f = &show->forecasts->items[i];
	const struct forecast_case *first = forecast_first(f);

	json_write_begin_object(j, NULL);
	write_configuration(j, show, f->s.series);
	json_write_string(
	    j, "baseline", f->s.n > 0 ? f->s.baseline->name : NULL);
	write_number(j, "growth", first != NULL ? first->growth : NAN);
	json_write_long(
	    j, "pooled_series", first != NULL ? (long)first->pooled : 0);
	json_write_string(j, "unit", f->s.unit);
	write_words(j, show, i);
	write_backtest(j, f);
	json_write_begin_array(j, "cases");
	for (size_t c = 0; c < f->n_cases; c++)
		write_case(j, show, f, &f->cases[c]);
	json_write_end(j);
	write_refused(j, f);
	write_what_ifs(j, show, i);
	write_until(j, show, f);
	write_bandwidth(j, show, f);
	write_diagnosis(j, show, f);
	json_write_end(j);
}

void
show_json(const struct show *show, FILE *f)
{
	struct json_writer j;

	json_write_to_file(&j, f, JSON_WRITE_PRETTY);
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
	json_write_end(&j);
	json_write_finish(&j);
}
