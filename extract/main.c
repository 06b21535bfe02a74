/* extract_logs: extracts a table and a result from logs of training runs. */
#include <config.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/json/json.h"
#include "common/program/confine.h"
#include "common/program/options.h"
#include "common/result/case_text.h"
#include "common/series/runs_table.h"
#include "common/table/table.h"
#include "common/terminal.h"
#include "common/text.h"
#include "common/texts/remark.h"
#include "extract/dlperf/dlperf.h"
#include "extract/modes.h"
#include "extract/job/extraction.h"
#include "extract/job/settings.h"
#include "extract/log/log.h"

static const char program[] = "extract_logs";

/* folder  with the logs that the notes are about; NULL: they name the logs */
static void
print_notes(
    const struct case_notes *notes, const char *kind, const char *folder)
{
	for (size_t i = 0; i < notes->n; i++)
		fprintf(stderr, "%s: %s%s%s%s\n", program, kind,
		    folder != NULL ? folder : "", folder != NULL ? ": " : "",
		    notes->items[i]);
}

static int
is_stdout(const char *path)
{
	return path != NULL && strcmp(path, "-") == 0;
}

/* True if two results were made with the same options. */
static int
is_same_rule(const struct result_rule *a, const struct result_rule *b)
{
	return text_order(a->rule, b->rule) == 0 &&
	    a->skip_iterations == b->skip_iterations &&
	    a->warmup_batches == b->warmup_batches &&
	    a->train_batches == b->train_batches &&
	    a->from_iteration == b->from_iteration &&
	    text_order(a->epoch, b->epoch) == 0 &&
	    text_order(a->aggregate, b->aggregate) == 0 &&
	    text_order(a->metric, b->metric) == 0 &&
	    text_order(a->protocol, b->protocol) == 0 &&
	    text_order(a->scaling, b->scaling) == 0 &&
	    text_order(a->baseline, b->baseline) == 0 &&
	    fabs(a->confidence - b->confidence) < 1e-12;
}

/* True if the default path has a result of other settings: a call that shows
 * another view of the logs does not replace it. */
static int
keeps_other_result(const struct extraction *x, const char *path)
{
	const struct settings *s = x->settings;
	struct error ignored = ERROR_INIT;
	struct result old;
	int keeps;

	if (s->output != NULL || s->force || !result_is_file(path) ||
	    runs_table_or_result_read(path, &old, &ignored) != 0)
		return 0;
	keeps = options_given("select") ||
	    !is_same_rule(&old.rule, &x->result.rule);
	result_release(&old);
	return keeps;
}

/* Refuse to overwrite JSON of another program: DLPerf's scripts use the same
 * file name. */
static int
spare_foreign(const char *path, struct error *e)
{
	if (!json_file_begins(path, "{") || result_is_file(path))
		return 0;
	return error_set(e, ERROR_INPUT,
	    "cannot write '%s': it is JSON of another program; remove it, or "
	    "choose another file with --output",
	    path);
}

/* Render the table, which may fail, then write the result, then print the
 * table: stdout may be closed early (by head), and SIGPIPE ends the process.
 * The table is printed even if the result cannot be written. */
static int
write_all(struct extraction *x, const char *path, struct error *e)
{
	const struct settings *s = x->settings;
	char *table = NULL;
	size_t len = 0;
	int kept = 0, rc = 0;
	FILE *f;

	/* Standard output may be used for other data. */
	if (!is_stdout(s->output) && !is_stdout(s->records)) {
		f = open_memstream(&table, &len);
		if (f == NULL)
			xmalloc(SIZE_MAX); /* exits with "out of memory" */
		tables_write(&x->result, s->table, table_format_find(s->format),
		    language_find(NULL), table_colour_of_file(NULL), f);
		if (ferror(f) || fclose(f) != 0)
			xmalloc(SIZE_MAX);
	}
	kept = keeps_other_result(x, path);
	if (!kept && s->output == NULL &&
	    (spare_foreign(path, e) != 0 ||
		make_folders(s->output_dir, e) != 0))
		rc = -1;
	if (rc == 0 && !kept)
		rc = extraction_write(x, path, e);
	if (kept && table != NULL)
		fprintf(stderr,
		    "%s: kept %s, a result of other settings; --force replaces "
		    "it, -o FILE writes another\n",
		    program, path);
	else if (rc == 0 && !s->quiet && !is_stdout(path))
		fprintf(stderr, "%s: wrote %s\n", program, path);
	if (table != NULL)
		fputs(table, terminal_raw());
	if (rc == 0)
		rc = stdout_finish(e);
	free(table);
	return rc;
}

/* True if the text of some run was not read completely. */
static int
has_loss(const struct result *r)
{
	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t k = 0; k < r->cases[i].n_runs; k++) {
			const struct result_run *run = &r->cases[i].runs[k];

			for (size_t f = 0; f < run->n_flags; f++) {
				const enum remark_code code =
				    run->flags[f].code;

				if (code == REMARK_RECORDS_CUT ||
				    code == REMARK_TRAILING ||
				    code == REMARK_MATCH_LIMIT)
					return 1;
			}
		}
	return 0;
}

/* Restrict writing to the outputs, so that no log can change other files.
 *
 * asks  1: only questions about logs are answered, which writes nothing */
static int
confine_to_outputs(
    int asks, const char *const *operands, size_t n, struct error *e)
{
	const struct settings *s = &settings;
	char *inside = xasprintf("%s/result", s->output_dir);
	const char *const outputs[] = { s->output != NULL ? s->output : inside,
		s->records };
	int spools =
	    asks && (text_same(s->explain, "-") || text_same(s->suggest, "-"));
	int rc;

	for (size_t i = 0; i < n; i++)
		spools |= strcmp(operands[i], "-") == 0;
	rc = confine_writing(outputs, asks ? 0 : 2, spools, e);
	free(inside);
	return rc;
}

/* --- Modes -----------------------------------------------------------------*/

/* Extract and write, once or until --follow ends. Warnings are printed after a
 * failure, too. */
static int
extract(struct extraction *x, const char *const *operands, size_t n,
    struct error *e)
{
	const struct settings *s = x->settings;
	char *name = extraction_name(s, operands, n);
	char *path = s->output != NULL
	    ? xstrdup(s->output)
	    : xasprintf("%s/%s_result.json", s->output_dir, name);
	struct stat st;
	/* Programs with folders of logs as operands run this one for each: name
	 * the folder in the warnings. */
	const char *folder = n == 1 && is_stdout(path) &&
		stat(operands[0], &st) == 0 && S_ISDIR(st.st_mode)
	    ? operands[0]
	    : NULL;
	int rc;

	free(name);
	if (s->follow) {
		rc = follow(x, operands, n, path, e);
		free(path);
		return rc;
	}
	rc = extraction_run(x, operands, n, e);
	if (s->verbose)
		print_notes(&x->details, "", folder);
	if (!s->quiet)
		print_notes(&x->notes, "warning: ", folder);
	if (rc == 0)
		rc = write_all(x, path, e);
	free(path);
	n = x->result.n_excluded;
	if (rc == 0 && s->strict && n > 0)
		return error_set(e, ERROR_INPUT,
		    "%zu log%s excluded, and --strict was given", n,
		    n == 1 ? " was" : "s were");
	if (rc == 0 && s->strict && has_loss(&x->result))
		return error_set(e, ERROR_INPUT,
		    "a log was not read completely, and --strict was given");
	return rc;
}

static int
do_as_dlperf(const char *dir, struct error *e)
{
	struct dlperf_outcome c;
	int outcome = dlperf_run(&settings, dir, &c, e);

	fputs(c.messages.buf, stderr);
	if (outcome == 0 && c.path != NULL)
		outcome = result_is_file(c.path)
		    ? error_set(e, ERROR_INPUT,
			  "cannot write '%s': it is a result of "
			  "extract_logs, which holds more than DLPerf's; "
			  "choose another file with --output",
			  c.path)
		    : settings.output == NULL && make_folder_of(c.path, e) != 0
		    ? -1
		    : outfile_write(c.path, &c.file, e);
	if (outcome == 0 && (c.path == NULL || !is_stdout(c.path)))
		fputs(c.text.buf, stdout);
	if (outcome == 0 && c.n_failures > 0)
		outcome = EXIT_STATUS_INPUT;
	dlperf_outcome_release(&c);
	return outcome;
}

/* Run the options about formats, which replace extracting. */
static int
answer_questions(struct extraction *x, struct error *e)
{
	const struct settings *s = x->settings;
	const struct table_format *as = table_format_find(s->format);
	const struct format *forced = NULL;

	if (s->log_format != NULL) {
		forced = format_get(&x->formats, s->log_format, e);
		if (forced == NULL)
			return error_prefix(e, "--log-format");
	}
	if (s->list_formats != NULL &&
	    explain_list(&x->formats, s->list_formats, as, stdout, e) != 0)
		return -1;
	if (s->list_fields)
		explain_fields(as, stdout);
	if (s->show_format != NULL &&
	    explain_show(&x->formats, s->show_format, stdout, e) != 0)
		return error_prefix(e, "--show-format");
	if (s->explain != NULL &&
	    explain_file(&x->formats, s->explain, forced, stdout, e) != 0)
		return -1;
	if (s->suggest != NULL &&
	    suggest_format(&x->formats, s->suggest, stdout, e) != 0)
		return -1;
	if (s->check_formats && explain_check(&x->formats, stdout, stderr) > 0)
		return error_set(
		    e, ERROR_INPUT, "--check-formats: there are mistakes");
	return 0;
}

static int
work(char **given, size_t n, struct error *e)
{
	const char *const *operands = (const char *const *)given;
	const struct settings *s = &settings;
	struct extraction x;
	int asks, rc;

	if (confine_calls(e) != 0 || settings_check(&settings, (int)n, e) != 0)
		return -1;
	asks = settings_ask_of_formats(s);
	if (!asks && strcmp(s->compat_script, "list") == 0) {
		dlperf_script_list(stdout);
		return EXIT_STATUS_OK;
	}
	if (!asks && !s->explain_paths && s->compat != NULL)
		return do_as_dlperf(
		    n > 0 ? operands[0] : s->log_dirs.items[0], e);
	/* Load formats before confining: afterwards the kernel checks all
	 * parent folders of each file that is opened. */
	rc = extraction_load(&x, s, e);
	if (rc == 0)
		rc = confine_to_outputs(
		    asks || s->explain_paths, operands, n, e);
	if (rc == 0)
		rc = asks              ? answer_questions(&x, e)
		    : s->explain_paths ? explain_paths(&x, operands, n, e)
				       : extract(&x, operands, n, e);
	extraction_release(&x);
	return rc;
}

int
main(int argc, char **argv)
{
	return program_main(&extract_program, argc, argv, work);
}
