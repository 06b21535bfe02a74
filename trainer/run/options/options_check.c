/* Checks of a run's files and of its GPUs. */
#include <config.h>

#include "trainer/run/options/options_table.h"

#include <ctype.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/text.h"

/* --- Files ---------------------------------------------------------------- */

struct file_role {
	const char *name; /* option or stream */
	const char *path; /* NULL or "": not given */
	int fd;           /* of a stream, which is always given, else -1 */
	int is_written;
};

/* The real path of a file that may not exist yet. */
static char *
real_name(const char *path)
{
	char *folder = xstrdup(path), *name = xstrdup(path);
	char *real = realpath(dirname(folder), NULL);
	char *whole = real != NULL ? xasprintf("%s/%s", real, basename(name))
				   : xstrdup(path);

	free(folder);
	free(name);
	free(real);
	return whole;
}

/* True if both are the same file. Terminals and /dev/null may be shared. */
static int
is_same_file(const struct file_role *a, const struct file_role *b)
{
	char *name_a, *name_b;
	struct stat x, y;
	int same;

	if ((a->path != NULL ? stat(a->path, &x) : fstat(a->fd, &x)) == 0 &&
	    (b->path != NULL ? stat(b->path, &y) : fstat(b->fd, &y)) == 0)
		return S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
		    x.st_ino == y.st_ino;
	if (a->path == NULL || b->path == NULL)
		return 0;
	name_a = real_name(a->path);
	name_b = real_name(b->path);
	same = strcmp(name_a, name_b) == 0;
	free(name_a);
	free(name_b);
	return same;
}

/* True if path is a file below DIR/part. */
static int
is_in_folder(const char *path, const char *folder, const char *part)
{
	char *below = xasprintf("%s/%s", folder, part);
	char *real = realpath(below, NULL), *file = realpath(path, NULL);
	const size_t len = real != NULL ? strlen(real) : 0;
	const int is_in = real != NULL && file != NULL &&
	    strncmp(real, file, len) == 0 && file[len] == '/';

	free(below);
	free(real);
	free(file);
	return is_in;
}

static int
check_pair(
    const struct file_role *a, const struct file_role *b, struct error *e)
{
	const struct file_role *w = a->is_written ? a : b;
	const struct file_role *other = w == a ? b : a;

	if ((a->path == NULL && b->path == NULL) || !w->is_written ||
	    !is_same_file(a, b))
		return 0;
	if (w->path == NULL) { /* a stream; the message names the option */
		other = w;
		w = w == a ? b : a;
	}
	return error_set(e, ERROR_USAGE, "%s: cannot %s '%s': %s %s it%s",
	    w->name, w->is_written ? "write" : "read", w->path, other->name,
	    other->is_written ? "writes" : "reads",
	    w->is_written && other->is_written ? ", too" : "");
}

int
file_roles_check(const struct train_options *o, struct error *e)
{
	const struct file_role all[] = {
		{ "--checkpoint", o->checkpoint, -1, 1 },
		{ "--resume", o->resume, -1, 0 },
		{ "--timeline", o->timeline, -1, 1 },
		{ "--autotune-log", o->autotune_log, -1, 1 },
		{ "--engine-cache", o->engine_cache, -1, 1 },
		{ "standard output", NULL, STDOUT_FILENO, 1 },
		{ "standard error", NULL, STDERR_FILENO, 1 },
	};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		const struct file_role *r = &all[i];

		if (r->fd < 0 && (r->path == NULL || r->path[0] == '\0'))
			continue;
		if (o->folder != NULL && r->path != NULL && r->is_written &&
		    (is_in_folder(r->path, o->folder, "train") ||
			is_in_folder(r->path, o->folder, "val")))
			return error_set(e, ERROR_USAGE,
			    "%s: cannot write '%s': it is one of the images",
			    r->name, r->path);
		/* --checkpoint may be the file of --resume. */
		for (size_t k = i == 1 ? 1 : 0; k < i; k++)
			if ((all[k].fd >= 0 ||
				(all[k].path != NULL &&
				    all[k].path[0] != '\0')) &&
			    check_pair(&all[k], r, e) != 0)
				return -1;
	}
	return 0;
}

/* --- GPUs ----------------------------------------------------------------- */

int
gpu_choice_parse(const char *text, int *list, struct error *e)
{
	int found[GPU_CHOICE_MAX], n = 0;
	const char *at = text;
	char *end;

	do {
		const long number =
		    isdigit((unsigned char)*at) ? strtol(at, &end, 10) : -1;

		if (number < 0 || number >= GPU_CHOICE_MAX || end - at > 7 ||
		    (*end != ',' && *end != '\0'))
			return error_set(e, ERROR_USAGE,
			    "--gpus: '%s' is not a list of GPU numbers such as "
			    "0,1",
			    text);
		if (n == GPU_CHOICE_MAX)
			return error_set(e, ERROR_USAGE,
			    "--gpus: more than %d GPUs", (int)GPU_CHOICE_MAX);
		found[n++] = (int)number;
		at = end + 1;
	} while (*end != '\0');
	memcpy(list, found, (size_t)n * sizeof *found);
	return n;
}

int
gpu_choice_choose(const char *text, int rank, int size, int each_own,
    const char *owner, int *gpu, struct error *e)
{
	int list[GPU_CHOICE_MAX], n;

	if (text == NULL) {
		*gpu = rank;
		return 0;
	}
	n = gpu_choice_parse(text, list, e);
	if (n < 0)
		return -1;
	if (n != size)
		return error_set(e, ERROR_USAGE,
		    "--gpus: '%s' is %d GPU%s, but %d process%s on this "
		    "machine; each computes on one",
		    text, n, n == 1 ? "" : "s", size,
		    size == 1 ? " runs" : "es run");
	for (int i = 0; each_own && i < n; i++)
		for (int j = 0; j < i; j++)
			if (list[i] == list[j])
				return error_set(e, ERROR_USAGE,
				    "--gpus: GPU %d twice, but back end '%s' "
				    "needs one for each process",
				    list[i], owner);
	*gpu = list[rank];
	return 0;
}
