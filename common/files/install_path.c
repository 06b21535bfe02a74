/* Where the program and its data files lie, in a build tree as well as in an
 * installation that was moved. */
#include <config.h>

#include "common/files/install_path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/strbuf.h"

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

/* Is it there?  Otherwise remember it in tried.  base NULL is nowhere. */
static char *
try_place(const char *base, const char *middle, const char *folder,
    const char *name, struct strbuf *tried)
{
	char *path;

	if (base == NULL || base[0] == '\0')
		return NULL;
	path = xasprintf("%s%s/%s%s%s", base, middle, folder,
	    name != NULL ? "/" : "", name != NULL ? name : "");
	if (access(path, R_OK) == 0)
		return path;
	strbuf_printf(tried, "%s%s", tried->len > 0 ? ", " : "", path);
	free(path);
	return NULL;
}

char *
install_path_find(const char *folder, const char *name, struct error *e)
{
	char *here = install_path_own_folder(), *path;
	struct strbuf tried;

	strbuf_init(&tried, ERROR_MESSAGE_SIZE / 2);
	path = try_place(getenv("DLSCALE_DATADIR"), "", folder, name, &tried);
	if (path == NULL)
		path = try_place(here, "/share", folder, name, &tried);
	if (path == NULL)
		path =
		    try_place(here, "/../share/dlscale", folder, name, &tried);
	if (path == NULL)
		path = try_place(PKGDATADIR, "", folder, name, &tried);
	if (path == NULL)
		error_set(e, ERROR_SYSTEM,
		    "the data file '%s' of dlscale is not there (looked for: "
		    "%s); install dlscale again or set DLSCALE_DATADIR",
		    name != NULL ? name : folder, tried.buf);
	strbuf_release(&tried);
	free(here);
	return path;
}
