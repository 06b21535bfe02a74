/* What a forecast holds, and the questions that its readers ask of it: how many
 * cases were predicted, by which row, how well its back-test did.  It predicts
 * nothing; forecast.c fills it. */
#include <config.h>

#include "predict/forecast/forecast_set.h"

#include <math.h>
#include <stdlib.h>

const char *const forecast_warning_words[N_FORECAST_WARNINGS] = { "two-counts",
	"saturated", "far", "wide", "spread", "backtest", "assumed" };
const char *const forecast_warning_texts[N_FORECAST_WARNINGS] = {
	[WARNING_TWO_COUNTS] =
	    "the row has two counts, so the growth of the network's cost is "
	    "not from its data; a third count would narrow the interval",
	[WARNING_SATURATED] =
	    "speed grew by less than 1.35 a doubling between the two largest "
	    "counts: something shared may be full",
	[WARNING_FAR] = "more than one doubling beyond the measured counts",
	[WARNING_WIDE] =
	    "the 80 % interval spans more than a factor of 1.5: too wide to "
	    "plan by",
	[WARNING_SPREAD] = "runs of a case spread by more than 10 %",
	[WARNING_BACKTEST] =
	    "the largest measured case lies outside of the interval that the "
	    "others predict for it: this series does not follow the model",
	[WARNING_ASSUMED] = "how gradients are cut into buckets was assumed",
};

struct forecast_row *
forecast_row_find(struct forecast *f, long gpus_per_node)
{
	for (size_t i = 0; i < f->n_rows; i++)
		if (f->rows[i].row.gpus_per_node == gpus_per_node)
			return &f->rows[i];
	return NULL;
}

static void
forecast_clear(struct forecast *f)
{
	for (size_t i = 0; i < f->n_rows; i++) {
		doubling_release(&f->rows[i].doubling);
		scaling_row_release(&f->rows[i].row);
	}
	free(f->rows);
	free(f->cases);
	free(f->refused);
	scaling_series_release(&f->s);
}

void
forecast_release(struct forecast_set *f)
{
	for (size_t i = 0; i < f->n; i++)
		forecast_clear(&f->items[i]);
	free(f->items);
	arena_release(&f->arena);
	*f = (struct forecast_set){ 0 };
}

size_t
forecast_n_predicted(const struct forecast_set *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		for (size_t j = 0; j < f->items[i].n_cases; j++)
			n += f->items[i].cases[j].how != FORECAST_MEASURED;
	return n;
}

const struct forecast_row *
forecast_main_row(const struct forecast *f)
{
	for (size_t i = f->n_rows; i-- > 0;)
		if (f->rows[i].refusal.code == REFUSAL_NONE &&
		    f->s.not_predicted == NULL)
			return &f->rows[i];
	return NULL;
}

const struct forecast_backtest *
forecast_best_backtest(const struct forecast *f)
{
	static const struct forecast_backtest none = { NULL, NAN, NAN, 0 };
	const struct forecast_backtest *best = &none;

	for (size_t i = 0; i < f->n_rows; i++) {
		const struct forecast_backtest *b = &f->rows[i].backtest;

		if (b->of != NULL &&
		    (best->of == NULL || b->of->gpus >= best->of->gpus))
			best = b;
	}
	return best;
}

const struct forecast_case *
forecast_first(const struct forecast *f)
{
	for (size_t i = 0; i < f->n_cases; i++)
		if (f->cases[i].how != FORECAST_MEASURED)
			return &f->cases[i];
	return NULL;
}
