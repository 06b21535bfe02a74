/* The checksum line of scripts.  draw.c calls it; it knows no charts. */
#include <config.h>

#include "plots/script_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "plots/script.h"

static const char seal[] = "# as plot_results wrote it: ";
enum { SEAL_SIZE = sizeof seal - 1 + 16 + 1 }; /* with digits and line end */

/* FNV-1a (Fowler, Noll, Vo 1991): it has to notice edits, not forgers.  Scripts
 * carry it, so that another sum would take all that exist for edited. */
static uint64_t
script_checksum(const char *text, size_t len)
{
	uint64_t sum = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ (unsigned char)text[i]) * 0x100000001b3u;
	return sum;
}

void
script_file_seal(struct strbuf *script)
{
	strbuf_printf(script, "%s%016" PRIx64 "\n", seal,
	    script_checksum(script->buf, script->len));
}

static int
is_sealed(const struct strbuf *text)
{
	char line[SEAL_SIZE + 1];
	size_t body;

	if (text->len < SEAL_SIZE)
		return 0;
	body = text->len - SEAL_SIZE;
	snprintf(line, sizeof line, "%s%016" PRIx64 "\n", seal,
	    script_checksum(text->buf, body));
	return memcmp(text->buf + body, line, SEAL_SIZE) == 0;
}

int
script_file_check(const char *path, int force, struct error *e)
{
	struct strbuf text;
	struct stat st;
	char piece[16384];
	size_t got;
	int rc = 0;
	FILE *f;

	if (force || strcmp(path, "-") == 0 || stat(path, &st) != 0 ||
	    !S_ISREG(st.st_mode))
		return 0;
	f = fopen(path, "rb");
	if (f == NULL)
		return error_errno(e, errno, "cannot read '%s'", path);
	strbuf_init(&text, SCRIPT_MAX_BYTES);
	errno = 0;
	while ((got = fread(piece, 1, sizeof piece, f)) > 0)
		strbuf_add(&text, piece, got);
	if (ferror(f))
		rc = error_errno(e, errno, "cannot read '%s'", path);
	else if (text.len > 0 && !is_sealed(&text))
		rc = error_set(e, ERROR_INPUT,
		    "'%s' is not as plot_results wrote it: it was edited; keep "
		    "it under another name, or pass --force to overwrite it",
		    path);
	fclose(f);
	strbuf_release(&text);
	return rc;
}
