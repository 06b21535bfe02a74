#include <config.h>

#include "common/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"

int
make_folders(const char *path, struct error *e)
{
	char *copy = xstrdup(path), *p = copy;
	struct stat st;
	int rc = 0;

	while (rc == 0 && p != NULL) {
		p = strchr(p + strspn(p, "/"), '/');
		if (p != NULL)
			*p = '\0';
		if (mkdir(copy, 0777) != 0 && errno != EEXIST)
			rc = error_errno(
			    e, errno, "cannot make folder '%s'", copy);
		else if (stat(copy, &st) != 0 || !S_ISDIR(st.st_mode))
			rc = error_set(e, ERROR_SYSTEM,
			    "cannot make folder '%s': a file is in the way",
			    copy);
		if (p != NULL)
			*p = '/';
	}
	free(copy);
	return rc;
}

static void
release(struct outfile *o)
{
	free(o->path);
	free(o->temp);
	*o = (struct outfile){ NULL, NULL, NULL };
}

static int
make_parent(const char *path, struct error *e)
{
	const char *slash = strrchr(path, '/');
	char *dir;
	int rc;

	if (slash == NULL || slash == path)
		return 0;
	dir = xstrndup(path, (size_t)(slash - path));
	rc = make_folders(dir, e);
	free(dir);
	return rc;
}

/* Devices and pipes cannot be replaced: they are written as they are. */
static int
is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

int
outfile_open(struct outfile *o, const char *path, struct error *e)
{
	int fd;

	*o = (struct outfile){ NULL, xstrdup(path), NULL };
	if (strcmp(path, "-") == 0) {
		o->f = stdout;
		return 0;
	}
	if (make_parent(path, e) != 0)
		goto fail;
	if (is_special(path)) {
		o->f = fopen(path, "w");
	} else {
		o->temp = xasprintf("%s.tmp.%ld", path, (long)getpid());
		fd = open(
		    o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		o->f = fd < 0 ? NULL : fdopen(fd, "w");
	}
	if (o->f == NULL) {
		error_errno(e, errno, "cannot write '%s'", path);
		goto fail;
	}
	return 0;
fail:
	release(o);
	return -1;
}

int
outfile_commit(struct outfile *o, struct error *e)
{
	int bad, saved;

	if (o->f == stdout) {
		bad = fflush(stdout) != 0 || ferror(stdout);
		saved = errno;
		if (bad)
			error_errno(e, saved, "cannot write to stdout");
		release(o);
		return bad ? -1 : 0;
	}
	errno = 0;
	bad = fflush(o->f) != 0 || ferror(o->f);
	saved = errno;
	if (!bad && o->temp != NULL && fsync(fileno(o->f)) != 0) {
		bad = 1;
		saved = errno;
	}
	if (fclose(o->f) != 0 && !bad) {
		bad = 1;
		saved = errno;
	}
	if (!bad && o->temp != NULL && rename(o->temp, o->path) != 0) {
		bad = 1;
		saved = errno;
	}
	if (bad) {
		if (o->temp != NULL)
			unlink(o->temp);
		error_errno(e, saved, "cannot write '%s'", o->path);
	}
	release(o);
	return bad ? -1 : 0;
}

void
outfile_abort(struct outfile *o)
{
	if (o->f == NULL)
		return;
	if (o->f != stdout)
		fclose(o->f);
	if (o->temp != NULL)
		unlink(o->temp);
	release(o);
}

int
stdout_finish(struct error *e)
{
	int bad = ferror(stdout);

	errno = 0;
	if (fflush(stdout) != 0)
		bad = 1;
	if (bad)
		return error_errno(e, errno, "cannot write to stdout");
	return 0;
}
