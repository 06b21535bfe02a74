/* A whole small file as one text: traces, scripts, tables.  Logs are never
 * read so; they may be larger than memory. */
#include <config.h>

#include "common/files/read_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/alloc.h"

enum { MAX_BYTES = 1 << 30 };

/* Without waiting for the writer of a FIFO. */
static FILE *
open_file(const char *path, struct error *e)
{
	struct stat st;
	FILE *f;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		error_set(e, ERROR_INPUT, "it is no file");
		return NULL;
	}
	f = fopen(path, "r");
	if (f == NULL)
		error_errno(e, errno, "cannot open it");
	return f;
}

char *
read_whole_file(const char *path, size_t *len, struct error *e)
{
	FILE *f = open_file(path, e);
	size_t alloc = 1 << 16, got;
	char *text;

	if (f == NULL)
		return NULL;
	text = xmalloc(alloc);
	*len = 0;
	while ((got = fread(text + *len, 1, alloc - *len - 1, f)) > 0) {
		*len += got;
		if (*len + 1 == alloc && alloc < MAX_BYTES)
			text = xreallocarray(text, alloc *= 2, 1);
	}
	text[*len] = '\0';
	if (ferror(f) || *len >= MAX_BYTES - 1) {
		if (ferror(f))
			error_errno(e, errno, "cannot read it");
		else
			error_set(e, ERROR_LIMIT, "is larger than 1 GiB");
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}
