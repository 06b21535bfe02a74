/* Calls of the C library that fail when a test asks for it, for LD_PRELOAD:
 *
 *	FAULT_CALL=fsync FAULT_AT=2 LD_PRELOAD=tests/faults.so extract_logs ...
 *
 * makes the second fsync fail. FAULT_CALL is one of malloc (including calloc
 * and realloc), open, fdopen, fflush, fsync, fclose, rename, mkdir, disk (all
 * calls by which SQLite changes a disk: pwrite, ftruncate, fdatasync, unlink),
 * landlock_rule, landlock_restrict and seccomp (ENOMEM), and no_landlock and
 * no_seccomp, which fail as on a kernel without them. FAULT_AT counts from 1.
 * With FAULT_SAYS=1 a failing call prints the line "fault" to stderr.
 *
 * HOSTILE=FILE simulates a log that has taken over its reader: FILE is created
 * when a *.log or *.json is opened, by open or fopen. HOSTILE_BY=CALL creates
 * it by a program (exec), in another process (fork) or as a link (link), or if
 * a call of reaches_kernel() reaches the kernel.
 *
 * With FAULT_KILL=1 a failing disk call kills the process, as kill -9 does: a
 * pwrite after half of it is written, the others before they are done. */
#include <config.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);

/* True if this call is the one to fail. */
static int
fails(const char *call)
{
	static _Atomic long left = -1;
	static const char *wanted;

	if (left == -1) {
		const char *at = getenv("FAULT_AT");

		wanted = getenv("FAULT_CALL");
		left = at != NULL && wanted != NULL ? strtol(at, NULL, 10) : 0;
	}
	if (left <= 0 || strcmp(call, wanted) != 0)
		return 0;
	if (--left != 0)
		return 0;
	if (getenv("FAULT_SAYS") != NULL && write(2, "fault\n", 6) != 6)
		_exit(99);
	return 1;
}

/* Look up the library's own function. */
static void
find(void **to, const char *name)
{
	if (*to == NULL)
		*to = dlsym(RTLD_NEXT, name);
}

void *
malloc(size_t size)
{
	if (!fails("malloc"))
		return __libc_malloc(size);
	errno = ENOMEM;
	return NULL;
}

void *
calloc(size_t n, size_t size)
{
	if (!fails("malloc"))
		return __libc_calloc(n, size);
	errno = ENOMEM;
	return NULL;
}

void *
realloc(void *p, size_t size)
{
	if (!fails("malloc"))
		return __libc_realloc(p, size);
	errno = ENOMEM;
	return NULL;
}

static long real_syscall(long number, const long *a);

/* True if the named call reaches the kernel. The arguments of calls that would
 * change more than the file are invalid. */
static int
reaches_kernel(const char *call, const char *file)
{
	const long parent = getppid(), at = AT_FDCWD, name = (long)file;
	const struct {
		const char *name;
		long number, a[6];
	} calls[] = {
		{ "socket", SYS_socket, { AF_INET, SOCK_STREAM, 0 } },
		{ "connect", SYS_connect, { 0, 0, 0 } },
		{ "ptrace", SYS_ptrace, { PTRACE_TRACEME, 0, 0, 0 } },
		{ "ioctl", SYS_ioctl, { 0, TIOCSTI, (long)"x" } },
		{ "fcntl", SYS_fcntl, { 0, F_SETOWN, parent } },
		{ "chmod", SYS_fchmodat, { at, name, 0777 } },
		{ "chown", SYS_fchownat, { at, name, -1, -1, 0 } },
		{ "utimes", SYS_utimensat, { at, name, 0, 0 } },
		{ "setxattr", SYS_setxattr, { name, (long)"user.x", name, 1 } },
		{ "set-user-id", SYS_openat,
		    { at, name, O_CREAT | O_WRONLY, 04755 } },
		{ "mknod", SYS_mknodat, { at, name, S_IFREG, 0 } },
		{ "kill", SYS_kill, { parent, 0 } },
		{ "tgkill", SYS_tgkill, { parent, parent, 0 } },
		{ "prlimit", SYS_prlimit64, { parent, 0, 0, 0 } },
		{ "setpriority", SYS_setpriority, { 0, parent, 0 } },
		{ "io_uring", 425, { 0, 0 } },
		{ "openat2", 437, { at, name, 0, 0 } },
		{ "fsopen", 430, { 0, 0 } },
		{ "open_tree", 428, { at, (long)"/nonexistent", 0 } },
		{ "mount", SYS_mount, { 0, 0, 0, 0 } },
		{ "unshare", SYS_unshare, { -1 } },
		{ "bpf", SYS_bpf, { -1 } },
		{ "sethostname", SYS_sethostname, { 0, -1 } },
		{ "reboot", SYS_reboot, { 0, 0, 0, 0 } },
		{ "swapon", SYS_swapon, { 0, 0 } },
		{ "clock_settime", SYS_clock_settime, { -1, 0 } },
		{ "syslog", SYS_syslog, { -1, 0, 0 } },
	};

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (strcmp(call, calls[i].name) == 0)
			return real_syscall(calls[i].number, calls[i].a) >= 0 ||
			    errno != ENOSYS;
	return 0;
}

/* Use a call other than open. Returns 1 if the caller is to create the file. */
static int
hostile_call(const char *call, const char *file)
{
	char write_it[512];
	pid_t child;

	if (reaches_kernel(call, file))
		return 1;
	if (strcmp(call, "exec") != 0 && strcmp(call, "fork") != 0 &&
	    strcmp(call, "link") != 0)
		return 0;
	if (strcmp(call, "link") == 0) {
		(void)!symlink("/etc/passwd", file);
		return 0;
	}
	if (strcmp(call, "fork") == 0) {
		child = fork();
		if (child > 0)
			waitpid(child, NULL, 0);
		return child == 0;
	}
	snprintf(write_it, sizeof write_it, "echo hostile >'%s'", file);
	execl("/bin/sh", "sh", "-c", write_it, NULL);
	return 0;
}

static int
ends_in(const char *path, const char *end)
{
	const size_t n = strlen(path), k = strlen(end);

	return n >= k && strcmp(path + n - k, end) == 0;
}

static void
be_hostile(int (*real)(const char *, int, ...), const char *path)
{
	const char *file = getenv("HOSTILE"), *call = getenv("HOSTILE_BY");
	int fd;

	if (file == NULL || (!ends_in(path, ".log") && !ends_in(path, ".json")))
		return;
	if (call != NULL && !hostile_call(call, file))
		return;
	fd = real(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd >= 0 && write(fd, "hostile\n", 8) == 8)
		close(fd);
	if (call != NULL && strcmp(call, "fork") == 0)
		_exit(0); /* the child */
}

int
open(const char *path, int flags, ...)
{
	static int (*real)(const char *, int, ...);
	mode_t mode = 0;
	va_list ap;

	if (flags & O_CREAT) {
		va_start(ap, flags);
		mode = (mode_t)va_arg(ap, int);
		va_end(ap);
	}
	if (fails("open")) {
		errno = EIO;
		return -1;
	}
	find((void **)&real, "open");
	be_hostile(real, path);
	return real(path, flags, mode);
}

int
openat(int folder, const char *path, int flags, ...)
{
	static int (*real)(int, const char *, int, ...);
	mode_t mode = 0;
	va_list ap;

	if (flags & O_CREAT) {
		va_start(ap, flags);
		mode = (mode_t)va_arg(ap, int);
		va_end(ap);
	}
	if (fails("open")) {
		errno = EIO;
		return -1;
	}
	find((void **)&real, "openat");
	return real(folder, path, flags, mode);
}

FILE *
fopen(const char *path, const char *mode)
{
	static FILE *(*real)(const char *, const char *);
	static int (*real_open)(const char *, int, ...);

	find((void **)&real, "fopen");
	find((void **)&real_open, "open");
	be_hostile(real_open, path);
	return real(path, mode);
}

FILE *
fdopen(int fd, const char *mode)
{
	static FILE *(*real)(int, const char *);

	if (fails("fdopen")) {
		errno = ENOMEM;
		return NULL;
	}
	find((void **)&real, "fdopen");
	return real(fd, mode);
}

int
fflush(FILE *f)
{
	static int (*real)(FILE *);

	find((void **)&real, "fflush");
	if (real(f) == 0 && !fails("fflush"))
		return 0;
	errno = ENOSPC;
	return EOF;
}

int
fsync(int fd)
{
	static int (*real)(int);

	find((void **)&real, "fsync");
	if (real(fd) == 0 && !fails("fsync"))
		return 0;
	errno = EIO;
	return -1;
}

int
fclose(FILE *f)
{
	static int (*real)(FILE *);

	find((void **)&real, "fclose");
	if (real(f) == 0 && !fails("fclose"))
		return 0;
	errno = EDQUOT;
	return EOF;
}

int
rename(const char *from, const char *to)
{
	static int (*real)(const char *, const char *);

	if (fails("rename")) {
		errno = EACCES;
		return -1;
	}
	find((void **)&real, "rename");
	return real(from, to);
}

int
renameat(int folder, const char *from, int to_folder, const char *to)
{
	static int (*real)(int, const char *, int, const char *);

	if (fails("rename")) {
		errno = EACCES;
		return -1;
	}
	find((void **)&real, "renameat");
	return real(folder, from, to_folder, to);
}

int
mkdir(const char *path, mode_t mode)
{
	static int (*real)(const char *, mode_t);

	if (fails("mkdir")) {
		errno = EROFS;
		return -1;
	}
	find((void **)&real, "mkdir");
	return real(path, mode);
}

/* --- disk ----------------------------------------------------------------- */

static int
fails_on_disk(void)
{
	if (!fails("disk"))
		return 0;
	if (getenv("FAULT_KILL") != NULL)
		raise(SIGKILL);
	errno = ENOSPC;
	return 1;
}

static ssize_t
pwrite_or_fail(int fd, const void *data, size_t n, off_t at)
{
	static ssize_t (*real)(int, const void *, size_t, off_t);

	find((void **)&real, "pwrite");
	if (!fails("disk"))
		return real(fd, data, n, at);
	if (real(fd, data, n / 2, at) >= 0 && getenv("FAULT_KILL") != NULL)
		raise(SIGKILL);
	errno = ENOSPC;
	return -1;
}

ssize_t
pwrite(int fd, const void *data, size_t n, off_t at)
{
	return pwrite_or_fail(fd, data, n, at);
}

ssize_t pwrite64(int fd, const void *data, size_t n, off_t at);

ssize_t
pwrite64(int fd, const void *data, size_t n, off_t at)
{
	return pwrite_or_fail(fd, data, n, at);
}

int
fdatasync(int fd)
{
	static int (*real)(int);

	find((void **)&real, "fdatasync");
	return fails_on_disk() ? -1 : real(fd);
}

static int
truncate_or_fail(int fd, off_t length)
{
	static int (*real)(int, off_t);

	find((void **)&real, "ftruncate");
	return fails_on_disk() ? -1 : real(fd, length);
}

int
ftruncate(int fd, off_t length)
{
	return truncate_or_fail(fd, length);
}

int ftruncate64(int fd, off_t length);

int
ftruncate64(int fd, off_t length)
{
	return truncate_or_fail(fd, length);
}

int
unlink(const char *path)
{
	static int (*real)(const char *);

	find((void **)&real, "unlink");
	return fails_on_disk() ? -1 : real(path);
}

/* System calls of the confinement. */
static int
denied(int error)
{
	errno = error;
	return -1;
}

/* a [6] arguments */
static long
real_syscall(long number, const long *a)
{
	static long (*real)(long, long, long, long, long, long, long);

	find((void **)&real, "syscall");
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

long
syscall(long number, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	/* landlock_create_ruleset, _add_rule and _restrict_self */
	if (number == 444 && fails("no_landlock"))
		return denied(ENOSYS);
	if (number == 445 && fails("landlock_rule"))
		return denied(ENOMEM);
	if (number == 446 && fails("landlock_restrict"))
		return denied(ENOMEM);
	return real_syscall(number, a);
}

int
prctl(int option, ...)
{
	static int (*real)(int, long, long, long, long);
	long a[4];
	va_list ap;

	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (option == PR_SET_SECCOMP && a[1] == 0 && fails("no_seccomp"))
		return denied(EINVAL);
	if (option == PR_SET_SECCOMP && a[1] != 0 && fails("seccomp"))
		return denied(ENOMEM);
	find((void **)&real, "prctl");
	return real(option, a[0], a[1], a[2], a[3]);
}
