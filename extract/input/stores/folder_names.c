/* The names in a folder, in one order on every machine.  Called by those who
 * decide from its names what a folder is (run_folder.c, event_run.c) and who
 * list logs (file_list.c). */
#include <config.h>

#include "extract/input/stores/folder_names.h"

#include <dirent.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/text.h"

char **
folder_names_read(const char *path, size_t *n)
{
	DIR *d = opendir(path);
	size_t alloc = 0;
	struct dirent *entry;
	char **names;

	*n = 0;
	if (d == NULL)
		return NULL;
	names = vec_grow(NULL, 0, &alloc, sizeof *names);
	while ((entry = readdir(d)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		names = vec_grow(names, *n, &alloc, sizeof *names);
		names[(*n)++] = xstrdup(entry->d_name);
	}
	closedir(d);
	if (*n > 1)
		qsort(names, *n, sizeof *names, text_order_at);
	return names;
}

int
folder_names_has(char *const *names, size_t n, const char *name)
{
	return n > 0 &&
	    bsearch(&name, names, n, sizeof *names, text_order_at) != NULL;
}

void
folder_names_free(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}
