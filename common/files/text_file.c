/* Files that are read whole: results, documents.  Logs are not; extract/input
 * reads those by pieces. */
#include <config.h>

#include "common/files/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int
text_file_read(const char *path, struct strbuf *sb, struct error *e)
{
	const int is_stdin = strcmp(path, "-") == 0;
	FILE *f = is_stdin ? stdin : fopen(path, "rb");
	char piece[16384];
	size_t got;
	int rc = 0;

	if (f == NULL)
		return error_errno(e, errno, "cannot read '%s'", path);
	errno = 0;
	while ((got = fread(piece, 1, sizeof piece, f)) > 0 && !sb->full)
		strbuf_add(sb, piece, got);
	if (ferror(f))
		rc = error_errno(e, errno, "cannot read '%s'", path);
	else if (sb->full)
		rc = error_at(e, ERROR_LIMIT, path, 0, 0, "larger than %zu MiB",
		    sb->max >> 20);
	if (!is_stdin)
		fclose(f);
	return rc;
}
