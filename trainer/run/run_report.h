/* Log lines beyond those of PyTorch's example. Each is "dlscale: KIND" and
 * key=value pairs without blanks, and contains none of the words that parsers
 * of the example's logs look for.
 *
 *	dlscale: config model=resnet50 device=cpu ...
 *	dlscale: phases epoch=0 steps=50 ...
 *	dlscale: device epoch=0 ...
 *	dlscale: reductions epoch=0 ...
 *	dlscale: network epoch=0 ...
 *	dlscale: summary images_per_s=...
 *	dlscale: input bottleneck=device ...
 *	dlscale: run_phases steps=120 ...
 *	dlscale: run_bucket bucket=0 ...
 *	dlscale: run_network receive_mbit_per_s=...
 *	dlscale: run_times real_s=...
 *	dlscale: weights rank=0 xxh3=...
 *
 * They go to t->tags, except the weights, which every rank prints. Functions
 * return 0, or -1 with the error of logger_flush().
 */
#ifndef TRAINER_RUN_RUN_REPORT_H
#define TRAINER_RUN_RUN_REPORT_H

#include <stdint.h>

#include "trainer/run/train.h"

/* Sums over the steps of an epoch. */
struct epoch_totals {
	long steps;
	struct phases phases;
	struct reducer_stats reductions; /* all but n: sums */
	struct net_counters traffic[2];  /* before and after the epoch */
	struct device_times device;      /* measured by its events */
};

/* Add the configuration to a line; equal on all ranks. */
void run_report_config(const struct train *t, struct strbuf *sb);

/* Print the device's plan (--verbose), each line after "dlscale: plan". */
int run_report_plan(struct train *t, struct error *e);

enum { RUN_REPORT_CALLS_MAX = 1 << 20 }; /* bytes */

/* Time the device's calls (--profile). The network must not be used afterwards.
 * ERROR_USAGE: the device does not support it. */
int run_report_calls(struct train *t, struct error *e);

/* --phases */
int run_report_epoch(
    struct train *t, int epoch, const struct epoch_totals *s, struct error *e);

/* Report the collectives of a finished step, for --comm-trace and in the file
 * of --timeline. */
int run_report_collectives(struct train *t, struct error *e);

/* Report all collectives of the run by size; nothing with the fake clock. */
int run_report_sizes(struct train *t, struct error *e);

/* Report whether images or the device are the bottleneck, by t->wait_share;
 * nothing with the fake clock. */
int run_report_input(struct train *t, struct error *e);

enum { RUN_REPORT_MEANS_MAX = 1 << 22 }; /* bytes */

/* Report means over the steps that the summary counts, and the time of the
 * processes; nothing with the fake clock. */
int run_report_means(struct train *t, struct error *e);

/* Report the throughput of the run. The first RUN_MEANS_SKIP steps are excluded
 * if there are more than twice as many. */
int run_report_summary(struct train *t, struct error *e);

/* Compute the checksum of all parameters, XXH3 over their bytes in PyTorch's
 * order as fp32 (fp64 if the device computes in fp64), and their Euclidean
 * norm. */
int train_checksum(
    struct train *t, uint64_t *sum, double *norm, struct error *e);

/* Print the checksum. */
int run_report_weights(struct train *t, struct error *e);

#endif
