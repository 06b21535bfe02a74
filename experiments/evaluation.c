/* Calls of extract_logs, report_results and plot_results with what the
 * experiment's file states.  main.c calls it when all runs are made; it knows
 * neither logs nor results, only the programs' options. */
#include <config.h>

#include "experiments/evaluation.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/outfile.h"
#include "common/process.h"
#include "common/strbuf.h"

/* The words of a command, all owned. */
struct command_words {
	char **items; /* ends with NULL */
	size_t n, alloc;
};

static void
add_word(struct command_words *w, char *text)
{
	w->items = vec_grow(w->items, w->n + 1, &w->alloc, sizeof *w->items);
	w->items[w->n++] = text;
	w->items[w->n] = NULL;
}

static void
release_words(struct command_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->items[i]);
	free(w->items);
}

/* Our own program of that name: next to us, else in $PATH. */
static char *
find_program(const struct evaluation *v, const char *name)
{
	char *path;

	if (v->own_dir == NULL)
		return xstrdup(name);
	path = xasprintf("%s/%s", v->own_dir, name);
	if (access(path, X_OK) == 0)
		return path;
	free(path);
	return xstrdup(name);
}

/* A word with {data} filled in. */
static char *
fill_data(const struct evaluation *v, const char *text)
{
	static const char field[] = "{data}";
	const char *at = strstr(text, field);

	if (at == NULL || v->data == NULL)
		return xstrdup(text);
	return xasprintf(
	    "%.*s%s%s", (int)(at - text), text, v->data, at + sizeof field - 1);
}

static void
add_setting(
    const struct evaluation *v, struct command_words *w, enum sweep_key key)
{
	const struct setting *s = &v->sweep->groups[0].set[key];

	for (size_t i = 0; i < s->n; i++)
		add_word(w, fill_data(v, s->words[i].text));
}

/* The values of a key as "--option=a,b"; nothing where there are none. */
static void
add_list(const struct evaluation *v, struct command_words *w,
    enum sweep_key key, const char *option)
{
	const struct setting *s = &v->sweep->groups[0].set[key];
	struct strbuf sb;

	if (s->n == 0)
		return;
	strbuf_init(&sb, SWEEP_MAX_BYTES);
	strbuf_addstr(&sb, option);
	for (size_t i = 0; i < s->n; i++)
		strbuf_printf(&sb, "%s%s", i > 0 ? "," : "=", s->words[i].text);
	add_word(w, strbuf_detach(&sb));
}

/* Run it; what it prints on stderr is shown.
 *
 * out  takes its stdout; NULL: it is not wanted */
static int
run_words(const struct command_words *w, FILE *out, struct error *e)
{
	FILE *in = fopen("/dev/null", "re");
	FILE *nowhere = fopen("/dev/null", "we");
	int absent, status = -1;

	fflush(stdout);
	if (in != NULL && nowhere != NULL)
		status = process_run(w->items, in, out != NULL ? out : nowhere,
		    stderr, &absent, e);
	else
		error_errno(e, errno, "cannot open /dev/null");
	if (in != NULL)
		fclose(in);
	if (nowhere != NULL)
		fclose(nowhere);
	if (status > 0)
		error_set(e,
		    status == EXIT_STATUS_EMPTY ? ERROR_EMPTY : ERROR_INPUT,
		    "'%s' ended with status %d", w->items[0], status);
	return status == 0 ? 0 : -1;
}

char *
evaluation_result(const struct evaluation *v)
{
	return xasprintf("%s/%s_result.json", v->output_dir, v->name);
}

static int
evaluation_extract(const struct evaluation *v, struct error *e)
{
	struct command_words w = { NULL, 0, 0 };
	char *result = evaluation_result(v);
	int rc;

	add_word(&w, find_program(v, "extract_logs"));
	add_word(&w, xasprintf("--output=%s", result));
	add_setting(v, &w, SWEEP_EXTRACT_OPTIONS);
	add_word(&w, xstrdup(v->log_dir));
	rc = run_words(&w, NULL, e);
	release_words(&w);
	free(result);
	return rc;
}

/* report_results on the result.
 *
 * is_page  write the page instead of tables
 * path     of the file; NULL: tables on stdout */
static int
evaluation_report(
    const struct evaluation *v, int is_page, const char *path, struct error *e)
{
	struct command_words w = { NULL, 0, 0 };
	int rc;

	add_word(&w, find_program(v, "report_results"));
	if (is_page) {
		add_word(&w, xstrdup("--html"));
	} else {
		add_list(v, &w, SWEEP_TABLE, "--table");
		add_setting(v, &w, SWEEP_REPORT_OPTIONS);
	}
	if (path != NULL)
		add_word(&w, xasprintf("--output=%s", path));
	add_word(&w, evaluation_result(v));
	rc = run_words(&w, path == NULL ? stdout : NULL, e);
	if (rc == 0 && path != NULL)
		printf("%s\n", path);
	release_words(&w);
	return rc;
}

/* Is there a gnuplot?  Charts are scripts without one. */
static int
has_gnuplot(void)
{
	const char *name = getenv("GNUPLOT");
	char program[] = "gnuplot", option[] = "--version", *argv[3];
	FILE *in = fopen("/dev/null", "re"), *out = fopen("/dev/null", "we");
	int absent, status = -1;
	char *copy = name != NULL && *name != '\0' ? xstrdup(name) : NULL;

	argv[0] = copy != NULL ? copy : program;
	argv[1] = option;
	argv[2] = NULL;
	if (in != NULL && out != NULL)
		status = process_run(argv, in, out, out, &absent, NULL);
	if (in != NULL)
		fclose(in);
	if (out != NULL)
		fclose(out);
	free(copy);
	return status == 0;
}

static int
evaluation_plot(const struct evaluation *v, struct error *e)
{
	struct command_words w = { NULL, 0, 0 };
	int rc;

	add_word(&w, find_program(v, "plot_results"));
	add_list(v, &w, SWEEP_CHART, "--chart");
	add_setting(v, &w, SWEEP_PLOT_OPTIONS);
	add_word(&w, xasprintf("--output-dir=%s", v->output_dir));
	add_word(&w, xasprintf("--name=%s", v->name));
	if (!has_gnuplot())
		add_word(&w, xstrdup("--format=gp"));
	add_word(&w, evaluation_result(v));
	rc = run_words(&w, stdout, e);
	release_words(&w);
	return rc;
}

int
evaluation_make(const struct evaluation *v, struct error *e)
{
	char *tables = xasprintf("%s/%s.md", v->output_dir, v->name);
	char *page = xasprintf("%s/%s.html", v->output_dir, v->name);
	int rc = make_folders(v->output_dir, e);

	if (rc == 0)
		rc = evaluation_extract(v, e);
	if (rc == 0)
		rc = evaluation_report(v, 0, NULL, e);
	if (rc == 0)
		rc = evaluation_report(v, 0, tables, e);
	if (rc == 0 && v->sweep->groups[0].set[SWEEP_CHART].n > 0)
		rc = evaluation_plot(v, e);
	if (rc == 0)
		rc = evaluation_report(v, 1, page, e);
	free(tables);
	free(page);
	return rc;
}

/* An empty file states that the images are all there. */
static int
write_nothing(FILE *f, void *context, struct error *e)
{
	(void)f;
	(void)context;
	(void)e;
	return 0;
}

int
evaluation_prepare(const struct evaluation *v, struct error *e)
{
	const struct setting *s = &v->sweep->groups[0].set[SWEEP_PREPARE];
	struct command_words w = { NULL, 0, 0 };
	char *done;
	int rc = 0;

	if (s->n == 0 || v->data == NULL)
		return 0;
	/* An interrupted command leaves a folder without this file. */
	done = xasprintf("%s/complete", v->data);
	if (access(done, F_OK) != 0) {
		add_word(&w, find_program(v, s->words[0].text));
		for (size_t i = 1; i < s->n; i++)
			add_word(&w, fill_data(v, s->words[i].text));
		rc = run_words(&w, NULL, e);
		if (rc == 0)
			rc = outfile_write(done, write_nothing, NULL, e);
	}
	release_words(&w);
	free(done);
	return rc;
}
