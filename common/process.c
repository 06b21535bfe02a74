#include <config.h>

#include "common/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child: never returns.  Why exec failed goes through the pipe. */
static void
become(char *const *argv, int in, int out, int err, int report)
{
	int why;

	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	    dup2(err, STDERR_FILENO) >= 0)
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

/* What the child wrote before exec: 0 if it got through. */
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

int
process_run(char *const *argv, FILE *in, FILE *out, FILE *err, int *absent,
    struct error *e)
{
	int report[2], why, status;
	pid_t pid;

	*absent = 0;
	if (fflush(in) != 0 || fflush(out) != 0 || fflush(err) != 0 ||
	    lseek(fileno(in), 0, SEEK_SET) < 0)
		return error_errno(e, errno, "cannot run '%s'", argv[0]);
	if (pipe(report) != 0)
		return error_errno(e, errno, "cannot run '%s'", argv[0]);
	fcntl(report[1], F_SETFD, FD_CLOEXEC);
	pid = fork();
	if (pid == 0) {
		close(report[0]);
		become(argv, fileno(in), fileno(out), fileno(err), report[1]);
	}
	close(report[1]);
	if (pid < 0) {
		why = errno;
		close(report[0]);
		return error_errno(e, why, "cannot run '%s'", argv[0]);
	}
	why = read_report(report[0]);
	close(report[0]);
	status = wait_for(pid, argv[0], e);
	if (why != 0) {
		*absent = why == ENOENT;
		return error_errno(e, why, "cannot run '%s'", argv[0]);
	}
	return status;
}
