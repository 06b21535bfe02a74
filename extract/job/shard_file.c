/* Parts as JSON.  The reader trusts nothing: a part may come from anywhere.
 * Its options go onto the command line of the merge, so that only those are let
 * in which choose figures: no file decides where extract_logs writes. */
#include <config.h>

#include "extract/job/shard_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/json/json_read.h"
#include "common/json/json_write.h"
#include "common/program/options.h"
#include "common/result/record_fields.h"

static const struct field warning_fields[] = {
	{ ROW(FIELD_STRING, "path", run_job_warning, path), .required = 1 },
	{ ROW(FIELD_STRING, "text", run_job_warning, text), .required = 1 },
	{ .kind = FIELD_END },
};

/* What cases look at. */
static const struct field run_fields[] = {
	{ ROW(FIELD_RECORD, "run", case_run, measured.run), .required = 1,
	    .fields = result_run_fields },
	{ ROW(FIELD_STRING, "unit", case_run, measured.unit), .required = 1 },
	{ ROW(FIELD_STRING, "rule", case_run, rule), .required = 1 },
	{ ROW(FIELD_DOUBLE, "work", case_run, measured.work),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_STRING, "work_unit", case_run, measured.work_unit) },
	{ ROW(FIELD_STRING, "framework", case_run, metadata.framework) },
	{ ROW(FIELD_STRING, "model", case_run, metadata.model) },
	{ ROW(FIELD_STRING, "precision", case_run, metadata.precision) },
	{ ROW(FIELD_LONG, "batch_size_per_device", case_run,
	      metadata.batch_size_per_device),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "nodes", case_run, metadata.nodes),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "gpus_per_node", case_run, metadata.gpus_per_node),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_LONG, "gpus", case_run, metadata.gpus),
	    .range = RANGE_POSITIVE },
	{ ROW(FIELD_PAIRS, "labels", case_run, metadata.labels),
	    COUNT(case_run, metadata.n_labels) },
	{ ROW(FIELD_PAIRS, "varied", case_run, metadata.varied),
	    COUNT(case_run, metadata.n_varied) },
	{ ROW(FIELD_STRING, "where", case_run, where), .required = 1 },
	{ ROW(FIELD_STRING, "settings", case_run, settings) },
	{ ROW(FIELD_STRING, "stated", case_run, metadata.run) },
	{ .kind = FIELD_END },
};

static const struct field job_fields[] = {
	{ ROW(FIELD_RECORDS, "inputs", run_job, inputs),
	    COUNT(run_job, n_files), .fields = result_input_fields,
	    .size = sizeof(struct result_input) },
	{ ROW(FIELD_STRINGS, "notes", run_job, notes),
	    COUNT(run_job, n_notes) },
	{ ROW(FIELD_RECORDS, "excluded", run_job, excluded),
	    COUNT(run_job, n_excluded), .fields = result_excluded_fields,
	    .size = sizeof(struct result_excluded) },
	{ ROW(FIELD_RECORDS, "warnings", run_job, warnings),
	    COUNT(run_job, n_warnings), .fields = warning_fields,
	    .size = sizeof(struct run_job_warning) },
	{ ROW(FIELD_RECORDS, "runs", run_job, run), COUNT(run_job, counts),
	    .fields = run_fields, .size = sizeof(struct case_run) },
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
	    .size = sizeof(struct run_job) },
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

/* Check a run, and set what its rule and its device are kept as. */
static int
settle_run(struct case_run *run, const struct json_value *job, struct error *e)
{
	const struct metadata *m = &run->metadata;
	int kind = RULE_WINDOW;

	while (kind <= RULE_SUMMARY &&
	    strcmp(run->rule, rule_kind_name((enum rule_kind)kind)) != 0)
		kind++;
	if (kind > RULE_SUMMARY)
		return json_read_error(
		    job, "runs", e, "'%.60s' is no rule", run->rule);
	run->measured.kind = (enum rule_kind)kind;
	run->metadata.device = run->measured.run.device;
	if (!result_counts_agree(m->nodes, m->gpus_per_node, m->gpus))
		return json_read_error(job, "runs", e,
		    "%ld GPUs are not %ld nodes times %ld", m->gpus, m->nodes,
		    m->gpus_per_node);
	for (size_t i = 0; i < m->n_labels + m->n_varied; i++) {
		const struct result_pair *label = i < m->n_labels
		    ? &m->labels[i]
		    : &m->varied[i - m->n_labels];

		if (label->value == NULL)
			return json_read_error(job, "runs", e,
			    "label '%.60s' has no value", label->key);
	}
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
		const struct run_job *job = &part->jobs[i];

		json_read_item(&jobs, i, &item);
		if (job->n_notes != job->n_files)
			return json_read_error(&item, "notes", e,
			    "%zu for %zu inputs", job->n_notes, job->n_files);
		if (job->counts > 1)
			return json_read_error(
			    &item, "runs", e, "%zu, not 1", job->counts);
		if (job->counts == 1 && settle_run(job->run, &item, e) != 0)
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

/* --- options -------------------------------------------------------------- */

/* The row of the program's table. */
static const struct opt *
option_row(const char *name, size_t len)
{
	const struct opt *o;

	for (o = extract_program.opts; o->kind != OPT_END; o++)
		if (o->kind != OPT_GROUP && strlen(o->long_name) == len &&
		    strncmp(o->long_name, name, len) == 0)
			return o;
	return NULL;
}

/* "--rule=all", "--no-hash": with '=' where a value is due, and only there, so
 * that no option takes the next word for its value. */
static int
option_is_sound(const char *text)
{
	const struct opt *row;
	size_t len;

	if (strncmp(text, "--", 2) != 0)
		return 0;
	len = strcspn(text + 2, "=");
	row = option_row(text + 2, len);
	return row != NULL && (row->modes & OF_PARTS) != 0 &&
	    (row->kind == OPT_FLAG) == (text[2 + len] == '\0');
}

int
shard_file_check_options(const struct shard_file *part, struct error *e)
{
	for (size_t i = 0; i < part->n_options; i++)
		if (!option_is_sound(part->options[i]))
			return error_set(e, ERROR_INPUT,
			    "%s: options[%zu]: '%.200s' is no option that "
			    "chooses what is measured",
			    part->file, i, part->options[i]);
	return 0;
}

/* --- what an extraction found --------------------------------------------- */

/* The options as they would be typed: "--rule=all", "--no-hash"; each item of a
 * list as an option of its own. */
static void
fill_options(struct shard_file *part, struct arena *a)
{
	size_t n = 0;

	for (const struct opt *o = extract_program.opts; o->kind != OPT_END;
	     o++)
		n += o->kind == OPT_LIST ? ((const struct opt_list *)o->to)->n
					 : 1;
	part->options = arena_calloc(a, n, sizeof *part->options);
	for (const struct opt *o = extract_program.opts; o->kind != OPT_END;
	     o++) {
		const struct opt_list *list =
		    o->kind == OPT_LIST ? o->to : NULL;

		if (!(o->modes & OF_PARTS) || !options_given(o->long_name))
			continue;
		for (size_t i = 0; i < (list != NULL ? list->n : 1); i++)
			part->options[part->n_options++] = o->kind == OPT_FLAG
			    ? arena_printf(a, "--%s", o->long_name)
			    : arena_printf(a, "--%s=%s", o->long_name,
				  list != NULL ? list->items[i]
					       : settings_option_text(o, a));
	}
}

static const char *
digest_text(XXH3_state_t *state, struct arena *a)
{
	XXH128_canonical_t c;
	char *out = arena_alloc(a, 33);
	size_t i;

	XXH128_canonicalFromHash(&c, XXH3_128bits_digest(state));
	for (i = 0; i < 16; i++)
		snprintf(out + 2 * i, 3, "%02x", c.digest[i]);
	return out;
}

/* A string with its end, so that "ab" "c" is not "a" "bc". */
static void
hash_string(XXH3_state_t *state, const char *text)
{
	if (text != NULL)
		XXH3_128bits_update(state, text, strlen(text));
	XXH3_128bits_update(state, "", 1);
}

static const char *
hash_tree(const struct extraction *x, const char *const *operands, size_t n,
    struct arena *a)
{
	XXH3_state_t *state = XXH3_createState();
	const char *text;
	size_t i;

	XXH3_128bits_reset(state);
	for (i = 0; i < x->settings->log_dirs.n; i++)
		hash_string(state, x->settings->log_dirs.items[i]);
	for (i = 0; i < n; i++)
		hash_string(state, operands[i]);
	for (i = 0; i < x->files.n_files; i++) {
		const struct log_file *f = &x->files.files[i];

		hash_string(state, f->shown);
		hash_string(state,
		    arena_printf(
			a, "%zu %lld", f->operand, (long long)f->bytes));
	}
	for (i = 0; i < x->files.n_problems; i++)
		hash_string(state, x->files.problems[i].path);
	text = digest_text(state, a);
	XXH3_freeState(state);
	return text;
}

static void
hash_formats(XXH3_state_t *state, struct format *const *formats, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		hash_string(state, formats[i]->name);
		XXH3_128bits_update(
		    state, formats[i]->text, formats[i]->text_len);
	}
}

static const char *
hash_all_formats(const struct extraction *x, struct arena *a)
{
	XXH3_state_t *state = XXH3_createState();
	const char *text;

	XXH3_128bits_reset(state);
	hash_formats(state, x->formats.formats, x->formats.n_formats);
	hash_formats(state, x->formats.prefixes, x->formats.n_prefixes);
	hash_formats(state, x->formats.metadata, x->formats.n_metadata);
	hash_formats(state, x->layouts.layouts, x->layouts.n_layouts);
	text = digest_text(state, a);
	XXH3_freeState(state);
	return text;
}

void
shard_file_fill(struct shard_file *part, const struct extraction *x,
    const char *const *operands, size_t n, struct arena *a)
{
	const struct settings *s = x->settings;
	char *name = extraction_name(s, operands, n);
	size_t i;

	*part = (struct shard_file){ .tool_version = PACKAGE_VERSION,
		.index = s->shard.index,
		.of = s->shard.of,
		.tree = hash_tree(x, operands, n, a),
		.formats = hash_all_formats(x, a),
		.name = arena_strdup(a, name),
		.first_run = (long)x->first_job,
		.runs_in_tree = (long)x->n_jobs,
		.files_skipped = (long)x->files.n_skipped,
		.n_problems = x->files.n_problems,
		.jobs = x->jobs.items,
		.n_jobs = x->jobs.n };
	free(name);
	fill_options(part, a);
	part->problems =
	    arena_calloc(a, part->n_problems, sizeof *part->problems);
	for (i = 0; i < part->n_problems; i++)
		part->problems[i] =
		    result_excluded_of(x->files.problems[i].path,
			&REMARK(REMARK_UNREADABLE,
			    remark_name(x->files.problems[i].message)));
	for (i = 0; i < part->n_jobs; i++)
		if (part->jobs[i].counts)
			part->jobs[i].run->rule =
			    rule_kind_name(part->jobs[i].run->measured.kind);
}
