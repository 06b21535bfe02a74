#include <config.h>

#include "common/files/infile.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"

enum { WHOLE_FILE_MAX = 1 << 30 };

const char *
operand_path(const char *operand, size_t *label_len)
{
	const char *equals = strchr(operand, '=');

	*label_len = 0;
	if (equals == NULL || equals == operand || equals[1] == '\0' ||
	    access(operand, F_OK) == 0 ||
	    memchr(operand, '/', (size_t)(equals - operand)) != NULL)
		return operand;
	*label_len = (size_t)(equals - operand);
	return equals + 1;
}

char *
path_last_part(const char *path)
{
	size_t len = strlen(path), start;
	char *real, *name;

	while (len > 1 && path[len - 1] == '/')
		len--;
	for (start = len; start > 0 && path[start - 1] != '/'; start--)
		;
	name = xstrndup(path + start, len - start);
	if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
		return name;
	free(name);
	real = realpath(path, NULL);
	name = xstrdup(real != NULL ? strrchr(real, '/') + 1 : "");
	free(real);
	return name;
}

/* Returns 0, or an errno; sb->full is set if the file is too large. */
static int
read_stream(FILE *f, struct strbuf *sb)
{
	char piece[16384];
	size_t got;

	errno = 0;
	while ((got = fread(piece, 1, sizeof piece, f)) > 0 && !sb->full)
		strbuf_add(sb, piece, got);
	return ferror(f) ? errno : 0;
}

int
text_file_read(const char *path, struct strbuf *sb, struct error *e)
{
	const int is_stdin = strcmp(path, "-") == 0;
	FILE *f = is_stdin ? stdin : fopen(path, "rb");
	int why;

	if (f == NULL)
		return error_errno(e, errno, "cannot open '%s'", path);
	why = read_stream(f, sb);
	if (!is_stdin)
		fclose(f);
	if (why != 0)
		return error_errno(e, why, "cannot read '%s'", path);
	if (sb->full)
		return error_at(e, ERROR_LIMIT, path, 0, 0,
		    "larger than %zu MiB", sb->max >> 20);
	return 0;
}

char *
read_whole_file(const char *path, size_t *len, struct error *e)
{
	struct stat st;
	struct strbuf sb = STRBUF_INIT(WHOLE_FILE_MAX);
	FILE *f;
	int why;

	/* Opening a FIFO would block. */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		error_set(e, ERROR_INPUT, "it is no file");
		return NULL;
	}
	f = fopen(path, "r");
	if (f == NULL) {
		error_errno(e, errno, "cannot open it");
		return NULL;
	}
	why = read_stream(f, &sb);
	fclose(f);
	*len = sb.len;
	if (why == 0 && !sb.full)
		return strbuf_detach(&sb);
	if (why != 0)
		error_errno(e, why, "cannot read it");
	else
		error_set(e, ERROR_LIMIT, "is larger than 1 GiB");
	strbuf_release(&sb);
	return NULL;
}

char *
install_path_own_folder(void)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);
	char *slash;

	if (len <= 0)
		return NULL;
	path[len] = '\0';
	slash = strrchr(path, '/');
	if (slash == NULL)
		return NULL;
	*slash = '\0';
	return xstrdup(path);
}

char *
install_path_find(const char *folder, const char *name, struct error *e)
{
	char *here = install_path_own_folder(), *path = NULL;
	const char *const places[][2] = { { getenv("DLSCALE_DATADIR"), "" },
		{ here, "/share" }, { here, "/../share/dlscale" },
		{ PKGDATADIR, "" } };
	struct strbuf tried = STRBUF_INIT(ERROR_MESSAGE_SIZE / 2);

	for (size_t i = 0; i < 4 && path == NULL; i++) {
		if (places[i][0] == NULL || places[i][0][0] == '\0')
			continue;
		path = xasprintf("%s%s/%s%s%s", places[i][0], places[i][1],
		    folder, name != NULL ? "/" : "", name != NULL ? name : "");
		if (access(path, R_OK) == 0)
			continue;
		strbuf_printf(&tried, "%s%s", tried.len > 0 ? ", " : "", path);
		free(path);
		path = NULL;
	}
	if (path == NULL)
		error_set(e, ERROR_SYSTEM,
		    "missing data file '%s' (tried: %s); install dlscale again "
		    "or set DLSCALE_DATADIR",
		    name != NULL ? name : folder, tried.buf);
	strbuf_release(&tried);
	free(here);
	return path;
}

char *
user_folder(const char *folder)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (xdg != NULL && xdg[0] == '/')
		return xasprintf("%s/dlscale/%s", xdg, folder);
	return home != NULL && home[0] != '\0'
	    ? xasprintf("%s/.config/dlscale/%s", home, folder)
	    : NULL;
}
