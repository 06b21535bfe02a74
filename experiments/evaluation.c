/* Runs extract_logs, report_results and plot_results with the options of an
 * experiment's file. */
#include <config.h>

#include "experiments/experiment.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/arena.h"
#include "common/files/outfile.h"
#include "common/process.h"
#include "common/strbuf.h"

/* The words of a command. */
struct command_words {
	struct arena arena;
	char **items; /* ends with NULL */
	size_t n, alloc;
};

__attribute__((format(printf, 2, 3))) static void
add_word(struct command_words *w, const char *format, ...)
{
	va_list args;

	w->items = vec_grow(w->items, w->n + 1, &w->alloc, sizeof *w->items);
	va_start(args, format);
	w->items[w->n++] = arena_vprintf(&w->arena, format, args);
	va_end(args);
	w->items[w->n] = NULL;
}

/* Path of one of our programs: in our own folder, else in $PATH. */
static void
add_program(
    const struct experiment *x, struct command_words *w, const char *name)
{
	if (x->site.own_dir != NULL) {
		add_word(w, "%s/%s", x->site.own_dir, name);
		if (access(w->items[w->n - 1], X_OK) == 0)
			return;
		w->n--;
	}
	add_word(w, "%s", name);
}

/* A word with {data} filled in. */
static void
add_filled(
    const struct experiment *x, struct command_words *w, const char *text)
{
	static const char field[] = "{data}";
	const char *at = strstr(text, field);

	if (at == NULL || x->data == NULL)
		add_word(w, "%s", text);
	else
		add_word(w, "%.*s%s%s", (int)(at - text), text, x->data,
		    at + sizeof field - 1);
}

static void
add_setting(
    const struct experiment *x, struct command_words *w, enum sweep_key key)
{
	const struct setting *s = &x->sweep.groups[0].set[key];

	for (size_t i = 0; i < s->n; i++)
		add_filled(x, w, s->words[i].text);
}

/* Add the values of a key as "--option=a,b", if any. */
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
	add_word(w, "%s", sb.buf);
	strbuf_release(&sb);
}

/* Run a command and free it. Its stderr is shown.
 *
 * out  output: its stdout; NULL: discarded */
static int
run_words(struct command_words *w, FILE *out, struct error *e)
{
	FILE *nothing = fopen("/dev/null", "r+e");
	int absent, status = -1;

	fflush(stdout);
	if (nothing != NULL) {
		status = process_run(w->items, nothing,
		    out != NULL ? out : nothing, stderr, &absent, e);
		fclose(nothing);
	} else {
		error_errno(e, errno, "cannot open /dev/null");
	}
	if (status > 0)
		error_set(e,
		    status == EXIT_STATUS_EMPTY ? ERROR_EMPTY : ERROR_INPUT,
		    "'%s' ended with status %d", w->items[0], status);
	free(w->items);
	arena_release(&w->arena);
	return status == 0 ? 0 : -1;
}

static int
extract(const struct experiment *x, struct error *e)
{
	struct command_words w = { .n = 0 };

	add_program(x, &w, "extract_logs");
	add_word(&w, "--output=%s", x->result);
	add_setting(x, &w, SWEEP_EXTRACT_OPTIONS);
	add_word(&w, "%s", x->log_dir);
	return run_words(&w, NULL, e);
}

/* report_results on the result.
 *
 * ending  of the file, "md" for tables, "html" for the page; NULL: tables on
 *         stdout */
static int
report(const struct experiment *x, const char *ending, struct error *e)
{
	struct command_words w = { .n = 0 };
	int rc;

	add_program(x, &w, "report_results");
	if (ending != NULL && strcmp(ending, "html") == 0) {
		add_word(&w, "--html");
	} else {
		add_list(x, &w, SWEEP_TABLE, "--table");
		add_setting(x, &w, SWEEP_REPORT_OPTIONS);
	}
	if (ending != NULL)
		add_word(
		    &w, "--output=%s/%s.%s", x->output_dir, x->name, ending);
	add_word(&w, "%s", x->result);
	rc = run_words(&w, ending == NULL ? stdout : NULL, e);
	if (rc == 0 && ending != NULL)
		printf("%s/%s.%s\n", x->output_dir, x->name, ending);
	return rc;
}

/* True if gnuplot is installed; else only scripts are written. */
static int
has_gnuplot(void)
{
	const char *name = getenv("GNUPLOT");
	struct command_words w = { .n = 0 };
	struct error ignored = ERROR_INIT;

	add_word(&w, "%s", name != NULL && *name != '\0' ? name : "gnuplot");
	add_word(&w, "--version");
	return run_words(&w, NULL, &ignored) == 0;
}

static int
plot(const struct experiment *x, struct error *e)
{
	struct command_words w = { .n = 0 };

	add_program(x, &w, "plot_results");
	add_list(x, &w, SWEEP_CHART, "--chart");
	add_setting(x, &w, SWEEP_PLOT_OPTIONS);
	add_word(&w, "--output-dir=%s", x->output_dir);
	add_word(&w, "--name=%s", x->name);
	if (!has_gnuplot())
		add_word(&w, "--format=gp");
	add_word(&w, "%s", x->result);
	return run_words(&w, stdout, e);
}

int
experiment_evaluate(const struct experiment *x, struct error *e)
{
	if (make_folders(x->output_dir, e) != 0 || extract(x, e) != 0 ||
	    report(x, NULL, e) != 0 || report(x, "md", e) != 0)
		return -1;
	if (x->sweep.groups[0].set[SWEEP_CHART].n > 0 && plot(x, e) != 0)
		return -1;
	return report(x, "html", e);
}

/* An empty file marks the set of images as complete. */
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
	struct command_words w = { .n = 0 };
	char *done;
	int rc = 0;

	if (s->n == 0 || x->data == NULL)
		return 0;
	/* The marker is missing after an interruption. */
	done = xasprintf("%s/complete", x->data);
	if (access(done, F_OK) != 0) {
		add_program(x, &w, s->words[0].text);
		for (size_t i = 1; i < s->n; i++)
			add_filled(x, &w, s->words[i].text);
		rc = run_words(&w, NULL, e);
		if (rc == 0)
			rc = outfile_write(done, write_nothing, NULL, e);
	}
	free(done);
	return rc;
}
