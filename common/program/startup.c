/* How each main() begins.  It knows nothing of what the program does. */
#include <config.h>

#include "common/program/startup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

void
startup(void)
{
	int fd;

	signal(SIGXFSZ, SIG_IGN);
	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		/* open takes the lowest free number, which is fd. */
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null",
			fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return;
}
