/* Parts are untrusted. Their options are added to the command line of the
 * merge, so only options that choose what is measured are accepted: no file may
 * decide where extract_logs writes. */
#include <config.h>

#include "extract/job/shard_file.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "common/json/json_read.h"
#include "common/json/json_write.h"
#include "common/program/options.h"
#include "common/result/record_fields.h"

static const struct field note_fields[] = {
	{ ROW(FIELD_STRING, "path", run_job_note, path), .required = 1 },
	{ ROW(FIELD_STRING, "text", run_job_note, text), .required = 1 },
	{ ROW(FIELD_BOOL, "detail", run_job_note, detail) },
	{ .kind = FIELD_END },
};

static const struct field problem_fields[] = {
	{ ROW(FIELD_STRING, "path", file_list_problem, path), .required = 1 },
	{ ROW(FIELD_STRING, "message", file_list_problem, message),
	    .required = 1 },
	{ .kind = FIELD_END },
};

/* The members that cases use. */
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
	{ ROW(FIELD_RECORDS, "excluded", run_job, excluded),
	    COUNT(run_job, n_excluded), .fields = result_excluded_fields,
	    .size = sizeof(struct result_excluded) },
	{ ROW(FIELD_RECORDS, "warnings", run_job, notes),
	    COUNT(run_job, n_notes), .fields = note_fields,
	    .size = sizeof(struct run_job_note) },
	{ ROW(FIELD_RECORDS, "runs", run_job, run), COUNT(run_job, counts),
	    .fields = run_fields, .size = sizeof(struct case_run) },
	{ .kind = FIELD_END },
};

/* Preceded by "schema". */
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
	    COUNT(shard_file, n_problems), .fields = problem_fields,
	    .size = sizeof(struct file_list_problem) },
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

/* Check a run and set its derived members. */
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
	size_t n;

	if (part->index > part->of)
		return json_read_error(
		    top, "part", e, "%ld of %ld", part->index, part->of);
	/* It names the result file. */
	if (part->name[0] == '\0' || strchr(part->name, '/') != NULL)
		return json_read_error(top, "name", e,
		    "'%.60s' cannot be a file name", part->name);
	if (part->first_run > part->runs_in_tree ||
	    (long)part->n_jobs > part->runs_in_tree - part->first_run)
		return json_read_error(top, "first_run", e,
		    "%ld and %zu runs are more than %ld", part->first_run,
		    part->n_jobs, part->runs_in_tree);
	if (json_read_array(top, "jobs", &jobs, &n, e) != 0)
		return -1;
	for (size_t i = 0; i < part->n_jobs; i++) {
		const struct run_job *job = &part->jobs[i];

		json_read_item(&jobs, i, &item);
		if (job->counts > 1)
			return json_read_error(
			    &item, "runs", e, "%zu, not 1", job->counts);
		if (job->counts == 1 && settle_run(job->run, &item, e) != 0)
			return -1;
	}
	return 0;
}

/* Read a part from a document and free the document. */
static int
take_part(struct json_doc *d, struct shard_file *part, struct arena *a,
    struct error *e)
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
shard_file_parse(const char *name, const char *text, size_t len,
    struct shard_file *part, struct arena *a, struct error *e)
{
	struct json_doc d;

	return json_doc_parse(name, text, len, &d, e) != 0
	    ? -1
	    : take_part(&d, part, a, e);
}

/* --- options -------------------------------------------------------------- */

/* True for "--rule=all" and "--no-hash": '=' is required with a value and only
 * then, so that no option takes the next word as its value. */
static int
option_is_sound(const char *text)
{
	const size_t len = strcspn(text, "=");

	for (const struct opt *o = extract_program.opts; o->kind != OPT_END;
	     o++)
		if (o->kind != OPT_GROUP && strncmp(text, "--", 2) == 0 &&
		    strlen(o->long_name) + 2 == len &&
		    strncmp(o->long_name, text + 2, len - 2) == 0)
			return (o->modes & OF_PARTS) != 0 &&
			    (o->kind == OPT_FLAG) == (text[len] == '\0');
	return 0;
}

int
shard_file_check_options(const struct shard_file *part, struct error *e)
{
	for (size_t i = 0; i < part->n_options; i++)
		if (!option_is_sound(part->options[i]))
			return error_set(e, ERROR_INPUT,
			    "%s: options[%zu]: '%.200s' is not an option that "
			    "selects what is measured",
			    part->file, i, part->options[i]);
	return 0;
}

/* --- what an extraction found --------------------------------------------- */

/* Set the options as typed: "--rule=all", "--no-hash"; each item of a list as a
 * separate option. */
static void
fill_options(struct shard_file *part, struct arena *a)
{
	for (const struct opt *o = extract_program.opts; o->kind != OPT_END;
	     o++) {
		const struct opt_list one = { .n = 1 };
		const struct opt_list *list =
		    o->kind == OPT_LIST ? o->to : &one;
		const char **all;

		if (!(o->modes & OF_PARTS) || !options_given(o->long_name))
			continue;
		all = arena_calloc(a, part->n_options + list->n, sizeof *all);
		if (part->n_options > 0)
			memcpy(
			    all, part->options, part->n_options * sizeof *all);
		part->options = all;
		for (size_t i = 0; i < list->n; i++)
			all[part->n_options++] = o->kind == OPT_FLAG
			    ? arena_printf(a, "--%s", o->long_name)
			    : arena_printf(a, "--%s=%s", o->long_name,
				  list != &one ? list->items[i]
					       : settings_option_text(o, a));
	}
}

/* Append a string with its NUL, so that "ab" "c" and "a" "bc" differ. */
static void
add_hashed(struct strbuf *sb, const char *text)
{
	strbuf_add(sb, text, strlen(text) + 1);
}

static void
add_formats(struct strbuf *sb, struct format *const *formats, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		add_hashed(sb, formats[i]->name);
		strbuf_add(sb, formats[i]->src.text, formats[i]->src.len);
	}
}

/* Hash of the text in hexadecimal. Releases sb. */
static const char *
hash_added(struct strbuf *sb, struct arena *a)
{
	const XXH128_hash_t h = XXH3_128bits(sb->buf, sb->len);

	strbuf_release(sb);
	return arena_printf(a, "%016" PRIx64 "%016" PRIx64, h.high64, h.low64);
}

static const char *
hash_tree(const struct extraction *x, const char *const *operands, size_t n,
    struct arena *a)
{
	struct strbuf sb;

	strbuf_init(&sb, SIZE_MAX / 2);
	for (size_t i = 0; i < x->settings->log_dirs.n; i++)
		add_hashed(&sb, x->settings->log_dirs.items[i]);
	for (size_t i = 0; i < n; i++)
		add_hashed(&sb, operands[i]);
	for (size_t i = 0; i < x->files.n_files; i++) {
		const struct log_file *f = &x->files.files[i];

		add_hashed(&sb, f->shown);
		strbuf_printf(&sb, "%zu %lld", f->operand, (long long)f->bytes);
		strbuf_addch(&sb, '\0');
	}
	for (size_t i = 0; i < x->files.n_problems; i++)
		add_hashed(&sb, x->files.problems[i].path);
	return hash_added(&sb, a);
}

static const char *
hash_formats(const struct extraction *x, struct arena *a)
{
	struct strbuf sb;

	strbuf_init(&sb, SIZE_MAX / 2);
	add_formats(&sb, x->formats.formats, x->formats.n_formats);
	add_formats(&sb, x->formats.prefixes, x->formats.n_prefixes);
	add_formats(&sb, x->formats.metadata, x->formats.n_metadata);
	add_formats(&sb, x->layouts.layouts, x->layouts.n_layouts);
	return hash_added(&sb, a);
}

void
shard_file_fill(struct shard_file *part, const struct extraction *x,
    const char *const *operands, size_t n, struct arena *a)
{
	const struct settings *s = x->settings;
	char *name = extraction_name(s, operands, n);

	*part = (struct shard_file){ .tool_version = PACKAGE_VERSION,
		.index = s->shard.index,
		.of = s->shard.of,
		.tree = hash_tree(x, operands, n, a),
		.formats = hash_formats(x, a),
		.name = arena_strdup(a, name),
		.first_run = (long)x->first_job,
		.runs_in_tree = (long)x->n_jobs,
		.files_skipped = (long)x->files.n_skipped,
		.problems = x->files.problems,
		.n_problems = x->files.n_problems,
		.jobs = x->jobs.items,
		.n_jobs = x->jobs.n };
	free(name);
	fill_options(part, a);
	for (size_t i = 0; i < part->n_jobs; i++)
		if (part->jobs[i].counts)
			part->jobs[i].run->rule =
			    rule_kind_name(part->jobs[i].run->measured.kind);
}

/* --- merging -------------------------------------------------------------- */

int
shard_merge_wanted(const char *const *operands, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (shard_file_is(operands[i]))
			return 1;
	return 0;
}

/* An option of part a that part b lacks, or NULL. */
static const char *
option_of_one(const struct shard_file *a, const struct shard_file *b)
{
	for (size_t i = 0; i < a->n_options; i++) {
		size_t j = 0;

		while (j < b->n_options &&
		    strcmp(a->options[i], b->options[j]) != 0)
			j++;
		if (j == b->n_options)
			return a->options[i];
	}
	return NULL;
}

/* Check that two parts belong together. */
static int
check_pair(
    const struct shard_file *a, const struct shard_file *b, struct error *e)
{
	const char *lacks = option_of_one(a, b), *adds = option_of_one(b, a);

	if (strcmp(a->tool_version, b->tool_version) != 0)
		return error_set(e, ERROR_INPUT,
		    "%s: was made by version %s, but %s by %s", b->file,
		    b->tool_version, a->file, a->tool_version);
	if (a->of != b->of)
		return error_set(e, ERROR_INPUT,
		    "%s: is one of %ld parts, but %s is one of %ld", b->file,
		    b->of, a->file, a->of);
	if (strcmp(a->tree, b->tree) != 0 || a->runs_in_tree != b->runs_in_tree)
		return error_set(e, ERROR_INPUT,
		    "%s: was made from another tree than %s: operands, files "
		    "or file sizes differ",
		    b->file, a->file);
	if (lacks != NULL || adds != NULL)
		return error_set(e, ERROR_INPUT,
		    "%s: was made %s %s, but %s %s it", b->file,
		    lacks != NULL ? "without" : "with",
		    lacks != NULL ? lacks : adds, a->file,
		    lacks != NULL ? "with" : "without");
	if (strcmp(a->formats, b->formats) != 0)
		return error_set(e, ERROR_INPUT,
		    "%s: was read with other formats or layouts than %s",
		    b->file, a->file);
	return 0;
}

static int
by_index(const void *a, const void *b)
{
	const struct shard_file *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

int
shard_merge_check(struct shard_merge *m, struct error *e)
{
	long expected = 1, next_run = 0;

	for (size_t i = 1; i < m->n; i++)
		if (check_pair(&m->parts[0], &m->parts[i], e) != 0)
			return -1;
	if (shard_file_check_options(&m->parts[0], e) != 0)
		return -1;
	qsort(m->parts, m->n, sizeof *m->parts, by_index);
	for (size_t i = 0; i < m->n; i++) {
		const struct shard_file *p = &m->parts[i];

		if (i > 0 && p->index == p[-1].index)
			return error_set(e, ERROR_INPUT,
			    "%s: part %ld of %ld was already given by "
			    "%s",
			    p->file, p->index, p->of, p[-1].file);
		if (p->index != expected)
			break;
		if (p->first_run != next_run)
			return error_set(e, ERROR_INPUT,
			    "%s: begins with run %ld, not %ld", p->file,
			    p->first_run, next_run);
		next_run += (long)p->n_jobs;
		expected++;
	}
	if (expected <= m->parts[0].of)
		return error_set(e, ERROR_INPUT,
		    "part %ld of %ld is missing; %zu were given", expected,
		    m->parts[0].of, m->n);
	if (next_run != m->parts[0].runs_in_tree)
		return error_set(e, ERROR_INPUT, "%s: ends with run %ld of %ld",
		    m->parts[m->n - 1].file, next_run,
		    m->parts[0].runs_in_tree);
	return 0;
}

int
shard_merge_read(struct shard_merge *m, const char *const *operands, size_t n,
    struct error *e)
{
	*m = (struct shard_merge){ .arena = ARENA_INIT };
	m->parts = arena_calloc(&m->arena, n, sizeof *m->parts);
	for (; m->n < n; m->n++) {
		struct json_doc d;

		if (!shard_file_is(operands[m->n]))
			return error_set(e, ERROR_INPUT,
			    "%s: not a part of a result, unlike the other "
			    "operands",
			    operands[m->n]);
		if (json_doc_read(operands[m->n], &d, e) != 0 ||
		    take_part(&d, &m->parts[m->n], &m->arena, e) != 0)
			return -1;
	}
	return shard_merge_check(m, e);
}

void
shard_merge_release(struct shard_merge *m)
{
	arena_release(&m->arena);
	*m = (struct shard_merge){ .arena = ARENA_INIT };
}

void
shard_merge_into(const struct shard_merge *m, struct extraction *x)
{
	const struct shard_file *first = &m->parts[0];
	struct run_job_list *jobs = &x->jobs;
	struct file_list *files = &x->files;

	*jobs = (struct run_job_list){ .arena = ARENA_INIT };
	jobs->items = xcalloc((size_t)first->runs_in_tree, sizeof *jobs->items);
	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 0; k < m->parts[i].n_jobs; k++)
			jobs->items[jobs->n++] = m->parts[i].jobs[k];
	files->problems = xcalloc(first->n_problems, sizeof *files->problems);
	files->n_problems = files->alloc_problems = first->n_problems;
	if (first->n_problems > 0)
		memcpy(files->problems, first->problems,
		    first->n_problems * sizeof *files->problems);
	files->n_skipped = first->files_skipped;
}

int
shard_merge_options(const struct shard_file *part, int argc, char **argv,
    struct arena *a, struct error *e)
{
	char **all =
	    arena_calloc(a, (size_t)argc + part->n_options + 1, sizeof *all);
	int first, n = 0;

	all[n++] = argv[0];
	for (size_t i = 0; i < part->n_options; i++)
		all[n++] = arena_strdup(a, part->options[i]);
	for (int i = 1; i < argc; i++)
		all[n++] = argv[i];
	options_release(&extract_program);
	if (options_parse(&extract_program, n, all, &first, e) != OPTIONS_RUN ||
	    settings_check(&settings, n - first, e) != 0)
		return error_prefix(e, "%s", part->file);
	return 0;
}
