/* Calls of extract_logs, report_results and plot_results with what the
 * experiment's file states. */
#include <config.h>

#include "experiments/experiment.h"

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
find_program(const struct experiment *x, const char *name)
{
	char *path;

	if (x->site.own_dir == NULL)
		return xstrdup(name);
	path = xasprintf("%s/%s", x->site.own_dir, name);
	if (access(path, X_OK) == 0)
		return path;
	free(path);
	return xstrdup(name);
}

/* A word with {data} filled in. */
static char *
fill_data(const struct experiment *x, const char *text)
{
	static const char field[] = "{data}";
	const char *at = strstr(text, field);

	if (at == NULL || x->data == NULL)
		return xstrdup(text);
	return xasprintf(
	    "%.*s%s%s", (int)(at - text), text, x->data, at + sizeof field - 1);
}

static void
add_setting(
    const struct experiment *x, struct command_words *w, enum sweep_key key)
{
	const struct setting *s = &x->sweep.groups[0].set[key];

	for (size_t i = 0; i < s->n; i++)
		add_word(w, fill_data(x, s->words[i].text));
}

/* The values of a key as "--option=a,b"; nothing where there are none. */
static void
add_list(const struct experiment *x, struct command_words *w,
    enum sweep_key key, const char *option)
{
	const struct setting *s = &x->sweep.groups[0].set[key];
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
experiment_result(const struct experiment *x)
{
	return xasprintf("%s/%s_result.json", x->output_dir, x->name);
}

static int
extract(const struct experiment *x, struct error *e)
{
	struct command_words w = { NULL, 0, 0 };
	char *result = experiment_result(x);
	int rc;

	add_word(&w, find_program(x, "extract_logs"));
	add_word(&w, xasprintf("--output=%s", result));
	add_setting(x, &w, SWEEP_EXTRACT_OPTIONS);
	add_word(&w, xstrdup(x->log_dir));
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
report(
    const struct experiment *x, int is_page, const char *path, struct error *e)
{
	struct command_words w = { NULL, 0, 0 };
	int rc;

	add_word(&w, find_program(x, "report_results"));
	if (is_page) {
		add_word(&w, xstrdup("--html"));
	} else {
		add_list(x, &w, SWEEP_TABLE, "--table");
		add_setting(x, &w, SWEEP_REPORT_OPTIONS);
	}
	if (path != NULL)
		add_word(&w, xasprintf("--output=%s", path));
	add_word(&w, experiment_result(x));
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
	struct command_words w = { NULL, 0, 0 };
	struct error ignored = ERROR_INIT;
	int rc;

	add_word(&w, xstrdup(name != NULL && *name != '\0' ? name : "gnuplot"));
	add_word(&w, xstrdup("--version"));
	rc = run_words(&w, NULL, &ignored);
	release_words(&w);
	return rc == 0;
}

static int
plot(const struct experiment *x, struct error *e)
{
	struct command_words w = { NULL, 0, 0 };
	int rc;

	add_word(&w, find_program(x, "plot_results"));
	add_list(x, &w, SWEEP_CHART, "--chart");
	add_setting(x, &w, SWEEP_PLOT_OPTIONS);
	add_word(&w, xasprintf("--output-dir=%s", x->output_dir));
	add_word(&w, xasprintf("--name=%s", x->name));
	if (!has_gnuplot())
		add_word(&w, xstrdup("--format=gp"));
	add_word(&w, experiment_result(x));
	rc = run_words(&w, stdout, e);
	release_words(&w);
	return rc;
}

int
experiment_evaluate(const struct experiment *x, struct error *e)
{
	char *tables = xasprintf("%s/%s.md", x->output_dir, x->name);
	char *page = xasprintf("%s/%s.html", x->output_dir, x->name);
	int rc = make_folders(x->output_dir, e);

	if (rc == 0)
		rc = extract(x, e);
	if (rc == 0)
		rc = report(x, 0, NULL, e);
	if (rc == 0)
		rc = report(x, 0, tables, e);
	if (rc == 0 && x->sweep.groups[0].set[SWEEP_CHART].n > 0)
		rc = plot(x, e);
	if (rc == 0)
		rc = report(x, 1, page, e);
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
experiment_prepare(const struct experiment *x, struct error *e)
{
	const struct setting *s = &x->sweep.groups[0].set[SWEEP_PREPARE];
	struct command_words w = { NULL, 0, 0 };
	char *done;
	int rc = 0;

	if (s->n == 0 || x->data == NULL)
		return 0;
	/* An interrupted command leaves a folder without this file. */
	done = xasprintf("%s/complete", x->data);
	if (access(done, F_OK) != 0) {
		add_word(&w, find_program(x, s->words[0].text));
		for (size_t i = 1; i < s->n; i++)
			add_word(&w, fill_data(x, s->words[i].text));
		rc = run_words(&w, NULL, e);
		if (rc == 0)
			rc = outfile_write(done, write_nothing, NULL, e);
	}
	release_words(&w);
	free(done);
	return rc;
}
