#include <config.h>

#include "extract/job/run_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text.h"

/* A file and its rank key. */
struct ranked {
	const char *key; /* its path without the rank, equal for the files of a
	                    run; NULL: no rank */
	size_t file;
};

static int
by_key(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	const int d = strcmp(x->key, y->key);

	return d != 0 ? d : (x->file > y->file) - (x->file < y->file);
}

static int
by_first_file(const void *a, const void *b)
{
	const struct run_job *x = a, *y = b;

	/* Compare positions in the array of files. */
	return (x->files[0] > y->files[0]) - (x->files[0] < y->files[0]);
}

static void
add_job(struct run_job_list *jobs, const struct file_list *files,
    const struct ranked *ranked, size_t n)
{
	struct run_job *job = &jobs->items[jobs->n++];
	size_t i;

	job->files = arena_calloc(&jobs->arena, n, sizeof *job->files);
	job->n_files = n;
	for (i = 0; i < n; i++)
		job->files[i] = &files->files[ranked[i].file];
	job->below = files->n_operands == 1 && job->files[0]->label == NULL
	    ? job->files[0]->shown
	    : job->files[0]->below;
}

/* Length of the folder part of a path. */
static size_t
folder_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? (size_t)(slash - path) : 0;
}

static int
by_folder(const void *a, const void *b)
{
	const char *x = (*(struct run_job *const *)a)->files[0]->path;
	const char *y = (*(struct run_job *const *)b)->files[0]->path;
	const size_t n = folder_len(x), m = folder_len(y);
	const int d = memcmp(x, y, n < m ? n : m);

	return d != 0 ? d : (n > m) - (n < m);
}

void
run_job_list_make(struct run_job_list *jobs, const struct file_list *files,
    const struct format_set *formats)
{
	struct arena keys = ARENA_INIT;
	struct ranked *ranked = xcalloc(files->n_files, sizeof *ranked);
	struct run_job **all = xcalloc(files->n_files + 1, sizeof *all);
	size_t i, end, n = 0;

	*jobs = (struct run_job_list){ .arena = ARENA_INIT };
	jobs->items = xcalloc(files->n_files, sizeof *jobs->items);
	for (i = 0; i < files->n_files; i++) {
		const struct log_file *file = &files->files[i];
		size_t len;
		const char *rank = path_layout_rank(formats, file->where, &len);

		ranked[n] = (struct ranked){ NULL, i };
		if (rank == NULL)
			add_job(jobs, files, &ranked[n], 1);
		else
			ranked[n++].key = arena_printf(&keys, "%zu\n%.*s*%s",
			    file->operand, (int)(rank - file->where),
			    file->where, rank + len);
	}
	if (n > 1)
		qsort(ranked, n, sizeof *ranked, by_key);
	for (i = 0; i < n; i = end) {
		for (end = i + 1; end < n; end++)
			if (strcmp(ranked[i].key, ranked[end].key) != 0)
				break;
		add_job(jobs, files, ranked + i, end - i);
	}
	if (jobs->n > 1)
		qsort(jobs->items, jobs->n, sizeof *jobs->items, by_first_file);
	/* Mark jobs that are alone in a folder with a power record. */
	for (i = n = 0; i < jobs->n; i++)
		if (jobs->items[i].files[0]->power == FILE_POWER_FOLDER)
			all[n++] = &jobs->items[i];
	if (n > 1)
		qsort(all, n, sizeof *all, by_folder);
	for (i = 0; i < n; i++)
		all[i]->alone =
		    !(i > 0 && by_folder(&all[i - 1], &all[i]) == 0) &&
		    !(i + 1 < n && by_folder(&all[i], &all[i + 1]) == 0);
	free(all);
	free(ranked);
	arena_release(&keys);
}

void
run_job_list_release(struct run_job_list *jobs)
{
	free(jobs->items);
	arena_release(&jobs->arena);
	*jobs = (struct run_job_list){ .arena = ARENA_INIT };
}

const char *
run_job_title(const struct run_job *job, size_t n_operands, struct arena *a)
{
	const struct log_file *file = job->files[0];

	if (n_operands < 2)
		return file->shown;
	if (file->label == NULL)
		return file->path;
	return arena_printf(a, "%s=%s", file->label, file->path);
}

/* --- what is stated ------------------------------------------------------- */

static void
state_count(
    struct metadata_stated *stated, struct arena *a, const char *key, long n)
{
	if (n != RESULT_UNKNOWN)
		metadata_state(
		    stated, METADATA_OPTION, key, arena_printf(a, "%ld", n), 0);
}

static void
state_text(struct metadata_stated *stated, const char *key, const char *text)
{
	if (text != NULL)
		metadata_state(stated, METADATA_OPTION, key, text, 0);
}

void
run_job_metadata(const struct run_job *job,
    const struct run_job_context *context, const struct log *const *logs,
    size_t n, struct arena *a, struct metadata *f)
{
	const struct settings *s = context->settings;
	const struct log_file *file = job->files[0];
	struct metadata_stated stated = METADATA_STATED_INIT;
	struct path_layout_match m;
	size_t i, j;

	metadata_map_state(context->map, file->where, &stated);
	state_text(&stated, "framework", s->framework);
	state_text(&stated, "model", s->model);
	state_text(&stated, "precision", s->precision);
	state_text(&stated, "run", s->run);
	state_count(&stated, a, "nodes", s->nodes);
	state_count(&stated, a, "gpus_per_node", s->gpus_per_node);
	state_count(&stated, a, "gpus", s->gpus);
	state_count(
	    &stated, a, "batch_size_per_device", s->batch_size_per_device);
	state_count(&stated, a, "batch_size", s->batch_size);
	state_count(&stated, a, "sequence_length", s->sequence_length);
	if (file->label != NULL)
		metadata_label(&stated, METADATA_OPTION, "label", file->label);
	path_layout_match(context->formats, file->where, &m);
	for (i = 0; i < m.n_metadata; i++) {
		if (m.metadata[i].is_label)
			metadata_label(&stated, METADATA_PATH,
			    m.metadata[i].key, m.metadata[i].value);
		else
			metadata_state(&stated,
			    m.metadata[i].user ? METADATA_TEMPLATE
					       : METADATA_PATH,
			    m.metadata[i].key, m.metadata[i].value, 0);
	}
	for (i = 0; i < n; i++)
		for (j = 0; j < logs[i]->n_metadata; j++) {
			const struct log_metadata *item = &logs[i]->metadata[j];

			if (strncmp(item->key, "label_", 6) == 0)
				metadata_label(&stated, METADATA_LOG,
				    item->key + 6, item->value);
			else
				metadata_state(&stated,
				    metadata_origin_of(item->voice), item->key,
				    item->value, item->line);
			if (i > 0)
				stated.items[stated.n - 1].file =
				    logs[i]->shown;
		}
	metadata_resolve(&stated, a, f);
	metadata_forget(&stated);
	path_layout_match_release(&m);
}

/* --- selection ------------------------------------------------------------ */

/* True if the run has this value of the key, of len bytes. */
static int
states_value(
    const struct metadata *f, const char *key, size_t len, const char *value)
{
	const struct {
		const char *key, *text;
		long count;
	} known[] = {
		{ "framework", f->framework, RESULT_UNKNOWN },
		{ "model", f->model, RESULT_UNKNOWN },
		{ "precision", f->precision, RESULT_UNKNOWN },
		{ "run", f->run, RESULT_UNKNOWN },
		{ "batch", NULL, f->batch_size_per_device },
		{ "nodes", NULL, f->nodes },
		{ "gpus", NULL, f->gpus },
		{ "gpus_per_node", NULL, f->gpus_per_node },
	};
	char number[32];

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		snprintf(number, sizeof number, "%ld", known[i].count);
		if (strncmp(known[i].key, key, len) == 0 &&
		    known[i].key[len] == '\0')
			return known[i].count != RESULT_UNKNOWN
			    ? strcmp(number, value) == 0
			    : text_same(known[i].text, value);
	}
	for (size_t i = 0; i < f->n_labels; i++)
		if (strncmp(f->labels[i].key, key, len) == 0 &&
		    f->labels[i].key[len] == '\0')
			return strcmp(f->labels[i].value, value) == 0;
	return 0;
}

int
run_job_is_selected(struct run_job *job, const struct run_job_context *context)
{
	const struct opt_list *select = &context->settings->selection;
	struct arena arena = ARENA_INIT;
	struct metadata f = { .framework = NULL };
	int is = 1;

	if (select->n == 0)
		return 1;
	run_job_metadata(job, context, NULL, 0, &arena, &f);
	for (size_t i = 0; i < select->n; i++) {
		const char *key = select->items[i];
		const size_t len = strcspn(key, "=");
		int any = 0; /* 1: it has one of the key's values */

		for (size_t k = 0; k < select->n; k++)
			any |= strncmp(select->items[k], key, len + 1) == 0 &&
			    states_value(
				&f, key, len, select->items[k] + len + 1);
		is &= any;
	}
	arena_release(&arena);
	return is;
}
