#include <config.h>

#include "trainer/signals.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct {
	int number;
	const char *name;
} caught[] = {
	{ SIGTERM, "SIGTERM" },
	{ SIGINT, "SIGINT" },
	{ SIGUSR1, "SIGUSR1" },
};

enum { N_CAUGHT = sizeof caught / sizeof caught[0] };

static volatile sig_atomic_t first, interrupted;
static volatile time_t interrupted_at;

static time_t
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* A launcher may send one signal twice within a moment; a person who presses
 * ^C again means it. */
static void
note(int number)
{
	if (number == SIGINT && interrupted && seconds() > interrupted_at + 1) {
		signal(SIGINT, SIG_DFL);
		raise(SIGINT);
		return;
	}
	if (number == SIGINT && !interrupted) {
		interrupted_at = seconds();
		interrupted = 1;
	}
	if (first == 0)
		first = number;
}

void
signals_init(void)
{
	signal(SIGXFSZ, SIG_IGN);
}

void
signals_catch(void)
{
	for (int i = 0; i < N_CAUGHT; i++) {
		struct sigaction old, new;

		if (sigaction(caught[i].number, NULL, &old) == 0 &&
		    old.sa_handler == SIG_IGN)
			continue;
		memset(&new, 0, sizeof new);
		new.sa_handler = note;
		new.sa_flags = SA_RESTART;
		sigfillset(&new.sa_mask);
		sigaction(caught[i].number, &new, NULL);
	}
}

int
signals_caught(void)
{
	return first;
}

const char *
signals_name(int number)
{
	for (int i = 0; i < N_CAUGHT; i++)
		if (caught[i].number == number)
			return caught[i].name;
	return "a signal";
}
