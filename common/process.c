#include <config.h>

#include "common/process.h"
#include "common/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

double
seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

char *
utc_text(time_t t, char text[UTC_TEXT_SIZE])
{
	struct tm tm = { 0 };

	gmtime_r(&t, &tm);
	strftime(text, UTC_TEXT_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return text;
}

pid_t
process_start(char *const *argv, int (*prepare)(void *ctx), void *ctx, int *why,
    struct error *e)
{
	int report[2]; /* the child sends the errno of a failed exec */
	ssize_t got;
	pid_t pid;

	*why = 0;
	if (pipe2(report, O_CLOEXEC) != 0) {
		*why = errno;
		return error_errno(e, *why, "cannot run '%s'", argv[0]);
	}
	pid = fork();
	if (pid == 0) {
		if (prepare(ctx) == 0)
			execvp(argv[0], argv);
		*why = errno;
		_exit(write(report[1], why, sizeof *why) < 0 ? 126 : 127);
	}
	if (pid < 0)
		*why = errno;
	close(report[1]);
	do
		got = pid >= 0 ? read(report[0], why, sizeof *why) : 0;
	while (got < 0 && errno == EINTR);
	close(report[0]);
	if (*why == 0)
		return pid;
	if (pid >= 0)
		waitpid(pid, NULL, 0);
	return error_errno(e, *why, "cannot run '%s'", argv[0]);
}

/* fds  of the child's standard streams, in their order */
static int
set_streams(void *fds)
{
	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
		if (dup2(((const int *)fds)[i], i) < 0)
			return -1;
	return 0;
}

int
process_run(char *const *argv, FILE *in, FILE *out, FILE *err, int *absent,
    struct error *e)
{
	int fds[] = { terminal_descriptor(in), terminal_descriptor(out),
		terminal_descriptor(err) };
	int why = 0, status;
	pid_t pid;

	*absent = 0;
	if (fflush(in) != 0 || fflush(out) != 0 || fflush(err) != 0 ||
	    lseek(fds[0], 0, SEEK_SET) < 0)
		return error_errno(e, errno, "cannot run '%s'", argv[0]);
	pid = process_start(argv, set_streams, fds, &why, e);
	*absent = why == ENOENT;
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return error_errno(
			    e, errno, "cannot wait for '%s'", argv[0]);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}
