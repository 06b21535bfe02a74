#include <config.h>

#include "common/series/result_set.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/process.h"
#include "common/program/confine.h"
#include "common/published/published.h"
#include "common/result/work_rate.h"
#include "common/series/runs_table.h"

enum { HEAD_BYTES = 1 << 16 };

static const char blanks[] = " \t\n\v\f\r";

/* --- logs ----------------------------------------------------------------- */

/* True if the file name is that of a document with tables: Markdown, CSV, TSV
 * or LaTeX. */
static int
is_document(const char *path)
{
	static const char *const endings[] = { ".md", ".markdown", ".csv",
		".tsv", ".tex" };
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot != NULL && i < 5; i++)
		if (strcasecmp(dot, endings[i]) == 0)
			return 1;
	return 0;
}

/* True if the text begins with an object or an array. */
static int
is_json_text(const char *text)
{
	text += strspn(text, blanks);
	return *text == '{' || *text == '[';
}

/* A log operand and its result. */
struct extracted {
	const char *path; /* borrowed from argv */
	struct strbuf json;
};

static struct extracted *extracted;
static size_t n_extracted, alloc_extracted;

const struct strbuf *
log_operand_result(const char *path)
{
	for (size_t i = 0; i < n_extracted; i++)
		if (strcmp(extracted[i].path, path) == 0)
			return &extracted[i].json;
	return NULL;
}

/* True if a file begins like a log, not like a result or prediction (both name
 * their schema first), a table of runs, or reference values. */
static int
begins_as_log(const char *path)
{
	char head[HEAD_BYTES + 1], *text = head;
	FILE *f = fopen(path, "rb");
	size_t len;

	if (f == NULL)
		return 0;
	len = fread(head, 1, HEAD_BYTES, f);
	fclose(f);
	head[len] = '\0';
	if (strncmp(head, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		len -= 3;
	}
	if (strspn(text, blanks) == len || runs_table_is_file(path))
		return 0;
	return is_json_text(text)
	    ? memmem(text, len, "\"schema\"", 8) == NULL &&
		memmem(text, len, "\"cases\"", 7) == NULL &&
		!published_is_dlperf(text, len)
	    : !reference_values_are(text, len);
}

/* Call begins_as_log in a sandboxed child process: this process must not read
 * any input before it enters its own sandbox. */
static int
begins_as_log_confined(const char *path)
{
	const char *const no_output = NULL;
	const pid_t pid = fork();
	int status = 1;

	if (pid == 0)
		_exit(confine_calls(NULL) != 0 ||
		    confine_writing(&no_output, 1, 0, NULL) != 0 ||
		    !begins_as_log(path));
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Run the command and read its standard output. Returns its exit status, or
 * -1. */
static int
read_output(char **argv, struct strbuf *out, struct error *e)
{
	FILE *in = fopen("/dev/null", "r"), *pipe = tmpfile();
	char piece[16384];
	size_t got;
	int absent, status = -1;

	if (in == NULL || pipe == NULL) {
		error_set(e, ERROR_SYSTEM, "cannot make a temporary file");
	} else {
		status = process_run(argv, in, pipe, stderr, &absent, e);
		rewind(pipe);
		while ((got = fread(piece, 1, sizeof piece, pipe)) > 0)
			strbuf_add(out, piece, got);
	}
	if (in != NULL)
		fclose(in);
	if (pipe != NULL)
		fclose(pipe);
	return status;
}

/* Extract paths [n] as one result. A file without usable logs is not an error
 * here: the reader of results reports it. */
static int
extract(char *const *paths, size_t n, int is_folder,
    const struct opt_list *options, struct error *e)
{
	/* Run the extract_logs next to this program, else the one in $PATH. */
	char *folder = install_path_own_folder();
	struct extracted x = { paths[0], STRBUF_INIT(RESULT_FILE_MAX_BYTES) };
	struct arena a = ARENA_INIT;
	size_t argc = 1, room = n + 6;
	char **argv, *word;
	int status;

	for (size_t i = 0; i < options->n; i++)
		room += strlen(options->items[i]);
	argv = arena_calloc(&a, room, sizeof *argv);
	argv[0] =
	    arena_printf(&a, "%s/extract_logs", folder != NULL ? folder : "");
	if (folder == NULL || access(argv[0], X_OK) != 0)
		argv[0] = arena_strdup(&a, "extract_logs");
	free(folder);
	for (size_t i = 0; i <= options->n; i++) {
		char *words = arena_strdup(
		    &a, i < options->n ? options->items[i] : "-o - --");

		while ((word = strsep(&words, " \t")) != NULL)
			if (word[0] != '\0')
				argv[argc++] = word;
	}
	memcpy(argv + argc, paths, n * sizeof *argv);
	status = read_output(argv, &x.json, e);
	arena_release(&a);
	if (status == 0 && !x.json.full) {
		extracted = vec_grow(extracted, n_extracted, &alloc_extracted,
		    sizeof *extracted);
		extracted[n_extracted++] = x;
		return 0;
	}
	strbuf_release(&x.json);
	if (status < 0 || (status == EXIT_STATUS_EMPTY && !is_folder))
		return status < 0 ? -1 : 0;
	if (status == 0)
		return error_set(e, ERROR_LIMIT,
		    "%s: its result is larger than %d MiB", paths[0],
		    RESULT_FILE_MAX_BYTES >> 20);
	return error_set(e,
	    status == EXIT_STATUS_USAGE       ? ERROR_USAGE
		: status == EXIT_STATUS_EMPTY ? ERROR_EMPTY
					      : ERROR_INPUT,
	    "%s: extract_logs cannot extract it", paths[0]);
}

int
log_operands_extract(char **operands, size_t *n, enum log_operands which,
    const struct opt_list *options, struct error *e)
{
	char **group = xcalloc(*n + 1, sizeof *group);
	size_t n_group = 0, kept = 0;
	int rc = 0;

	for (size_t i = 0; i < *n && rc == 0; i++) {
		size_t label_len;
		char *path = operands[i] +
		    (operand_path(operands[i], &label_len) - operands[i]);
		struct stat st = { .st_mode = 0 };
		const int there =
		    strcmp(path, "-") != 0 && stat(path, &st) == 0;
		const int is_folder = there && S_ISDIR(st.st_mode);
		/* Opening a FIFO would block. */
		const int logs = is_folder ||
		    (there && which != OPERANDS_FOLDERS &&
			S_ISREG(st.st_mode) && !is_document(path) &&
			begins_as_log_confined(path));

		if (logs && which == OPERANDS_TOGETHER && !is_folder &&
		    label_len == 0) {
			group[n_group++] = path;
			if (n_group > 1)
				continue;
		} else if (logs) {
			rc = extract(&path, 1, is_folder, options, e);
		}
		operands[kept++] = operands[i];
	}
	*n = kept;
	if (rc == 0 && n_group > 0)
		rc = extract(group, n_group, 0, options, e);
	free(group);
	return rc;
}

/* --- files ---------------------------------------------------------------- */

char *
result_file_name(const char *path)
{
	static const char *const endings[] = { "_result.json", ".json",
		".figures", ".md", ".csv", ".tex", ".log" };
	char *name;
	size_t len;

	if (strcmp(path, "-") == 0)
		return xstrdup("stdin");
	name = path_last_part(path);
	len = strlen(name);
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		const size_t n = strlen(endings[i]);

		if (len > n && strcmp(name + len - n, endings[i]) == 0) {
			name[len - n] = '\0';
			break;
		}
	}
	return name;
}

static int
result_file_parse(struct result_file *s, const char *shown,
    const struct strbuf *sb, struct error *e)
{
	const size_t mark =
	    sb->len >= 3 && memcmp(sb->buf, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	const char *text = sb->buf + mark;
	const size_t len = sb->len - mark;
	const int is_json = is_json_text(text);
	const int has_schema =
	    is_json && memmem(text, len, "\"schema\"", 8) != NULL;
	int is_known, rc = 1;

	if (is_json && published_is_dlperf(text, len))
		return reference_values_parse(shown, text, len, 1, s, e);
	if (!has_schema)
		rc = runs_table_parse(shown, text, len, &s->result, e);
	if (rc <= 0)
		return rc;
	if (is_document(shown))
		return reference_values_parse(shown, text, len, 1, s, e);
	if ((is_json ? result_parse(shown, text, len, &s->result, e)
		     : reference_values_parse(shown, text, len, 0, s, e)) == 0)
		return 0;
	/* Logs of JSON lines have no schema. */
	is_known = is_json ? has_schema : reference_values_are(text, len);
	if (is_known || e == NULL || e->code != ERROR_INPUT)
		return -1;
	return error_prefix(e,
	    "%s: neither a result nor reference values nor a log that "
	    "extract_logs can read\nas reference values",
	    shown);
}

static int
result_file_read(struct result_file *s, const char *operand, struct error *e)
{
	struct strbuf sb = STRBUF_INIT(RESULT_FILE_MAX_BYTES);
	size_t label_len;
	const char *path = operand_path(operand, &label_len);
	const char *shown = strcmp(path, "-") == 0 ? "stdin" : path;
	const struct strbuf *of_logs = log_operand_result(path);
	char *name;
	int rc;

	*s = (struct result_file){ 0 };
	rc = of_logs != NULL ? 0 : text_file_read(path, &sb, e);
	if (rc == 0)
		rc = result_file_parse(
		    s, shown, of_logs != NULL ? of_logs : &sb, e);
	strbuf_release(&sb);
	if (rc != 0)
		return -1;
	s->path = arena_strdup(&s->result.arena, shown);
	if (label_len > 0)
		s->label = arena_strndup(&s->result.arena, operand, label_len);
	name = result_file_name(path);
	s->name =
	    s->label != NULL ? s->label : arena_strdup(&s->result.arena, name);
	free(name);
	return 0;
}

int
result_set_read(
    struct result_set *l, char *const *operands, size_t n, struct error *e)
{
	const size_t first = l->n;
	const char *all = "";
	size_t n_units = 0;

	if (options_check_operands(operands, n, SIZE_MAX,
		"logs, results of extract_logs, or files of reference values",
		e) != 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		l->items =
		    vec_grow(l->items, l->n, &l->alloc, sizeof *l->items);
		if (result_file_read(&l->items[l->n], operands[i], e) != 0) {
			result_set_release(l);
			return -1;
		}
		l->n++;
	}
	/* Use "samples/s" if results name samples differently: images,
	 * sequences, examples. */
	for (size_t i = first; i < l->n; i++)
		for (size_t k = 0; k < l->items[i].result.n_cases; k++) {
			const char *unit = l->items[i].result.cases[k].unit;

			if (!unit_counts_samples(unit) ||
			    strstr(all, unit) != NULL)
				continue;
			n_units++;
			all = arena_join(
			    &l->items[first].result.arena, all, ", ", unit);
		}
	if (n_units < 2)
		return 0;
	for (size_t i = first; i < l->n; i++) {
		struct result *r = &l->items[i].result;

		l->items[i].united = all;
		for (size_t k = 0; k < r->n_cases; k++)
			r->cases[k].unit = unit_alike_name(r->cases[k].unit);
	}
	result_file_remark(&l->items[first],
	    arena_printf(&l->items[first].result.arena,
		"%s are counted as one: samples/s", all));
	return 0;
}

void
result_file_remark(struct result_file *s, const char *text)
{
	s->remarks = arena_grow(
	    &s->result.arena, s->remarks, s->n_remarks, sizeof *s->remarks);
	s->remarks[s->n_remarks++] = text;
}

void
result_set_print_remarks(const struct result_set *l, const char *program)
{
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->items[i].n_remarks; k++) {
			char *text = xstrdup(l->items[i].remarks[k]);

			text_sanitise(text, "");
			fprintf(stderr, "%s: %s\n", program, text);
			free(text);
		}
}

int
result_set_spare(
    const struct result_set *l, const char *output, struct error *e)
{
	for (size_t i = 0; i < l->n; i++)
		if (outfile_spare(output, &l->items[i].path, 1, e) != 0)
			return -1;
	return 0;
}

void
result_set_release(struct result_set *l)
{
	for (size_t i = 0; i < l->n; i++)
		result_release(&l->items[i].result);
	free(l->items);
	*l = RESULT_SET_INIT;
}

/* --- another metric ------------------------------------------------------- */

static int
choose_of_file(
    struct result_file *s, const struct run_metric *metric, struct error *e)
{
	struct result *r = &s->result;
	size_t dropped = 0, kept = 0;

	if (s->values != NULL)
		return error_set(e, ERROR_INPUT,
		    "%s: --metric=%s: published values have no runs", s->path,
		    metric->name);
	for (size_t i = 0; i < r->n_cases; i++) {
		struct result_case *c = &r->cases[i];
		const size_t all = c->n_runs;

		/* Keep the runs that have the metric. */
		c->n_runs = 0;
		c->unit = metric->unit;
		for (size_t k = 0; k < all; k++) {
			struct result_run run = c->runs[k];
			const struct result_metric *m =
			    run_metric_of(&run, metric->name);

			if (m == NULL || !(m->value > 0))
				continue;
			run.value = m->value;
			run.samples_per_s = NAN;
			run.rounding = (struct result_rounding){ NAN, NAN };
			/* Computed from the steps for the old value. */
			run.audit.half_width = NAN;
			c->runs[c->n_runs++] = run;
		}
		dropped += all - c->n_runs;
		if (c->n_runs == 0)
			continue;
		case_summarise(c, r->rule.confidence);
		result_case_clear_speedup(c);
		r->cases[kept++] = *c;
	}
	if (kept == 0)
		return error_set(e, ERROR_EMPTY,
		    "%s: --metric=%s: not stated by any run", s->path,
		    metric->name);
	r->n_cases = kept;
	r->rule.metric = metric->name;
	if (dropped > 0)
		result_file_remark(s,
		    arena_printf(&r->arena, "%s: runs without %s left out: %zu",
			s->path, metric->name, dropped));
	return 0;
}

int
result_set_choose_metric(
    struct result_set *l, const char *name, struct error *e)
{
	const struct run_metric *metric = run_metric_find(name);

	for (size_t i = 0; name != NULL && i < l->n; i++) {
		struct result_file *s = &l->items[i];
		const char *measured = s->result.rule.metric;
		int is_speed;

		if (measured == NULL)
			measured = "throughput";
		is_speed = strcmp(measured, "throughput") == 0;
		if (strcmp(measured, name) == 0)
			continue;
		if (metric == NULL || (!is_speed && s->values == NULL))
			return error_set(e, ERROR_INPUT,
			    "%s: holds the metric %s, not %s; measure the logs "
			    "again with extract_logs --metric=%s",
			    s->path, measured, name, name);
		if (choose_of_file(s, metric, e) != 0)
			return -1;
	}
	return 0;
}
