/* The names of the figures next to the throughput, the one place that lists
 * them.  extract_logs fills them in (extract/measure/run_metrics.c); options,
 * axes and heads of all programs take name and unit from here, titles from
 * common/series/metric_choice.h. */
#include <config.h>

#include "common/result/run_metric.h"

#include <string.h>

/* Name and unit as METRIC rows, so that the names of the options below cannot
 * differ. */
#define ALL_METRICS(METRIC) \
	METRIC("mfu", "%", 1) \
	METRIC("mfu_printed", "%", 0) \
	METRIC("hfu_printed", "%", 0) \
	METRIC("tflops_per_device", "TFLOP/s", 1) \
	METRIC("tflops_per_device_printed", "TFLOP/s", 0) \
	METRIC("peak_memory", "GiB", 0) \
	METRIC("power_per_device", "W", 0) \
	METRIC("energy_per_sample", "J", 1) \
	METRIC("data_share", "%", 1) \
	METRIC("final_loss", "", 0) \
	METRIC("final_top1", "%", 0) \
	METRIC("final_val_loss", "", 0) \
	METRIC("final_val_top1", "%", 0)

#define ROW(name, unit, of_window) { name, unit, of_window },
#define NAME(name, unit, of_window) name,

const struct run_metric run_metrics[] = { ALL_METRICS(ROW){ NULL, NULL, 0 } };

const char *const run_metric_choices[] = { "throughput", "step-time",
	"time-to-train", ALL_METRICS(NAME) NULL };

const struct run_metric *
run_metric_find(const char *name)
{
	for (const struct run_metric *m = run_metrics;
	     name != NULL && m->name != NULL; m++)
		if (strcmp(m->name, name) == 0)
			return m;
	return NULL;
}

const struct result_metric *
run_metric_of(const struct result_run *run, const char *name)
{
	for (size_t i = 0; i < run->n_metrics; i++)
		if (strcmp(run->metrics[i].name, name) == 0)
			return &run->metrics[i];
	return NULL;
}
