#include <config.h>

#include "common/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"

enum { MAX_TEMPS = 16 }; /* more are not removed at a sudden end */

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

/* Temporary files that exist: what ends the program, as no memory does,
 * removes them. */
static char *temps[MAX_TEMPS];
static pthread_mutex_t temps_lock = PTHREAD_MUTEX_INITIALIZER;

static void
remove_temps(void)
{
	pthread_mutex_lock(&temps_lock);
	for (int i = 0; i < MAX_TEMPS; i++)
		if (temps[i] != NULL)
			unlink(temps[i]);
	pthread_mutex_unlock(&temps_lock);
}

/* From now on temp is there (or was, in place of it). */
static void
note_temp(char *was, char *temp)
{
	static int hooked;

	if (was == NULL && temp == NULL)
		return;
	pthread_mutex_lock(&temps_lock);
	if (!hooked)
		hooked = atexit(remove_temps) == 0;
	for (int i = 0; i < MAX_TEMPS; i++)
		if (temps[i] == was) {
			temps[i] = temp;
			break;
		}
	pthread_mutex_unlock(&temps_lock);
}

static void
release(struct outfile *o)
{
	note_temp(o->temp, NULL);
	free(o->path);
	free(o->target);
	free(o->temp);
	*o = (struct outfile){ NULL, NULL, NULL, NULL };
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

/* Devices and pipes cannot be replaced: they are written as they are.  So is
 * what /dev/stdout and its like lead to, even if it is a regular file. */
static int
is_special(const char *path)
{
	struct stat st;

	if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0)
		return strncmp(path, "/dev/shm/", 9) != 0;
	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* Open a temporary file beside the target, as open to others as the file that
 * it replaces.  What a killed run left under the same name is passed over.
 * Returns NULL with errno set. */
static FILE *
open_temp(struct outfile *o)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
	struct stat st;
	mode_t mode = 0666;
	int fd = -1, saved = EEXIST;
	FILE *f;

	if (stat(o->target, &st) == 0)
		mode = st.st_mode & 0777;
	for (int i = 0; fd < 0 && saved == EEXIST && i < 1000; i++) {
		free(o->temp);
		o->temp =
		    xasprintf("%s.tmp.%ld.%d", o->target, (long)getpid(), i);
		fd = open(o->temp, flags, mode);
		saved = errno;
	}
	if (fd < 0) {
		errno = saved;
		free(o->temp);
		o->temp = NULL;
		return NULL;
	}
	note_temp(NULL, o->temp);
	f = fdopen(fd, "w");
	if (f == NULL) {
		saved = errno;
		close(fd);
		unlink(o->temp);
		errno = saved;
	}
	return f;
}

int
outfile_open(struct outfile *o, const char *path, struct error *e)
{
	int saved;

	*o = (struct outfile){ NULL, xstrdup(path), NULL, NULL };
	if (strcmp(path, "-") == 0) {
		o->f = stdout;
		return 0;
	}
	if (make_parent(path, e) != 0)
		goto fail;
	/* A link stays one: the file that it points to is replaced. */
	o->target = realpath(path, NULL);
	if (o->target == NULL)
		o->target = xstrdup(path);
	o->f = is_special(path) ? fopen(path, "w") : open_temp(o);
	if (o->f == NULL) {
		saved = errno;
		error_errno(e, saved, "cannot write '%s'", path);
		goto fail;
	}
	return 0;
fail:
	release(o);
	return -1;
}

/* Was everything written to f?  0, or the errno that says why not; EIO where
 * an earlier write failed and nobody kept its reason. */
static int
flush(FILE *f)
{
	const int failed = ferror(f);

	errno = 0;
	if (fflush(f) == 0 && !failed)
		return 0;
	return errno != 0 ? errno : EIO;
}

/* The new name itself has to reach the disk too: until its folder does, a
 * power cut may leave neither file.  0, or the errno that says why not; file
 * systems that cannot do so for a folder, and folders that may not be read,
 * count as done. */
static int
sync_folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash == NULL ? xstrdup(".")
	    : slash == path       ? xstrdup("/")
				  : xstrndup(path, (size_t)(slash - path));
	const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int why = 0;

	free(dir);
	if (fd < 0)
		return 0;
	if (fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP)
		why = errno;
	close(fd);
	return why;
}

int
outfile_commit(struct outfile *o, struct error *e)
{
	int why = flush(o->f);

	if (o->f == stdout) {
		if (why != 0)
			error_errno(e, why, "cannot write to stdout");
		release(o);
		return why != 0 ? -1 : 0;
	}
	if (why == 0 && o->temp != NULL && fsync(fileno(o->f)) != 0)
		why = errno;
	if (fclose(o->f) != 0 && why == 0)
		why = errno;
	if (why == 0 && o->temp != NULL && rename(o->temp, o->target) != 0)
		why = errno;
	if (why != 0) {
		if (o->temp != NULL)
			unlink(o->temp);
		error_errno(e, why, "cannot write '%s'", o->path);
	} else if (o->temp != NULL) {
		why = sync_folder_of(o->target);
		if (why != 0)
			error_errno(e, why,
			    "'%s' is written, but may not outlast a power cut",
			    o->path);
	}
	release(o);
	return why != 0 ? -1 : 0;
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
outfile_spare(
    const char *path, const char *const *inputs, size_t n, struct error *e)
{
	struct stat out, in;

	if (path == NULL || stat(path, &out) != 0 || !S_ISREG(out.st_mode))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (stat(inputs[i], &in) == 0 && in.st_dev == out.st_dev &&
		    in.st_ino == out.st_ino)
			return error_set(e, ERROR_USAGE,
			    "cannot write '%s': it is to be read", path);
	return 0;
}

int
stdout_finish(struct error *e)
{
	const int why = flush(stdout);

	if (why != 0)
		return error_errno(e, why, "cannot write to stdout");
	return 0;
}
