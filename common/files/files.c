/* Atomic output files: temporary file, fsync, rename. The temporary file is
 * removed even if the program is terminated. */
#include <config.h>

#include "common/files/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/terminal.h"

enum { MAX_TEMPS = 16 }; /* any more are left behind on termination */

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
			    "cannot create folder '%s': a file has that name",
			    copy);
		if (p != NULL)
			*p = '/';
	}
	free(copy);
	return rc;
}

/* Names of the temporary files, to be removed when the program exits or is
 * terminated. NULL: free. */
static char *_Atomic temps[MAX_TEMPS];
static atomic_int ending; /* 1: a handler may be reading names */
static pid_t temps_owner; /* a child process removes nothing */

/* Async-signal-safe. */
static void
remove_temps(void)
{
	if (getpid() != temps_owner)
		return;
	atomic_store(&ending, 1);
	for (int i = 0; i < MAX_TEMPS; i++) {
		const char *name = atomic_load(&temps[i]);

		if (name != NULL)
			unlink(name);
	}
}

/* The handler is reset (SA_RESETHAND), so that raise() ends the process. */
static void
end_by_signal(int signal_number)
{
	remove_temps();
	raise(signal_number);
}

/* Remove temporary files at exit and on signals. A signal that the program
 * handles itself is left alone. */
static void
hook_ends(void)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE,
		SIGXCPU };
	struct sigaction action = { .sa_handler = end_by_signal,
		.sa_flags = (int)SA_RESETHAND };
	struct sigaction old;

	sigemptyset(&action.sa_mask);
	temps_owner = getpid();
	atexit(remove_temps);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (sigaction(ends[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			sigaction(ends[i], &action, NULL);
}

/* Replace a name in the list, if it is there; NULL stands for a free place. */
static void
replace_temp(char *name, char *by)
{
	char *old = name;

	for (int i = 0; i < MAX_TEMPS &&
	     !atomic_compare_exchange_strong(&temps[i], &old, by);
	     i++)
		old = name;
}

/* Take the temporary file off the list, and delete it if remove is 1. */
static void
forget_temp(struct outfile *o, int remove)
{
	if (remove)
		unlink(o->temp);
	replace_temp(o->temp, NULL);
	/* Another thread's handler may have read the name just before. */
	if (!atomic_load(&ending))
		free(o->temp);
	o->temp = NULL;
}

static void
outfile_release(struct outfile *o, int remove)
{
	if (o->temp != NULL)
		forget_temp(o, remove);
	free(o->path);
	free(o->target);
	if (o->folder >= 0)
		close(o->folder);
	*o = (struct outfile){ .folder = -1 };
}

char *
path_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return xstrdup(".");
	return xstrndup(path, slash == path ? 1 : (size_t)(slash - path));
}

int
make_folder_of(const char *path, struct error *e)
{
	char *folder = path_folder(path);
	const int rc = make_folders(folder, e);

	free(folder);
	return rc;
}

/* True for paths under /dev and /proc, except /dev/shm; they may be pipes. */
static int
is_of_kernel(const char *path)
{
	return (strncmp(path, "/dev/", 5) == 0 &&
		   strncmp(path, "/dev/shm/", 9) != 0) ||
	    strncmp(path, "/proc/", 6) == 0;
}

int
outfile_is_special(const char *path)
{
	struct stat st;

	return is_of_kernel(path) ||
	    (stat(path, &st) == 0 && !S_ISREG(st.st_mode));
}

/* Replace a path that is a symbolic link by the link's target, if that exists.
 * Like Linux with protected_symlinks, refuse a link in a folder such as /tmp
 * unless it belongs to this user or to the owner of the folder. */
static int
follow_links(char **path, struct error *e)
{
	enum { MAX_LINKS = 40, STICKY = S_ISVTX | S_IWOTH };
	char to[PATH_MAX];
	struct stat link, dir, st;
	int rc = 0;

	for (int i = 0; i < MAX_LINKS && rc == 0 && !is_of_kernel(*path); i++) {
		const int fd = open(*path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		char *folder = path_folder(*path), *next = NULL;
		const ssize_t len =
		    fd >= 0 ? readlinkat(fd, "", to, sizeof to) : -1;

		if (len > 0 && (size_t)len < sizeof to &&
		    fstat(fd, &link) == 0 && stat(folder, &dir) == 0) {
			to[len] = '\0';
			if ((dir.st_mode & STICKY) == STICKY &&
			    link.st_uid != geteuid() &&
			    link.st_uid != dir.st_uid)
				rc = error_set(e, ERROR_SYSTEM,
				    "cannot write '%s': it is a link of "
				    "another user in a folder of all users",
				    *path);
			else if (stat(*path, &st) == 0)
				next = to[0] == '/'
				    ? xstrdup(to)
				    : xasprintf("%s/%s", folder, to);
		}
		if (fd >= 0)
			close(fd);
		free(folder);
		if (next == NULL)
			break;
		free(*path);
		*path = next;
	}
	return rc;
}

/* Remove temporary files of the target whose writer was killed: this machine
 * has no process with its ID, and no machine holds its lock. */
static void
sweep_temps(const struct outfile *o)
{
	const char *name = basename(o->target);
	const size_t len = strlen(name);
	const int fd =
	    openat(o->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;
	struct stat st;

	if (d == NULL && fd >= 0)
		close(fd);
	while (d != NULL && (entry = readdir(d)) != NULL) {
		char process[32];
		long pid, number;
		int used = 0, temp;

		if (strncmp(entry->d_name, name, len) != 0 ||
		    sscanf(entry->d_name + len, ".tmp.%ld.%ld%n", &pid, &number,
			&used) != 2 ||
		    entry->d_name[len + (size_t)used] != '\0')
			continue;
		snprintf(process, sizeof process, "/proc/%ld", pid);
		temp = access(process, F_OK) == 0
		    ? -1
		    : openat(o->folder, entry->d_name,
			  O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (temp < 0)
			continue;
		if (fstat(temp, &st) == 0 && S_ISREG(st.st_mode) &&
		    st.st_uid == geteuid() &&
		    flock(temp, LOCK_EX | LOCK_NB) == 0)
			unlinkat(o->folder, entry->d_name, 0);
		close(temp);
	}
	if (d != NULL)
		closedir(d);
}

/* Open a temporary file next to the target, with the permissions of the file
 * that it replaces. The name is listed before the file exists, so that a signal
 * at any time removes it. Returns NULL with errno set. */
static FILE *
open_temp(struct outfile *o)
{
	static pthread_once_t hooked = PTHREAD_ONCE_INIT;
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
	struct stat st;
	mode_t mode = stat(o->target, &st) == 0 ? st.st_mode & 0777 : 0666;
	int fd = -1, saved = EEXIST;
	FILE *f;

	pthread_once(&hooked, hook_ends);
	sweep_temps(o);
	for (int i = 0; fd < 0 && saved == EEXIST && i < 1000; i++) {
		if (o->temp != NULL)
			forget_temp(o, 0);
		o->temp =
		    xasprintf("%s.tmp.%ld.%d", o->target, (long)getpid(), i);
		replace_temp(NULL, o->temp);
		fd = openat(o->folder, basename(o->temp), flags, mode);
		saved = errno;
	}
	f = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (f == NULL) {
		saved = fd >= 0 ? errno : saved;
		if (fd >= 0)
			close(fd);
		forget_temp(o, fd >= 0);
		errno = saved;
	} else {
		/* For sweep_temps; not all file systems have locks. */
		(void)flock(fd, LOCK_EX | LOCK_NB);
	}
	return f;
}

int
outfile_open(struct outfile *o, const char *path, struct error *e)
{
	char *folder;
	int fd, saved;

	*o = (struct outfile){ .path = xstrdup(path), .folder = -1 };
	if (strcmp(path, "-") == 0) {
		o->f = terminal_raw();
		return 0;
	}
	/* Keep a symbolic link and replace its target. */
	o->target = xstrdup(path);
	if (follow_links(&o->target, e) != 0) {
		outfile_release(o, 0);
		return -1;
	}
	if (outfile_is_special(path)) {
		fd = open(o->target,
		    O_WRONLY | O_TRUNC | O_CLOEXEC |
			(is_of_kernel(o->target) ? 0 : O_NOFOLLOW));
		o->f = fd >= 0 ? fdopen(fd, "w") : NULL;
	} else {
		/* Open the folder now: it must not fail after the rename. An
		 * unreadable folder can be written to, but not synced. */
		folder = path_folder(o->target);
		o->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (o->folder < 0 && errno == EACCES)
			o->folder =
			    open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
		free(folder);
		o->f = o->folder >= 0 ? open_temp(o) : NULL;
	}
	if (o->f == NULL) {
		saved = errno;
		outfile_release(o, 0);
		return error_errno(e, saved, "cannot write '%s'", path);
	}
	return 0;
}

/* Flush f. Returns 0, or the errno of the failed write. stdio does not keep the
 * errno of an earlier failure, so write one more byte, which fails again on a
 * full disk or at a size limit; the file is incomplete anyway. */
static int
flush_file(FILE *f)
{
	const int failed = ferror(f), fd = terminal_descriptor(f);
	struct stat st;

	errno = 0;
	if (fflush(f) == 0 && !failed)
		return 0;
	if (errno == 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    pwrite(fd, "\n", 1, st.st_size) == 1)
		errno = 0;
	return errno != 0 ? errno : EIO;
}

int
outfile_commit(struct outfile *o, struct error *e)
{
	const int is_file = o->temp != NULL;
	int why = flush_file(o->f), rc = 0;

	if (why == 0 && is_file && fsync(fileno(o->f)) != 0)
		why = errno;
	if (o->target != NULL && fclose(o->f) != 0 && why == 0)
		why = errno;
	if (why == 0 && is_file &&
	    renameat(o->folder, basename(o->temp), o->folder,
		basename(o->target)) != 0)
		why = errno;
	if (why != 0 && o->target == NULL)
		rc = error_errno(e, why, "cannot write to stdout");
	else if (why != 0)
		rc = error_errno(e, why, "cannot write '%s'", o->path);
	/* Until the folder is synced a power failure may lose both the old and
	 * the new file. Some file systems cannot sync a folder, and unreadable
	 * folders (EBADF) cannot be synced. */
	else if (is_file && fsync(o->folder) != 0 && errno != EINVAL &&
	    errno != ENOTSUP && errno != EBADF)
		rc = error_errno(e, errno,
		    "'%s' was written, but may not survive a power failure",
		    o->path);
	outfile_release(o, why != 0);
	return rc;
}

void
outfile_abort(struct outfile *o)
{
	if (o->f == NULL)
		return;
	if (o->target != NULL)
		fclose(o->f);
	outfile_release(o, 1);
}

int
outfile_write(const char *path, const struct strbuf *text, struct error *e)
{
	struct outfile o;

	if (outfile_open(&o, path, e) != 0)
		return -1;
	fwrite(text->buf, 1, text->len, o.f);
	return outfile_commit(&o, e);
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
			    "cannot write '%s': it is also an input", path);
	return 0;
}

int
outfile_check_suffix(
    const char *option, const char *path, const char *own, struct error *e)
{
	static const char known[] =
	    " bmp csv doc docx eps format gif gp gz htm html jpeg jpg json "
	    "jsonl layout md metadata ods odt parquet pdf png pptx prefix ps "
	    "svg tex tsv txt webp xls xlsx xml xz yaml yml zip zst ";
	const char *name = path != NULL ? basename(path) : "";
	const char *dot = strrchr(name, '.');
	char *suffix = xasprintf(" %s ", dot != NULL ? dot + 1 : "");
	char *written = xasprintf(" %s ", own);
	const int foreign = dot != NULL && strcasestr(known, suffix) != NULL &&
	    strcasestr(written, suffix) == NULL;

	free(written);
	free(suffix);
	if (!foreign)
		return 0;
	return error_set(e, ERROR_USAGE,
	    "%s: the suffix of '%s' is that of another kind of file; what is "
	    "written is %s%s",
	    option, path, strchr(own, ' ') != NULL ? "one of " : "", own);
}

int
stdout_finish(struct error *e)
{
	int why = flush_file(stdout);

	if (why == 0)
		why = flush_file(terminal_raw());
	return why == 0 ? 0 : error_errno(e, why, "cannot write to stdout");
}

/* --- input ---------------------------------------------------------------- */

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

int
text_file_read(const char *path, struct strbuf *sb, struct error *e)
{
	const int is_stdin = strcmp(path, "-") == 0;
	FILE *f = is_stdin ? stdin : fopen(path, "rb");
	char piece[16384];
	int failed, why;
	size_t got;

	if (f == NULL)
		return error_errno(e, errno, "cannot open '%s'", path);
	while ((got = fread(piece, 1, sizeof piece, f)) > 0 && !sb->full)
		strbuf_add(sb, piece, got);
	failed = ferror(f);
	why = errno;
	if (!is_stdin)
		fclose(f);
	if (failed)
		return error_errno(e, why, "cannot read '%s'", path);
	if (sb->full)
		return error_at(e, ERROR_LIMIT, path, 0, 0,
		    "larger than %zu MiB", sb->max >> 20);
	return 0;
}

char *
read_whole_file(const char *path, size_t *len, struct error *e)
{
	struct strbuf sb = STRBUF_INIT(1 << 30);
	struct stat st;
	int rc;

	/* Opening a FIFO would block. */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		rc = error_set(e, ERROR_INPUT, "'%s' is no file", path);
	else
		rc = text_file_read(path, &sb, e);
	*len = sb.len;
	if (rc == 0)
		return strbuf_detach(&sb);
	strbuf_release(&sb);
	return NULL;
}

char *
install_path_own_folder(void)
{
	char *path = realpath("/proc/self/exe", NULL), *folder;

	if (path == NULL)
		return NULL;
	folder = path_folder(path);
	free(path);
	return folder;
}

char *
install_path_find(const char *folder, const char *name, struct error *e)
{
	char *here = install_path_own_folder(), *path = NULL;
	const char *const places[][2] = { { getenv("DLSCALE_DATADIR"), "" },
		{ here, "/share" }, { here, "/../share/dlscale" },
		{ PKGDATADIR, "" } };
	int found = 0;

	for (size_t i = 0; i < 4 && !found; i++) {
		if (places[i][0] == NULL || places[i][0][0] == '\0')
			continue;
		free(path);
		path = xasprintf("%s%s/%s%s%s", places[i][0], places[i][1],
		    folder, name != NULL ? "/" : "", name != NULL ? name : "");
		found = access(path, R_OK) == 0;
	}
	free(here);
	if (found)
		return path;
	error_set(e, ERROR_SYSTEM,
	    "missing data file '%s'; install dlscale again or set "
	    "DLSCALE_DATADIR",
	    path);
	free(path);
	return NULL;
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
