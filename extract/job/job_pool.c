/* Jobs shared out among threads.  Whatever their number the outcome is the
 * same: jobs do not know each other, and records are written in the order of
 * jobs. */
#include <config.h>

#include "extract/job/job_pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"

enum {
	MAX_THREADS = 1024,
	PROGRESS_MS = 200,   /* between two lines of progress */
	PROGRESS_AFTER_S = 1 /* before the first */
};

/* What the threads share. */
struct shared {
	struct run_job_list *jobs;
	const struct run_job_context *context;
	const struct format_set *formats;
	const struct job_pool_options *options;
	size_t n_threads; /* there may be */
	struct timespec start;
	int progress_shown; /* progress stands on the terminal */

	pthread_mutex_t lock;  /* guards what follows */
	pthread_cond_t ended;  /* all jobs are done */
	pthread_cond_t turned; /* written has grown */
	size_t next;           /* job to be done next */
	size_t n_open;         /* jobs that are being done */
	size_t n_done;
	char *done;     /* [jobs->n] */
	size_t written; /* jobs whose records are written */
};

/* A thread and its memory. */
struct pool_worker {
	struct shared *shared;
	struct arena *arena;
	pthread_t thread;
};

/* A job that is being done. */
struct turn {
	struct shared *shared;
	size_t job;
};

/* Write the records of the jobs that are done and have no open one before
 * them. */
static void
write_records(struct shared *s)
{
	const size_t before = s->written;

	for (; s->written < s->jobs->n && s->done[s->written]; s->written++) {
		struct run_job *job = &s->jobs->items[s->written];

		if (job->records != NULL && s->options->records != NULL &&
		    !job->skip)
			fputs(job->records, s->options->records);
		free(job->records);
		job->records = NULL;
	}
	if (s->written > before)
		pthread_cond_broadcast(&s->turned);
}

/* Until the job comes next: no other writes until it is done. */
static FILE *
wait_for_turn(void *arg)
{
	const struct turn *turn = arg;
	struct shared *s = turn->shared;

	if (s->jobs->items[turn->job].skip)
		return NULL;
	pthread_mutex_lock(&s->lock);
	for (write_records(s); s->written < turn->job; write_records(s))
		pthread_cond_wait(&s->turned, &s->lock);
	pthread_mutex_unlock(&s->lock);
	return s->options->records;
}

static FILE *
look_for_turn(void *arg)
{
	const struct turn *turn = arg;
	struct shared *s = turn->shared;
	int is_next;

	if (s->jobs->items[turn->job].skip)
		return NULL;
	pthread_mutex_lock(&s->lock);
	write_records(s);
	is_next = s->written == turn->job;
	pthread_mutex_unlock(&s->lock);
	return is_next ? s->options->records : NULL;
}

static void
do_job(struct shared *s, size_t i, struct scanner *scanner, struct arena *arena)
{
	struct turn turn = { s, i };
	const struct run_job_output output = { wait_for_turn, look_for_turn,
		&turn };

	run_job_do(&s->jobs->items[i], s->context, scanner, &output, arena);
}

/* Threads there may be. */
static size_t
all_threads(const struct job_pool_options *options)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = options->n_threads;

	if (n == 0)
		n = cpus > 0 ? (size_t)cpus : 1;
	return n < MAX_THREADS ? n : MAX_THREADS;
}

/* Threads that have no job of their own help with this one.
 *
 * jobs  that want threads, this one included */
static void
share_file(const struct shared *s, struct scanner *scanner, size_t jobs)
{
	const size_t all = s->n_threads;
	const struct scan_parts parts = { jobs < all ? all / jobs : 1,
		SCAN_PART_BYTES, SCAN_METADATA_BYTES };

	scanner_share(scanner, &parts);
}

static void *
pool_work(void *arg)
{
	struct pool_worker *w = arg;
	struct shared *s = w->shared;
	struct scanner *scanner = scanner_new(s->formats, &s->options->scan);
	size_t i;

	pthread_mutex_lock(&s->lock);
	while (s->next < s->jobs->n) {
		i = s->next++;
		s->n_open++;
		share_file(s, scanner, s->jobs->n - s->next + s->n_open);
		pthread_mutex_unlock(&s->lock);
		if (!s->jobs->items[i].skip)
			do_job(s, i, scanner, w->arena);
		pthread_mutex_lock(&s->lock);
		s->done[i] = 1;
		s->n_open--;
		s->n_done++;
		write_records(s);
	}
	if (s->n_done == s->jobs->n)
		pthread_cond_signal(&s->ended);
	pthread_mutex_unlock(&s->lock);
	scanner_free(scanner);
	return NULL;
}

static void
tell_progress(struct shared *s)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (s->options->progress == NULL ||
	    now.tv_sec - s->start.tv_sec <= PROGRESS_AFTER_S)
		return;
	fprintf(s->options->progress, "\r%zu of %zu logs read", s->n_done,
	    s->jobs->n);
	fflush(s->options->progress);
	s->progress_shown = 1;
}

/* Wait for the threads, reporting what they have done.  They wake this one at
 * the end only: for each of many small logs that would take as long as the log
 * does. */
static void
supervise_threads(struct shared *s)
{
	struct timespec until;

	pthread_mutex_lock(&s->lock);
	while (s->n_done < s->jobs->n) {
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += PROGRESS_MS * 1000000L;
		if (until.tv_nsec >= 1000000000L) {
			until.tv_nsec -= 1000000000L;
			until.tv_sec++;
		}
		if (pthread_cond_timedwait(&s->ended, &s->lock, &until) ==
		    ETIMEDOUT)
			tell_progress(s);
	}
	pthread_mutex_unlock(&s->lock);
	if (s->progress_shown) {
		fputs("\r\033[K", s->options->progress);
		fflush(s->options->progress);
	}
}

static size_t
count_threads(const struct shared *s)
{
	return s->n_threads < s->jobs->n ? s->n_threads : s->jobs->n;
}

static int
run_threads(struct shared *s, struct job_pool *pool, struct error *e)
{
	/* One log needs no thread of its own. */
	const size_t n = s->jobs->n > 1 ? count_threads(s) : 0;
	struct pool_worker *workers = xcalloc(n, sizeof *workers);
	size_t i, started = 0;
	int failure = 0;

	if (n == 0)
		pool_work(&(struct pool_worker){ s, &pool->arenas[0], 0 });
	for (i = 0; i < n; i++) {
		workers[i] = (struct pool_worker){ s, &pool->arenas[i], 0 };
		failure = pthread_create(
		    &workers[i].thread, NULL, pool_work, &workers[i]);
		if (failure != 0)
			break; /* fewer do it too */
		started++;
	}
	if (started > 0 || n == 0)
		supervise_threads(s);
	for (i = 0; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	free(workers);
	if (started == 0 && n > 0)
		return error_errno(e, failure, "cannot start a thread");
	return 0;
}

int
job_pool_run(struct job_pool *pool, struct run_job_list *jobs,
    const struct run_job_context *context, const struct format_set *formats,
    const struct job_pool_options *options, struct error *e)
{
	struct shared s = { .jobs = jobs,
		.context = context,
		.formats = formats,
		.options = options,
		.n_threads = all_threads(options) };
	pthread_condattr_t monotonic;
	int outcome;

	pool->n_arenas = MAX_THREADS;
	pool->arenas = xcalloc(pool->n_arenas, sizeof *pool->arenas);
	s.done = xcalloc(jobs->n, sizeof *s.done);
	clock_gettime(CLOCK_MONOTONIC, &s.start);
	pthread_mutex_init(&s.lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&s.ended, &monotonic);
	pthread_cond_init(&s.turned, NULL);
	outcome = run_threads(&s, pool, e);
	pthread_cond_destroy(&s.ended);
	pthread_cond_destroy(&s.turned);
	pthread_condattr_destroy(&monotonic);
	pthread_mutex_destroy(&s.lock);
	free(s.done);
	return outcome;
}

void
job_pool_release(struct job_pool *pool)
{
	size_t i;

	for (i = 0; i < pool->n_arenas; i++)
		arena_release(&pool->arenas[i]);
	free(pool->arenas);
	*pool = (struct job_pool){ NULL, 0 };
}
