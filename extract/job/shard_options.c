/* Which options a part carries and which a merge may be given.
 *
 * A part is a file that anyone may have written.  Its options are put on the
 * command line of the merge, so only those that are known to choose figures
 * are let in: no file decides where extract_logs writes. */
#include <config.h>

#include "extract/job/shard_options.h"

#include <stddef.h>
#include <string.h>

#include "common/program/options.h"
#include "extract/job/settings.h"

enum {
	MEASURING = 1, /* changes figures */
	LATE = 2       /* may be given when parts are merged */
};

static const struct shard_option {
	const char *name;
	int is;
} shard_options[] = {
	{ "log-dir", 0 },
	{ "log-format", MEASURING },
	{ "format-dir", 0 }, /* the part has a hash of all formats */
	{ "select", MEASURING },
	{ "rule", MEASURING },
	{ "skip-iterations", MEASURING },
	{ "warmup-batches", MEASURING },
	{ "train-batches", MEASURING },
	{ "strict-window", MEASURING },
	{ "epoch", MEASURING },
	{ "from-iteration", MEASURING },
	{ "aggregate", MEASURING },
	{ "metric", MEASURING },
	{ "unit", MEASURING },
	{ "flop-per-sample", MEASURING },
	{ "parameters", MEASURING },
	{ "peak-tflops", MEASURING },
	{ "baseline", MEASURING | LATE },
	{ "scaling", MEASURING | LATE },
	{ "confidence", MEASURING | LATE },
	{ "allow-mixed", MEASURING | LATE },
	{ "framework", MEASURING },
	{ "model", MEASURING },
	{ "precision", MEASURING },
	{ "batch-size-per-device", MEASURING },
	{ "batch-size", MEASURING },
	{ "sequence-length", MEASURING },
	{ "nodes", MEASURING },
	{ "gpus", MEASURING },
	{ "gpus-per-node", MEASURING },
	{ "run", MEASURING },
	{ "path", MEASURING },
	{ "map", MEASURING },
	{ "rate-scope", MEASURING },
	{ "output-dir", LATE },
	{ "output", LATE },
	{ "name", LATE },
	{ "format", LATE },
	{ "table", LATE },
	{ "records", 0 },
	{ "compat", 0 },
	{ "no-hash", MEASURING },
	{ "quiet", LATE },
	{ "verbose", LATE },
	{ "strict", LATE },
	{ "jobs", LATE },
	{ "follow", 0 },
	{ "interval", 0 },
	{ "timeout", 0 },
	{ "shard", 0 },
	{ "explain", 0 },
	{ "suggest", 0 },
	{ "list-formats", 0 },
	{ "list-fields", 0 },
	{ "show-format", 0 },
	{ "explain-paths", 0 },
	{ "check-formats", 0 },
};

static const struct shard_option *
shard_option_find(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof shard_options / sizeof *shard_options;
	     i++)
		if (strlen(shard_options[i].name) == len &&
		    strncmp(shard_options[i].name, name, len) == 0)
			return &shard_options[i];
	return NULL;
}

static int
shard_option_is(const char *name, size_t len, int what)
{
	const struct shard_option *o = shard_option_find(name, len);

	return o != NULL && (o->is & what) != 0;
}

int
shard_option_is_measuring(const char *long_name)
{
	return shard_option_is(long_name, strlen(long_name), MEASURING);
}

int
shard_option_is_late(const char *long_name)
{
	return shard_option_is(long_name, strlen(long_name), LATE);
}

int
shard_option_is_known(const char *long_name)
{
	return shard_option_find(long_name, strlen(long_name)) != NULL;
}

/* The row of the program's table. */
static const struct opt *
shard_option_row(const char *name, size_t len)
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
shard_option_is_sound(const char *text)
{
	const struct opt *row;
	size_t len;

	if (strncmp(text, "--", 2) != 0)
		return 0;
	len = strcspn(text + 2, "=");
	row = shard_option_row(text + 2, len);
	return row != NULL && shard_option_is(text + 2, len, MEASURING) &&
	    (row->kind == OPT_FLAG) == (text[2 + len] == '\0');
}

int
shard_options_check(const struct shard_file *part, struct error *e)
{
	for (size_t i = 0; i < part->n_options; i++)
		if (!shard_option_is_sound(part->options[i]))
			return error_set(e, ERROR_INPUT,
			    "%s: options[%zu]: '%.200s' is no option that "
			    "chooses what is measured",
			    part->file, i, part->options[i]);
	return 0;
}

int
shard_options_settle(const struct shard_file *part, int argc, char **argv,
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
