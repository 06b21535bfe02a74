#include <config.h>

#include "common/result/record_fields.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "common/result/result.h"

#define ROW(field_kind_, key_, record, member) \
	.kind = (field_kind_), .key = (key_), \
	.offset = offsetof(struct record, member)
#define COUNT(record, member) .count = offsetof(struct record, member)

static const struct field tool_fields[] = {
	{ ROW(FIELD_STRING, "name", result, tool_name) },
	{ ROW(FIELD_STRING, "version", result, tool_version) },
	{ .kind = FIELD_END },
};

static const struct field rule_fields[] = {
	{ ROW(FIELD_STRING, "rule", result_rule, rule) },
	{ ROW(FIELD_LONG, "skip_iterations", result_rule, skip_iterations),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_LONG, "warmup_batches", result_rule, warmup_batches),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_LONG, "train_batches", result_rule, train_batches),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_LONG, "from_iteration", result_rule, from_iteration),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_STRING, "epoch", result_rule, epoch) },
	{ ROW(FIELD_STRING, "aggregate", result_rule, aggregate) },
	{ ROW(FIELD_STRING, "metric", result_rule, metric) },
	{ ROW(FIELD_STRING, "scaling", result_rule, scaling) },
	{ ROW(FIELD_STRING, "baseline", result_rule, baseline) },
	{ ROW(FIELD_DOUBLE, "confidence", result_rule, confidence),
	    .range = RANGE_OPEN_SHARE },
	{ ROW(FIELD_REST, NULL, result_rule, more),
	    COUNT(result_rule, n_more) },
	{ .kind = FIELD_END },
};

const struct field result_input_fields[] = {
	{ ROW(FIELD_STRING, "path", result_input, path), .required = 1 },
	{ ROW(FIELD_LONG, "bytes", result_input, bytes),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_STRING, "hash", result_input, hash) },
	{ ROW(FIELD_STRING, "format", result_input, format) },
	{ ROW(FIELD_BOOL, "used", result_input, used) },
	{ .kind = FIELD_END },
};

static const struct field audit_fields[] = {
	{ ROW(FIELD_LONG, "settled_at", result_audit, settled_at),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "drift", result_audit, drift) },
	{ ROW(FIELD_DOUBLE, "stall_share", result_audit, stall_share),
	    .range = RANGE_SHARE },
	{ ROW(FIELD_DOUBLE, "imbalance", result_audit, imbalance),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "p5", result_audit, p5),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "p50", result_audit, p50),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "p95", result_audit, p95),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "max", result_audit, max),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "cv", result_audit, cv),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "half_width", result_audit, half_width),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "window_off", result_audit, window_off) },
	{ .kind = FIELD_END },
};

static const struct field collective_fields[] = {
	{ ROW(FIELD_STRING, "collective", result_collective, collective) },
	{ ROW(FIELD_STRING, "kind", result_collective, kind) },
	{ ROW(FIELD_DOUBLE, "bytes", result_collective, bytes),
	    .range = RANGE_NOT_NEGATIVE, .required = 1 },
	{ ROW(FIELD_LONG, "count", result_collective, count),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_DOUBLE, "time_s", result_collective, time_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "algorithm_gb_per_s", result_collective,
	      algorithm_gb_per_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "bus_gb_per_s", result_collective, bus_gb_per_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_LONG, "line", result_collective, line),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "test", result_collective, test),
	    .range = RANGE_POSITIVE },
	{ .kind = FIELD_END },
};

static const struct field rounding_fields[] = {
	{ ROW(FIELD_DOUBLE, "low", result_rounding, low),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_DOUBLE, "high", result_rounding, high),
	    .range = RANGE_POSITIVE },
	{ .kind = FIELD_END },
};

static const struct field phases_fields[] = {
	{ ROW(FIELD_DOUBLE, "step_s", result_phases, step_s),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_DOUBLE, "data_s", result_phases, data_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "busy_s", result_phases, busy_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "exposed_s", result_phases, exposed_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "bytes_per_step", result_phases, bytes_per_step),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "allreduces", result_phases, allreduces),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "to_device_s", result_phases, to_device_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "forward_s", result_phases, forward_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "loss_s", result_phases, loss_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "backward_s", result_phases, backward_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "update_s", result_phases, update_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ .kind = FIELD_END },
};

static const struct field times_fields[] = {
	{ ROW(FIELD_DOUBLE, "real_s", result_times, real_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "user_s", result_times, user_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "sys_s", result_times, sys_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ .kind = FIELD_END },
};

static const struct field network_fields[] = {
	{ ROW(FIELD_DOUBLE, "received_gb_per_s", result_network,
	      received_gb_per_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "sent_gb_per_s", result_network, sent_gb_per_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ .kind = FIELD_END },
};

static const struct field bucket_fields[] = {
	{ ROW(FIELD_DOUBLE, "bytes", result_bucket, bytes),
	    .range = RANGE_NOT_NEGATIVE, .required = 1 },
	{ ROW(FIELD_DOUBLE, "ready_s", result_bucket, ready_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "start_s", result_bucket, start_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_DOUBLE, "duration_s", result_bucket, duration_s),
	    .range = RANGE_NOT_NEGATIVE },
	{ .kind = FIELD_END },
};

static const struct field metric_fields[] = {
	{ ROW(FIELD_STRING, "name", result_metric, name), .required = 1 },
	{ ROW(FIELD_DOUBLE, "figure", result_metric, value), .required = 1 },
	{ ROW(FIELD_STRING, "unit", result_metric, unit) },
	{ ROW(FIELD_STRING, "source", result_metric, source) },
	{ .kind = FIELD_END },
};

const struct field result_run_fields[] = {
	{ ROW(FIELD_STRING, "run", result_run, run) },
	{ ROW(FIELD_STRING, "path", result_run, path), .required = 1 },
	{ ROW(FIELD_DOUBLE, "samples_per_s", result_run, samples_per_s),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_DOUBLE, "value", result_run, value),
	    .range = RANGE_POSITIVE, .required = 1 },
	{ ROW(FIELD_DOUBLE, "step_s", result_run, step_s),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "iterations", result_run, iterations),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_LONG, "first_iteration", result_run, first_iteration),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_LONG, "last_iteration", result_run, last_iteration),
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_LONG, "first_line", result_run, first_line),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "last_line", result_run, last_line),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "ranks_seen", result_run, ranks_seen),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_REMARKS, "flags", result_run, flags),
	    COUNT(result_run, n_flags) },
	{ ROW(FIELD_RECORD, "rounding", result_run, rounding),
	    .fields = rounding_fields, .omit_empty = 1 },
	{ ROW(FIELD_RECORD, "audit", result_run, audit),
	    .fields = audit_fields },
	{ ROW(FIELD_PAIRS, "sources", result_run, sources),
	    COUNT(result_run, n_sources) },
	{ ROW(
	    FIELD_STRING, "framework_version", result_run, framework_version) },
	{ ROW(FIELD_STRING, "device", result_run, device) },
	{ ROW(FIELD_RECORDS, "collectives", result_run, collectives),
	    COUNT(result_run, n_collectives), .fields = collective_fields,
	    .size = sizeof(struct result_collective), .omit_empty = 1 },
	{ ROW(FIELD_RECORD, "phases", result_run, phases),
	    .fields = phases_fields, .omit_empty = 1 },
	{ ROW(FIELD_RECORDS, "buckets", result_run, buckets),
	    COUNT(result_run, n_buckets), .fields = bucket_fields,
	    .size = sizeof(struct result_bucket), .omit_empty = 1 },
	{ ROW(FIELD_RECORDS, "metrics", result_run, metrics),
	    COUNT(result_run, n_metrics), .fields = metric_fields,
	    .size = sizeof(struct result_metric), .omit_empty = 1 },
	{ ROW(FIELD_RECORD, "times", result_run, times), .fields = times_fields,
	    .omit_empty = 1 },
	{ ROW(FIELD_RECORD, "network", result_run, network),
	    .fields = network_fields, .omit_empty = 1 },
	{ .kind = FIELD_END },
};

const struct field result_case_fields[] = {
	{ ROW(FIELD_STRING, "case", result_case, name), .required = 1 },
	{ ROW(FIELD_STRING, "framework", result_case, framework) },
	{ ROW(FIELD_STRING, "model", result_case, model) },
	{ ROW(FIELD_STRING, "precision", result_case, precision) },
	{ ROW(FIELD_LONG, "batch_size_per_device", result_case,
	      batch_size_per_device),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "nodes", result_case, nodes),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "gpus_per_node", result_case, gpus_per_node),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "gpus", result_case, gpus), .range = RANGE_POSITIVE },
	{ ROW(FIELD_PAIRS, "labels", result_case, labels),
	    COUNT(result_case, n_labels) },
	{ ROW(FIELD_STRING, "rule", result_case, rule) },
	{ ROW(FIELD_STRING, "unit", result_case, unit), .required = 1 },
	{ ROW(FIELD_STRING, "work_unit", result_case, work_unit),
	    .omit_empty = 1 },
	{ ROW(FIELD_LONG, "n", result_case, n), .range = RANGE_POSITIVE,
	    .required = 1 },
	{ ROW(FIELD_DOUBLE, "median_speed", result_case, median_speed),
	    .range = RANGE_POSITIVE, .required = 1 },
	{ ROW(FIELD_DOUBLE, "average_speed", result_case, average_speed),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_DOUBLE, "harmonic_speed", result_case, harmonic_speed),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_DOUBLE, "olympic_speed", result_case, olympic_speed),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_DOUBLE, "median_low", result_case, median_low),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_DOUBLE, "median_high", result_case, median_high),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_DOUBLE, "median_level", result_case, median_level),
	    .range = RANGE_SHARE },
	{ ROW(FIELD_STRING, "baseline", result_case, baseline) },
	{ ROW(FIELD_BOOL, "baseline_flag", result_case, baseline_flag) },
	{ ROW(FIELD_DOUBLE, "speedup", result_case, speedup),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_DOUBLE, "speedup_low", result_case, speedup_low),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_DOUBLE, "speedup_high", result_case, speedup_high),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_DOUBLE, "speedup_level", result_case, speedup_level),
	    .range = RANGE_SHARE },
	{ ROW(FIELD_DOUBLE, "efficiency", result_case, efficiency),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_RECORDS, "runs", result_case, runs),
	    COUNT(result_case, n_runs), .fields = result_run_fields,
	    .size = sizeof(struct result_run) },
	{ .kind = FIELD_END },
};

static const struct field failed_fields[] = {
	{ ROW(FIELD_LONG, "line", result_failed, line),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_STRING, "case", result_failed, name) },
	{ ROW(FIELD_STRING, "framework", result_failed, framework) },
	{ ROW(FIELD_STRING, "model", result_failed, model) },
	{ ROW(FIELD_STRING, "precision", result_failed, precision) },
	{ ROW(FIELD_LONG, "batch_size_per_device", result_failed,
	      batch_size_per_device),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "nodes", result_failed, nodes),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "gpus_per_node", result_failed, gpus_per_node),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "gpus", result_failed, gpus),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_PAIRS, "labels", result_failed, labels),
	    COUNT(result_failed, n_labels) },
	{ .kind = FIELD_END },
};

const struct field result_excluded_fields[] = {
	{ ROW(FIELD_STRING, "path", result_excluded, path), .required = 1 },
	{ ROW(FIELD_STRING, "reason", result_excluded, reason), .required = 1 },
	{ ROW(FIELD_REMARK, "why", result_excluded, why), .required = 1,
	    .older = "message" },
	{ ROW(FIELD_REMARK, "hint", result_excluded, hint), .omit_empty = 1 },
	{ ROW(FIELD_RECORD, "failed", result_excluded, failed),
	    .fields = failed_fields, .omit_empty = 1 },
	{ .kind = FIELD_END },
};

/* "schema" is before them. */
const struct field result_fields[] = {
	{ .kind = FIELD_RECORD,
	    .key = "tool",
	    .offset = 0,
	    .fields = tool_fields },
	{ ROW(FIELD_RECORD, "rule", result, rule), .fields = rule_fields },
	{ ROW(FIELD_RECORDS, "inputs", result, inputs), COUNT(result, n_inputs),
	    .fields = result_input_fields,
	    .size = sizeof(struct result_input) },
	{ ROW(FIELD_RECORDS, "cases", result, cases), COUNT(result, n_cases),
	    .required = 1, .fields = result_case_fields,
	    .size = sizeof(struct result_case) },
	{ ROW(FIELD_RECORDS, "excluded", result, excluded),
	    COUNT(result, n_excluded), .fields = result_excluded_fields,
	    .size = sizeof(struct result_excluded) },
	{ .kind = FIELD_END },
};
