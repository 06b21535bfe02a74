/* What report_results and plot_results read: result JSON and files of
 * published figures, told apart by their first character, both as a result.
 *
 * A published figure has no runs, interval or count; its cell is kept as it
 * was written, so that "383.760" stays that and "OOM" is not lost.
 *
 *	struct source_list l = SOURCE_LIST_INIT;
 *	if (source_list_read(&l, operands, n, &e) != 0) ...
 *	for (size_t i = 0; i < l.n; i++)
 *		printf("%s: %zu cases\n", l.items[i].name,
 *		    l.items[i].result.n_cases);
 *	source_list_release(&l);
 */
#ifndef COMMON_SOURCE_H
#define COMMON_SOURCE_H

#include <stddef.h>

#include "common/error.h"
#include "common/result.h"

struct source {
	const char *path;     /* as given, without the label; "stdin" for - */
	const char *label;    /* of label=path, or NULL */
	const char *name;     /* label, or path without folder and ending */
	struct result result; /* its arena owns all strings here */
	const char **texts;   /* [n_cases] cells as published; NULL: this is a
	                         measured result */
	const long *lines;    /* [n_cases] where the cells stand, as texts */
	const char **origins; /* where the figures were published */
	size_t n_origins;
};

struct source_list {
	struct source *items;
	size_t n, alloc;
};

#define SOURCE_LIST_INIT \
	{ \
		NULL, 0, 0 \
	}

enum { SOURCE_MAX_BYTES = 256 << 20 };

/* Read operands, each "path", "label=path" or "-" for stdin.
 *
 * Returns 0; -1 with ERROR_USAGE without operands, ERROR_SYSTEM if a file
 * cannot be read, ERROR_LIMIT if it is larger than SOURCE_MAX_BYTES, else as
 * result_parse and figures_parse. */
int source_list_read(
    struct source_list *l, char *const *operands, size_t n, struct error *e);

/* As outfile_spare: is the output none of these files?  NULL is fine. */
int source_list_spare(
    const struct source_list *l, const char *output, struct error *e);

/* Free all; the list is empty. */
void source_list_release(struct source_list *l);

/* Where case i stands, for messages: "a.json: cases[3] (4n8g)" or
 * "b.figures:12 (4n8g)".  Free with free(). */
char *source_place(const struct source *s, size_t i);

/* What a path is called: "resnet50" of "result/resnet50_result.json".  Free
 * with free(). */
char *source_name(const char *path);

#endif
