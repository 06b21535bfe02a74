#include <config.h>

#include "extract/job/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/files/infile.h"
#include "common/strbuf.h"
#include "extract/format/format.h"

#define PROTOCOL_FILE "known.protocols"

/* Parts of a row. */
enum { NAME, OPTIONS, MEANING, N_PARTS };

/* Divide a row at '|' and strip the parts. Returns 0; -1 if there are more or
 * fewer, or an empty one. */
static int
split_row(char *row, char *parts[N_PARTS])
{
	for (int i = 0; i < N_PARTS; i++) {
		char *end =
		    i + 1 < N_PARTS ? strchr(row, '|') : row + strlen(row);

		if (end == NULL)
			return -1;
		parts[i] = row + strspn(row, " \t");
		row = *end == '|' ? end + 1 : end;
		while (end > parts[i] && strchr(" \t\r", end[-1]) != NULL)
			end--;
		if (end <= parts[i])
			return -1;
		*end = '\0';
	}
	return strchr(parts[MEANING], '|') != NULL ? -1 : 0;
}

/* Find the row of a name in a file.
 *
 * parts  set if it is found, in memory of a
 * known  gets a line for each row
 *
 * Returns 0, or -1 for a bad file. */
static int
read_file(const char *path, const char *name, struct arena *a,
    char *parts[N_PARTS], struct strbuf *known, struct error *e)
{
	struct error ignored = ERROR_INIT;
	size_t len;
	char *text = read_whole_file(path, &len, &ignored), *row, *rest = text;
	long line = 0;
	int rc = 0;

	while (rc == 0 && (row = strsep(&rest, "\n")) != NULL) {
		char *own[N_PARTS], *copy = arena_strdup(a, row);

		line++;
		if (row[strspn(row, " \t\r")] == '\0' || row[0] == '#')
			continue;
		rc = split_row(copy, own);
		if (rc != 0) {
			error_set(e, ERROR_INPUT,
			    "%s:%ld: a protocol is 'NAME | OPTION=VALUE ... | "
			    "meaning'",
			    path, line);
			break;
		}
		strbuf_printf(known, "\n  %-18s %s", own[NAME], own[MEANING]);
		if (parts[NAME] == NULL && strcmp(own[NAME], name) == 0)
			memcpy(parts, own, sizeof own);
	}
	free(text);
	return rc;
}

/* Set the options for the window of the iterations printed as "A-B". */
static int
set_iterations(struct settings *s, const char *range, struct error *e)
{
	long from = 0, to = 0;
	int end = 0;

	if (sscanf(range, "%9ld-%9ld%n", &from, &to, &end) != 2 ||
	    range[end] != '\0' || from < 1 || to < from)
		return error_set(
		    e, ERROR_INPUT, "iterations '%s' are not A-B", range);

	const struct result_pair options[] = { { "rule", "window" },
		{ "skip-iterations", "0" },
		{ "warmup-batches", arena_printf(&s->arena, "%ld", from - 1) },
		{ "train-batches", arena_printf(&s->arena, "%ld", to) },
		{ "epoch", "auto" }, { "aggregate", "time" } };

	s->rule.by_number = 1;
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		if (options_set(&extract_program, options[i].key,
			options[i].value, e) != 0)
			return -1;
	return 0;
}

/* Set the option of a word "NAME=VALUE". */
static int
set_option(struct settings *s, char *word, struct error *e)
{
	char *value = strchr(word, '=');

	if (value == NULL)
		return error_set(
		    e, ERROR_INPUT, "'%s' is not OPTION=VALUE", word);
	*value++ = '\0';
	if (strcmp(word, "iterations") == 0)
		return set_iterations(s, value, e);
	if (strcmp(word, "score") == 0 && strcmp(value, RESULT_OLYMPIC) == 0) {
		s->rule.score = RESULT_OLYMPIC;
		return 0;
	}
	if (strcmp(word, "scripts") != 0 || strcmp(value, "dlperf") != 0)
		return options_set(&extract_program, word, value, e);
	s->compat = value;
	return 0;
}

int
protocol_apply(struct settings *s, struct error *e)
{
	const char *script = strchr(s->rule.protocol, ':');
	struct arena *a = &s->arena;
	const char *name = script == NULL
	    ? s->rule.protocol
	    : arena_strndup(
		  a, s->rule.protocol, (size_t)(script - s->rule.protocol));
	char *parts[N_PARTS] = { NULL }, *word;
	struct search_path path;
	struct strbuf known;
	int rc = 0;

	strbuf_init(&known, ERROR_MESSAGE_SIZE);
	search_path_init(&path, s->format_dirs.items, s->format_dirs.n);
	for (size_t i = 0; rc == 0 && i < path.n_dirs; i++)
		rc = read_file(
		    arena_printf(a, "%s/%s", path.dirs[i].path, PROTOCOL_FILE),
		    name, a, parts, &known, e);
	search_path_release(&path);
	if (rc == 0 && name[0] == '\0')
		rc = error_set(
		    e, ERROR_USAGE, "--protocol: known are%s", known.buf);
	else if (rc == 0 && parts[NAME] == NULL)
		rc = error_set(e, ERROR_USAGE,
		    "--protocol: '%s' is not known; known are%s", name,
		    known.buf);
	strbuf_release(&known);
	if (rc != 0)
		return -1;
	s->rule.protocol = parts[NAME];
	while (rc == 0 && (word = strsep(&parts[OPTIONS], " \t")) != NULL)
		if (*word != '\0')
			rc = set_option(s, word, e);
	if (rc == 0 && script != NULL && s->compat == NULL)
		rc = error_set(e, ERROR_USAGE, "it has no scripts");
	s->compat_script = script != NULL ? script + 1 : "";
	return rc == 0 ? 0 : error_prefix(e, "--protocol=%s", s->rule.protocol);
}
