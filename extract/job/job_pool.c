#include <config.h>

#include "extract/job/job_pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/process.h"

enum {
	MAX_THREADS = 1024,
	PROGRESS_AFTER_S = 1, /* delay of the first progress line */
	PROGRESS_MS = 200     /* interval of progress lines */
};

/* State shared by the threads. */
struct shared {
	struct run_job_list *jobs;
	const struct run_job_context *context;
	const struct format_set *formats;
	const struct job_pool_options *options;
	double start;       /* from seconds_now */
	int progress_shown; /* 1: progress is on the terminal */

	pthread_mutex_t lock;  /* guards the following members */
	pthread_cond_t turned; /* signals an increase of turn */
	size_t next;           /* next job to start */
	size_t n_done;
	size_t turn; /* job whose records come next */
};

/* A thread and its memory. */
struct pool_worker {
	struct shared *shared;
	struct arena *arena;
	pthread_t thread;
};

/* A running job. */
struct turn {
	struct shared *shared;
	size_t job;
};

/* Wait until the records of all previous jobs are written. */
static FILE *
wait_turn(void *arg)
{
	const struct turn *turn = arg;
	struct shared *s = turn->shared;

	pthread_mutex_lock(&s->lock);
	while (s->turn < turn->job)
		pthread_cond_wait(&s->turned, &s->lock);
	pthread_mutex_unlock(&s->lock);
	return s->options->records;
}

static void *
pool_work(void *arg)
{
	struct pool_worker *w = arg;
	struct shared *s = w->shared;
	struct scanner *scanner = scanner_new(s->formats, &s->options->scan);

	pthread_mutex_lock(&s->lock);
	while (s->next < s->jobs->n) {
		struct turn turn = { s, s->next++ };

		pthread_mutex_unlock(&s->lock);
		run_job_do(&s->jobs->items[turn.job], s->context, scanner,
		    wait_turn, &turn, w->arena);
		if (s->options->records != NULL)
			wait_turn(&turn);
		pthread_mutex_lock(&s->lock);
		s->turn++;
		s->n_done++;
		pthread_cond_broadcast(&s->turned);
	}
	pthread_mutex_unlock(&s->lock);
	scanner_free(scanner);
	return NULL;
}

/* Number of threads for n_jobs jobs. */
static size_t
count_threads(size_t asked, size_t n_jobs)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = asked > 0 ? asked : cpus > 0 ? (size_t)cpus : 1;

	if (n > MAX_THREADS)
		n = MAX_THREADS;
	return n < n_jobs ? n : n_jobs;
}

static void
tell_progress(struct shared *s)
{
	size_t n;

	if (s->options->progress == NULL ||
	    seconds_now() < s->start + PROGRESS_AFTER_S)
		return;
	pthread_mutex_lock(&s->lock);
	n = s->n_done;
	pthread_mutex_unlock(&s->lock);
	fprintf(s->options->progress, "\r%zu of %zu logs read", n, s->jobs->n);
	fflush(s->options->progress);
	s->progress_shown = 1;
}

/* Wait for a thread and print progress meanwhile. */
static void
join_thread(struct shared *s, pthread_t thread)
{
	struct timespec until;

	for (;;) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += PROGRESS_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000L;
		until.tv_nsec %= 1000000000L;
		if (pthread_timedjoin_np(thread, NULL, &until) != ETIMEDOUT)
			return;
		tell_progress(s);
	}
}

static int
run_threads(
    struct shared *s, struct pool_worker *workers, size_t n, struct error *e)
{
	size_t started = 0;
	int failure = 0;

	while (started < n && failure == 0) {
		failure = pthread_create(&workers[started].thread, NULL,
		    pool_work, &workers[started]);
		started += failure == 0; /* continue with fewer threads */
	}
	for (size_t i = 0; i < started; i++)
		join_thread(s, workers[i].thread);
	if (s->progress_shown) {
		fputs("\r\033[K", s->options->progress);
		fflush(s->options->progress);
	}
	return started > 0 ? 0
			   : error_errno(e, failure, "cannot start a thread");
}

int
job_pool_run(struct job_pool *pool, struct run_job_list *jobs,
    const struct run_job_context *context, const struct format_set *formats,
    const struct job_pool_options *options, struct error *e)
{
	const size_t n = count_threads(options->n_threads, jobs->n);
	struct shared s = { .jobs = jobs,
		.context = context,
		.formats = formats,
		.options = options,
		.start = seconds_now() };
	struct pool_worker *workers = xcalloc(n, sizeof *workers);
	int outcome = 0;

	pool->n_arenas = n;
	pool->arenas = xcalloc(n, sizeof *pool->arenas);
	for (size_t i = 0; i < n; i++)
		workers[i] = (struct pool_worker){ &s, &pool->arenas[i], 0 };
	pthread_mutex_init(&s.lock, NULL);
	pthread_cond_init(&s.turned, NULL);
	if (n > 1)
		outcome = run_threads(&s, workers, n, e);
	else if (n == 1) /* a single log needs no thread */
		pool_work(&workers[0]);
	pthread_cond_destroy(&s.turned);
	pthread_mutex_destroy(&s.lock);
	free(workers);
	return outcome;
}

void
job_pool_release(struct job_pool *pool)
{
	for (size_t i = 0; i < pool->n_arenas; i++)
		arena_release(&pool->arenas[i]);
	free(pool->arenas);
	*pool = (struct job_pool){ NULL, 0 };
}
