/* Finds the folders of the groups that a process is in.  core_quota.c and
 * free_memory.c ask what their files limit; trainer/launch's core_share.c is
 * who makes such groups. */
#include <config.h>

#include "trainer/base/control_groups.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/error.h"
#include "common/files/infile.h"
#include "common/strbuf.h"

struct group_walk {
	const char *root, *controller;
	control_group_visit *visit;
	void *ctx;
};

/* A group's folder and those above it, "" being the last; path is shortened.
 *
 * sub  "", or the folder of a controller of version 1 */
static void
walk_up(const struct group_walk *w, const char *sub, char *path)
{
	for (;;) {
		char *folder =
		    xasprintf("%s%s%s%s", w->root, *sub ? "/" : "", sub, path);
		char *slash = strrchr(path, '/');

		w->visit(folder, w->ctx);
		free(folder);
		if (slash == NULL)
			return;
		*slash = '\0';
	}
}

/* Is the name in a list, as "cpu,cpuacct"? */
static int
list_has(const char *list, const char *name)
{
	const size_t n = strlen(name);

	while (list != NULL) {
		const char *comma = strchr(list, ',');
		const size_t len =
		    comma != NULL ? (size_t)(comma - list) : strlen(list);

		if (len == n && strncmp(list, name, n) == 0)
			return 1;
		list = comma != NULL ? comma + 1 : NULL;
	}
	return 0;
}

/* A line of groups: "0::/path" of version 2, "4:cpu,cpuacct:/path" of
 * version 1. */
static void
walk_line(const struct group_walk *w, char *line)
{
	char *list = strchr(line, ':');
	char *path = list != NULL ? strchr(list + 1, ':') : NULL;

	if (path == NULL)
		return;
	list++;
	*path++ = '\0';
	if (strcmp(path, "/") == 0)
		*path = '\0';
	if (*list == '\0')
		walk_up(w, "", path);
	else if (list_has(list, w->controller))
		walk_up(w, w->controller, path);
}

void
control_groups_walk(const char *groups, const char *root,
    const char *controller, control_group_visit *visit, void *ctx)
{
	const struct group_walk w = { root, controller, visit, ctx };
	struct error ignored = ERROR_INIT;
	struct strbuf sb;
	char *line = NULL;

	strbuf_init(&sb, 1 << 20);
	if (text_file_read(groups, &sb, &ignored) == 0)
		line = sb.buf;
	while (line != NULL && *line != '\0') {
		char *end = strchr(line, '\n');

		if (end != NULL)
			*end++ = '\0';
		walk_line(&w, line);
		line = end;
	}
	strbuf_release(&sb);
}
