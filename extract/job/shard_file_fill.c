/* What an extraction of a shard found, as a part. */
#include <config.h>

#include "extract/job/shard_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/json/json_write.h"
#include "common/program/options.h"
#include "extract/log/exclusion.h"
#include "extract/job/extraction.h"
#include "extract/job/shard_options.h"

/* "--rule=all" as it would be typed; NULL for a list. */
static const char *
option_text(const struct opt *o, struct arena *a)
{
	char number[JSON_DOUBLE_SIZE];

	switch (o->kind) {
	case OPT_FLAG:
		return arena_printf(a, "--%s", o->long_name);
	case OPT_INT:
		return arena_printf(
		    a, "--%s=%ld", o->long_name, *(const long *)o->to);
	case OPT_REAL:
		return arena_printf(a, "--%s=%s", o->long_name,
		    json_double(number, *(const double *)o->to));
	case OPT_STR:
	case OPT_CHOICE:
		return arena_printf(
		    a, "--%s=%s", o->long_name, *(const char *const *)o->to);
	default:
		return NULL;
	}
}

/* Each item as an option of its own. */
static void
add_list(struct shard_file *part, const struct opt *o, struct arena *a)
{
	const struct opt_list *list = o->to;

	for (size_t i = 0; i < list->n; i++)
		part->options[part->n_options++] =
		    arena_printf(a, "--%s=%s", o->long_name, list->items[i]);
}

static void
fill_options(struct shard_file *part, struct arena *a)
{
	const struct opt *o;
	size_t n = 0;

	for (o = extract_program.opts; o->kind != OPT_END; o++)
		n += o->kind == OPT_LIST ? ((const struct opt_list *)o->to)->n
					 : 1;
	part->options = arena_calloc(a, n, sizeof *part->options);
	for (o = extract_program.opts; o->kind != OPT_END; o++) {
		const char *text;

		if (o->kind == OPT_GROUP || !options_given(o->long_name) ||
		    !shard_option_is_measuring(o->long_name))
			continue;
		if (o->kind == OPT_LIST) {
			add_list(part, o, a);
			continue;
		}
		text = option_text(o, a);
		if (text != NULL)
			part->options[part->n_options++] = text;
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

static void
fill_run(struct shard_file_run *out, const struct case_run *run)
{
	const struct metadata *f = &run->metadata;

	*out = (struct shard_file_run){ run->measured.run, run->measured.unit,
		rule_kind_name(run->measured.kind), run->measured.work,
		run->measured.work_unit, f->framework, f->model, f->precision,
		f->batch_size_per_device, f->nodes, f->gpus_per_node, f->gpus,
		f->labels, f->varied, f->n_labels, f->n_varied, run->where,
		run->settings, f->run };
}

static void
fill_job(struct shard_file_job *out, const struct run_job *job, struct arena *a)
{
	size_t i;

	out->inputs = job->inputs;
	out->n_inputs = out->n_notes = job->n_files;
	out->notes = arena_calloc(a, job->n_files, sizeof *out->notes);
	for (i = 0; i < job->n_files; i++)
		out->notes[i] = job->notes[i] != NULL ? job->notes[i] : "";
	out->n_excluded = job->n_excluded;
	out->excluded = job->excluded;
	out->n_warnings = job->n_warnings;
	out->warnings = arena_calloc(a, job->n_warnings, sizeof *out->warnings);
	for (i = 0; i < job->n_warnings; i++)
		out->warnings[i] =
		    (struct shard_file_warning){ job->warnings[i].path,
			    job->warnings[i].text };
	if (!job->counts)
		return;
	out->runs = arena_calloc(a, 1, sizeof *out->runs);
	out->n_runs = 1;
	fill_run(&out->runs[0], &job->run);
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
	part->jobs = arena_calloc(a, part->n_jobs, sizeof *part->jobs);
	for (i = 0; i < part->n_jobs; i++)
		fill_job(&part->jobs[i], &x->jobs.items[i], a);
}
