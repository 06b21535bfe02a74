#include <config.h>

#include "common/result/record_fields.h"

#include "common/result/result.h"

static const struct field tool_fields[] = {
	{ ROW(FIELD_STRING, "name", result, tool_name) },
	{ ROW(FIELD_STRING, "version", result, tool_version) },
	{ .kind = FIELD_END },
};

const struct field result_rule_fields[] = {
	{ STRING(result_rule, rule) },
	{ LONG(result_rule, skip_iterations, NOT_NEGATIVE) },
	{ LONG(result_rule, warmup_batches, NOT_NEGATIVE) },
	{ LONG(result_rule, train_batches, NOT_NEGATIVE) },
	{ LONG(result_rule, from_iteration, NOT_NEGATIVE) },
	{ STRING(result_rule, epoch) },
	{ STRING(result_rule, aggregate) },
	{ STRING(result_rule, metric) },
	{ STRING(result_rule, protocol), .omit_empty = 1 },
	{ STRING(result_rule, scaling) },
	{ STRING(result_rule, baseline) },
	{ DOUBLE(result_rule, confidence, OPEN_SHARE) },
	{ ROW(FIELD_REST, NULL, result_rule, more),
	    COUNT(result_rule, n_more) },
	{ .kind = FIELD_END },
};

const struct field result_input_fields[] = {
	{ STRING(result_input, path), .required = 1 },
	{ LONG(result_input, bytes, NOT_NEGATIVE) },
	{ STRING(result_input, hash) },
	{ STRING(result_input, format) },
	{ BOOL(result_input, used) },
	{ .kind = FIELD_END },
};

static const struct field audit_fields[] = {
	{ LONG(result_audit, settled_at, NOT_NEGATIVE) },
	{ DOUBLE(result_audit, drift, ANY) },
	{ DOUBLE(result_audit, stall_share, SHARE) },
	{ DOUBLE(result_audit, imbalance, NOT_NEGATIVE) },
	{ DOUBLE(result_audit, p5, NOT_NEGATIVE) },
	{ DOUBLE(result_audit, p50, NOT_NEGATIVE) },
	{ DOUBLE(result_audit, p95, NOT_NEGATIVE) },
	{ DOUBLE(result_audit, max, NOT_NEGATIVE) },
	{ DOUBLE(result_audit, cv, NOT_NEGATIVE) },
	{ DOUBLE(result_audit, half_width, NOT_NEGATIVE) },
	{ DOUBLE(result_audit, window_off, ANY) },
	{ .kind = FIELD_END },
};

static const struct field iterations_fields[] = {
	{ DOUBLE(result_iterations, fastest_s, POSITIVE) },
	{ DOUBLE(result_iterations, p99_s, POSITIVE) },
	{ DOUBLE(result_iterations, slowest_s, POSITIVE) },
	{ LONG(result_iterations, slowest_process, NOT_NEGATIVE) },
	{ DOUBLE(result_iterations, slowest_ratio, POSITIVE) },
	{ .kind = FIELD_END },
};

const struct field result_collective_fields[] = {
	{ STRING(result_collective, collective) },
	{ STRING(result_collective, kind) },
	{ DOUBLE(result_collective, bytes, NOT_NEGATIVE), .required = 1 },
	{ LONG(result_collective, count, POSITIVE) },
	{ DOUBLE(result_collective, time_s, NOT_NEGATIVE) },
	{ DOUBLE(result_collective, algorithm_gb_per_s, NOT_NEGATIVE) },
	{ DOUBLE(result_collective, bus_gb_per_s, NOT_NEGATIVE) },
	{ LONG(result_collective, line, POSITIVE) },
	{ LONG(result_collective, test, POSITIVE) },
	{ RECORD(result_collective, iterations, iterations_fields),
	    .omit_empty = 1 },
	{ .kind = FIELD_END },
};

static const struct field rounding_fields[] = {
	{ DOUBLE(result_rounding, low, POSITIVE) },
	{ DOUBLE(result_rounding, high, POSITIVE) },
	{ .kind = FIELD_END },
};

static const struct field phases_fields[] = {
	{ DOUBLE(result_phases, step_s, POSITIVE) },
	{ DOUBLE(result_phases, data_s, NOT_NEGATIVE) },
	{ DOUBLE(result_phases, busy_s, NOT_NEGATIVE) },
	{ DOUBLE(result_phases, exposed_s, NOT_NEGATIVE) },
	{ DOUBLE(result_phases, bytes_per_step, NOT_NEGATIVE) },
	{ DOUBLE(result_phases, allreduces, NOT_NEGATIVE) },
	{ DOUBLE(result_phases, to_device_s, NOT_NEGATIVE) },
	{ DOUBLE(result_phases, forward_s, NOT_NEGATIVE) },
	{ DOUBLE(result_phases, loss_s, NOT_NEGATIVE) },
	{ DOUBLE(result_phases, backward_s, NOT_NEGATIVE) },
	{ DOUBLE(result_phases, update_s, NOT_NEGATIVE) },
	{ .kind = FIELD_END },
};

static const struct field times_fields[] = {
	{ DOUBLE(result_times, real_s, NOT_NEGATIVE) },
	{ DOUBLE(result_times, user_s, NOT_NEGATIVE) },
	{ DOUBLE(result_times, sys_s, NOT_NEGATIVE) },
	{ .kind = FIELD_END },
};

static const struct field network_fields[] = {
	{ DOUBLE(result_network, received_gb_per_s, NOT_NEGATIVE) },
	{ DOUBLE(result_network, sent_gb_per_s, NOT_NEGATIVE) },
	{ .kind = FIELD_END },
};

static const struct field session_fields[] = {
	{ STRING(result_session, started) },
	{ STRING(result_session, ended) },
	{ STRING(result_session, host) },
	{ STRING(result_session, job) },
	{ .kind = FIELD_END },
};

static const struct field bucket_fields[] = {
	{ DOUBLE(result_bucket, bytes, NOT_NEGATIVE), .required = 1 },
	{ DOUBLE(result_bucket, ready_s, NOT_NEGATIVE) },
	{ DOUBLE(result_bucket, start_s, NOT_NEGATIVE) },
	{ DOUBLE(result_bucket, duration_s, NOT_NEGATIVE) },
	{ .kind = FIELD_END },
};

static const struct field metric_fields[] = {
	{ STRING(result_metric, name), .required = 1 },
	{ ROW(FIELD_DOUBLE, "figure", result_metric, value), .required = 1 },
	{ STRING(result_metric, unit) },
	{ STRING(result_metric, source) },
	{ .kind = FIELD_END },
};

const struct field result_run_fields[] = {
	{ STRING(result_run, run) },
	{ STRING(result_run, path), .required = 1 },
	{ DOUBLE(result_run, samples_per_s, POSITIVE) },
	{ DOUBLE(result_run, value, POSITIVE), .required = 1 },
	{ DOUBLE(result_run, step_s, POSITIVE) },
	{ LONG(result_run, iterations, NOT_NEGATIVE) },
	{ LONG(result_run, first_iteration, NOT_NEGATIVE) },
	{ LONG(result_run, last_iteration, NOT_NEGATIVE) },
	{ LONG(result_run, first_line, POSITIVE) },
	{ LONG(result_run, last_line, POSITIVE) },
	{ LONG(result_run, ranks_seen, POSITIVE) },
	{ ROW(FIELD_REMARKS, "flags", result_run, flags),
	    COUNT(result_run, n_flags) },
	{ RECORD(result_run, rounding, rounding_fields), .omit_empty = 1 },
	{ RECORD(result_run, audit, audit_fields) },
	{ PAIRS(result_run, sources) },
	{ STRING(result_run, framework_version) },
	{ STRING(result_run, device) },
	{ PAIRS(result_run, settings), .omit_empty = 1 },
	{ RECORDS(result_run, collectives, result_collective_fields),
	    .omit_empty = 1 },
	{ RECORD(result_run, phases, phases_fields), .omit_empty = 1 },
	{ RECORDS(result_run, buckets, bucket_fields), .omit_empty = 1 },
	{ RECORDS(result_run, metrics, metric_fields), .omit_empty = 1 },
	{ RECORD(result_run, times, times_fields), .omit_empty = 1 },
	{ RECORD(result_run, network, network_fields), .omit_empty = 1 },
	{ RECORD(result_run, session, session_fields), .omit_empty = 1 },
	{ .kind = FIELD_END },
};

const struct field result_case_fields[] = {
	{ ROW(FIELD_STRING, "case", result_case, name), .required = 1 },
	{ STRING(result_case, framework) },
	{ STRING(result_case, model) },
	{ STRING(result_case, precision) },
	{ LONG(result_case, batch_size_per_device, POSITIVE) },
	{ LONG(result_case, nodes, POSITIVE) },
	{ LONG(result_case, gpus_per_node, POSITIVE) },
	{ LONG(result_case, gpus, POSITIVE) },
	{ PAIRS(result_case, labels) },
	{ STRING(result_case, rule) },
	{ STRING(result_case, unit), .required = 1 },
	{ STRING(result_case, work_unit), .omit_empty = 1 },
	{ LONG(result_case, n, POSITIVE), .required = 1 },
	{ STRING(result_case, score), .omit_empty = 1 },
	{ DOUBLE(result_case, median_speed, POSITIVE), .required = 1 },
	{ DOUBLE(result_case, average_speed, POSITIVE) },
	{ DOUBLE(result_case, harmonic_speed, POSITIVE) },
	{ DOUBLE(result_case, olympic_speed, POSITIVE) },
	{ DOUBLE(result_case, median_low, POSITIVE) },
	{ DOUBLE(result_case, median_high, POSITIVE) },
	{ DOUBLE(result_case, median_level, SHARE) },
	{ STRING(result_case, baseline) },
	{ BOOL(result_case, baseline_flag) },
	{ DOUBLE(result_case, speedup, POSITIVE) },
	{ DOUBLE(result_case, speedup_low, POSITIVE) },
	{ DOUBLE(result_case, speedup_high, POSITIVE) },
	{ DOUBLE(result_case, speedup_level, SHARE) },
	{ DOUBLE(result_case, efficiency, POSITIVE) },
	{ ROW(FIELD_REMARKS, "flags", result_case, flags),
	    COUNT(result_case, n_flags), .omit_empty = 1 },
	{ RECORDS(result_case, runs, result_run_fields) },
	{ .kind = FIELD_END },
};

static const struct field failed_fields[] = {
	{ LONG(result_failed, line, POSITIVE) },
	{ ROW(FIELD_STRING, "case", result_failed, name) },
	{ STRING(result_failed, framework) },
	{ STRING(result_failed, model) },
	{ STRING(result_failed, precision) },
	{ LONG(result_failed, batch_size_per_device, POSITIVE) },
	{ LONG(result_failed, nodes, POSITIVE) },
	{ LONG(result_failed, gpus_per_node, POSITIVE) },
	{ LONG(result_failed, gpus, POSITIVE) },
	{ PAIRS(result_failed, labels) },
	{ .kind = FIELD_END },
};

const struct field result_excluded_fields[] = {
	{ STRING(result_excluded, path), .required = 1 },
	{ STRING(result_excluded, reason), .required = 1 },
	{ ROW(FIELD_REMARK, "why", result_excluded, why), .required = 1,
	    .older = "message" },
	{ ROW(FIELD_REMARK, "hint", result_excluded, hint), .omit_empty = 1 },
	{ RECORD(result_excluded, failed, failed_fields), .omit_empty = 1 },
	{ .kind = FIELD_END },
};

/* "schema" precedes them. */
const struct field result_fields[] = {
	{ .kind = FIELD_RECORD,
	    .key = "tool",
	    .offset = 0,
	    .fields = tool_fields },
	{ RECORD(result, rule, result_rule_fields) },
	{ RECORDS(result, inputs, result_input_fields) },
	{ RECORDS(result, cases, result_case_fields), .required = 1 },
	{ RECORDS(result, excluded, result_excluded_fields) },
	{ .kind = FIELD_END },
};
