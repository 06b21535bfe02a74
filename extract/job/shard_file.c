/* Parts as JSON.  Who merges calls the reader, which trusts nothing: a part may
 * come from anywhere. */
#include <config.h>

#include "extract/job/shard_file.h"

#include <stddef.h>
#include <string.h>

#include "common/json/json_read.h"
#include "common/json/json_write.h"
#include "common/result/record_fields.h"

#define ROW(field_kind_, key_, record, member) \
	.kind = (field_kind_), .key = (key_), \
	.offset = offsetof(struct record, member)
#define COUNT(record, member) .count = offsetof(struct record, member)

static const struct field warning_fields[] = {
	{ ROW(FIELD_STRING, "path", shard_file_warning, path), .required = 1 },
	{ ROW(FIELD_STRING, "text", shard_file_warning, text), .required = 1 },
	{ .kind = FIELD_END },
};

static const struct field run_fields[] = {
	{ ROW(FIELD_RECORD, "run", shard_file_run, run), .required = 1,
	    .fields = result_run_fields },
	{ ROW(FIELD_STRING, "unit", shard_file_run, unit), .required = 1 },
	{ ROW(FIELD_STRING, "rule", shard_file_run, rule), .required = 1 },
	{ ROW(FIELD_DOUBLE, "work", shard_file_run, work),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_STRING, "work_unit", shard_file_run, work_unit) },
	{ ROW(FIELD_STRING, "framework", shard_file_run, framework) },
	{ ROW(FIELD_STRING, "model", shard_file_run, model) },
	{ ROW(FIELD_STRING, "precision", shard_file_run, precision) },
	{ ROW(FIELD_LONG, "batch_size_per_device", shard_file_run,
	      batch_size_per_device),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "nodes", shard_file_run, nodes),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "gpus_per_node", shard_file_run, gpus_per_node),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "gpus", shard_file_run, gpus),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_PAIRS, "labels", shard_file_run, labels),
	    COUNT(shard_file_run, n_labels) },
	{ ROW(FIELD_PAIRS, "varied", shard_file_run, varied),
	    COUNT(shard_file_run, n_varied) },
	{ ROW(FIELD_STRING, "where", shard_file_run, where), .required = 1 },
	{ ROW(FIELD_STRING, "settings", shard_file_run, settings) },
	{ ROW(FIELD_STRING, "stated", shard_file_run, stated) },
	{ .kind = FIELD_END },
};

static const struct field job_fields[] = {
	{ ROW(FIELD_RECORDS, "inputs", shard_file_job, inputs),
	    COUNT(shard_file_job, n_inputs), .fields = result_input_fields,
	    .size = sizeof(struct result_input) },
	{ ROW(FIELD_STRINGS, "notes", shard_file_job, notes),
	    COUNT(shard_file_job, n_notes) },
	{ ROW(FIELD_RECORDS, "excluded", shard_file_job, excluded),
	    COUNT(shard_file_job, n_excluded), .fields = result_excluded_fields,
	    .size = sizeof(struct result_excluded) },
	{ ROW(FIELD_RECORDS, "warnings", shard_file_job, warnings),
	    COUNT(shard_file_job, n_warnings), .fields = warning_fields,
	    .size = sizeof(struct shard_file_warning) },
	{ ROW(FIELD_RECORDS, "runs", shard_file_job, runs),
	    COUNT(shard_file_job, n_runs), .fields = run_fields,
	    .size = sizeof(struct shard_file_run) },
	{ .kind = FIELD_END },
};

/* "schema" comes before them. */
static const struct field part_fields[] = {
	{ ROW(FIELD_STRING, "version", shard_file, tool_version),
	    .required = 1 },
	{ ROW(FIELD_LONG, "part", shard_file, index), .required = 1,
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "parts", shard_file, of), .required = 1,
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_STRING, "tree", shard_file, tree), .required = 1 },
	{ ROW(FIELD_STRING, "formats", shard_file, formats), .required = 1 },
	{ ROW(FIELD_STRING, "name", shard_file, name), .required = 1 },
	{ ROW(FIELD_STRINGS, "options", shard_file, options),
	    COUNT(shard_file, n_options) },
	{ ROW(FIELD_LONG, "first_run", shard_file, first_run), .required = 1,
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_LONG, "runs_in_tree", shard_file, runs_in_tree),
	    .required = 1, .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_LONG, "files_skipped", shard_file, files_skipped),
	    .required = 1, .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_RECORDS, "problems", shard_file, problems),
	    COUNT(shard_file, n_problems), .fields = result_excluded_fields,
	    .size = sizeof(struct result_excluded) },
	{ ROW(FIELD_RECORDS, "jobs", shard_file, jobs),
	    COUNT(shard_file, n_jobs), .fields = job_fields,
	    .size = sizeof(struct shard_file_job) },
	{ .kind = FIELD_END },
};

void
shard_file_write(const struct shard_file *part, FILE *f)
{
	struct json_writer j;

	json_write_to_file(&j, f, JSON_WRITE_PRETTY);
	json_write_begin_object(&j, NULL);
	json_write_string(&j, "schema", SHARD_FILE_SCHEMA);
	fields_write(&j, part_fields, part);
	json_write_end(&j);
	json_write_finish(&j);
}

int
shard_file_is(const char *path)
{
	return json_file_has_schema(path, SHARD_FILE_SCHEMA "\"");
}

enum rule_kind
shard_file_rule(const struct shard_file_run *run)
{
	for (int k = RULE_WINDOW; k <= RULE_SUMMARY; k++)
		if (strcmp(run->rule, rule_kind_name((enum rule_kind)k)) == 0)
			return (enum rule_kind)k;
	return RULE_BY_FORMAT;
}

static int
check_run(const struct shard_file_run *run, const struct json_value *job,
    struct error *e)
{
	if (shard_file_rule(run) == RULE_BY_FORMAT)
		return json_read_error(
		    job, "runs", e, "'%.60s' is no rule", run->rule);
	if (!result_counts_agree(run->nodes, run->gpus_per_node, run->gpus))
		return json_read_error(job, "runs", e,
		    "%ld GPUs are not %ld nodes times %ld", run->gpus,
		    run->nodes, run->gpus_per_node);
	for (size_t i = 0; i < run->n_labels; i++)
		if (run->labels[i].value == NULL)
			return json_read_error(job, "runs", e,
			    "label '%.60s' has no value", run->labels[i].key);
	for (size_t i = 0; i < run->n_varied; i++)
		if (run->varied[i].value == NULL)
			return json_read_error(job, "runs", e,
			    "label '%.60s' has no value", run->varied[i].key);
	return 0;
}

static int
check_part(const struct shard_file *part, const struct json_value *top,
    struct error *e)
{
	struct json_value jobs, item;
	size_t i, n;

	if (part->index > part->of)
		return json_read_error(
		    top, "part", e, "%ld of %ld", part->index, part->of);
	/* The result is named by it. */
	if (part->name[0] == '\0' || strchr(part->name, '/') != NULL)
		return json_read_error(top, "name", e,
		    "'%.60s' is not a name for a file", part->name);
	if (part->first_run > part->runs_in_tree ||
	    (long)part->n_jobs > part->runs_in_tree - part->first_run)
		return json_read_error(top, "first_run", e,
		    "%ld and %zu runs are more than %ld", part->first_run,
		    part->n_jobs, part->runs_in_tree);
	if (json_read_array(top, "jobs", &jobs, &n, e) != 0)
		return -1;
	for (i = 0; i < part->n_jobs; i++) {
		const struct shard_file_job *job = &part->jobs[i];

		json_read_item(&jobs, i, &item);
		if (job->n_notes != job->n_inputs)
			return json_read_error(&item, "notes", e,
			    "%zu for %zu inputs", job->n_notes, job->n_inputs);
		if (job->n_runs > 1)
			return json_read_error(
			    &item, "runs", e, "%zu, not 1", job->n_runs);
		if (job->n_runs == 1 && check_run(&job->runs[0], &item, e) != 0)
			return -1;
	}
	return 0;
}

static int
shard_file_from_doc(struct json_doc *d, struct shard_file *part,
    struct arena *a, struct error *e)
{
	const char *schema = NULL;
	int rc = -1;

	*part = (struct shard_file){ .file = arena_strdup(a, d->name) };
	if (json_read_is_object(&d->top, e) == 0 &&
	    json_read_require(&d->top, "schema", e) == 0 &&
	    json_read_string(&d->top, "schema", a, &schema, e) == 0) {
		if (strcmp(schema, SHARD_FILE_SCHEMA) != 0)
			json_read_error(&d->top, "schema", e,
			    "'%.60s' is not '" SHARD_FILE_SCHEMA "'", schema);
		else if (fields_read(part_fields, &d->top, part, a, e) == 0)
			rc = check_part(part, &d->top, e);
	}
	json_doc_release(d);
	return rc;
}

int
shard_file_read(
    const char *path, struct shard_file *part, struct arena *a, struct error *e)
{
	struct json_doc d;

	if (json_doc_read(path, &d, e) != 0)
		return -1;
	return shard_file_from_doc(&d, part, a, e);
}

int
shard_file_parse(const char *name, const char *text, size_t len,
    struct shard_file *part, struct arena *a, struct error *e)
{
	struct json_doc d;

	if (json_doc_parse(name, text, len, &d, e) != 0)
		return -1;
	return shard_file_from_doc(&d, part, a, e);
}
