/* peak COMMAND...: run it with its output thrown away; print the most memory
 * that it had resident, in KiB.  The status is that of the command. */
#include <config.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	struct rusage usage;
	pid_t pid;
	int status;

	if (argc < 2)
		return 2;
	pid = fork();
	if (pid == 0) {
		const int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		execv(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		return 3;
	printf("%ld\n", usage.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
