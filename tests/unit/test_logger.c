/* Logging to a non-blocking descriptor that is full for a while. Some terminals
 * and launchers make their end non-blocking. */
#include <config.h>

#include "trainer/run/meters/meter.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

enum { LINE = 300000 }; /* more than a pipe holds */

/* Start a process that reads after a delay; it exits with 0 if it got all. */
static pid_t
start_reader(int from, int to)
{
	const pid_t pid = fork();
	char buf[4096];
	size_t all = 0;
	ssize_t n;

	if (pid != 0)
		return pid;
	close(to);
	usleep(300000);
	while ((n = read(from, buf, sizeof buf)) > 0)
		all += (size_t)n;
	_exit(all != LINE);
}

static void
test_slow_reader(void)
{
	struct error e = ERROR_INIT;
	struct logger l;
	int fds[2], status;
	pid_t pid;

	CHECK_INT(pipe(fds), 0);
	CHECK_INT(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
	fflush(stdout);
	pid = start_reader(fds[0], fds[1]);
	close(fds[0]);
	logger_init(&l, fds[1]);
	strbuf_addchars(&l.line, 'x', LINE - 1);
	strbuf_addch(&l.line, '\n');
	CHECK_INT(logger_flush(&l, &e), 0);
	CHECK_INT(l.line.len, 0);
	logger_release(&l);
	close(fds[1]);
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
}

/* A line that cannot be written is an error, and is discarded. */
static void
test_full(void)
{
	struct error e = ERROR_INIT;
	struct logger l;
	const int fd = open("/dev/full", O_WRONLY);

	if (fd < 0)
		SKIP("no /dev/full");
	logger_init(&l, fd);
	CHECK_INT(logger_printf(&l, &e, "a line\n"), -1);
	CHECK_STR(e.message, "cannot write the log: No space left on device");
	CHECK_INT(l.line.len, 0);
	logger_release(&l);
	close(fd);
}

static void
test_none(void)
{
	struct logger l;

	logger_init(&l, -1);
	CHECK_INT(logger_printf(&l, NULL, "a line\n"), 0);
	CHECK_INT(l.line.len, 0);
	logger_release(&l);
}

static const struct tap_test tests[] = { TEST(test_slow_reader),
	TEST(test_full), TEST(test_none) };

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
