#include <config.h>

#include "trainer/run/train.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

/* Return the status of a process that runs act(). */
static int
status_of(int (*act)(void))
{
	const struct rlimit no_core = { 0, 0 };
	const pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGINT, SIG_DFL); /* ignored in background jobs */
		_exit(act());
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

static int
first_counts(void)
{
	signals_catch();
	if (signals_caught() != 0)
		return 1;
	raise(SIGUSR1);
	raise(SIGTERM);
	raise(SIGTERM);
	raise(SIGINT);
	return signals_caught() == SIGUSR1 ? 0 : 2;
}

static int
ignored(void)
{
	signal(SIGINT, SIG_IGN);
	signals_catch();
	raise(SIGINT);
	return signals_caught() == 0 ? 0 : 1;
}

static int
twice_within_a_moment(void)
{
	signals_catch();
	raise(SIGINT);
	raise(SIGINT);
	return signals_caught() == SIGINT ? 0 : 1;
}

static int
twice(void)
{
	signals_catch();
	raise(SIGINT);
	while (sleep(3) > 0)
		;
	raise(SIGINT);
	return 0;
}

static void
test_caught(void)
{
	CHECK_INT(status_of(first_counts), 0);
	CHECK_INT(status_of(ignored), 0);
	CHECK_INT(status_of(twice_within_a_moment), 0);
}

static void
test_impatience(void)
{
	const int status = status_of(twice);

	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

static void
test_names(void)
{
	CHECK_STR(signals_name(SIGTERM), "SIGTERM");
	CHECK_STR(signals_name(SIGUSR1), "SIGUSR1");
	CHECK_STR(signals_name(SIGKILL), "a signal");
}

static const struct tap_test tests[] = {
	TEST(test_caught),
	TEST(test_impatience),
	TEST(test_names),
};

int
main(void)
{
	return tap_main(tests, N_TESTS(tests));
}
