/* The folders in which format files are looked for. */
#include <config.h>

#include "extract/format/format.h"

#include "common/alloc.h"
#include "common/files/infile.h"
#include "extract/format/format_folder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef PKGDATADIR
#error "PKGDATADIR: where formats and layouts are installed"
#endif

static const char *const kinds[] = { "formats", "layouts" };

enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static int
is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Takes path over. */
static void
search_path_add(struct search_path *p, char *path, int must, int user)
{
	p->dirs = vec_grow(p->dirs, p->n_dirs, &p->alloc_dirs, sizeof *p->dirs);
	p->dirs[p->n_dirs++] = (struct search_dir){ path, must, user, NULL };
}

/* The user's own folders. */
static void
add_user(struct search_path *p)
{
	const char *xdg = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	for (int i = 0; i < N_KINDS; i++) {
		if (xdg != NULL && xdg[0] == '/')
			search_path_add(
			    p, xasprintf("%s/dlscale/%s", xdg, kinds[i]), 0, 1);
		else if (home != NULL && home[0] != '\0')
			search_path_add(p,
			    xasprintf("%s/.config/dlscale/%s", home, kinds[i]),
			    0, 1);
	}
}

/* The folders in text, divided by ':'. */
static void
add_list(struct search_path *p, const char *text)
{
	while (*text != '\0') {
		size_t len = strcspn(text, ":");

		if (len > 0)
			search_path_add(p, xstrndup(text, len), 1, 0);
		text += len + (text[len] == ':');
	}
}

/* Add BASE/formats and BASE/layouts if the first is there. */
static int
add_pair(struct search_path *p, const char *base)
{
	char *first = xasprintf("%s/%s", base, kinds[0]);

	if (!is_folder(first)) {
		free(first);
		return 0;
	}
	search_path_add(p, first, 0, 0);
	search_path_add(p, xasprintf("%s/%s", base, kinds[1]), 0, 0);
	return 1;
}

/* The folders next to the running program: a build tree, or an installation
 * that was moved. */
static int
add_beside(struct search_path *p)
{
	char *here = install_path_own_folder(), *base;
	int found;

	if (here == NULL)
		return 0;
	base = xasprintf("%s/extract", here);
	found = add_pair(p, base);
	free(base);
	if (!found) {
		base = xasprintf("%s/../share/" PACKAGE, here);
		found = add_pair(p, base);
		free(base);
	}
	free(here);
	return found;
}

void
search_path_init(
    struct search_path *p, const char *const *extra, size_t n_extra)
{
	const char *env = getenv("DLSCALE_FORMAT_PATH");

	memset(p, 0, sizeof *p);
	for (size_t i = 0; i < n_extra; i++)
		search_path_add(p, xstrdup(extra[i]), 1, 1);
	add_user(p);
	if (env != NULL && env[0] != '\0') {
		add_list(p, env);
		return;
	}
	if (!add_beside(p) && !add_pair(p, PKGDATADIR)) {
		search_path_add(p, xasprintf(PKGDATADIR "/%s", kinds[0]), 1, 0);
	}
}

void
search_path_release(struct search_path *p)
{
	for (size_t i = 0; i < p->n_dirs; i++) {
		format_folder_free(p->dirs[i].folder);
		free(p->dirs[i].path);
	}
	free(p->dirs);
	memset(p, 0, sizeof *p);
}
