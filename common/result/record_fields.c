#include <config.h>

#include "common/result/record_fields.h"

#include <math.h>
#include <string.h>

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
	{ ARRAY(FIELD_REST, NULL, result_rule, more) },
	{ .kind = FIELD_END },
};

static const struct field input_fields[] = {
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
	{ REMARKS(result_run, flags) },
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
	{ REMARKS(result_case, flags), .omit_empty = 1 },
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

static const struct field excluded_fields[] = {
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
	{ .kind = FIELD_RECORD, .key = "tool", .fields = tool_fields },
	{ RECORD(result, rule, result_rule_fields) },
	{ RECORDS(result, inputs, input_fields) },
	{ RECORDS(result, cases, result_case_fields), .required = 1 },
	{ RECORDS(result, excluded, excluded_fields) },
	{ .kind = FIELD_END },
};

enum { MAX_FLAGS_TEXT = 1 << 20 };

/* --- remarks -------------------------------------------------------------- */

static const struct field place_fields[] = {
	{ ROW(FIELD_STRING, "file", remark_arg, text), .required = 1 },
	{ ROW(FIELD_DOUBLE, "line", remark_arg, number),
	    .range = RANGE_NOT_NEGATIVE },
	{ .kind = FIELD_END },
};

/* The JSON field of a remark's parameter, unless that is an inner remark. */
static struct field
field_of_arg(const struct remark_parameter *p)
{
	if (p->type == REMARK_PLACE)
		return (struct field){ .kind = FIELD_RECORD,
			.key = p->name,
			.required = 1,
			.fields = place_fields };
	return remark_is_number(p->type)
	    ? (struct field){ ROW(FIELD_DOUBLE, p->name, remark_arg, number) }
	    : (struct field){ ROW(FIELD_STRING, p->name, remark_arg, text) };
}

/* {"code": "stalls", "args": {"percent": 6.2, "limit": 5}, "text": "stalls take
 * 6 % of the time"}. The text is for humans and for programs that do not know
 * the code. */
static void
write_remark(struct json_writer *j, const char *key, const struct remark *r)
{
	struct arena a = ARENA_INIT;

	json_write_begin_object(j, key);
	json_write_string(j, "code", remark_rows[r->code].name);
	json_write_begin_object(j, "args");
	for (size_t i = 0; i < REMARK_MAX_ARGS; i++) {
		const struct remark_parameter p = remark_parameter(r->code, i);
		const struct field one[] = { field_of_arg(&p),
			{ .kind = FIELD_END } };

		if (p.type == REMARK_INNER && remark_has(r, i))
			write_remark(j, p.name, r->args[i].inner);
		else if (p.type != REMARK_END && remark_has(r, i))
			fields_write(j, one, &r->args[i]);
	}
	json_write_end(j);
	json_write_string(j, "text", remark_text(r, LANGUAGE_EN, &a));
	json_write_end(j);
	arena_release(&a);
}

/* Read a remark, or its sentence, which schema 1 has instead. A code that is
 * unknown, or whose arguments an older version did not write, becomes
 * REMARK_OTHER with the text of the object. */
static int
read_remark(const struct json_value *v, struct remark *out, struct arena *a,
    struct error *e)
{
	const char *code, *text, *sentence = json_read_text(v, a);
	struct json_value args, value;
	int rc = 0;

	*out = REMARK(REMARK_OTHER, remark_name(sentence));
	if (sentence != NULL)
		return 0;
	if (json_read_is_object(v, e) != 0 ||
	    json_read_require(v, "code", e) != 0 ||
	    json_read_string(v, "code", a, &code, e) != 0 ||
	    json_read_string(v, "text", a, &text, e) != 0)
		return -1;
	if (remark_find(code) == REMARK_NONE) {
		*out = REMARK(REMARK_OTHER, remark_name(text));
		return json_read_require(v, "text", e);
	}
	*out = remark_plain(remark_find(code));
	if (json_read_object(v, "args", &args, e) != 0)
		return -1;
	for (size_t i = 0; rc == 0 && i < REMARK_MAX_ARGS; i++) {
		const struct remark_parameter p =
		    remark_parameter(out->code, i);
		const struct field one[] = { field_of_arg(&p),
			{ .kind = FIELD_END } };
		struct remark *inner;

		if (p.type == REMARK_INNER) {
			json_read_member(&args, p.name, &value);
			if (value.json == NULL)
				continue;
			out->args[i].inner = inner =
			    arena_calloc(a, 1, sizeof *inner);
			rc = read_remark(&value, inner, a, e);
		} else if (p.type != REMARK_END) {
			rc = fields_read(one, &args, &out->args[i], a, e);
		}
	}
	if (text != NULL && !remark_is_whole(out))
		*out = REMARK(REMARK_OTHER, remark_name(text));
	return rc;
}

/* --- reading -------------------------------------------------------------- */

void
fields_init(const struct field *fields, void *record)
{
	for (; fields->kind != FIELD_END; fields++) {
		void *at = (char *)record + fields->offset;

		if (fields->kind == FIELD_RECORD && fields->count == 0)
			fields_init(fields->fields, at);
		else if (fields->kind == FIELD_LONG)
			*(long *)at = RESULT_UNKNOWN;
		else if (fields->kind == FIELD_DOUBLE)
			*(double *)at = NAN;
	}
}

/* Read an array of strings, remarks or records, or an object of strings. */
static int
read_array(const struct field *field, const struct json_value *obj,
    void *record, struct arena *a, struct error *e)
{
	struct json_value array, item;
	struct result_pair *pairs;
	void *items;
	size_t n;
	int rc = 0;

	if (field->kind == FIELD_PAIRS) {
		if (json_read_object(obj, field->key, &array, e) != 0 ||
		    pairs_read(&array, &pairs, &n, a, e) != 0)
			return -1;
		items = pairs;
	} else if (json_read_array(obj, field->key, &array, &n, e) != 0) {
		return -1;
	} else if (n > RESULT_MAX_ITEMS) {
		return json_read_error(
		    obj, field->key, e, "more than %d items", RESULT_MAX_ITEMS);
	} else {
		items = arena_calloc(a, n, field->size);
		for (size_t i = 0; i < n && rc == 0; i++) {
			void *out = (char *)items + i * field->size;

			json_read_item(&array, i, &item);
			if (field->kind == FIELD_STRING)
				rc = json_read_item_string(&item, a, out, e);
			else if (field->kind == FIELD_RECORD)
				rc = json_read_is_object(&item, e) != 0 ||
				    fields_read(
					field->fields, &item, out, a, e) != 0;
			else
				rc = read_remark(&item, out, a, e);
		}
	}
	memcpy((char *)record + field->offset, &items, sizeof items);
	memcpy((char *)record + field->count, &n, sizeof n);
	return rc != 0 ? -1 : 0;
}

int
pairs_read(const struct json_value *obj, struct result_pair **pairs, size_t *n,
    struct arena *a, struct error *e)
{
	struct json_cursor at = { 0, NULL };
	struct json_value one;
	const char *key;

	*pairs = arena_calloc(a, json_read_n_members(obj), sizeof **pairs);
	for (*n = 0; json_read_next(obj, &at, &key, &one); ++*n) {
		(*pairs)[*n].key = arena_strdup(a, key);
		if (json_read_string(obj, key, a, &(*pairs)[*n].value, e) != 0)
			return -1;
	}
	return 0;
}

static int
read_member(const struct field *field, const struct json_value *obj,
    void *record, struct arena *a, struct error *e)
{
	/* A number above 0 is at least 1 / RESULT_NUMBER_MAX. */
	static const struct {
		double min, max;
	} ranges[] = { [RANGE_ANY] = { -RESULT_NUMBER_MAX, RESULT_NUMBER_MAX },
		[RANGE_NOT_NEGATIVE] = { 0, RESULT_NUMBER_MAX },
		[RANGE_POSITIVE] = { 1 / RESULT_NUMBER_MAX, RESULT_NUMBER_MAX },
		[RANGE_SHARE] = { 0, 1 },
		[RANGE_OPEN_SHARE] = { 1e-9, 1 - 1e-9 } };
	void *at = (char *)record + field->offset;
	struct json_value inner;

	if (field->count != 0)
		return field->kind == FIELD_REST
		    ? 0
		    : read_array(field, obj, record, a, e);
	switch (field->kind) {
	case FIELD_STRING:
		return json_read_string(obj, field->key, a, at, e);
	case FIELD_LONG:
		if (json_read_count(obj, field->key, at, e) != 0)
			return -1;
		return field->range == RANGE_POSITIVE && *(long *)at == 0
		    ? json_read_error(obj, field->key, e, "0 is not above 0")
		    : 0;
	case FIELD_DOUBLE:
		return json_read_double(obj, field->key,
		    ranges[field->range].min, ranges[field->range].max, at, e);
	case FIELD_BOOL:
		return json_read_bool(obj, field->key, at, e);
	case FIELD_REMARK:
		json_read_member(obj, field->key, &inner);
		if (inner.json == NULL && field->older != NULL)
			json_read_member(obj, field->older, &inner);
		if (inner.json != NULL)
			return read_remark(&inner, at, a, e);
		return field->required ? json_read_require(obj, field->key, e)
				       : 0;
	default: /* FIELD_RECORD */
		return json_read_object(obj, field->key, &inner, e) != 0
		    ? -1
		    : fields_read(field->fields, &inner, at, a, e);
	}
}

/* The tables bound the recursion. */
int
fields_read(const struct field *fields, const struct json_value *obj,
    void *record, struct arena *a, struct error *e)
{
	for (const struct field *f = fields; f->kind != FIELD_END; f++)
		if ((f->required && f->older == NULL &&
			json_read_require(obj, f->key, e) != 0) ||
		    read_member(f, obj, record, a, e) != 0)
			return -1;
	return 0;
}

/* --- writing -------------------------------------------------------------- */

/* True if a member is unknown or empty. */
static int
is_unknown(const struct field *field, const void *record)
{
	const void *at = (const char *)record + field->offset, *text;
	size_t n;

	if (field->count != 0) {
		memcpy(&n, (const char *)record + field->count, sizeof n);
		return n == 0;
	}
	switch (field->kind) {
	case FIELD_STRING:
		memcpy(&text, at, sizeof text);
		return text == NULL;
	case FIELD_LONG:
		return *(const long *)at == RESULT_UNKNOWN;
	case FIELD_DOUBLE:
		return isnan(*(const double *)at);
	case FIELD_REMARK:
		return ((const struct remark *)at)->code == REMARK_NONE;
	default: /* FIELD_RECORD */
		for (const struct field *f = field->fields;
		     f->kind != FIELD_END; f++)
			if (!is_unknown(f, at))
				return 0;
		return 1;
	}
}

void
fields_write(struct json_writer *j, const struct field *f, const void *record)
{
	const struct result_pair *pair;
	const char *at, *text, *key;
	size_t n;

	for (; f->kind != FIELD_END; f++) {
		if (f->omit_empty && is_unknown(f, record))
			continue;
		at = (const char *)record + f->offset;
		key = f->key;
		n = 1;
		if (f->count != 0) {
			memcpy(&n, (const char *)record + f->count, sizeof n);
			memcpy(&at, at, sizeof at);
			key = NULL;
		}
		if (f->kind == FIELD_PAIRS)
			json_write_begin_object(j, f->key);
		else if (f->count != 0 && f->kind != FIELD_REST)
			json_write_begin_array(j, f->key);
		for (; n-- > 0; at += f->size)
			switch (f->kind) {
			case FIELD_STRING:
				memcpy(&text, at, sizeof text);
				json_write_string(j, key, text);
				break;
			case FIELD_LONG:
				json_write_long(j, key, *(const long *)at);
				break;
			case FIELD_DOUBLE:
				json_write_double(j, key, *(const double *)at);
				break;
			case FIELD_BOOL:
				json_write_bool(j, key, *(const int *)at);
				break;
			case FIELD_REMARK:
				write_remark(j, key, (const struct remark *)at);
				break;
			case FIELD_RECORD:
				json_write_begin_object(j, key);
				fields_write(j, f->fields, at);
				json_write_end(j);
				break;
			default: /* FIELD_PAIRS, FIELD_REST */
				pair = (const struct result_pair *)at;
				json_write_string(j, pair->key, pair->value);
			}
		if (f->count != 0 && f->kind != FIELD_REST)
			json_write_end(j);
	}
}

/* --- flags of a run in one cell ------------------------------------------- */

static const struct field flag_fields[] = {
	{ REMARKS(result_run, flags), .required = 1 },
	{ .kind = FIELD_END },
};

const char *
run_flags_json(const struct result_run *run, struct arena *a)
{
	struct strbuf sb = STRBUF_INIT(MAX_FLAGS_TEXT);
	struct json_writer j = JSON_TO_STRBUF(&sb);

	if (run->n_flags == 0)
		return NULL;
	json_write_begin_object(&j, NULL);
	fields_write(&j, flag_fields, run);
	json_write_end(&j);
	return strbuf_finish(&sb, a);
}

int
run_flags_parse(struct result_run *run, const char *name, const char *text,
    struct arena *a, struct error *e)
{
	struct json_doc doc;
	int rc;

	if (json_doc_parse(name, text, strlen(text), &doc, e) != 0)
		return error_set(
		    e, ERROR_INPUT, "%s: flags of a run are no JSON", name);
	rc = json_read_is_object(&doc.top, e) != 0
	    ? -1
	    : fields_read(flag_fields, &doc.top, run, a, e);
	json_doc_release(&doc);
	return rc;
}
