/* Metadata in files beside a log, as programs that run benchmarks keep the
 * configuration of their runs.
 *
 * The names of such a file and of the log's part of it are relative to the
 * log's folder. In them {N} is the N-th component from the end of the log's
 * path, 1 being its name, and {N#} the longest number in it, without leading
 * zeros. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "extract/scan/scanner_state.h"

enum { MAX_BYTES = 16 << 20, MAX_PARTS = 64 /* of a log */ };

/* Set [*from, *to) to the n-th component from the end of a path. Returns 0 if
 * it has fewer. */
static int
find_component(const char *path, long n, const char **from, const char **to)
{
	*from = path + strlen(path) + 1;
	do {
		*to = *from - 1;
		for (*from = *to; *from > path && (*from)[-1] != '/';)
			--*from;
	} while (--n > 0 && *from > path);
	return n == 0 && *to > *from;
}

/* Narrow [*from, *to) to its longest number. */
static void
find_number(const char **from, const char **to)
{
	const char *best = *from, *end = *to;
	size_t most = 0;

	for (const char *at = *from; at < end; at++) {
		const char *digits = at;

		while (at < end && isdigit((unsigned char)*at))
			at++;
		if ((size_t)(at - digits) > most) {
			most = (size_t)(at - digits);
			best = digits;
		}
	}
	while (most > 1 && *best == '0') {
		best++;
		most--;
	}
	*from = best;
	*to = best + most;
}

/* Replace {...} of a text by parts of a path. NULL if the path has none. */
static const char *
fill_in(struct arena *a, const char *text, const char *path)
{
	const char *open = strchr(text, '{'), *from, *to, *rest;
	char *end;
	long n;

	if (open == NULL)
		return text;
	n = strtol(open + 1, &end, 10);
	if (n < 1 || !find_component(path, n, &from, &to))
		return NULL;
	if (*end == '#')
		find_number(&from, &to);
	rest = strchr(end, '}');
	rest = rest != NULL ? fill_in(a, rest + 1, path) : NULL;
	return rest == NULL ? NULL
			    : arena_printf(a, "%.*s%.*s%s", (int)(open - text),
				  text, (int)(to - from), from, rest);
}

/* Search the records of a text. */
static void
look_at_records(struct scanner *s, const struct format *f, char *text)
{
	const char *mark = f->record != NULL ? f->record : "\n";
	char *end;

	for (; text != NULL && *text != '\0';
	     text = end != NULL ? end + strlen(mark) : NULL) {
		end = strstr(text, mark);
		if (end != NULL)
			*end = '\0';
		for (char *at = text; *at != '\0'; at++)
			*at = *at == '\n' ? ' ' : *at;
		scanner_look_for_metadata(s, text, strlen(text));
	}
}

/* Search the part of a text that begins with its filled-in start, up to the
 * next part with any start; then the parts that it names as its parents.
 *
 * left  number of parts that may still be searched */
static void
look_at_part(struct scanner *s, const struct format *f, const char *text,
    const char *filled, int *left)
{
	struct arena *a = &s->now.log->arena;
	const char *start = arena_strndup(a, f->part, strcspn(f->part, "{"));
	const char *rest = strchr(f->part, '}'), *end;
	const char *from = filled != NULL ? strstr(text, filled) : NULL;
	char *part, *parents, *name;

	if (from == NULL || (*left)-- == 0)
		return;
	end = strstr(from + strlen(filled), start);
	part = end != NULL ? arena_strndup(a, from, (size_t)(end - from))
			   : arena_strdup(a, from);
	parents = f->parents != NULL ? strstr(part, f->parents) : NULL;
	parents = parents != NULL
	    ? arena_strdup(a, parents + strlen(f->parents))
	    : NULL;
	look_at_records(s, f, part);
	if (parents != NULL)
		parents[strcspn(parents, "<")] = '\0';
	while ((name = strsep(&parents, ", ")) != NULL)
		if (*name != '\0')
			look_at_part(s, f, text,
			    arena_printf(a, "%s%s%s", start, name,
				rest != NULL ? rest + 1 : ""),
			    left);
}

void
scanner_look_beside(struct scanner *s)
{
	struct log *log = s->now.log;
	const char *slash = strrchr(log->path, '/');
	const int64_t line = s->now.line;

	s->now.line = 0; /* no line of the log states it */
	for (size_t i = 0; i < s->set->n_metadata; i++) {
		const struct format *f = s->set->metadata[i];
		struct arena *a = &log->arena;
		const char *name =
		    f->beside != NULL ? fill_in(a, f->beside, log->path) : NULL;
		struct error e;
		struct stat st;
		int left = MAX_PARTS;
		char *text;
		size_t len;

		if (name == NULL)
			continue;
		name = arena_printf(a, "%.*s%s",
		    slash != NULL ? (int)(slash - log->path) + 1 : 0, log->path,
		    name);
		if (stat(name, &st) != 0 || !S_ISREG(st.st_mode) ||
		    st.st_size > MAX_BYTES ||
		    (text = read_whole_file(name, &len, &e)) == NULL)
			continue;
		s->now.beside = f;
		if (f->part != NULL)
			look_at_part(
			    s, f, text, fill_in(a, f->part, log->path), &left);
		else
			look_at_records(s, f, text);
		free(text);
	}
	s->now.beside = NULL;
	s->now.line = line;
}
