/* Table of the kinds of charts.
 *
 * A new kind needs a row here, a template plots/templates/NAME.gp, and a
 * function that fills it, here or in its family's file, unless one exists.
 */
#include <config.h>

#include "plots/charts/chart.h"

#include <string.h>

const struct chart charts[] = {
	{ "scaling", "speedup, and efficiency beside it in wide pictures",
	    MESSAGE_SPEEDUP, MESSAGE_GPUS, chart_fill_gpus, CHART_RATIO,
	    .template = "gpus", .beside = "efficiency",
	    .quantity = CHART_SPEEDUP, .unit = "×", .linear_to = 64,
	    .over_gpus = 1, .keyed = 1, .full_names = 1 },
	{ "speedup", "speedup over the baseline, with the ideal line",
	    MESSAGE_SPEEDUP, MESSAGE_GPUS, chart_fill_gpus, CHART_RATIO,
	    .template = "gpus", .quantity = CHART_SPEEDUP, .unit = "×",
	    .linear_to = 64, .over_gpus = 1, .keyed = 1, .full_names = 1 },
	{ "throughput", "median speed (or time), both axes logarithmic",
	    MESSAGE_THROUGHPUT, MESSAGE_GPUS, chart_fill_gpus, CHART_AMOUNT,
	    .template = "gpus", .over_gpus = 1, .keyed = 1, .full_names = 1 },
	{ "efficiency", "speedup divided by what the GPUs would give ideally",
	    MESSAGE_EFFICIENCY, MESSAGE_GPUS, chart_fill_gpus, CHART_PERCENT,
	    .template = "gpus", .quantity = CHART_EFFICIENCY, .unit = "%",
	    .over_gpus = 1, .keyed = 1, .full_names = 1 },
	{ "per-gpu", "median speed of each GPU, from 0", MESSAGE_PER_GPU,
	    MESSAGE_GPUS, chart_fill_gpus, CHART_FROM_ZERO, .template = "gpus",
	    .quantity = CHART_OTHER, .over_gpus = 1, .keyed = 1,
	    .full_names = 1 },
	{ "step-time",
	    "time of a step, and the speedup beside it in wide pictures; the "
	    "default of strong scaling",
	    MESSAGE_STEP_TIME, MESSAGE_GPUS, chart_fill_gpus, CHART_AMOUNT,
	    .template = "gpus", .beside = "speedup", .quantity = CHART_OTHER,
	    .other = OTHER_STEP_TIME, .unit = "s", .linear_to = 64,
	    .over_gpus = 1, .keyed = 1, .full_names = 1 },
	{ "cost", "cost of a million samples at --price per GPU-hour",
	    MESSAGE_COST_OF_WORK, MESSAGE_GPUS, chart_fill_gpus,
	    CHART_FROM_ZERO, .template = "gpus", .quantity = CHART_OTHER,
	    .other = OTHER_COST, .over_gpus = 1, .keyed = 1, .full_names = 1 },
	{ "bandwidth",
	    "bus bandwidth of collectives over their size, both axes "
	    "logarithmic",
	    MESSAGE_BUS_BANDWIDTH, MESSAGE_MESSAGE_SIZE, chart_fill_bandwidth,
	    CHART_AMOUNT, .unit = "GB/s", .x_unit = "B",
	    .wants = "bandwidths of collectives", .shows_link = 1 },
	{ "collectives",
	    "time of collectives by their size, and how many they are",
	    MESSAGE_TIME_SHARE, MESSAGE_SIZE_UP_TO, chart_fill_sizes,
	    CHART_FROM_ZERO, .unit = "%", .has_names = 1,
	    .wants = "times of collectives", .sample = LEGEND_BOX,
	    .note = MESSAGE_NOTE_COUNTS, .labelled = 1 },
	{ "compare",
	    "ratio of two results' speeds, new over old, with intervals",
	    MESSAGE_RATIO, MESSAGE_CASE, chart_fill_ratios, CHART_RATIO,
	    .unit = "×", .wants = "cases of two results",
	    .sample = LEGEND_POINT, .sideways = 1, .is_ratio = 1 },
	{ "bars", "medians side by side, with their intervals",
	    MESSAGE_THROUGHPUT, MESSAGE_CASE, chart_fill_bars, CHART_FROM_ZERO,
	    .has_names = 1, .wants = "medians", .sample = LEGEND_BOX,
	    .keyed = 1, .full_names = 1 },
	{ "dots",
	    "medians from the best down, with their intervals; the default of "
	    "many cases with one number of GPUs",
	    MESSAGE_THROUGHPUT, MESSAGE_CASE, chart_fill_dots, CHART_AMOUNT,
	    .wants = "medians", .sample = LEGEND_POINT, .sideways = 1 },
	{ "heatmap",
	    "efficiency of each series and number of GPUs, as numbers and "
	    "colours; the default of more than 8 series",
	    MESSAGE_EFFICIENCY, MESSAGE_GPUS, chart_fill_grid, CHART_PERCENT,
	    .unit = "%", .wants = "efficiencies", .sample = LEGEND_POINT,
	    .sideways = 1, .is_grid = 1, .labelled = 1, .full_names = 1 },
	{ "batch", "median speed over the batch size of a device",
	    MESSAGE_THROUGHPUT, MESSAGE_BATCH_OF_DEVICE, chart_fill_batch,
	    CHART_AMOUNT, .wants = "cases of several batch sizes", .keyed = 1,
	    .over =
		SERIES_BIT(SERIES_BATCH) | SERIES_BIT(SERIES_GLOBAL_BATCH) },
	{ "phases",
	    "where the time of a mean step goes: data, compute, communication",
	    MESSAGE_STEP_TIME, MESSAGE_CASE, chart_fill_phases, CHART_FROM_ZERO,
	    .unit = "ms",
	    .wants = "phases of steps, as logs of train_imagenet have them",
	    .sample = LEGEND_BOX, .note = MESSAGE_NOTE_PHASES, .is_stack = 1,
	    .sideways = 1, .labelled = 1 },
	{ "steps",
	    "time (or speed) of each step, with the window that was measured",
	    MESSAGE_STEP_TIME, MESSAGE_STEP, chart_fill_steps, CHART_AMOUNT,
	    .wants = "records of these runs' steps", .sample = LEGEND_STROKE,
	    .note = MESSAGE_NOTE_STEPS, .keyed = 1, .of_steps = 1 },
	{ "spread", "how the steps of each run's window are spread",
	    MESSAGE_STEP_TIME, MESSAGE_RUN, chart_fill_steps, CHART_AMOUNT,
	    .wants = "records of these runs' steps", .sample = LEGEND_POINT,
	    .note = MESSAGE_NOTE_SPREAD, .keyed = 1, .of_steps = 1,
	    .sideways = 1 },
	{ "loss", "training loss over steps", MESSAGE_LOSS, MESSAGE_STEP,
	    chart_fill_steps, CHART_AMOUNT, .unit = "", .step_y = STEP_LOSS,
	    .wants = "losses of steps", .sample = LEGEND_STROKE,
	    .note = MESSAGE_NOTE_RUNNING_MEDIAN, .keyed = 1, .of_steps = 1 },
	{ "loss-time", "training loss over time", MESSAGE_LOSS, MESSAGE_TIME,
	    chart_fill_steps, CHART_AMOUNT, .unit = "", .x_unit = "s",
	    .step_y = STEP_LOSS, .over_seconds = 1,
	    .wants = "losses of steps of known time", .sample = LEGEND_STROKE,
	    .note = MESSAGE_NOTE_RUNNING_MEDIAN, .keyed = 1, .of_steps = 1 },
	{ "accuracy", "top-1 accuracy of training batches over steps",
	    MESSAGE_ACCURACY, MESSAGE_STEP, chart_fill_steps, CHART_PERCENT,
	    .unit = "%", .step_y = STEP_TOP1, .wants = "accuracies of steps",
	    .sample = LEGEND_STROKE, .note = MESSAGE_NOTE_RUNNING_MEDIAN,
	    .keyed = 1, .of_steps = 1 },
	{ "time-to-accuracy", "top-1 accuracy of training batches over time",
	    MESSAGE_ACCURACY, MESSAGE_TIME, chart_fill_steps, CHART_PERCENT,
	    .template = "accuracy", .unit = "%", .x_unit = "s",
	    .step_y = STEP_TOP1, .over_seconds = 1,
	    .wants = "accuracies of steps of known time",
	    .sample = LEGEND_STROKE, .note = MESSAGE_NOTE_RUNNING_MEDIAN,
	    .keyed = 1, .of_steps = 1 },
	{ "history",
	    "medians over time and their levels; drawn by report_results "
	    "--history=FILE plot",
	    MESSAGE_THROUGHPUT, MESSAGE_COMMIT_OR_DATE, chart_fill_history,
	    CHART_AMOUNT, .has_names = 1, .wants = "two moments of a history",
	    .sample = LEGEND_POINT, .note = MESSAGE_NOTE_LEVELS,
	    .is_history = 1 },
	{ NULL },
};

const struct chart *
chart_find(const char *name)
{
	for (const struct chart *c = charts; c->name != NULL; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}
