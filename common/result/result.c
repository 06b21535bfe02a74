#include <config.h>

#include "common/result/result.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/alloc.h"
#include "common/defaults.h"
#include "common/json/json.h"
#include "common/result/record_fields.h"
#include "common/result/work_rate.h"
#include "common/stats/stats.h"
#include "common/text.h"

void
result_init(struct result *r)
{
	memset(r, 0, sizeof *r);
	fields_init(result_fields, r);
}

void
result_run_init(struct result_run *run)
{
	memset(run, 0, sizeof *run);
	fields_init(result_run_fields, run);
}

void
result_case_init(struct result_case *c)
{
	memset(c, 0, sizeof *c);
	fields_init(result_case_fields, c);
}

void
result_case_clear_speedup(struct result_case *c)
{
	c->baseline = NULL;
	c->base = NULL;
	c->baseline_flag = 0;
	c->speedup = c->speedup_low = c->speedup_high = NAN;
	c->speedup_level = c->efficiency = NAN;
	c->flags = NULL;
	c->n_flags = 0;
}

const char *
result_pair_value(const struct result_pair *pairs, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(pairs[i].key, key) == 0)
			return pairs[i].value;
	return NULL;
}

void
result_run_flag(
    struct result_run *run, const struct remark *flag, struct arena *a)
{
	run->flags =
	    arena_longer(a, run->flags, run->n_flags, sizeof *run->flags);
	run->flags[run->n_flags++] = *flag;
}

int
result_rule_is_strong(const struct result_rule *rule)
{
	return rule->scaling != NULL && strcmp(rule->scaling, "strong") == 0;
}

double
result_confidence(const struct result_rule *rule)
{
	return isnan(rule->confidence) ? DEFAULT_CONFIDENCE : rule->confidence;
}

int
result_configuration_order(
    const struct result_case *a, const struct result_case *b)
{
	int order = text_order(a->framework, b->framework);

	if (order == 0)
		order = text_order(a->model, b->model);
	return order != 0 ? order : text_order(a->precision, b->precision);
}

static int
configuration_order_at(const void *a, const void *b)
{
	return result_configuration_order(*(const struct result_case *const *)a,
	    *(const struct result_case *const *)b);
}

int
result_cases_look_strong(const struct result_case *const *cases, size_t n)
{
	const struct result_case **sorted = xcalloc(n + 1, sizeof *sorted);
	int sizes = 0, alike = 1, found = 0, wrong = 0;

	if (n > 0)
		memcpy(sorted, cases, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, configuration_order_at);
	for (size_t i = 0; i < n; i++) {
		const struct result_case *c = sorted[i];
		const struct result_case *last = sorted[i > 0 ? i - 1 : 0];

		if (result_configuration_order(last, c) != 0) {
			sizes = 0;
			alike = 1;
			last = c;
		}
		sizes |= c->gpus != last->gpus;
		alike = alike && c->batch_size_per_device > 0 && c->gpus > 0 &&
		    c->batch_size_per_device * c->gpus ==
			last->batch_size_per_device * last->gpus;
		found |= sizes;
		wrong |= sizes && !alike;
	}
	free(sorted);
	return found && !wrong;
}

const char *
result_case_device(const struct result_case *c)
{
	for (size_t i = 0; i < c->n_runs; i++)
		if (!text_same(c->runs[i].device, c->runs[0].device))
			return NULL;
	return c->n_runs > 0 ? c->runs[0].device : NULL;
}

void
result_release(struct result *r)
{
	arena_release(&r->arena);
	result_init(r);
}

int
result_write(const struct result *r, FILE *f, struct error *e)
{
	struct json_writer j = JSON_TO_FILE(f, JSON_WRITE_PRETTY);

	json_write_begin_object(&j, NULL);
	json_write_string(&j, "schema", RESULT_SCHEMA);
	fields_write(&j, result_fields, r);
	json_write_end(&j);
	json_write_finish(&j);
	if (j.bytes <= JSON_READ_MAX_BYTES)
		return 0;
	return error_set(e, ERROR_LIMIT,
	    "the result has more than %d MiB, which no program would read: "
	    "choose runs with --select",
	    JSON_READ_MAX_BYTES >> 20);
}

/* --- reading -------------------------------------------------------------- */

int
result_parse(const char *name, const char *text, size_t len, struct result *r,
    struct error *e)
{
	const size_t stem = strcspn(RESULT_SCHEMA, "/") + 1;
	struct json_doc d;
	const struct json_value *top = &d.top;
	const char *schema;
	long version;
	int rc = 0;

	result_init(r);
	if (json_doc_parse(name, text, len, &d, e) != 0)
		return -1;
	r->file = arena_strdup(&r->arena, d.name);
	if (json_read_is_object(top, e) != 0 ||
	    json_read_require(top, "schema", e) != 0 ||
	    json_read_string(top, "schema", &r->arena, &schema, e) != 0)
		rc = -1;
	else if (strncmp(schema, RESULT_SCHEMA, stem) != 0 ||
	    parse_long(schema + stem, 1, LONG_MAX, &version) != 0)
		rc = json_read_error(top, "schema", e,
		    "'%.60s' is not '" RESULT_SCHEMA "'", schema);
	else if (version > RESULT_SCHEMA_VERSION)
		rc = json_read_error(top, "schema", e,
		    "'%.60s' is newer than '" RESULT_SCHEMA
		    "', which this version reads: upgrade dlscale",
		    schema);
	else if (fields_read(result_fields, top, r, &r->arena, e) != 0 ||
	    result_check(r, e) != 0)
		rc = -1;
	json_doc_release(&d);
	if (rc != 0)
		result_release(r);
	return rc;
}

int
result_is_file(const char *path)
{
	return json_file_begins(path, "{\"schema\":\"dlscale-result/");
}

/* --- metrics -------------------------------------------------------------- */

/* METRIC rows, whose names are shared with the option names below. */
#define ALL_METRICS(METRIC) \
	METRIC("mfu", "%", 1, MESSAGE_MFU) \
	METRIC("mfu_printed", "%", 0, MESSAGE_MFU_PRINTED) \
	METRIC("hfu_printed", "%", 0, MESSAGE_HFU_PRINTED) \
	METRIC("tflops_per_device", "TFLOP/s", 1, MESSAGE_TFLOPS_PER_DEVICE) \
	METRIC("tflops_per_device_printed", "TFLOP/s", 0, \
	    MESSAGE_TFLOPS_PER_DEVICE_PRINTED) \
	METRIC("peak_memory", "GiB", 0, MESSAGE_PEAK_MEMORY) \
	METRIC("power_per_device", "W", 0, MESSAGE_POWER_PER_DEVICE) \
	METRIC("energy_per_sample", "J", 1, MESSAGE_ENERGY_PER_SAMPLE) \
	METRIC("data_share", "%", 1, MESSAGE_DATA_SHARE) \
	METRIC("final_loss", "", 0, MESSAGE_FINAL_LOSS) \
	METRIC("final_top1", "%", 0, MESSAGE_FINAL_TOP1) \
	METRIC("final_val_loss", "", 0, MESSAGE_FINAL_VAL_LOSS) \
	METRIC("final_val_top1", "%", 0, MESSAGE_FINAL_VAL_TOP1)

#define METRIC_ROW(name, unit, of_window, title) \
	{ name, unit, of_window, title },
#define NAME(name, unit, of_window, title) name,

const struct run_metric run_metrics[] = { ALL_METRICS(METRIC_ROW){
    NULL, NULL, 0, MESSAGE_UNKNOWN } };

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

/* --- settings on which the speed depends ---------------------------------- */

const struct speed_setting speed_settings[] = {
	{ "model", "", 1 },
	{ "parameters", " n_params num_parameters model_size ", 0 },
	{ "hidden_size", " d_model n_embd embed_dim hidden_dim dim ", 0 },
	{ "layers", " n_layers num_layers n_layer num_hidden_layers ", 0 },
	{ "image_size", " crop_size input_size ", 0 },
	{ "gpus", "", 1 },
	{ "device", " gpu gpu_name accelerator ", 1 },
	{ "precision", " dtype ", 1 },
	{ "sequence_length", " seq_len seq_length max_seq_len block_size ", 0 },
	{ "batch_size_per_device",
	    " micro_batch_size per_device_train_batch_size "
	    "device_train_microbatch_size train_micro_batch_size_per_gpu ",
	    1 },
	{ "global_batch_size", " global_train_batch_size ", 0 },
	{ "activation_checkpointing",
	    " gradient_checkpointing recompute recompute_granularity ", 0 },
	{ "attention", " attn_impl attn_implementation use_flash_attn ", 0 },
	{ "compile", " torch_compile use_compile xla ", 0 },
	{ "sharding_strategy", " zero_stage fsdp ", 0 },
	{ "tensor_parallel",
	    " tensor_model_parallel_size tp tensor_parallel_degree ", 0 },
	{ "pipeline_parallel",
	    " pipeline_model_parallel_size pp pipeline_parallel_degree ", 0 },
	{ "input", " data dummy synthetic use_synthetic_data ", 0 },
	{ "nodes", "", 0 },
	{ "backend", " dist_backend ", 0 },
	{ "gradient_accumulation", " gradient_accumulation_steps grad_accum ",
	    0 },
	{ "framework", "", 1 },
	{ "framework_version", " torch_version pytorch ", 0 },
	{ "workers", " num_workers dataloader_num_workers ", 0 },
	{ "optimizer", " optim ", 0 },
	{ NULL, NULL, 0 },
};

const struct speed_setting *
speed_setting_find(const char *key)
{
	const char *dot = strrchr(key, '.');
	const char *name = dot != NULL ? dot + 1 : key, *at;
	const size_t len = strlen(name);
	const struct speed_setting *s = speed_settings;

	for (; s->key != NULL && len > 0; s++) {
		if (strcmp(s->key, name) == 0)
			return s;
		for (at = s->aliases; (at = strstr(at, name)) != NULL; at++)
			if (at[-1] == ' ' && at[len] == ' ')
				return s;
	}
	return NULL;
}

/* --- quantities ----------------------------------------------------------- */

#define QUANTITY(quantity, head, of, member, is_rate, shown) \
	[QUANTITY_##quantity] = { head, #member, \
		offsetof(struct result_run, of.member), is_rate, \
		MESSAGE_##shown }

const struct quantity_row quantity_rows[N_QUANTITIES] = {
	QUANTITY(REAL, "real", times, real_s, 0, REAL),
	QUANTITY(USER, "user", times, user_s, 0, USER),
	QUANTITY(SYS, "sys", times, sys_s, 0, SYS),
	QUANTITY(STEP, "step", phases, step_s, 0, MEAN_STEP),
	QUANTITY(DATA, "data", phases, data_s, 0, PHASE_DATA),
	QUANTITY(
	    TO_DEVICE, "to device", phases, to_device_s, 0, PHASE_TO_DEVICE),
	QUANTITY(FORWARD, "forward", phases, forward_s, 0, PHASE_FORWARD),
	QUANTITY(LOSS, "loss", phases, loss_s, 0, PHASE_LOSS),
	QUANTITY(BACKWARD, "backward", phases, backward_s, 0, PHASE_BACKWARD),
	QUANTITY(UPDATE, "update", phases, update_s, 0, PHASE_UPDATE),
	QUANTITY(BUSY, "allreduce", phases, busy_s, 0, PHASE_ALLREDUCE),
	QUANTITY(EXPOSED, "exposed", phases, exposed_s, 0, PHASE_EXPOSED),
	QUANTITY(
	    RECEIVED, "receiving", network, received_gb_per_s, 1, RECEIVING),
	QUANTITY(SENT, "sending", network, sent_gb_per_s, 1, SENDING),
};

enum quantity
quantity_find(const char *head)
{
	int q = 0;

	while (q < N_QUANTITIES && strcasecmp(quantity_rows[q].head, head) != 0)
		q++;
	return (enum quantity)q;
}

double
quantity_of_case(const struct result_case *c, enum quantity q)
{
	double *x = xcalloc(c->n_runs + 1, sizeof *x), median;

	for (size_t i = 0; i < c->n_runs; i++)
		memcpy(&x[i],
		    (const char *)&c->runs[i] + quantity_rows[q].offset,
		    sizeof *x);
	median = stats_median_known(x, c->n_runs);
	free(x);
	return median;
}

char *
quantity_bit_rate(char buf[QUANTITY_TEXT_SIZE], double gb_per_s)
{
	const double bits = 8e9 * gb_per_s;

	if (bits >= 1e9)
		snprintf(buf, QUANTITY_TEXT_SIZE, "%.2fGb/s", bits / 1e9);
	else if (bits >= 1e6)
		snprintf(buf, QUANTITY_TEXT_SIZE, "%.1fMb/s", bits / 1e6);
	else
		snprintf(buf, QUANTITY_TEXT_SIZE, "%.1fKb/s", bits / 1e3);
	return buf;
}

/* --- collectives by size -------------------------------------------------- */

/* Upper bound of a bin: 1 KiB, 1 MiB, 10 MiB, then steps of 10 and of 50 MiB;
 * INFINITY for the last one. */
static double
size_bin_end(int bin)
{
	if (bin < 2)
		return bin == 0 ? 1024 : MIB;
	if (bin <= 11)
		return 10 * MIB * (bin - 1);
	return bin < SIZE_BINS - 1 ? MIB * (100 + 50 * (bin - 11)) : INFINITY;
}

int
size_bin(double bytes)
{
	int bin = 0;

	while (bytes > size_bin_end(bin))
		bin++;
	return bin;
}

void
size_bin_label(int bin, const char *comma, char label[SIZE_LABEL_SIZE])
{
	const double from = bin > 0 ? size_bin_end(bin - 1) / MIB : 0;
	const double to = size_bin_end(bin) / MIB;

	if (bin < 2)
		snprintf(label, SIZE_LABEL_SIZE,
		    bin == 0 ? "(0%s1KB]" : "(1KB%s1MB]", comma);
	else if (isfinite(to))
		snprintf(label, SIZE_LABEL_SIZE, "(%.0fMB%s%.0fMB]", from,
		    comma, to);
	else
		snprintf(label, SIZE_LABEL_SIZE, ">%.0fMB", from);
}

int
collective_is_by_size(const struct result_collective *x)
{
	return text_same(x->kind, "by-size");
}

size_t
collective_groups_by_size(const struct result_case *c,
    struct collective_bin bins[SIZE_BINS], size_t *n_runs)
{
	double seconds = 0;
	size_t n = 0;

	*n_runs = 0;
	memset(bins, 0, SIZE_BINS * sizeof *bins);
	for (size_t i = 0; i < c->n_runs; i++) {
		const struct result_run *run = &c->runs[i];
		int by_size = 0, any = 0;

		for (size_t k = 0; k < run->n_collectives; k++)
			by_size |= collective_is_by_size(&run->collectives[k]);
		for (size_t k = 0; k < run->n_collectives; k++) {
			const struct result_collective *x =
			    &run->collectives[k];
			struct collective_bin *b = &bins[size_bin(x->bytes)];
			const double count = (double)x->count;

			if (x->count == RESULT_UNKNOWN || isnan(x->time_s) ||
			    collective_is_by_size(x) != by_size)
				continue;
			any = 1;
			b->count += count;
			b->bytes += count * x->bytes;
			b->seconds += count * x->time_s;
			b->bus += count * x->time_s * x->bus_gb_per_s;
		}
		*n_runs += (size_t)any;
	}
	for (int i = 0; i < SIZE_BINS; i++) {
		const struct collective_bin b = bins[i];
		const double runs = (double)*n_runs;

		if (!(b.count > 0))
			continue;
		bins[n++] = (struct collective_bin){ .bin = i,
			.count = b.count / runs,
			.bytes = b.bytes / runs,
			.seconds = b.seconds / runs,
			.bus = b.bus / b.seconds }; /* bytes per link / time */
		seconds += b.seconds / runs;
	}
	for (size_t i = 0; i < n; i++)
		bins[i].share = seconds > 0 ? bins[i].seconds / seconds : 0;
	return n;
}

/* --- predictions ---------------------------------------------------------- */

#define PREDICTION_SCHEMA "dlscale-prediction/"
#define PREDICTION_VERSION PREDICTION_SCHEMA "1"

int
predictions_is(const char *path)
{
	return json_file_begins(path, "{\"schema\":\"" PREDICTION_SCHEMA);
}

static const struct field interval_fields[] = {
	{ DOUBLE(prediction_interval, level, SHARE) },
	{ DOUBLE(prediction_interval, low, POSITIVE) },
	{ DOUBLE(prediction_interval, high, POSITIVE) },
	{ .kind = FIELD_END },
};

static const struct field case_fields[] = {
	{ ROW(FIELD_STRING, "case", prediction_case, name), .required = 1 },
	{ ROW(FIELD_STRING, "model", prediction_case, how) },
	{ LONG(prediction_case, gpus, NOT_NEGATIVE) },
	{ DOUBLE(prediction_case, speed, POSITIVE), .required = 1 },
	{ DOUBLE(prediction_case, speedup, POSITIVE) },
	{ DOUBLE(prediction_case, efficiency, POSITIVE) },
	{ BOOL(prediction_case, measured) },
	{ BOOL(prediction_case, forced) },
	{ RECORDS(prediction_case, intervals, interval_fields) },
	{ ARRAY(FIELD_STRING, "warnings", prediction_case, words) },
	{ .kind = FIELD_END },
};

static const struct field series_fields[] = {
	{ PAIRS(prediction_series, configuration) },
	{ STRING(prediction_series, title) },
	{ STRING(prediction_series, unit) },
	{ STRINGS(prediction_series, notes) },
	{ RECORDS(prediction_series, cases, case_fields) },
	{ .kind = FIELD_END },
};

static const struct field document_fields[] = {
	{ ROW(FIELD_RECORD, "series", predictions, items), .required = 1,
	    .count = offsetof(struct predictions, n), .fields = series_fields,
	    .size = sizeof(struct prediction_series) },
	{ .kind = FIELD_END },
};

int
predictions_read(struct predictions *p, const char *path, struct error *e)
{
	struct predictions more = { .n = 0 };
	struct json_doc d;
	const char *schema;
	int rc;

	if (json_doc_read(path, &d, e) != 0)
		return -1;
	rc = json_read_string(&d.top, "schema", &p->arena, &schema, e);
	if (rc == 0 && !text_same(schema, PREDICTION_VERSION))
		rc = json_read_error(&d.top, "schema", e,
		    "only '%s' can be read", PREDICTION_VERSION);
	if (rc == 0)
		rc = fields_read(document_fields, &d.top, &more, &p->arena, e);
	json_doc_release(&d);
	for (size_t i = 0; rc == 0 && i < more.n; i++) {
		struct prediction_series *s = &more.items[i];

		s->path = arena_strdup(&p->arena, path);
		for (size_t k = 0; k < s->n_cases; k++) {
			struct prediction_case *c = &s->cases[k];

			c->first = c->n_intervals > 0
			    ? c->intervals[0]
			    : (struct prediction_interval){ NAN, NAN, NAN };
			c->warnings = "";
			for (size_t w = 0; w < c->n_words; w++)
				c->warnings = arena_join(
				    &p->arena, c->warnings, "; ", c->words[w]);
		}
		p->items =
		    arena_grow(&p->arena, p->items, p->n, sizeof *p->items);
		p->items[p->n++] = *s;
	}
	return rc;
}
