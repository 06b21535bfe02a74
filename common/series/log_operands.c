#include <config.h>

#include "common/series/log_operands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/process.h"
#include "common/program/confine.h"
#include "common/published/published.h"
#include "common/series/result_set.h"
#include "common/series/runs_table.h"

enum { HEAD_BYTES = 1 << 16 };

static const char blanks[] = " \t\n\v\f\r";

/* A log operand and its result. */
struct extracted {
	const char *path; /* borrowed from argv */
	struct strbuf json;
};

static struct extracted *extracted;
static size_t n_extracted, alloc_extracted;

int
operand_is_document(const char *path)
{
	static const char *const endings[] = { ".md", ".markdown", ".csv",
		".tsv", ".tex" };
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot != NULL && i < 5; i++)
		if (strcasecmp(dot, endings[i]) == 0)
			return 1;
	return 0;
}

const struct strbuf *
log_operand_result(const char *path)
{
	for (size_t i = 0; i < n_extracted; i++)
		if (strcmp(extracted[i].path, path) == 0)
			return &extracted[i].json;
	return NULL;
}

int
operand_text_is_json(const char *text)
{
	text += strspn(text, blanks);
	return *text == '{' || *text == '[';
}

/* True if a file begins as a log: neither as a result or prediction, both of
 * which name their schema first, nor as reference values. */
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
	if (strspn(text, blanks) == len || runs_table_is_file(path, 0))
		return 0;
	return operand_text_is_json(text)
	    ? memmem(text, len, "\"schema\"", 8) == NULL &&
		memmem(text, len, "\"cases\"", 7) == NULL &&
		!published_is_dlperf(text, len)
	    : !reference_values_are(text, len);
}

/* As begins_as_log, in a child process with the sandbox closed: this process
 * must not look at any input before it closes its own. */
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

/* Append the words of text to argv [*n], which has room. */
static void
add_words(const char *text, char **argv, size_t *n, struct arena *a)
{
	while (*(text += strspn(text, " \t")) != '\0') {
		const size_t len = strcspn(text, " \t");

		argv[(*n)++] = arena_strndup(a, text, len);
		text += len;
	}
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

	if (in == NULL || pipe == NULL)
		error_set(e, ERROR_SYSTEM, "cannot make a temporary file");
	else
		status = process_run(argv, in, pipe, stderr, &absent, e);
	if (status >= 0) {
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

/* Extract paths [n] as one result. A file without usable logs is no error: the
 * reader of results reports what it is. */
static int
extract(char *const *paths, size_t n, int is_folder,
    const struct opt_list *options, struct error *e)
{
	static const enum error_code codes[] = { [EXIT_STATUS_USAGE] =
						     ERROR_USAGE,
		[EXIT_STATUS_INPUT] = ERROR_INPUT,
		[EXIT_STATUS_EMPTY] = ERROR_EMPTY };
	/* The extract_logs next to this program, else that in $PATH. */
	char *folder = install_path_own_folder();
	struct arena a = ARENA_INIT;
	struct extracted *x;
	size_t argc = 0, room = n + 6;
	char **argv;
	int status;

	for (size_t i = 0; i < options->n; i++)
		room += strlen(options->items[i]);
	argv = arena_calloc(&a, room, sizeof *argv);
	argv[0] =
	    arena_printf(&a, "%s/extract_logs", folder != NULL ? folder : "");
	if (folder == NULL || access(argv[0], X_OK) != 0)
		argv[0] = arena_strdup(&a, "extract_logs");
	free(folder);
	argc = 1;
	for (size_t i = 0; i < options->n; i++)
		add_words(options->items[i], argv, &argc, &a);
	add_words("-o - --", argv, &argc, &a);
	memcpy(argv + argc, paths, n * sizeof *argv);
	extracted = vec_grow(
	    extracted, n_extracted, &alloc_extracted, sizeof *extracted);
	x = &extracted[n_extracted++];
	x->path = paths[0];
	strbuf_init(&x->json, RESULT_FILE_MAX_BYTES);
	status = read_output(argv, &x->json, e);
	arena_release(&a);
	if (status < 0)
		return -1;
	if (x->json.full)
		return error_set(e, ERROR_LIMIT,
		    "%s: its result is larger than %d MiB", paths[0],
		    RESULT_FILE_MAX_BYTES >> 20);
	if (status == EXIT_STATUS_EMPTY && !is_folder) {
		strbuf_release(&extracted[--n_extracted].json);
		return 0;
	}
	return status == 0
	    ? 0
	    : error_set(e,
		  status >= EXIT_STATUS_USAGE && status <= EXIT_STATUS_EMPTY
		      ? codes[status]
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
			S_ISREG(st.st_mode) && !operand_is_document(path) &&
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
