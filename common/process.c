#include <config.h>

#include "common/process.h"
#include "common/terminal.h"

#include <errno.h>
#include <spawn.h>
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

int
process_run(char *const *argv, FILE *in, FILE *out, FILE *err, int *absent,
    struct error *e)
{
	FILE *const streams[] = { in, out, err };
	posix_spawn_file_actions_t actions;
	int why, status;
	pid_t pid;

	why = posix_spawn_file_actions_init(&actions);
	for (int i = STDIN_FILENO; i <= STDERR_FILENO && why == 0; i++)
		why = fflush(streams[i]) != 0
		    ? errno
		    : posix_spawn_file_actions_adddup2(
			  &actions, terminal_descriptor(streams[i]), i);
	if (why == 0 && lseek(terminal_descriptor(in), 0, SEEK_SET) < 0)
		why = errno;
	if (why == 0)
		why =
		    posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	*absent = why == ENOENT;
	if (why != 0)
		return error_errno(e, why, "cannot run '%s'", argv[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return error_errno(
			    e, errno, "cannot wait for '%s'", argv[0]);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}
