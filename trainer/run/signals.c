/* Catches signals that ask a run to end. */
#include <config.h>

#include "trainer/run/signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

static const struct {
	int number;
	const char *name;
} caught[] = {
	{ SIGTERM, "SIGTERM" },
	{ SIGINT, "SIGINT" },
	{ SIGUSR1, "SIGUSR1" },
};

enum { N_CAUGHT = sizeof caught / sizeof caught[0] };

/* Atomic, since a signal may interrupt any thread. */
static atomic_int first;
static atomic_long interrupted_at; /* 0: never */

/* From 1 on. */
static long
monotonic_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long)t.tv_sec + 1;
}

/* A launcher may deliver one ^C twice at once, so only a later SIGINT counts as
 * a second one. */
static void
note_signal(int number)
{
	int none = 0;
	long never = 0;

	if (number == SIGINT &&
	    !atomic_compare_exchange_strong(
		&interrupted_at, &never, monotonic_seconds()) &&
	    monotonic_seconds() > never + 1) {
		signal(SIGINT, SIG_DFL);
		raise(SIGINT);
		return;
	}
	atomic_compare_exchange_strong(&first, &none, number);
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
		new.sa_handler = note_signal;
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
