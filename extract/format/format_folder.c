/* Folders of format files and the bytes of what is in them.  Called as formats
 * are loaded; what a file means is format_parse.c's business. */
#include <config.h>

#include "extract/format/format_folder.h"

#include "common/alloc.h"
#include "common/arena.h"
#include "common/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct format_folder {
	DIR *d; /* NULL: it is not there, and need not be */
	struct arena arena;
	struct folder_file *files; /* without their short names */
	size_t n, alloc;
};

static void
add_entry(struct format_folder *f, const struct dirent *entry)
{
	f->files = vec_grow(f->files, f->n, &f->alloc, sizeof *f->files);
	f->files[f->n++] =
	    (struct folder_file){ NULL, arena_strdup(&f->arena, entry->d_name),
		    entry->d_type == DT_REG };
}

struct format_folder *
format_folder_open(const char *path, int must, int user, struct error *e)
{
	struct format_folder *f;
	struct dirent *entry;
	DIR *d = opendir(path);

	/* Under another user's id, HOME may still be root's. */
	if (d == NULL &&
	    (must || (errno != ENOENT && (errno != EACCES || !user)))) {
		error_errno(e, errno, "cannot open the folder '%s'", path);
		return NULL;
	}
	f = xcalloc(1, sizeof *f);
	f->d = d;
	while (d != NULL && (entry = readdir(d)) != NULL)
		if (entry->d_name[0] != '.')
			add_entry(f, entry);
	return f;
}

size_t
format_folder_find(
    struct format_folder *f, const char *suffix, struct folder_file **files)
{
	const size_t skip = strlen(suffix);
	size_t n = 0;

	*files = xcalloc(f->n, sizeof **files);
	for (size_t i = 0; i < f->n; i++) {
		const char *file = f->files[i].file;
		const size_t len = strlen(file);

		if (len <= skip || strcmp(file + len - skip, suffix) != 0)
			continue;
		(*files)[n] = f->files[i];
		(*files)[n++].name = arena_strndup(&f->arena, file, len - skip);
	}
	if (n > 0)
		qsort(*files, n, sizeof **files, text_order_at);
	return n;
}

/* Read all of fd, at most as much as sb may hold.
 *
 * regular  1: what gives fewer bytes than it was asked for has ended */
static int
read_all(
    int fd, int regular, const char *path, struct strbuf *sb, struct error *e)
{
	char buf[65536];
	ssize_t n;

	do {
		n = read(fd, buf, sizeof buf);
		if (n < 0)
			return error_errno(e, errno, "cannot read '%s'", path);
		strbuf_add(sb, buf, (size_t)n);
		if (sb->full)
			return error_at(e, ERROR_LIMIT, path, 0, 0,
			    "the file has more than %zu bytes", sb->max);
	} while (n > 0 && (!regular || n == (ssize_t)sizeof buf));
	return 0;
}

int
format_folder_read(const struct format_folder *f,
    const struct folder_file *file, const char *path, struct strbuf *sb,
    struct error *e)
{
	const int fd =
	    openat(dirfd(f->d), file->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int rc;

	strbuf_reset(sb);
	if (fd < 0)
		return error_errno(e, errno, "cannot open '%s'", path);
	if (!file->regular && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
		close(fd);
		return error_at(e, ERROR_INPUT, path, 0, 0, "not a file");
	}
	rc = read_all(fd, file->regular, path, sb, e);
	close(fd);
	return rc;
}

void
format_folder_free(struct format_folder *f)
{
	if (f == NULL)
		return;
	if (f->d != NULL)
		closedir(f->d);
	free(f->files);
	arena_release(&f->arena);
	free(f);
}
