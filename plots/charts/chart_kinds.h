/* The kinds of charts, each in a file of its own or of its family. */
#ifndef PLOTS_CHARTS_CHART_KINDS_H
#define PLOTS_CHARTS_CHART_KINDS_H

#include "plots/charts/chart.h"

extern const struct chart chart_speedup, chart_throughput, chart_efficiency,
    chart_bandwidth, chart_collectives, chart_compare, chart_bars, chart_batch,
    chart_phases, chart_steps, chart_spread, chart_loss, chart_loss_time,
    chart_accuracy, chart_history;

#endif
