/* Starts threads where they need not wait for the thread that starts them.
 * Whoever makes a thread in common/ or extract/ calls it. */
#include <config.h>

#include "common/thread_start.h"

#include <sched.h>
#include <stdlib.h>

#include "common/alloc.h"

size_t
thread_place(size_t now, size_t n, size_t k)
{
	return (now + 1 + k % n) % n;
}

#ifdef HAVE_PTHREAD_ATTR_SETAFFINITY_NP
/* What a thread that was placed does. */
struct placed_work {
	void *(*work)(void *arg);
	void *arg;
	cpu_set_t allowed;
};

static void *
placed_begin(void *arg)
{
	const struct placed_work p = *(struct placed_work *)arg;

	free(arg);
	sched_setaffinity(0, sizeof p.allowed, &p.allowed);
	return p.work(p.arg);
}

/* The CPU for it.  Returns -1 where there is no choice. */
static int
choose_cpu(const cpu_set_t *allowed, size_t k)
{
	const int here = sched_getcpu(), n = CPU_COUNT(allowed);
	size_t place = 0, left;

	if (n < 2 || here < 0 || here >= CPU_SETSIZE ||
	    !CPU_ISSET(here, allowed))
		return -1;
	for (int i = 0; i < here; i++)
		place += CPU_ISSET(i, allowed) != 0;
	left = thread_place(place, (size_t)n, k);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, allowed) && left-- == 0)
			return i;
	return -1;
}

/* Returns 0; else no thread was started. */
static int
start_placed(pthread_t *thread, size_t k, void *(*work)(void *arg), void *arg)
{
	struct placed_work *p = xcalloc(1, sizeof *p);
	pthread_attr_t attributes;
	cpu_set_t one;
	int cpu, rc = -1;

	*p = (struct placed_work){ .work = work, .arg = arg };
	if (sched_getaffinity(0, sizeof p->allowed, &p->allowed) == 0 &&
	    (cpu = choose_cpu(&p->allowed, k)) >= 0 &&
	    pthread_attr_init(&attributes) == 0) {
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		rc = pthread_attr_setaffinity_np(&attributes, sizeof one, &one);
		if (rc == 0)
			rc = pthread_create(
			    thread, &attributes, placed_begin, p);
		pthread_attr_destroy(&attributes);
	}
	if (rc != 0)
		free(p);
	return rc;
}
#endif

int
thread_start(pthread_t *thread, size_t k, void *(*work)(void *arg), void *arg)
{
#ifdef HAVE_PTHREAD_ATTR_SETAFFINITY_NP
	if (start_placed(thread, k, work, arg) == 0)
		return 0;
#else
	(void)k;
#endif
	return pthread_create(thread, NULL, work, arg);
}
