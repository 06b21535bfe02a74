#include <config.h>

#include "extract/part.h"

#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "common/json_in.h"
#include "common/json_out.h"
#include "common/result_fields.h"

#define ROW(field_kind_, key_, record, member) \
	.kind = (field_kind_), .key = (key_), \
	.offset = offsetof(struct record, member)
#define COUNT(record, member) .count = offsetof(struct record, member)

static const struct field warning_fields[] = {
	{ ROW(FIELD_STRING, "path", part_warning, path), .required = 1 },
	{ ROW(FIELD_STRING, "text", part_warning, text), .required = 1 },
	{ .kind = FIELD_END },
};

static const struct field run_fields[] = {
	{ ROW(FIELD_RECORD, "run", part_run, run),
	    .fields = result_run_fields },
	{ ROW(FIELD_STRING, "unit", part_run, unit), .required = 1 },
	{ ROW(FIELD_STRING, "rule", part_run, rule), .required = 1 },
	{ ROW(FIELD_STRING, "framework", part_run, framework) },
	{ ROW(FIELD_STRING, "model", part_run, model) },
	{ ROW(FIELD_STRING, "precision", part_run, precision) },
	{ ROW(FIELD_LONG, "batch_size_per_device", part_run,
	      batch_size_per_device),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "nodes", part_run, nodes), .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "gpus_per_node", part_run, gpus_per_node),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "gpus", part_run, gpus), .range = RANGE_POSITIVE },
	{ ROW(FIELD_PAIRS, "labels", part_run, labels),
	    COUNT(part_run, n_labels) },
	{ .kind = FIELD_END },
};

static const struct field job_fields[] = {
	{ ROW(FIELD_RECORDS, "inputs", part_job, inputs),
	    COUNT(part_job, n_inputs), .fields = result_input_fields,
	    .size = sizeof(struct result_input) },
	{ ROW(FIELD_STRINGS, "notes", part_job, notes),
	    COUNT(part_job, n_notes) },
	{ ROW(FIELD_RECORDS, "excluded", part_job, excluded),
	    COUNT(part_job, n_excluded), .fields = result_excluded_fields,
	    .size = sizeof(struct result_excluded) },
	{ ROW(FIELD_RECORDS, "warnings", part_job, warnings),
	    COUNT(part_job, n_warnings), .fields = warning_fields,
	    .size = sizeof(struct part_warning) },
	{ ROW(FIELD_RECORDS, "runs", part_job, runs), COUNT(part_job, n_runs),
	    .fields = run_fields, .size = sizeof(struct part_run) },
	{ .kind = FIELD_END },
};

/* "schema" is in front of them. */
static const struct field part_fields[] = {
	{ ROW(FIELD_STRING, "version", part, tool_version), .required = 1 },
	{ ROW(FIELD_LONG, "part", part, index), .required = 1,
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "parts", part, of), .required = 1,
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_STRING, "tree", part, tree), .required = 1 },
	{ ROW(FIELD_STRING, "formats", part, formats), .required = 1 },
	{ ROW(FIELD_STRING, "name", part, name), .required = 1 },
	{ ROW(FIELD_STRINGS, "options", part, options),
	    COUNT(part, n_options) },
	{ ROW(FIELD_LONG, "first_run", part, first_run), .required = 1,
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_LONG, "runs_in_tree", part, runs_in_tree), .required = 1,
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_LONG, "files_skipped", part, files_skipped), .required = 1,
	    .range = RANGE_NOT_NEGATIVE },
	{ ROW(FIELD_RECORDS, "problems", part, problems),
	    COUNT(part, n_problems), .fields = result_excluded_fields,
	    .size = sizeof(struct result_excluded) },
	{ ROW(FIELD_RECORDS, "jobs", part, jobs), COUNT(part, n_jobs),
	    .fields = job_fields, .size = sizeof(struct part_job) },
	{ .kind = FIELD_END },
};

void
part_write(const struct part *part, FILE *f)
{
	struct json_out j;

	json_out_to_file(&j, f, JSON_OUT_PRETTY);
	json_out_begin_object(&j, NULL);
	json_out_string(&j, "schema", PART_SCHEMA);
	fields_write(&j, part_fields, part);
	json_out_end(&j);
	json_out_finish(&j);
}

int
part_is(const char *path)
{
	static const char start[] = "{\"schema\":\"" PART_SCHEMA "\"";
	struct stat st;
	FILE *f;
	size_t at = 0;
	int c;

	/* To open a FIFO would wait for its writer. */
	if (strcmp(path, "-") == 0 || stat(path, &st) != 0 ||
	    !S_ISREG(st.st_mode))
		return 0;
	f = fopen(path, "r");
	if (f == NULL)
		return 0;
	while (start[at] != '\0' && (c = getc(f)) != EOF) {
		if (strchr(" \t\r\n", c) != NULL && c != '\0')
			continue;
		if (c != start[at])
			break;
		at++;
	}
	fclose(f);
	return start[at] == '\0';
}

static int
check_part(
    const struct part *part, const struct json_value *top, struct error *e)
{
	struct json_value jobs, item;
	size_t i, n;

	if (part->index > part->of)
		return json_in_error(
		    top, "part", e, "%ld of %ld", part->index, part->of);
	if (part->first_run > part->runs_in_tree ||
	    (long)part->n_jobs > part->runs_in_tree - part->first_run)
		return json_in_error(top, "first_run", e,
		    "%ld and %zu runs are more than %ld", part->first_run,
		    part->n_jobs, part->runs_in_tree);
	if (json_in_array(top, "jobs", &jobs, &n, e) != 0)
		return -1;
	for (i = 0; i < part->n_jobs; i++) {
		const struct part_job *job = &part->jobs[i];

		json_in_item(&jobs, i, &item);
		if (job->n_notes != job->n_inputs)
			return json_in_error(&item, "notes", e,
			    "%zu for %zu inputs", job->n_notes, job->n_inputs);
		if (job->n_runs > 1)
			return json_in_error(
			    &item, "runs", e, "%zu, not 1", job->n_runs);
	}
	return 0;
}

static int
part_from_doc(
    struct json_doc *d, struct part *part, struct arena *a, struct error *e)
{
	const char *schema = NULL;
	int rc = -1;

	*part = (struct part){ .file = arena_strdup(a, d->name) };
	if (json_in_is_object(&d->top, e) == 0 &&
	    json_in_require(&d->top, "schema", e) == 0 &&
	    json_in_string(&d->top, "schema", a, &schema, e) == 0) {
		if (strcmp(schema, PART_SCHEMA) != 0)
			json_in_error(&d->top, "schema", e,
			    "'%.60s' is not '" PART_SCHEMA "'", schema);
		else if (fields_read(part_fields, &d->top, part, a, e) == 0)
			rc = check_part(part, &d->top, e);
	}
	json_doc_release(d);
	return rc;
}

int
part_read(const char *path, struct part *part, struct arena *a, struct error *e)
{
	struct json_doc d;

	if (json_doc_read(path, &d, e) != 0)
		return -1;
	return part_from_doc(&d, part, a, e);
}

int
part_parse(const char *name, const char *text, size_t len, struct part *part,
    struct arena *a, struct error *e)
{
	struct json_doc d;

	if (json_doc_parse(name, text, len, &d, e) != 0)
		return -1;
	return part_from_doc(&d, part, a, e);
}
