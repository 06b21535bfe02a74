#include <config.h>

#include "common/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double
seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Run in the child; does not return. Sends the errno of a failed exec through
 * the pipe. */
static void
process_become(
    char *const *argv, int (*prepare)(void *ctx), void *ctx, int report)
{
	int why;

	if (prepare(ctx) == 0)
		execvp(argv[0], argv);
	why = errno;
	if (write(report, &why, sizeof why) < 0)
		_exit(126);
	_exit(127);
}

static int
wait_for(pid_t pid, const char *name, struct error *e)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return error_errno(
			    e, errno, "cannot wait for '%s'", name);
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}

/* Read the errno that the child sent; 0 if exec succeeded. */
static int
read_report(int fd)
{
	int why = 0;
	ssize_t got;

	do
		got = read(fd, &why, sizeof why);
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof why ? why : 0;
}

pid_t
process_start(char *const *argv, int (*prepare)(void *ctx), void *ctx, int *why,
    struct error *e)
{
	int report[2];
	pid_t pid;

	*why = 0;
	if (pipe(report) != 0) {
		*why = errno;
		return error_errno(e, *why, "cannot run '%s'", argv[0]);
	}
	fcntl(report[0], F_SETFD, FD_CLOEXEC);
	fcntl(report[1], F_SETFD, FD_CLOEXEC);
	pid = fork();
	if (pid == 0)
		process_become(argv, prepare, ctx, report[1]);
	if (pid < 0)
		*why = errno;
	close(report[1]);
	if (pid >= 0)
		*why = read_report(report[0]);
	close(report[0]);
	if (*why == 0)
		return pid;
	if (pid >= 0)
		waitpid(pid, NULL, 0);
	return error_errno(e, *why, "cannot run '%s'", argv[0]);
}

/* Descriptors of a child's standard streams. */
struct process_streams {
	int in, out, err;
};

static int
set_streams(void *ctx)
{
	const struct process_streams *s = ctx;

	return dup2(s->in, STDIN_FILENO) < 0 ||
		dup2(s->out, STDOUT_FILENO) < 0 ||
		dup2(s->err, STDERR_FILENO) < 0
	    ? -1
	    : 0;
}

int
process_run(char *const *argv, FILE *in, FILE *out, FILE *err, int *absent,
    struct error *e)
{
	struct process_streams s = { fileno(in), fileno(out), fileno(err) };
	int why = 0;
	pid_t pid;

	*absent = 0;
	if (fflush(in) != 0 || fflush(out) != 0 || fflush(err) != 0 ||
	    lseek(s.in, 0, SEEK_SET) < 0)
		return error_errno(e, errno, "cannot run '%s'", argv[0]);
	pid = process_start(argv, set_streams, &s, &why, e);
	*absent = why == ENOENT;
	return pid < 0 ? -1 : wait_for(pid, argv[0], e);
}
