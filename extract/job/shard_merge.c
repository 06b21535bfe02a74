#include <config.h>

#include "extract/job/shard_merge.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/program/options.h"
#include "extract/job/settings.h"

int
shard_merge_wanted(const char *const *operands, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (shard_file_is(operands[i]))
			return 1;
	return 0;
}

/* An option that only one of two parts was made with. */
static const char *
option_of_one(const struct shard_file *a, const struct shard_file *b)
{
	size_t i, j;

	for (i = 0; i < a->n_options; i++) {
		for (j = 0; j < b->n_options; j++)
			if (strcmp(a->options[i], b->options[j]) == 0)
				break;
		if (j == b->n_options)
			return a->options[i];
	}
	return NULL;
}

/* Do two parts belong together? */
static int
check_pair(
    const struct shard_file *a, const struct shard_file *b, struct error *e)
{
	const char *only;

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
		    "%s: is of another tree than %s: operands, files or their "
		    "sizes differ",
		    b->file, a->file);
	only = option_of_one(a, b);
	if (only != NULL)
		return error_set(e, ERROR_INPUT,
		    "%s: was made without %s, but %s with it", b->file, only,
		    a->file);
	only = option_of_one(b, a);
	if (only != NULL)
		return error_set(e, ERROR_INPUT,
		    "%s: was made with %s, but %s without it", b->file, only,
		    a->file);
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
	size_t i;

	for (i = 1; i < m->n; i++)
		if (check_pair(&m->parts[0], &m->parts[i], e) != 0)
			return -1;
	if (shard_file_check_options(&m->parts[0], e) != 0)
		return -1;
	qsort(m->parts, m->n, sizeof *m->parts, by_index);
	for (i = 0; i < m->n; i++) {
		const struct shard_file *p = &m->parts[i];

		if (i > 0 && p->index == p[-1].index)
			return error_set(e, ERROR_INPUT,
			    "%s: part %ld of %ld is there already: %s", p->file,
			    p->index, p->of, p[-1].file);
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
		    "part %ld of %ld is missing; %zu are there", expected,
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
	size_t i;

	*m = (struct shard_merge){ .arena = ARENA_INIT };
	m->parts = arena_calloc(&m->arena, n, sizeof *m->parts);
	for (i = 0; i < n; i++) {
		if (!shard_file_is(operands[i]))
			return error_set(e, ERROR_INPUT,
			    "%s: not a part of a result, as others are",
			    operands[i]);
		if (shard_file_read(operands[i], &m->parts[i], &m->arena, e) !=
		    0)
			return -1;
		m->n++;
	}
	return shard_merge_check(m, e);
}

void
shard_merge_release(struct shard_merge *m)
{
	arena_release(&m->arena);
	*m = (struct shard_merge){ .arena = ARENA_INIT };
}

static void
take_problems(const struct shard_file *part, struct file_list *list)
{
	size_t i;

	list->problems = xcalloc(part->n_problems, sizeof *list->problems);
	list->n_problems = list->alloc_problems = part->n_problems;
	for (i = 0; i < part->n_problems; i++)
		list->problems[i] =
		    (struct file_list_problem){ part->problems[i].path,
			    part->problems[i].why.args[0].text };
	list->n_skipped = part->files_skipped;
}

void
shard_merge_into(const struct shard_merge *m, struct extraction *x)
{
	struct run_job_list *jobs = &x->jobs;

	*jobs = (struct run_job_list){ .arena = ARENA_INIT };
	jobs->items =
	    xcalloc((size_t)m->parts[0].runs_in_tree, sizeof *jobs->items);
	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 0; k < m->parts[i].n_jobs; k++)
			jobs->items[jobs->n++] = m->parts[i].jobs[k];
	take_problems(&m->parts[0], &x->files);
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
